//! State changes of deals: move to a stage, lose and reopen.

use super::save::{build_deal_audit_entry, build_stage_move};
use super::{FoundDeal, deals};
use crate::actor_context::ActorContext;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Deal, DealCode, DealState, InputField, NoteText,
    PersonCode, Rejection,
};
use std::sync::Arc;
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use wire::field_differences::{self, DEAL, FieldDifference};
use wire::field_texts::render_deal_fields;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::{EtapaInput, PerdaInput, ReaberturaInput};

const STAGE: AuditedOperation = AuditedOperation::MoveDeal;
const LOSE: AuditedOperation = AuditedOperation::LoseDeal;
const REOPEN: AuditedOperation = AuditedOperation::ReopenDeal;

pub(super) fn reject_unknown_deal(code: DealCode) -> Error {
    Error::NotFound { field: InputField::Deal, code: code.get() }
}

/// The present state of a deal.
#[derive(Clone, Debug)]
pub struct CurrentDeal {
    pub found_deal: FoundDeal,
    pub registers: Arc<TenantRegisters>,
    pub(super) changed: bool,
}

pub(super) fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: WriteOutcome<CurrentDeal>,
) -> Result<WriteOutcome<CurrentDeal>, Error> {
    if let WriteOutcome::Fresh(CurrentDeal { found_deal, changed: false, .. }) = &outcome {
        record_access(app, caller, operation, std::iter::once(found_deal.person))?;
    }
    Ok(outcome)
}

/// Loads the deal, if visible to the caller.
pub(super) async fn load_visible_deal<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: DealCode,
) -> Result<FoundDeal, Error> {
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let found = deals::list_found_deals(&mut *tx, &command.scope, &[code]).await?.pop();
    found.ok_or(reject_unknown_deal(code))
}

pub(super) fn refuse_old_deal_version<I>(
    command: &WriteCommand<I>,
    version: Option<i32>,
    before: &Deal,
    changes: &[FieldDifference],
) -> Option<Rejection> {
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    version.and_then(|version| refuse_old_version(version.into(), present, &command.registers.zone, changes))
}

