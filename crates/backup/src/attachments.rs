//! Copies attachments to a destination, and back. Their content never changes, so each is copied once.

use crate::BackupActionError;
use crate::destination_store::{ATTACHMENTS_FOLDER, DestinationStore};
use crate::encryption::DestinationCipher;
use crate::installation::ServerInstallation;
use crate::manifest::{AttachmentCounts, AttachmentLine, PartContent, SnapshotManifest};
use crate::object_streams::{PartCompression, ProgressReport, ProgressStep, pipe_stream};
use domain::{FileCode, TenantId, encode_hex};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use storage::Db;
use storage::attachments::{StoredContent, list_contents_after};
use storage::server::tenants;

/// Rows of a tenant read at once.
const ROWS_AT_ONCE: i64 = 1_000;
/// Attachments copied at once.
const COPIES_AT_ONCE: usize = 8;
/// The names of an attachment's parts in the store of attachments.
const CONTENT_NAME: &str = "dados";
const PREVIEW_NAME: &str = "miniatura";

/// What a copy of all attachments gives: the lines of their list, and the counts.
pub struct CopiedAttachments {
    pub lines: Vec<AttachmentLine>,
    pub counts: AttachmentCounts,
}

/// Copies every attachment that the database names and the destination lacks.
pub(crate) async fn copy_attachments(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    db: &Db,
    progress: &ProgressReport,
) -> Result<CopiedAttachments, BackupActionError> {
    let present = list_present_attachments(destination).await?;
    let mut copied = CopiedAttachments { lines: Vec::new(), counts: AttachmentCounts::default() };
    let done = AtomicU64::new(0);
    for tenant in tenants::list_tenants(db).await? {
        let mut after = FileCode::new(0);
        loop {
            let rows = list_contents_after(db, tenant.id, after, ROWS_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            after = last.code;
            let wanted = rows.iter().flat_map(list_wanted_copies);
            let copies = stream::iter(wanted)
                .map(|line| copy_attachment(destination, installation, &present, line, (progress, &done)))
                .buffered(COPIES_AT_ONCE);
            let results: Vec<CopyResult> = copies.try_collect().await?;
            for result in results {
                match result {
                    CopyResult::Present(line) => copied.add_line(line),
                    CopyResult::New(line) => {
                        copied.counts.copied += 1;
                        copied.add_line(line);
                    }
                    CopyResult::Missing(path) => copied.counts.missing.push(path),
                }
            }
        }
    }
    Ok(copied)
}

impl CopiedAttachments {
    fn add_line(&mut self, line: AttachmentLine) {
        self.counts.files += 1;
        self.counts.bytes += line.bytes;
        self.lines.push(line);
    }
}

enum CopyResult {
    Present(AttachmentLine),
    New(AttachmentLine),
    /// The path of what the store of attachments lacks, or holds with other content.
    Missing(String),
}

/// The size of a preview is not in the database.
const UNKNOWN_SIZE: u64 = u64::MAX;

fn list_wanted_copies(row: &StoredContent) -> Vec<AttachmentLine> {
    let key = &row.storage_key;
    let content = AttachmentLine {
        path: format!("{key}/{CONTENT_NAME}"),
        bytes: u64::try_from(row.size).unwrap_or(UNKNOWN_SIZE),
        sha256: Some(encode_hex(&row.sha256)),
    };
    let preview = row.has_preview.then(|| AttachmentLine {
        path: format!("{key}/{PREVIEW_NAME}"),
        bytes: UNKNOWN_SIZE,
        sha256: None,
    });
    std::iter::once(content).chain(preview).collect()
}

/// The sizes of the attachments in the destination, as stored.
async fn list_present_attachments(
    destination: &DestinationStore,
) -> Result<HashMap<String, u64>, BackupActionError> {
    let folder = ObjectPath::from(ATTACHMENTS_FOLDER);
    let listed = destination.store().list(Some(&folder));
    let sizes = listed.map_ok(|object| (object.location.to_string(), object.size));
    sizes.try_collect().await.map_err(BackupActionError::from_destination)
}

async fn copy_attachment(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    present: &HashMap<String, u64>,
    mut line: AttachmentLine,
    (progress, done): (&ProgressReport, &AtomicU64),
) -> Result<CopyResult, BackupActionError> {
    let target = destination.attachment_path(&line.path);
    if let Some(stored) = present.get(&target) {
        let plain = match destination.is_encrypted() {
            true => DestinationCipher::decrypted_size(*stored),
            false => *stored,
        };
        if line.bytes == UNKNOWN_SIZE || line.bytes == plain {
            line.bytes = plain;
            return Ok(CopyResult::Present(line));
        }
    }
    let found = match installation.attachments.get(&ObjectPath::from(line.path.as_str())).await {
        Ok(found) => found,
        Err(object_store::Error::NotFound { .. }) => return Ok(CopyResult::Missing(line.path)),
        Err(error) => return Err(BackupActionError::from_attachments(error)),
    };
    let mut from = pipe_stream(found.into_stream());
    let expected = line.sha256.clone();
    // Content that is not what was attached is not stored: an earlier, whole copy may be there.
    let stored = destination.store_object(&target, PartCompression::None, move |out| {
        let failed = |error: io::Error| BackupActionError::Attachments(error.to_string());
        io::copy(&mut from, out).map_err(failed)?;
        let digest = from.finish().map_err(failed)?;
        match expected {
            Some(expected) if expected != digest.sha256 => {
                Err(BackupActionError::damaged(&digest.sha256, "it is not what was attached"))
            }
            _ => Ok(digest.bytes),
        }
    });
    match stored.await {
        Ok((_, bytes)) => {
            line.bytes = bytes;
            progress.tell(ProgressStep::Attachments, done.fetch_add(bytes, Ordering::Relaxed) + bytes);
            Ok(CopyResult::New(line))
        }
        Err(BackupActionError::Damaged { .. }) => Ok(CopyResult::Missing(line.path)),
        Err(error) => Err(error),
    }
}

/// The list of a backup's attachments. Paths that are not those of attachments are refused, so that a list never leads
/// out of the store.
pub(crate) async fn read_attachment_list(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
) -> Result<Vec<AttachmentLine>, BackupActionError> {
    let part = manifest.require_part(PartContent::AttachmentList)?;
    let path = DestinationStore::backup_path(&manifest.name, &part.name);
    let place = path.clone();
    let (digest, lines) =
        destination.load_object(&path, PartCompression::Gzip, move |from| parse_lines(from, &place)).await?;
    if digest.sha256 != part.sha256 {
        return Err(BackupActionError::damaged(&path, "its digest is another"));
    }
    Ok(lines)
}

fn parse_lines(from: &mut dyn Read, place: &str) -> Result<Vec<AttachmentLine>, BackupActionError> {
    let mut lines = Vec::new();
    for text in BufReader::new(from).lines() {
        let text = text.map_err(|error| BackupActionError::damaged(place, error))?;
        let line: AttachmentLine =
            serde_json::from_str(&text).map_err(|error| BackupActionError::damaged(place, error))?;
        if !is_attachment_path(&line.path) {
            return Err(BackupActionError::damaged(place, "it names what is no attachment"));
        }
        lines.push(line);
    }
    Ok(lines)
}

/// `1/ab/ab…/dados`: tenant, two digits, thirty-two digits, and the part.
fn is_attachment_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let [tenant, short, key, part] = parts[..] else { return false };
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    tenant.parse::<i32>().is_ok_and(|code| TenantId::new(code).to_string() == tenant)
        && key.len() == 32
        && is_hex(key)
        && key.starts_with(short)
        && short.len() == 2
        && [CONTENT_NAME, PREVIEW_NAME].contains(&part)
}

