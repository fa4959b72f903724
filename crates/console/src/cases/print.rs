//! The protocol of a case, to be printed and handed out.

use super::{Kind, Words, fields, one, words};
use crate::frame::Frame;
use crate::members::badge;
use crate::page::show;
use crate::show::moment;
use crate::visitor::{Guest, Number};
use app::{App, Error, cases};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{CaseKind, shown};

#[derive(Template)]
#[template(path = "console/caso_protocolo.html")]
struct Protocol {
    frame: Frame,
    words: Words,
    code: i32,
    protocol: i32,
    holder: String,
    document: String,
    benefit: String,
    situation: String,
    /// When it was printed.
    now: String,
    head: Vec<(&'static str, String)>,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    words_of: Option<String>,
}

/// `GET /console/eventos/{codigo}/imprimir`
pub async fn page(State(app): State<App>, guest: Guest, Kind(kind): Kind, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, kind, code).await)
}

async fn made(app: &App, guest: &Guest, kind: CaseKind, code: i32) -> Result<Protocol, Error> {
    let words = words(kind);
    let whole = cases::one(app, guest.session(), kind, code).await?;
    let frame = Frame::of(app, guest, words.path).await?;
    let (facts, vehicle, words_of) = fields::told(&whole);
    let head = whole.told.case.head();
    Ok(Protocol {
        code,
        protocol: head.protocol,
        holder: whole.told.name.clone(),
        document: whole.told.document.as_deref().map(shown::document).unwrap_or_default(),
        benefit: whole.benefit.clone().unwrap_or_default(),
        situation: badge(&whole.registers, head.situation).name,
        now: moment(whole.now, &whole.registers.zone),
        head: one::about(&whole),
        facts,
        vehicle,
        words_of,
        frame,
        words,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/caso_protocolo.html", |with| {
    crate::rendered::text(&Protocol {
        frame: with.frame(),
        words: words(CaseKind::Claim),
        code: 7,
        protocol: 4711,
        holder: with.text(),
        document: with.text(),
        benefit: with.text(),
        situation: with.text(),
        now: with.text(),
        head: with.facts(),
        facts: with.facts(),
        vehicle: with.facts(),
        words_of: with.maybe(|| with.text()),
    })
})];
