//! Detects the kind of a file from its bytes; neither its name nor the declared content type is trusted.

use super::picture;
use bytes::Bytes;
use domain::{FileKind, FileProblem};
use sha2::{Digest, Sha256};
use std::io::Cursor;
use zip::ZipArchive;

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

fn detect_file_kind(bytes: &Bytes) -> Result<FileKind, FileProblem> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    let holds = |at: usize, what: &[u8]| bytes.get(at..at + what.len()) == Some(what);
    match () {
        () if bytes.is_empty() => Err(FileProblem::Empty),
        () if begins(b"\xff\xd8\xff") => Ok(FileKind::Jpeg),
        () if begins(b"\x89PNG\r\n\x1a\n") => Ok(FileKind::Png),
        () if begins(b"RIFF") && holds(8, b"WEBP") => Ok(FileKind::Webp),
        () if begins(b"%PDF-") => Ok(FileKind::Pdf),
        () if begins(b"PK\x03\x04") => detect_document_kind(bytes),
        () if holds(4, b"ftyp") && is_heic(bytes) => Err(FileProblem::Heic),
        () => Err(FileProblem::Unknown),
    }
}

/// The brands phones use for such pictures.
fn is_heic(bytes: &[u8]) -> bool {
    let brands = [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif"];
    bytes.get(8..12).is_some_and(|brand| brands.iter().any(|known| known[..] == *brand))
}

/// More parts than any document has: each is held in memory during the check.
const MOST_PARTS: u16 = 10_000;

/// A document is a ZIP archive whose list of parts tells its kind. Nothing is unpacked.
fn detect_document_kind(bytes: &Bytes) -> Result<FileKind, FileProblem> {
    if count_archive_parts(bytes).is_none_or(|parts| parts > MOST_PARTS) {
        return Err(FileProblem::Unknown);
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| FileProblem::Broken)?;
    let has = |name: &str| archive.index_for_name(name).is_some();
    // Bytes before the archive could be anything.
    if archive.offset() != 0 || !has("[Content_Types].xml") {
        return Err(FileProblem::Unknown);
    }
    let is_program = |name: &str| name.to_ascii_lowercase().ends_with("vbaproject.bin");
    if archive.file_names().any(|name| name.is_ok_and(|name| is_program(&name))) {
        return Err(FileProblem::Macros);
    }
    match () {
        () if has("word/document.xml") => Ok(FileKind::Docx),
        () if has("xl/workbook.xml") => Ok(FileKind::Xlsx),
        () => Err(FileProblem::Unknown),
    }
}

/// The number of parts according to the end record of the archive.
fn count_archive_parts(bytes: &[u8]) -> Option<u16> {
    const RECORD: usize = 22;
    let start = bytes.len().saturating_sub(RECORD + usize::from(u16::MAX));
    let at = bytes[start..].windows(4).rposition(|four| four == b"PK\x05\x06")? + start;
    let count = bytes.get(at + 10..at + 12)?;
    Some(u16::from_le_bytes([count[0], count[1]]))
}
