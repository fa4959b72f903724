//! What is done with a charging run: approve, discard, undo.

use super::show::{SentRunForm, UNDO, render_run_page};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::pages::finance::forms::{explain_refusal, read_typed_record};
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_token::build_form_write;
use crate::widgets::page::HandlerResult;
use crate::widgets::record_form::read_form_values;
use app::idempotency::WriteOutcome;
use app::{App, Error};
use axum::extract::State;
use domain::{ChargingRunCode, MoneyRight};
use finance::charging::{self, FullChargingRun};
use wire::records::MotivoFinanceiroInput;

/// `POST /console/financeiro/cobrancas/{codigo}/aprovar`
pub async fn approve_run(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::ApproveRuns)?;
    let (run, once) = (ChargingRunCode::new(code), build_form_write(&user, &form, |_| Vec::new()));
    let done = charging::approve_run(&app, user.session(), run, once).await;
    finish(
        &app,
        &user,
        (run, SentRunForm::default()),
        "Cobrança aprovada. Os títulos estão sendo emitidos.",
        done,
    )
    .await
}

/// `POST /console/financeiro/cobrancas/{codigo}/descartar`
pub async fn discard_run(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let (run, once) = (ChargingRunCode::new(code), build_form_write(&user, &form, |_| Vec::new()));
    let done = charging::discard_run(&app, user.session(), run, once).await;
    finish(&app, &user, (run, SentRunForm::default()), "Prévia descartada. Nada foi cobrado.", done).await
}

/// `POST /console/financeiro/cobrancas/{codigo}/desfazer`
pub async fn undo_run(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    user.session().require_money_right(MoneyRight::ApproveRuns)?;
    let run = ChargingRunCode::new(code);
    let values = read_form_values(UNDO, &form);
    let input = match read_typed_record::<MotivoFinanceiroInput>(UNDO, &values, &[]) {
        Ok(input) => input,
        Err(problems) => return render_run_page(&app, &user, run, SentRunForm { values, problems }).await,
    };
    let undoing = (run, input.reason.as_str().to_owned());
    let once = build_form_write(&user, &form, |_| Vec::new());
    let done = charging::undo_run(&app, user.session(), undoing, once).await;
    let sent = SentRunForm { values, ..SentRunForm::default() };
    finish(&app, &user, (run, sent), "Os títulos sem pagamento estão sendo cancelados.", done).await
}

/// Leads back to the run, or shows why nothing was done.
async fn finish(
    app: &App,
    user: &SignedInUser,
    (run, sent): (ChargingRunCode, SentRunForm),
    notice: &str,
    done: Result<WriteOutcome<FullChargingRun>, Error>,
) -> HandlerResult {
    match done {
        Ok(_) => {
            let page = format!("{}/console/financeiro/cobrancas/{run}", derive_root_path(app));
            Ok(redirect_with_notice(&page, notice))
        }
        Err(error) => {
            let problems = explain_refusal(error, UNDO, &sent.values)?;
            render_run_page(app, user, run, SentRunForm { problems, ..sent }).await
        }
    }
}
