//! Moves a deal to another stage, loses it, or reopens it.

use super::build_deal_path;
use super::deal::{RefusedDealInput, render_refused_input};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::refusal::Refusal;
use crate::session::notice::redirect_with_outcome;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_problems::describe_rejection;
use crate::widgets::page::HandlerResult;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::sales::deals::{self, CurrentDeal};
use app::{App, Error};
use axum::extract::State;
use axum::response::Response;
use domain::DealCode;
use serde_json::json;
use wire::read;

/// Text of the notice, or the problems.
pub type DealMoveOutcome = Result<String, Vec<String>>;

pub fn describe_move_outcome(
    done: Result<WriteOutcome<CurrentDeal>, Error>,
    describe: impl Fn(&CurrentDeal) -> String,
) -> Result<DealMoveOutcome, Error> {
    match done.and_then(WriteOutcome::into_fresh) {
        Ok(managed) => Ok(Ok(describe(&managed))),
        Err(Error::Refused(problems)) => Ok(Err(problems.iter().map(describe_rejection).collect())),
        Err(error) => Err(error),
    }
}

pub async fn move_to_stage(
    app: &App,
    user: &SignedInUser,
    code: DealCode,
    (stage, version): (&str, &str),
) -> Result<DealMoveOutcome, Error> {
    let body = json!({"codEtapa": stage, "versao": version});
    let Ok(input) = read::read_record(&body) else {
        return Ok(Err(vec!["Escolha a etapa.".to_owned()]));
    };
    let done = deals::move_deal(app, user.session(), code, input, IdempotentWrite::without_key()).await;
    describe_move_outcome(done, |managed| {
        let stage = super::build_stage_badge(&managed.registers, managed.found_deal.deal.stage).name;
        format!("{} agora está em {stage}.", managed.found_deal.name)
    })
}

fn redirect_to_deal(app: &App, code: DealCode, outcome: DealMoveOutcome) -> Response {
    redirect_with_outcome(&build_deal_path(app, code), outcome.map_err(|problems| problems.join(" ")))
}

/// `POST /console/vendas/{codigo}/etapa`
pub async fn change_deal_stage(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let target = (form.text("codEtapa"), form.text("versao"));
    let deal = DealCode::new(code);
    let outcome = move_to_stage(&app, &user, deal, target).await?;
    Ok(redirect_to_deal(&app, deal, outcome))
}

/// `POST /console/vendas/{codigo}/perder`
pub async fn lose_deal(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let (deal, reason) = (DealCode::new(code), form.text("motivo").trim());
    let body = json!({"motivo": reason, "versao": form.text("versao")});
    let outcome = match read::read_record(&body) {
        Err(_) => Err(vec!["Diga por que o negócio foi perdido.".to_owned()]),
        Ok(input) => {
            let done =
                deals::lose_deal(&app, user.session(), deal, input, IdempotentWrite::without_key()).await;
            describe_move_outcome(done, |_| {
                "Negócio perdido. Ele pode ser reaberto quando a pessoa voltar.".to_owned()
            })?
        }
    };
    if let Err(problems) = outcome {
        let refused_input =
            RefusedDealInput { reason: Some(reason.to_owned()), problems, ..RefusedDealInput::default() };
        return render_refused_input(&app, &user, deal, refused_input).await;
    }
    Ok(redirect_to_deal(&app, deal, outcome))
}

/// `POST /console/vendas/{codigo}/reabrir`
pub async fn reopen_deal(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    // A form without the version did not come from the deal's page.
    let version = Some(form.text("versao")).filter(|text| !text.is_empty()).ok_or(Refusal::Unreadable)?;
    let input = read::read_record(&json!({"versao": version})).map_err(|_| Refusal::Unreadable)?;
    let deal = DealCode::new(code);
    let done = deals::reopen_deal(&app, user.session(), deal, input, IdempotentWrite::without_key()).await;
    let outcome = describe_move_outcome(done, |_| "Negócio reaberto.".to_owned())?;
    Ok(redirect_to_deal(&app, deal, outcome))
}
