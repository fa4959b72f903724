//! Import of vehicle benefits: a row is matched by its preset numbers, else by its vehicle.

use super::{
    NewBenefitDraft, SaveBenefitInput, SentBenefitValidator, WriteCommand, change_existing_benefit,
    find_visible_holder, insert_benefit, load_holder,
};
use crate::Error;
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use crate::members::{build_member_row, compute_listing_days as member_days};
use crate::situations::{
    self, PendingBenefitWrite, PresetNumbers, WrittenBenefit, build_listed_member, compute_listed_days,
};
use domain::{
    BenefitCode, Entity, ImportOutcome, ImportProblem, InputField, PersonCode, Rejection, SituationCode,
    SituationKind,
};
use serde_json::{Map, Value};
use storage::Tx;
use storage::benefits::items::{self, StoredItem};
use storage::benefits::monthly_counts;
use storage::benefits::{self, MatchingBenefit, StoredBenefit};
use storage::exchange::imports::{self, StoredLineResult};
use storage::history::audit;
use storage::members::PersonProfile;
use storage::search::rows::{self, PreviousRowState, SearchListingRow};
use wire::read::FieldPatch;
use wire::records::BeneficioVeiculoInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct VehicleBenefitRow {
    pub input: BeneficioVeiculoInput,
    pub kept: KeptBenefitNumbers,
}

/// The benefit code and sequence number that the row prescribes.
#[derive(Clone, Copy, Debug)]
pub struct KeptBenefitNumbers(PresetNumbers);

impl KeptBenefitNumbers {
    pub fn take_from(fields: &mut Map<String, Value>) -> KeptBenefitNumbers {
        let code = take_number_field(fields, "codBeneficio").map(BenefitCode::new);
        KeptBenefitNumbers(PresetNumbers { code, sequence: take_number_field(fields, "sequencial") })
    }
}

