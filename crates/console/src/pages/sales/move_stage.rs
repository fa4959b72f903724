//! Moves a deal to another stage, loses it, or reopens it.

use super::deal::{RefusedDealInput, render_refused_input};
use crate::session::visitor::{PathNumber, SignedInUser, derive_root_path, redirect_to};
use crate::widgets::form::SubmittedForm;
use crate::widgets::notice::add_notice;
use crate::widgets::page::{Refusal, render_refusal};
use crate::widgets::record_form::describe_rejection;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::sales::deals::{self, CurrentDeal};
use app::{App, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::DealCode;
use serde_json::json;
use wire::read;

/// Text of the notice, or the problems.
pub type DealMoveOutcome = Result<String, Vec<String>>;

pub fn describe_move_outcome(
    done: Result<WriteOutcome<CurrentDeal>, Error>,
    told_of: impl Fn(&CurrentDeal) -> String,
) -> Result<DealMoveOutcome, Error> {
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(managed) => Ok(Ok(told_of(&managed))),
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(describe_rejection).collect())),
        Err(error) => Err(error),
    }
}

pub async fn move_to_stage(
    app: &App,
    guest: &SignedInUser,
    code: DealCode,
    (stage, version): (&str, &str),
) -> Result<DealMoveOutcome, Error> {
    let sent = json!({"codEtapa": stage, "versao": version}).to_string();
    let Ok(input) = read::read_body(sent.as_bytes()) else {
        return Ok(Err(vec!["Escolha a etapa.".to_owned()]));
    };
    let done = deals::move_deal(app, guest.session(), code, input, IdempotentWrite::without_key()).await;
    describe_move_outcome(done, |managed| {
        let stage = super::build_stage_badge(&managed.registers, managed.found.deal.stage).name;
        format!("{} agora está em {stage}.", managed.found.name)
    })
}

fn redirect_to_deal(
    app: &App,
    guest: &SignedInUser,
    code: i32,
    made: Result<DealMoveOutcome, Error>,
) -> Response {
    match made {
        Ok(made) => {
            let mut response = redirect_to(&format!("{}/console/vendas/{code}", derive_root_path(app)));
            add_notice(&mut response, &made.unwrap_or_else(|problems| problems.join(" ")));
            response
        }
        Err(error) => render_refusal(guest, &error),
    }
}

/// `POST /console/vendas/{codigo}/etapa`
pub async fn change_deal_stage(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
    form: Result<SubmittedForm, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let wish = (form.text("codEtapa"), form.text("versao"));
    let made = move_to_stage(&app, &guest, DealCode::new(code), wish).await;
    redirect_to_deal(&app, &guest, code, made)
}

/// `POST /console/vendas/{codigo}/perder`
pub async fn lose_deal(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
    form: Result<SubmittedForm, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let (deal, reason) = (DealCode::new(code), form.text("motivo").trim());
    let sent = json!({"motivo": reason, "versao": form.text("versao")}).to_string();
    let made = match read::read_body(sent.as_bytes()) {
        Err(_) => Ok(Err(vec!["Diga por que o negócio foi perdido.".to_owned()])),
        Ok(input) => {
            let done =
                deals::lose_deal(&app, guest.session(), deal, input, IdempotentWrite::without_key()).await;
            describe_move_outcome(done, |_| {
                "Negócio perdido. Ele pode ser reaberto quando a pessoa voltar.".to_owned()
            })
        }
    };
    match made {
        Ok(Err(problems)) => {
            let typed =
                RefusedDealInput { reason: Some(reason.to_owned()), problems, ..RefusedDealInput::default() };
            render_refused_input(&app, &guest, deal, typed).await
        }
        made => redirect_to_deal(&app, &guest, code, made),
    }
}

/// `POST /console/vendas/{codigo}/reabrir`
pub async fn reopen_deal(
    State(app): State<App>,
    guest: SignedInUser,
    PathNumber(code): PathNumber,
    form: Result<SubmittedForm, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let sent = json!({"versao": form.text("versao")}).to_string();
    let made = match read::read_body(sent.as_bytes()) {
        Err(_) => return Refusal::Unreadable.into_response(),
        Ok(input) => {
            let done = deals::reopen_deal(
                &app,
                guest.session(),
                DealCode::new(code),
                input,
                IdempotentWrite::without_key(),
            )
            .await;
            describe_move_outcome(done, |_| "Negócio reaberto.".to_owned())
        }
    };
    redirect_to_deal(&app, &guest, code, made)
}
