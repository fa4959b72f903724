//! `/console/validacao`: whether benefits are validated without a credential, and which partners may do it more often.

use crate::admin::{administered, must_administer};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::told;
use crate::visitor::{Guest, redirect, root};
use app::once::Once;
use app::tenants::{self, Changes};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Rejection, ValidationPartner};
use wire::read::Given;

#[derive(Template)]
#[template(path = "console/validacao.html")]
struct OpenValidation {
    frame: Frame,
    version: String,
    is_open: bool,
    /// A line for each.
    partners: String,
    minutes: u64,
    lookups: u32,
    misses: u32,
    problems: Vec<String>,
}

pub async fn form(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, as_it_is(&app, &guest).await)
}

async fn as_it_is(app: &App, guest: &Guest) -> Result<OpenValidation, Error> {
    must_administer(guest.session())?;
    let own = tenants::own(app, guest.session()).await?;
    let throttle = &app.throttle;
    Ok(OpenValidation {
        frame: Frame::of(app, guest, "cadastros").await?,
        version: own.tenant.version.to_string(),
        is_open: own.tenant.open_validation,
        partners: own.tenant.validation_partners.unwrap_or_default(),
        minutes: throttle.window.as_secs().div_ceil(60),
        lookups: throttle.lookups,
        misses: throttle.misses,
        problems: Vec::new(),
    })
}

pub async fn save(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let saved = match changes(&sent) {
        Ok(changes) => tenants::change(&app, guest.session(), changes, Once::each_time()).await.map(drop),
        Err(problems) => Err(Error::Refused(problems)),
    };
    match saved {
        Ok(()) => {
            let mut response = redirect(&format!("{}/console/validacao", root(&app)));
            tell(&mut response, "As alterações foram salvas.");
            response
        }
        Err(Error::Refused(problems)) => again(&app, &guest, &sent, &problems).await,
        Err(error) => Refusal::from(&error).into_response(),
    }
}

fn changes(sent: &Form) -> Result<Changes, Vec<Rejection>> {
    let mut problems = Vec::new();
    let lines = sent.text("parceiros").lines().filter(|line| !line.trim().is_empty());
    let partners = lines.filter_map(|line| app::collect(&mut problems, ValidationPartner::parse(line)));
    let partners: Vec<ValidationPartner> = partners.collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Changes {
        open_validation: Some(sent.text("aberta") == "sim"),
        validation_partners: Given::Set(partners),
        ..Changes::of_version(sent.text("versao").parse().unwrap_or(0))
    })
}

/// The page as it was sent, with what is wrong. Where somebody else changed it meanwhile, as it is now.
async fn again(app: &App, guest: &Guest, sent: &Form, problems: &[Rejection]) -> Response {
    let is_old = problems.iter().any(|problem| matches!(problem, Rejection::OldVersion { .. }));
    match as_it_is(app, guest).await {
        Ok(mut made) => {
            made.problems = problems.iter().map(told).collect();
            if !is_old {
                made.is_open = sent.text("aberta") == "sim";
                sent.text("parceiros").clone_into(&mut made.partners);
            }
            page(StatusCode::BAD_REQUEST, &made)
        }
        Err(error) => show::<OpenValidation>(guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/validacao.html", |with| {
    crate::rendered::text(&OpenValidation {
        frame: with.frame(),
        version: "3".to_owned(),
        is_open: true,
        partners: with.text(),
        minutes: 15,
        lookups: 200,
        misses: 20,
        problems: with.many(|| with.text()),
    })
})];
