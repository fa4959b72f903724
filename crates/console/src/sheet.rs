//! A form that fills a page: fields in sections, what is wrong beside each, and both states where somebody else was faster.

use crate::frame::Frame;
use crate::page::{Refusal, page};
use crate::records::{Conflict, Input, Problems};
use crate::visitor::Guest;
use app::App;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

pub struct Sheet {
    /// Where in the menu it is.
    pub current: &'static str,
    pub title: String,
    /// A line below the title.
    pub note: String,
    /// Where whoever does not save goes.
    pub back: String,
    /// Of the record as it was read.
    pub version: Option<i64>,
    pub sections: Vec<(String, Vec<Input>)>,
    pub problems: Problems,
    pub button: &'static str,
}

#[derive(Template)]
#[template(path = "console/formulario.html")]
struct Page {
    frame: Frame,
    title: String,
    note: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(String, Vec<Input>)>,
    others: Vec<String>,
    conflict: Option<Conflict>,
    is_refused: bool,
    button: &'static str,
}

pub async fn sheet(app: &App, guest: &Guest, sheet: Sheet) -> Response {
    let is_refused = !sheet.problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let frame = match Frame::of(app, guest, sheet.current).await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let Sheet { title, note, back, sections, button, .. } = sheet;
    let Problems { others, conflict, .. } = sheet.problems;
    // Whoever sends again has seen what stands now.
    let version = conflict.as_ref().map(|conflict| conflict.version).or(sheet.version);
    page(status, &Page { frame, title, note, back, version, sections, others, conflict, is_refused, button })
}

/// The fields by the sections that begin at these places.
pub fn sections(
    mut inputs: Vec<Input>,
    parts: &[(&'static str, std::ops::Range<usize>)],
) -> Vec<(String, Vec<Input>)> {
    let mut all = Vec::new();
    for (title, range) in parts.iter().rev() {
        all.push(((*title).to_owned(), inputs.split_off(range.start.min(inputs.len()))));
    }
    all.reverse();
    all
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/formulario.html", |with| {
    let page = |conflict| {
        crate::rendered::text(&Page {
            frame: with.frame(),
            title: with.text(),
            note: with.text(),
            back: with.text(),
            version: with.maybe(|| 3),
            sections: with.many(|| (with.text(), with.inputs())),
            others: with.many(|| with.text()),
            conflict,
            is_refused: with.is_full(),
            button: "Salvar",
        })
    };
    [page(None), page(with.maybe(|| with.conflict()))].concat()
})];
