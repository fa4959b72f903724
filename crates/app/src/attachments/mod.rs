//! Files attached to claims, inspections, tickets and members. A user who may see the record sees its files; a user
//! who may change it attaches and removes them.
//!
//! The content is stored first, under a key recorded in `loose_files`; then one transaction writes the file row,
//! deletes that key and writes the audit. So every file row has its content, and content without a file row is found
//! and deleted (`sweep.rs`). A removed file can be restored for a while.

mod content;
mod jpeg;
mod picture;
mod spool;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
pub mod transfer;

pub use spool::UploadBuffer;
pub use storage::attachments::AttachedFile;
pub use store::is_file_key;
pub use store::{ByteStream, ContentPart, FileStore, StorageLimits};
pub(crate) use sweep::{RetentionPeriods, sweep_files};

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::command::{ActorContext, WriteCommand, run_command};
use crate::field_differences::{FieldDifference, PERSON, name_case_subject};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::{App, Error};
use bytes::Bytes;
use content::PreparedFile;
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, FileCode, FileName, FileOwner,
    FileProblem, InputField, Moment, PersonCode, Rejection, Role, Scope, TenantId,
};
use std::sync::Arc;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane, attachments, cases, members};

/// The roles of the association's staff.
const STAFF: &[Role] = &[Role::Administrator, Role::Operator];

const READ: AuditedOperation = AuditedOperation::ShowFile;
const CONTENT: AuditedOperation = AuditedOperation::DownloadFile;
const PREVIEW: AuditedOperation = AuditedOperation::PreviewFile;
const REMOVE: AuditedOperation = AuditedOperation::RemoveFile;
const RESTORE: AuditedOperation = AuditedOperation::RestoreFile;

/// Method and route of listing and of attaching files, by owner of the files.
const fn name_file_operations(owner: FileOwner) -> (AuditedOperation, AuditedOperation) {
    match owner {
        FileOwner::Claim => (AuditedOperation::ListClaimFiles, AuditedOperation::AttachClaimFile),
        FileOwner::Inspection => {
            (AuditedOperation::ListInspectionFiles, AuditedOperation::AttachInspectionFile)
        }
        FileOwner::Ticket => (AuditedOperation::ListTicketFiles, AuditedOperation::AttachTicketFile),
        FileOwner::Member => (AuditedOperation::ListMemberFiles, AuditedOperation::AttachMemberFile),
    }
}

/// The record that files belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerRecord {
    pub of: FileOwner,
    pub record: i32,
}

impl OwnerRecord {
    fn of_file(file: &AttachedFile) -> OwnerRecord {
        OwnerRecord { of: file.owner, record: file.record }
    }

    fn reject_unknown(self) -> Error {
        let field = match self.of {
            FileOwner::Claim => InputField::Claim,
            FileOwner::Inspection => InputField::Inspection,
            FileOwner::Ticket => InputField::Ticket,
            FileOwner::Member => InputField::Person,
        };
        Error::NotFound { field, code: self.record }
    }

    /// The person the record is about, if the scope sees it, and whether the scope may change the record.
    async fn find_visible_person(
        self,
        tx: &mut Tx,
        scope: &Scope,
    ) -> Result<Option<(PersonCode, bool)>, Error> {
        if let Some(kind) = self.of.case_kind() {
            let found = cases::find_case(tx, scope, kind, self.record).await?;
            return Ok(found.map(|view| (view.case.head().person, true)));
        }
        let code = PersonCode::new(self.record);
        if !members::is_person_visible(tx, scope, code).await? {
            return Ok(None);
        }
        let found = members::find_person(&mut *tx, scope.tenant(), code).await?;
        // A scope that sees the member only through a benefit may not change the member.
        Ok(found.filter(|member| member.is_member).map(|member| (code, scope.can_see(member.branch))))
    }

    /// The person the record is about, if the scope may change the record.
    async fn authorize_change(self, tx: &mut Tx, scope: &Scope) -> Result<PersonCode, Error> {
        match self.find_visible_person(tx, scope).await? {
            None => Err(self.reject_unknown()),
            Some((_, false)) => Err(Rejection::PersonElsewhere.into()),
            Some((person, true)) => Ok(person),
        }
    }
}

/// A file, with the registers that give the time zone of its moments.
#[derive(Clone, Debug)]
pub struct AttachmentView {
    pub file: AttachedFile,
    pub registers: Arc<TenantRegisters>,
    /// Whether the caller may remove it.
    pub is_changeable: bool,
    /// False if the call changed nothing.
    pub is_new: bool,
}

#[derive(Clone, Debug)]
pub struct OwnerFileList {
    pub files: Vec<AttachedFile>,
    pub registers: Arc<TenantRegisters>,
    pub is_changeable: bool,
}

