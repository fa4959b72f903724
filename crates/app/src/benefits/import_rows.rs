//! Import of vehicle benefits: a row is matched by its preset numbers, else by its vehicle.

use super::save::{
    BenefitWriteInput, NewBenefitDraft, change_existing_benefit, find_visible_holder, insert_benefit,
};
use super::{
    PendingBenefitWrite, PresetNumbers, SentBenefitValidator, WrittenBenefit, load_holder, store_benefit,
};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use crate::listing_rows::{ListedDays, build_listed_member, build_member_row};
use crate::situations::refuse_situation_change;
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, Benefit, BenefitCode, BenefitItem, Entity,
    ImportOutcome, ImportProblem, ImportUndoObstacle, InputField, PersonCode, PersonProfile, Rejection,
    SituationCode, SituationKind,
};
use serde_json::{Map, Value};
use storage::Tx;
use storage::benefits::items;
use storage::benefits::monthly_counts;
use storage::benefits::{self, MatchingBenefit};
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::search::rows::{self, PreviousRowState, SearchListingRow};
use wire::read::FieldPatch;
use wire::records::BeneficioVeiculoInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct VehicleBenefitRow {
    pub input: BeneficioVeiculoInput,
    pub numbers: PresetBenefitNumbers,
}

/// The benefit code and sequence number that the row prescribes.
#[derive(Clone, Copy, Debug)]
pub struct PresetBenefitNumbers(PresetNumbers);

impl PresetBenefitNumbers {
    pub fn take_from(fields: &mut Map<String, Value>) -> PresetBenefitNumbers {
        let code = take_number_field(fields, "codBeneficio").map(BenefitCode::new);
        PresetBenefitNumbers(PresetNumbers { code, sequence: take_number_field(fields, "sequencial") })
    }
}

impl VehicleBenefitRow {
    /// Two rows about the same benefit have the same key.
    pub fn duplicate_key(&self) -> Option<String> {
        let vehicle = &self.input.vehicle;
        match (self.numbers.0.code, &vehicle.plate, &vehicle.chassis) {
            (Some(code), ..) => Some(format!("b{code}")),
            (None, FieldPatch::Set(plate), _) => Some(format!("p{}", plate.comparison_key())),
            (None, _, FieldPatch::Set(chassis)) => Some(format!("c{}", chassis.as_str())),
            _ => None,
        }
    }
}

/// Finds the benefit of a row: by its preset numbers, else the holder's benefit with that plate, chassis or card.
async fn resolve_existing_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<Option<BenefitCode>, Error> {
    let tenant = context.scope.tenant();
    let PresetNumbers { code, sequence } = row.numbers.0;
    if code.is_some() || sequence.is_some() {
        let (by_code, by_sequence) = benefits::find_benefits_by_numbers(tx, tenant, (code, sequence)).await?;
        if let (Some(by_sequence), Some(code)) = (by_sequence, code)
            && by_sequence != code
        {
            return Err(Rejection::CodeTaken { field: InputField::Benefit, code: by_sequence.get() }.into());
        }
        if let Some(found) = by_code.or(by_sequence) {
            return Ok(Some(found));
        }
    }
    let (vehicle, card) = (&row.input.vehicle, &row.input.benefit.fields.card);
    let keys = (borrow_given(&vehicle.plate), borrow_given(&vehicle.chassis), borrow_given(card));
    let found = benefits::list_matching_benefits(tx, tenant, keys).await?;
    let in_force = |one: &&MatchingBenefit| !is_over(context, one.situation);
    let holder =
        storage::members::find_person_by_document(&mut *tx, tenant, &row.input.benefit.document).await?;
    let holder: Option<PersonCode> = holder.map(|(person, _)| person);
    let held_benefits = found.iter().filter(|one| Some(one.person) == holder);
    // A benefit of another person is later reported as a conflict. A finished benefit of the same holder matches only
    // if none is in force and the row asks for a finished situation.
    let held_benefits: Vec<&MatchingBenefit> = held_benefits.collect();
    if let Some(found) = held_benefits.iter().copied().find(in_force) {
        return Ok(Some(found.code));
    }
    // A row with numbers not yet in use creates another past benefit.
    let requested = find_requested_situation(context, row).filter(|_| code.is_none() && sequence.is_none());
    let ended = requested.filter(|requested| is_over(context, *requested));
    Ok(ended.and_then(|ended| {
        held_benefits.iter().max_by_key(|one| (one.situation == ended, one.code)).map(|one| one.code)
    }))
}

