//! `/console/validacao`: whether benefits can be validated without a credential, and the partners with a higher limit.

use super::administration::{accept_administrator_form, require_administrator};
use crate::session::visitor::{SignedInUser, derive_root_path, redirect_to};
use crate::widgets::form::SubmittedForm;
use crate::widgets::frame::PageFrame;
use crate::widgets::notice::add_notice;
use crate::widgets::page::{Refusal, render_page, render_page_or_refusal};
use crate::widgets::record_form::describe_rejection;
use app::idempotency::IdempotentWrite;
use app::tenants::{self, ChangeTenant};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Rejection, ValidationPartner};
use wire::read::FieldPatch;

#[derive(Template)]
#[template(path = "console/validacao.html")]
struct OpenValidationPage {
    frame: PageFrame,
    version: String,
    is_open: bool,
    /// One per line.
    partners: String,
    minutes: u64,
    lookups: u32,
    misses: u32,
    problems: Vec<String>,
}

pub async fn show_validation_form(State(app): State<App>, guest: SignedInUser) -> Response {
    render_page_or_refusal(&guest, build_validation_page(&app, &guest).await)
}

async fn build_validation_page(app: &App, guest: &SignedInUser) -> Result<OpenValidationPage, Error> {
    require_administrator(guest.session())?;
    let own = tenants::read_own_tenant(app, guest.session()).await?;
    let throttle = &app.throttle;
    Ok(OpenValidationPage {
        frame: PageFrame::load(app, guest, "cadastros").await?,
        version: own.tenant.version.to_string(),
        is_open: own.tenant.open_validation,
        partners: own.tenant.validation_partners.unwrap_or_default(),
        minutes: throttle.window.as_secs().div_ceil(60),
        lookups: throttle.lookups,
        misses: throttle.misses,
        problems: Vec::new(),
    })
}

pub async fn save_validation_form(
    State(app): State<App>,
    guest: SignedInUser,
    sent: Result<SubmittedForm, Refusal>,
) -> Response {
    let sent = match accept_administrator_form(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let saved = match parse_validation_changes(&sent) {
        Ok(changes) => {
            tenants::change_own_tenant(&app, guest.session(), changes, IdempotentWrite::without_key())
                .await
                .map(drop)
        }
        Err(problems) => Err(Error::Refused(problems)),
    };
    match saved {
        Ok(()) => {
            let mut response = redirect_to(&format!("{}/console/validacao", derive_root_path(&app)));
            add_notice(&mut response, "As alterações foram salvas.");
            response
        }
        Err(Error::Refused(problems)) => render_refused_validation(&app, &guest, &sent, &problems).await,
        Err(error) => Refusal::from(&error).into_response(),
    }
}

fn parse_validation_changes(sent: &SubmittedForm) -> Result<ChangeTenant, Vec<Rejection>> {
    let mut problems = Vec::new();
    let lines = sent.text("parceiros").lines().filter(|line| !line.trim().is_empty());
    let partners =
        lines.filter_map(|line| app::collect_problem(&mut problems, ValidationPartner::parse(line)));
    let partners: Vec<ValidationPartner> = partners.collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(ChangeTenant {
        open_validation: Some(sent.text("aberta") == "sim"),
        validation_partners: FieldPatch::Set(partners),
        ..ChangeTenant::from_version(sent.text("versao").parse().unwrap_or(0))
    })
}

/// Renders the form as submitted, with its problems. After a version conflict it shows the stored values.
async fn render_refused_validation(
    app: &App,
    guest: &SignedInUser,
    sent: &SubmittedForm,
    problems: &[Rejection],
) -> Response {
    let is_old = problems.iter().any(|problem| matches!(problem, Rejection::OldVersion { .. }));
    match build_validation_page(app, guest).await {
        Ok(mut made) => {
            made.problems = problems.iter().map(describe_rejection).collect();
            if !is_old {
                made.is_open = sent.text("aberta") == "sim";
                sent.text("parceiros").clone_into(&mut made.partners);
            }
            render_page(StatusCode::BAD_REQUEST, &made)
        }
        Err(error) => render_page_or_refusal::<OpenValidationPage>(guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/validacao.html", |with| {
    crate::template_tests::render_template(&OpenValidationPage {
        frame: with.frame(),
        version: "3".to_owned(),
        is_open: true,
        partners: with.text(),
        minutes: 15,
        lookups: 200,
        misses: 20,
        problems: with.list_of(|| with.text()),
    })
})];
