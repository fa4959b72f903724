//! A form that fills a page: fields in sections, what is wrong beside each, and both states where somebody else was faster.

use super::frame::PageFrame;
use super::page::{Refusal, render_page};
use super::record_form::{FormInput, FormProblems, VersionConflict};
use crate::session::visitor::SignedInUser;
use app::App;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

pub struct RecordForm {
    /// Where in the menu it is.
    pub current: &'static str,
    pub title: String,
    /// A line below the title.
    pub note: String,
    /// Where whoever does not save goes.
    pub back: String,
    /// Of the record as it was read.
    pub version: Option<i64>,
    pub sections: Vec<(String, Vec<FormInput>)>,
    pub problems: FormProblems,
    pub button: &'static str,
}

#[derive(Template)]
#[template(path = "console/formulario.html")]
struct RecordFormPage {
    frame: PageFrame,
    title: String,
    note: String,
    back: String,
    version: Option<i64>,
    sections: Vec<(String, Vec<FormInput>)>,
    others: Vec<String>,
    conflict: Option<VersionConflict>,
    is_refused: bool,
    button: &'static str,
}

pub async fn render_record_form(app: &App, guest: &SignedInUser, sheet: RecordForm) -> Response {
    let is_refused = !sheet.problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let frame = match PageFrame::load(app, guest, sheet.current).await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let RecordForm { title, note, back, sections, button, .. } = sheet;
    let FormProblems { others, conflict, .. } = sheet.problems;
    // Whoever sends again has seen what stands now.
    let version = conflict.as_ref().map(|conflict| conflict.version).or(sheet.version);
    render_page(
        status,
        &RecordFormPage { frame, title, note, back, version, sections, others, conflict, is_refused, button },
    )
}

/// The fields by the sections that begin at these places.
pub fn split_into_sections(
    mut inputs: Vec<FormInput>,
    parts: &[(&'static str, std::ops::Range<usize>)],
) -> Vec<(String, Vec<FormInput>)> {
    let mut all = Vec::new();
    for (title, range) in parts.iter().rev() {
        all.push(((*title).to_owned(), inputs.split_off(range.start.min(inputs.len()))));
    }
    all.reverse();
    all
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/formulario.html", |with| {
    let page = |conflict| {
        crate::template_tests::render_template(&RecordFormPage {
            frame: with.frame(),
            title: with.text(),
            note: with.text(),
            back: with.text(),
            version: with.option_of(|| 3),
            sections: with.list_of(|| (with.text(), with.inputs())),
            others: with.list_of(|| with.text()),
            conflict,
            is_refused: with.is_filled(),
            button: "Salvar",
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];
