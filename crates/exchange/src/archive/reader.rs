//! Reads an archive. Its content is untrusted until the digests were checked, and no table is loaded into memory at
//! once.

use super::error::{ArchiveError, wrap_file_error};
use super::manifest::{ArchiveManifest, ArchivedAttachment, LONGEST_MANIFEST, MANIFEST, ManifestFileEntry};
use super::row_format::{self, TenantVault};
use domain::RandomSource;
use domain::encode_hex;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use storage::SqlScalar;
use storage::exchange::archive::ArchiveTable;
use zip::ZipArchive;

/// In bytes.
const LONGEST_LINE: u64 = 64 << 20;
/// No setting allows a larger attachment.
const LARGEST_ATTACHED: u64 = 1 << 30;

#[derive(Clone)]
pub struct TenantArchiveReader {
    path: PathBuf,
    pub manifest: ArchiveManifest,
    /// Identifies the archive.
    pub digest: String,
}

impl TenantArchiveReader {
    pub fn open(path: &Path) -> Result<TenantArchiveReader, ArchiveError> {
        let mut zip = open_zip(path)?;
        let unknown_format = |cause: &dyn std::fmt::Display| ArchiveError::UnknownFormat(cause.to_string());
        let mut text = Vec::new();
        let entry = zip.by_name(MANIFEST).map_err(|error| unknown_format(&error))?;
        entry.take(LONGEST_MANIFEST + 1).read_to_end(&mut text).map_err(|error| unknown_format(&error))?;
        if text.len() as u64 > LONGEST_MANIFEST {
            return Err(unknown_format(&"a manifest that is too long"));
        }
        let manifest = ArchiveManifest::parse(&text)?;
        Ok(TenantArchiveReader {
            path: path.to_owned(),
            manifest,
            digest: encode_hex(&Sha256::digest(&text)[..16]),
        })
    }

    /// The file of a table; archives of older schemas may lack it.
    pub fn find_table_file(&self, table: &ArchiveTable) -> Option<&ManifestFileEntry> {
        self.manifest.files.iter().find(|file| file.table.as_deref() == Some(table.name))
    }

    /// Reads every file and compares it with the manifest. `on_progress` receives the number of rows checked.
    pub fn verify(&self, on_progress: &dyn Fn(u64)) -> Result<(), ArchiveError> {
        let mut zip = open_zip(&self.path)?;
        let (mut checked, mut buffer) = (0, vec![0; 1 << 16]);
        for file in &self.manifest.files {
            let rows = check_file_digest(&mut zip, (&file.path, file.bytes, &file.sha256), &mut buffer)?;
            if rows != file.rows {
                let cause = format!("{rows} rows, not {}", file.rows);
                return Err(ArchiveError::Damaged { path: file.path.clone(), cause });
            }
            checked += file.rows;
            on_progress(checked);
        }
        self.for_each_attachment(0, |one| {
            check_file_digest(&mut zip, (&one.path, one.bytes, &one.sha256), &mut buffer)?;
            checked += 1;
            on_progress(checked);
            Ok(())
        })
    }

    /// Passes the rows of a table after the first `skip` to `handle_page`, in pages.
    pub fn for_each_page(
        &self,
        table: &'static ArchiveTable,
        skip: u64,
        (tenant_vault, chance): (&TenantVault, &dyn RandomSource),
        mut handle_page: impl FnMut(Vec<Vec<SqlScalar>>) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let Some(file) = self.find_table_file(table) else { return Ok(()) };
        let (mut page, mut weight) = (Vec::new(), 0);
        self.for_each_line(file, skip, |number, line| {
            let row = row_format::parse_record(line, table, tenant_vault, chance);
            let bad_row = |cause| ArchiveError::BadRow { path: file.path.clone(), line: number, cause };
            page.push(row.map_err(bad_row)?);
            weight += line.len();
            if page.len() == ROWS_PER_TRANSACTION || weight >= BYTES_PER_TRANSACTION {
                handle_page(std::mem::take(&mut page))?;
                weight = 0;
            }
            Ok(())
        })?;
        if page.is_empty() { Ok(()) } else { handle_page(page) }
    }

