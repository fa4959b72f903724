//! Benefits: create, change and cancel. A request is validated completely before anything is written. The management
//! operations are in `manage.rs`.

pub mod equipment;
pub(crate) mod vehicle;

mod additional_field_values;
mod additional_fields;
pub(crate) mod field_changes;
pub mod import_rows;
mod items;
mod manage;
pub mod mirror_rows;
mod persist;
mod preconditions;
mod validate;

pub use additional_fields::{SaveFieldsOutcome, save_additional_fields};
pub use items::{AddItemOutcome, PlanItems, StoredPlan, add_item, list_items};
pub use manage::{
    ChangeBenefitSituation, FullBenefit, change_benefit, change_benefit_situation, change_item,
    read_benefit_history, read_full_benefit,
};
pub(crate) use persist::{
    BenefitWriteHook, PendingBenefitWrite, PresetNumbers, WrittenBenefit, store_benefit,
};
pub(crate) use preconditions::{load_holder, refuse_cancelled_benefit};
pub(crate) use validate::{SentBenefitFields, SentBenefitValidator, build_first_item};

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{ActorContext, WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
pub use crate::situations::describe_stored_benefit;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitCode, BenefitItem, BenefitKind,
    CardNumber, Entity, InputField, PersonCode, PersonProfile, Rejection, Scope, SituationCode,
    SituationKind, TenantId,
};
use storage::Tx;
use storage::benefits::items as stored_items;
use storage::benefits::{BenefitKeyConflicts, BenefitUniqueKeys, ConflictingBenefit};
use storage::server::counters::Counter;
use wire::records::{BeneficioInput, BeneficioVeiculoInput, CancelamentoInput};

/// The benefit after a save or a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub situation: String,
    pub kind: SituationKind,
    /// False if the benefit already was as requested: the request then counts as read access.
    pub changed: bool,
}

