//! `/console/validacao`: whether benefits can be validated without a credential, and the partners with a higher limit.

use super::administration::require_administrator;
use crate::http::form::SubmittedForm;
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_problems::describe_rejection;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use app::idempotency::IdempotentWrite;
use app::tenants::{self, ChangeTenant};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
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

pub async fn show_validation_form(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    show_page(&build_validation_page(&app, &user).await?)
}

async fn build_validation_page(app: &App, user: &SignedInUser) -> Result<OpenValidationPage, Error> {
    require_administrator(user.session())?;
    let own_tenant = tenants::read_own_tenant(app, user.session()).await?;
    let throttle = &app.throttle;
    Ok(OpenValidationPage {
        frame: PageFrame::load(app, user, "cadastros").await?,
        version: own_tenant.tenant.version.to_string(),
        is_open: own_tenant.tenant.open_validation,
        partners: own_tenant.tenant.validation_partners.unwrap_or_default(),
        minutes: throttle.window.as_secs().div_ceil(60),
        lookups: throttle.lookups,
        misses: throttle.misses,
        problems: Vec::new(),
    })
}

pub async fn save_validation_form(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let saved = match parse_validation_changes(&form) {
        Ok(changes) => {
            tenants::change_own_tenant(&app, user.session(), changes, IdempotentWrite::without_key())
                .await
                .map(drop)
        }
        Err(problems) => Err(Error::Refused(problems)),
    };
    match saved {
        Ok(()) => Ok(redirect_with_notice(
            &format!("{}/console/validacao", derive_root_path(&app)),
            "As alterações foram salvas.",
        )),
        Err(Error::Refused(problems)) => render_refused_validation(&app, &user, &form, &problems).await,
        Err(error) => Err(error.into()),
    }
}

fn parse_validation_changes(form: &SubmittedForm) -> Result<ChangeTenant, Vec<Rejection>> {
    let mut problems = Vec::new();
    let lines = form.text("parceiros").lines().filter(|line| !line.trim().is_empty());
    let partners =
        lines.filter_map(|line| app::collect_problem(&mut problems, ValidationPartner::parse(line)));
    let partners: Vec<ValidationPartner> = partners.collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(ChangeTenant {
        open_validation: Some(form.text("aberta") == "sim"),
        validation_partners: FieldPatch::Set(partners),
        ..ChangeTenant::from_version(form.text("versao").parse().unwrap_or(0))
    })
}

/// Renders the form as submitted, with its problems. After a version conflict it shows the stored values.
async fn render_refused_validation(
    app: &App,
    user: &SignedInUser,
    form: &SubmittedForm,
    problems: &[Rejection],
) -> HandlerResult {
    let is_old = problems.iter().any(|problem| matches!(problem, Rejection::OldVersion { .. }));
    let mut page = build_validation_page(app, user).await?;
    page.problems = problems.iter().map(describe_rejection).collect();
    if !is_old {
        page.is_open = form.text("aberta") == "sim";
        form.text("parceiros").clone_into(&mut page.partners);
    }
    render_page(StatusCode::BAD_REQUEST, &page)
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
