//! Copies attachments to a destination, and back. Their content never changes, so each is copied once.

use crate::destination_store::{ATTACHMENTS_FOLDER, DestinationStore};
use crate::encryption::DestinationCipher;
use crate::error::{BackupActionError, DamageCause};
use crate::installation::ServerInstallation;
use crate::manifest::{AttachmentCounts, AttachmentLine, PartContent, SnapshotManifest};
use crate::object_streams::{
    PartCompression, ProgressReport, ProgressStep, describe_read_failure, pipe_stream,
};
use domain::{FileCode, TenantId, encode_hex};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
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

/// So many attachments in a row that cannot be read mean that their store cannot be used.
const UNREADABLE_IN_A_ROW: u64 = 20;

/// An attachment or its preview, by its random key: small, for a destination may hold a million of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentKey {
    digits: u128,
    is_preview: bool,
}

impl DestinationStore {
    /// The attachment at a path of the destination; `None` if there can be none.
    pub(crate) fn parse_attachment_path(&self, path: &str) -> Option<ContentKey> {
        parse_attachment_key(self.strip_attachment_path(path)?)
    }
}

/// The list of all attachments, and their counts.
pub struct CopiedAttachments {
    /// The lines of the list, in a file without a name.
    pub list: File,
    pub counts: AttachmentCounts,
}

/// What the copies of one run share.
struct CopyRun<'r> {
    destination: &'r DestinationStore,
    installation: &'r ServerInstallation,
    /// The sizes of the attachments in the destination, as stored.
    present: HashMap<ContentKey, u64>,
    progress: &'r ProgressReport,
    done: AtomicU64,
    unreadable_in_a_row: AtomicU64,
}

/// Copies every attachment that the database names and the destination lacks.
pub(crate) async fn copy_attachments(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    db: &Db,
    progress: &ProgressReport,
) -> Result<CopiedAttachments, BackupActionError> {
    let interrupted = |error: io::Error| BackupActionError::Interrupted(error.to_string());
    let run = CopyRun {
        destination,
        installation,
        present: list_present_attachments(destination).await?,
        progress,
        done: AtomicU64::new(0),
        unreadable_in_a_row: AtomicU64::new(0),
    };
    let mut list = BufWriter::new(tempfile::tempfile().map_err(interrupted)?);
    let mut counts = AttachmentCounts::default();
    for tenant in tenants::list_tenants(db).await? {
        let mut after = FileCode::new(0);
        loop {
            let rows = list_contents_after(db, tenant.id, after, ROWS_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            after = last.code;
            let wanted = rows.iter().flat_map(list_wanted_copies);
            let copies =
                stream::iter(wanted).map(|line| copy_attachment(&run, line)).buffered(COPIES_AT_ONCE);
            let results: Vec<CopyResult> = copies.try_collect().await?;
            for result in results {
                let line = match result {
                    CopyResult::Present(line) => line,
                    CopyResult::New(line) => {
                        counts.copied += 1;
                        line
                    }
                    CopyResult::Missing(path) => {
                        counts.missing.push(path);
                        continue;
                    }
                };
                counts.files += 1;
                counts.bytes += line.bytes;
                serde_json::to_writer(&mut list, &line)
                    .map_err(io::Error::from)
                    .and_then(|()| list.write_all(b"\n"))
                    .map_err(interrupted)?;
            }
        }
    }
    let mut list = list.into_inner().map_err(|error| interrupted(error.into_error()))?;
    list.seek(SeekFrom::Start(0)).map_err(interrupted)?;
    Ok(CopiedAttachments { list, counts })
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

async fn list_present_attachments(
    destination: &DestinationStore,
) -> Result<HashMap<ContentKey, u64>, BackupActionError> {
    let folder = ObjectPath::from(ATTACHMENTS_FOLDER);
    let mut listed = destination.store().list(Some(&folder));
    let mut present = HashMap::new();
    while let Some(object) = listed.try_next().await.map_err(BackupActionError::from_destination)? {
        if let Some(key) = destination.parse_attachment_path(object.location.as_ref()) {
            present.insert(key, object.size);
        }
    }
    Ok(present)
}

async fn copy_attachment(
    run: &CopyRun<'_>,
    mut line: AttachmentLine,
) -> Result<CopyResult, BackupActionError> {
    let (destination, target) = (run.destination, run.destination.attachment_path(&line.path));
    let stored = parse_attachment_key(&line.path).and_then(|key| run.present.get(&key));
    if let Some(stored) = stored {
        let plain = match destination.is_encrypted() {
            true => DestinationCipher::decrypted_size(*stored),
            false => *stored,
        };
        // A preview is never empty.
        if line.bytes == plain || (line.bytes == UNKNOWN_SIZE && plain > 0) {
            line.bytes = plain;
            return Ok(CopyResult::Present(line));
        }
    }
    let found = match run.installation.attachments.get(&ObjectPath::from(line.path.as_str())).await {
        Ok(found) => found,
        Err(object_store::Error::NotFound { .. }) => return Ok(CopyResult::Missing(line.path)),
        Err(error) => return run.pass_over_unreadable(line, BackupActionError::from_attachments(error)),
    };
    let mut from = pipe_stream(found.into_stream());
    let expected = line.sha256.clone();
    let place = line.path.clone();
    // Content that is not what was attached is not stored: an earlier, whole copy may be there.
    let stored = destination.store_object(&target, PartCompression::None, move |out| {
        let failed = |error: io::Error| BackupActionError::Attachments(error.to_string());
        copy_content(&mut from, out).map_err(failed)?;
        let digest = from.finish().map_err(failed)?;
        match expected {
            Some(expected) if expected != digest.sha256 => {
                Err(BackupActionError::damaged(&place, DamageCause::Altered))
            }
            _ => Ok(digest.bytes),
        }
    });
    match stored.await {
        Ok((_, bytes)) => {
            line.bytes = bytes;
            run.unreadable_in_a_row.store(0, Ordering::Relaxed);
            let done = run.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
            run.progress.tell(ProgressStep::Attachments, done);
            Ok(CopyResult::New(line))
        }
        Err(BackupActionError::Damaged { .. }) => Ok(CopyResult::Missing(line.path)),
        Err(error @ BackupActionError::Attachments(_)) => run.pass_over_unreadable(line, error),
        Err(error) => Err(error),
    }
}

/// Copies what can be read; only a failure to read is an error, for the other side knows why it does not take more.
fn copy_content(from: &mut dyn Read, out: &mut dyn Write) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut piece)?;
        if count == 0 || out.write_all(&piece[..count]).is_err() {
            return Ok(());
        }
    }
}

