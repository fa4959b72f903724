//! A form that fills a page: fields in sections, problems next to each, and both versions after a conflict.

use super::benefit_titles::BenefitTitleSection;
use super::form_input::FormInput;
use super::form_problems::FormProblems;
use super::frame::PageFrame;
use super::page::{HandlerResult, render_page};
use super::version_conflict::VersionConflict;
use crate::session::signed_in_user::SignedInUser;
use app::App;
use askama::Template;
use axum::http::StatusCode;

pub struct RecordForm {
    /// Current menu entry.
    pub current: &'static str,
    pub title: String,
    /// Text below the title.
    pub note: String,
    /// Link for leaving without saving.
    pub back: String,
    /// Version of the record that the form is based on.
    pub version: Option<i64>,
    pub sections: Vec<(String, Vec<FormInput>)>,
    /// What a change would mean for the titles of the benefit, in a form that changes one.
    pub titles: Option<BenefitTitleSection>,
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
    titles: Option<BenefitTitleSection>,
    others: Vec<String>,
    conflict: Option<VersionConflict>,
    is_refused: bool,
    button: &'static str,
}

pub async fn render_record_form(app: &App, user: &SignedInUser, form: RecordForm) -> HandlerResult {
    let is_refused = !form.problems.is_empty();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let frame = PageFrame::load(app, user, form.current).await?;
    let RecordForm { title, note, back, sections, titles, button, .. } = form;
    let others = form.problems.list_others();
    let conflict = form.problems.conflict;
    // The user now sees the current values, so the next save may overwrite.
    let version = conflict.as_ref().map(|conflict| conflict.version).or(form.version);
    render_page(
        status,
        &RecordFormPage {
            frame,
            title,
            note,
            back,
            version,
            sections,
            titles,
            others,
            conflict,
            is_refused,
            button,
        },
    )
}

/// Each section begins at a position in `inputs`.
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
            titles: with.option_of(|| BenefitTitleSection::sample(*with)),
            others: with.list_of(|| with.text()),
            conflict,
            is_refused: with.is_filled(),
            button: "Salvar",
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];
