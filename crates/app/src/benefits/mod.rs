//! Benefits: create, change and cancel. A request is validated completely before anything is written. The management
//! operations are in `manage.rs`.

pub mod equipment;
pub(crate) mod vehicle;

mod additional_field_values;
mod additional_fields;
mod command;
pub(crate) mod field_changes;
pub mod import_rows;
mod items;
mod manage;
mod validate;

pub use additional_fields::{SaveFieldsOutcome, save_additional_fields};
pub(crate) use command::{ORIGIN, WriteCommand, load_holder, refuse_cancelled_benefit, run_command};
pub use items::{AddItemOutcome, PlanItems, StoredItem, StoredPlan, add_item, list_items};
pub use manage::{
    ChangeBenefitSituation, FullBenefit, change_benefit, change_benefit_situation, change_item,
    read_benefit_history, read_full_benefit,
};
pub(crate) use validate::{SentBenefitFields, SentBenefitValidator, build_first_item};

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::registers::snapshot::{TenantRegisters, confirm_registers};
use crate::situations::{self, ActorContext, PendingBenefitWrite, PresetNumbers, WrittenBenefit};
use crate::{App, Error};
use domain::{
    BenefitCode, BenefitKind, CardNumber, Entity, InputField, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, TenantId,
};
use storage::Tx;
pub use storage::benefits::StoredBenefit;
use storage::benefits::items as kept_items;
use storage::benefits::{BenefitKeyConflicts, BenefitUniqueKeys, ConflictingBenefit};
use storage::members::PersonProfile;
use storage::server::counters::Counter;
use wire::records::{BeneficioInput, BeneficioVeiculoInput, CancelamentoInput};

/// The benefit after a save or a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBenefit {
    pub code: BenefitCode,
    pub benefit: StoredBenefit,
    pub situation: String,
    pub kind: SituationKind,
    /// False if the benefit already was as requested: the request then counts as read access.
    pub changed: bool,
}

impl SavedBenefit {
    fn new(
        registers: &TenantRegisters,
        code: BenefitCode,
        benefit: StoredBenefit,
        changed: bool,
    ) -> Result<SavedBenefit, Error> {
        let missing = || Error::Defect(format!("the situation {} is not registered", benefit.situation));
        let situation = registers.situation(benefit.situation).ok_or_else(missing)?;
        Ok(SavedBenefit { code, situation: situation.name.clone(), kind: situation.kind, benefit, changed })
    }
}

/// The input of either save endpoint.
#[derive(Clone, Debug)]
pub enum SaveBenefitInput {
    Basic(Box<BeneficioInput>),
    Vehicle(Box<BeneficioVeiculoInput>),
}

impl SaveBenefitInput {
    fn common_input(&self) -> &BeneficioInput {
        match self {
            SaveBenefitInput::Basic(input) => input,
            SaveBenefitInput::Vehicle(input) => &input.benefit,
        }
    }

    fn sent_fields(&self) -> SentBenefitFields<'_> {
        let common = self.common_input();
        let vehicle = match self {
            SaveBenefitInput::Basic(_) => None,
            SaveBenefitInput::Vehicle(input) => Some((&input.vehicle, &input.fipe)),
        };
        let situation = Some((&common.situation, &common.active));
        SentBenefitFields { fields: &common.fields, situation, vehicle, known: None }
    }

    fn unique_keys(&self) -> BenefitUniqueKeys<'_> {
        let card = self.common_input().fields.card.as_set();
        match self {
            SaveBenefitInput::Basic(_) => (None, None, card),
            SaveBenefitInput::Vehicle(input) => {
                (input.vehicle.plate.as_set(), input.vehicle.chassis.as_set(), card)
            }
        }
    }

    fn operation(&self) -> &'static str {
        match self {
            SaveBenefitInput::Basic(_) => "POST /ext/beneficio",
            SaveBenefitInput::Vehicle(_) => "POST /ext/beneficio/veicular",
        }
    }
}

/// Creates a benefit, or changes the one whose code was sent.
#[boxed::future]
pub async fn save_benefit(
    app: &App,
    caller: &Session,
    input: SaveBenefitInput,
    once: IdempotentWrite<SavedBenefit>,
) -> Result<WriteOutcome<SavedBenefit>, Error> {
    let operation = input.operation();
    let done =
        run_command(app, caller, operation, input, once, |tx, asked| Box::pin(write_benefit(tx, asked)))
            .await?;
    record_unchanged_access(app, caller, operation, &done)?;
    Ok(done)
}

/// An answer without a change still shows personal data, so it is recorded as read access.
fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: &'static str,
    done: &WriteOutcome<SavedBenefit>,
) -> Result<(), Error> {
    match done {
        WriteOutcome::Fresh(SavedBenefit { benefit, changed: false, .. }) => {
            record_access(app, caller, operation, std::iter::once(benefit.person))
        }
        _ => Ok(()),
    }
}

