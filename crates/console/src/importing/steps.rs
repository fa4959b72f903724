//! What is asked of an import: begin, rest, go on, be taken back. What cannot be done is said on its page.

use super::one::{at, with_problems};
use super::{by, told};
use crate::form::Form;
use crate::notice::tell;
use crate::page::{Refusal, refused};
use crate::visitor::{Guest, Number, redirect, root};
use app::importing::{self, Import};
use app::once::{Done, Once};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::ImportCode;

type Asked = Result<Form, Refusal>;

/// `POST /console/importar/{codigo}/iniciar`
pub async fn start(State(app): State<App>, guest: Guest, Number(code): Number, sent: Asked) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let triggers = sent.text("gatilhos") == "sim";
    let done = importing::start(&app, &by(&guest), ImportCode::new(code), triggers, Once::each_time()).await;
    Box::pin(answered(&app, &guest, code, done, "")).await
}

/// `POST /console/importar/{codigo}/pausar`
pub async fn pause(State(app): State<App>, guest: Guest, Number(code): Number, sent: Asked) -> Response {
    if let Err(refusal) = sent {
        return refusal.into_response();
    }
    let done = importing::pause(&app, &by(&guest), ImportCode::new(code), Once::each_time()).await;
    Box::pin(answered(
        &app,
        &guest,
        code,
        done,
        "A importação está em pausa. O que já entrou continua no lugar.",
    ))
    .await
}

/// `POST /console/importar/{codigo}/retomar`
pub async fn resume(State(app): State<App>, guest: Guest, Number(code): Number, sent: Asked) -> Response {
    if let Err(refusal) = sent {
        return refusal.into_response();
    }
    let done = importing::resume(&app, &by(&guest), ImportCode::new(code), Once::each_time()).await;
    Box::pin(answered(&app, &guest, code, done, "A importação continua de onde parou.")).await
}

/// `POST /console/importar/{codigo}/desfazer`
pub async fn undo(State(app): State<App>, guest: Guest, Number(code): Number, sent: Asked) -> Response {
    if let Err(refusal) = sent {
        return refusal.into_response();
    }
    let done = importing::undo(&app, &by(&guest), ImportCode::new(code), Once::each_time()).await;
    Box::pin(answered(&app, &guest, code, done, "")).await
}

async fn answered(
    app: &App,
    guest: &Guest,
    code: i32,
    done: Result<Done<Import>, Error>,
    said: &str,
) -> Response {
    match done.and_then(Done::now) {
        Ok(_) => {
            let mut response = redirect(&at(&root(app), code));
            if !said.is_empty() {
                tell(&mut response, said);
            }
            response
        }
        Err(Error::Refused(problems)) => with_problems(app, guest, code, told(&problems)).await,
        Err(error) => refused(guest, &error),
    }
}