#[boxed::future]
pub async fn move_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: EtapaInput,
    once: IdempotentWrite<CurrentDeal>,
) -> Result<WriteOutcome<CurrentDeal>, Error> {
    let outcome = run_command(app, caller, STAGE, (code, input), once, |tx, command| {
        Box::pin(write_deal_stage(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, STAGE, outcome)
}

async fn write_deal_stage(
    tx: &mut Tx,
    command: &WriteCommand<(DealCode, EtapaInput)>,
) -> Result<CurrentDeal, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let registers = &command.registers;
    let target =
        registers.funnels.iter().find(|one| one.stages.iter().any(|stage| stage.code == input.stage));
    let is_used = |funnel: &&crate::register_snapshot::StoredFunnel| {
        funnel.active && funnel.stages.iter().any(|stage| stage.code == input.stage && stage.active)
    };
    let found = load_visible_deal(tx, command, code).await;
    let present = found.as_ref().ok().map(|found| found.deal.stage);
    let Some(target) = target.filter(|target| is_used(target) || present == Some(input.stage)) else {
        return Err(Rejection::UnknownCode { field: InputField::Stage, code: input.stage.get() }.into());
    };
    let found = found?;
    let before = &found.deal;
    let mut after = before.clone();
    if before.stage != input.stage {
        (after.funnel, after.stage, after.stage_since) = (target.code, input.stage, command.now);
    }
    let changes = compare_deals(before, &after);
    let mut problems: Vec<Rejection> =
        refuse_old_deal_version(command, Some(input.version.get()), before, &changes).into_iter().collect();
    problems.extend(refuse_closed_deal(code, before));
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(store_deal(tx, command, found, after, AuditedAction::ChangeStage.into())).await
}

/// Only open deals can move.
fn refuse_closed_deal(deal: DealCode, before: &Deal) -> Option<Rejection> {
    let won = before.state == DealState::Won;
    (before.state != DealState::Open).then_some(Rejection::ClosedDeal { deal, won })
}

/// Marks a deal as lost, with the reason.
#[boxed::future]
pub async fn lose_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: PerdaInput,
    once: IdempotentWrite<CurrentDeal>,
) -> Result<WriteOutcome<CurrentDeal>, Error> {
    let outcome = run_command(app, caller, LOSE, (code, input), once, |tx, command| {
        Box::pin(write_deal_loss(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, LOSE, outcome)
}

async fn write_deal_loss(
    tx: &mut Tx,
    command: &WriteCommand<(DealCode, PerdaInput)>,
) -> Result<CurrentDeal, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let found = load_visible_deal(tx, command, code).await?;
    let reason = Some(input.reason.as_str().to_owned());
    let after = Deal { state: DealState::Lost, lost_because: reason, ..found.deal.clone() };
    let changes = compare_deals(&found.deal, &after);
    let version = input.version.clone().into_set().map(wire::read::BoundedInt::get);
    let mut problems: Vec<Rejection> =
        refuse_old_deal_version(command, version, &found.deal, &changes).into_iter().collect();
    if found.deal.state == DealState::Won {
        problems.push(Rejection::ClosedDeal { deal: code, won: true });
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(store_deal(tx, command, found, after, AuditedAction::LoseDeal.into())).await
}

/// Reopens a deal that was lost, or won without a benefit.
#[boxed::future]
pub async fn reopen_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: ReaberturaInput,
    once: IdempotentWrite<CurrentDeal>,
) -> Result<WriteOutcome<CurrentDeal>, Error> {
    let outcome = run_command(app, caller, REOPEN, (code, input), once, |tx, command| {
        Box::pin(write_deal_reopening(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, REOPEN, outcome)
}

async fn write_deal_reopening(
    tx: &mut Tx,
    command: &WriteCommand<(DealCode, ReaberturaInput)>,
) -> Result<CurrentDeal, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let found = load_visible_deal(tx, command, code).await?;
    let mut after = Deal { state: DealState::Open, lost_because: None, ..found.deal.clone() };
    if found.deal.state != DealState::Open {
        after.stage_since = command.now;
    }
    let changes = compare_deals(&found.deal, &after);
    let version = input.version.clone().into_set().map(wire::read::BoundedInt::get);
    let mut problems: Vec<Rejection> =
        refuse_old_deal_version(command, version, &found.deal, &changes).into_iter().collect();
    if found.deal.benefit.is_some() {
        problems.push(Rejection::ClosedDeal { deal: code, won: true });
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let reason = input.reason.clone().into_set();
    let change =
        AuditedChange::from(AuditedAction::ReopenDeal).with_reason(reason.as_ref().map(NoteText::as_str));
    Box::pin(store_deal(tx, command, found, after, change)).await
}

/// Writes the changed deal; does nothing if it is equal.
pub(super) async fn store_deal<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    found: FoundDeal,
    after: Deal,
    change: AuditedChange,
) -> Result<CurrentDeal, Error> {
    let (context, code) = (command.actor_context(), found.code);
    let registers = Arc::clone(&command.registers);
    if after == found.deal {
        return Ok(CurrentDeal { found_deal: found, registers, changed: false });
    }
    let deal = write_deal_change(tx, &context, (code, found.person), &found.deal, after, change).await?;
    Ok(CurrentDeal { found_deal: FoundDeal { deal, ..found }, registers, changed: true })
}

/// Writes any change of a deal with its stage move, field changes and audit entry.
pub(super) async fn write_deal_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, person): (DealCode, PersonCode),
    before: &Deal,
    mut after: Deal,
    change: AuditedChange,
) -> Result<Deal, Error> {
    let tenant = context.tenant;
    after.updated_at = context.now;
    let changes = compare_deals(before, &after);
    let mut statements = vec![deals::update_deal(tenant, code, &after)];
    if (after.stage, after.state) != (before.stage, before.state) {
        let number = deals::load_last_move_number(&mut *tx, tenant, code).await? + 1;
        statements
            .extend(deals::insert_deal_moves(tenant, [(code, &build_stage_move(&after, number, context))]));
    }
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let blocks = [(Counter::Audit, 1), (Counter::FieldChange, count)];
    let [audit_code, first] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    statements.extend(context.field_change_statements(DEAL, code.get(), first, changes));
    statements
        .push(audit::insert_audit_entry(&build_deal_audit_entry(context, code, person, change), audit_code));
    tx.execute_batch(statements).await?;
    after.version = before.version + 1;
    Ok(after)
}

pub(super) fn compare_deals(before: &Deal, after: &Deal) -> Vec<FieldDifference> {
    field_differences::compare_fields(render_deal_fields(before), render_deal_fields(after))
}
