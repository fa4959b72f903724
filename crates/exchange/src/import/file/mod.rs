//! Reads a spreadsheet file line by line: CSV in UTF-8, UTF-16 or Windows-1252, separated by semicolons, commas, tabs
//! or bars, and XLSX. Files are untrusted: their unpacked size, lines, columns and cell lengths are limited, and
//! formulas are never evaluated.

mod decode;
mod watch;
mod workbook;

pub use watch::ReadingLimits;

use crate::export::csv::unguard_text;
use decode::{DecodingReader, TextEncoding};
use domain::ImportProblem;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::rc::Rc;
use watch::ReadingWatch;

/// Larger files must be split.
pub const MOST_LINES: u32 = 500_000;
/// The first bytes of every workbook.
const ARCHIVE: &[u8] = b"PK\x03\x04";
const MOST_COLUMNS: usize = 200;
/// Longer than any note.
const LONGEST_CELL: usize = 4000;
/// The header row is searched in this many lines, because sheets may have titles above it.
const TITLES: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpreadsheetLine {
    Headers(Vec<String>),
    /// The line number in the file, and one cell per header.
    Cells(u32, Vec<String>),
}

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
    if head.starts_with(ARCHIVE) {
        workbook::read_workbook(file, &mut lines)?;
    } else {
        let encoding = decode::detect_encoding(&mut file, &head)?;
        read_csv(file, encoding, &mut lines)?;
    }
    lines.finish()
}

/// Whether the file starts like a workbook.
pub fn is_workbook(file: &mut File) -> Result<bool, ImportProblem> {
    Ok(read_beginning(file, ARCHIVE.len())? == ARCHIVE)
}

fn read_beginning(file: &mut File, most: usize) -> Result<Vec<u8>, ImportProblem> {
    let mut head = vec![0; most];
    let length = fill_buffer(file, &mut head)?;
    head.truncate(length);
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    Ok(head)
}

fn fill_buffer(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ImportProblem> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(_) => return Err(ImportProblem::Damaged),
        }
    }
    Ok(length)
}

fn read_csv(
    mut file: File,
    encoding: TextEncoding,
    lines: &mut LineCollector<'_>,
) -> Result<(), ImportProblem> {
    let mut sample = vec![0; 64 * 1024];
    let length = fill_buffer(&mut DecodingReader::new(&mut file, encoding), &mut sample)?;
    sample.truncate(length);
    let (separator, skipped) = detect_separator(&String::from_utf8_lossy(&sample));
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(NewlineNormalizer::new(DecodingReader::new(&mut file, encoding)).chain(&b"\n"[..]));
    let mut record = csv::StringRecord::new();
    // Rows are counted as a spreadsheet does: empty ones too, and a row with line breaks in its cells once.
    let mut line_breaks = 0;
    while reader.read_record(&mut record).map_err(|_| ImportProblem::Damaged)? {
        lines.watch.check()?;
        line_breaks +=
            record.iter().map(|cell| cell.bytes().filter(|byte| *byte == b'\n').count() as u64).sum::<u64>();
        let number =
            u32::try_from(reader.position().line().saturating_sub(1 + line_breaks)).unwrap_or(u32::MAX);
        if number <= skipped {
            continue;
        }
        let cells = record.iter().map(|cell| unguard_text(cell.trim()).to_owned()).collect();
        if !lines.push_line(number, cells)? {
            break;
        }
    }
    Ok(())
}

/// Normalizes line endings.
struct NewlineNormalizer<R> {
    inner: R,
    /// The last byte was a carriage return.
    half: bool,
}

impl<R: Read> NewlineNormalizer<R> {
    fn new(inner: R) -> NewlineNormalizer<R> {
        NewlineNormalizer { inner, half: false }
    }
}

impl<R: Read> Read for NewlineNormalizer<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let read = self.inner.read(out)?;
            let mut filled = 0;
            for at in 0..read {
                let byte = out[at];
                let is_rest = byte == b'\n' && self.half;
                self.half = byte == b'\r';
                if !is_rest {
                    out[filled] = if self.half { b'\n' } else { byte };
                    filled += 1;
                }
            }
            if filled > 0 || read == 0 {
                return Ok(filled);
            }
        }
    }
}

