//! Management view of a benefit: everything but its holder can be changed, in any situation, and every situation can be
//! left, with a reason where cancelling or reopening requires one.

use super::vehicle;
use super::{
    SentBenefitFields, SentBenefitValidator, WriteCommand, field_changes, is_vehicle_kind, load_holder,
    load_key_conflicts, refuse_conflicts, run_command,
};
use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::field_differences::{CurrentVersion, refuse_old_version};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::record_timeline::{self, RecordHistory};
use crate::registers::snapshot::{TenantRegisters, confirm_registers, read_with_registers};
use crate::situations::BENEFIT;
use crate::situations::{self, PendingBenefitWrite, WrittenBenefit};
use crate::{App, Error};
use domain::{
    BenefitCode, Entity, InputField, ItemCode, Money, Rejection, Scope, SituationCode, SituationKind,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits::items::{self, StoredItem};
use storage::benefits::{self, StoredBenefit, VehicleDetails};
use storage::members::PersonProfile;
use storage::members::dependents;
use wire::read::{BoundedInt, FieldPatch};
use wire::records::{BeneficioAlteracaoInput, ItemAlteracaoInput, SituacaoBeneficioInput};

const READ: &str = "GET /gestao/beneficio/{codBeneficio}";
const CHANGE: &str = "PUT /gestao/beneficio/{codBeneficio}";
const MOVE: &str = "PUT /gestao/beneficio/{codBeneficio}/situacao";
const ITEM: &str = "PUT /gestao/beneficio/{codBeneficio}/itens/{codItem}";
const HISTORY: &str = "GET /gestao/beneficio/{codBeneficio}/historico";

/// A benefit with its holder, items and number of dependents.
#[derive(Clone, Debug)]
pub struct FullBenefit {
    pub code: BenefitCode,
    pub benefit: StoredBenefit,
    pub holder: PersonProfile,
    /// The first item comes first; ended items are included.
    pub items: Vec<StoredItem>,
    /// Number of active dependents.
    pub dependents: i64,
    pub registers: Arc<TenantRegisters>,
    changed: bool,
}

fn reject_unknown_benefit(code: BenefitCode) -> Error {
    Error::NotFound { field: InputField::Benefit, code: code.get() }
}

type BenefitRelatedRecords = (PersonProfile, Vec<StoredItem>, i64);

async fn load_related_records(
    tx: &mut Tx,
    scope: &Scope,
    code: BenefitCode,
    benefit: &StoredBenefit,
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
    let asked = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((benefit, around), registers) = read_with_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit =
                benefits::find_benefit(&mut *tx, scope, *code).await?.ok_or(reject_unknown_benefit(*code))?;
            let around = load_related_records(tx, scope, *code, &benefit).await?;
            Ok::<_, Error>((benefit, around))
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(benefit.person))?;
    let (holder, items, dependents) = around;
    Ok(FullBenefit { code, benefit, holder, items, dependents, registers, changed: false })
}

