//! The printable protocol of a case.

use super::{CaseKindParam, CaseKindWording, describe_case_kind, fields, show};
use crate::http::parameters::PathNumber;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::situation_badge::build_situation_badge;
use app::{App, cases};
use askama::Template;
use axum::extract::State;
use domain::display;

#[derive(Template)]
#[template(path = "console/caso_protocolo.html")]
struct ProtocolPrintPage {
    frame: PageFrame,
    words: CaseKindWording,
    code: i32,
    protocol: i32,
    holder: String,
    document: String,
    benefit: String,
    situation: String,
    /// Time of printing.
    now: String,
    head: Vec<(&'static str, String)>,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    description: Option<String>,
}

/// `GET /console/eventos/{codigo}/imprimir`
pub async fn show_protocol(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let words = describe_case_kind(kind);
    let full_case = cases::read_case(&app, user.session(), kind, code).await?;
    let frame = PageFrame::load(&app, &user, words.path).await?;
    let (facts, vehicle, description) = fields::describe_case(&full_case);
    let head = full_case.resolved_case.case.head();
    show_page(&ProtocolPrintPage {
        code,
        protocol: head.protocol,
        holder: full_case.resolved_case.name.clone(),
        document: full_case
            .resolved_case
            .document
            .as_deref()
            .map(display::format_document)
            .unwrap_or_default(),
        benefit: full_case.benefit.clone().unwrap_or_default(),
        situation: build_situation_badge(&full_case.registers, head.situation).name,
        now: format_moment(full_case.now, &full_case.registers.zone),
        head: show::list_common_facts(&full_case),
        facts,
        vehicle,
        description,
        frame,
        words,
    })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/caso_protocolo.html", |with| {
    crate::template_tests::render_template(&ProtocolPrintPage {
        frame: with.frame(),
        words: describe_case_kind(domain::CaseKind::Claim),
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
        description: with.option_of(|| with.text()),
    })
})];
