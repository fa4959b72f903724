//! Reads the first sheet of a workbook that people see, cell by cell.

use super::{Lines, MOST_COLUMNS};
use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx};
use domain::{Date, ImportProblem};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, copy, sink};
use wire::sheet::day_of_serial;

/// What a workbook may unpack to, and what of it the texts that are held in memory.
const MOST_UNPACKED: u64 = 768 * 1024 * 1024;
const MOST_TEXTS: u64 = 192 * 1024 * 1024;
const MOST_PARTS: usize = 5000;
/// Between its two ways of counting days a workbook may choose; they are this far apart.
const EPOCHS: f64 = 1462.0;

pub fn read(mut file: File, lines: &mut Lines<'_>) -> Result<(), ImportProblem> {
    refuse_bombs(&mut file)?;
    file.seek(SeekFrom::Start(0)).map_err(|_| ImportProblem::Damaged)?;
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(|_| ImportProblem::Damaged)?;
    let shift = if book.has_1904_epoch() { EPOCHS } else { 0.0 };
    let seen = |sheet: &&calamine::Sheet| {
        sheet.visible == SheetVisible::Visible && sheet.typ == SheetType::WorkSheet
    };
    let names: Vec<String> =
        book.sheets_metadata().iter().filter(seen).map(|sheet| sheet.name.clone()).collect();
    for name in names {
        let mut cells = book.worksheet_cells_reader(&name).map_err(|_| ImportProblem::Damaged)?;
        let (mut row, mut line): (u32, Vec<String>) = (0, Vec::new());
        let mut any = false;
        while let Some(cell) = cells.next_cell().map_err(|_| ImportProblem::Damaged)? {
            let text = text(cell.get_value(), shift);
            if text.is_empty() {
                continue;
            }
            let (at, column) = cell.get_position();
            if at != row {
                if !lines.line(row + 1, std::mem::take(&mut line))? {
                    return Ok(());
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
            any = true;
        }
        lines.line(row + 1, line)?;
        // The first sheet with something in it is the one that is meant.
        if any {
            return Ok(());
        }
    }
    Ok(())
}

/// Unpacks everything for nothing first, and stops where it is more than any sheet: sizes that a file tells of itself are
/// not believed.
fn refuse_bombs(file: &mut File) -> Result<(), ImportProblem> {
    let mut archive = zip::ZipArchive::new(file).map_err(|_| ImportProblem::Damaged)?;
    if archive.len() > MOST_PARTS {
        return Err(ImportProblem::UnpacksTooLarge);
    }
    let (mut unpacked, mut is_book) = (0, false);
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(|_| ImportProblem::Damaged)?;
        let name = part.name().map_err(|_| ImportProblem::Damaged)?.to_ascii_lowercase();
        is_book |= name == "[content_types].xml";
        let most = if name.ends_with("sharedstrings.xml") { MOST_TEXTS } else { MOST_UNPACKED };
        let size = copy(&mut part.take(most + 1), &mut sink()).map_err(|_| ImportProblem::Damaged)?;
        unpacked += size;
        if size > most || unpacked > MOST_UNPACKED {
            return Err(ImportProblem::UnpacksTooLarge);
        }
    }
    if is_book { Ok(()) } else { Err(ImportProblem::UnknownFormat) }
}

/// What people see in the cell, as far as it matters here.
fn text(value: &DataRef<'_>, shift: f64) -> String {
    match value {
        DataRef::Empty | DataRef::Error(_) | DataRef::DurationIso(_) => String::new(),
        DataRef::String(text) => text.trim().to_owned(),
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::DateTimeIso(text) => text.clone(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => float(*number),
        DataRef::Bool(flag) => if *flag { "sim" } else { "não" }.to_owned(),
        DataRef::DateTime(when) => {
            let days = when.as_f64() + shift;
            let day = day_of_serial(days.floor() as i64).filter(|_| days >= 1.0);
            day.map_or_else(|| float(when.as_f64()), Date::to_br)
        }
    }
}

/// A whole number without decimals, as long as a sheet knows it exactly.
fn float(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        number.to_string().replace('.', ",")
    }
}
