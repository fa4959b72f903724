//! Changes a lead, as `/gestao` and the console do.

use super::list::{CurrentLead, find_visible_lead, reject_unknown_lead};
use super::persist::store_lead;
use super::save::validate_contact;
use super::{LeadBranchSource, LeadContactInput};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, Lead, LeadCode, LeadKey, Rejection};
use std::sync::Arc;
use storage::Tx;
use storage::sales::leads::{self, FoundLead};
use wire::field_differences::{self, FieldDifference};
use wire::field_texts::render_lead_fields;
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::LeadAlteracaoInput;

const CHANGE: AuditedOperation = AuditedOperation::ChangeLead;

type SubmittedLeadCommand = WriteCommand<(LeadCode, LeadAlteracaoInput)>;

/// Changes a lead: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn change_lead(
    app: &App,
    caller: &Session,
    code: LeadCode,
    input: LeadAlteracaoInput,
    once: IdempotentWrite<CurrentLead>,
) -> Result<WriteOutcome<CurrentLead>, Error> {
    let outcome = run_command(app, caller, CHANGE, (code, input), once, |tx, command| {
        Box::pin(write_lead_change(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(CurrentLead { found_lead, changed: false, .. }) = &outcome {
        record_access(app, caller, CHANGE, std::iter::once(found_lead.lead.person))?;
    }
    Ok(outcome)
}

async fn write_lead_change(tx: &mut Tx, command: &SubmittedLeadCommand) -> Result<CurrentLead, Error> {
    let (code, input, context) = (command.input.0, &command.input.1, command.actor_context());
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let found = find_visible_lead(tx, &command.scope, code).await?.ok_or(reject_unknown_lead(code))?;
    let before = found.lead.clone();
    let mut problems = Vec::new();
    let contact_input =
        LeadContactInput::from_contact(&input.contact, &mut problems).with_known_name(&before);
    let contact_and_branch = (&contact_input, LeadBranchSource::AnyLead(&input.branch));
    let mut prepared = validate_contact(
        tx,
        &context,
        &command.scope,
        contact_and_branch,
        Some((code, before.clone())),
        &mut problems,
    )
    .await?;
    prepared.after.active = input.active.clone().into_set().unwrap_or(before.active);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    refuse_lead_conflicts(tx, command, &before, &prepared.after).await?;
    let saved = Box::pin(store_lead(tx, &context, &command.scope, prepared)).await?;
    let found = FoundLead { lead: saved.lead, ..found };
    Ok(CurrentLead { found_lead: found, registers: Arc::clone(&command.registers), changed: saved.changed })
}

/// Refuses a stale version or a document that another active lead has.
async fn refuse_lead_conflicts(
    tx: &mut Tx,
    command: &SubmittedLeadCommand,
    before: &Lead,
    after: &Lead,
) -> Result<(), Error> {
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    let given_version = command.input.1.version.get().into();
    let mut problems = Vec::new();
    problems.extend(refuse_old_version(
        given_version,
        present,
        &command.registers.zone,
        &compare_leads(before, after),
    ));
    if let Some(document) = after.document.as_ref().filter(|one| before.document.as_ref() != Some(*one)) {
        let contact = LeadKey::Document(document.as_str().to_owned());
        let other = leads::find_active_lead_by_contact(tx, &command.scope, &contact, Some(document)).await?;
        if let Some((other, _)) = other.filter(|(other, _)| *other != command.input.0) {
            problems.push(Rejection::LeadTaken(other));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

pub(super) fn compare_leads(before: &Lead, after: &Lead) -> Vec<FieldDifference> {
    field_differences::compare_fields(render_lead_fields(before), render_lead_fields(after))
}
