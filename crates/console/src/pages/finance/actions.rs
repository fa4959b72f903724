//! What is done with a title from its page: receive, reverse, cancel, change the due day, release.

use super::forms::{SentTitleForm, TitleFormKind};
use super::show::render_title_page;
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, PathPartCodes};
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_token::build_form_write;
use crate::widgets::page::HandlerResult;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::{App, Error};
use axum::extract::State;
use domain::{AuditedOperation, MoneyRight, SettlementCode, TitleCode};
use finance::{FullTitle, NewReceipt};
use wire::records::{MotivoFinanceiroInput, RecebimentoInput, VencimentoInput};

/// A title does not say which settlement was the last, so a repetition gets nothing.
fn run_once(user: &SignedInUser, form: &SubmittedForm) -> IdempotentWrite<FullTitle> {
    build_form_write(user, form, |_| Vec::new())
}

/// `POST /console/financeiro/titulos/{codigo}/receber`
pub async fn receive_payment(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let mut sent = SentTitleForm::new(TitleFormKind::Receive, &form);
    let Some(input) = sent.read::<RecebimentoInput>() else {
        return render_title_page(&app, &user, title, Some(sent)).await;
    };
    let receipt = NewReceipt {
        title,
        amount: input.amount,
        settlement_type: input.settlement_type,
        account: input.account.into_set(),
        paid_on: input.paid_on.into_set(),
        note: input.note.into_set().map(|note| note.as_str().to_owned()),
    };
    let operation = AuditedOperation::ReceivePayment;
    let done = finance::settle_title(&app, user.session(), operation, receipt, run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), "Pagamento registrado.", done).await
}

/// `POST /console/financeiro/titulos/{codigo}/estornar/{parte}`
pub async fn reverse_settlement(
    State(app): State<App>,
    user: SignedInUser,
    PathPartCodes(code, settlement): PathPartCodes,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let full = finance::read_title(&app, user.session(), title).await?;
    if full.settlements.iter().all(|one| one.code.get() != settlement) {
        return Err(Refusal::NotThere);
    }
    let mut sent = SentTitleForm::new(TitleFormKind::Reverse(settlement), &form);
    let Some(input) = sent.read::<MotivoFinanceiroInput>() else {
        return render_title_page(&app, &user, title, Some(sent)).await;
    };
    let reversal = (SettlementCode::new(settlement), input.reason.as_str().to_owned());
    let done = finance::reverse_settlement(&app, user.session(), reversal, run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), "Pagamento estornado. O valor está em aberto de novo.", done).await
}

/// `POST /console/financeiro/titulos/{codigo}/cancelar`
pub async fn cancel_title(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let mut sent = SentTitleForm::new(TitleFormKind::Cancel, &form);
    let Some(input) = sent.read::<MotivoFinanceiroInput>() else {
        return render_title_page(&app, &user, title, Some(sent)).await;
    };
    let cancellation = (title, input.reason.as_str().to_owned());
    let done = finance::cancel_title(&app, user.session(), cancellation, run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), "Título cancelado.", done).await
}

/// `POST /console/financeiro/titulos/{codigo}/vencimento`
pub async fn change_due_day(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    user.session().require_money_right(MoneyRight::SettleTitles)?;
    let mut sent = SentTitleForm::new(TitleFormKind::ChangeDueDay, &form);
    let Some(input) = sent.read::<VencimentoInput>() else {
        return render_title_page(&app, &user, title, Some(sent)).await;
    };
    let notice = format!("O vencimento agora é {}.", input.due.to_br());
    let change = (title, input.due, input.reason.as_str().to_owned());
    let done = finance::change_due_day(&app, user.session(), change, run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), &notice, done).await
}

/// `POST /console/financeiro/titulos/{codigo}/liberar`
pub async fn release_title(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    let sent = SentTitleForm::new(TitleFormKind::Release, &form);
    let done = finance::release_title(&app, user.session(), (title, None), run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), "Título liberado: já pode ser pago.", done).await
}

/// `POST /console/financeiro/titulos/{codigo}/usar-credito`
pub async fn use_credit(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let title = TitleCode::new(code);
    let sent = SentTitleForm::new(TitleFormKind::UseCredit, &form);
    let done = finance::use_credit(&app, user.session(), title, run_once(&user, &form)).await;
    finish(&app, &user, (title, sent), "Crédito usado neste título.", done).await
}

/// Leads back to the title, or shows what the form was refused for.
async fn finish(
    app: &App,
    user: &SignedInUser,
    (title, mut sent): (TitleCode, SentTitleForm),
    notice: &str,
    done: Result<WriteOutcome<FullTitle>, Error>,
) -> HandlerResult {
    match done {
        Ok(_) => {
            let page = format!("{}/console/financeiro/titulos/{title}", derive_root_path(app));
            Ok(redirect_with_notice(&page, notice))
        }
        Err(error) => {
            sent.refuse(error)?;
            render_title_page(app, user, title, Some(sent)).await
        }
    }
}
