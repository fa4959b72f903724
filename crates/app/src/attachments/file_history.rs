//! The audit entry and the field change of a file that is attached, removed or put back.

use crate::Error;
use crate::actor_context::ActorContext;
use domain::{AuditedAction, AuditedChange, AuditedRecordKind, PersonCode};
use storage::Tx;
use storage::attachments::AttachedFile;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use wire::field_differences::{FieldDifference, PERSON, name_case_subject};

/// The content of the history and audit entries of a file change.
pub(super) struct FileChangeNote<'f> {
    pub(super) file: &'f AttachedFile,
    pub(super) action: AuditedAction,
    /// Whether the file was added rather than removed.
    pub(super) is_added: bool,
    pub(super) reason: Option<&'f str>,
}

pub(super) async fn build_change_statements(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    person: PersonCode,
    change: FileChangeNote<'_>,
) -> Result<Vec<storage::Statement>, Error> {
    let FileChangeNote { file, action, is_added, reason } = change;
    let blocks = [(Counter::Audit, 1), (Counter::FieldChange, 1)];
    let [audit_code, number] = counters::reserve_number_blocks(tx, context.tenant, blocks).await?;
    let (subject, owner_kind) = match file.owner.case_kind() {
        Some(kind) => (name_case_subject(kind), kind.into()),
        None => (PERSON, AuditedRecordKind::Member),
    };
    let change = AuditedChange::new(action, AuditedRecordKind::File, file.code.get())
        .with_argument(owner_kind.name())
        .with_argument(file.record)
        .with_reason(reason);
    let name = Some(file.name.clone());
    let (before, after) = if is_added { (None, name) } else { (name, None) };
    let changes = vec![FieldDifference { field: "arquivo", before, after }];
    let mut statements = context.field_change_statements(subject, file.record, number, changes);
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    Ok(statements)
}
