//! Writes an archive from one snapshot, with one page in memory at a time, whatever the size of the tenant.

use super::error::{ArchiveError, wrap_file_error};
use super::manifest::{
    ArchiveManifest, ArchivedAttachment, DATA, FILE_LIST, FILES, FORMAT, LONGEST_MANIFEST, MANIFEST,
    ManifestFileEntry, READ_ME, VERSION,
};
use super::row_format::{self, TenantVault};
use app::attachments::transfer;
use app::{App, Vault, tenants};
use domain::encode_hex;
use domain::{AuditedAction, AuditedOperation, TenantId};
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use storage::exchange::archive::{ArchiveTable, list_archive_tables};
use storage::history::audit::{self, AuditEntry};
use storage::{SqlScalar, WriteLane};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const READ_ME_TEXT: &str = include_str!("leia-me.txt");

#[derive(Clone, Debug)]
pub struct TenantExportOutcome {
    pub manifest: ArchiveManifest,
    /// Size of the archive.
    pub bytes: u64,
    /// Codes of attached files whose contents were not found in the file store.
    pub missing: Vec<i64>,
}

/// Writes a tenant to a new file, readable by its owner only. `on_progress` is called repeatedly with the number of
/// rows written. The database of `app` must have been opened with long timeouts.
pub async fn export_archive(
    app: &App,
    vault: Vault,
    tenant: TenantId,
    to: &Path,
    program: &str,
    on_progress: impl Fn(u64) + Send + Sync + 'static,
) -> Result<TenantExportOutcome, ArchiveError> {
    let found = tenants::resolve_tenant(app, Some(tenant)).await?;
    let (unfinished, file) = UnpublishedFile::new(to)?;
    let manifest = ArchiveManifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: program.to_owned(),
        schema: storage::newest_schema(),
        base: tenant.get(),
        name: found.name,
        moment: app.now().to_iso(),
        files: Vec::new(),
    };
    let writer = Box::new(TenantArchiveWriter::new(
        (&unfinished.path, file),
        manifest,
        TenantVault { tenant, vault },
    )?);
    // Audited before the first row is written, because an aborted export may already have disclosed data.
    let entry = AuditEntry {
        tenant,
        at: app.now(),
        user: None,
        operation: OPERATION,
        person: None,
        change: AuditedAction::ExportTenant.into(),
    };
    app.db
        .write(WriteLane::foreground(tenant), entry, |tx, entry| {
            Box::pin(audit::append_audit_entry(tx, entry))
        })
        .await?;
    let writer = Arc::new(Mutex::new(Some(writer)));
    let shared_writer = Arc::clone(&writer);
    storage::exchange::archive::read_tenant_rows(&app.db, tenant, move |table, rows| {
        let mut writer = shared_writer.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.as_mut().ok_or_else(build_writer_gone_error)?;
        on_progress(writer.write_rows(table, &rows)?);
        Ok::<_, ArchiveError>(())
    })
    .await?;
    let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut writer = writer.ok_or_else(build_writer_gone_error)?;
    let mut missing = Vec::new();
    for AttachmentReference { code, key, has_preview } in std::mem::take(&mut writer.attachments) {
        let found = transfer::read_file_parts(app, &key, has_preview).await?;
        if !found.is_complete {
            missing.push(code);
        }
        for (name, bytes) in found.parts {
            writer.write_attachment(&name, &bytes)?;
        }
    }
    let (manifest, bytes) = writer.finish()?;
    unfinished.publish()?;
    Ok(TenantExportOutcome { manifest, bytes, missing })
}

fn build_writer_gone_error() -> ArchiveError {
    ArchiveError::Interrupted("nobody writes the archive any more".to_owned())
}

/// The operation name in the audit.
pub const OPERATION: AuditedOperation = AuditedOperation::ExportCommand;

/// An unfinished file, and an empty one that reserves its final name. Both are deleted unless the file is published.
struct UnpublishedFile {
    path: PathBuf,
    wanted: PathBuf,
    is_published: bool,
}

impl UnpublishedFile {
    fn new(destination: &Path) -> Result<(UnpublishedFile, std::fs::File), ArchiveError> {
        create_private_file(destination)?;
        let mut name = destination.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let path = PathBuf::from(name);
        let file = create_private_file(&path).inspect_err(|_| drop(std::fs::remove_file(destination)))?;
        Ok((UnpublishedFile { path, wanted: destination.to_owned(), is_published: false }, file))
    }

