//! `/console/associados/{codigo}`: a member's page, the whole story; and the forms by which he is written down and changed.

use crate::form::Form;
use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::page::{Refusal, page, show};
use crate::records::{Input, Kind, Problems, Spec, Values, inputs, json, typed};
use crate::show::{moment, money};
use crate::visitor::{Guest, Number, redirect, root, tell};
use app::base::Registers;
use app::happened::{History, What};
use app::once::Once;
use app::people::{self, View};
use app::{App, Error, claims};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Document, Email, Nature, PersonCode, PhoneKind, PostalAddress, shown};
use wire::names;
use wire::read;
use wire::records::{AssociadoInput, PessoaInput};
use wire::trigger::benefit_description;

pub struct BenefitLine {
    code: i32,
    sequence: i32,
    what: String,
    kind: &'static str,
    plans: String,
    situation: Badge,
}

pub struct ClaimLine {
    protocol: i32,
    kind: String,
    opened: String,
    situation: Badge,
}

/// Something that happened, as the timeline tells it.
pub struct Event {
    pub when: String,
    pub who: String,
    pub situation: Option<Badge>,
    pub text: String,
}

#[derive(Template)]
#[template(path = "console/associado.html")]
struct Person {
    frame: Frame,
    code: i32,
    name: String,
    document: String,
    groups: Vec<(&'static str, Vec<(&'static str, String)>)>,
    benefits: Vec<BenefitLine>,
    claims: Vec<ClaimLine>,
    events: Vec<Event>,
    dependents: i64,
    branch: String,
    since: String,
}

pub async fn one(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, PersonCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: PersonCode) -> Result<Person, Error> {
    let caller = guest.session();
    let view = people::member_whole(app, caller, code).await?;
    let frame = Frame::of(app, guest, "associados").await?;
    let events = told(people::history(app, caller, code).await?);
    let by_person = std::iter::once(("codPessoa".to_owned(), code.to_string()));
    let claims = match read::query(by_person) {
        Ok(query) => claims::search(app, caller, query).await?.page(app, caller, 1).await?.0.rows,
        Err(_) => Vec::new(),
    };
    let registers = &view.registers;
    let claims = claims.iter().map(|claim| ClaimLine {
        protocol: claim.protocol,
        kind: registers.claim_type(claim.kind).map_or_else(String::new, |one| one.name.clone()),
        opened: moment(claim.opened_at, &registers.zone),
        situation: badge(registers, claim.situation),
    });
    Ok(Person {
        code: code.get(),
        name: view.profile.name.clone(),
        document: view.profile.document.as_ref().map(Document::to_string).unwrap_or_default(),
        groups: groups(&view),
        benefits: view.benefits.iter().map(|(code, one)| line(registers, code.get(), one)).collect(),
        claims: claims.collect(),
        events,
        dependents: view.dependents,
        branch: registers.branch_name(view.profile.branch).to_owned(),
        since: view.profile.created_at.date_in(&registers.zone).to_br(),
        frame,
    })
}

fn line(registers: &Registers, code: i32, one: &app::benefits::Benefit) -> BenefitLine {
    let plan = one.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let vehicle = &one.vehicle;
    let plans: Vec<String> = one
        .plans
        .iter()
        .filter_map(|(plan, price)| Some(format!("{} ({})", registers.plan(*plan)?.name, money(*price))))
        .collect();
    BenefitLine {
        code,
        sequence: one.sequence,
        what: benefit_description(
            vehicle.plate.as_ref(),
            vehicle.brand.as_deref(),
            vehicle.model.as_deref(),
            plan.map_or("", |plan| &plan.name),
        ),
        kind: crate::benefit::kind_name(one.kind),
        plans: plans.join(", "),
        situation: badge(registers, one.situation),
    }
}

