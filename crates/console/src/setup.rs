//! `/console/comecar`: the first page of an empty server, by the link that was printed at its start.

use crate::form::Form;
use crate::page::{Refusal, page};
use crate::visitor::{Sender, redirect, root, set_session, tell};
use app::access::TOKEN_LIFE;
use app::setup::{self, Wanted};
use app::{App, Error, visits};
use askama::Template;
use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::Password;

#[derive(Template)]
#[template(path = "console/comecar.html")]
struct Begin<'p> {
    root: String,
    wanted: &'p Wanted,
    problems: Vec<String>,
    shortest: usize,
    longest: usize,
}

fn shown(app: &App, wanted: &Wanted, problems: Vec<String>) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let (shortest, longest) = (Password::SHORTEST, Password::LONGEST);
    page(status, &Begin { root: root(app), wanted, problems, shortest, longest })
}

fn code(path: &RawPathParams) -> &str {
    path.iter().find(|(name, _)| *name == "codigo").map_or("", |(_, value)| value)
}

/// Whoever comes with a link that is used up goes to the door.
async fn turned(app: &App, path: &RawPathParams) -> Option<Response> {
    match setup::is_open(app, code(path)).await {
        Ok(true) => None,
        Ok(false) => Some(redirect(&format!("{}/console/entrar", root(app)))),
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
    shown(&app, &wanted, Vec::new())
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
    if let Some(response) = turned(&app, &path).await {
        return response;
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
        return shown(&app, &wanted, vec!["As duas senhas não são iguais; digite-as de novo.".to_owned()]);
    }
    match setup::found(&app, &wanted).await {
        Ok(_) => {}
        Err(Error::Refused(problems)) => {
            return shown(&app, &wanted, problems.iter().map(wire::refusal::text).collect());
        }
        Err(error) => return Refusal::from(&error).into_response(),
    }
    let from = (sender.address, sender.agent.as_deref());
    match visits::enter(&app, &wanted.email, &wanted.password, from).await {
        Ok(entered) => {
            let mut response = redirect(&format!("{}/console", root(&app)));
            set_session(&mut response, &entered.token, TOKEN_LIFE.as_secs());
            tell(&mut response, "Pronto: a associação está criada, e você é o administrador.");
            response
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}
