//! Writing the archive: one snapshot, a page in memory at a time, whatever the size of the association.

use super::record::{self, Safe};
use super::{
    Attached, DATA, FILE_LIST, FILES, FORMAT, File, LONGEST_MANIFEST, MANIFEST, Manifest, READ_ME, VERSION,
    WholeError, file_error,
};
use crate::files::moving;
use crate::server_key::hex;
use crate::{App, Vault, tenants};
use domain::TenantId;
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
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
    /// The codes of attached files whose bytes were not where they are kept.
    pub missing: Vec<i64>,
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
    let (unfinished, file) = Unfinished::new(to)?;
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
    let writer = Box::new(Writer::new((&unfinished.path, file), manifest, Safe { tenant, vault })?);
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
        let writer = writer.as_mut().ok_or_else(gone)?;
        tell(writer.rows(table, &rows)?);
        Ok::<_, WholeError>(())
    })
    .await?;
    let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut writer = writer.ok_or_else(gone)?;
    let mut missing = Vec::new();
    for Kept { code, key, has_preview } in std::mem::take(&mut writer.kept) {
        let found = moving::parts(app, &key, has_preview).await?;
        if !found.is_whole {
            missing.push(code);
        }
        for (name, bytes) in found.parts {
            writer.attach(&name, &bytes)?;
        }
    }
    let (manifest, bytes) = writer.finish()?;
    unfinished.publish()?;
    Ok(Exported { manifest, bytes, missing })
}

fn gone() -> WholeError {
    WholeError::CutShort("nobody writes the archive any more".to_owned())
}

/// What the audit calls it.
pub const OPERATION: &str = "amparo export";

/// A file that is not whole yet, beside an empty one that keeps its name for it. Both go when it never becomes whole.
struct Unfinished {
    path: PathBuf,
    wanted: PathBuf,
    is_published: bool,
}

impl Unfinished {
    fn new(wanted: &Path) -> Result<(Unfinished, std::fs::File), WholeError> {
        new_file(wanted)?;
        let mut name = wanted.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let path = PathBuf::from(name);
        let file = new_file(&path).inspect_err(|_| drop(std::fs::remove_file(wanted)))?;
        Ok((Unfinished { path, wanted: wanted.to_owned(), is_published: false }, file))
    }

    /// Gives it its name, which nobody else could take meanwhile.
    fn publish(mut self) -> Result<(), WholeError> {
        std::fs::rename(&self.path, &self.wanted).map_err(|error| file_error(&self.wanted, error))?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        let _ = std::fs::remove_file(&self.path);
        // What is no longer empty is not what was put there.
        if std::fs::metadata(&self.wanted).is_ok_and(|wanted| wanted.len() == 0) {
            let _ = std::fs::remove_file(&self.wanted);
        }
    }
}

/// Makes a file that was not there, readable by its owner alone.
fn new_file(path: &Path) -> Result<std::fs::File, WholeError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => WholeError::Exists(path.display().to_string()),
        _ => file_error(path, error),
    })
}

/// An attached file as its row tells of it: its bytes follow the tables.
struct Kept {
    code: i64,
    key: String,
    has_preview: bool,
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
    kept: Vec<Kept>,
    /// The list of what is attached, in a file without a name until everything is.
    list: BufWriter<std::fs::File>,
    listed: u64,
}

impl Writer {
    fn new(
        (path, file): (&Path, std::fs::File),
        manifest: Manifest,
        safe: Safe,
    ) -> Result<Writer, WholeError> {
        let zip = ZipWriter::new(BufWriter::with_capacity(1 << 18, file));
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let list = tempfile::tempfile_in(beside).map_err(|error| file_error(beside, error))?;
        Ok(Writer {
            zip,
            path: path.to_owned(),
            safe,
            manifest,
            open: None,
            written: 0,
            lines: Vec::new(),
            kept: Vec::new(),
            list: BufWriter::new(list),
            listed: 0,
        })
    }

    /// Writes rows of a table; says how many were written in all.
    fn rows(&mut self, table: &Table, rows: &[Vec<Value>]) -> Result<u64, WholeError> {
        let path = format!("{DATA}{}.jsonl", table.name);
        if self.open.as_ref().is_none_or(|(file, _)| file.path != path) {
            self.begin(path, Some(table.name.to_owned()))?;
        }
        if table.name == "files" {
            let (code, has_preview) = (table.place("code"), table.place("has_preview"));
            let one = |row: &Vec<Value>| {
                let Value::Int(code) = row.get(code?)? else { return None };
                let key = record::text(table, row, "storage_key")?.to_owned();
                let has_preview = row.get(has_preview?) == Some(&Value::Bool(true));
                Some(Kept { code: *code, key, has_preview })
            };
            self.kept.extend(rows.iter().filter_map(one));
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

    /// Writes what was attached, or the small picture of it, and a line of the list.
    fn attach(&mut self, name: &str, bytes: &[u8]) -> Result<(), WholeError> {
        self.end();
        let path = format!("{FILES}{name}");
        self.start(&path)?;
        self.zip.write_all(bytes).map_err(|error| file_error(&self.path, error))?;
        let one = Attached { path, bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) };
        let lost = |error: &dyn std::fmt::Display| file_error(&self.path, error);
        serde_json::to_writer(&mut self.list, &one).map_err(|error| lost(&error))?;
        self.list.write_all(b"\n").map_err(|error| lost(&error))?;
        self.listed += 1;
        Ok(())
    }

    fn write_list(&mut self) -> Result<(), WholeError> {
        self.begin(FILE_LIST.to_owned(), None)?;
        let path = self.path.clone();
        let lost = |error: std::io::Error| file_error(&path, error);
        self.list.flush().map_err(lost)?;
        self.list.get_mut().seek(SeekFrom::Start(0)).map_err(lost)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.list.get_mut().read(&mut buffer).map_err(lost)?;
            if read == 0 {
                break;
            }
            self.bytes(&buffer[..read])?;
        }
        if let Some((list, _)) = &mut self.open {
            list.rows = self.listed;
        }
        Ok(())
    }

    fn start(&mut self, path: &str) -> Result<(), WholeError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(true)
            .unix_permissions(0o600);
        self.zip.start_file(path, options).map_err(|error| file_error(&self.path, error))
    }

    /// Begins a file of the archive; what was begun before is whole.
    fn begin(&mut self, path: String, table: Option<String>) -> Result<(), WholeError> {
        self.end();
        self.start(&path)?;
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
        self.write_list()?;
        self.end();
        let manifest = self.manifest.clone();
        let text = serde_json::to_vec_pretty(&manifest).map_err(|error| file_error(&self.path, error))?;
        if text.len() as u64 > LONGEST_MANIFEST {
            return Err(file_error(&self.path, "the manifest became too long to be read back"));
        }
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An archive of nothing but attachments.
    pub fn archive_with(path: &Path, parts: &[(String, Vec<u8>)]) {
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: "test".to_owned(),
            schema: storage::newest_schema(),
            base: 1,
            name: "Nada".to_owned(),
            moment: "2026-11-14T13:32:05Z".to_owned(),
            files: Vec::new(),
        };
        let safe = Safe { tenant: TenantId::new(1), vault: Vault::new(&[1; 32]).unwrap() };
        let mut writer = Writer::new((path, new_file(path).unwrap()), manifest, safe).unwrap();
        for table in tables() {
            writer.rows(table, &[]).unwrap();
        }
        for (name, bytes) in parts {
            writer.attach(name, bytes).unwrap();
        }
        writer.finish().unwrap();
    }
}
