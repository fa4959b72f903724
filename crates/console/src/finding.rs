//! `/console/busca`: one search for everything. A single match opens at once.

use crate::cases::words;
use crate::frame::Frame;
use crate::members::{Row, row};
use crate::page::{Refusal, page, show};
use crate::show::count;
use crate::visitor::{Guest, Query, redirect, root};
use app::cases::Item;
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
    /// What each is, and where.
    cases: Vec<(String, String)>,
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
    match (people.first(), people.len(), &found.cases[..]) {
        (Some(only), 1, []) => return redirect(&format!("{}/console/associados/{only}", root(&app))),
        (None, 0, [only]) => return redirect(&link(&root(&app), only)),
        _ => {}
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
        cases: found.cases.iter().map(|one| (told(one), link(&frame.root, one))).collect(),
        total: count(found.total),
        has_more: found.total > found.rows.len() as i64,
        more: format!("{}/console/associados?{more}", frame.root),
        frame,
    })
}

fn told(one: &Item) -> String {
    format!("{} {} · {}", words(one.case.kind()).one, one.case.head().protocol, one.name)
}

fn link(root: &str, one: &Item) -> String {
    format!("{root}/console/{}/{}", words(one.case.kind()).path, one.code)
}