    /// Renames the file to its reserved name.
    fn publish(mut self) -> Result<(), ArchiveError> {
        std::fs::rename(&self.path, &self.wanted).map_err(|error| wrap_file_error(&self.wanted, error))?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for UnpublishedFile {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        let _ = std::fs::remove_file(&self.path);
        // A file that is not empty is not the placeholder.
        if std::fs::metadata(&self.wanted).is_ok_and(|file_info| file_info.len() == 0) {
            let _ = std::fs::remove_file(&self.wanted);
        }
    }
}

/// Creates a new file, readable by its owner only.
fn create_private_file(path: &Path) -> Result<std::fs::File, ArchiveError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ArchiveError::FileExists(path.display().to_string()),
        _ => wrap_file_error(path, error),
    })
}

/// An attached file found in its row; its content is written after the tables.
struct AttachmentReference {
    code: i64,
    key: String,
    has_preview: bool,
}

/// The archive being written.
pub(super) struct TenantArchiveWriter {
    zip: ZipWriter<BufWriter<std::fs::File>>,
    path: PathBuf,
    tenant_vault: TenantVault,
    manifest: ArchiveManifest,
    /// The current file and its digest so far.
    open: Option<(ManifestFileEntry, Sha256)>,
    written: u64,
    lines: Vec<u8>,
    attachments: Vec<AttachmentReference>,
    /// The attachment list, in an unnamed temporary file until all attachments are written.
    list: BufWriter<std::fs::File>,
    listed: u64,
}

impl TenantArchiveWriter {
    fn new(
        (path, file): (&Path, std::fs::File),
        manifest: ArchiveManifest,
        tenant_vault: TenantVault,
    ) -> Result<TenantArchiveWriter, ArchiveError> {
        let zip = ZipWriter::new(BufWriter::with_capacity(1 << 18, file));
        let parent_folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let list =
            tempfile::tempfile_in(parent_folder).map_err(|error| wrap_file_error(parent_folder, error))?;
        Ok(TenantArchiveWriter {
            zip,
            path: path.to_owned(),
            tenant_vault,
            manifest,
            open: None,
            written: 0,
            lines: Vec::new(),
            attachments: Vec::new(),
            list: BufWriter::new(list),
            listed: 0,
        })
    }

    /// Writes rows of a table; returns the total number of rows written.
    fn write_rows(&mut self, table: &ArchiveTable, rows: &[Vec<SqlScalar>]) -> Result<u64, ArchiveError> {
        let path = format!("{DATA}{}.jsonl", table.name);
        if self.open.as_ref().is_none_or(|(file, _)| file.path != path) {
            self.begin_file(path, Some(table.name.to_owned()))?;
        }
        if table.name == "files" {
            let (code, has_preview) = (table.column_position("code"), table.column_position("has_preview"));
            let one = |row: &Vec<SqlScalar>| {
                let SqlScalar::Int(code) = row.get(code?)? else { return None };
                let key = row_format::read_text_column(table, row, "storage_key")?.to_owned();
                let has_preview = row.get(has_preview?) == Some(&SqlScalar::Bool(true));
                Some(AttachmentReference { code: *code, key, has_preview })
            };
            self.attachments.extend(rows.iter().filter_map(one));
        }
        self.lines.clear();
        let mut lines = std::mem::take(&mut self.lines);
        for row in rows {
            row_format::write_record(&mut lines, table, row, &self.tenant_vault)
                .map_err(|cause| ArchiveError::Damaged { path: table.name.to_owned(), cause })?;
        }
        let done = self.write_bytes(&lines);
        self.lines = lines;
        done?;
        if let Some((file, _)) = &mut self.open {
            file.rows += rows.len() as u64;
        }
        self.written += rows.len() as u64;
        Ok(self.written)
    }

    /// Writes an attachment or its thumbnail, and its line in the list.
    fn write_attachment(&mut self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.end_file();
        let path = format!("{FILES}{name}");
        self.start_zip_entry(&path)?;
        self.zip.write_all(bytes).map_err(|error| wrap_file_error(&self.path, error))?;
        let one = ArchivedAttachment {
            path,
            bytes: bytes.len() as u64,
            sha256: encode_hex(&Sha256::digest(bytes)),
        };
        let wrap_error = |error: &dyn std::fmt::Display| wrap_file_error(&self.path, error);
        serde_json::to_writer(&mut self.list, &one).map_err(|error| wrap_error(&error))?;
        self.list.write_all(b"\n").map_err(|error| wrap_error(&error))?;
        self.listed += 1;
        Ok(())
    }

