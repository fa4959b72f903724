//! Notes on a case and messages to its member.

use super::{FullCase, RecordNote, reject_unknown_case, show};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, CaseKind, CaseOperation};
use storage::cases::notes;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Tx, cases};
use wire::records::NotaInput;

/// Adds an internal note or a message to the member. The case itself and its version do not change.
#[boxed::future]
pub async fn add_case_note(
    app: &App,
    caller: &Session,
    (kind, code): (CaseKind, i32),
    input: NotaInput,
    once: IdempotentWrite<FullCase>,
) -> Result<WriteOutcome<FullCase>, Error> {
    let input = (kind, code, input);
    let operation = AuditedOperation::Case(kind, CaseOperation::Annotate);
    run_command(app, caller, operation, input, once, |tx, command| Box::pin(write_case_note(tx, command)))
        .await
}

async fn write_case_note(
    tx: &mut Tx,
    command: &WriteCommand<(CaseKind, i32, NotaInput)>,
) -> Result<FullCase, Error> {
    let (tenant, (kind, code, input)) = (command.scope.tenant(), &command.input);
    let (kind, code, context) = (*kind, *code, command.actor_context());
    confirm_registers(tx, tenant, &command.registers).await?;
    let found = cases::find_case(&mut *tx, &command.scope, kind, code)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))?;
    let record = (kind.entity(), code);
    let note = RecordNote {
        number: notes::load_last_note_number(&mut *tx, tenant, record).await? + 1,
        written_at: command.now,
        user: context.user,
        user_name: None,
        is_message: input.to_member.clone().into_set().unwrap_or(false),
        text: input.text.as_str().to_owned(),
    };
    let change = AuditedChange::new(AuditedAction::Annotate, kind.into(), code);
    let entry = context.audit_entry(Some(found.case.head().person), change);
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    tx.execute_batch(vec![
        notes::insert_note(tenant, record, &note),
        audit::insert_audit_entry(&entry, audit_code),
    ])
    .await?;
    show::read_written_case(tx, command, kind, code, true)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))
}
