//! Changes an item of a benefit: its price, its plan, whether it is active.

use super::change::{record_unchanged_access, refuse_old_benefit_version};
use super::show::{FullBenefit, build_full_benefit, load_related_records, reject_unknown_benefit};
use super::{PendingBenefitWrite, WrittenBenefit, field_changes, store_benefit};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitCode, InputField, ItemCode, Rejection,
};
use storage::Tx;
use storage::benefits;
use storage::benefits::items;
use storage::benefits::title_revisions::insert_item_revision;
use wire::read::FieldPatch;
use wire::records::ItemAlteracaoInput;

const ITEM: AuditedOperation = AuditedOperation::ChangeItem;

/// Changes an item of a benefit: ends it, reactivates it or sets another price.
#[boxed::future]
pub async fn change_item(
    app: &App,
    caller: &Session,
    (code, item): (BenefitCode, ItemCode),
    input: ItemAlteracaoInput,
    once: IdempotentWrite<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    let command_input = (code, item, input);
    let outcome = run_command(app, caller, ITEM, command_input, once, |tx, command| {
        Box::pin(write_item_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, ITEM, outcome)
}

async fn write_item_change(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, ItemCode, ItemAlteracaoInput)>,
) -> Result<FullBenefit, Error> {
    let (code, item, input) = (command.input.0, command.input.1, &command.input.2);
    let tenant = command.scope.tenant();
    confirm_registers(tx, tenant, &command.registers).await?;
    let before =
        benefits::find_benefit(&mut *tx, &command.scope, code).await?.ok_or(reject_unknown_benefit(code))?;
    let (holder, mut all, _) = load_related_records(tx, &command.scope, code, &before).await?;
    let found = all.iter_mut().find(|one| one.code == item);
    let one = found.ok_or(Error::NotFound { field: InputField::Item, code: item.get() })?;
    let previous = one.clone();
    one.active = input.active.clone().into_set().unwrap_or(one.active);
    // A value that somebody sets is agreed, unless they say otherwise.
    let is_set = matches!(input.price, FieldPatch::Set(_));
    one.price = input.price.clone().into_set().unwrap_or(one.price);
    one.is_price_agreed = input.agreed.clone().into_set().unwrap_or(one.is_price_agreed || is_set);
    let one = one.clone();
    let active = || all.iter().filter(|one| one.active);
    let plans: Vec<_> = active().map(|one| (one.plan, one.price)).collect();
    let after = Benefit { plans, updated_at: command.now, ..before.clone() };
    let differences = field_changes::compare_benefits(&command.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        refuse_old_benefit_version(command, input.version.clone().into_set(), &before, &differences)
            .into_iter()
            .collect();
    if active().next().is_none() {
        problems.push(Rejection::LastPlan(code));
    }
    if one.active && active().filter(|other| other.plan == one.plan).count() > 1 {
        problems.push(Rejection::PlanTaken(one.plan));
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    if one == previous {
        return Box::pin(build_full_benefit(tx, command, code, before, false)).await;
    }
    let action = if one.active { AuditedAction::ChangeItem } else { AuditedAction::RemoveItem };
    let audited = AuditedChange::from(action).with_argument(item);
    let mut also = vec![items::update_item_terms(tenant, code, &one, command.now)];
    let times = (&command.registers.zone, command.now);
    also.extend(insert_item_revision((tenant, code), (&previous, &one), times));
    let pending = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, audited)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}
