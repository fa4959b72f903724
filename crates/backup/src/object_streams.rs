//! Moves content between a store and blocking code piece by piece, so that a database of any size takes little memory.

use crate::destination_store::{DestinationStore, run_blocking};
use crate::error::{BackupActionError, DamageCause};
use bytes::Bytes;
use domain::encode_hex;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The bytes that go to the store at once.
const PIECE: usize = 1 << 20;
/// Pieces that wait between the two sides.
const PIECES_BETWEEN: usize = 4;
/// A bucket takes at most 10,000 parts: so large that a database of 300 GiB fits, compressed.
const UPLOAD_PART: usize = 32 << 20;
/// Parts that a bucket receives at once.
const UPLOADS_AT_ONCE: usize = 2;

/// What is being done, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressStep {
    Database,
    Attachments,
}

/// Told of every piece: the step, and the bytes of that step so far.
#[derive(Clone)]
pub struct ProgressReport(Arc<dyn Fn(ProgressStep, u64) + Send + Sync>);

impl ProgressReport {
    pub fn new(report: impl Fn(ProgressStep, u64) + Send + Sync + 'static) -> ProgressReport {
        ProgressReport(Arc::new(report))
    }

    pub fn ignore() -> ProgressReport {
        ProgressReport::new(|_, _| ())
    }

    pub(crate) fn tell(&self, step: ProgressStep, bytes: u64) {
        (self.0)(step, bytes);
    }
}

/// The size and the digest of an object as stored.
pub struct StoredDigest {
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

/// Collects what is written into pieces for the other side, and their digest.
struct PieceSender {
    sender: mpsc::Sender<Bytes>,
    piece: Vec<u8>,
    bytes: u64,
    digest: Sha256,
}

impl PieceSender {
    fn send_piece(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        self.digest.update(&self.piece);
        self.bytes += self.piece.len() as u64;
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        // The other side is gone: it knows why.
        self.sender.blocking_send(piece.into()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for PieceSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.send_piece()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The pieces of the other side as one content.
pub(crate) struct PieceReader {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
    bytes: u64,
    digest: Sha256,
}

impl PieceReader {
    /// Reads what is left, and returns the digest of all of it.
    pub(crate) fn finish(mut self) -> io::Result<StoredDigest> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(StoredDigest { bytes: self.bytes, sha256: encode_hex(&self.digest.finalize()) })
    }
}

impl Read for PieceReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.receiver.blocking_recv() {
                None => return Ok(0),
                Some(piece) => self.piece = piece?,
            }
            self.digest.update(&self.piece);
            self.bytes += self.piece.len() as u64;
        }
        let taken = into.len().min(self.piece.len());
        into[..taken].copy_from_slice(&self.piece.split_to(taken));
        Ok(taken)
    }
}

/// Whether a content is compressed on its way to the destination.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PartCompression {
    Gzip,
    None,
}

