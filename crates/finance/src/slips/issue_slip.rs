//! Issues the slip of one title, or its second copy.

use super::issue_slips::NewSlipBatch;
use super::link::{RandomLinkSeed, plan_slip_link};
use super::slip_list::{ListedSlip, SlipOfTitle, load_listed_slips};
use crate::booking::refuse;
use crate::full_title::reject_unknown_title;
use crate::issue_pix_code::refuse_unpayable;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, MoneyRight, TitleCode};
use finance_storage::slips::list_last_slips;
use finance_storage::titles::find_title;
use links::insert_links;
use std::sync::Arc;
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Issues a slip, or finds the one that still holds what is due. Who may see the title may have it paid.
#[boxed::future]
pub async fn issue_slip(
    app: &App,
    caller: &Session,
    (title, reason): (TitleCode, Option<String>),
    once: IdempotentWrite<SlipOfTitle>,
) -> Result<WriteOutcome<SlipOfTitle>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = NewSlipRequest { title, reason, seed: RandomLinkSeed::draw(&*app.random_source) };
    run_command(app, caller, AuditedOperation::IssueSlip, input, once, |tx, command| {
        Box::pin(write_slip(tx, command))
    })
    .await
}

#[derive(Clone)]
struct NewSlipRequest {
    title: TitleCode,
    reason: Option<String>,
    seed: RandomLinkSeed,
}

async fn write_slip(tx: &mut Tx, command: &WriteCommand<NewSlipRequest>) -> Result<SlipOfTitle, Error> {
    let (tenant, context, request) = (command.scope.tenant(), command.actor_context(), &command.input);
    let code = request.title;
    confirm_registers(tx, tenant, &command.registers).await?;
    let title =
        find_title(&mut *tx, &command.scope, code).await?.ok_or_else(|| reject_unknown_title(code))?;
    refuse_unpayable(&title)?;
    let last = list_last_slips(&mut *tx, tenant, &[code]).await?.into_iter().next();
    let mut draft = NewSlipBatch::new(&context);
    let debt = draft.load_debt(tx, (code, &title)).await?;
    if last.as_ref().is_none_or(|last| !debt.is_held_by(last)) {
        draft.add(tx, (code, &title), debt.compute_terms(), last.as_ref()).await?.map_err(refuse)?;
        let issued = draft.store(tx, &[(code, title.clone())], &request.seed).await?;
        let amount = issued.first().map_or(0, |slip| slip.amount);
        let change = AuditedChange::new(AuditedAction::IssueSlip, AuditedRecordKind::Title, code.get())
            .with_argument(amount)
            .with_reason(request.reason.as_deref());
        let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
        let audit_entry = context.audit_entry(Some(title.person), change);
        tx.execute_batch(vec![audit::insert_audit_entry(&audit_entry, audit_code)]).await?;
    }
    let mut slip = read_issued_slip(tx, command).await?;
    if slip.link_token.is_none() {
        // It was issued before the association was restored, or its link was revoked.
        let link = plan_slip_link(&context, &slip.slip, title.person, &request.seed);
        tx.execute_batch(insert_links([&link])).await?;
        slip.link_token = Some(link.token);
    }
    Ok(SlipOfTitle { slip, registers: Arc::clone(&command.registers) })
}

async fn read_issued_slip(tx: &mut Tx, command: &WriteCommand<NewSlipRequest>) -> Result<ListedSlip, Error> {
    let (tenant, code) = (command.scope.tenant(), command.input.title);
    let listed = load_listed_slips(tx, tenant, (&command.registers, command.now), &[code]).await?;
    listed.into_iter().next().ok_or_else(|| Error::Defect(format!("title {code} has no slip")))
}