async fn write_benefit(tx: &mut Tx, asked: &WriteCommand<SaveBenefitInput>) -> Result<SavedBenefit, Error> {
    let (tenant, input) = (asked.scope.tenant(), asked.input.common_input());
    let code = input.code.as_set().copied();
    if code.is_none() {
        storage::benefits::prefetch_benefit_creation(tx, tenant, &input.document, asked.input.unique_keys())
            .await?;
    }
    confirm_registers(tx, tenant, &asked.registers).await?;
    match code {
        Some(code) => Box::pin(change_existing_benefit(tx, asked, code)).await,
        None => Box::pin(create_benefit(tx, asked)).await,
    }
}

/// Finds the holder by document, if visible to the caller.
async fn find_visible_holder(
    tx: &mut Tx,
    asked: &WriteCommand<SaveBenefitInput>,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let document = &asked.input.common_input().document;
    let found = storage::members::find_person_by_document(&mut *tx, asked.scope.tenant(), document).await?;
    let Some((code, profile)) = found else { return Ok(None) };
    let is_seen = asked.scope.can_see(profile.branch)
        || storage::benefits::has_visible_benefit(&mut *tx, &asked.scope, code).await?;
    Ok(is_seen.then_some((code, profile)))
}

async fn create_benefit(tx: &mut Tx, asked: &WriteCommand<SaveBenefitInput>) -> Result<SavedBenefit, Error> {
    let input = asked.input.common_input();
    let holder = find_visible_holder(tx, asked).await?;
    let mut wish = SentBenefitValidator::new(&asked.registers, &asked.scope);
    if holder.is_none() {
        wish.problems.push(Rejection::UnknownPerson(input.document.to_string()));
    }
    let made = wish.build_new_benefit(asked.input.sent_fields(), holder.as_ref(), asked.now);
    let (Some((benefit, item)), Some(holder), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    let new = NewBenefitDraft {
        benefit,
        item,
        holder,
        kept: PresetNumbers::default(),
        then: None,
        done: "criado".into(),
    };
    let WrittenBenefit { code, benefit, .. } =
        Box::pin(insert_benefit(tx, &asked.actor_context(), &asked.scope, new)).await?;
    SavedBenefit::new(&asked.registers, code, benefit, true)
}

/// A validated benefit that is not yet written.
pub(crate) struct NewBenefitDraft<'a> {
    pub benefit: StoredBenefit,
    pub item: StoredItem,
    pub holder: (PersonCode, PersonProfile),
    pub kept: PresetNumbers,
    /// Further writes of the same transaction that need the new code.
    pub then: Option<situations::BenefitWriteHook<'a>>,
    pub done: std::borrow::Cow<'static, str>,
}

/// Inserts a new benefit, unless it conflicts with another one.
pub(crate) async fn insert_benefit(
    tx: &mut Tx,
    acting: &ActorContext<'_>,
    scope: &Scope,
    new: NewBenefitDraft<'_>,
) -> Result<WrittenBenefit, Error> {
    let NewBenefitDraft { benefit, item, holder: (person, mut profile), kept, then, done } = new;
    let new_of = Some((person, profile.document.as_ref()));
    let around =
        storage::benefits::load_benefit_conflicts(tx, acting.tenant, collect_unique_keys(&benefit), new_of)
            .await?;
    refuse_conflicts((scope, acting.registers), None, &benefit, person, &around)?;
    if !profile.is_member {
        // Every holder of a benefit is a member.
        profile.is_member = true;
        storage::members::update_person(tx, acting.tenant, person, &profile).await?;
    }
    let store = PendingBenefitWrite {
        before: None,
        after: benefit,
        holder: (person, &profile),
        item: Some((item, None)),
        free_row: around.free_row,
        kept,
        reason: None,
        also: Vec::new(),
        then,
        done,
    };
    situations::store_benefit(tx, acting, store).await
}

async fn change_existing_benefit(
    tx: &mut Tx,
    asked: &WriteCommand<SaveBenefitInput>,
    code: BenefitCode,
) -> Result<SavedBenefit, Error> {
    let (tenant, input) = (asked.scope.tenant(), asked.input.common_input());
    let mut wish = SentBenefitValidator::new(&asked.registers, &asked.scope);
    let Some(before) = storage::benefits::find_benefit(&mut *tx, &asked.scope, code).await? else {
        wish.problems.push(Rejection::UnknownCode { field: InputField::Benefit, code: code.get() });
        wish.check_without_benefit(asked.input.sent_fields(), asked.now);
        return Err(Error::Refused(wish.problems));
    };
    let profile = load_holder(tx, tenant, code, &before).await?;
    if profile.document.as_ref() != Some(&input.document) {
        wish.problems.push(Rejection::NotTheHolder(code));
    }
    let had = kept_items::list_items(&mut *tx, tenant, code).await?;
    let (mut after, item) = wish.build_changed_benefit(asked.input.sent_fields(), &before, &had, asked.now);
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    let is_same = after == before && item.is_none();
    // A repeated import may send a cancelled benefit unchanged; any other caller who sends one wants to change it.
    if !(is_same && asked.is_import()) {
        refuse_cancelled_benefit(&asked.registers, code, &before)?;
    }
    if is_same {
        return SavedBenefit::new(&asked.registers, code, before, false);
    }
    let around = load_key_conflicts(tx, tenant, &after).await?;
    let judge = (&asked.scope, &*asked.registers);
    refuse_conflicts(judge, Some((code, &before)), &after, before.person, &around)?;
    after.updated_at = asked.now;
    let store = PendingBenefitWrite {
        item,
        ..PendingBenefitWrite::for_change(code, &before, after, &profile, "alterado")
    };
    let WrittenBenefit { code, benefit, .. } =
        situations::store_benefit(tx, &asked.actor_context(), store).await?;
    SavedBenefit::new(&asked.registers, code, benefit, true)
}

