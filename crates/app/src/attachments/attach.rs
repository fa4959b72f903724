//! Attaches a file to a record.

use super::file_history::{FileChangeNote, build_change_statements};
use super::limits::StorageLimits;
use super::name_file_operations;
use super::owner::FileOwnerRecord;
use super::show::{AttachedFileView, build_attachment_view, load_visible_file, reject_unknown_file};
use super::store::ContentPart;
use super::upload_buffer::UploadBuffer;
use super::{store, sweep};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::load_registers;
use crate::session::Session;
use crate::{App, Error};
use bytes::Bytes;
use domain::{AuditedAction, FileCode, FileName, Moment, PersonCode, Rejection, Role, Scope};
use file_content::PreparedFile;
use storage::attachments::AttachedFile;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane, attachments};

/// Rejects a caller who may not attach files to the record, before the upload.
#[boxed::future]
pub async fn authorize_attachment(app: &App, caller: &Session, owner: FileOwnerRecord) -> Result<(), Error> {
    caller.require_role(&Role::STAFF)?;
    let input = (caller.scope.clone(), owner);
    let read = app.db.read(input, |tx, (scope, owner)| Box::pin(owner.authorize_change(tx, scope)));
    read.await.map(drop)
}

/// The row to be written, except for its code.
#[derive(Clone)]
struct NewAttachment {
    file: AttachedFile,
    limits: StorageLimits,
}

/// Attaches a file to a record. The same content again returns the existing file.
#[boxed::future]
pub async fn attach_file(
    app: &App,
    caller: &Session,
    owner: FileOwnerRecord,
    (name, incoming): (&str, UploadBuffer),
    once: IdempotentWrite<AttachedFileView>,
) -> Result<WriteOutcome<AttachedFileView>, Error> {
    caller.require_role(&Role::STAFF)?;
    let _permit = app.files.acquire_memory().await?;
    let ready = prepare_content(app, incoming.into_bytes().await?).await?;
    let tenant = caller.scope.tenant();
    // A failure of this read must not leave content without a record.
    load_registers(app, tenant).await?;
    let key = store::generate_key(tenant, &*app.random_source);
    let file = build_file_row(&ready, owner, (FileName::sanitize(name, ready.kind).as_str(), key.clone()));
    let file = AttachedFile { created_at: app.now(), created_by: Some(caller.user), ..file };
    let (new, operation) =
        (NewAttachment { file, limits: app.files.limits }, name_file_operations(owner.of).1);
    let reservation = (caller.scope.clone(), new.clone(), app.now());
    let reserve = app.db.write(WriteLane::foreground(tenant), reservation, |tx, (scope, new, now)| {
        Box::pin(reserve_storage_key(tx, scope, new, *now))
    });
    let is_loose = reserve.await?;
    if is_loose {
        put_file_parts(app, &key, ready).await?;
    }
    let done =
        run_command(app, caller, operation, new, once, |tx, command| Box::pin(write_attachment(tx, command)))
            .await;
    let is_kept = match &done {
        Ok(WriteOutcome::Fresh(view)) => view.is_new,
        Ok(WriteOutcome::Replayed(_) | WriteOutcome::Checked) => false,
        // Unknown whether the commit succeeded: the key is left for the sweep.
        Err(error) => error.is_transient(),
    };
    if is_loose && !is_kept {
        sweep::discard_content(app, tenant, &key).await;
    }
    if let Ok(WriteOutcome::Fresh(AttachedFileView { is_new: false, file, .. })) = &done {
        let (_, person) = load_visible_file(app, caller, file.code).await?;
        record_access(app, caller, operation, std::iter::once(person))?;
    }
    done
}

fn build_file_row(
    ready: &PreparedFile,
    owner: FileOwnerRecord,
    (name, storage_key): (&str, String),
) -> AttachedFile {
    AttachedFile {
        code: FileCode::new(0),
        owner: owner.of,
        record: owner.record,
        name: name.to_owned(),
        kind: ready.kind,
        size: i64::try_from(ready.bytes.len()).unwrap_or(i64::MAX),
        sha256: ready.sha256.clone(),
        measures: ready.measures,
        has_preview: ready.preview.is_some(),
        storage_key,
        created_at: Moment::from_millis(0),
        created_by: None,
        author: None,
        removed: None,
    }
}

/// Validates and cleans a file on a blocking thread.
async fn prepare_content(app: &App, input: Bytes) -> Result<PreparedFile, Error> {
    let _permit = app.files.acquire_decoder().await?;
    let ready = tokio::task::spawn_blocking(move || file_content::prepare_file(input)).await;
    let ready = ready.map_err(|error| Error::Files(error.to_string()))?;
    Ok(ready.map_err(Rejection::File)?)
}

async fn put_file_parts(app: &App, key: &str, ready: PreparedFile) -> Result<(), Error> {
    if let Some(preview) = ready.preview {
        app.files.put_part(key, ContentPart::Preview, preview).await?;
    }
    app.files.put_part(key, ContentPart::Data, ready.bytes).await
}

/// Records the key before its content is stored; `false` if the record already has the file.
async fn reserve_storage_key(
    tx: &mut Tx,
    scope: &Scope,
    new: &NewAttachment,
    now: Moment,
) -> Result<bool, Error> {
    let (_, there) = validate_attachment(tx, scope, new).await?;
    if there.is_none() {
        tx.execute(attachments::insert_orphan_mark(scope.tenant(), &new.file.storage_key, now)).await?;
    }
    Ok(there.is_none())
}

/// The person the record is about; and the existing file with the same content, if any.
async fn validate_attachment(
    tx: &mut Tx,
    scope: &Scope,
    NewAttachment { file, limits }: &NewAttachment,
) -> Result<(PersonCode, Option<AttachedFile>), Error> {
    let (tenant, owner) = (scope.tenant(), FileOwnerRecord::of_file(file));
    let person = owner.authorize_change(tx, scope).await?;
    let present = attachments::list_files(&mut *tx, tenant, (owner.of, owner.record)).await?;
    let count = present.len();
    let same = present.into_iter().find(|one| one.sha256 == file.sha256);
    if same.is_some() {
        return Ok((person, same));
    }
    limits.refuse_more_files(count)?;
    limits.refuse_full_quota(tx, tenant, file.size).await?;
    Ok((person, None))
}

async fn write_attachment(
    tx: &mut Tx,
    command: &WriteCommand<NewAttachment>,
) -> Result<AttachedFileView, Error> {
    let (tenant, file) = (command.scope.tenant(), &command.input.file);
    let (person, there) = validate_attachment(tx, &command.scope, &command.input).await?;
    if let Some(there) = there {
        return Ok(build_attachment_view(command, there, false));
    }
    // The upload took over a day and was swept meanwhile: its content is gone.
    if tx.execute(attachments::delete_orphan_mark(tenant, &file.storage_key)).await? == 0 {
        return Err(Error::Files("the bytes of a file were swept before it was written down".to_owned()));
    }
    let code = FileCode::new(counters::reserve_number(tx, tenant, Counter::File).await?);
    let file = AttachedFile { code, ..file.clone() };
    let change =
        FileChangeNote { file: &file, action: AuditedAction::AttachFile, is_added: true, reason: None };
    let mut statements =
        vec![attachments::insert_file(tenant, &file), attachments::add_to_file_totals(tenant, 1, file.size)];
    statements.extend(build_change_statements(tx, &command.actor_context(), person, change).await?);
    tx.execute_batch(statements).await?;
    let written =
        attachments::find_file(&mut *tx, tenant, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    Ok(build_attachment_view(command, written, true))
}
