//! Leads: who may become a member, with or without a deal.

use crate::exporting::Links;
use crate::frame::Frame;
use crate::page::show;
use crate::show::Pager;
use crate::visitor::{Guest, Query};
use app::leads::{self, Wanted};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;

const PAGE: i64 = 100;

struct Row {
    code: i32,
    name: String,
    phone: String,
    email: String,
    origin: String,
    since: String,
    deals: i64,
}

#[derive(Template)]
#[template(path = "console/leads.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
    pager: Pager,
    filter: String,
    problems: Vec<String>,
}

/// `GET /console/vendas/leads`
pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<List, Error> {
    let frame = Frame::of(app, guest, "vendas").await?;
    let filter = query.text("filtro").to_owned();
    let wanted = Wanted {
        filter: Some(filter.clone()).filter(|text| !text.is_empty()),
        active: Some(true),
        branch: None,
        page: query.page(),
    };
    let (rows, total, problems) = match leads::page(app, guest.session(), wanted).await {
        Ok(page) => {
            let zone = page.registers.zone.clone();
            let rows = page.rows.iter().map(|one| Row {
                code: one.code.get(),
                name: one.lead.name.clone(),
                phone: one
                    .lead
                    .mobile
                    .as_ref()
                    .or(one.lead.landline.as_ref())
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                email: one.lead.email.as_ref().map(ToString::to_string).unwrap_or_default(),
                origin: one.lead.origin.clone().unwrap_or_default(),
                since: one.lead.created_at.date_in(&zone).to_br(),
                deals: one.open_deals,
            });
            (rows.collect(), page.total, Vec::new())
        }
        Err(Error::Refused(problems)) => (Vec::new(), 0, problems.iter().map(crate::records::told).collect()),
        Err(error) => return Err(error),
    };
    let links = Links::new(&frame.root, "lead", [("filtro", filter.as_str()), ("ativo", "true")]);
    let pager = Pager::new(query.page(), total, PAGE, |page| query.with_page(page)).exporting(links);
    Ok(List { frame, rows, pager, filter, problems })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/leads.html", |with| {
    let row = || Row {
        code: 7,
        name: with.text(),
        phone: with.text(),
        email: with.text(),
        origin: with.text(),
        since: with.text(),
        deals: 2,
    };
    crate::rendered::text(&List {
        frame: with.frame(),
        rows: with.many(row),
        pager: with.pager(),
        filter: with.text(),
        problems: with.many(|| with.text()),
    })
})];
