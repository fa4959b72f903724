//! One record of 240 columns.

use domain::{Date, fold_text};

pub(super) const COLUMNS: usize = 240;

/// Blank at first. Fields are given by their first and last column; what is put later replaces what is there.
pub(super) struct RecordLine([u8; COLUMNS]);

impl RecordLine {
    /// Bank, lot and kind of the record are at the beginning of all.
    pub fn new(bank: u16, lot: u64, kind: u64) -> RecordLine {
        let mut line = RecordLine([b' '; COLUMNS]);
        line.put_number(1, 3, bank.into());
        line.put_number(4, 7, lot);
        line.put_number(8, 8, kind);
        line
    }

    /// On the right, with zeros before it.
    pub fn put_digits(&mut self, first: usize, last: usize, digits: &str) {
        let field = &mut self.0[first - 1..last];
        field.fill(b'0');
        for (column, byte) in field.iter_mut().rev().zip(digits.bytes().rev()) {
            *column = byte;
        }
    }

    pub fn put_number(&mut self, first: usize, last: usize, number: u64) {
        self.put_digits(first, last, &number.to_string());
    }

    /// On the left, in upper case without accents. What does not fit is cut off.
    pub fn put_text(&mut self, first: usize, last: usize, text: &str) {
        let folded = fold_text(text);
        let is_plain = |byte: &u8| *byte == b' ' || byte.is_ascii_graphic();
        let mut plain: Vec<u8> = folded.bytes().filter(is_plain).skip_while(|byte| *byte == b' ').collect();
        // A letter that was left out may have stood between two blanks.
        plain.dedup_by(|next, last| *next == b' ' && *last == b' ');
        let field = &mut self.0[first - 1..last];
        field.fill(b' ');
        for (column, byte) in field.iter_mut().zip(plain) {
            *column = byte.to_ascii_uppercase();
        }
    }

    pub fn put_blanks(&mut self, first: usize, last: usize) {
        self.0[first - 1..last].fill(b' ');
    }

    /// A check digit, or a blank where there is none.
    pub fn put_check(&mut self, column: usize, check: Option<char>) {
        self.0[column - 1] = check.and_then(|check| u8::try_from(check).ok()).unwrap_or(b' ');
    }

    /// Eight columns: `DDMMAAAA`.
    pub fn put_date(&mut self, first: usize, date: Date) {
        let digits = format!("{:02}{:02}{:04}", date.day(), date.month(), date.year());
        self.put_digits(first, first + 7, &digits);
    }

    pub fn push_onto(&self, file: &mut Vec<u8>) {
        file.extend_from_slice(&self.0);
        file.extend_from_slice(b"\r\n");
    }
}
