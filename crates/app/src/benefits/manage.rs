//! Management view of a benefit: everything but its holder can be changed, in any situation, and every situation can be
//! left, with a reason where cancelling or reopening requires one.

use super::vehicle;
use super::{
    PendingBenefitWrite, SentBenefitFields, SentBenefitValidator, WrittenBenefit, field_changes,
    is_vehicle_kind, load_holder, load_key_conflicts, refuse_conflicts, store_benefit,
};
use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::field_differences::{BENEFIT, CurrentVersion, refuse_old_version};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::record_timeline::{self, RecordHistory};
use crate::register_snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use crate::situations::refuse_situation_change;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitCode, BenefitItem, Entity, InputField,
    ItemCode, PersonProfile, Rejection, Scope, SituationCode, SituationKind, VehicleDetails,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits;
use storage::benefits::items;
use storage::members::dependents;
use wire::read::{BoundedInt, FieldPatch};
use wire::records::{BeneficioAlteracaoInput, ItemAlteracaoInput, SituacaoBeneficioInput};

const READ: AuditedOperation = AuditedOperation::ShowBenefit;
const CHANGE: AuditedOperation = AuditedOperation::ChangeBenefit;
const MOVE: AuditedOperation = AuditedOperation::ChangeBenefitSituation;
const ITEM: AuditedOperation = AuditedOperation::ChangeItem;
const HISTORY: AuditedOperation = AuditedOperation::ShowBenefitHistory;

/// A benefit with its holder, items and number of dependents.
#[derive(Clone, Debug)]
pub struct FullBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub holder: PersonProfile,
    /// The first item comes first; ended items are included.
    pub items: Vec<BenefitItem>,
    /// Number of active dependents.
    pub dependents: i64,
    pub registers: Arc<TenantRegisters>,
    changed: bool,
}

fn reject_unknown_benefit(code: BenefitCode) -> Error {
    Error::NotFound { field: InputField::Benefit, code: code.get() }
}

type BenefitRelatedRecords = (PersonProfile, Vec<BenefitItem>, i64);

async fn load_related_records(
    tx: &mut Tx,
    scope: &Scope,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<BenefitRelatedRecords, Error> {
    let tenant = scope.tenant();
    let holder = load_holder(tx, tenant, code, benefit).await?;
    let mut items = items::list_items(&mut *tx, tenant, code).await?;
    items.sort_by_key(|item| (!item.is_first, item.code));
    Ok((holder, items, dependents::count_active_dependents(&mut *tx, tenant, [code]).await?))
}

/// Reads a benefit with its related records.
#[boxed::future]
pub async fn read_full_benefit(app: &App, caller: &Session, code: BenefitCode) -> Result<FullBenefit, Error> {
    let input = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((benefit, related), registers) = read_with_registers(app, tenant, input, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit =
                benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(reject_unknown_benefit(*code))?;
            let related = load_related_records(tx, scope, *code, &benefit).await?;
            Ok::<_, Error>((benefit, related))
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(benefit.person))?;
    let (holder, items, dependents) = related;
    Ok(FullBenefit { code, benefit, holder, items, dependents, registers, changed: false })
}

/// Reads field changes and situation changes of a benefit.
#[boxed::future]
pub async fn read_benefit_history(
    app: &App,
    caller: &Session,
    code: BenefitCode,
) -> Result<RecordHistory, Error> {
    let input = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_with_registers(app, tenant, input, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit =
                benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(reject_unknown_benefit(*code))?;
            let mut found =
                record_timeline::list_field_changes(tx, scope.tenant(), BENEFIT, code.get()).await?;
            found.extend(record_timeline::list_situation_changes(tx, scope.tenant(), *code).await?);
            Ok::<_, Error>((benefit.person, found))
        })
    })
    .await?;
    record_access(app, caller, HISTORY, std::iter::once(person))?;
    Ok(record_timeline::build_record_history(found, registers))
}

