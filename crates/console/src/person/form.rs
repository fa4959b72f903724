//! The forms by which a member is written down and changed.

use super::fields::{SECTIONS, SPECS, choices, values};
use crate::form::Form;
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::records::{Problems, Values, inputs, json, typed};
use crate::sheet::{Sheet, sections, sheet};
use crate::visitor::{Guest, Number, redirect, root};
use app::once::{Done, Once};
use app::people::{self, View};
use app::{App, Error, searches};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::PersonCode;
use wire::read;
use wire::records::{AssociadoInput, PessoaInput};

const OPERATION: &str = "GET /console/associados/novo";

/// What stands in the form, and whose it is.
struct Written {
    code: Option<i32>,
    name: String,
    version: Option<i64>,
    values: Values,
    problems: Problems,
}

async fn form(app: &App, guest: &Guest, written: Written) -> Response {
    let registers = match app::base::registers(app, guest.session().scope.tenant()).await {
        Ok(registers) => registers,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let all = inputs(SPECS, &written.values, &written.problems, |name| choices(&registers, guest, name));
    let list = format!("{}/console/associados", root(app));
    let (title, back) = match written.code {
        Some(code) => (format!("Alterar {}", written.name), format!("{list}/{code}")),
        None => ("Novo associado".to_owned(), list),
    };
    let made = Sheet {
        current: "associados",
        title,
        note: String::new(),
        back,
        version: written.version,
        sections: sections(all, SECTIONS),
        problems: written.problems,
        button: "Salvar",
    };
    sheet(app, guest, made).await
}

/// `GET /console/associados/novo`
pub async fn new(State(app): State<App>, guest: Guest) -> Response {
    let written = Written {
        code: None,
        name: String::new(),
        version: None,
        values: Values::new(),
        problems: Problems::default(),
    };
    form(&app, &guest, written).await
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

/// Whoever writes down somebody new does not mean to change one who is there: he is told who it is.
async fn is_there(app: &App, guest: &Guest, document: &str) -> Result<Option<String>, Error> {
    let Ok(asked) = read::query(std::iter::once(("cpf".to_owned(), document.to_owned()))) else {
        return Ok(None);
    };
    let found = searches::rows(app, guest.session(), asked, OPERATION).await?;
    Ok(found.rows.first().map(|row| row.person.name.clone()))
}

async fn created(app: &App, guest: &Guest, values: &Values) -> Result<Result<PersonCode, Problems>, Error> {
    let input = match read::body::<PessoaInput>(&record(values, None)) {
        Ok(input) => input,
        Err(unread) => return Ok(Err(Problems::new(unread.problems.into_lines(), SPECS))),
    };
    if let Some(name) = is_there(app, guest, &input.document.to_string()).await? {
        let mut problems = Problems::default();
        problems.put("cpfCnpj", format!("Já é o documento de {name}; procure por ele na busca."));
        return Ok(Err(problems));
    }
    match people::save(app, guest.session(), input, Once::each_time()).await.and_then(Done::now) {
        Ok(saved) => Ok(Ok(saved.code)),
        Err(Error::Refused(problems)) => Ok(Err(Problems::refused(&problems, SPECS))),
        Err(error) => Err(error),
    }
}

/// `POST /console/associados/novo`
pub async fn create(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = typed(SPECS, &sent);
    match created(&app, &guest, &values).await {
        Ok(Ok(code)) => {
            let mut response = redirect(&format!("{}/console/associados/{code}", root(&app)));
            tell(&mut response, "Associado salvo. O próximo passo é o primeiro benefício dele.");
            response
        }
        Ok(Err(problems)) => {
            form(&app, &guest, Written { code: None, name: String::new(), version: None, values, problems })
                .await
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// `GET /console/associados/{codigo}/alterar`
pub async fn edit(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let view = match people::member_whole(&app, guest.session(), PersonCode::new(code)).await {
        Ok(view) => view,
        Err(error) => return show::<super::Person>(&guest, Err(error)),
    };
    let written = Written {
        code: Some(code),
        name: view.profile.name.clone(),
        version: Some(view.profile.version),
        values: values(&view),
        problems: Problems::default(),
    };
    form(&app, &guest, written).await
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
        Err(error) => return show::<super::Person>(&guest, Err(error)),
    };
    let problems = match read::body::<AssociadoInput>(&record(&values, Some((&view, version)))) {
        Err(unread) => Problems::new(unread.problems.into_lines(), SPECS),
        Ok(input) => {
            match people::change_member(&app, guest.session(), person, input, Once::each_time()).await {
                Ok(_) => {
                    let mut response = redirect(&format!("{}/console/associados/{code}", root(&app)));
                    tell(&mut response, "As alterações foram salvas.");
                    return response;
                }
                Err(Error::Refused(problems)) => Problems::refused(&problems, SPECS),
                Err(error) => return show::<super::Person>(&guest, Err(error)),
            }
        }
    };
    let name = sent.text("nomePessoa").to_owned();
    let written = Written { code: Some(code), name, version: version.parse().ok(), values, problems };
    form(&app, &guest, written).await
}
