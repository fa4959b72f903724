//! Which files may be attached, detected from their bytes; neither the name nor the declared content type is trusted.

use bytes::Bytes;
use domain::{FileKind, FileProblem};
use std::io::Cursor;
use zip::ZipArchive;

pub fn detect_file_kind(bytes: &Bytes) -> Result<FileKind, FileProblem> {
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