impl SavedBenefit {
    fn new(
        registers: &TenantRegisters,
        code: BenefitCode,
        benefit: Benefit,
        changed: bool,
    ) -> Result<SavedBenefit, Error> {
        let situation = registers.require_situation(benefit.situation)?;
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

    fn operation(&self) -> AuditedOperation {
        match self {
            SaveBenefitInput::Basic(_) => AuditedOperation::SaveBenefit,
            SaveBenefitInput::Vehicle(_) => AuditedOperation::SaveVehicleBenefit,
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
    let outcome =
        run_command(app, caller, operation, input, once, |tx, request| Box::pin(write_benefit(tx, request)))
            .await?;
    record_unchanged_access(app, caller, operation, &outcome)?;
    Ok(outcome)
}

/// An answer without a change still shows personal data, so it is recorded as read access.
fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: &WriteOutcome<SavedBenefit>,
) -> Result<(), Error> {
    match outcome {
        WriteOutcome::Fresh(SavedBenefit { benefit, changed: false, .. }) => {
            record_access(app, caller, operation, std::iter::once(benefit.person))
        }
        _ => Ok(()),
    }
}

async fn write_benefit(tx: &mut Tx, request: &WriteCommand<SaveBenefitInput>) -> Result<SavedBenefit, Error> {
    let (tenant, input) = (request.scope.tenant(), request.input.common_input());
    let code = input.code.as_set().copied();
    if code.is_none() {
        storage::benefits::prefetch_benefit_creation(
            tx,
            tenant,
            &input.document,
            request.input.unique_keys(),
        )
        .await?;
    }
    confirm_registers(tx, tenant, &request.registers).await?;
    match code {
        Some(code) => Box::pin(change_existing_benefit(tx, request, code)).await,
        None => Box::pin(create_benefit(tx, request)).await,
    }
}

/// Finds the holder by document, if visible to the caller.
async fn find_visible_holder(
    tx: &mut Tx,
    request: &WriteCommand<SaveBenefitInput>,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let document = &request.input.common_input().document;
    let found = storage::members::find_person_by_document(&mut *tx, request.scope.tenant(), document).await?;
    let Some((code, profile)) = found else { return Ok(None) };
    let is_visible = request.scope.can_see(profile.branch)
        || storage::benefits::has_visible_benefit(&mut *tx, &request.scope, code).await?;
    Ok(is_visible.then_some((code, profile)))
}

async fn create_benefit(
    tx: &mut Tx,
    request: &WriteCommand<SaveBenefitInput>,
) -> Result<SavedBenefit, Error> {
    let input = request.input.common_input();
    let holder = find_visible_holder(tx, request).await?;
    let mut validator = SentBenefitValidator::new(&request.registers, &request.scope);
    if holder.is_none() {
        validator.problems.push(Rejection::UnknownPerson(input.document.to_string()));
    }
    let built = validator.build_new_benefit(request.input.sent_fields(), holder.as_ref(), request.now);
    let (Some((benefit, item)), Some(holder), []) = (built, holder, &validator.problems[..]) else {
        return Err(Error::Refused(validator.problems));
    };
    let draft = NewBenefitDraft {
        benefit,
        item,
        holder,
        kept: PresetNumbers::default(),
        then: None,
        audited: AuditedAction::Create.into(),
    };
    let WrittenBenefit { code, benefit, .. } =
        Box::pin(insert_benefit(tx, &request.actor_context(), &request.scope, draft)).await?;
    SavedBenefit::new(&request.registers, code, benefit, true)
}

/// A validated benefit that is not yet written.
pub(crate) struct NewBenefitDraft<'a> {
    pub benefit: Benefit,
    pub item: BenefitItem,
    pub holder: (PersonCode, PersonProfile),
    pub kept: PresetNumbers,
    /// Further writes of the same transaction that need the new code.
    pub then: Option<BenefitWriteHook<'a>>,
    pub audited: AuditedChange,
}

/// Inserts a new benefit, unless it conflicts with another one.
pub(crate) async fn insert_benefit(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    draft: NewBenefitDraft<'_>,
) -> Result<WrittenBenefit, Error> {
    let NewBenefitDraft { benefit, item, holder: (person, mut profile), kept: preset, then, audited } = draft;
    let new_holder = Some((person, profile.document.as_ref()));
    let conflicts = storage::benefits::load_benefit_conflicts(
        tx,
        context.tenant,
        collect_unique_keys(&benefit),
        new_holder,
    )
    .await?;
    refuse_conflicts((scope, context.registers), None, &benefit, person, &conflicts)?;
    if !profile.is_member {
        // Every holder of a benefit is a member.
        profile.is_member = true;
        storage::members::update_person(tx, context.tenant, person, &profile).await?;
    }
    let pending = PendingBenefitWrite {
        before: None,
        after: benefit,
        holder: (person, &profile),
        item: Some((item, None)),
        free_row: conflicts.free_row,
        kept: preset,
        reason: None,
        also: Vec::new(),
        then,
        audited,
    };
    store_benefit(tx, context, pending).await
}

async fn change_existing_benefit(
    tx: &mut Tx,
    request: &WriteCommand<SaveBenefitInput>,
    code: BenefitCode,
) -> Result<SavedBenefit, Error> {
    let (tenant, input) = (request.scope.tenant(), request.input.common_input());
    let mut validator = SentBenefitValidator::new(&request.registers, &request.scope);
    let Some(before) = storage::benefits::find_benefit(&mut *tx, &request.scope, code).await? else {
        validator.problems.push(Rejection::UnknownCode { field: InputField::Benefit, code: code.get() });
        validator.check_without_benefit(request.input.sent_fields(), request.now);
        return Err(Error::Refused(validator.problems));
    };
    let profile = load_holder(tx, tenant, code, &before).await?;
    if profile.document.as_ref() != Some(&input.document) {
        validator.problems.push(Rejection::NotTheHolder(code));
    }
    let items_before = stored_items::list_items(&mut *tx, tenant, code).await?;
    let (mut after, item) =
        validator.build_changed_benefit(request.input.sent_fields(), &before, &items_before, request.now);
    if !validator.problems.is_empty() {
        return Err(Error::Refused(validator.problems));
    }
    let is_same = after == before && item.is_none();
    // A repeated import may send a cancelled benefit unchanged; any other caller who sends one wants to change it.
    if !(is_same && request.is_import()) {
        refuse_cancelled_benefit(&request.registers, code, &before)?;
    }
    if is_same {
        return SavedBenefit::new(&request.registers, code, before, false);
    }
    let conflicts = load_key_conflicts(tx, tenant, &after).await?;
    let scope_and_registers = (&request.scope, &*request.registers);
    refuse_conflicts(scope_and_registers, Some((code, &before)), &after, before.person, &conflicts)?;
    after.updated_at = request.now;
    let pending = PendingBenefitWrite {
        item,
        ..PendingBenefitWrite::for_change(code, &before, after, &profile, AuditedAction::Change)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &request.actor_context(), pending).await?;
    SavedBenefit::new(&request.registers, code, benefit, true)
}

/// Loads the benefits that use the same plate, chassis or card.
async fn load_key_conflicts(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: &Benefit,
) -> Result<BenefitKeyConflicts, Error> {
    Ok(storage::benefits::load_benefit_conflicts(tx, tenant, collect_unique_keys(benefit), None).await?)
}

fn collect_unique_keys(benefit: &Benefit) -> BenefitUniqueKeys<'_> {
    (benefit.vehicle.plate.as_ref(), benefit.vehicle.chassis.as_ref(), benefit.card.as_ref())
}