impl VehicleBenefitRow {
    /// Two rows about the same benefit have the same key.
    pub fn duplicate_key(&self) -> Option<String> {
        let vehicle = &self.input.vehicle;
        match (self.kept.0.code, &vehicle.plate, &vehicle.chassis) {
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
    doing: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<Option<BenefitCode>, Error> {
    let tenant = doing.scope.tenant();
    let PresetNumbers { code, sequence } = row.kept.0;
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
    let in_force = |one: &&MatchingBenefit| !is_over(doing, one.situation);
    let holder =
        storage::members::find_person_by_document(&mut *tx, tenant, &row.input.benefit.document).await?;
    let holder: Option<PersonCode> = holder.map(|(person, _)| person);
    let his = found.iter().filter(|one| Some(one.person) == holder);
    // A benefit of another person is later reported as a conflict. A finished benefit of the same holder matches only
    // if none is in force and the row asks for a finished situation.
    let his: Vec<&MatchingBenefit> = his.collect();
    if let Some(found) = his.iter().copied().find(in_force) {
        return Ok(Some(found.code));
    }
    // A row with numbers not yet in use creates another past benefit.
    let asked = find_requested_situation(doing, row).filter(|_| code.is_none() && sequence.is_none());
    let over = asked.filter(|asked| is_over(doing, *asked));
    Ok(over
        .and_then(|over| his.iter().max_by_key(|one| (one.situation == over, one.code)).map(|one| one.code)))
}

fn is_over(doing: &ImportUnitContext, situation: SituationCode) -> bool {
    matches!(
        doing.registers.situation_kind(situation),
        Some(SituationKind::Inactive | SituationKind::Cancelled)
    )
}

/// The situation the row asks for, by name or by flag.
fn find_requested_situation(doing: &ImportUnitContext, row: &VehicleBenefitRow) -> Option<SituationCode> {
    let input = &row.input.benefit;
    match (&input.situation, &input.active) {
        (FieldPatch::Set(name), _) => doing.registers.find_situation_by_name(Entity::Benefit, name.as_str()),
        (_, FieldPatch::Set(false)) => {
            doing.registers.default_situation(Entity::Benefit, SituationKind::Inactive)
        }
        _ => None,
    }
    .map(|one| one.code)
}

fn borrow_given<T>(given: &FieldPatch<T>) -> Option<&T> {
    match given {
        FieldPatch::Set(value) => Some(value),
        FieldPatch::Keep | FieldPatch::Clear => None,
    }
}

pub async fn find_imported_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<Option<i32>, Error> {
    match resolve_existing_benefit(tx, doing, row).await {
        Ok(found) => Ok(found.map(BenefitCode::get)),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub async fn write_imported_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = doing.scope.tenant();
    let mut input = row.input.clone();
    let Some(code) = resolve_existing_benefit(tx, doing, row).await? else {
        return Box::pin(create_imported_benefit(tx, doing, row)).await;
    };
    doing.refuse_repeated_record(code.get())?;
    input.benefit.code = FieldPatch::Set(code);
    let before = benefits::find_benefit(&mut *tx, &doing.scope, code).await?;
    let had = items::list_items(&mut *tx, tenant, code).await?;
    let asked = WriteCommand::from_import(doing, SaveBenefitInput::Vehicle(Box::new(input)));
    let saved = Box::pin(change_existing_benefit(tx, &asked, code)).await?;
    match (saved.changed, before) {
        (true, Some(before)) => Ok(ImportRowOutcome::Changed {
            record: code.get(),
            before: benefits::render_benefit_snapshot(&before, &had),
            version: saved.benefit.version,
        }),
        _ => Ok(ImportRowOutcome::Same { record: code.get() }),
    }
}

async fn create_imported_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    row: &VehicleBenefitRow,
) -> Result<ImportRowOutcome, Error> {
    let asked = WriteCommand::from_import(doing, SaveBenefitInput::Vehicle(Box::new(row.input.clone())));
    let holder = find_visible_holder(tx, &asked).await?;
    let mut wish = SentBenefitValidator::new(&asked.registers, &asked.scope);
    if holder.is_none() {
        wish.problems.push(Rejection::UnknownPerson(row.input.benefit.document.to_string()));
    }
    if has_removed_number(tx, doing, row.kept.0).await? {
        wish.problems.push(Rejection::Import(ImportProblem::Removed));
    }
    let made = wish.build_new_benefit(asked.input.sent_fields(), holder.as_ref(), asked.now);
    let (Some((benefit, item)), Some(holder), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    // The version of the person in which this benefit makes them a member.
    let joined = (!holder.1.is_member).then(|| (holder.1.version + 1).to_string());
    let new = NewBenefitDraft { benefit, item, holder, kept: row.kept.0, then: None, done: "criado".into() };
    let WrittenBenefit { code, benefit, .. } =
        Box::pin(insert_benefit(tx, &asked.actor_context(), &asked.scope, new)).await?;
    Ok(ImportRowOutcome::Created { record: code.get(), version: benefit.version, joined })
}

async fn has_removed_number(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    kept: PresetNumbers,
) -> Result<bool, Error> {
    let tenant = doing.scope.tenant();
    let codes: Vec<i32> = kept.code.map(BenefitCode::get).into_iter().collect();
    let sequences: Vec<i32> = kept.sequence.into_iter().collect();
    Ok(!imports::list_removed_codes(&mut *tx, tenant, "benefit", &codes).await?.is_empty()
        || !imports::list_removed_codes(&mut *tx, tenant, "sequence", &sequences).await?.is_empty())
}

/// Undoes the effect of an import row, unless the benefit has changed since.
pub async fn undo_imported_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let code = BenefitCode::new(line.record.unwrap_or_default());
    let Some(now) = benefits::find_benefit(&mut *tx, &doing.scope, code).await? else {
        return Ok(ImportUndoOutcome::Kept("já não existe, ou está em uma loja que você não acessa".into()));
    };
    if line.version != Some(now.version) {
        return Ok(ImportUndoOutcome::Kept("foi alterado depois da importação".into()));
    }
    let holder = load_holder(tx, doing.scope.tenant(), code, &now).await?;
    match (&line.before, line.outcome) {
        (Some(before), ImportOutcome::Changed) => {
            Box::pin(restore_benefit(tx, doing, (code, &now), &holder, before)).await
        }
        (joined, _) => {
            let came = joined.as_deref() == Some(holder.version.to_string().as_str());
            Box::pin(remove_benefit(tx, doing, (code, &now), &holder, came)).await
        }
    }
}

async fn restore_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    (code, now): (BenefitCode, &StoredBenefit),
    holder: &PersonProfile,
    before: &str,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = doing.scope.tenant();
    let (before, items_before) = benefits::parse_benefit_snapshot(before)?;
    if let Some(refused) =
        situations::refuse_situation_change(&doing.registers, now.situation, before.situation)
    {
        return Ok(ImportUndoOutcome::Kept(wire::refusal::render_sentence(&refused)));
    }
    let have = items::list_items(&mut *tx, tenant, code).await?;
    let as_it_was = |one: &StoredItem| match items_before.iter().find(|item| item.code == one.code) {
        Some(item) => item.clone(),
        // An item added by the import is ended.
        None => StoredItem { active: false, ..one.clone() },
    };
    let changed = have.iter().map(|one| (one, as_it_was(one))).filter(|(one, item)| *one != item);
    let also = changed.map(|(_, item)| items::update_item_terms(tenant, code, &item, doing.now)).collect();
    let after = StoredBenefit {
        slot: now.slot,
        sequence: now.sequence,
        version: now.version,
        created_at: now.created_at,
        updated_at: doing.now,
        ..before
    };
    // In the meantime another benefit may have taken the vehicle or the card.
    let around = super::load_key_conflicts(tx, tenant, &after).await?;
    let judge = (&doing.scope, &*doing.registers);
    match super::refuse_conflicts(judge, Some((code, now)), &after, now.person, &around) {
        Err(Error::Refused(problems)) => {
            let told: Vec<String> = problems.iter().map(wire::refusal::render_sentence).collect();
            return Ok(ImportUndoOutcome::Kept(told.join(" ")));
        }
        other => other?,
    }
    let store = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(code, now, after, holder, "alterado: importação desfeita")
    };
    situations::store_benefit(tx, &doing.change_context(), store).await?;
    Ok(ImportUndoOutcome::Restored)
}

async fn remove_benefit(
    tx: &mut Tx,
    doing: &ImportUnitContext,
    (code, now): (BenefitCode, &StoredBenefit),
    holder: &PersonProfile,
    // True if this benefit made its holder a member and the holder has not changed since.
    made_member: bool,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = doing.scope.tenant();
    if let Some(what) = benefits::find_benefit_reference(tx, tenant, code).await? {
        return Ok(ImportUndoOutcome::Kept(format!("já tem {what}")));
    }
    let others =
        benefits::list_benefits_of_person(&mut *tx, &domain::Scope::for_tenant(tenant), now.person).await?;
    let days = compute_listed_days(&doing.registers, holder, now);
    let was = PreviousRowState { branch: now.branch, benefit: Some((code, now.situation)) };
    let mut statements = rows::delete_listing_row(tenant, now.slot, was, &days.0);
    if others.len() == 1 && made_member {
        let person = PersonProfile { is_member: false, updated_at: doing.now, ..holder.clone() };
        storage::members::update_person(tx, tenant, now.person, &person).await?;
    } else if others.len() == 1 {
        // The first benefit had taken over the member's own listing row: insert that row again.
        let days = member_days(holder, &doing.registers.zone);
        let row = SearchListingRow {
            slot: now.slot,
            member: build_listed_member(now.person, holder),
            own: build_member_row(holder, &days),
        };
        statements.extend(rows::insert_listing_rows(tenant, &[row]));
    }
    if let Some(day) = &now.cancelled_on {
        let mut months = monthly_counts::BenefitCountChanges::default();
        months.count(monthly_counts::BenefitMovement::Cancelled, day, now.branch, -1);
        statements.extend(months.into_statements(tenant));
    }
    statements.extend(benefits::delete_benefit(tenant, code, now.sequence));
    rows::mark_listing_changed(tx, tenant).await?;
    tx.execute_batch(statements).await?;
    let told = format!("benefício {code} removido: importação desfeita");
    audit::append_audit_entry(tx, &doing.audit_entry(Some(now.person), &told)).await?;
    Ok(ImportUndoOutcome::Removed)
}
