//! Reading an archive. Nothing of it is believed before its digests were checked, and none of its files is ever held whole.

use super::record::{self, Safe};
use super::{FORMAT, File, MANIFEST, Manifest, VERSION, WholeError, file_error};
use crate::server_key::hex;
use domain::Chance;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use storage::Value;
use storage::whole::{Table, tables};
use zip::ZipArchive;

/// Bytes of the longest manifest, and of the longest line.
const LONGEST_MANIFEST: u64 = 16 << 20;
const LONGEST_LINE: u64 = 64 << 20;
/// No setting allows a larger attachment.
const LARGEST_ATTACHED: u64 = 1 << 30;

#[derive(Clone)]
pub struct Archive {
    path: PathBuf,
    pub manifest: Manifest,
    /// Tells it from every other.
    pub digest: String,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Archive, WholeError> {
        let mut zip = open(path)?;
        let not_ours = |cause: &dyn std::fmt::Display| WholeError::NotOurs(cause.to_string());
        let mut text = Vec::new();
        let entry = zip.by_name(MANIFEST).map_err(|error| not_ours(&error))?;
        entry.take(LONGEST_MANIFEST).read_to_end(&mut text).map_err(|error| not_ours(&error))?;
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| not_ours(&error))?;
        if manifest.format != FORMAT {
            return Err(not_ours(&manifest.format));
        }
        if manifest.version > VERSION {
            return Err(WholeError::NewerFormat { found: manifest.version, known: VERSION });
        }
        let known = storage::newest_schema();
        if manifest.schema > known {
            return Err(WholeError::NewerSchema { found: manifest.schema, known });
        }
        if manifest.base < 1 {
            return Err(not_ours(&format!("base {}", manifest.base)));
        }
        let archive = Archive { path: path.to_owned(), manifest, digest: hex(&Sha256::digest(&text)[..16]) };
        archive.check_tables()?;
        Ok(archive)
    }

    /// Every table is one that we know, once, and the association itself is among them.
    fn check_tables(&self) -> Result<(), WholeError> {
        let mut seen = Vec::new();
        for name in self.manifest.files.iter().filter_map(|file| file.table.as_deref()) {
            if seen.contains(&name) || !tables().iter().any(|table| table.name == name) {
                return Err(WholeError::NotOurs(name.to_owned()));
            }
            seen.push(name);
        }
        if !seen.contains(&"tenants") {
            return Err(WholeError::NotOurs("tenants".to_owned()));
        }
        Ok(())
    }

    /// The file of a table; an archive of an older schema may have none.
    pub fn file(&self, table: &Table) -> Option<&File> {
        self.manifest.files.iter().find(|file| file.table.as_deref() == Some(table.name))
    }

    /// Reads every file to its end and compares it with the manifest. `tell` is told how many rows were checked.
    pub fn verify(&self, tell: &dyn Fn(u64)) -> Result<(), WholeError> {
        let mut zip = open(&self.path)?;
        let (mut checked, mut buffer) = (0, vec![0; 1 << 16]);
        for file in &self.manifest.files {
            let damaged = |cause: String| WholeError::Damaged { path: file.path.clone(), cause };
            let entry = zip.by_name(&file.path).map_err(|error| damaged(error.to_string()))?;
            // One byte more than it may have is enough to tell.
            let mut entry = entry.take(file.bytes.saturating_add(1));
            let (mut digest, mut bytes, mut rows) = (Sha256::new(), 0, 0);
            loop {
                let read = entry.read(&mut buffer).map_err(|error| damaged(error.to_string()))?;
                if read == 0 {
                    break;
                }
                digest.update(&buffer[..read]);
                bytes += read as u64;
                rows += buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
            }
            if bytes != file.bytes || hex(&digest.finalize()) != file.sha256 {
                return Err(damaged("its SHA-256 is another".to_owned()));
            }
            if file.table.is_some() && rows != file.rows {
                return Err(damaged(format!("{rows} rows, not {}", file.rows)));
            }
            checked += file.rows;
            tell(checked);
        }
        Ok(())
    }

    /// Gives the rows of a table behind the first `skip` to `take`, some at a time.
    pub fn rows(
        &self,
        table: &'static Table,
        skip: u64,
        (safe, chance): (&Safe, &dyn Chance),
        mut take: impl FnMut(Vec<Vec<Value>>) -> Result<(), WholeError>,
    ) -> Result<(), WholeError> {
        let Some(file) = self.file(table) else { return Ok(()) };
        let mut zip = open(&self.path)?;
        let damaged = |cause: String| WholeError::Damaged { path: file.path.clone(), cause };
        let entry = zip.by_name(&file.path).map_err(|error| damaged(error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 16, entry);
        let (mut line, mut number) = (Vec::new(), 0);
        let (mut page, mut weight) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            let read = read.map_err(|error| damaged(error.to_string()))?;
            if read == 0 {
                break;
            }
            number += 1;
            if number <= skip {
                continue;
            }
            let row = record::read(&line, table, safe, chance);
            let bad = |cause| WholeError::BadRow { path: file.path.clone(), line: number, cause };
            page.push(row.map_err(bad)?);
            weight += read;
            if page.len() == TOGETHER || weight >= HEAVY {
                take(std::mem::take(&mut page))?;
                weight = 0;
            }
        }
        if page.is_empty() { Ok(()) } else { take(page) }
    }

    /// The bytes of a file that is no table.
    pub fn bytes(&self, file: &File) -> Result<Vec<u8>, WholeError> {
        let damaged = |cause: String| WholeError::Damaged { path: file.path.clone(), cause };
        if file.bytes > LARGEST_ATTACHED {
            return Err(damaged(format!("{} bytes are too many", file.bytes)));
        }
        let mut zip = open(&self.path)?;
        let entry = zip.by_name(&file.path).map_err(|error| damaged(error.to_string()))?;
        let mut bytes = Vec::new();
        entry.take(file.bytes).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
        Ok(bytes)
    }

    /// All rows of a table that is known to be short.
    pub fn few_rows(
        &self,
        table: &'static Table,
        by: (&Safe, &dyn Chance),
    ) -> Result<Vec<Vec<Value>>, WholeError> {
        let mut all = Vec::new();
        self.rows(table, 0, by, |mut rows| {
            all.append(&mut rows);
            Ok(())
        })?;
        Ok(all)
    }
}

/// Rows written in one unit, and about how many bytes of them: a fraction of a second on either engine.
const TOGETHER: usize = 2_000;
const HEAVY: usize = 4 << 20;

fn open(path: &Path) -> Result<ZipArchive<BufReader<std::fs::File>>, WholeError> {
    let file = std::fs::File::open(path).map_err(|error| file_error(path, error))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| WholeError::NotOurs(error.to_string()))
}
