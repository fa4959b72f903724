//! A file by itself: a picture large, anything else by what is known of it. Its bytes are handed over, never shown as a page.

use super::{at, kind, size};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::{Undo, tell, tell_undo};
use crate::page::{Refusal, refused, show};
use crate::show::moment;
use crate::visitor::{Guest, Number, redirect, root};
use app::files::{self, Owner, Part, Stream};
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{FileCode, FileOwner};
use wire::{attachment, refusal};

#[derive(Template)]
#[template(path = "console/arquivo.html")]
struct Page {
    frame: Frame,
    code: i32,
    name: String,
    is_picture: bool,
    measures: Option<(i32, i32)>,
    facts: Vec<(&'static str, String)>,
    /// The way back to its record, as it is called, and where that is.
    record: String,
    link: String,
    is_changeable: bool,
    is_removed: bool,
}

/// `GET /console/arquivos/{codigo}`
pub async fn page(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, FileCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, code: FileCode) -> Result<Page, Error> {
    let told = files::one(app, guest.session(), code).await?;
    let (file, zone) = (&told.file, &told.registers.zone);
    let owner = Owner { of: file.owner, record: file.record };
    let (current, word) = match file.owner {
        FileOwner::Claim => ("eventos", "ao evento"),
        FileOwner::Inspection => ("vistorias", "à vistoria"),
        FileOwner::Ticket => ("help-desk", "ao chamado"),
        FileOwner::Member => ("associados", "ao associado"),
    };
    let measures = file.measures.map(|(width, height)| format!("{width} × {height} pixels"));
    let facts = crate::benefit::filled(vec![
        ("Tipo", kind(file.kind).to_owned()),
        ("Tamanho", size(file.size)),
        ("Dimensões", measures.unwrap_or_default()),
        ("Anexado em", moment(file.created_at, zone)),
        ("Por", file.author.clone().unwrap_or_default()),
        ("Removido em", file.removed.map(|(at, _)| moment(at, zone)).unwrap_or_default()),
    ]);
    let frame = Frame::of(app, guest, current).await?;
    Ok(Page {
        code: code.get(),
        name: file.name.clone(),
        is_picture: file.kind.is_picture(),
        measures: file.measures,
        facts,
        record: format!("{word} {}", file.record),
        link: format!("{}{}", frame.root, at(owner)),
        is_changeable: told.is_changeable,
        is_removed: file.removed.is_some(),
        frame,
    })
}

/// `GET /console/arquivos/{codigo}/conteudo`
pub async fn content(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    sent(&app, &guest, FileCode::new(code), Part::Data).await
}

/// `GET /console/arquivos/{codigo}/miniatura`
pub async fn preview(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    sent(&app, &guest, FileCode::new(code), Part::Preview).await
}

async fn sent(app: &App, guest: &Guest, code: FileCode, part: Part) -> Response {
    let (file, Stream { size, bytes }) = match files::open(app, guest.session(), code, part).await {
        Ok((file, Some(stream))) => (file, stream),
        Ok((_, None)) => return Refusal::NotThere.into_response(),
        Err(error) => return refused(guest, &error),
    };
    let (kind, name) = match part {
        Part::Data => (file.kind.media_type(), file.name),
        Part::Preview => ("image/jpeg", format!("miniatura-{code}.jpg")),
    };
    let mut response = Body::from_stream(bytes).into_response();
    let headers = response.headers_mut();
    for (name, value) in attachment::HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, size.into());
    if let Ok(text) = HeaderValue::try_from(attachment::disposition(&name)) {
        headers.insert(header::CONTENT_DISPOSITION, text);
    }
    response
}

/// `POST /console/arquivos/{codigo}/remover`
pub async fn remove(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = form {
        return refusal.into_response();
    }
    let code = FileCode::new(code);
    let removed = files::remove(&app, guest.session(), code, None, Once::each_time()).await;
    match removed.and_then(Done::now) {
        Ok(told) => {
            let mut response = back(&app, &told);
            let undo = Undo::new(format!("/console/arquivos/{code}/restaurar"), &[]);
            tell_undo(&mut response, &format!("{} foi removido.", told.file.name), &undo);
            response
        }
        Err(error) => unchanged(&app, &guest, code, &error),
    }
}

/// `POST /console/arquivos/{codigo}/restaurar`
pub async fn restore(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = form {
        return refusal.into_response();
    }
    let code = FileCode::new(code);
    let restored = files::restore(&app, guest.session(), code, None, Once::each_time()).await;
    match restored.and_then(Done::now) {
        Ok(told) => {
            let mut response = back(&app, &told);
            tell(&mut response, &format!("{} voltou.", told.file.name));
            response
        }
        Err(error) => unchanged(&app, &guest, code, &error),
    }
}

fn back(app: &App, told: &files::Told) -> Response {
    let owner = Owner { of: told.file.owner, record: told.file.record };
    redirect(&format!("{}{}#arquivos", root(app), at(owner)))
}

/// The page of the file, which says why nothing was done.
fn unchanged(app: &App, guest: &Guest, code: FileCode, error: &Error) -> Response {
    let Error::Refused(problems) = error else { return refused(guest, error) };
    let mut response = redirect(&format!("{}/console/arquivos/{code}", root(app)));
    let why: Vec<String> = problems.iter().map(refusal::sentence).collect();
    tell(&mut response, &format!("Nada mudou: {}", why.join(" ")));
    response
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/arquivo.html", |with| {
    crate::rendered::text(&Page {
        frame: with.frame(),
        code: 7,
        name: with.text(),
        is_picture: with.is_full(),
        measures: with.maybe(|| (4000, 3000)),
        facts: with.facts(),
        record: with.text(),
        link: with.text(),
        is_changeable: true,
        is_removed: with.is_full(),
    })
})];
