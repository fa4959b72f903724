//! Creates or changes a record of a register.

use super::draft::RecordDraft;
use super::rules;
use super::validate::validate_record;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::members::credit_cards;
use crate::session::Session;
use crate::{App, Error, Vault};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, CreditCardCode, PersonCode,
    RandomSource, TimeZone,
};
use registers::{FieldContent, FieldType, Register};
use std::sync::Arc;
use storage::history::audit;
use storage::registers::StoredRecord;
use storage::server::counters;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, registers as stored_registers};
use wire::register::RecordInput;

/// The input of a create or change.
#[derive(Clone)]
pub(super) struct RecordSubmission {
    pub(super) register: &'static Register,
    /// The code in the path; `None` for a new record.
    pub(super) code: Option<i32>,
    pub(super) sent: RecordInput,
    /// Encrypts secret fields; `None` for imports, which have no such fields.
    pub(super) sealing: Option<(Vault, Arc<dyn RandomSource>)>,
}

#[derive(Clone, Debug)]
pub struct SavedRecord {
    pub record: StoredRecord,
    pub zone: TimeZone,
    raised: Option<CacheVersions>,
}

#[boxed::future]
pub async fn create_record(
    app: &App,
    caller: &Session,
    register: &'static Register,
    input: RecordInput,
    once: IdempotentWrite<SavedRecord>,
) -> Result<WriteOutcome<SavedRecord>, Error> {
    submit_record(app, caller, register, (None, input), once).await
}

/// Changes a record; fields not sent stay.
#[boxed::future]
pub async fn change_record(
    app: &App,
    caller: &Session,
    register: &'static Register,
    (code, input): (i32, RecordInput),
    once: IdempotentWrite<SavedRecord>,
) -> Result<WriteOutcome<SavedRecord>, Error> {
    submit_record(app, caller, register, (Some(code), input), once).await
}

async fn submit_record(
    app: &App,
    caller: &Session,
    register: &'static Register,
    (code, input): (Option<i32>, RecordInput),
    once: IdempotentWrite<SavedRecord>,
) -> Result<WriteOutcome<SavedRecord>, Error> {
    let words = if code.is_some() { &register.words.change } else { &register.words.create };
    let operation = AuditedOperation::Register(words.operation);
    let sealing = app.vault.clone().map(|vault| (vault, Arc::clone(&app.random_source)));
    let input = RecordSubmission { register, code, sent: input, sealing };
    let outcome =
        run_command(app, caller, operation, input, once, |tx, command| Box::pin(write_record(tx, command)))
            .await?;
    // Invalidates the cache of this process; other processes notice by the version.
    if let WriteOutcome::Fresh(SavedRecord { raised: Some(raised), .. }) = &outcome {
        app.versions.raise(caller.scope.tenant(), *raised);
    }
    Ok(outcome)
}

pub(super) async fn write_record(
    tx: &mut Tx,
    command: &WriteCommand<RecordSubmission>,
) -> Result<SavedRecord, Error> {
    let mut draft = validate_record(tx, command).await?;
    let (register, tenant) = (command.input.register, command.scope.tenant());
    let raised = match draft.is_changed() {
        false => None,
        true => {
            store_record(tx, command, &mut draft).await?;
            match register.remembered {
                true => Some(versions::raise_registers_version(tx, tenant).await?),
                false => None,
            }
        }
    };
    let lost = || storage::Error::Broken(format!("{} {:?} is gone", register.path, draft.code));
    let record = stored_registers::find_record(tx, register, &command.scope, draft.code.unwrap_or(0))
        .await?
        .ok_or_else(lost)?;
    Ok(SavedRecord { record, zone: command.registers.zone.clone(), raised })
}

async fn store_record(
    tx: &mut Tx,
    command: &WriteCommand<RecordSubmission>,
    draft: &mut RecordDraft<'_>,
) -> Result<(), Error> {
    let (register, tenant) = (command.input.register, command.scope.tenant());
    let code = match (draft.code, register.counter) {
        (Some(code), Some(counter)) => {
            counters::advance_register_counter(tx, tenant, counter, code).await?;
            code
        }
        (Some(code), None) => code,
        (None, Some(counter)) => reserve_record_code(tx, command, counter).await?,
        (None, None) => return Err(Error::Defect(format!("{} has no code", register.path))),
    };
    draft.assign_code(code);
    rules::update_related_records(tx, draft).await?;
    let changed_fields = draft.list_changed_fields();
    seal_secrets(tx, command, draft, code).await?;
    let row = (code, &draft.values[..], draft.active);
    match &draft.stored {
        Some(_) => stored_registers::update_record(tx, register, tenant, row, command.now).await?,
        None => stored_registers::insert_record(tx, register, tenant, row, command.now).await?,
    }
    let (words, action) = match &draft.stored {
        Some(_) => (&register.words.change, AuditedAction::Change),
        None => (&register.words.create, AuditedAction::Create),
    };
    let kind = AuditedRecordKind::Register(register.path.into());
    let change = AuditedChange::new(action, kind, code).with_fields(changed_fields);
    let entry = audit::AuditEntry {
        // An imported row is audited as if it had been sent alone.
        operation: AuditedOperation::Register(words.operation),
        ..command.actor_context().audit_entry(draft.person, change)
    };
    Ok(audit::append_audit_entry(tx, &entry).await?)
}

/// Stores secret fields encrypted, and leaves their columns empty.
async fn seal_secrets(
    tx: &mut Tx,
    command: &WriteCommand<RecordSubmission>,
    draft: &mut RecordDraft<'_>,
    code: i32,
) -> Result<(), Error> {
    let tenant = command.scope.tenant();
    for (field, value) in command.input.register.fields.iter().zip(&mut draft.values) {
        if !matches!(field.kind, FieldType::Secret { .. }) {
            continue;
        }
        if let FieldContent::Text(token) = &*value
            && !token.is_empty()
        {
            let none = || storage::Error::Broken("the server's key was not opened".to_owned());
            let (vault, chance) = command.input.sealing.as_ref().ok_or_else(none)?;
            let card = (tenant, CreditCardCode::new(code));
            credit_cards::seal_token(tx, vault, &**chance, card, token).await?;
        }
        *value = FieldContent::Text(String::new());
    }
    Ok(())
}

/// The next free code; skips codes that callers chose.
async fn reserve_record_code(
    tx: &mut Tx,
    command: &WriteCommand<RecordSubmission>,
    counter: &'static str,
) -> Result<i32, Error> {
    loop {
        let code = counters::reserve_register_code(tx, command.scope.tenant(), counter).await?;
        if !stored_registers::has_record(tx, command.input.register, command.scope.tenant(), code).await? {
            return Ok(code);
        }
    }
}

/// The person whose data a record is, if any.
pub(super) type RecordOwner = Option<PersonCode>;