fn is_over(context: &ImportUnitContext, situation: SituationCode) -> bool {
    matches!(
        context.registers.situation_kind(situation),
        Some(SituationKind::Inactive | SituationKind::Cancelled)
    )
}

/// The situation the row asks for, by name or by flag.
fn find_requested_situation(context: &ImportUnitContext, row: &VehicleBenefitRow) -> Option<SituationCode> {
    let input = &row.input.benefit;
    match (&input.situation, &input.active) {
        (FieldPatch::Set(name), _) => {
            context.registers.find_situation_by_name(Entity::Benefit, name.as_str())
        }
        (_, FieldPatch::Set(false)) => {
            context.registers.default_situation(Entity::Benefit, SituationKind::Inactive)
        }
        _ => None,
    }
    .map(|one| one.code)
}

fn borrow_given<T>(patch: &FieldPatch<T>) -> Option<&T> {
    match patch {
        FieldPatch::Set(value) => Some(value),
        FieldPatch::Keep | FieldPatch::Clear => None,
    }
}

#[boxed::future]
pub async fn find_imported_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<Option<i32>, Error> {
    match resolve_existing_benefit(tx, context, row).await {
        Ok(found) => Ok(found.map(BenefitCode::get)),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[boxed::future]
pub async fn write_imported_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = context.scope.tenant();
    let mut input = row.input.clone();
    let Some(code) = resolve_existing_benefit(tx, context, row).await? else {
        return Box::pin(create_imported_benefit(tx, context, row)).await;
    };
    context.refuse_repeated_record(code.get())?;
    input.benefit.code = FieldPatch::Set(code);
    let before = benefits::find_benefit(&mut *tx, &context.scope, code).await?;
    let items_before = items::list_items(&mut *tx, tenant, code).await?;
    let command = context.build_command(BenefitWriteInput::Vehicle(Box::new(input)));
    let saved = Box::pin(change_existing_benefit(tx, &command, code)).await?;
    match (saved.changed, before) {
        (true, Some(before)) => Ok(ImportRowOutcome::Changed {
            record: code.get(),
            before: benefits::render_benefit_snapshot(&before, &items_before),
            version: saved.benefit.version,
        }),
        _ => Ok(ImportRowOutcome::Same { record: code.get() }),
    }
}

async fn create_imported_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<ImportRowOutcome, Error> {
    let command = context.build_command(BenefitWriteInput::Vehicle(Box::new(row.input.clone())));
    let holder = find_visible_holder(tx, &command).await?;
    let mut validator = SentBenefitValidator::new(&command.registers, &command.scope);
    if holder.is_none() {
        validator.problems.push(Rejection::UnknownPerson(row.input.benefit.document.to_string()));
    }
    if has_removed_number(tx, context, row.numbers.0).await? {
        validator.problems.push(Rejection::Import(ImportProblem::Removed));
    }
    let built = validator.build_new_benefit(command.input.sent_fields(), holder.as_ref(), command.now);
    let (Some((benefit, item)), Some(holder), []) = (built, holder, &validator.problems[..]) else {
        return Err(Error::Refused(validator.problems));
    };
    // The version of the person in which this benefit makes them a member.
    let joined = (!holder.1.is_member).then(|| (holder.1.version + 1).to_string());
    let draft = NewBenefitDraft {
        benefit,
        item,
        holder,
        preset_numbers: row.numbers.0,
        then: None,
        audited: AuditedAction::Create.into(),
    };
    let WrittenBenefit { code, benefit, .. } =
        Box::pin(insert_benefit(tx, &command.actor_context(), &command.scope, draft)).await?;
    Ok(ImportRowOutcome::Created { record: code.get(), version: benefit.version, joined })
}

async fn has_removed_number(
    tx: &mut Tx,
    context: &ImportUnitContext,
    preset: PresetNumbers,
) -> Result<bool, Error> {
    let tenant = context.scope.tenant();
    let codes: Vec<i32> = preset.code.map(BenefitCode::get).into_iter().collect();
    let sequences: Vec<i32> = preset.sequence.into_iter().collect();
    Ok(!imports::list_removed_codes(&mut *tx, tenant, "benefit", &codes).await?.is_empty()
        || !imports::list_removed_codes(&mut *tx, tenant, "sequence", &sequences).await?.is_empty())
}

/// Undoes the effect of an import row, unless the benefit has changed since.
#[boxed::future]
pub async fn undo_imported_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let code = BenefitCode::new(line.record.unwrap_or_default());
    let Some(current) = benefits::find_benefit(&mut *tx, &context.scope, code).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGoneOrOtherBranch));
    };
    if line.version != Some(current.version) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ChangedSince));
    }
    let holder = load_holder(tx, context.scope.tenant(), code, &current).await?;
    match (&line.before, line.outcome) {
        (Some(before), ImportOutcome::Changed) => {
            Box::pin(restore_benefit(tx, context, (code, &current), &holder, before)).await
        }
        (joined, _) => {
            let made_member = joined.as_deref() == Some(holder.version.to_string().as_str());
            Box::pin(remove_benefit(tx, context, (code, &current), &holder, made_member)).await
        }
    }
}

