//! `/console/busca`: one search for everything. A single match opens at once.

use crate::cases;
use crate::form::Form;
use crate::frame::Frame;
use crate::lists::{Around, usual};
use crate::members::{Badge, COLUMNS, Row, badge, row};
use crate::page::{Refusal, page, show};
use crate::show::count;
use crate::visitor::{Guest, Query, redirect, root};
use app::{App, Error, find};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::Document;
use std::collections::BTreeSet;

struct CaseLine {
    link: String,
    what: String,
    name: String,
    situation: Badge,
}

#[derive(Template)]
#[template(path = "console/busca.html")]
struct Finds {
    frame: Frame,
    rows: Vec<Row>,
    around: Around,
    first_column: &'static str,
    cases: Vec<CaseLine>,
    total: String,
    has_more: bool,
    more: String,
}

/// `GET /console/busca`, also for those who kept an address of it.
pub async fn search(State(app): State<App>, guest: Guest, query: Query) -> Response {
    answer(&app, &guest, &query).await
}

/// `POST /console/busca`: what names a person or can be called stays out of the address, which browsers and proxies keep;
/// anything else gets an address to come back to.
pub async fn send(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let query = match sent {
        Ok(sent) => Query::of_form(&sent),
        Err(refusal) => return refusal.into_response(),
    };
    match is_private(query.text("q")) {
        true => answer(&app, &guest, &query).await,
        false => redirect(&format!("{}/console/busca{}", root(&app), query.with("", ""))),
    }
}

/// Whether a text may be a document, a telephone or a card: it has about as many digits.
fn is_private(text: &str) -> bool {
    Document::parse(text).is_ok() || text.chars().filter(char::is_ascii_digit).count() >= 8
}

async fn answer(app: &App, guest: &Guest, query: &Query) -> Response {
    let text: String = query.text("q").chars().take(200).collect();
    let found = match find::find(app, guest.session(), &text).await {
        Ok(found) => found,
        Err(Error::Refused(_)) => find::Finds::default(),
        Err(error) => return Refusal::from(&error).into_response(),
    };
    if let Some(only) = only(&found) {
        return redirect(&format!("{}{only}", root(app)));
    }
    match made(app, guest, &text, &found).await {
        Ok(template) => page(StatusCode::OK, &template),
        Err(error) => show::<Finds>(guest, Err(error)),
    }
}

/// Where the one thing is that was found.
fn only(found: &find::Finds) -> Option<String> {
    let people: BTreeSet<_> = found.rows.iter().map(|row| row.person.code).collect();
    match (people.first(), people.len(), &found.cases[..]) {
        (Some(only), 1, []) => Some(format!("/console/associados/{only}")),
        (None, _, [case]) => Some(cases::at(case)),
        _ => None,
    }
}

async fn made(app: &App, guest: &Guest, text: &str, found: &find::Finds) -> Result<Finds, Error> {
    let mut frame = Frame::of(app, guest, "busca").await?;
    text.clone_into(&mut frame.query);
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let more: String = form_urlencoded::Serializer::new(String::new()).append_pair("nome", text).finish();
    let around = usual(COLUMNS);
    Ok(Finds {
        rows: found.rows.iter().map(|found| row(&registers, found, &frame.root, &around)).collect(),
        first_column: "Associado",
        cases: found
            .cases
            .iter()
            .map(|one| {
                let head = one.case.head();
                CaseLine {
                    link: format!("{}{}", frame.root, cases::at(one)),
                    what: format!("{} {}", cases::words(one.case.kind()).one, head.protocol),
                    name: one.name.clone(),
                    situation: badge(&registers, head.situation),
                }
            })
            .collect(),
        around,
        total: count(found.total),
        has_more: found.total > found.rows.len() as i64,
        more: format!("{}/console/associados?{more}", frame.root),
        frame,
    })
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/busca.html", |with| {
    let case =
        || CaseLine { link: with.text(), what: with.text(), name: with.text(), situation: with.badge() };
    crate::rendered::text(&Finds {
        frame: with.frame(),
        rows: with.many(|| with.row()),
        around: with.around(),
        first_column: "Associado",
        cases: with.many(case),
        total: with.text(),
        has_more: true,
        more: with.text(),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_telephones_and_cards_stay_out_of_addresses() {
        for private in [
            "529.982.247-25",
            "52998224725",
            "11.222.333/0001-81",
            "12ABC34501DE35",
            "98765-4321",
            "1234567890123",
        ] {
            assert!(is_private(private), "{private}");
        }
        for open in ["maria silva", "ABC1D23", "1234567", "", "9BWZZZ37VT004"] {
            assert!(!is_private(open), "{open}");
        }
    }
}