    /// Passes every line of a file after the first `skip` to `handle_line`, with its number.
    fn for_each_line(
        &self,
        file: &ManifestFileEntry,
        skip: u64,
        mut handle_line: impl FnMut(u64, &[u8]) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut zip = open_zip(&self.path)?;
        let damaged = |cause: String| ArchiveError::Damaged { path: file.path.clone(), cause };
        let entry = zip.by_name(&file.path).map_err(|error| damaged(error.to_string()))?;
        let mut reader = BufReader::with_capacity(1 << 16, entry);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| damaged(error.to_string()))? == 0 {
                return Ok(());
            }
            number += 1;
            if number > skip {
                handle_line(number, &line)?;
            }
        }
    }

    /// Passes the attachments after the first `skip` to `handle_attachment`, in the order of the list.
    pub(super) fn for_each_attachment(
        &self,
        skip: u64,
        mut handle_attachment: impl FnMut(ArchivedAttachment) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let Some(list) = self.manifest.file_list() else { return Ok(()) };
        self.for_each_line(list, skip, |line, text| {
            let bad_row = |error: serde_json::Error| ArchiveError::BadRow {
                path: list.path.clone(),
                line,
                cause: error.to_string(),
            };
            handle_attachment(serde_json::from_slice(text).map_err(bad_row)?)
        })
    }

    /// Passes the path and content of the attachments after the first `skip` to `handle_content`.
    pub fn for_each_attachment_content(
        &self,
        skip: u64,
        mut handle_content: impl FnMut(String, Vec<u8>) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut zip = open_zip(&self.path)?;
        self.for_each_attachment(skip, |one| {
            let damaged = |cause: String| ArchiveError::Damaged { path: one.path.clone(), cause };
            TenantArchiveReader::check_attachment_length(&one)?;
            let entry = zip.by_name(&one.path).map_err(|error| damaged(error.to_string()))?;
            let mut bytes = Vec::new();
            entry.take(one.bytes).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
            handle_content(one.path, bytes)
        })
    }

    pub fn check_attachment_length(one: &ArchivedAttachment) -> Result<(), ArchiveError> {
        if one.bytes > LARGEST_ATTACHED {
            let cause = format!("{} bytes are too many", one.bytes);
            return Err(ArchiveError::Damaged { path: one.path.clone(), cause });
        }
        Ok(())
    }

    /// Passes every row of a table to `handle_row`, with its line number.
    pub fn for_each_row(
        &self,
        table: &'static ArchiveTable,
        (tenant_vault, chance): (&TenantVault, &dyn RandomSource),
        mut handle_row: impl FnMut(u64, Vec<SqlScalar>) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let Some(file) = self.find_table_file(table) else { return Ok(()) };
        self.for_each_line(file, 0, |line, text| {
            let bad_row = |cause| ArchiveError::BadRow { path: file.path.clone(), line, cause };
            handle_row(line, row_format::parse_record(text, table, tenant_vault, chance).map_err(bad_row)?)
        })
    }

    /// Only for tables known to be small.
    pub fn read_all_rows(
        &self,
        table: &'static ArchiveTable,
        sealing: (&TenantVault, &dyn RandomSource),
    ) -> Result<Vec<Vec<SqlScalar>>, ArchiveError> {
        let mut all = Vec::new();
        self.for_each_page(table, 0, sealing, |mut rows| {
            all.append(&mut rows);
            Ok(())
        })?;
        Ok(all)
    }
}

/// Limits of one transaction in rows and approximate bytes: a fraction of a second on either engine.
const ROWS_PER_TRANSACTION: usize = 2_000;
const BYTES_PER_TRANSACTION: usize = 4 << 20;

/// Compares a file with its expected size and SHA-256; returns its number of lines.
fn check_file_digest(
    zip: &mut ZipArchive<BufReader<std::fs::File>>,
    (path, expected_length, sha256): (&str, u64, &str),
    buffer: &mut [u8],
) -> Result<u64, ArchiveError> {
    let damaged = |cause: String| ArchiveError::Damaged { path: path.to_owned(), cause };
    let entry = zip.by_name(path).map_err(|error| damaged(error.to_string()))?;
    // One byte beyond the expected size is enough to detect a mismatch.
    let mut entry = entry.take(expected_length.saturating_add(1));
    let (mut digest, mut bytes, mut rows) = (Sha256::new(), 0, 0);
    loop {
        let read = entry.read(buffer).map_err(|error| damaged(error.to_string()))?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        bytes += read as u64;
        rows += buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    if bytes != expected_length || encode_hex(&digest.finalize()) != sha256 {
        return Err(damaged("its SHA-256 is another".to_owned()));
    }
    Ok(rows)
}

fn open_zip(path: &Path) -> Result<ZipArchive<BufReader<std::fs::File>>, ArchiveError> {
    let file = std::fs::File::open(path).map_err(|error| wrap_file_error(path, error))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| ArchiveError::UnknownFormat(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::export::tests::archive_with;

    /// The size of the manifest does not depend on the number of attachments, and each can be read back.
    #[test]
    fn many_attachments_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let length = |count: u32| {
            let path = folder.path().join(format!("{count}.zip"));
            let parts: Vec<(String, Vec<u8>)> =
                (0..count).map(|number| (format!("1/{number}/dados"), number.to_le_bytes().into())).collect();
            archive_with(&path, &parts);
            let archive = TenantArchiveReader::open(&path).unwrap();
            archive.verify(&|_| {}).unwrap();
            assert_eq!(
                (archive.manifest.attachment_count(), archive.manifest.row_count()),
                (count.into(), 0)
            );
            let mut found = Vec::new();
            let handle_content = |path: String, bytes| {
                found.push((path.strip_prefix("arquivos/").unwrap().to_owned(), bytes));
                Ok(())
            };
            archive.for_each_attachment_content(2, handle_content).unwrap();
            assert_eq!(found, parts[2..]);
            serde_json::to_string(&archive.manifest).unwrap().len()
        };
        assert!(length(2_000) < length(3) + 10);
    }
}