async fn restore_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    (code, current): (BenefitCode, &Benefit),
    holder: &PersonProfile,
    before: &str,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let (before, items_before) = benefits::parse_benefit_snapshot(before)?;
    if let Some(refused) = refuse_situation_change(&context.registers, current.situation, before.situation) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::Refused(vec![refused])));
    }
    let current_items = items::list_items(&mut *tx, tenant, code).await?;
    let previous_terms = |one: &BenefitItem| match items_before.iter().find(|item| item.code == one.code) {
        Some(item) => item.clone(),
        // An item added by the import is ended.
        None => BenefitItem { active: false, ..one.clone() },
    };
    let changed =
        current_items.iter().map(|one| (one, previous_terms(one))).filter(|(one, item)| *one != item);
    let also = changed.map(|(_, item)| items::update_item_terms(tenant, code, &item, context.now)).collect();
    let after = Benefit {
        slot: current.slot,
        sequence: current.sequence,
        version: current.version,
        created_at: current.created_at,
        updated_at: context.now,
        ..before
    };
    // In the meantime another benefit may have taken the vehicle or the card.
    let conflicts = super::conflicts::load_key_conflicts(tx, tenant, &after).await?;
    let scope_and_registers = (&context.scope, &*context.registers);
    match super::conflicts::refuse_conflicts(
        scope_and_registers,
        Some((code, current)),
        &after,
        current.person,
        &conflicts,
    ) {
        Err(Error::Refused(problems)) => {
            return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::Refused(problems)));
        }
        other => other?,
    }
    let pending = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(code, current, after, holder, AuditedAction::UndoImportUpdate)
    };
    store_benefit(tx, &context.change_context(), pending).await?;
    Ok(ImportUndoOutcome::Restored)
}

async fn remove_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    (code, current): (BenefitCode, &Benefit),
    holder: &PersonProfile,
    // True if this benefit made its holder a member and the holder has not changed since.
    made_member: bool,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    if let Some(kind) = benefits::find_benefit_reference(tx, tenant, code).await? {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(kind)));
    }
    let others =
        benefits::list_benefits_of_person(&mut *tx, &domain::Scope::for_tenant(tenant), current.person)
            .await?;
    let days = ListedDays::of_benefit(current, holder, &context.registers.zone);
    let previous = PreviousRowState { branch: current.branch, benefit: Some((code, current.situation)) };
    let mut statements = rows::delete_listing_row(tenant, current.slot, previous, days.registered_on);
    if others.len() == 1 && made_member {
        let person = PersonProfile { is_member: false, updated_at: context.now, ..holder.clone() };
        storage::members::update_person(tx, tenant, current.person, &person).await?;
    } else if others.len() == 1 {
        // The first benefit had taken over the member's own listing row: insert that row again.
        let days = ListedDays::of_member(holder, &context.registers.zone);
        let row = SearchListingRow {
            slot: current.slot,
            member: build_listed_member(current.person, holder),
            row_fields: build_member_row(holder, days),
        };
        statements.extend(rows::insert_listing_rows(tenant, &[row]));
    }
    if let Some(day) = current.cancelled_on {
        let mut months = monthly_counts::BenefitCountChanges::default();
        months.count(monthly_counts::BenefitMovement::Cancelled, day, current.branch, -1);
        statements.extend(months.into_statements(tenant));
    }
    statements.extend(benefits::delete_benefit(tenant, code, current.sequence));
    rows::mark_listing_changed(tx, tenant).await?;
    tx.execute_batch(statements).await?;
    let change = AuditedChange::new(AuditedAction::UndoImport, AuditedRecordKind::Benefit, code.get());
    audit::append_audit_entry(tx, &context.audit_entry(Some(current.person), change)).await?;
    Ok(ImportUndoOutcome::Removed)
}
