//! Reads a spreadsheet file line by line: CSV in UTF-8, UTF-16 or Windows-1252, separated by semicolons, commas, tabs
//! or bars, and XLSX. Files are untrusted: their unpacked size, lines, columns and cell lengths are limited, and
//! formulas are never evaluated.

mod beginning;
mod csv;
mod decode;
pub(super) mod line_collector;
pub(super) mod read_lines;
pub(super) mod reading_watch;
mod workbook;

#[cfg(test)]
mod tests;