/// Reads field changes and situation changes of a benefit.
#[boxed::future]
pub async fn read_benefit_history(
    app: &App,
    caller: &Session,
    code: BenefitCode,
) -> Result<RecordHistory, Error> {
    let asked = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_with_registers(app, tenant, asked, |tx, (scope, code)| {
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
    operation: &'static str,
    done: WriteOutcome<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    if let WriteOutcome::Fresh(FullBenefit { benefit, changed: false, .. }) = &done {
        record_access(app, caller, operation, std::iter::once(benefit.person))?;
    }
    Ok(done)
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
    let done = run_command(app, caller, CHANGE, (code, input), once, |tx, asked| {
        Box::pin(write_benefit_change(tx, asked))
    })
    .await?;
    record_unchanged_access(app, caller, CHANGE, done)
}

async fn write_benefit_change(
    tx: &mut Tx,
    asked: &WriteCommand<(BenefitCode, BeneficioAlteracaoInput)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let tenant = asked.scope.tenant();
    confirm_registers(tx, tenant, &asked.registers).await?;
    let before =
        benefits::find_benefit(&mut *tx, &asked.scope, code).await?.ok_or(reject_unknown_benefit(code))?;
    let (holder, had, _) = load_related_records(tx, &asked.scope, code, &before).await?;
    let mut wish = SentBenefitValidator::new(&asked.registers, &asked.scope);
    let has_vehicle = is_vehicle_kind(before.kind);
    if !has_vehicle && has_vehicle_fields(input) {
        wish.problems.push(Rejection::NoVehicle);
    }
    let vehicle = has_vehicle.then_some((&input.vehicle, &input.fipe));
    let sent = SentBenefitFields { fields: &input.fields, situation: None, vehicle, known: None };
    let (after, item) = wish.build_changed_benefit(sent, &before, &had, asked.now);
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    let wanted = field_changes::compare_benefits(&asked.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        find_version_problem(asked, Some(input.version), &before, &wanted).into_iter().collect();
    if after == before && item.is_none() && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, asked, code, before, false)).await;
    }
    problems.extend(find_conflicts(tx, asked, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let after = StoredBenefit { updated_at: asked.now, ..after };
    let store = PendingBenefitWrite {
        item,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, "alterado")
    };
    let WrittenBenefit { code, benefit, .. } =
        situations::store_benefit(tx, &asked.actor_context(), store).await?;
    Box::pin(build_full_benefit(tx, asked, code, benefit, true)).await
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
    asked: &WriteCommand<I>,
    given: Option<BoundedInt<0, { i32::MAX }>>,
    before: &StoredBenefit,
    wanted: &[crate::field_differences::FieldDifference],
) -> Option<Rejection> {
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    given.and_then(|given| refuse_old_version(given.get().into(), present, &asked.registers.zone, wanted))
}

/// Conflicts with the card or the vehicle of other benefits.
async fn find_conflicts<I>(
    tx: &mut Tx,
    asked: &WriteCommand<I>,
    code: BenefitCode,
    before: &StoredBenefit,
    after: &StoredBenefit,
) -> Result<Vec<Rejection>, Error> {
    let around = load_key_conflicts(tx, asked.scope.tenant(), after).await?;
    let judge = (&asked.scope, &*asked.registers);
    match refuse_conflicts(judge, Some((code, before)), after, before.person, &around) {
        Err(Error::Refused(problems)) => Ok(problems),
        other => other.map(|()| Vec::new()),
    }
}

async fn build_full_benefit<I>(
    tx: &mut Tx,
    asked: &WriteCommand<I>,
    code: BenefitCode,
    benefit: StoredBenefit,
    changed: bool,
) -> Result<FullBenefit, Error> {
    let (holder, items, dependents) = load_related_records(tx, &asked.scope, code, &benefit).await?;
    let registers = Arc::clone(&asked.registers);
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
    let done = run_command(app, caller, MOVE, (code, input), once, |tx, asked| {
        Box::pin(write_situation_change(tx, asked))
    })
    .await?;
    record_unchanged_access(app, caller, MOVE, done)
}

async fn write_situation_change(
    tx: &mut Tx,
    asked: &WriteCommand<(BenefitCode, ChangeBenefitSituation)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    confirm_registers(tx, asked.scope.tenant(), &asked.registers).await?;
    let before = benefits::find_benefit(&mut *tx, &asked.scope, code).await?;
    let present = before.as_ref().map(|before| before.situation);
    let to = resolve_target_situation(&asked.registers, &asked.scope, input, present)?;
    let kind = |situation: SituationCode| asked.registers.situation_kind(situation);
    let matters = [Some(to), present].into_iter().flatten();
    let needs_reason =
        present != Some(to) && matters.into_iter().any(|one| kind(one) == Some(SituationKind::Cancelled));
    let reason = input.reason.clone().into_set().map(domain::NoteText::into_string);
    if needs_reason && reason.is_none() {
        let reopens = kind(to) != Some(SituationKind::Cancelled);
        return Err(Rejection::ReasonNeeded { reopens }.into());
    }
    let before = before.ok_or(reject_unknown_benefit(code))?;
    let mut problems: Vec<Rejection> =
        find_version_problem(asked, input.version.clone().into_set(), &before, &[]).into_iter().collect();
    if before.situation == to && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, asked, code, before, false)).await;
    }
    problems.extend(situations::refuse_situation_change(&asked.registers, before.situation, to));
    let after = StoredBenefit { situation: to, updated_at: asked.now, ..before.clone() };
    problems.extend(find_conflicts(tx, asked, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let holder = load_holder(tx, asked.scope.tenant(), code, &before).await?;
    let done = match (kind(before.situation), kind(to)) {
        (_, Some(SituationKind::Cancelled)) => "cancelado",
        (Some(SituationKind::Cancelled), _) => "reativado",
        _ => "mudou de situação",
    };
    let store = PendingBenefitWrite {
        reason,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, done)
    };
    let WrittenBenefit { code, benefit, .. } =
        situations::store_benefit(tx, &asked.actor_context(), store).await?;
    Box::pin(build_full_benefit(tx, asked, code, benefit, true)).await
}