/// The files of a record that the caller may see.
#[boxed::future]
pub async fn list_owner_files(
    app: &App,
    caller: &Session,
    owner: OwnerRecord,
) -> Result<OwnerFileList, Error> {
    caller.require_role(STAFF)?;
    let read = app.db.read((caller.scope.clone(), owner), |tx, (scope, owner)| {
        Box::pin(async move {
            let visible =
                owner.find_visible_person(tx, scope).await?.ok_or_else(|| owner.reject_unknown())?;
            Ok::<_, Error>((
                visible,
                attachments::list_files(&mut *tx, scope.tenant(), (owner.of, owner.record)).await?,
            ))
        })
    });
    let ((person, is_changeable), files) = read.await?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    record_access(app, caller, name_file_operations(owner.of).0, std::iter::once(person))?;
    Ok(OwnerFileList { files, registers, is_changeable })
}

/// A file that the caller may see, removed or not.
#[boxed::future]
pub async fn read_file(app: &App, caller: &Session, code: FileCode) -> Result<AttachmentView, Error> {
    let (view, person) = load_visible_file(app, caller, code).await?;
    record_access(app, caller, READ, std::iter::once(person))?;
    Ok(view)
}

/// The content of a file that the caller may see; `None` if it has no preview.
#[boxed::future]
pub async fn open_file_content(
    app: &App,
    caller: &Session,
    code: FileCode,
    part: ContentPart,
) -> Result<(AttachedFile, Option<ByteStream>), Error> {
    let (AttachmentView { file, .. }, person) = load_visible_file(app, caller, code).await?;
    let operation = if part == ContentPart::Data { CONTENT } else { PREVIEW };
    if part == ContentPart::Preview && !file.has_preview {
        return Ok((file, None));
    }
    // Before the content is sent: no access without a log entry.
    record_access(app, caller, operation, std::iter::once(person))?;
    let stream = app.files.stream_part(&file.storage_key, part).await?;
    Ok((file, Some(stream)))
}

async fn load_visible_file(
    app: &App,
    caller: &Session,
    code: FileCode,
) -> Result<(AttachmentView, PersonCode), Error> {
    caller.require_role(STAFF)?;
    let read = app
        .db
        .read((caller.scope.clone(), code), |tx, (scope, code)| Box::pin(find_visible_file(tx, scope, *code)))
        .await?;
    let (file, person, is_changeable) = read.ok_or_else(|| reject_unknown_file(code))?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    Ok((AttachmentView { file, registers, is_changeable, is_new: false }, person))
}

fn reject_unknown_file(code: FileCode) -> Error {
    Error::NotFound { field: InputField::File, code: code.get() }
}

type VisibleFile = (AttachedFile, PersonCode, bool);

async fn find_visible_file(tx: &mut Tx, scope: &Scope, code: FileCode) -> Result<Option<VisibleFile>, Error> {
    let Some(file) = attachments::find_file(&mut *tx, scope.tenant(), code).await? else { return Ok(None) };
    Ok(OwnerRecord::of_file(&file)
        .find_visible_person(tx, scope)
        .await?
        .map(|(person, is_changeable)| (file, person, is_changeable)))
}

/// Rejects a caller who may not attach files to the record, before the upload.
#[boxed::future]
pub async fn authorize_attachment(app: &App, caller: &Session, owner: OwnerRecord) -> Result<(), Error> {
    caller.require_role(STAFF)?;
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
    owner: OwnerRecord,
    (name, incoming): (&str, UploadBuffer),
    once: IdempotentWrite<AttachmentView>,
) -> Result<WriteOutcome<AttachmentView>, Error> {
    caller.require_role(STAFF)?;
    let _permit = app.files.acquire_memory().await?;
    let ready = prepare_content(app, incoming.into_bytes().await?).await?;
    let tenant = caller.scope.tenant();
    // A failure of this read must not leave content without a record.
    load_registers(app, tenant).await?;
    let key = store::generate_key(tenant, &*app.chance);
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
    if let Ok(WriteOutcome::Fresh(AttachmentView { is_new: false, file, .. })) = &done {
        let (_, person) = load_visible_file(app, caller, file.code).await?;
        record_access(app, caller, operation, std::iter::once(person))?;
    }
    done
}

fn build_file_row(
    ready: &PreparedFile,
    owner: OwnerRecord,
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
    let ready = tokio::task::spawn_blocking(move || content::prepare_file(input)).await;
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
    let (tenant, owner) = (scope.tenant(), OwnerRecord::of_file(file));
    let person = owner.authorize_change(tx, scope).await?;
    let present = attachments::list_files(&mut *tx, tenant, (owner.of, owner.record)).await?;
    let count = present.len();
    let same = present.into_iter().find(|one| one.sha256 == file.sha256);
    if same.is_some() {
        return Ok((person, same));
    }
    if count >= limits.most_per_record {
        return Err(Rejection::File(FileProblem::TooMany { most: limits.most_per_record }).into());
    }
    let most = i64::try_from(limits.base_gib).unwrap_or(i64::MAX).saturating_mul(1024 * 1024 * 1024);
    if most > 0 && attachments::load_file_totals(&mut *tx, tenant).await?.1.saturating_add(file.size) > most {
        return Err(Rejection::File(FileProblem::BaseFull { most_gib: limits.base_gib }).into());
    }
    Ok((person, None))
}

