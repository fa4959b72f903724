//! `/console/busca`: one search for everything. A single match opens at once.

use crate::frame::Frame;
use crate::members::{Row, row};
use crate::page::{Refusal, page, show};
use crate::show::count;
use crate::visitor::{Guest, Query, redirect, root};
use app::{App, Error, find};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::collections::BTreeSet;

#[derive(Template)]
#[template(path = "console/busca.html")]
struct Finds {
    frame: Frame,
    rows: Vec<Row>,
    claims: Vec<String>,
    total: String,
    has_more: bool,
    more: String,
}

pub async fn search(State(app): State<App>, guest: Guest, query: Query) -> Response {
    let text: String = query.text("q").chars().take(200).collect();
    let found = match find::find(&app, guest.session(), &text).await {
        Ok(found) => found,
        Err(Error::Refused(_)) => find::Finds::default(),
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let people: BTreeSet<_> = found.rows.iter().map(|row| row.person.code).collect();
    if let (Some(only), 1, true) = (people.first(), people.len(), found.claims.is_empty()) {
        return redirect(&format!("{}/console/associados/{only}", root(&app)));
    }
    match made(&app, &guest, &text, &found).await {
        Ok(template) => page(StatusCode::OK, &template),
        Err(error) => show::<Finds>(&guest, Err(error)),
    }
}

async fn made(app: &App, guest: &Guest, text: &str, found: &find::Finds) -> Result<Finds, Error> {
    let mut frame = Frame::of(app, guest, "busca").await?;
    text.clone_into(&mut frame.query);
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let more: String = form_urlencoded::Serializer::new(String::new()).append_pair("nome", text).finish();
    Ok(Finds {
        rows: found.rows.iter().map(|found| row(&registers, found)).collect(),
        claims: found
            .claims
            .iter()
            .map(|claim| format!("Evento {} · protocolo {}", claim.code, claim.protocol))
            .collect(),
        total: count(found.total),
        has_more: found.total > found.rows.len() as i64,
        more: format!("{}/console/associados?{more}", frame.root),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/busca.html", |with| {
    crate::rendered::text(&Finds {
        frame: with.frame(),
        rows: with.many(|| crate::members::row_case(with)),
        claims: with.many(|| with.text()),
        total: with.text(),
        has_more: true,
        more: with.text(),
    })
})];
