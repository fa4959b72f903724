//! Reads the first visible, non-empty sheet of a workbook, cell by cell.

use super::line_collector::{LineCollector, MOST_COLUMNS};
use super::reading_watch::{ReadingWatch, WatchedFile};
use crate::export::csv::unguard_text;
use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx};
use domain::{Date, ImportProblem};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;
use wire::import_sheet::convert_serial_day;

/// Limits of the unpacked size: in total, of the shared strings, which are held in memory, and of any other part that
/// is not a sheet.
const MOST_UNPACKED: u64 = 768 * 1024 * 1024;
const MOST_TEXTS: u64 = 192 * 1024 * 1024;
const MOST_OTHERS: u64 = 32 * 1024 * 1024;
/// Limits of the number of shared strings, of the bytes between two tags, and of a cell with its tags.
const MOST_SHARED_STRINGS: usize = 4_000_000;
const LONGEST_RUN: usize = 256 * 1024;
const LONGEST_CELL: usize = 16 * 1024 * 1024;
const MOST_PARTS: usize = 5000;
/// Maximum sheets listed in a workbook.
const MOST_SHEETS: usize = 200;
/// The timeout is checked after this many cells.
const CELLS_BETWEEN_CHECKS: usize = 256;
/// Difference in days between the two date systems of workbooks (1900 and 1904).
const DAYS_BETWEEN_EPOCHS: f64 = 1462.0;