/// Loads the benefits that use the same plate, chassis or card.
async fn load_key_conflicts(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: &StoredBenefit,
) -> Result<BenefitKeyConflicts, Error> {
    Ok(storage::benefits::load_benefit_conflicts(tx, tenant, collect_unique_keys(benefit), None).await?)
}

fn collect_unique_keys(benefit: &StoredBenefit) -> BenefitUniqueKeys<'_> {
    (benefit.vehicle.plate.as_ref(), benefit.vehicle.chassis.as_ref(), benefit.card.as_ref())
}

/// A card belongs to one person, and a vehicle has at most one benefit in force.
fn refuse_conflicts(
    (scope, registers): (&Scope, &TenantRegisters),
    before: Option<(BenefitCode, &StoredBenefit)>,
    after: &StoredBenefit,
    person: PersonCode,
    around: &BenefitKeyConflicts,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let had_card = before.and_then(|(_, before)| before.card.as_ref());
    if after.card.as_ref() != had_card && around.card_holder.is_some_and(|holder| holder != person) {
        problems.push(Rejection::CardOfAnother);
    }
    let in_force = |situation: SituationCode| {
        let kind = registers.situation_kind(situation);
        !matches!(kind, Some(SituationKind::Inactive | SituationKind::Cancelled))
    };
    let other = |holders: &[ConflictingBenefit]| {
        let others = holders.iter().filter(|one| before.is_none_or(|(own, _)| one.code != own));
        others.filter(|one| in_force(one.situation)).copied().next()
    };
    if in_force(after.situation) {
        let plate = after.vehicle.plate.as_ref().map(ToString::to_string);
        let chassis = after.vehicle.chassis.as_ref().map(ToString::to_string);
        for (field, given, holders) in [
            (InputField::Plate, plate, &around.with_plate),
            (InputField::Chassis, chassis, &around.with_chassis),
        ] {
            if let (Some(given), Some(other)) = (given, other(holders)) {
                let by = scope.can_see(other.branch).then_some(other.code);
                problems.push(Rejection::VehicleTaken { field, given, by });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// Reserves the next card number not in use. Numbers of our series may have been sent by callers before, so it retries.
pub(crate) async fn reserve_free_card(tx: &mut Tx, tenant: TenantId) -> Result<CardNumber, Error> {
    loop {
        let wanted = [(Counter::Card, 1)];
        if let (_, Some(card)) = storage::benefits::reserve_numbers_with_card(tx, tenant, wanted).await? {
            return Ok(card);
        }
    }
}

/// Cancels a benefit; cancelling it again changes nothing.
#[boxed::future]
pub async fn cancel_benefit(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: CancelamentoInput,
    once: IdempotentWrite<SavedBenefit>,
) -> Result<WriteOutcome<SavedBenefit>, Error> {
    let input = (code, input.reason.into_set().map(|reason| reason.as_str().to_owned()));
    let done =
        run_command(app, caller, CANCEL, input, once, |tx, asked| Box::pin(write_cancellation(tx, asked)))
            .await?;
    record_unchanged_access(app, caller, CANCEL, &done)?;
    Ok(done)
}

const CANCEL: &str = "PUT /ext/beneficio/{codBeneficio}/cancelar";

async fn write_cancellation(
    tx: &mut Tx,
    asked: &WriteCommand<(BenefitCode, Option<String>)>,
) -> Result<SavedBenefit, Error> {
    let (tenant, registers, (code, reason)) = (asked.scope.tenant(), &asked.registers, &asked.input);
    let code = *code;
    confirm_registers(tx, tenant, registers).await?;
    let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
    let before = storage::benefits::find_benefit(&mut *tx, &asked.scope, code).await?.ok_or(unknown)?;
    if registers.situation_kind(before.situation) == Some(SituationKind::Cancelled) {
        return SavedBenefit::new(registers, code, before, false);
    }
    let profile = load_holder(tx, tenant, code, &before).await?;
    let to = registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
    let to = to.ok_or(Rejection::NoSituation)?;
    let after = StoredBenefit { situation: to.code, updated_at: asked.now, ..before.clone() };
    let change = PendingBenefitWrite::for_change(code, &before, after, &profile, "cancelado");
    let store = PendingBenefitWrite { reason: reason.clone(), ..change };
    let WrittenBenefit { code, benefit, .. } =
        situations::store_benefit(tx, &asked.actor_context(), store).await?;
    SavedBenefit::new(registers, code, benefit, true)
}

/// Whether benefits of this kind have a vehicle.
fn is_vehicle_kind(kind: BenefitKind) -> bool {
    kind == BenefitKind::Vehicle
}