/// A card belongs to one person, and a vehicle has at most one benefit in force.
fn refuse_conflicts(
    (scope, registers): (&Scope, &TenantRegisters),
    before: Option<(BenefitCode, &Benefit)>,
    after: &Benefit,
    person: PersonCode,
    conflicts: &BenefitKeyConflicts,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let previous_card = before.and_then(|(_, before)| before.card.as_ref());
    if after.card.as_ref() != previous_card && conflicts.card_holder.is_some_and(|holder| holder != person) {
        problems.push(Rejection::CardOfAnother);
    }
    let in_force = |situation: SituationCode| {
        let kind = registers.situation_kind(situation);
        !matches!(kind, Some(SituationKind::Inactive | SituationKind::Cancelled))
    };
    let other = |holders: &[ConflictingBenefit]| {
        let others = holders.iter().filter(|one| before.is_none_or(|(code, _)| one.code != code));
        others.filter(|one| in_force(one.situation)).copied().next()
    };
    if in_force(after.situation) {
        let plate = after.vehicle.plate.as_ref().map(ToString::to_string);
        let chassis = after.vehicle.chassis.as_ref().map(ToString::to_string);
        for (field, value, holders) in [
            (InputField::Plate, plate, &conflicts.with_plate),
            (InputField::Chassis, chassis, &conflicts.with_chassis),
        ] {
            if let (Some(value), Some(other)) = (value, other(holders)) {
                let visible_code = scope.can_see(other.branch).then_some(other.code);
                problems.push(Rejection::VehicleTaken { field, given: value, by: visible_code });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// Reserves the next card number not in use. Numbers of our series may have been sent by callers before, so it retries.
pub(crate) async fn reserve_free_card(tx: &mut Tx, tenant: TenantId) -> Result<CardNumber, Error> {
    loop {
        let requested = [(Counter::Card, 1)];
        if let (_, Some(card)) = storage::benefits::reserve_numbers_with_card(tx, tenant, requested).await? {
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
    let outcome = run_command(app, caller, CANCEL, input, once, |tx, request| {
        Box::pin(write_cancellation(tx, request))
    })
    .await?;
    record_unchanged_access(app, caller, CANCEL, &outcome)?;
    Ok(outcome)
}

const CANCEL: AuditedOperation = AuditedOperation::CancelBenefit;

async fn write_cancellation(
    tx: &mut Tx,
    request: &WriteCommand<(BenefitCode, Option<String>)>,
) -> Result<SavedBenefit, Error> {
    let (tenant, registers, (code, reason)) = (request.scope.tenant(), &request.registers, &request.input);
    let code = *code;
    confirm_registers(tx, tenant, registers).await?;
    let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
    let before = storage::benefits::find_benefit(&mut *tx, &request.scope, code).await?.ok_or(unknown)?;
    if registers.situation_kind(before.situation) == Some(SituationKind::Cancelled) {
        return SavedBenefit::new(registers, code, before, false);
    }
    let profile = load_holder(tx, tenant, code, &before).await?;
    let to = registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
    let to = to.ok_or(Rejection::NoSituation)?;
    let after = Benefit { situation: to.code, updated_at: request.now, ..before.clone() };
    let change = PendingBenefitWrite::for_change(code, &before, after, &profile, AuditedAction::Cancel);
    let pending = PendingBenefitWrite { reason: reason.clone(), ..change };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &request.actor_context(), pending).await?;
    SavedBenefit::new(registers, code, benefit, true)
}

/// Whether benefits of this kind have a vehicle.
fn is_vehicle_kind(kind: BenefitKind) -> bool {
    kind == BenefitKind::Vehicle
}
