//! A deal goes to another stage, is lost, or is opened again.

use super::deal::{Typed, again};
use crate::form::Form;
use crate::notice::tell;
use crate::page::{Refusal, refused};
use crate::records::told;
use crate::visitor::{Guest, Number, redirect, root};
use app::deals::{self, Managed};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::DealCode;
use serde_json::json;
use wire::read;

/// What was done, or why nothing was.
pub type Made = Result<String, Vec<String>>;

pub fn made(done: Result<Done<Managed>, Error>, told_of: impl Fn(&Managed) -> String) -> Result<Made, Error> {
    match done.and_then(Done::now) {
        Ok(managed) => Ok(Ok(told_of(&managed))),
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(told).collect())),
        Err(error) => Err(error),
    }
}

pub async fn to_stage(
    app: &App,
    guest: &Guest,
    code: DealCode,
    (stage, version): (&str, &str),
) -> Result<Made, Error> {
    let sent = json!({"codEtapa": stage, "versao": version}).to_string();
    let Ok(input) = read::body(sent.as_bytes()) else {
        return Ok(Err(vec!["Escolha a etapa.".to_owned()]));
    };
    let done = deals::move_to(app, guest.session(), code, input, Once::each_time()).await;
    made(done, |managed| {
        let stage = super::stage(&managed.registers, managed.found.deal.stage).name;
        format!("{} agora está em {stage}.", managed.found.name)
    })
}

fn back(app: &App, guest: &Guest, code: i32, made: Result<Made, Error>) -> Response {
    match made {
        Ok(made) => {
            let mut response = redirect(&format!("{}/console/vendas/{code}", root(app)));
            tell(&mut response, &made.unwrap_or_else(|problems| problems.join(" ")));
            response
        }
        Err(error) => refused(guest, &error),
    }
}

/// `POST /console/vendas/{codigo}/etapa`
pub async fn stage(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let wish = (form.text("codEtapa"), form.text("versao"));
    let made = to_stage(&app, &guest, DealCode::new(code), wish).await;
    back(&app, &guest, code, made)
}

/// `POST /console/vendas/{codigo}/perder`
pub async fn lose(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let (deal, reason) = (DealCode::new(code), form.text("motivo").trim());
    let sent = json!({"motivo": reason, "versao": form.text("versao")}).to_string();
    let made = match read::body(sent.as_bytes()) {
        Err(_) => Ok(Err(vec!["Diga por que o negócio foi perdido.".to_owned()])),
        Ok(input) => {
            let done = deals::lose(&app, guest.session(), deal, input, Once::each_time()).await;
            made(done, |_| "Negócio perdido. Ele pode ser reaberto quando a pessoa voltar.".to_owned())
        }
    };
    match made {
        Ok(Err(problems)) => {
            let typed = Typed { reason: Some(reason.to_owned()), problems, ..Typed::default() };
            again(&app, &guest, deal, typed).await
        }
        made => back(&app, &guest, code, made),
    }
}

/// `POST /console/vendas/{codigo}/reabrir`
pub async fn reopen(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let sent = json!({"versao": form.text("versao")}).to_string();
    let made = match read::body(sent.as_bytes()) {
        Err(_) => return Refusal::Unreadable.into_response(),
        Ok(input) => {
            let done =
                deals::reopen(&app, guest.session(), DealCode::new(code), input, Once::each_time()).await;
            made(done, |_| "Negócio reaberto.".to_owned())
        }
    };
    back(&app, &guest, code, made)
}
