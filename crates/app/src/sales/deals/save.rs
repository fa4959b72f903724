//! Creates or changes a deal.

use super::super::leads::{self, LeadBranchSource, PreparedLead};
use super::move_stage;
use super::validate::DealInputValidator;
use crate::actor_context::ActorContext;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::responsible_user::may_become_responsible;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Deal, DealCode, InputField, LeadCode,
    PersonCode, Rejection, UserCode,
};
use storage::Tx;
use storage::history::audit;
use storage::sales::deals::{self, DealStageMove};
use storage::server::counters::{self, Counter};
use wire::read::FieldPatch;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::NegocioInput;

const CREATE: AuditedOperation = AuditedOperation::CreateDeal;

const CHANGE: AuditedOperation = AuditedOperation::UpdateDeal;

/// The deal after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDeal {
    pub code: DealCode,
    pub deal: Deal,
    person: PersonCode,
    /// False if nothing differed: the request then counts as read access.
    changed: bool,
}

/// The deal as sent.
#[derive(Clone)]
struct SubmittedDeal {
    /// `None` for a new deal.
    code: Option<DealCode>,
    /// The version the caller has read, if the change depends on it.
    version: Option<i64>,
    fields: NegocioInput,
}

type SubmittedDealCommand = WriteCommand<SubmittedDeal>;

/// Creates a deal, together with its lead if sent, or changes the one with this code.
#[boxed::future]
pub async fn save_deal(
    app: &App,
    caller: &Session,
    code: Option<DealCode>,
    input: NegocioInput,
    once: IdempotentWrite<SavedDeal>,
) -> Result<WriteOutcome<SavedDeal>, Error> {
    submit_deal(app, caller, (code, None), input, once).await
}

/// Changes a deal; refused with the differences if its version is no longer the given one.
#[boxed::future]
pub async fn change_deal(
    app: &App,
    caller: &Session,
    (code, version): (DealCode, i64),
    input: NegocioInput,
    once: IdempotentWrite<SavedDeal>,
) -> Result<WriteOutcome<SavedDeal>, Error> {
    submit_deal(app, caller, (Some(code), Some(version)), input, once).await
}