/// An answer without a change is recorded as read access.
fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: WriteOutcome<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    if let WriteOutcome::Fresh(FullBenefit { benefit, changed: false, .. }) = &outcome {
        record_access(app, caller, operation, std::iter::once(benefit.person))?;
    }
    Ok(outcome)
}

/// Changes a benefit: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn change_benefit(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: BeneficioAlteracaoInput,
    once: IdempotentWrite<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    let outcome = run_command(app, caller, CHANGE, (code, input), once, |tx, command| {
        Box::pin(write_benefit_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, CHANGE, outcome)
}

async fn write_benefit_change(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, BeneficioAlteracaoInput)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let tenant = command.scope.tenant();
    confirm_registers(tx, tenant, &command.registers).await?;
    let before =
        benefits::find_benefit(&mut *tx, &command.scope, code).await?.ok_or(reject_unknown_benefit(code))?;
    let (holder, items_before, _) = load_related_records(tx, &command.scope, code, &before).await?;
    let mut validator = SentBenefitValidator::new(&command.registers, &command.scope);
    let has_vehicle = is_vehicle_kind(before.kind);
    if !has_vehicle && has_vehicle_fields(input) {
        validator.problems.push(Rejection::NoVehicle);
    }
    let vehicle = has_vehicle.then_some((&input.vehicle, &input.fipe));
    let sent_fields = SentBenefitFields { fields: &input.fields, situation: None, vehicle, known: None };
    let (after, item) = validator.build_changed_benefit(sent_fields, &before, &items_before, command.now);
    if !validator.problems.is_empty() {
        return Err(Error::Refused(validator.problems));
    }
    let differences = field_changes::compare_benefits(&command.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        find_version_problem(command, Some(input.version), &before, &differences).into_iter().collect();
    if after == before && item.is_none() && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, command, code, before, false)).await;
    }
    problems.extend(find_conflicts(tx, command, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let after = Benefit { updated_at: command.now, ..after };
    let pending = PendingBenefitWrite {
        item,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, AuditedAction::Change)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}

/// Whether the input sets a field that only vehicles have.
fn has_vehicle_fields(input: &BeneficioAlteracaoInput) -> bool {
    let mut vehicle = VehicleDetails::default();
    vehicle::apply_vehicle_fields(&input.vehicle, &mut vehicle);
    vehicle != VehicleDetails::default()
        || matches!(input.vehicle.kind, FieldPatch::Set(_))
        || matches!(input.fipe, FieldPatch::Set(_))
}

fn find_version_problem<I>(
    command: &WriteCommand<I>,
    input_version: Option<BoundedInt<0, { i32::MAX }>>,
    before: &Benefit,
    differences: &[crate::field_differences::FieldDifference],
) -> Option<Rejection> {
    let current = CurrentVersion { version: before.version, since: before.updated_at };
    input_version.and_then(|input_version| {
        refuse_old_version(input_version.get().into(), current, &command.registers.zone, differences)
    })
}

/// Conflicts with the card or the vehicle of other benefits.
async fn find_conflicts<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: BenefitCode,
    before: &Benefit,
    after: &Benefit,
) -> Result<Vec<Rejection>, Error> {
    let conflicts = load_key_conflicts(tx, command.scope.tenant(), after).await?;
    let scope_and_registers = (&command.scope, &*command.registers);
    match refuse_conflicts(scope_and_registers, Some((code, before)), after, before.person, &conflicts) {
        Err(Error::Refused(problems)) => Ok(problems),
        other => other.map(|()| Vec::new()),
    }
}

async fn build_full_benefit<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: BenefitCode,
    benefit: Benefit,
    changed: bool,
) -> Result<FullBenefit, Error> {
    let (holder, items, dependents) = load_related_records(tx, &command.scope, code, &benefit).await?;
    let registers = Arc::clone(&command.registers);
    Ok(FullBenefit { code, benefit, holder, items, dependents, registers, changed })
}

/// The target situation and the reason.
pub type ChangeBenefitSituation = SituacaoBeneficioInput;

