//! Lines of a return file, however it was stored on its way: with accents in UTF-8 or in one byte each, with
//! CRLF, LF or no line ends at all, with blanks cut off at the end of a line.

use super::record_line::COLUMNS;

/// The end of a text in DOS, which some banks still write.
const DOS_END: u8 = 0x1A;
const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// One byte a column; a letter that ASCII lacks is `?`, for no field that is read has one.
pub(super) fn read_columns(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let replace = |is_ascii: bool, byte: u8| if is_ascii { byte } else { b'?' };
    match std::str::from_utf8(bytes) {
        Ok(text) => text
            .chars()
            .map(|letter| u8::try_from(letter).map_or(b'?', |byte| replace(byte < 128, byte)))
            .collect(),
        Err(_) => bytes.iter().map(|byte| replace(byte.is_ascii(), *byte)).collect(),
    }
}

/// Lines that are not blank, with their number from 1. `None` for a line that is longer than 240 columns.
pub(super) fn split_lines(columns: &[u8]) -> Option<Vec<ReturnLine<'_>>> {
    let has_line_ends = columns.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    let lines: Vec<&[u8]> = if has_line_ends {
        columns.split(|byte| *byte == b'\n').collect()
    } else {
        columns.chunks(COLUMNS).collect()
    };
    let mut found = Vec::with_capacity(lines.len());
    for (number, line) in (1..).zip(lines) {
        let is_filler = |byte: &u8| byte.is_ascii_whitespace() || matches!(*byte, DOS_END | 0);
        let length = line.iter().rposition(|byte| !is_filler(byte)).map_or(0, |last| last + 1);
        if length > COLUMNS {
            return None;
        }
        if length > 0 {
            found.push(ReturnLine { number, text: &line[..length] });
        }
    }
    Some(found)
}

/// One record.
#[derive(Clone, Copy)]
pub(super) struct ReturnLine<'t> {
    pub number: usize,
    text: &'t [u8],
}

impl<'t> ReturnLine<'t> {
    /// The field without blanks around it.
    pub fn read_text(&self, first: usize, last: usize) -> &'t str {
        let last = last.min(self.text.len());
        let field = self.text.get(first - 1..last).unwrap_or_default();
        std::str::from_utf8(field).unwrap_or_default().trim()
    }

    /// 0 for a blank field, `None` for anything but digits.
    pub fn read_number(&self, first: usize, last: usize) -> Option<u64> {
        match self.read_text(first, last) {
            "" => Some(0),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        }
    }
}
