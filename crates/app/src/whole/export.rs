//! Writing the archive: one snapshot, a page in memory at a time, whatever the size of the association.

use super::record::{self, Safe};
use super::{DATA, FILES, FORMAT, File, MANIFEST, Manifest, READ_ME, VERSION, WholeError, file_error};
use crate::files::moving;
use crate::server_key::hex;
use crate::{App, Vault, tenants};
use domain::TenantId;
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use storage::audit::{self, Entry};
use storage::whole::{Table, tables};
use storage::{Lane, Value};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const WELCOME: &str = include_str!("leia-me.txt");

/// What was written.
#[derive(Clone, Debug)]
pub struct Exported {
    pub manifest: Manifest,
    /// The size of the archive.
    pub bytes: u64,
    /// Attached files whose bytes were not where they are kept.
    pub missing: u64,
}

/// Writes the whole of an association to a file that is not there yet, readable by its owner alone. `tell` is told how many
/// rows are written, again and again. The database behind `app` must have been opened with long limits.
pub async fn export(
    app: &App,
    vault: Vault,
    tenant: TenantId,
    to: &Path,
    program: &str,
    tell: impl Fn(u64) + Send + Sync + 'static,
) -> Result<Exported, WholeError> {
    let found = tenants::meant(app, Some(tenant)).await?;
    let unfinished = Unfinished::new(to)?;
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: program.to_owned(),
        schema: storage::newest_schema(),
        base: tenant.get(),
        name: found.name,
        moment: app.now().to_iso(),
        files: Vec::new(),
    };
    let writer = Writer::new(&unfinished, manifest, Safe { tenant, vault })?;
    // Before the first row leaves: whoever cuts the export off has what he has.
    let entry = Entry {
        tenant,
        at: app.now(),
        user: None,
        operation: OPERATION,
        person: None,
        detail: Some("exportou a associação inteira".to_owned()),
    };
    app.db.write(Lane::of(tenant), entry, |tx, entry| Box::pin(audit::append(tx, entry))).await?;
    let writer = Arc::new(Mutex::new(Some(writer)));
    let taking = Arc::clone(&writer);
    storage::whole::read(&app.db, tenant, move |table, rows| {
        let mut writer = taking.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.as_mut().ok_or(WholeError::Meanwhile)?;
        tell(writer.rows(table, &rows)?);
        Ok::<_, WholeError>(())
    })
    .await?;
    let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut writer = writer.ok_or(WholeError::Meanwhile)?;
    let mut missing = 0;
    for (key, has_preview) in std::mem::take(&mut writer.attached) {
        let parts = moving::parts(app, &key, has_preview).await?;
        missing += u64::from(parts.is_empty());
        for (name, bytes) in parts {
            writer.begin(format!("{FILES}{name}"), None)?;
            writer.bytes(&bytes)?;
        }
    }
    let (manifest, bytes) = writer.finish()?;
    unfinished.publish()?;
    Ok(Exported { manifest, bytes, missing })
}

/// What the audit calls it.
pub const OPERATION: &str = "amparo export";

/// A file that is not whole yet, and goes when it never becomes so.
struct Unfinished {
    path: PathBuf,
    wanted: PathBuf,
}

impl Unfinished {
    fn new(wanted: &Path) -> Result<Unfinished, WholeError> {
        if wanted.exists() {
            return Err(WholeError::Exists(wanted.display().to_string()));
        }
        let mut name = wanted.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        Ok(Unfinished { path: PathBuf::from(name), wanted: wanted.to_owned() })
    }

