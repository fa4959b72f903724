//! The buffer of a running upload. An upload may be slow, so it is kept out of memory: in an unnamed file that
//! disappears with the process.

use super::store::FileStore;
use crate::Error;
use bytes::Bytes;
use domain::{FileProblem, Rejection};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Bytes collected in memory before each write.
const BYTES_PER_WRITE: usize = 256 * 1024;

pub struct UploadBuffer {
    most_mib: u64,
    most: u64,
    size: u64,
    gathered: Vec<u8>,
    file: Option<File>,
    waiting: Option<Arc<Path>>,
    digest: Sha256,
}

impl UploadBuffer {
    pub fn new(place: &FileStore) -> UploadBuffer {
        UploadBuffer {
            most_mib: place.limits.largest_mib,
            most: place.limits.largest_bytes(),
            size: 0,
            gathered: Vec::new(),
            file: None,
            waiting: place.waiting.clone(),
            digest: Sha256::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Appends bytes; fails if the file exceeds the limit.
    #[boxed::future]
    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.size += bytes.len() as u64;
        if self.size > self.most {
            return Err(reject_too_large(self.most_mib).into());
        }
        self.digest.update(bytes);
        self.gathered.extend_from_slice(bytes);
        match self.gathered.len() < BYTES_PER_WRITE {
            true => Ok(()),
            false => self.spill_to_disk().await,
        }
    }

    /// The SHA-256 digest of the bytes received so far.
    pub fn digest(&self) -> [u8; 32] {
        self.digest.clone().finalize().into()
    }

    async fn spill_to_disk(&mut self) -> Result<(), Error> {
        let Some(waiting) = self.waiting.clone() else { return Ok(()) };
        let (file, gathered) = (self.file.take(), std::mem::take(&mut self.gathered));
        let written = tokio::task::spawn_blocking(move || {
            let mut file = match file {
                Some(file) => file,
                None => tempfile::tempfile_in(waiting)?,
            };
            file.write_all(&gathered)?;
            Ok::<_, std::io::Error>(file)
        });
        self.file = Some(written.await.map_err(convert_file_error)?.map_err(convert_file_error)?);
        Ok(())
    }

    /// The complete content, in memory: the caller must hold a memory permit.
    pub(super) async fn into_bytes(self) -> Result<Bytes, Error> {
        let UploadBuffer { file, gathered, size, .. } = self;
        let Some(mut file) = file else { return Ok(gathered.into()) };
        let read = tokio::task::spawn_blocking(move || {
            let mut all = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
            file.seek(SeekFrom::Start(0))?;
            file.read_to_end(&mut all)?;
            all.extend_from_slice(&gathered);
            Ok::<_, std::io::Error>(all)
        });
        Ok(read.await.map_err(convert_file_error)?.map_err(convert_file_error)?.into())
    }
}

pub(super) fn reject_too_large(most_mib: u64) -> Rejection {
    Rejection::File(FileProblem::TooLarge { most_mib })
}

fn convert_file_error(error: impl std::fmt::Display) -> Error {
    Error::Files(error.to_string())
}
