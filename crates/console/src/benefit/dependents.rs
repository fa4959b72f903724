//! The dependents of a benefit: written down, changed, and put out of force, which can be taken back at once.

use super::{fields::named, what};
use crate::form::Form;
use crate::notice::{Undo, tell, tell_undo};
use crate::page::{Refusal, show};
use crate::records::{Problems, Spec, Values, inputs, json, typed};
use crate::sheet::{Sheet, sheet};
use crate::visitor::{Guest, Number, Part, redirect, root};
use crate::words;
use app::benefits;
use app::dependents::{self, Dependent};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{BenefitCode, DependentCode, Kinship, Sex, shown};
use serde_json::Value;
use wire::names;
use wire::read;
use wire::records::DependenteInput;

const SPECS: &[Spec] = &[
    Spec::text("nome", "Nome", 200),
    Spec::choice("parentesco", "O que é do titular"),
    Spec::masked("cpf", "CPF", "documento"),
    Spec::masked("dataNascimento", "Data de nascimento", "data"),
    Spec::choice("sexo", "Sexo"),
    Spec::text("identidade", "Identidade (RG)", 30),
    Spec::masked("telefone", "Telefone", "telefone"),
    Spec::text("email", "E-mail", 254),
    Spec::masked("numeroCartaoDesconto", "Número do cartão", "cartao")
        .hinted("Em branco num dependente novo, o sistema cria um."),
];

fn choices(name: &str) -> Vec<(String, String)> {
    match name {
        "parentesco" => named(Kinship::ALL, names::kinship, words::kinship),
        "sexo" => named(Sex::ALL, names::sex, names::sex),
        _ => Vec::new(),
    }
}

fn values(one: &Dependent) -> Values {
    let own = |value: Option<String>| value.unwrap_or_default();
    Values::from([
        ("nome", one.name.clone()),
        ("parentesco", names::kinship(one.kinship).to_owned()),
        ("cpf", own(one.cpf.as_ref().map(ToString::to_string))),
        ("dataNascimento", own(one.born_on.as_deref().map(shown::day))),
        ("sexo", one.sex.map(names::sex).unwrap_or_default().to_owned()),
        ("identidade", own(one.identity_number.clone())),
        ("telefone", own(one.phone.as_ref().map(ToString::to_string))),
        ("email", own(one.email.as_ref().map(ToString::to_string))),
        ("numeroCartaoDesconto", own(one.card.as_ref().map(ToString::to_string))),
    ])
}

/// The dependent of this code; one of another benefit is not there.
async fn find(app: &App, guest: &Guest, benefit: i32, code: i32) -> Result<Dependent, Error> {
    let code = DependentCode::new(code);
    let all = dependents::list(app, guest.session(), BenefitCode::new(benefit)).await?;
    let found = all.rows.into_iter().find(|(own, _)| *own == code);
    found.map(|(_, one)| one).ok_or(Error::NoSuch { field: domain::Field::Benefit, code: code.get() })
}

/// What stands in the form, and by which version of the benefit.
struct Written {
    code: Option<i32>,
    values: Values,
    problems: Problems,
    version: Option<i64>,
}

async fn form(app: &App, guest: &Guest, benefit: i32, written: Written) -> Response {
    let view = match benefits::whole(app, guest.session(), BenefitCode::new(benefit)).await {
        Ok(view) => view,
        Err(error) => return show::<super::Page>(guest, Err(error)),
    };
    let Written { code, values, problems, version } = written;
    let made = Sheet {
        current: "beneficios",
        title: match code {
            Some(_) => format!("Alterar {}", values.get("nome").map_or("", String::as_str)),
            None => "Novo dependente".to_owned(),
        },
        note: format!("{}, de {}", what(&view.registers, &view.benefit), view.holder.name),
        back: format!("{}/console/beneficios/{benefit}", root(app)),
        version: version.or(Some(view.benefit.version)),
        sections: vec![("Dependente".to_owned(), inputs(SPECS, &values, &problems, choices))],
        problems,
        button: "Salvar",
    };
    sheet(app, guest, made).await
}

/// `GET /console/beneficios/{codigo}/dependentes`
pub async fn new(State(app): State<App>, guest: Guest, Number(benefit): Number) -> Response {
    let written = Written { code: None, values: Values::new(), problems: Problems::default(), version: None };
    form(&app, &guest, benefit, written).await
}

