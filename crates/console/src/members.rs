//! `/console/associados`: members with their benefits, found by whatever is known of them.

use crate::exporting::Links;
use crate::form::Form;
use crate::frame::Frame;
use crate::lists::{Around, Cell, Column, around, column};
use crate::page::{Refusal, show};
use crate::person::STATES;
use crate::records::labelled;
use crate::show::{Pager, money};
use crate::visitor::{Guest, Query, redirect, root};
use crate::words;
use app::base::Registers;
use app::saved::List;
use app::searches::{self, Found};
use app::{App, Error};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use dispatch::{get, post};
use domain::{Entity, SellerCode, shown};
use wire::records::PesquisaAssociadoQuery;

const PAGE: i64 = 100;

pub fn routes() -> Router<App> {
    Router::new().route("/console/associados", get(list).merge(post(filter)))
}

/// A situation as its badge shows it.
pub struct Badge {
    pub code: i32,
    pub name: String,
}

pub fn badge(registers: &Registers, code: domain::SituationCode) -> Badge {
    let name = registers.situation(code).map_or_else(String::new, |one| one.name.clone());
    Badge { code: code.get(), name }
}

/// A row of a list of members or benefits.
pub struct Row {
    pub person: i32,
    pub link: String,
    pub name: String,
    /// Something small behind the name.
    pub note: String,
    pub document: String,
    pub branch: String,
    pub cells: Vec<Cell>,
}

pub const COLUMNS: &[Column] = &[
    column("documento", "CPF ou CNPJ", true),
    column("telefone", "Telefone", true),
    column("beneficio", "Benefício", true),
    column("situacao", "Situação", true),
    column("loja", "Loja", true),
    column("tipo", "Tipo", false),
    column("planos", "Planos", false),
    column("cartao", "Cartão", false),
    column("email", "E-mail", false),
    column("cidade", "Cidade", false),
    column("nascimento", "Nascimento", false),
    column("consultor", "Consultor", false),
    column("cadastro", "Cadastro", false),
    column("alteracao", "Alteração", false),
];

/// What may be chosen in a list, and whether it is.
pub struct Choice {
    pub value: String,
    pub name: String,
    pub is_chosen: bool,
}

/// A field of the further filters.
pub struct Further {
    pub name: &'static str,
    pub label: &'static str,
    pub mask: &'static str,
    pub value: String,
}

/// A filter that came with a link and has no field: what it is, and the way without it.
pub struct Fixed {
    pub name: &'static str,
    pub value: String,
    pub text: String,
    pub without: String,
}

#[derive(Template)]
#[template(path = "console/associados.html")]
struct Members {
    frame: Frame,
    around: Around,
    first_column: &'static str,
    rows: Vec<Row>,
    pager: Pager,
    problems: Vec<String>,
    name: String,
    document: String,
    plate: String,
    situations: Vec<Choice>,
    branches: Vec<Choice>,
    plans: Vec<Choice>,
    states: Vec<Choice>,
    further: Vec<Further>,
    is_further: bool,
    fixed: Vec<Fixed>,
    is_filtered: bool,
}

