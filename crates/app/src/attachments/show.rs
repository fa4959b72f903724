//! Lists the files of a record and opens one.

use super::name_file_operations;
use super::owner::FileOwnerRecord;
use super::store::{ByteStream, ContentPart};
use crate::audit::access_log::record_access;
use crate::command::WriteCommand;
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, FileCode, InputField, PersonCode, Role, Scope};
use std::sync::Arc;
use storage::attachments::AttachedFile;
use storage::{Tx, attachments};

const READ: AuditedOperation = AuditedOperation::ShowFile;

const CONTENT: AuditedOperation = AuditedOperation::DownloadFile;

const PREVIEW: AuditedOperation = AuditedOperation::PreviewFile;

/// A file, with the registers that give the time zone of its moments.
#[derive(Clone, Debug)]
pub struct AttachedFileView {
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
    owner: FileOwnerRecord,
) -> Result<OwnerFileList, Error> {
    caller.require_role(&Role::STAFF)?;
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
pub async fn read_file(app: &App, caller: &Session, code: FileCode) -> Result<AttachedFileView, Error> {
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
    let (AttachedFileView { file, .. }, person) = load_visible_file(app, caller, code).await?;
    let operation = if part == ContentPart::Data { CONTENT } else { PREVIEW };
    if part == ContentPart::Preview && !file.has_preview {
        return Ok((file, None));
    }
    // Before the content is sent: no access without a log entry.
    record_access(app, caller, operation, std::iter::once(person))?;
    let stream = app.files.stream_part(&file.storage_key, part).await?;
    Ok((file, Some(stream)))
}

pub(super) async fn load_visible_file(
    app: &App,
    caller: &Session,
    code: FileCode,
) -> Result<(AttachedFileView, PersonCode), Error> {
    caller.require_role(&Role::STAFF)?;
    let read = app
        .db
        .read((caller.scope.clone(), code), |tx, (scope, code)| Box::pin(find_visible_file(tx, scope, *code)))
        .await?;
    let (file, person, is_changeable) = read.ok_or_else(|| reject_unknown_file(code))?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    Ok((AttachedFileView { file, registers, is_changeable, is_new: false }, person))
}

pub(super) fn reject_unknown_file(code: FileCode) -> Error {
    Error::NotFound { field: InputField::File, code: code.get() }
}

type VisibleFile = (AttachedFile, PersonCode, bool);

pub(super) async fn find_visible_file(
    tx: &mut Tx,
    scope: &Scope,
    code: FileCode,
) -> Result<Option<VisibleFile>, Error> {
    let Some(file) = attachments::find_file(&mut *tx, scope.tenant(), code).await? else { return Ok(None) };
    Ok(FileOwnerRecord::of_file(&file)
        .find_visible_person(tx, scope)
        .await?
        .map(|(person, is_changeable)| (file, person, is_changeable)))
}

pub(super) fn build_attachment_view<I>(
    command: &WriteCommand<I>,
    file: AttachedFile,
    is_new: bool,
) -> AttachedFileView {
    AttachedFileView { file, registers: Arc::clone(&command.registers), is_changeable: true, is_new }
}
