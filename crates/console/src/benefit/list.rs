//! `/console/beneficios`: all benefits, in the order in which they began.

use super::what;
use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::page::show;
use crate::show::Pager;
use crate::visitor::{Guest, Query};
use crate::words;
use app::{App, Error, searches};
use askama::Template;
use axum::extract::State;
use axum::response::Response;

const PAGE: i64 = 100;

struct ListRow {
    code: i32,
    sequence: i32,
    what: String,
    kind: &'static str,
    person: i32,
    name: String,
    branch: String,
    situation: Badge,
}

#[derive(Template)]
#[template(path = "console/beneficios.html")]
struct List {
    frame: Frame,
    rows: Vec<ListRow>,
    pager: Pager,
}

pub async fn list(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, list_page(&app, &guest, &query).await)
}

async fn list_page(app: &App, guest: &Guest, query: &Query) -> Result<List, Error> {
    let frame = Frame::of(app, guest, "beneficios").await?;
    let found = searches::list(app, guest.session(), query.page()).await?;
    let registers = &found.registers;
    let rows = found.rows.iter().map(|row| ListRow {
        code: row.code.get(),
        sequence: row.benefit.sequence,
        what: what(registers, &row.benefit),
        kind: words::kind(row.benefit.kind),
        person: row.benefit.person.get(),
        name: row.name.clone(),
        branch: registers.branch_name(row.benefit.branch).to_owned(),
        situation: badge(registers, row.benefit.situation),
    });
    let pager = Pager::new(query.page(), found.total, PAGE, |page| query.with_page(page));
    Ok(List { rows: rows.collect(), pager, frame })
}