async fn write_attachment(
    tx: &mut Tx,
    command: &WriteCommand<NewAttachment>,
) -> Result<AttachmentView, Error> {
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
        FileChangeNote { file: &file, action: AuditedAction::AttachFile, is_there: true, reason: None };
    let mut statements =
        vec![attachments::insert_file(tenant, &file), attachments::add_to_file_totals(tenant, 1, file.size)];
    statements.extend(build_change_statements(tx, &command.actor_context(), person, change).await?);
    tx.execute_batch(statements).await?;
    let written =
        attachments::find_file(&mut *tx, tenant, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    Ok(build_attachment_view(command, written, true))
}

fn build_attachment_view<I>(command: &WriteCommand<I>, file: AttachedFile, is_new: bool) -> AttachmentView {
    AttachmentView { file, registers: Arc::clone(&command.registers), is_changeable: true, is_new }
}

/// The content of the history and audit entries of a file change.
struct FileChangeNote<'f> {
    file: &'f AttachedFile,
    action: AuditedAction,
    /// Whether the file was added rather than removed.
    is_there: bool,
    reason: Option<&'f str>,
}

async fn build_change_statements(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    person: PersonCode,
    change: FileChangeNote<'_>,
) -> Result<Vec<storage::Statement>, Error> {
    let FileChangeNote { file, action, is_there, reason } = change;
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
    let (before, after) = if is_there { (None, name) } else { (name, None) };
    let changes = vec![FieldDifference { field: "arquivo", before, after }];
    let mut statements = context.field_change_statements(subject, file.record, number, changes);
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    Ok(statements)
}

/// Removes a file, which can be restored for a while. Idempotent.
#[boxed::future]
pub async fn remove_file(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: IdempotentWrite<AttachmentView>,
) -> Result<WriteOutcome<AttachmentView>, Error> {
    set_file_removed(app, caller, code, (true, reason), once).await
}

/// Restores a removed file.
#[boxed::future]
pub async fn restore_file(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: IdempotentWrite<AttachmentView>,
) -> Result<WriteOutcome<AttachmentView>, Error> {
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
    once: IdempotentWrite<AttachmentView>,
) -> Result<WriteOutcome<AttachmentView>, Error> {
    caller.require_role(STAFF)?;
    let operation = if is_removed { REMOVE } else { RESTORE };
    let input = FileRemoval { code, is_removed, reason, limits: app.files.limits };
    let done = run_command(app, caller, operation, input, once, |tx, command| {
        Box::pin(write_file_removal(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(AttachmentView { is_new: false, .. }) = &done {
        let (_, person) = load_visible_file(app, caller, code).await?;
        record_access(app, caller, operation, std::iter::once(person))?;
    }
    Ok(done)
}

async fn write_file_removal(
    tx: &mut Tx,
    command: &WriteCommand<FileRemoval>,
) -> Result<AttachmentView, Error> {
    let (scope, FileRemoval { code, is_removed, reason, limits }) = (&command.scope, &command.input);
    let (code, tenant) = (*code, scope.tenant());
    let (file, person, _) =
        find_visible_file(tx, scope, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    OwnerRecord::of_file(&file).authorize_change(tx, scope).await?;
    if file.removed.is_some() == *is_removed {
        return Ok(build_attachment_view(command, file, false));
    }
    let action = match *is_removed {
        true => AuditedAction::RemoveFile,
        false => AuditedAction::RestoreFile,
    };
    if !*is_removed {
        check_record_room(tx, tenant, &file, *limits).await?;
    }
    let change = FileChangeNote { file: &file, action, is_there: !is_removed, reason: reason.as_deref() };
    let removal = command.user.filter(|_| *is_removed).map(|user| (command.now, user));
    let mut statements = vec![attachments::update_file_removal(tenant, code, removal)];
    statements.extend(build_change_statements(tx, &command.actor_context(), person, change).await?);
    tx.execute_batch(statements).await?;
    let file =
        attachments::find_file(&mut *tx, tenant, code).await?.ok_or_else(|| reject_unknown_file(code))?;
    Ok(build_attachment_view(command, file, true))
}

/// A restored file counts toward the limit of files per record.
async fn check_record_room(
    tx: &mut Tx,
    tenant: TenantId,
    file: &AttachedFile,
    StorageLimits { most_per_record: most, .. }: StorageLimits,
) -> Result<(), Error> {
    let present = attachments::list_files(tx, tenant, (file.owner, file.record)).await?.len();
    match present >= most {
        true => Err(Rejection::File(FileProblem::TooMany { most }).into()),
        false => Ok(()),
    }
}
