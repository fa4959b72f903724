//! Creates or changes a dependent.

use crate::audit::access_log::record_access;
use crate::benefits::{PendingBenefitWrite, load_holder, reserve_free_card, store_benefit};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::session::Session;
use crate::situations::refuse_cancelled_benefit;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, Benefit, Dependent, DependentCode, InputField,
    PersonCode, PlanCode, Rejection, is_usable_reference,
};
use std::collections::BTreeSet;
use storage::Tx;
use storage::members::dependents;
use storage::server::counters::{self, Counter};
use wire::field_differences;
use wire::field_texts::render_dependent_fields;
use wire::read::FieldPatch;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::DependenteInput;

const SAVE: AuditedOperation = AuditedOperation::SaveDependent;

/// The dependent after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDependent {
    pub code: DependentCode,
    pub dependent: Dependent,
    pub(super) holder: PersonCode,
    /// False if nothing differed: the request then counts as read access.
    pub(super) changed: bool,
}

/// The sent dependent with its save options.
#[derive(Clone)]
pub(super) struct DependentWriteInput {
    pub(super) record: DependenteInput,
    /// The benefit version the caller has seen; `None` skips the version check.
    pub(super) version: Option<i64>,
    pub(super) preset_code: Option<DependentCode>,
}

/// Creates a dependent, or overwrites the one whose code was sent.
#[boxed::future]
pub async fn save_dependent(
    app: &App,
    caller: &Session,
    input: DependenteInput,
    once: IdempotentWrite<SavedDependent>,
) -> Result<WriteOutcome<SavedDependent>, Error> {
    save_dependent_if_unchanged(app, caller, (input, None), once).await
}

/// Saves a dependent; refused if the benefit has another version than the one the caller has seen.
#[boxed::future]
pub async fn save_dependent_if_unchanged(
    app: &App,
    caller: &Session,
    (record, version): (DependenteInput, Option<i64>),
    once: IdempotentWrite<SavedDependent>,
) -> Result<WriteOutcome<SavedDependent>, Error> {
    let input = DependentWriteInput { record, version, preset_code: None };
    let outcome =
        run_command(app, caller, SAVE, input, once, |tx, command| Box::pin(write_dependent(tx, command)))
            .await?;
    if let WriteOutcome::Fresh(SavedDependent { holder, changed: false, .. }) = &outcome {
        record_access(app, caller, SAVE, std::iter::once(*holder))?;
    }
    Ok(outcome)
}

pub(super) async fn write_dependent(
    tx: &mut Tx,
    command: &WriteCommand<DependentWriteInput>,
) -> Result<SavedDependent, Error> {
    let (tenant, input) = (command.scope.tenant(), &command.input.record);
    confirm_registers(tx, tenant, &command.registers).await?;
    let mut problems = Vec::new();
    let benefit = storage::benefits::find_benefit(&mut *tx, &command.scope, input.benefit).await?;
    if benefit.is_none() {
        problems.push(Rejection::UnknownCode { field: InputField::Benefit, code: input.benefit.get() });
    }
    let mut before = None;
    if let (Some(_), FieldPatch::Set(code)) = (&benefit, &input.code) {
        let found = dependents::find_dependent_of_benefit(&mut *tx, tenant, input.benefit, *code).await?;
        if found.is_none() {
            problems.push(Rejection::UnknownDependent { code: *code, benefit: input.benefit });
        }
        before = found.map(|found| (*code, found));
    }
    let stored = before.as_ref().map(|(_, stored)| stored);
    let plans = resolve_plans(&command.registers, input, stored, &mut problems);
    let (Some(benefit), []) = (benefit, &problems[..]) else { return Err(Error::Refused(problems)) };
    refuse_cancelled_benefit(&command.registers, input.benefit, &benefit)?;
    let after = build_dependent(command, stored, plans);
    let present = CurrentVersion { version: benefit.version, since: benefit.updated_at };
    let changes = stored
        .map(|stored| {
            field_differences::compare_fields(
                render_dependent_fields(stored),
                render_dependent_fields(&after),
            )
        })
        .unwrap_or_default();
    let rejection = command
        .input
        .version
        .and_then(|version| refuse_old_version(version, present, &command.registers.zone, &changes));
    if let Some(rejection) = rejection {
        return Err(rejection.into());
    }
    match before {
        Some((code, before)) if before == after => {
            Ok(SavedDependent { code, dependent: after, holder: benefit.person, changed: false })
        }
        before => Box::pin(store_dependent(tx, command, benefit, before, after)).await,
    }
}

