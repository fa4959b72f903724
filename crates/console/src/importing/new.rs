//! The first step: what the file holds, and the file.

use super::{PLACE, by, told, words};
use crate::frame::Frame;
use crate::page::{Refusal, page, refused, show};
use crate::show::count;
use crate::upload::{Part, Upload};
use crate::visitor::{Guest, Query, redirect, root};
use app::importing::{self, MOST_LINES, Spool};
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::ImportKind;
use std::time::Duration;
use wire::sheet::{kind_from, kind_name};

/// A sender who takes longer for the largest file sends it by a line that will not do.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// Longer than any text of this form.
const LONGEST: usize = 200;

struct Card {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "console/importacao_nova.html")]
struct New {
    frame: Frame,
    cards: Vec<Card>,
    most_mib: u64,
    most_lines: String,
    /// What is wrong with the choice of the kind, and with the file.
    kind_problem: Option<String>,
    file_problem: Option<String>,
}

#[derive(Default)]
struct Wrong {
    kind: Option<String>,
    file: Option<String>,
}

/// `GET /console/importar/novo`
pub async fn form(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, kind_from(query.text("tipo")), Wrong::default()).await)
}

/// The kinds that somebody may bring.
fn kinds(is_admin: bool) -> impl Iterator<Item = ImportKind> {
    let all = ImportKind::ALL.iter().copied();
    all.filter(move |kind| is_admin || !matches!(kind, ImportKind::Plans | ImportKind::Sellers))
}

async fn made(app: &App, guest: &Guest, chosen: Option<ImportKind>, wrong: Wrong) -> Result<New, Error> {
    let card = |kind| {
        let words = words(kind);
        Card {
            name: kind_name(kind),
            title: words.title,
            about: words.about,
            is_chosen: chosen == Some(kind),
        }
    };
    Ok(New {
        frame: Frame::of(app, guest, PLACE).await?,
        cards: kinds(guest.is_admin()).map(card).collect(),
        most_mib: app.import_mib,
        most_lines: count(i64::from(MOST_LINES)),
        kind_problem: wrong.kind,
        file_problem: wrong.file,
    })
}

/// The form once more, with what was chosen and what is wrong beside it.
async fn again(app: &App, guest: &Guest, kind: Option<ImportKind>, wrong: Wrong) -> Response {
    match made(app, guest, kind, wrong).await {
        Ok(form) => page(StatusCode::BAD_REQUEST, &form),
        Err(error) => refused(guest, &error),
    }
}

/// What a form brought.
#[derive(Default)]
struct Brought {
    kind: Option<ImportKind>,
    file: Option<(String, Result<Spool, Error>)>,
}

/// `POST /console/importar/novo`
pub async fn receive(State(app): State<App>, guest: Guest, sent: Result<Upload, Refusal>) -> Response {
    let upload = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let brought = match tokio::time::timeout(PATIENCE, read(upload, app.import_mib * 1024 * 1024)).await {
        Err(_) => return Refusal::Unreadable.into_response(),
        Ok(Err(refusal)) => return refusal.into_response(),
        Ok(Ok(brought)) => brought,
    };
    let no_kind = || Some("Escolha o que a planilha traz.".to_owned());
    let (kind, name, spool) = match (brought.kind, brought.file) {
        (Some(kind), Some((name, Ok(spool)))) => (kind, name, spool),
        (kind, Some((_, Err(Error::Refused(problems))))) => {
            let wrong = Wrong {
                kind: if kind.is_none() { no_kind() } else { None },
                file: Some(told(&problems).join(" ")),
            };
            return again(&app, &guest, kind, wrong).await;
        }
        (_, Some((_, Err(error)))) => return refused(&guest, &error),
        (kind, file) => {
            let no_file = match &file {
                None => "Escolha o arquivo da planilha.",
                Some(_) => "O arquivo chegou bem, mas o navegador pede que você o escolha de novo.",
            };
            let wrong =
                Wrong { kind: if kind.is_none() { no_kind() } else { None }, file: Some(no_file.to_owned()) };
            return again(&app, &guest, kind, wrong).await;
        }
    };
    let received = importing::receive(&app, &by(&guest), kind, &name, spool, Once::each_time()).await;
    match received.and_then(Done::now) {
        Ok(import) => redirect(&format!("{}/console/importar/{}/colunas", root(&app), import.code)),
        Err(Error::Refused(problems)) => {
            let wrong = Wrong { kind: None, file: Some(told(&problems).join(" ")) };
            again(&app, &guest, Some(kind), wrong).await
        }
        Err(error) => refused(&guest, &error),
    }
}

async fn read(mut upload: Upload, most: u64) -> Result<Brought, Refusal> {
    let mut brought = Brought::default();
    while let Some(part) = upload.next().await? {
        match (part.name(), part.file_name()) {
            (Some("tipo"), _) => brought.kind = kind_from(&short(part).await?),
            (Some("arquivo"), Some(name)) if brought.file.is_none() => {
                brought.file = Some((name, spooled(part, most).await?));
            }
            _ => {}
        }
    }
    Ok(brought)
}

/// A text, which is short.
async fn short(mut part: Part) -> Result<String, Refusal> {
    let mut text = Vec::new();
    while let Some(bytes) = part.chunk().await? {
        text.extend_from_slice(&bytes);
        if text.len() > LONGEST {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The file to its end, also where it is too large and thrown away.
async fn spooled(mut part: Part, most: u64) -> Result<Result<Spool, Error>, Refusal> {
    let mut spool = match importing::spool(most) {
        Ok(spool) => spool,
        Err(error) => return Ok(Err(error)),
    };
    let mut thrown_away = 0;
    let mut refused = None;
    while let Some(bytes) = part.chunk().await? {
        match refused {
            None => refused = spool.write(&bytes).err(),
            // A browser shows no answer before it has sent everything; what has no end is not waited for.
            Some(_) => thrown_away += bytes.len() as u64,
        }
        if thrown_away > most {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(refused.map_or(Ok(spool), Err))
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/importacao_nova.html", |with| {
    let card = || Card { name: "associados", title: "Associados", about: "Pessoas.", is_chosen: true };
    crate::rendered::text(&New {
        frame: with.frame(),
        cards: with.many(card),
        most_mib: 100,
        most_lines: "500.000".to_owned(),
        kind_problem: with.maybe(|| with.text()),
        file_problem: with.maybe(|| with.text()),
    })
})];
