//! Reads a spreadsheet file line by line: CSV in UTF-8, UTF-16 or Windows-1252, separated by semicolons, commas, tabs
//! or bars, and XLSX. Files are untrusted: their unpacked size, lines, columns and cell lengths are limited, and
//! formulas are never evaluated.

mod beginning;
mod csv;
mod decode;
mod line_collector;
mod read_lines;
mod watch;
mod workbook;

pub use line_collector::{MOST_LINES, SpreadsheetLine};
pub use read_lines::{is_workbook, read_lines};
pub use watch::ReadingLimits;

#[cfg(test)]
mod tests;