impl CopyRun<'_> {
    /// One attachment that cannot be read does not keep everything else from being copied.
    fn pass_over_unreadable(
        &self,
        line: AttachmentLine,
        error: BackupActionError,
    ) -> Result<CopyResult, BackupActionError> {
        if self.unreadable_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= UNREADABLE_IN_A_ROW {
            return Err(error);
        }
        tracing::warn!(%error, path = line.path, "an attachment cannot be read");
        Ok(CopyResult::Missing(line.path))
    }
}

/// Adds the keys of all attachments that a backup needs.
pub(crate) async fn read_attachment_keys(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    keys: &mut HashSet<ContentKey>,
) -> Result<(), BackupActionError> {
    let found = read_list(destination, manifest, |line| parse_attachment_key(&line.path)).await?;
    keys.extend(found);
    Ok(())
}

/// The list of a backup's attachments.
pub(crate) async fn read_attachment_list(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
) -> Result<Vec<AttachmentLine>, BackupActionError> {
    read_list(destination, manifest, Some).await
}

/// What `take` makes of every line of the list. Paths that are not those of attachments are refused, so that a list never
/// leads out of the store.
async fn read_list<T: Send + 'static>(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    take: impl Fn(AttachmentLine) -> Option<T> + Send + 'static,
) -> Result<Vec<T>, BackupActionError> {
    let part = manifest.require_part(PartContent::AttachmentList)?;
    let path = DestinationStore::backup_path(&manifest.name, &part.name);
    let place = path.clone();
    let read = destination.load_object(&path, PartCompression::Gzip, move |from| {
        let altered = || BackupActionError::damaged(&place, DamageCause::Altered);
        let mut taken = Vec::new();
        for text in BufReader::new(from).lines() {
            let text = text.map_err(|error| describe_read_failure(&place, &error))?;
            let line: AttachmentLine = serde_json::from_str(&text).map_err(|_| altered())?;
            if parse_attachment_key(&line.path).is_none() {
                return Err(altered());
            }
            taken.extend(take(line));
        }
        Ok(taken)
    });
    let (digest, taken) = read.await?;
    if digest.sha256 != part.sha256 || taken.len() as u64 != manifest.attachments.files {
        return Err(BackupActionError::damaged(&path, DamageCause::Altered));
    }
    Ok(taken)
}

/// `1/ab/ab…/dados`: tenant, two digits, thirty-two digits, and the part. `None` for any other text.
fn parse_attachment_key(path: &str) -> Option<ContentKey> {
    let parts: Vec<&str> = path.split('/').collect();
    let [tenant, short, key, part] = parts[..] else { return None };
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_path = tenant.parse::<i32>().is_ok_and(|code| TenantId::new(code).to_string() == tenant)
        && key.len() == 32
        && is_hex(key)
        && key.starts_with(short)
        && short.len() == 2
        && [CONTENT_NAME, PREVIEW_NAME].contains(&part);
    let digits = u128::from_str_radix(key, 16).ok().filter(|_| is_path)?;
    Some(ContentKey { digits, is_preview: part == PREVIEW_NAME })
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
            let value = consume(&mut from).map_err(|error| describe_read_failure(&place, &error))?;
            Ok((value, from.bytes, encode_hex(&from.digest.finalize())))
        })
        .await?;
    let is_same = bytes == line.bytes && line.sha256.as_ref().is_none_or(|expected| *expected == sha256);
    if !is_same {
        return Err(BackupActionError::damaged(&path, DamageCause::Altered));
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
    let bytes = line.bytes;
    let content = load_attachment(destination, &line, move |from| {
        let mut content = Vec::new();
        from.take(bytes.saturating_add(1)).read_to_end(&mut content)?;
        Ok(content)
    });
    let content = match content.await {
        Ok(content) => content,
        Err(BackupActionError::Damaged { path, .. }) => return Ok(CopyResult::Missing(path)),
        Err(error) => return Err(error),
    };
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
            assert!(parse_attachment_key(&format!("7/ab/{key}/{part}")).is_some());
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
            assert_eq!(parse_attachment_key(&path), None, "{path}");
        }
    }
}