/// Resolves the target by code, by name, or by both if they agree.
fn resolve_target_situation(
    registers: &TenantRegisters,
    scope: &Scope,
    input: &ChangeBenefitSituation,
    present: Option<SituationCode>,
) -> Result<SituationCode, Error> {
    let mut wish = SentBenefitValidator::new(registers, scope);
    let usable = |code: SituationCode| {
        let found = registers.situation(code).filter(|one| one.entity == Entity::Benefit);
        found.is_some_and(|one| one.active || Some(one.code) == present)
    };
    let by_code = match input.code {
        FieldPatch::Set(code) if usable(code) => Some(code),
        FieldPatch::Set(code) => {
            let known =
                registers.active_situations(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
            wish.problems.push(Rejection::UnknownSituationCode { given: code.get(), known });
            None
        }
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    let by_name = match &input.name {
        FieldPatch::Set(name) => wish.find_situation_by_name(name.as_str(), present),
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    match (by_code, by_name) {
        (Some(code), Some(name)) if code != name => {
            let (field, with) = (InputField::Situation, InputField::SituationCode);
            wish.problems.push(Rejection::Disagree { field, with });
        }
        (None, None) if wish.problems.is_empty() => {
            wish.problems.push(Rejection::NoSituationNamed);
        }
        _ => {}
    }
    match (by_code.or(by_name), wish.problems) {
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
    let asked = (code, item, input);
    let done =
        run_command(app, caller, ITEM, asked, once, |tx, asked| Box::pin(write_item_change(tx, asked)))
            .await?;
    record_unchanged_access(app, caller, ITEM, done)
}

async fn write_item_change(
    tx: &mut Tx,
    asked: &WriteCommand<(BenefitCode, ItemCode, ItemAlteracaoInput)>,
) -> Result<FullBenefit, Error> {
    let (code, item, input) = (asked.input.0, asked.input.1, &asked.input.2);
    let tenant = asked.scope.tenant();
    confirm_registers(tx, tenant, &asked.registers).await?;
    let before =
        benefits::find_benefit(&mut *tx, &asked.scope, code).await?.ok_or(reject_unknown_benefit(code))?;
    let (holder, mut all, _) = load_related_records(tx, &asked.scope, code, &before).await?;
    let found = all.iter_mut().find(|one| one.code == item);
    let one = found.ok_or(Error::NotFound { field: InputField::Item, code: item.get() })?;
    let was = one.clone();
    one.active = input.active.clone().into_set().unwrap_or(one.active);
    one.price = input.price.clone().into_set().map_or(one.price, Money::cents);
    let one = one.clone();
    let active = || all.iter().filter(|one| one.active);
    let plans: Vec<_> = active().map(|one| (one.plan, one.price)).collect();
    let after = StoredBenefit { plans, updated_at: asked.now, ..before.clone() };
    let wanted = field_changes::compare_benefits(&asked.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        find_version_problem(asked, input.version.clone().into_set(), &before, &wanted).into_iter().collect();
    if active().next().is_none() {
        problems.push(Rejection::LastPlan(code));
    }
    if one.active && active().filter(|other| other.plan == one.plan).count() > 1 {
        problems.push(Rejection::PlanTaken(one.plan));
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    if one == was {
        return Box::pin(build_full_benefit(tx, asked, code, before, false)).await;
    }
    let done = format!("alterado: item {item} {}", if one.active { "alterado" } else { "retirado" });
    let also = vec![items::update_item_terms(tenant, code, &one, asked.now)];
    let store =
        PendingBenefitWrite { also, ..PendingBenefitWrite::for_change(code, &before, after, &holder, done) };
    let WrittenBenefit { code, benefit, .. } =
        situations::store_benefit(tx, &asked.actor_context(), store).await?;
    Box::pin(build_full_benefit(tx, asked, code, benefit, true)).await
}