impl DestinationStore {
    /// Stores what `produce` writes at this path: compressed if asked, encrypted if the destination is. Nothing is there
    /// unless all is.
    pub(crate) async fn store_object<T: Send + 'static>(
        &self,
        path: &str,
        compression: PartCompression,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredDigest, T), BackupActionError> {
        let (destination, object) = (self.clone(), path.to_owned());
        self.upload(path, move |out| destination.write_object(&object, compression, out, produce)).await
    }

    /// As [`DestinationStore::store_object`], but `produce` never waits for a slow destination: what it writes waits in a
    /// file without a name in this folder.
    pub(crate) async fn store_object_by_file<T: Send + 'static>(
        &self,
        path: &str,
        compression: PartCompression,
        folder: PathBuf,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredDigest, T), BackupActionError> {
        let (destination, object) = (self.clone(), path.to_owned());
        let (mut file, value) = run_blocking(move || {
            let cut = |error: io::Error| BackupActionError::Interrupted(error.to_string());
            let mut file = BufWriter::new(tempfile::tempfile_in(folder).map_err(cut)?);
            let value = destination.write_object(&object, compression, &mut file, produce)?;
            let mut file = file.into_inner().map_err(|error| cut(error.into_error()))?;
            file.seek(SeekFrom::Start(0)).map_err(cut)?;
            Ok((file, value))
        })
        .await?;
        let uploaded = self.upload(path, move |out| {
            io::copy(&mut file, out).map_err(|error| BackupActionError::Interrupted(error.to_string()))
        });
        let (digest, _) = uploaded.await?;
        Ok((digest, value))
    }

    /// Writes what `produce` writes as it is to be stored.
    fn write_object<T>(
        &self,
        object: &str,
        compression: PartCompression,
        out: &mut dyn Write,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError>,
    ) -> Result<T, BackupActionError> {
        let cut = |error: io::Error| BackupActionError::Interrupted(error.to_string());
        let Some(cipher) = &self.cipher else { return write_compressed(out, compression, produce) };
        let mut sealed = cipher.encrypt(object, &*self.random, out).map_err(cut)?;
        let value = write_compressed(&mut sealed, compression, produce)?;
        sealed.finish().map_err(cut)?;
        Ok(value)
    }

    /// Uploads what `produce` writes, as it is.
    async fn upload<T: Send + 'static>(
        &self,
        path: &str,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredDigest, T), BackupActionError> {
        let (sender, receiver) = mpsc::channel(PIECES_BETWEEN);
        let producer = tokio::task::spawn_blocking(move || {
            let (piece, digest) = (Vec::with_capacity(PIECE), Sha256::new());
            let mut out = PieceSender { sender, piece, bytes: 0, digest };
            let value = produce(&mut out)?;
            out.send_piece().map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
            Ok((StoredDigest { bytes: out.bytes, sha256: encode_hex(&out.digest.finalize()) }, value))
        });
        let target = ObjectPath::from(path);
        let upload =
            self.store().put_multipart(&target).await.map_err(BackupActionError::from_destination)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, UPLOAD_PART);
        let taken = take_pieces(&mut upload, receiver).await;
        let produced =
            producer.await.unwrap_or_else(|error| Err(BackupActionError::Interrupted(error.to_string())));
        // If the destination fails, the producer only notices that nobody takes its pieces.
        match taken.and(produced) {
            Ok(stored) => {
                upload.finish().await.map_err(BackupActionError::from_destination)?;
                Ok(stored)
            }
            Err(error) => {
                if let Err(failed) = upload.abort().await {
                    tracing::warn!(error = %failed, path, "an unfinished upload could not be removed");
                }
                Err(error)
            }
        }
    }

    /// Gives `consume` the content at this path, decrypted and decompressed, and returns the digest of all that is stored
    /// there.
    pub(crate) async fn load_object<T: Send + 'static>(
        &self,
        path: &str,
        compression: PartCompression,
        consume: impl FnOnce(&mut dyn Read) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredDigest, T), BackupActionError> {
        let found = match self.store().get(&ObjectPath::from(path)).await {
            Ok(found) => found.into_stream(),
            Err(object_store::Error::NotFound { .. }) => {
                return Err(BackupActionError::damaged(path, DamageCause::Missing));
            }
            Err(error) => return Err(BackupActionError::from_destination(error)),
        };
        let (cipher, object, mut from) = (self.cipher.clone(), path.to_owned(), pipe_stream(found));
        run_blocking(move || {
            let damaged = |error: io::Error| describe_read_failure(&object, &error);
            let value = {
                let mut opened: Box<dyn Read + '_> = match &cipher {
                    None => Box::new(&mut from),
                    Some(cipher) => Box::new(cipher.decrypt(&object, &mut from).map_err(damaged)?),
                };
                let value = match compression {
                    PartCompression::None => consume(&mut *opened),
                    PartCompression::Gzip => consume(&mut MultiGzDecoder::new(&mut *opened)),
                }?;
                // The last piece is opened, too.
                io::copy(&mut opened, &mut io::sink()).map_err(damaged)?;
                value
            };
            Ok((from.finish().map_err(damaged)?, value))
        })
        .await
    }
}

async fn take_pieces(
    upload: &mut WriteMultipart,
    mut receiver: mpsc::Receiver<Bytes>,
) -> Result<(), BackupActionError> {
    while let Some(piece) = receiver.recv().await {
        upload.wait_for_capacity(UPLOADS_AT_ONCE).await.map_err(BackupActionError::from_destination)?;
        upload.put(piece);
    }
    Ok(())
}

/// What a failure to read an object means: the store's own, or that the object is not what was written.
pub(crate) fn describe_read_failure(path: &str, error: &io::Error) -> BackupActionError {
    let of_store = error.get_ref().and_then(|inner| inner.downcast_ref::<object_store::Error>());
    match of_store {
        Some(error) => BackupActionError::Destination(error.to_string()),
        None => BackupActionError::damaged(path, DamageCause::Altered),
    }
}

fn write_compressed<T>(
    out: &mut dyn Write,
    compression: PartCompression,
    produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError>,
) -> Result<T, BackupActionError> {
    match compression {
        PartCompression::None => produce(out),
        PartCompression::Gzip => {
            let mut packed = GzEncoder::new(out, Compression::fast());
            let value = produce(&mut packed)?;
            packed.finish().map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
            Ok(value)
        }
    }
}

/// A stream of a store, to be read by blocking code.
pub(crate) fn pipe_stream(mut stream: BoxStream<'static, object_store::Result<Bytes>>) -> PieceReader {
    let (sender, receiver) = mpsc::channel(PIECES_BETWEEN);
    tokio::spawn(async move {
        while let Some(piece) = stream.next().await {
            // A reader that is gone knows why.
            if sender.send(piece.map_err(io::Error::other)).await.is_err() {
                break;
            }
        }
    });
    PieceReader { receiver, piece: Bytes::new(), bytes: 0, digest: Sha256::new() }
}