pub fn read_workbook(file: File, lines: &mut LineCollector<'_>) -> Result<(), ImportProblem> {
    let watch = Rc::clone(&lines.watch);
    let mut file = WatchedFile { file, watch: Rc::clone(&watch) };
    refuse_bombs(&mut file)?;
    file.seek(SeekFrom::Start(0)).map_err(|_| watch.take_problem())?;
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(|_| watch.take_problem())?;
    let shift = if book.has_1904_epoch() { DAYS_BETWEEN_EPOCHS } else { 0.0 };
    if book.sheets_metadata().len() > MOST_SHEETS {
        return Err(ImportProblem::TooManySheets(MOST_SHEETS));
    }
    let is_visible = |sheet: &&calamine::Sheet| {
        sheet.visible == SheetVisible::Visible && sheet.typ == SheetType::WorkSheet
    };
    let names: Vec<String> =
        book.sheets_metadata().iter().filter(is_visible).map(|sheet| sheet.name.clone()).collect();
    for name in names {
        // The first non-empty sheet is the one to import.
        if !read_sheet(&mut book, &name, shift, lines, &watch)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads one sheet; returns whether it was empty, so that the next one must be read.
fn read_sheet(
    book: &mut Xlsx<BufReader<WatchedFile>>,
    name: &str,
    shift: f64,
    lines: &mut LineCollector<'_>,
    watch: &ReadingWatch,
) -> Result<bool, ImportProblem> {
    let mut cells = book.worksheet_cells_reader(name).map_err(|_| watch.take_problem())?;
    // Thousands of entries may refer to one part, and each would cost as much as the first.
    watch.forbid_part(watch.part_position());
    let (mut row, mut line): (u32, Vec<String>) = (0, Vec::new());
    let (mut is_empty, mut count) = (true, 0_usize);
    while let Some(cell) = cells.next_cell().map_err(|_| watch.take_problem())? {
        count += 1;
        if count.is_multiple_of(CELLS_BETWEEN_CHECKS) {
            watch.check()?;
        }
        let text = format_cell(cell.get_value(), shift);
        if text.is_empty() {
            continue;
        }
        let (at, column) = cell.get_position();
        if at != row {
            if !lines.push_line(row + 1, std::mem::take(&mut line))? {
                return Ok(false);
            }
            row = at;
        }
        let column = column as usize;
        if column >= MOST_COLUMNS {
            return Err(ImportProblem::TooManyColumns(MOST_COLUMNS));
        }
        if line.len() <= column {
            line.resize(column + 1, String::new());
        }
        line[column] = text;
        is_empty = false;
    }
    lines.push_line(row + 1, line)?;
    Ok(is_empty)
}

/// Unpacks everything once without keeping it and stops at the limits: sizes declared in the file are not trusted.
fn refuse_bombs(file: &mut WatchedFile) -> Result<(), ImportProblem> {
    let watch = Rc::clone(&file.watch);
    let mut archive = zip::ZipArchive::new(file).map_err(|_| watch.take_problem())?;
    if archive.len() > MOST_PARTS {
        return Err(ImportProblem::UnpacksTooLarge);
    }
    let (mut unpacked, mut is_book) = (0, false);
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(|_| watch.take_problem())?;
        let name = part.name().map_err(|_| ImportProblem::Damaged)?.to_ascii_lowercase();
        is_book |= name == "[content_types].xml";
        let most = match name.as_str() {
            name if name.ends_with("sharedstrings.xml") => MOST_TEXTS,
            name if name.contains("worksheets/") => MOST_UNPACKED,
            _ => MOST_OTHERS,
        };
        // Images are not parsed.
        let mut tags = name.ends_with(".xml").then(XmlSizeGuard::default);
        let mut part = part.take(most + 1);
        let mut buffer = vec![0; 64 * 1024];
        let mut size = 0;
        loop {
            watch.check()?;
            let read = part.read(&mut buffer).map_err(|_| watch.take_problem())?;
            size += read as u64;
            if size > most || tags.as_mut().is_some_and(|tags| !tags.accept_bytes(&buffer[..read])) {
                return Err(ImportProblem::UnpacksTooLarge);
            }
            if read == 0 {
                break;
            }
        }
        unpacked += size;
        if unpacked > MOST_UNPACKED {
            return Err(ImportProblem::UnpacksTooLarge);
        }
    }
    if is_book { Ok(()) } else { Err(ImportProblem::UnknownFormat) }
}

const CELL: (usize, u32) = (1, u32::from_be_bytes(*b"\0\0\0c"));
const ROW: (usize, u32) = (3, u32::from_be_bytes(*b"\0row"));
const TEXT: (usize, u32) = (2, u32::from_be_bytes(*b"\0\0si"));

/// Counts what an XML reader of the part would hold in memory.
#[derive(Default)]
struct XmlSizeGuard {
    /// Bytes since the last tag, and since the last cell or string, began.
    run: usize,
    cell: usize,
    texts: usize,
    /// The local name of the current tag: its length and its last bytes.
    name: Option<(usize, u32)>,
}

impl XmlSizeGuard {
    /// `false` if a limit is exceeded.
    fn accept_bytes(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            self.run += 1;
            self.cell += 1;
            match (byte, &mut self.name) {
                (b'<', _) => {
                    if self.run > LONGEST_RUN {
                        return false;
                    }
                    self.run = 0;
                    self.name = Some((0, 0));
                }
                (b':', Some(name)) => *name = (0, 0),
                (b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n', Some(name)) => {
                    match *name {
                        CELL | ROW => self.cell = 0,
                        TEXT => (self.cell, self.texts) = (0, self.texts + 1),
                        _ => {}
                    }
                    self.name = None;
                }
                (byte, Some((length, last))) => {
                    (*length, *last) = (*length + 1, (*last << 8) | u32::from(*byte));
                }
                (_, None) => {}
            }
        }
        self.run <= LONGEST_RUN && self.cell <= LONGEST_CELL && self.texts <= MOST_SHARED_STRINGS
    }
}

/// The displayed text of the cell, as far as it is relevant for an import.
fn format_cell(value: &DataRef<'_>, shift: f64) -> String {
    match value {
        DataRef::Empty | DataRef::Error(_) | DataRef::DurationIso(_) => String::new(),
        // An exported file that was edited and saved as a workbook.
        DataRef::String(text) => unguard_text(text.trim()).to_owned(),
        DataRef::SharedString(text) => unguard_text(text.trim()).to_owned(),
        DataRef::DateTimeIso(text) => text.clone(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => format_float(*number),
        DataRef::Bool(flag) => wire::set_names::flag(*flag).to_owned(),
        DataRef::DateTime(when) => {
            let days = when.as_f64() + shift;
            let day = convert_serial_day(days.floor() as i64).filter(|_| days >= 1.0);
            day.map_or_else(|| format_float(when.as_f64()), Date::to_br)
        }
    }
}

/// Integers without decimals, as long as a float represents them exactly.
fn format_float(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        // Spreadsheets show 15 digits; beyond them 3.3 is 3.3000000000000003.
        let rounded = format!("{number:.14e}").parse().unwrap_or(number);
        rounded.to_string().replace('.', ",")
    }
}
