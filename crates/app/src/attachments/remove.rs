//! Removes a file from a record and puts it back.

use super::file_history::{FileChangeNote, build_change_statements};
use super::limits::StorageLimits;
use super::owner::FileOwnerRecord;
use super::show::{
    AttachedFileView, build_attachment_view, find_visible_file, load_visible_file, reject_unknown_file,
};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, FileCode, Role};
use storage::{Tx, attachments};

const REMOVE: AuditedOperation = AuditedOperation::RemoveFile;

const RESTORE: AuditedOperation = AuditedOperation::RestoreFile;

/// Removes a file, which can be restored for a while. Idempotent.
#[boxed::future]
pub async fn remove_file(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: IdempotentWrite<AttachedFileView>,
) -> Result<WriteOutcome<AttachedFileView>, Error> {
    set_file_removed(app, caller, code, (true, reason), once).await
}

/// Restores a removed file.
#[boxed::future]
pub async fn restore_file(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: IdempotentWrite<AttachedFileView>,
) -> Result<WriteOutcome<AttachedFileView>, Error> {
    set_file_removed(app, caller, code, (false, reason), once).await
}

/// Removes or restores a file.
#[derive(Clone)]
struct FileRemoval {
    code: FileCode,
    is_removed: bool,
    reason: Option<String>,
    limits: StorageLimits,
}

async fn set_file_removed(
    app: &App,
    caller: &Session,
    code: FileCode,
    (is_removed, reason): (bool, Option<String>),
    once: IdempotentWrite<AttachedFileView>,
) -> Result<WriteOutcome<AttachedFileView>, Error> {
    caller.require_role(&Role::STAFF)?;
    let operation = if is_removed { REMOVE } else { RESTORE };
    let input = FileRemoval { code, is_removed, reason, limits: app.files.limits };
    let done = run_command(app, caller, operation, input, once, |tx, command| {
        Box::pin(write_file_removal(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(AttachedFileView { is_new: false, .. }) = &done {
        let (_, person) = load_visible_file(app, caller, code).await?;
        record_access(app, caller, operation, std::iter::once(person))?;
    }
    Ok(done)
}

async fn write_file_removal(
    tx: &mut Tx,
    command: &WriteCommand<FileRemoval>,
) -> Result<AttachedFileView, Error> {
    let (scope, FileRemoval { code, is_removed, reason, limits }) = (&command.scope, &command.input);
    let (code, tenant) = (*code, scope.tenant());
    let (file, person, _) =
        find_visible_file(tx, scope, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    FileOwnerRecord::of_file(&file).authorize_change(tx, scope).await?;
    if file.removed.is_some() == *is_removed {
        return Ok(build_attachment_view(command, file, false));
    }
    let action = match *is_removed {
        true => AuditedAction::RemoveFile,
        false => AuditedAction::RestoreFile,
    };
    if !*is_removed {
        let present = attachments::list_files(&mut *tx, tenant, (file.owner, file.record)).await?;
        limits.refuse_more_files(present.len())?;
    }
    let change = FileChangeNote { file: &file, action, is_added: !is_removed, reason: reason.as_deref() };
    let removal = command.user.filter(|_| *is_removed).map(|user| (command.now, user));
    let mut statements = vec![attachments::update_file_removal(tenant, code, removal)];
    statements.extend(build_change_statements(tx, &command.actor_context(), person, change).await?);
    tx.execute_batch(statements).await?;
    let file =
        attachments::find_file(&mut *tx, tenant, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    Ok(build_attachment_view(command, file, true))
}
