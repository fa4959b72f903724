//! Creates or changes a benefit: as `/ext` sends it, from a row of an import, or from a won deal.

use super::conflicts::{collect_unique_keys, load_key_conflicts, refuse_conflicts};
use super::holder::load_holder;
use super::persist::{BenefitWriteHook, PendingBenefitWrite, PresetNumbers, WrittenBenefit, store_benefit};
use super::saved_benefit::{SavedBenefit, record_unchanged_access};
use super::validate::{SentBenefitFields, SentBenefitValidator};
use crate::actor_context::ActorContext;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::situations::refuse_cancelled_benefit;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, BenefitCode, BenefitItem, InputField,
    PersonCode, PersonProfile, Rejection, Scope, SituationKind,
};
use storage::Tx;
use storage::benefits::BenefitUniqueKeys;
use storage::benefits::items as stored_items;
use wire::records::{BeneficioInput, BeneficioVeiculoInput};

/// The input of either save endpoint.
#[derive(Clone, Debug)]
pub enum BenefitWriteInput {
    Basic(Box<BeneficioInput>),
    Vehicle(Box<BeneficioVeiculoInput>),
}

impl BenefitWriteInput {
    fn common_input(&self) -> &BeneficioInput {
        match self {
            BenefitWriteInput::Basic(input) => input,
            BenefitWriteInput::Vehicle(input) => &input.benefit,
        }
    }

    pub(super) fn sent_fields(&self) -> SentBenefitFields<'_> {
        let common = self.common_input();
        let vehicle = match self {
            BenefitWriteInput::Basic(_) => None,
            BenefitWriteInput::Vehicle(input) => Some((&input.vehicle, &input.fipe)),
        };
        let situation = Some((&common.situation, &common.active));
        SentBenefitFields { fields: &common.fields, situation, vehicle, stated_vehicle: None }
    }

    fn unique_keys(&self) -> BenefitUniqueKeys<'_> {
        let card = self.common_input().fields.card.as_set();
        match self {
            BenefitWriteInput::Basic(_) => (None, None, card),
            BenefitWriteInput::Vehicle(input) => {
                (input.vehicle.plate.as_set(), input.vehicle.chassis.as_set(), card)
            }
        }
    }

    fn operation(&self) -> AuditedOperation {
        match self {
            BenefitWriteInput::Basic(_) => AuditedOperation::SaveBenefit,
            BenefitWriteInput::Vehicle(_) => AuditedOperation::SaveVehicleBenefit,
        }
    }
}

/// Creates a benefit, or changes the one whose code was sent.
#[boxed::future]
pub async fn save_benefit(
    app: &App,
    caller: &Session,
    input: BenefitWriteInput,
    once: IdempotentWrite<SavedBenefit>,
) -> Result<WriteOutcome<SavedBenefit>, Error> {
    let operation = input.operation();
    let outcome =
        run_command(app, caller, operation, input, once, |tx, request| Box::pin(write_benefit(tx, request)))
            .await?;
    record_unchanged_access(app, caller, operation, &outcome)?;
    Ok(outcome)
}

async fn write_benefit(
    tx: &mut Tx,
    request: &WriteCommand<BenefitWriteInput>,
) -> Result<SavedBenefit, Error> {
    let (tenant, input) = (request.scope.tenant(), request.input.common_input());
    let code = input.code.as_set().copied();
    if code.is_none() {
        let select_person = storage::members::select_person_by_document(tenant, &input.document);
        storage::benefits::prefetch_benefit_creation(
            tx,
            tenant,
            (&input.document, select_person),
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
pub(super) async fn find_visible_holder(
    tx: &mut Tx,
    request: &WriteCommand<BenefitWriteInput>,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let document = &request.input.common_input().document;
    let found = storage::members::find_person_by_document(&mut *tx, request.scope.tenant(), document).await?;
    let Some((code, profile)) = found else { return Ok(None) };
    let is_visible = storage::members::is_profile_visible(&mut *tx, &request.scope, (code, &profile)).await?;
    Ok(is_visible.then_some((code, profile)))
}

async fn create_benefit(
    tx: &mut Tx,
    request: &WriteCommand<BenefitWriteInput>,
) -> Result<SavedBenefit, Error> {
    let input = request.input.common_input();
    let holder = find_visible_holder(tx, request).await?;
    let mut validator = SentBenefitValidator::new(&request.registers, &request.scope);
    if holder.is_none() {
        validator.problems.push(Rejection::UnknownPerson(input.document.to_string()));
    }
    let built = validator.build_new_benefit(request.input.sent_fields(), holder.as_ref(), request.now);
    let (Some((mut benefit, item)), Some(holder), []) = (built, holder, &validator.problems[..]) else {
        return Err(Error::Refused(validator.problems));
    };
    // What is active from the start has joined today. An import of an old association says so itself.
    let is_active = request.registers.situation_kind(benefit.situation) == Some(SituationKind::Active);
    if is_active && benefit.joined_on.is_none() {
        benefit.joined_on = Some(request.now.date_in(&request.registers.zone));
    }
    let draft = NewBenefitDraft {
        benefit,
        item,
        holder,
        preset_numbers: PresetNumbers::default(),
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
    pub preset_numbers: PresetNumbers,
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
    let NewBenefitDraft { benefit, item, holder: (person, mut profile), preset_numbers, then, audited } =
        draft;
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
        preset_numbers,
        reason: None,
        also: Vec::new(),
        then,
        audited,
    };
    store_benefit(tx, context, pending).await
}

pub(super) async fn change_existing_benefit(
    tx: &mut Tx,
    request: &WriteCommand<BenefitWriteInput>,
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