pub async fn list(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

/// `POST /console/associados`: with a document among the filters the list is answered at once, so that the document stands
/// in no address; other filters get an address to keep and to come back to.
async fn filter(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let query = match sent {
        Ok(sent) => Query::of_form(&sent),
        Err(refusal) => return refusal.into_response(),
    };
    match PRIVATE.iter().any(|name| !query.text(name).is_empty()) {
        true => show(&guest, made(&app, &guest, &query).await),
        false => redirect(&format!("{}/console/associados{}", root(&app), query.with("", ""))),
    }
}

/// The filters that name a person or a firm.
const PRIVATE: [&str; 2] = ["cpf", "cnpjEmpresa"];
const FILTERS: [&str; 6] = ["nome", "cpf", "placa", "situacaoBeneficio", "codLoja", "codPlano"];
/// Name, label and mask of the fields behind “Mais filtros”.
const FURTHER: [(&str, &str, &str); 6] = [
    ("chassi", "Chassi", "maiusculas"),
    ("dataCadastroInicial", "Cadastro desde", "data"),
    ("dataCadastroFinal", "Cadastro até", "data"),
    ("dataAtualizacao", "Alterado desde", "data"),
    ("dataNascimento", "Nascimento", "data"),
    ("cnpjEmpresa", "CNPJ do empregador", "documento"),
];
const TYPED: [(&str, &str); 3] = [("nome", "Nome"), ("cpf", "CPF ou CNPJ"), ("placa", "Placa")];
const SELLERS: [(&str, &str); 2] = [("codConsultor", "Consultor"), ("codRepresentante", "Representante")];

fn choices(query: &Query, name: &str, all: impl Iterator<Item = (String, String)>) -> Vec<Choice> {
    let chosen = query.text(name);
    all.map(|(value, name)| Choice { is_chosen: value == chosen, value, name }).collect()
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Members, Error> {
    let frame = Frame::of(app, guest, "associados").await?;
    let caller = guest.session();
    let around = around(app, guest, List::Members, COLUMNS, query).await?;
    let registers = app::base::registers(app, caller.scope.tenant()).await?;
    let names =
        FILTERS.into_iter().chain(FURTHER.map(|(name, ..)| name)).chain(SELLERS.map(|(name, _)| name));
    let given = names.chain(["uf"]).map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let asked = given.clone().map(|(name, text)| (name.to_owned(), text.to_owned()));
    let page = ("pagina".to_owned(), query.page().to_string());
    let asked: Result<PesquisaAssociadoQuery, _> = wire::read::query(asked.chain([page]));
    let labels: Vec<(&str, &str)> =
        TYPED.into_iter().chain(FURTHER.map(|(name, label, _)| (name, label))).collect();
    let (rows, total, problems) = match asked {
        Ok(asked) => match searches::rows(app, caller, asked, "GET /console/associados").await {
            Ok(page) => (page.rows, page.total, Vec::new()),
            Err(Error::Refused(problems)) => {
                (Vec::new(), 0, labelled(problems.iter().map(wire::refusal::text).collect(), &labels))
            }
            Err(error) => return Err(error),
        },
        Err(problems) => (Vec::new(), 0, labelled(problems.into_lines(), &labels)),
    };
    let situations = registers.situations_of(Entity::Benefit).map(|one| (one.name.clone(), one.name.clone()));
    let branches = registers.branches_of(&caller.scope).map(|one| (one.code.to_string(), one.name.clone()));
    let sold = registers.plans.iter().filter(|one| one.active);
    let plans = sold.map(|one| (one.code.to_string(), one.name.clone()));
    let states = STATES.iter().map(|state| ((*state).to_owned(), (*state).to_owned()));
    let further =
        FURTHER.map(|(name, label, mask)| Further { name, label, mask, value: query.text(name).to_owned() });
    Ok(Members {
        rows: rows.iter().map(|found| row(&registers, found, &frame.root, &around)).collect(),
        first_column: "Associado",
        pager: Pager::new(query.page(), total, PAGE, |page| query.with_page(page)).exporting(Links::new(
            &frame.root,
            "associado",
            given.clone().chain([("colunas", around.exported(&["codigo", "nome", "placa"]).as_str())]),
        )),
        problems,
        name: query.text("nome").to_owned(),
        document: query.text("cpf").to_owned(),
        plate: query.text("placa").to_owned(),
        situations: choices(query, "situacaoBeneficio", situations),
        branches: choices(query, "codLoja", branches),
        plans: choices(query, "codPlano", plans),
        states: choices(query, "uf", states),
        is_further: further.iter().any(|one| !one.value.is_empty()) || !query.text("uf").is_empty(),
        further: further.into_iter().collect(),
        fixed: fixed(query, &registers),
        is_filtered: given.count() > 0,
        around,
        frame,
    })
}

/// Sellers are thousands: whoever filters by one came from his name.
fn fixed(query: &Query, registers: &Registers) -> Vec<Fixed> {
    let one = |(name, label): (&'static str, &str)| {
        let value = query.text(name);
        let code = value.parse().ok().map(SellerCode::new)?;
        let seller = registers.seller_name(code).unwrap_or(value);
        let text = format!("{label}: {seller}");
        Some(Fixed { name, value: value.to_owned(), text, without: query.without(name) })
    };
    SELLERS.into_iter().filter_map(one).collect()
}

pub fn row(registers: &Registers, found: &Found, root: &str, around: &Around) -> Row {
    let person = &found.person;
    let shown_columns = around.columns.iter().filter(|(_, _, is_chosen)| *is_chosen);
    Row {
        person: person.code.get(),
        link: format!("{root}/console/associados/{}", person.code),
        name: person.name.clone(),
        note: String::new(),
        document: person.document.as_deref().map(shown::document).unwrap_or_default(),
        branch: registers.branch_name(found.branch).to_owned(),
        cells: shown_columns
            .map(|(name, title, _)| Cell { title, ..cell(registers, found, root, name) })
            .collect(),
    }
}

fn cell(registers: &Registers, found: &Found, root: &str, name: &str) -> Cell {
    let (person, benefit) = (&found.person, found.benefit.as_ref());
    let text = |text: String| Cell { text, ..Cell::default() };
    let number = |text: String| Cell { text, class: "nowrap number", ..Cell::default() };
    let day = |day: Option<&str>| number(day.map(shown::day).unwrap_or_default());
    match name {
        "documento" => number(person.document.as_deref().map(shown::document).unwrap_or_default()),
        "telefone" => {
            let phone = person.mobile.as_deref().or(person.landline.as_deref());
            number(phone.map(shown::phone).unwrap_or_default())
        }
        "beneficio" => match benefit {
            Some(one) => Cell {
                text: one.plate.clone().unwrap_or_else(|| {
                    let plan = one.plans.first().and_then(|(code, _)| registers.plan(*code));
                    plan.map_or_else(String::new, |plan| plan.name.clone())
                }),
                link: Some(format!("{root}/console/beneficios/{}", one.code)),
                note: format!("nº {}", one.sequence),
                ..Cell::default()
            },
            None => Cell { text: "sem benefício".to_owned(), class: "quiet", ..Cell::default() },
        },
        "situacao" => Cell { badge: benefit.map(|one| badge(registers, one.situation)), ..Cell::default() },
        "loja" => text(registers.branch_name(found.branch).to_owned()),
        "tipo" => text(benefit.map(|one| words::kind(one.kind)).unwrap_or_default().to_owned()),
        "planos" => text(benefit.map(|one| plans(registers, &one.plans)).unwrap_or_default()),
        "cartao" => number(benefit.and_then(|one| one.card.as_deref()).map(shown::card).unwrap_or_default()),
        "email" => text(person.email.clone().unwrap_or_default()),
        "cidade" => {
            let parts = [person.address.city.clone(), person.address.state.clone()];
            text(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
        }
        "nascimento" => day(person.born_on.as_deref()),
        "consultor" => {
            let seller = found.consultant.and_then(|code| registers.seller_name(code));
            text(seller.unwrap_or_default().to_owned())
        }
        "cadastro" => day(Some(&found.registered_on)),
        "alteracao" => day(Some(&found.updated_on)),
        _ => Cell::default(),
    }
}

/// `Ouro (R$ 150,55), Clube (R$ 9,90)`
pub fn plans(registers: &Registers, all: &[(domain::PlanCode, i64)]) -> String {
    let named = all
        .iter()
        .filter_map(|(plan, price)| Some(format!("{} ({})", registers.plan(*plan)?.name, money(*price))));
    named.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/associados.html", |with| {
    let further = || Further { name: "chassi", label: "Chassi", mask: "", value: with.text() };
    let fixed =
        || Fixed { name: "codConsultor", value: with.text(), text: with.text(), without: with.text() };
    crate::rendered::text(&Members {
        frame: with.frame(),
        around: with.around(),
        first_column: "Associado",
        rows: with.many(|| with.row()),
        pager: with.pager(),
        problems: with.many(|| with.text()),
        name: with.text(),
        document: with.text(),
        plate: with.text(),
        situations: with.choices(),
        branches: with.choices(),
        plans: with.choices(),
        states: with.choices(),
        further: with.many(further),
        is_further: with.is_full(),
        fixed: with.many(fixed),
        is_filtered: with.is_full(),
    })
})];
