//! Applies a revision: cancels the titles that no longer fit, and issues those that take their place.

use super::list::load_visible_revision;
use super::plan::{TitleRevisionOutcome, TitleRevisionTotals};
use super::replace::prepare_replacement;
use crate::booking::refuse;
use crate::slips::{RandomLinkSeed, issue_slips};
use crate::use_credit::use_credits;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::FinanceProblem;
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BenefitCode, MoneyRight, TitleCode,
};
use finance_storage::charging::title_revisions::delete_title_revision;
use storage::Tx;
use storage::history::audit;

/// What a revision did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRevision {
    pub benefit: BenefitCode,
    pub totals: TitleRevisionTotals,
    pub cancelled: Vec<TitleCode>,
    pub issued: Vec<TitleCode>,
}

/// Applies the revision of a benefit's titles, if it still does what the caller saw: its digest.
#[boxed::future]
pub async fn apply_revision(
    app: &App,
    caller: &Session,
    (benefit, seen): (BenefitCode, String),
    once: IdempotentWrite<AppliedRevision>,
) -> Result<WriteOutcome<AppliedRevision>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let operation = AuditedOperation::ReviseTitles;
    let input = (benefit, seen, RandomLinkSeed::draw(&*app.random_source));
    run_command(app, caller, operation, input, once, |tx, command| Box::pin(write_revision(tx, command)))
        .await
}

async fn write_revision(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, String, RandomLinkSeed)>,
) -> Result<AppliedRevision, Error> {
    let (tenant, context, (benefit, seen, seed)) =
        (command.scope.tenant(), command.actor_context(), &command.input);
    let benefit = *benefit;
    confirm_registers(tx, tenant, &command.registers).await?;
    let (sources, revision) =
        load_visible_revision(tx, &command.registers, &command.scope, benefit, command.now).await?;
    let totals = revision.totals();
    if revision.digest() != *seen {
        return Err(refuse(FinanceProblem::RevisionMoved {
            cancelled_amount: totals.cancelled_amount,
            issued_amount: totals.issued_amount,
        }));
    }
    let reason = format!("Revisão do benefício {benefit}");
    let (mut cancelled, mut issued) = (Vec::new(), Vec::new());
    for (charge, revised) in sources.charges.iter().zip(&revision.titles) {
        let TitleRevisionOutcome::Replaced { titles, .. } = &revised.outcome else { continue };
        let (statements, codes) = prepare_replacement(tx, &context, (charge, titles), &reason).await?;
        tx.execute_batch(statements).await?;
        cancelled.push(revised.code);
        issued.extend(codes);
    }
    use_credits(tx, &context, &command.scope, &issued).await?;
    issue_slips(tx, &context, &issued, seed).await?;
    tx.execute(delete_title_revision(tenant, benefit)).await?;
    let change = AuditedChange::new(AuditedAction::ReviseTitles, AuditedRecordKind::Benefit, benefit.get())
        .with_argument(totals.cancelled_titles)
        .with_argument(totals.issued_titles);
    let person = Some(sources.benefit.person);
    audit::append_audit_entry(tx, &context.audit_entry(person, change)).await?;
    Ok(AppliedRevision { benefit, totals, cancelled, issued })
}
