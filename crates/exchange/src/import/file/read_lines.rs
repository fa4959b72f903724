//! Reads a file line by line, whatever its format.

use super::beginning::read_beginning;
use super::csv::read_csv;
use super::decode::detect_encoding;
use super::line_collector::{LineCollector, SpreadsheetLine};
use super::reading_watch::{ReadingLimits, ReadingWatch};
use super::workbook::read_workbook;
use domain::ImportProblem;
use std::fs::File;

/// The first bytes of every workbook.
const WORKBOOK_SIGNATURE: &[u8] = b"PK\x03\x04";

/// Passes every line to `handle_line`, the headers first, until it returns `false`.
pub fn read_lines(
    mut file: File,
    limits: ReadingLimits,
    mut handle_line: impl FnMut(SpreadsheetLine) -> bool,
) -> Result<(), ImportProblem> {
    let length = file.metadata().map_err(|_| ImportProblem::Damaged)?.len();
    let watch = ReadingWatch::new(limits, length);
    let mut lines =
        LineCollector { columns: None, narrow: Vec::new(), take: &mut handle_line, count: 0, watch };
    let head = read_beginning(&mut file, 8192)?;
    if head.starts_with(WORKBOOK_SIGNATURE) {
        read_workbook(file, &mut lines)?;
    } else {
        let encoding = detect_encoding(&mut file, &head)?;
        read_csv(file, encoding, &mut lines)?;
    }
    lines.finish()
}

/// Whether the file starts like a workbook.
pub fn is_workbook(file: &mut File) -> Result<bool, ImportProblem> {
    Ok(read_beginning(file, WORKBOOK_SIGNATURE.len())? == WORKBOOK_SIGNATURE)
}