    fn write_attachment_list(&mut self) -> Result<(), ArchiveError> {
        self.begin_file(FILE_LIST.to_owned(), None)?;
        let path = self.path.clone();
        let wrap_error = |error: std::io::Error| wrap_file_error(&path, error);
        self.list.flush().map_err(wrap_error)?;
        self.list.get_mut().seek(SeekFrom::Start(0)).map_err(wrap_error)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.list.get_mut().read(&mut buffer).map_err(wrap_error)?;
            if read == 0 {
                break;
            }
            self.write_bytes(&buffer[..read])?;
        }
        if let Some((list, _)) = &mut self.open {
            list.rows = self.listed;
        }
        Ok(())
    }

    fn start_zip_entry(&mut self, path: &str) -> Result<(), ArchiveError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(true)
            .unix_permissions(0o600);
        self.zip.start_file(path, options).map_err(|error| wrap_file_error(&self.path, error))
    }

    /// Starts a file of the archive and completes the previous one.
    fn begin_file(&mut self, path: String, table: Option<String>) -> Result<(), ArchiveError> {
        self.end_file();
        self.start_zip_entry(&path)?;
        self.open = Some((
            ManifestFileEntry { path, table, rows: 0, bytes: 0, sha256: String::new() },
            Sha256::new(),
        ));
        Ok(())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some((file, digest)) = &mut self.open {
            file.bytes += bytes.len() as u64;
            digest.update(bytes);
        }
        self.zip.write_all(bytes).map_err(|error| wrap_file_error(&self.path, error))
    }

    fn end_file(&mut self) {
        if let Some((mut file, digest)) = self.open.take() {
            file.sha256 = encode_hex(&digest.finalize());
            self.manifest.files.push(file);
        }
    }

    /// Writes the manifest last and syncs the archive to disk.
    fn finish(mut self) -> Result<(ArchiveManifest, u64), ArchiveError> {
        self.write_attachment_list()?;
        self.end_file();
        let manifest = self.manifest.clone();
        let text =
            serde_json::to_vec_pretty(&manifest).map_err(|error| wrap_file_error(&self.path, error))?;
        if text.len() as u64 > LONGEST_MANIFEST {
            return Err(wrap_file_error(&self.path, "the manifest became too long to be read back"));
        }
        self.begin_file(READ_ME.to_owned(), None)?;
        self.write_bytes(READ_ME_TEXT.as_bytes())?;
        self.begin_file(MANIFEST.to_owned(), None)?;
        self.write_bytes(&text)?;
        let TenantArchiveWriter { zip, path, .. } = self;
        let wrap_error = |error: &dyn std::fmt::Display| wrap_file_error(&path, error);
        let file = zip.finish().map_err(|error| wrap_error(&error))?;
        let file = file.into_inner().map_err(|error| wrap_error(&error))?;
        file.sync_all().map_err(|error| wrap_error(&error))?;
        let bytes = file.metadata().map_err(|error| wrap_error(&error))?.len();
        debug_assert_eq!(manifest.tables().count(), list_archive_tables().len());
        Ok((manifest, bytes))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An archive that contains only attachments.
    pub fn archive_with(path: &Path, parts: &[(String, Vec<u8>)]) {
        let manifest = ArchiveManifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: "test".to_owned(),
            schema: storage::newest_schema(),
            base: 1,
            name: "Nada".to_owned(),
            moment: "2026-11-14T13:32:05Z".to_owned(),
            files: Vec::new(),
        };
        let tenant_vault = TenantVault { tenant: TenantId::new(1), vault: Vault::new(&[1; 32]).unwrap() };
        let mut writer =
            TenantArchiveWriter::new((path, create_private_file(path).unwrap()), manifest, tenant_vault)
                .unwrap();
        for table in list_archive_tables() {
            writer.write_rows(table, &[]).unwrap();
        }
        for (name, bytes) in parts {
            writer.write_attachment(name, bytes).unwrap();
        }
        writer.finish().unwrap();
    }
}
