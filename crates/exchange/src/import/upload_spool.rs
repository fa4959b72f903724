//! The unnamed temporary file that an upload is written to, which refuses more than `http.import_mib`.

use super::action_refusals::refuse_import;
use app::Error;
use domain::ImportProblem;
use std::fs::File;
use std::io::Write;

/// The temporary file of an upload.
pub struct UploadSpool {
    pub(super) file: File,
    length: u64,
    most: u64,
}

/// Creates the temporary file for an upload of at most `most` bytes.
pub fn create_upload_spool(most: u64) -> Result<UploadSpool, Error> {
    let file = tempfile::tempfile().map_err(|error| Error::Defect(format!("a temporary file: {error}")))?;
    Ok(UploadSpool { file, length: 0, most })
}

impl UploadSpool {
    /// Appends bytes; fails beyond the limit.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.length += bytes.len() as u64;
        if self.length > self.most {
            return Err(refuse_import(ImportProblem::TooLarge(self.most.div_ceil(1024 * 1024))));
        }
        self.file.write_all(bytes).map_err(|error| Error::Defect(format!("a temporary file: {error}")))
    }
}