/// The newest first.
pub fn told(history: History) -> Vec<Event> {
    let History { happened, registers } = history;
    let events = happened.into_iter().rev().map(|one| {
        let (situation, text) = match one.what {
            What::Situation { to, reason, benefit, .. } => {
                let why = reason.map(|reason| format!(" — {reason}")).unwrap_or_default();
                (Some(badge(&registers, to)), format!("Benefício {benefit}{why}"))
            }
            What::Field { name, before, after } => {
                let text = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
                (None, format!("{name}: de {} para {}", text(before), text(after)))
            }
        };
        let who = one.user_name.unwrap_or_else(|| "Sistema".to_owned());
        Event { when: moment(one.at, &registers.zone), who, situation, text }
    });
    events.collect()
}

fn groups(view: &View) -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let values = values(view);
    let value = |name: &str| values.get(name).cloned().unwrap_or_default();
    let shown = |name: &'static str| (label(name), value(name));
    let seller = |code: Option<domain::SellerCode>| {
        code.and_then(|code| view.registers.seller_name(code)).unwrap_or_default().to_owned()
    };
    let phones = view.phones.iter().map(|phone| phone.number.to_string()).collect::<Vec<_>>().join(", ");
    let contact = vec![("Telefones", phones), shown("email"), ("Endereço", one_line(&view.profile.address))];
    let own = match view.profile.nature {
        Nature::Natural => {
            let names = [
                "dataNascimento",
                "sexo",
                "estadoCivil",
                "conjuge",
                "nomeMae",
                "identidade",
                "orgaoExpedidor",
                "numeroCnh",
                "categoriaCnh",
                "validadeCnh",
                "nomeEmpresa",
            ];
            names.map(shown).to_vec()
        }
        Nature::Legal => ["nomeFantasia", "inscricaoEstadual", "inscricaoMunicipal", "representanteLegal"]
            .map(shown)
            .to_vec(),
    };
    let sale = vec![
        ("Consultor", seller(view.profile.consultant)),
        ("Representante", seller(view.profile.representative)),
        shown("codigoIntegracao"),
    ];
    let all = [("Contato", contact), ("Dados pessoais", own), ("Venda", sale)];
    let filled =
        all.map(|(title, facts)| (title, facts.into_iter().filter(|(_, text)| !text.is_empty()).collect()));
    filled.into_iter().filter(|(_, facts): &(_, Vec<_>)| !facts.is_empty()).collect()
}

/// `Avenida Paulista, 1578, Apto 12 — Bela Vista, São Paulo/SP — 01310-100`
fn one_line(address: &PostalAddress) -> String {
    let street = [address.street_kind.as_deref(), address.street.as_deref()];
    let street = street.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let first = [
        Some(street.as_str()).filter(|text| !text.is_empty()),
        address.number.as_deref(),
        address.complement.as_deref(),
    ];
    let first = first.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let city = [address.city.as_deref(), address.state.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("/");
    let second = [address.district.as_deref(), Some(city.as_str()).filter(|text| !text.is_empty())];
    let second = second.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let cep = address.cep.as_ref().map(ToString::to_string).unwrap_or_default();
    [first, second, cep].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" — ")
}

const fn text(name: &'static str, label: &'static str, longest: usize) -> Spec {
    Spec { name, label, kind: Kind::Text, longest, hint: "" }
}

const fn masked(name: &'static str, label: &'static str, mask: &'static str) -> Spec {
    Spec { name, label, kind: Kind::Masked(mask), longest: 20, hint: "" }
}

const fn choice(name: &'static str, label: &'static str) -> Spec {
    Spec { name, label, kind: Kind::Choice, longest: 100, hint: "" }
}