/// The separator, and how many lines only declare it (`sep=`).
fn detect_separator(sample: &str) -> (u8, u32) {
    let mut texts = sample.lines().filter(|line| !line.trim().is_empty());
    let first = texts.next().unwrap_or_default();
    if let Some(declared) = first.to_ascii_lowercase().strip_prefix("sep=")
        && let [byte] = declared.trim_end_matches('\r').as_bytes()[..]
    {
        return (byte, 1);
    }
    let find_separator = |line: &str| {
        let count = |separator: u8| {
            let mut quoted = false;
            let signs = line.bytes().filter(|byte| {
                quoted ^= *byte == b'"';
                !quoted && *byte == separator
            });
            signs.count()
        };
        // On a tie, the separator that Brazilian spreadsheets write.
        [b'|', b',', b'\t', b';']
            .into_iter()
            .map(|separator| (count(separator), separator))
            .max_by_key(|(count, _)| *count)
    };
    // A title above the header row contains no separator.
    let found = std::iter::once(first)
        .chain(texts.take(TITLES))
        .filter_map(find_separator)
        .max_by_key(|(count, _)| *count);
    match found {
        Some((count, separator)) if count > 0 => (separator, 0),
        _ => (b';', 0),
    }
}

/// The reading state of a file.
struct LineCollector<'t> {
    columns: Option<usize>,
    /// Lines with one cell before the header row: titles, unless no wider line follows.
    narrow: Vec<(u32, Vec<String>)>,
    take: &'t mut dyn FnMut(SpreadsheetLine) -> bool,
    count: u32,
    watch: Rc<ReadingWatch>,
}

impl LineCollector<'_> {
    /// Adds a line; `false` if no more lines are needed.
    fn push_line(&mut self, number: u32, mut cells: Vec<String>) -> Result<bool, ImportProblem> {
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.is_empty() {
            return Ok(true);
        }
        if cells.len() > MOST_COLUMNS {
            return Err(ImportProblem::TooManyColumns(MOST_COLUMNS));
        }
        if cells.iter().any(|cell| cell.len() > LONGEST_CELL && cell.chars().count() > LONGEST_CELL) {
            return Err(ImportProblem::CellTooLong { row: number, longest: LONGEST_CELL });
        }
        if self.columns.is_some() {
            return self.push_cells(number, cells);
        }
        if cells.iter().filter(|cell| !cell.is_empty()).count() > 1 {
            self.narrow.clear();
            return Ok(self.set_headers(cells));
        }
        if self.narrow.len() < TITLES {
            self.narrow.push((number, cells));
            return Ok(true);
        }
        self.flush_narrow_lines()?;
        self.push_cells(number, cells)
    }

    /// No wider line came: the file has one column.
    fn flush_narrow_lines(&mut self) -> Result<(), ImportProblem> {
        let mut narrow = std::mem::take(&mut self.narrow).into_iter();
        if let Some((_, names)) = narrow.next() {
            self.set_headers(names);
        }
        for (number, cells) in narrow {
            self.push_cells(number, cells)?;
        }
        Ok(())
    }

    fn set_headers(&mut self, cells: Vec<String>) -> bool {
        let mut names: Vec<String> = Vec::with_capacity(cells.len());
        for (at, cell) in (1..).zip(cells) {
            let name = if cell.is_empty() { format!("Coluna {at}") } else { cell };
            let mut unique_name = name.clone();
            let mut number = 2;
            while names.contains(&unique_name) {
                unique_name = format!("{name} ({number})");
                number += 1;
            }
            names.push(unique_name);
        }
        self.columns = Some(names.len());
        self.emit_line(SpreadsheetLine::Headers(names))
    }

    fn push_cells(&mut self, number: u32, mut cells: Vec<String>) -> Result<bool, ImportProblem> {
        // Cells to the right of the last header belong to no column.
        cells.resize(self.columns.unwrap_or_default(), String::new());
        if cells.iter().all(String::is_empty) {
            return Ok(true);
        }
        self.count += 1;
        if self.count > MOST_LINES {
            return Err(ImportProblem::TooManyRows(MOST_LINES));
        }
        Ok(self.emit_line(SpreadsheetLine::Cells(number, cells)))
    }

    /// The consumer may be slow: its time does not count towards the reading limit.
    fn emit_line(&mut self, line: SpreadsheetLine) -> bool {
        self.watch.run_untimed(|| (self.take)(line))
    }

    fn finish(mut self) -> Result<(), ImportProblem> {
        if self.columns.is_none() {
            self.flush_narrow_lines()?;
        }
        if self.count == 0 { Err(ImportProblem::Empty) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