/// Reads an attachment in the destination, and compares it with its line.
pub(crate) async fn check_attachment(
    destination: &DestinationStore,
    line: &AttachmentLine,
) -> Result<(), BackupActionError> {
    load_attachment(destination, line, |from| io::copy(from, &mut io::sink()).map(drop)).await
}

/// Gives `consume` an attachment in the destination; an error if it is not what its line says.
async fn load_attachment<T: Send + 'static>(
    destination: &DestinationStore,
    line: &AttachmentLine,
    consume: impl FnOnce(&mut dyn Read) -> io::Result<T> + Send + 'static,
) -> Result<T, BackupActionError> {
    let path = destination.attachment_path(&line.path);
    let place = path.clone();
    let (_, (value, bytes, sha256)) = destination
        .load_object(&path, PartCompression::None, move |from| {
            let mut from = DigestReader { from, bytes: 0, digest: Sha256::new() };
            let value = consume(&mut from).map_err(|error| BackupActionError::damaged(&place, error))?;
            Ok((value, from.bytes, encode_hex(&from.digest.finalize())))
        })
        .await?;
    let is_same = bytes == line.bytes && line.sha256.as_ref().is_none_or(|expected| *expected == sha256);
    if !is_same {
        return Err(BackupActionError::damaged(&path, "it is not what was attached"));
    }
    Ok(value)
}

