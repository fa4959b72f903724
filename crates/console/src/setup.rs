//! `/console/comecar`: the first page of an empty server, by the link that was printed at its start.

use crate::entering::admitted;
use crate::form::Form;
use crate::page::{Refusal, page};
use crate::records::Problems;
use crate::visitor::{Sender, redirect, root};
use app::setup::{self, SetupLink, Wanted};
use app::{App, Error, visits};
use askama::Template;
use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Password, Rejection};

#[derive(Template)]
#[template(path = "console/comecar.html")]
struct Begin<'p> {
    root: String,
    wanted: &'p Wanted,
    problems: Problems,
    shortest: usize,
    longest: usize,
}

/// What a refusal calls a field, and what the page does.
const FIELDS: [(&str, &str); 5] = [
    ("nome", "associacao"),
    ("codLoja", "loja"),
    ("nomePessoa", "nome"),
    ("email", "email"),
    ("senha", "senha"),
];

fn shown(app: &App, wanted: &Wanted, problems: Problems) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let (shortest, longest) = (Password::SHORTEST, Password::LONGEST);
    page(status, &Begin { root: root(app), wanted, problems, shortest, longest })
}

fn code(path: &RawPathParams) -> &str {
    path.iter().find(|(name, _)| *name == "codigo").map_or("", |(_, value)| value)
}

/// Why a link does not lead to the form, with the way on.
#[derive(Template)]
#[template(path = "console/comecar_depois.html")]
struct NotHere {
    root: String,
    is_done: bool,
}

/// Told to whoever sent the form although there is nothing to set up by this link: who sent it twice, say.
fn not_here(app: &App, is_done: bool) -> Response {
    let status = if is_done { StatusCode::OK } else { StatusCode::GONE };
    page(status, &NotHere { root: root(app), is_done })
}

/// The answer to a link that does not lead to the form.
async fn turned(app: &App, path: &RawPathParams) -> Option<Response> {
    match setup::look_at_link(app, code(path)).await {
        Ok(SetupLink::Open) => None,
        Ok(SetupLink::Done) => Some(redirect(&format!("{}/console/entrar", root(app)))),
        Ok(SetupLink::Expired) => Some(not_here(app, false)),
        Err(error) => Some(Refusal::from(&error).into_response()),
    }
}

pub async fn form(State(app): State<App>, path: RawPathParams) -> Response {
    if let Some(response) = turned(&app, &path).await {
        return response;
    }
    let none = String::new;
    let wanted = Wanted {
        association: none(),
        branch: "Matriz".to_owned(),
        name: none(),
        email: none(),
        password: none(),
    };
    shown(&app, &wanted, Problems::default())
}

pub async fn found(
    State(app): State<App>,
    path: RawPathParams,
    sender: Sender,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    match setup::look_at_link(&app, code(&path)).await {
        Ok(SetupLink::Open) => {}
        Ok(link) => return not_here(&app, link == SetupLink::Done),
        Err(error) => return Refusal::from(&error).into_response(),
    }
    let text = |name: &str| form.text(name).trim().to_owned();
    let wanted = Wanted {
        association: text("associacao"),
        branch: text("loja"),
        name: text("nome"),
        email: text("email"),
        password: form.text("senha").to_owned(),
    };
    if form.text("senha") != form.text("repetida") {
        let mut problems = Problems::default();
        problems.add("repetida", "As duas senhas não são iguais; digite-as de novo.".to_owned());
        return shown(&app, &wanted, problems);
    }
    match setup::found(&app, code(&path), &wanted).await {
        Ok(_) => {}
        Err(Error::Refused(problems)) if problems == [Rejection::BadSetupLink] => {
            return not_here(&app, true);
        }
        Err(Error::Refused(problems)) => {
            return shown(
                &app,
                &wanted,
                Problems::renamed(problems.iter().map(wire::refusal::text).collect(), &FIELDS),
            );
        }
        Err(error) => return Refusal::from(&error).into_response(),
    }
    let from = (sender.address, sender.agent.as_deref());
    match visits::enter(&app, &wanted.email, &wanted.password, from).await {
        Ok(admission) => {
            let said = "Pronto: a associação está criada, e você é o administrador.";
            admitted(&app, admission, "/console", Some(said))
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/comecar_depois.html", |_| {
        crate::rendered::text(&NotHere { root: String::new(), is_done: true })
    }),
    ("console/comecar.html", |with| {
        let wanted = Wanted {
            association: with.text(),
            branch: with.text(),
            name: with.text(),
            email: with.text(),
            password: with.text(),
        };
        let problems = Problems::renamed(
            FIELDS.iter().map(|(name, _)| format!("{name}: {}", with.text())).collect(),
            &FIELDS,
        );
        crate::rendered::text(&Begin {
            root: String::new(),
            wanted: &wanted,
            problems,
            shortest: 10,
            longest: 256,
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Field;

    #[test]
    fn what_is_wrong_stands_beside_its_field() {
        let missing = [Field::Name, Field::Branch, Field::PersonName, Field::Email].map(Rejection::Missing);
        let problems = Problems::renamed(missing.iter().map(wire::refusal::text).collect(), &FIELDS);
        for field in ["associacao", "loja", "nome", "email"] {
            assert!(problems.of(field).is_some(), "{field}: {:?}", problems.others);
        }
        let short = Rejection::PasswordLength { shortest: 10, longest: 256 };
        assert!(Problems::renamed(vec![wire::refusal::text(&short)], &FIELDS).of("senha").is_some());
    }
}
