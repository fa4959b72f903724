//! XLSX: real days and numbers, texts that are never formulas, the titles always in sight. Rows go to a file beside the
//! database as they come, so a million take no memory; a sheet that is full is followed by another.

use super::{Cell, Heading, Kind};
use crate::Error;
use domain::{Moment, TimeZone};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What a sheet holds beside its titles.
const MOST_ROWS: u32 = 1_048_575;
/// What a cell holds.
const LONGEST: usize = 32_767;

pub struct Book {
    workbook: Workbook,
    title: &'static str,
    headings: Vec<Heading>,
    folder: PathBuf,
    /// Sheets so far, and rows on the last.
    sheets: usize,
    rows: u32,
    most_rows: u32,
}

impl Book {
    pub fn new(
        title: &'static str,
        headings: &[Heading],
        folder: &Path,
        (now, zone): (Moment, &TimeZone),
    ) -> Result<Book, Error> {
        let mut workbook = Workbook::new();
        if let Some(now) = excel_time(now, zone) {
            workbook.set_properties(&DocProperties::new().set_creation_datetime(&now));
        }
        workbook.set_tempdir(folder).map_err(broken)?;
        let (headings, folder) = (headings.to_vec(), folder.to_owned());
        let mut book = Book { workbook, title, headings, folder, sheets: 0, rows: 0, most_rows: MOST_ROWS };
        book.add_sheet()?;
        Ok(book)
    }

    fn add_sheet(&mut self) -> Result<(), Error> {
        let bold = Format::new().set_bold();
        let sheet = self.workbook.add_worksheet_with_constant_memory().map_err(broken)?;
        self.sheets += 1;
        self.rows = 0;
        let begun = |sheet: &mut rust_xlsxwriter::Worksheet| -> Result<(), XlsxError> {
            let name: String =
                self.title.chars().filter(|sign| !"[]:*?/\\".contains(*sign)).take(25).collect();
            sheet.set_name(if self.sheets == 1 { name } else { format!("{name} {}", self.sheets) })?;
            sheet.set_freeze_panes(1, 0)?;
            for (at, heading) in (0..).zip(&self.headings) {
                sheet.set_column_width(at, width(heading.kind))?;
            }
            for (at, heading) in (0..).zip(&self.headings) {
                sheet.write_string_with_format(0, at, heading.title, &bold)?;
            }
            Ok(())
        };
        begun(sheet).map_err(broken)
    }

    pub fn add(&mut self, rows: &[Vec<Cell>], zone: &TimeZone) -> Result<(), Error> {
        let money = Format::new().set_num_format("#,##0.00");
        let day = Format::new().set_num_format("dd/mm/yyyy");
        let time = Format::new().set_num_format("dd/mm/yyyy hh:mm:ss");
        for row in rows {
            if self.rows == self.most_rows {
                self.add_sheet()?;
            }
            self.rows += 1;
            let line = self.rows;
            let sheet = self.workbook.worksheet_from_index(self.sheets - 1).map_err(broken)?;
            for (at, cell) in (0..).zip(row) {
                match cell {
                    Cell::Nothing => continue,
                    Cell::Text(text) => sheet.write_string(line, at, cut(text)),
                    #[allow(clippy::cast_precision_loss, reason = "a spreadsheet has no other numbers")]
                    Cell::Number(number) => sheet.write_number(line, at, *number as f64),
                    #[allow(clippy::cast_precision_loss, reason = "a spreadsheet has no other numbers")]
                    Cell::Money(cents) => {
                        sheet.write_number_with_format(line, at, *cents as f64 / 100.0, &money)
                    }
                    Cell::Day(text) => match excel_day(text) {
                        Some(on) => sheet.write_datetime_with_format(line, at, on, &day),
                        None => sheet.write_string(line, at, cut(text)),
                    },
                    Cell::Moment(moment) => match excel_time(*moment, zone) {
                        Some(on) => sheet.write_datetime_with_format(line, at, on, &time),
                        None => sheet.write_string(line, at, moment.to_offset_iso(zone)),
                    },
                    Cell::Flag(flag) => sheet.write_string(line, at, if *flag { "Sim" } else { "Não" }),
                }
                .map_err(broken)?;
            }
        }
        Ok(())
    }

    /// Puts it together; the file that it gives has no name and goes when it is let go of.
    pub fn finish(mut self) -> Result<File, Error> {
        let lost = |error: std::io::Error| Error::Text(error.to_string());
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder).map_err(lost)?);
        self.workbook.save_to_writer(&mut out).map_err(broken)?;
        out.flush().map_err(lost)?;
        let mut file = out.into_inner().map_err(|error| Error::Text(error.to_string()))?;
        file.seek(SeekFrom::Start(0)).map_err(lost)?;
        Ok(file)
    }
}

const fn width(kind: Kind) -> f64 {
    match kind {
        Kind::Text => 28.0,
        Kind::Code | Kind::Moment => 20.0,
        Kind::Day | Kind::Money => 13.0,
        Kind::Number | Kind::Flag => 10.0,
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end])
}

/// Spreadsheets count from 1900.
fn excel_day(text: &str) -> Option<ExcelDateTime> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    ExcelDateTime::from_ymd(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

fn excel_time(at: Moment, zone: &TimeZone) -> Option<ExcelDateTime> {
    let iso = at.to_offset_iso(zone);
    let mut time = iso.get(11..19)?.split(':');
    let (hour, minute, second) = (time.next()?, time.next()?, time.next()?);
    excel_day(iso.get(..10)?)?
        .and_hms(hour.parse().ok()?, minute.parse().ok()?, second.parse::<f64>().ok()?)
        .ok()
}

fn broken(error: XlsxError) -> Error {
    Error::Text(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn part(file: &mut File, name: &str) -> String {
        let mut zip = zip::ZipArchive::new(file).unwrap();
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn days_are_days_numbers_numbers_and_no_text_is_a_formula() {
        let heading = |title| Heading { name: "x", title, kind: Kind::Text };
        let folder = tempfile::tempdir().unwrap();
        let headings = [heading("Nome"), heading("Dia"), heading("Valor")];
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let now = Moment::from_millis(1_794_663_125_000);
        let mut book = Book::new("Uma/lista", &headings, folder.path(), (now, &zone)).unwrap();
        book.most_rows = 2;
        let row = |text: &str| {
            vec![Cell::Text(text.to_owned()), Cell::Day("2026-11-14".to_owned()), Cell::Money(12_345)]
        };
        book.add(&[row("=1+1"), row("007"), row("<b>&")], &zone).unwrap();
        let mut file = book.finish().unwrap();
        let first = part(&mut file, "xl/worksheets/sheet1.xml");
        assert!(first.contains("=1+1") && !first.contains("<f>"), "{first}");
        assert!(first.contains("<v>46340</v>") && first.contains("<v>123.45</v>"), "{first}");
        assert!(first.contains("state=\"frozen\""), "{first}");
        let second = part(&mut file, "xl/worksheets/sheet2.xml");
        assert!(second.contains("&lt;b&gt;&amp;") && !second.contains("007"), "{second}");
    }
}