/// Everything that the form asks, in its order.
const SPECS: &[Spec] = &[
    text("nomePessoa", "Nome", 200),
    masked("cpfCnpj", "CPF ou CNPJ", "documento"),
    choice("codLoja", "Loja"),
    masked("telefones.0.numero", "Celular", "telefone"),
    masked("telefones.1.numero", "Telefone fixo", "telefone"),
    Spec { name: "email", label: "E-mail", kind: Kind::Email, longest: 254, hint: "" },
    masked("endereco.cep", "CEP", "cep"),
    text("endereco.tipoLogradouro", "Tipo (rua, avenida…)", 50),
    text("endereco.logradouro", "Logradouro", 200),
    text("endereco.numero", "Número", 20),
    text("endereco.complemento", "Complemento", 100),
    text("endereco.bairro", "Bairro", 100),
    text("endereco.cidade", "Cidade", 100),
    choice("endereco.uf", "UF"),
    masked("dataNascimento", "Data de nascimento", "data"),
    choice("sexo", "Sexo"),
    choice("estadoCivil", "Estado civil"),
    text("nomeMae", "Nome da mãe", 200),
    text("identidade", "Identidade (RG)", 30),
    text("orgaoExpedidor", "Órgão expedidor", 30),
    text("numeroCnh", "CNH", 20),
    text("categoriaCnh", "Categoria da CNH", 5),
    masked("validadeCnh", "Validade da CNH", "data"),
    text("nomeEmpresa", "Empresa em que trabalha", 200),
    text("nomeFantasia", "Nome fantasia (empresa)", 200),
    text("inscricaoEstadual", "Inscrição estadual", 30),
    text("inscricaoMunicipal", "Inscrição municipal", 30),
    text("representanteLegal", "Representante legal", 200),
    text("codigoIntegracao", "Código em outro sistema", 100),
];

/// Where each part of the form begins.
const SECTIONS: &[(&str, std::ops::Range<usize>)] = &[
    ("Quem é", 0..3),
    ("Contato", 3..6),
    ("Endereço", 6..14),
    ("Dados pessoais", 14..24),
    ("Empresa e integração", 24..29),
];

fn label(name: &str) -> &'static str {
    match name {
        "conjuge" => "Cônjuge",
        _ => SPECS.iter().find(|spec| spec.name == name).map_or("", |spec| spec.label),
    }
}