/// The requested plans without duplicates. A plan that the dependent already has may be inactive.
fn resolve_plans(
    registers: &TenantRegisters,
    input: &DependenteInput,
    before: Option<&Dependent>,
    problems: &mut Vec<Rejection>,
) -> Vec<PlanCode> {
    let old_plans = before.map_or(&[][..], |before| &before.plans);
    let requested = match &input.plans {
        FieldPatch::Keep => return old_plans.to_vec(),
        FieldPatch::Clear => return Vec::new(),
        FieldPatch::Set(requested) => requested,
    };
    for (at, code) in requested.iter().map(|plan| plan.0).enumerate() {
        let is_sold = registers.plan(code).is_some_and(|plan| plan.active);
        if !is_usable_reference(code, is_sold, old_plans) {
            problems.push(Rejection::UnknownPlan { at, code });
        }
    }
    requested.iter().map(|plan| plan.0).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Builds the dependent from the input; e-mail, card and active flag keep their value if not given.
fn build_dependent(
    command: &WriteCommand<DependentWriteInput>,
    before: Option<&Dependent>,
    plans: Vec<PlanCode>,
) -> Dependent {
    let (input, now) = (&command.input.record, &command.now);
    let mut email = before.and_then(|before| before.email.clone());
    input.email.apply_to(&mut email, Clone::clone);
    let mut card = before.and_then(|before| before.card.clone());
    input.card.apply_to(&mut card, Clone::clone);
    let stays = before.is_none_or(|before| before.active);
    let phone = input.phone.clone().into_set();
    // A number without area code takes no complete one's place.
    let old_phone = before.and_then(|before| before.phone.clone());
    let complete = old_phone.filter(|old| phone.as_ref().is_some_and(|given| given.is_ending_of(old)));
    Dependent {
        benefit: input.benefit,
        name: input.name.as_str().to_owned(),
        cpf: input.cpf.clone().into_set(),
        born_on: input.birth.clone().into_set(),
        kinship: input.kinship,
        sex: input.sex.clone().into_set(),
        identity_number: input.identity.clone().into_set().map(domain::BoundedText::into_string),
        phone: complete.or(phone),
        email,
        card,
        plans,
        active: input.active.clone().into_set().unwrap_or(stays),
        created_at: before.map_or(*now, |before| before.created_at),
        updated_at: before.map_or(*now, |before| before.updated_at),
    }
}

async fn store_dependent(
    tx: &mut Tx,
    command: &WriteCommand<DependentWriteInput>,
    benefit: Benefit,
    before: Option<(DependentCode, Dependent)>,
    mut after: Dependent,
) -> Result<SavedDependent, Error> {
    let tenant = command.scope.tenant();
    refuse_conflicts(tx, command, &benefit, before.as_ref(), &after).await?;
    if before.is_none() && after.card.is_none() {
        after.card = Some(reserve_free_card(tx, tenant).await?);
    }
    after.updated_at = command.now;
    let (code, also, action) = match &before {
        Some((code, before)) => (
            *code,
            dependents::update_dependent(tenant, *code, before, &after),
            AuditedAction::ChangeDependent,
        ),
        None => {
            let code = match command.input.preset_code {
                Some(preset_code) => {
                    counters::advance_counter(tx, tenant, Counter::Dependent, preset_code.get()).await?;
                    preset_code
                }
                None => DependentCode::new(counters::reserve_number(tx, tenant, Counter::Dependent).await?),
            };
            (
                code,
                dependents::insert_dependents(tenant, std::iter::once((code, &after))),
                AuditedAction::CreateDependent,
            )
        }
    };
    let profile = load_holder(tx, tenant, after.benefit, &benefit).await?;
    let (holder, changed) = (benefit.person, Benefit { updated_at: command.now, ..benefit.clone() });
    let audited = AuditedChange::from(action).with_argument(code);
    let store = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(after.benefit, &benefit, changed, &profile, audited)
    };
    store_benefit(tx, &command.actor_context(), store).await?;
    Ok(SavedDependent { code, dependent: after, holder, changed: true })
}

/// A card belongs to one person, and a CPF occurs once among the active dependents of a benefit.
async fn refuse_conflicts(
    tx: &mut Tx,
    command: &WriteCommand<DependentWriteInput>,
    benefit: &Benefit,
    before: Option<&(DependentCode, Dependent)>,
    after: &Dependent,
) -> Result<(), Error> {
    let had_card = before.and_then(|(_, before)| before.card.as_ref());
    let new_card = after.card.as_ref().filter(|card| Some(*card) != had_card);
    let cpf = after.cpf.as_ref().filter(|_| after.active);
    let conflicts =
        dependents::load_identity_conflicts(tx, command.scope.tenant(), after.benefit, (cpf, new_card))
            .await?;
    let own_code = before.map(|(code, _)| *code);
    let other = conflicts.with_cpf.into_iter().find(|code| Some(*code) != own_code);
    let mut problems: Vec<Rejection> = other.map(Rejection::DependentTaken).into_iter().collect();
    if conflicts.card_holder.is_some_and(|holder| holder != benefit.person) {
        problems.push(Rejection::CardOfAnother);
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