/// `GET /console/beneficios/{codigo}/dependentes/{parte}`
pub async fn edit(State(app): State<App>, guest: Guest, Part(benefit, code): Part) -> Response {
    match find(&app, &guest, benefit, code).await {
        Ok(one) => {
            let (values, problems) = (values(&one), Problems::default());
            form(&app, &guest, benefit, Written { code: Some(code), values, problems, version: None }).await
        }
        Err(error) => show::<super::Page>(&guest, Err(error)),
    }
}

/// `POST /console/beneficios/{codigo}/dependentes`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Number(benefit): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    match sent {
        Ok(sent) => write(&app, &guest, (benefit, None), &sent).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// `POST /console/beneficios/{codigo}/dependentes/{parte}`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Part(benefit, code): Part,
    sent: Result<Form, Refusal>,
) -> Response {
    match sent {
        Ok(sent) => write(&app, &guest, (benefit, Some(code)), &sent).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// The record of a dependent: he is always written whole.
fn record(values: &Values, benefit: i32, code: Option<i32>, active: Option<bool>) -> Vec<u8> {
    let mut further: Vec<(&str, Value)> = vec![("codBeneficio", benefit.into())];
    further.extend(code.map(|code| ("codDependente", code.into())));
    further.extend(active.map(|active| ("ativo", active.into())));
    let mut values = values.clone();
    if code.is_none() {
        values.retain(|_, text| !text.is_empty());
    }
    json(&values, &further)
}

async fn write(app: &App, guest: &Guest, (benefit, code): (i32, Option<i32>), sent: &Form) -> Response {
    let values = typed(SPECS, sent);
    let version = sent.text("versao").parse().ok();
    let problems = match read::body::<DependenteInput>(&record(&values, benefit, code, None)) {
        Err(unread) => Problems::new(unread.problems.into_lines(), SPECS),
        Ok(input) => {
            // A new one takes nothing away from anybody, whatever happened to the benefit meanwhile.
            let seen = version.filter(|_| code.is_some());
            match dependents::save_seen(app, guest.session(), (input, seen), Once::each_time()).await {
                Ok(_) => {
                    let mut response = redirect(&format!("{}/console/beneficios/{benefit}", root(app)));
                    tell(&mut response, "Dependente salvo.");
                    return response;
                }
                Err(Error::Refused(problems)) => Problems::refused(&problems, SPECS),
                Err(error) => return show::<super::Page>(guest, Err(error)),
            }
        }
    };
    form(app, guest, benefit, Written { code, values, problems, version }).await
}

/// `POST /console/beneficios/{codigo}/dependentes/{parte}/estado`: in or out of force.
pub async fn turn(
    State(app): State<App>,
    guest: Guest,
    Part(benefit, code): Part,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let one = match find(&app, &guest, benefit, code).await {
        Ok(one) => one,
        Err(error) => return show::<super::Page>(&guest, Err(error)),
    };
    let active = sent.text("ativo") == "true";
    let mut response = redirect(&format!("{}{}", root(&app), crate::visitor::inside(sent.text("para"))));
    if sent.text("para").is_empty() {
        response = redirect(&format!("{}/console/beneficios/{benefit}", root(&app)));
    }
    let Ok(input) = read::body::<DependenteInput>(&record(&values(&one), benefit, Some(code), Some(active)))
    else {
        tell(&mut response, "Nada mudou: abra o dependente e confira os dados dele.");
        return response;
    };
    match dependents::save(&app, guest.session(), input, Once::each_time()).await.and_then(Done::now) {
        Ok(saved) => {
            let now = if active { "ativo de novo" } else { "inativo" };
            let action = format!("/console/beneficios/{benefit}/dependentes/{code}/estado");
            let back = if active { "false" } else { "true" };
            let undo = Undo::new(action, &[("ativo", back), ("para", sent.text("para"))]);
            tell_undo(&mut response, &format!("{} está {now}.", saved.dependent.name), &undo);
        }
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(wire::refusal::sentence).collect();
            tell(&mut response, &format!("Nada mudou: {}", problems.join(" ")));
        }
        Err(error) => return show::<super::Page>(&guest, Err(error)),
    }
    response
}