struct DigestReader<'r> {
    from: &'r mut dyn Read,
    bytes: u64,
    digest: Sha256,
}

impl Read for DigestReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.digest.update(&into[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

/// Writes the attachments of a backup to the store of attachments, except those that it has. Returns how many were
/// written, and the paths of those that the destination lacks.
pub(crate) async fn restore_attachments(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    lines: Vec<AttachmentLine>,
    progress: &ProgressReport,
) -> Result<(u64, Vec<String>), BackupActionError> {
    let done = AtomicU64::new(0);
    let restored = stream::iter(lines)
        .map(|line| restore_attachment(destination, installation, line, (progress, &done)))
        .buffered(COPIES_AT_ONCE);
    let results: Vec<CopyResult> = restored.try_collect().await?;
    let written = results.iter().filter(|result| matches!(result, CopyResult::New(_))).count();
    let missing = results.into_iter().filter_map(|result| match result {
        CopyResult::Missing(path) => Some(path),
        _ => None,
    });
    Ok((written as u64, missing.collect()))
}

async fn restore_attachment(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    line: AttachmentLine,
    (progress, done): (&ProgressReport, &AtomicU64),
) -> Result<CopyResult, BackupActionError> {
    let target = ObjectPath::from(line.path.as_str());
    match installation.attachments.head(&target).await {
        Ok(found) if found.size == line.bytes => return Ok(CopyResult::Present(line)),
        Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
        Err(error) => return Err(BackupActionError::from_attachments(error)),
    }
    // An attachment is at most as large as one upload, which is held in memory, too.
    let content = load_attachment(destination, &line, |from| {
        let mut content = Vec::new();
        from.read_to_end(&mut content)?;
        Ok(content)
    });
    let content = match content.await {
        Ok(content) => content,
        Err(BackupActionError::Damaged { path, .. }) => return Ok(CopyResult::Missing(path)),
        Err(error) => return Err(error),
    };
    let bytes = content.len() as u64;
    let put = installation.attachments.put(&target, PutPayload::from(content)).await;
    put.map_err(BackupActionError::from_attachments)?;
    progress.tell(ProgressStep::Attachments, done.fetch_add(bytes, Ordering::Relaxed) + bytes);
    Ok(CopyResult::New(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_attachments_and_nothing_else() {
        let key = "ab0123456789abcdef0123456789abcd";
        for part in ["dados", "miniatura"] {
            assert!(is_attachment_path(&format!("7/ab/{key}/{part}")));
        }
        for path in [
            format!("7/ab/{key}/../dados"),
            format!("../ab/{key}/dados"),
            format!("07/ab/{key}/dados"),
            format!("7/cd/{key}/dados"),
            format!("7/ab/{key}/outro"),
            format!("7/ab/{}/dados", &key[1..]),
            format!("7/ab/{}/dados", key.to_uppercase()),
            format!("/7/ab/{key}/dados"),
        ] {
            assert!(!is_attachment_path(&path), "{path}");
        }
    }
}