async fn submit_deal(
    app: &App,
    caller: &Session,
    (code, version): (Option<DealCode>, Option<i64>),
    input: NegocioInput,
    once: IdempotentWrite<SavedDeal>,
) -> Result<WriteOutcome<SavedDeal>, Error> {
    let operation = if code.is_some() { CHANGE } else { CREATE };
    let submission = SubmittedDeal { code, version, fields: input };
    let outcome = run_command(app, caller, operation, submission, once, |tx, command| {
        Box::pin(write_deal(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(SavedDeal { person, changed: false, .. }) = &outcome {
        record_access(app, caller, CHANGE, std::iter::once(*person))?;
    }
    Ok(outcome)
}

async fn write_deal(tx: &mut Tx, command: &SubmittedDealCommand) -> Result<SavedDeal, Error> {
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    match command.input.code {
        Some(code) => Box::pin(update_deal(tx, command, code)).await,
        None => Box::pin(create_deal(tx, command)).await,
    }
}

/// The lead of a new deal.
enum NewDealLead {
    Existing(LeadCode, Box<domain::Lead>),
    Prepared(Box<PreparedLead>),
}

async fn create_deal(tx: &mut Tx, command: &SubmittedDealCommand) -> Result<SavedDeal, Error> {
    let (tenant, input, context) = (command.scope.tenant(), &command.input.fields, command.actor_context());
    let mut validator = DealInputValidator::new(&command.registers, &command.scope);
    let deal_lead = match input.lead {
        FieldPatch::Set(code) => find_usable_lead(tx, command, code, &mut validator)
            .await?
            .map(|lead| NewDealLead::Existing(code, Box::new(lead))),
        FieldPatch::Keep | FieldPatch::Clear => {
            let contact_and_branch = (&input.contact, LeadBranchSource::NewLeadOnly(&input.branch));
            let prepared = leads::prepare_lead(
                tx,
                &context,
                &command.scope,
                contact_and_branch,
                &mut validator.problems,
            )
            .await?;
            if [Rejection::Missing(InputField::Name), Rejection::NoContact]
                .iter()
                .all(|one| validator.problems.contains(one))
            {
                validator.problems.insert(0, Rejection::NoLead);
            }
            Some(NewDealLead::Prepared(Box::new(prepared)))
        }
    };
    let default_branch = match &deal_lead {
        Some(NewDealLead::Existing(_, lead)) => Some(lead.branch),
        Some(NewDealLead::Prepared(prepared)) => Some(prepared.after.branch),
        None => None,
    };
    let is_checked = matches!(&deal_lead, Some(NewDealLead::Prepared(prepared)) if prepared.is_new());
    let new_deal = validator.build_new_deal(input, (default_branch, is_checked), command.user, command.now);
    check_responsible(tx, command, None, new_deal.as_ref().map(|deal| deal.branch), &mut validator).await?;
    let (Some(mut deal), Some(deal_lead), []) = (new_deal, deal_lead, &validator.problems[..]) else {
        return Err(Error::Refused(validator.problems));
    };
    let (lead, person) = match deal_lead {
        NewDealLead::Existing(code, lead) => (code, lead.person),
        NewDealLead::Prepared(prepared) => {
            let saved = Box::pin(leads::store_lead(tx, &context, &command.scope, *prepared)).await?;
            (saved.code, saved.lead.person)
        }
    };
    deal.lead = lead;
    let blocks = [(Counter::Deal, 1), (Counter::DealSequence, 1), (Counter::Audit, 1)];
    let [code, sequence, audit_code] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    let code = DealCode::new(code);
    deal.sequence = sequence;
    let mut statements = deals::insert_deals(tenant, [(code, &deal)]);
    statements.extend(deals::insert_deal_moves(tenant, [(code, &build_stage_move(&deal, 1, &context))]));
    statements.push(audit::insert_audit_entry(
        &build_deal_audit_entry(&context, code, person, AuditedAction::Create.into()),
        audit_code,
    ));
    tx.execute_batch(statements).await?;
    Ok(SavedDeal { code, deal, person, changed: true })
}

async fn update_deal(
    tx: &mut Tx,
    command: &SubmittedDealCommand,
    code: DealCode,
) -> Result<SavedDeal, Error> {
    let (tenant, input, context) = (command.scope.tenant(), &command.input.fields, command.actor_context());
    let before = deals::find_deal(&mut *tx, &command.scope, code).await?;
    let mut validator = DealInputValidator::new(&command.registers, &command.scope);
    let has_lead = |lead: LeadCode| before.as_ref().is_some_and(|before| before.lead == lead);
    if let FieldPatch::Set(lead) = input.lead
        && !has_lead(lead)
    {
        find_usable_lead(tx, command, lead, &mut validator).await?;
    }
    let after = validator.build_changed_deal(input, before.as_ref(), command.now);
    let current = before.as_ref().and_then(|before| before.responsible);
    check_responsible(tx, command, current, after.as_ref().map(|after| after.branch), &mut validator).await?;
    // Problems of the input are reported before an unknown code in the path.
    if !validator.problems.is_empty() {
        return Err(Error::Refused(validator.problems));
    }
    let unknown = Error::NotFound { field: InputField::Deal, code: code.get() };
    let (Some(before), Some(after)) = (before, after) else { return Err(unknown) };
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    let changes = move_stage::compare_deals(&before, &after);
    let zone = &command.registers.zone;
    if let Some(rejection) =
        command.input.version.and_then(|version| refuse_old_version(version, present, zone, &changes))
    {
        return Err(rejection.into());
    }
    let missing_lead = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead =
        storage::sales::leads::find_lead(&mut *tx, tenant, after.lead).await?.ok_or_else(missing_lead)?;
    if after == before {
        return Ok(SavedDeal { code, deal: before, person: lead.person, changed: false });
    }
    let deal = move_stage::write_deal_change(
        tx,
        &context,
        (code, lead.person),
        &before,
        after,
        AuditedAction::Change.into(),
    )
    .await?;
    Ok(SavedDeal { code, deal, person: lead.person, changed: true })
}

async fn find_usable_lead(
    tx: &mut Tx,
    command: &SubmittedDealCommand,
    code: LeadCode,
    validator: &mut DealInputValidator<'_>,
) -> Result<Option<domain::Lead>, Error> {
    let found = storage::sales::leads::find_lead(&mut *tx, command.scope.tenant(), code).await?;
    let found = found.filter(|lead| lead.active && command.scope.can_see(lead.branch));
    if found.is_none() {
        validator.problems.push(Rejection::UnknownCode { field: InputField::Lead, code: code.get() });
    }
    Ok(found)
}

async fn check_responsible(
    tx: &mut Tx,
    command: &SubmittedDealCommand,
    current: Option<UserCode>,
    branch: Option<domain::BranchCode>,
    validator: &mut DealInputValidator<'_>,
) -> Result<(), Error> {
    let FieldPatch::Set(code) = command.input.fields.responsible else { return Ok(()) };
    if !may_become_responsible(tx, command.scope.tenant(), code, current, branch).await? {
        validator.problems.push(Rejection::UnknownCode { field: InputField::Responsible, code: code.get() });
    }
    Ok(())
}

pub(super) fn build_stage_move(deal: &Deal, number: i32, context: &ActorContext<'_>) -> DealStageMove {
    let (stage, state) = (deal.stage, deal.state);
    DealStageMove { number, at: context.now, stage, state, user: context.user, user_name: None }
}

pub(super) fn build_deal_audit_entry(
    context: &ActorContext<'_>,
    code: DealCode,
    person: PersonCode,
    change: AuditedChange,
) -> audit::AuditEntry {
    audit::AuditEntry {
        tenant: context.tenant,
        at: context.now,
        user: context.user,
        operation: context.operation,
        person: Some(person),
        change: change.with_subject(AuditedRecordKind::Deal, code.get()),
    }
}