    /// Gives it its name, never over another.
    fn publish(&self) -> Result<(), WholeError> {
        std::fs::hard_link(&self.path, &self.wanted).map_err(|error| file_error(&self.wanted, error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The archive on its way to the disk.
pub(super) struct Writer {
    zip: ZipWriter<BufWriter<std::fs::File>>,
    path: PathBuf,
    safe: Safe,
    manifest: Manifest,
    /// The file that is being written, and the digest of what it holds so far.
    open: Option<(File, Sha256)>,
    written: u64,
    lines: Vec<u8>,
    /// Keys of attached files, and whether a small picture is kept with each: their bytes follow the tables.
    attached: Vec<(String, bool)>,
}

impl Writer {
    fn new(unfinished: &Unfinished, manifest: Manifest, safe: Safe) -> Result<Writer, WholeError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let path = unfinished.path.clone();
        let file = options.open(&path).map_err(|error| file_error(&path, error))?;
        let zip = ZipWriter::new(BufWriter::with_capacity(1 << 18, file));
        Ok(Writer {
            zip,
            path,
            safe,
            manifest,
            open: None,
            written: 0,
            lines: Vec::new(),
            attached: Vec::new(),
        })
    }

    /// Writes rows of a table; says how many were written in all.
    fn rows(&mut self, table: &Table, rows: &[Vec<Value>]) -> Result<u64, WholeError> {
        let path = format!("{DATA}{}.jsonl", table.name);
        if self.open.as_ref().is_none_or(|(file, _)| file.path != path) {
            self.begin(path, Some(table.name.to_owned()))?;
        }
        if table.name == "files" {
            let has_preview = table.place("has_preview");
            let one = |row: &Vec<Value>| {
                let key = record::text(table, row, "storage_key")?.to_owned();
                Some((key, row.get(has_preview?) == Some(&Value::Bool(true))))
            };
            self.attached.extend(rows.iter().filter_map(one));
        }
        self.lines.clear();
        let mut lines = std::mem::take(&mut self.lines);
        for row in rows {
            record::write(&mut lines, table, row, &self.safe)
                .map_err(|cause| WholeError::Damaged { path: table.name.to_owned(), cause })?;
        }
        let done = self.bytes(&lines);
        self.lines = lines;
        done?;
        if let Some((file, _)) = &mut self.open {
            file.rows += rows.len() as u64;
        }
        self.written += rows.len() as u64;
        Ok(self.written)
    }

    /// Begins a file of the archive; what was begun before is whole.
    fn begin(&mut self, path: String, table: Option<String>) -> Result<(), WholeError> {
        self.end();
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(true)
            .unix_permissions(0o600);
        self.zip.start_file(path.as_str(), options).map_err(|error| file_error(&self.path, error))?;
        self.open = Some((File { path, table, rows: 0, bytes: 0, sha256: String::new() }, Sha256::new()));
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), WholeError> {
        if let Some((file, digest)) = &mut self.open {
            file.bytes += bytes.len() as u64;
            digest.update(bytes);
        }
        self.zip.write_all(bytes).map_err(|error| file_error(&self.path, error))
    }

    fn end(&mut self) {
        if let Some((mut file, digest)) = self.open.take() {
            file.sha256 = hex(&digest.finalize());
            self.manifest.files.push(file);
        }
    }

    /// Writes the manifest behind everything, and lets the disk have it.
    fn finish(mut self) -> Result<(Manifest, u64), WholeError> {
        self.end();
        let manifest = self.manifest.clone();
        let text = serde_json::to_vec_pretty(&manifest).map_err(|error| file_error(&self.path, error))?;
        self.begin(READ_ME.to_owned(), None)?;
        self.bytes(WELCOME.as_bytes())?;
        self.begin(MANIFEST.to_owned(), None)?;
        self.bytes(&text)?;
        let Writer { zip, path, .. } = self;
        let lost = |error: &dyn std::fmt::Display| file_error(&path, error);
        let file = zip.finish().map_err(|error| lost(&error))?;
        let file = file.into_inner().map_err(|error| lost(&error))?;
        file.sync_all().map_err(|error| lost(&error))?;
        let bytes = file.metadata().map_err(|error| lost(&error))?.len();
        debug_assert_eq!(manifest.tables().count(), tables().len());
        Ok((manifest, bytes))
    }
}