/// Moves a benefit to another situation; a cancelled benefit may be reopened.
#[boxed::future]
pub async fn change_benefit_situation(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: ChangeBenefitSituation,
    once: IdempotentWrite<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    let outcome = run_command(app, caller, MOVE, (code, input), once, |tx, command| {
        Box::pin(write_situation_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, MOVE, outcome)
}

async fn write_situation_change(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, ChangeBenefitSituation)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let before = benefits::find_benefit(&mut *tx, &command.scope, code).await?;
    let present = before.as_ref().map(|before| before.situation);
    let to = resolve_target_situation(&command.registers, &command.scope, input, present)?;
    let kind = |situation: SituationCode| command.registers.situation_kind(situation);
    let involved = [Some(to), present].into_iter().flatten();
    let needs_reason =
        present != Some(to) && involved.into_iter().any(|one| kind(one) == Some(SituationKind::Cancelled));
    let reason = input.reason.clone().into_set().map(domain::NoteText::into_string);
    if needs_reason && reason.is_none() {
        let reopens = kind(to) != Some(SituationKind::Cancelled);
        return Err(Rejection::ReasonNeeded { reopens }.into());
    }
    let before = before.ok_or(reject_unknown_benefit(code))?;
    let mut problems: Vec<Rejection> =
        find_version_problem(command, input.version.clone().into_set(), &before, &[]).into_iter().collect();
    if before.situation == to && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, command, code, before, false)).await;
    }
    problems.extend(refuse_situation_change(&command.registers, before.situation, to));
    let after = Benefit { situation: to, updated_at: command.now, ..before.clone() };
    problems.extend(find_conflicts(tx, command, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let holder = load_holder(tx, command.scope.tenant(), code, &before).await?;
    let action = match (kind(before.situation), kind(to)) {
        (_, Some(SituationKind::Cancelled)) => AuditedAction::Cancel,
        (Some(SituationKind::Cancelled), _) => AuditedAction::Reactivate,
        _ => AuditedAction::ChangeSituation,
    };
    let pending = PendingBenefitWrite {
        reason,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, action)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}

/// Resolves the target by code, by name, or by both if they agree.
fn resolve_target_situation(
    registers: &TenantRegisters,
    scope: &Scope,
    input: &ChangeBenefitSituation,
    present: Option<SituationCode>,
) -> Result<SituationCode, Error> {
    let mut validator = SentBenefitValidator::new(registers, scope);
    let usable = |code: SituationCode| {
        let found = registers.situation(code).filter(|one| one.entity == Entity::Benefit);
        found.is_some_and(|one| one.active || Some(one.code) == present)
    };
    let by_code = match input.code {
        FieldPatch::Set(code) if usable(code) => Some(code),
        FieldPatch::Set(code) => {
            let known =
                registers.active_situations(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
            validator.problems.push(Rejection::UnknownSituationCode { given: code.get(), known });
            None
        }
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    let by_name = match &input.name {
        FieldPatch::Set(name) => validator.find_situation_by_name(name.as_str(), present),
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    match (by_code, by_name) {
        (Some(code), Some(name)) if code != name => {
            let (field, with) = (InputField::Situation, InputField::SituationCode);
            validator.problems.push(Rejection::Disagree { field, with });
        }
        (None, None) if validator.problems.is_empty() => {
            validator.problems.push(Rejection::NoSituationNamed);
        }
        _ => {}
    }
    match (by_code.or(by_name), validator.problems) {
        (Some(to), problems) if problems.is_empty() => Ok(to),
        (_, problems) => Err(Error::Refused(problems)),
    }
}

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
    one.price = input.price.clone().into_set().unwrap_or(one.price);
    let one = one.clone();
    let active = || all.iter().filter(|one| one.active);
    let plans: Vec<_> = active().map(|one| (one.plan, one.price)).collect();
    let after = Benefit { plans, updated_at: command.now, ..before.clone() };
    let differences = field_changes::compare_benefits(&command.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        find_version_problem(command, input.version.clone().into_set(), &before, &differences)
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
    let also = vec![items::update_item_terms(tenant, code, &one, command.now)];
    let pending = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, audited)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}