/// What is kept, as the form shows it.
fn values(view: &View) -> Values {
    let person = &view.profile;
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let day = |value: &Option<String>| value.as_deref().map(shown::day).unwrap_or_default();
    let phone = |kind: PhoneKind| {
        let found = view.phones.iter().find(|phone| phone.kind == kind);
        found.map(|phone| phone.number.to_string()).unwrap_or_default()
    };
    let address = &person.address;
    Values::from([
        ("nomePessoa", person.name.clone()),
        ("cpfCnpj", person.document.as_ref().map(Document::to_string).unwrap_or_default()),
        ("codLoja", person.branch.to_string()),
        ("telefones.0.numero", phone(PhoneKind::Mobile)),
        ("telefones.1.numero", phone(PhoneKind::Landline)),
        ("email", person.email.as_ref().map(Email::to_string).unwrap_or_default()),
        ("endereco.cep", address.cep.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("endereco.tipoLogradouro", own(&address.street_kind)),
        ("endereco.logradouro", own(&address.street)),
        ("endereco.numero", own(&address.number)),
        ("endereco.complemento", own(&address.complement)),
        ("endereco.bairro", own(&address.district)),
        ("endereco.cidade", own(&address.city)),
        ("endereco.uf", own(&address.state)),
        ("dataNascimento", day(&person.born_on)),
        ("sexo", person.sex.map(names::sex).unwrap_or_default().to_owned()),
        ("estadoCivil", person.civil_state.map(names::civil_state).unwrap_or_default().to_owned()),
        ("conjuge", own(&person.spouse)),
        ("nomeMae", own(&person.mother)),
        ("identidade", own(&person.identity_number)),
        ("orgaoExpedidor", own(&person.identity_issuer)),
        ("numeroCnh", own(&person.cnh_number)),
        ("categoriaCnh", own(&person.cnh_category)),
        ("validadeCnh", day(&person.cnh_valid_until)),
        ("nomeEmpresa", own(&person.company)),
        ("nomeFantasia", own(&person.trade_name)),
        ("inscricaoEstadual", own(&person.state_registration)),
        ("inscricaoMunicipal", own(&person.municipal_registration)),
        ("representanteLegal", own(&person.legal_representative)),
        ("codigoIntegracao", own(&person.integration_code)),
    ])
}

#[derive(Template)]
#[template(path = "console/associado_form.html")]
struct Write {
    frame: Frame,
    title: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(&'static str, Vec<Input>)>,
    others: Vec<String>,
    is_refused: bool,
}

const STATES: [&str; 27] = [
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI",
    "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
];

fn choices(registers: &Registers, guest: &Guest, name: &str) -> Vec<(String, String)> {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    match name {
        "codLoja" => {
            let branches = registers.branches_of(&guest.session().scope);
            branches.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "endereco.uf" => STATES.iter().map(|state| same(state)).collect(),
        "sexo" => domain::Sex::ALL.iter().map(|one| same(names::sex(*one))).collect(),
        "estadoCivil" => domain::CivilState::ALL.iter().map(|one| same(names::civil_state(*one))).collect(),
        _ => Vec::new(),
    }
}

struct Shown {
    title: String,
    back: String,
    version: Option<i64>,
    values: Values,
    problems: Problems,
}

async fn form(app: &App, guest: &Guest, shown: Shown) -> Response {
    let status = if shown.problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let frame = match Frame::of(app, guest, "associados").await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let registers = match app::base::registers(app, guest.session().scope.tenant()).await {
        Ok(registers) => registers,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let mut all = inputs(SPECS, &shown.values, &shown.problems, |name| choices(&registers, guest, name));
    let mut sections = Vec::new();
    for (title, range) in SECTIONS.iter().rev() {
        sections.push((*title, all.split_off(range.start)));
    }
    sections.reverse();
    let is_refused = !shown.problems.is_empty();
    let Shown { title, back, version, problems, .. } = shown;
    page(status, &Write { frame, title, back, version, sections, others: problems.others, is_refused })
}

/// `GET /console/associados/novo`
pub async fn new(State(app): State<App>, guest: Guest) -> Response {
    let shown = Shown {
        title: "Novo associado".to_owned(),
        back: format!("{}/console/associados", root(&app)),
        version: None,
        values: Values::new(),
        problems: Problems::default(),
    };
    form(&app, &guest, shown).await
}

/// The numbers that were typed; an empty one is none.
fn phones(values: &mut Values, further: &[String]) -> serde_json::Value {
    let numbers =
        ["telefones.0.numero", "telefones.1.numero"].map(|name| values.remove(name).unwrap_or_default());
    let given = numbers.into_iter().filter(|number| !number.is_empty()).chain(further.iter().cloned());
    given.map(|number| serde_json::json!({"numero": number})).collect()
}

/// What was sent, as a record: an empty field clears, and of somebody new it was not given.
fn record(values: &Values, had: Option<(&View, &str)>) -> Vec<u8> {
    let mut values = values.clone();
    let mut further =
        vec![("telefones", phones(&mut values, &had.map(|(view, _)| others(view)).unwrap_or_default()))];
    match had {
        None => values.retain(|_, text| !text.is_empty()),
        Some((_, version)) => further.push(("versao", version.into())),
    }
    json(&values, &further)
}

/// Telephones beyond the first of each kind, which the form does not show and must not lose.
fn others(view: &View) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let further = view.phones.iter().filter(|phone| !seen.insert(phone.kind));
    further.map(|phone| phone.number.to_string()).collect()
}

fn lines(error: Error) -> Result<Vec<String>, Error> {
    match error {
        Error::Refused(problems) => Ok(problems.iter().map(wire::refusal::text).collect()),
        error => Err(error),
    }
}

/// `POST /console/associados/novo`
pub async fn create(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = typed(SPECS, &sent);
    let problems = match read::body::<PessoaInput>(&record(&values, None)) {
        Err(unread) => unread.problems.into_lines(),
        Ok(input) => match people::save(&app, guest.session(), input, Once::each_time())
            .await
            .and_then(app::once::Done::now)
        {
            Ok(saved) => {
                let mut response = redirect(&format!("{}/console/associados/{}", root(&app), saved.code));
                tell(&mut response, "Associado salvo.");
                return response;
            }
            Err(error) => match lines(error) {
                Ok(lines) => lines,
                Err(error) => return Refusal::from(&error).into_response(),
            },
        },
    };
    let shown = Shown {
        title: "Novo associado".to_owned(),
        back: format!("{}/console/associados", root(&app)),
        version: None,
        values,
        problems: Problems::new(problems, SPECS),
    };
    form(&app, &guest, shown).await
}

/// `GET /console/associados/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let view = match people::member_whole(&app, guest.session(), PersonCode::new(code)).await {
        Ok(view) => view,
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let shown = Shown {
        title: format!("Alterar {}", view.profile.name),
        back: format!("{}/console/associados/{code}", root(&app)),
        version: Some(view.profile.version),
        values: values(&view),
        problems: Problems::default(),
    };
    form(&app, &guest, shown).await
}

/// `POST /console/associados/{codigo}/alterar`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = typed(SPECS, &sent);
    let version = sent.text("versao");
    let person = PersonCode::new(code);
    let view = match people::member_whole(&app, guest.session(), person).await {
        Ok(view) => view,
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let problems = match read::body::<AssociadoInput>(&record(&values, Some((&view, version)))) {
        Err(unread) => unread.problems.into_lines(),
        Ok(input) => {
            match people::change_member(&app, guest.session(), person, input, Once::each_time()).await {
                Ok(_) => {
                    let mut response = redirect(&format!("{}/console/associados/{code}", root(&app)));
                    tell(&mut response, "As alterações foram salvas.");
                    return response;
                }
                Err(error @ Error::NoSuch { .. }) => return show::<Write>(&guest, Err(error)),
                Err(error) => match lines(error) {
                    Ok(lines) => lines,
                    Err(error) => return Refusal::from(&error).into_response(),
                },
            }
        }
    };
    let shown = Shown {
        title: format!("Alterar {}", sent.text("nomePessoa")),
        back: format!("{}/console/associados/{code}", root(&app)),
        version: version.parse().ok(),
        values,
        problems: Problems::new(problems, SPECS),
    };
    form(&app, &guest, shown).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/associado.html", |with| {
        let benefit = || BenefitLine {
            code: 7,
            sequence: 1,
            what: with.text(),
            kind: "Veículo",
            plans: with.text(),
            situation: with.badge(),
        };
        let claim =
            || ClaimLine { protocol: 7, kind: with.text(), opened: with.text(), situation: with.badge() };
        crate::rendered::text(&Person {
            frame: with.frame(),
            code: 7,
            name: with.text(),
            document: with.text(),
            groups: with.many(|| ("Contato", with.many(|| ("E-mail", with.text())))),
            benefits: with.many(benefit),
            claims: with.many(claim),
            events: with.many(|| with.event()),
            dependents: 2,
            branch: with.text(),
            since: with.text(),
        })
    }),
    ("console/associado_form.html", |with| {
        let input = |kind| Input {
            spec: Spec { name: "nomePessoa", label: "Nome", kind, longest: 200, hint: "Completo." },
            value: with.text(),
            problem: with.maybe(|| with.text()),
            choices: with.many(|| (with.text(), with.text())),
        };
        let inputs = [Kind::Text, Kind::Masked("documento"), Kind::Email, Kind::Choice].map(input);
        crate::rendered::text(&Write {
            frame: with.frame(),
            title: with.text(),
            back: with.text(),
            version: with.maybe(|| 3),
            sections: vec![("Pessoa", inputs.into())],
            others: with.many(|| with.text()),
            is_refused: with.is_full(),
        })
    }),
];
