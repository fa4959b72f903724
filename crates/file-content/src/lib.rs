//! What an uploaded file holds: its kind, detected from its bytes, and for a picture the cleaned bytes and a preview.
//! Pure: nothing here reads or writes a file.

mod allowed_kinds;
mod jpeg;
mod picture;
#[cfg(test)]
mod tests;

use allowed_kinds::detect_file_kind;
use bytes::Bytes;
use domain::{FileKind, FileProblem};
use sha2::{Digest, Sha256};

/// A validated and cleaned file.
pub struct PreparedFile {
    pub kind: FileKind,
    pub bytes: Bytes,
    pub sha256: Vec<u8>,
    /// Width and height of a picture as displayed.
    pub measures: Option<(i32, i32)>,
    pub preview: Option<Bytes>,
}

/// Detects the kind of a file, and removes metadata from pictures.
pub fn prepare_file(input: Bytes) -> Result<PreparedFile, FileProblem> {
    let kind = detect_file_kind(&input)?;
    if !kind.is_picture() {
        let sha256 = Sha256::digest(&input).to_vec();
        return Ok(PreparedFile { kind, bytes: input, sha256, measures: None, preview: None });
    }
    let picture = picture::prepare_picture(kind, input)?;
    let sha256 = Sha256::digest(&picture.bytes).to_vec();
    let (width, height) = picture.measures;
    let measures = i32::try_from(width).ok().zip(i32::try_from(height).ok());
    Ok(PreparedFile { kind, bytes: picture.bytes, sha256, measures, preview: Some(picture.preview) })
}
