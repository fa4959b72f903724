//! XLSX: real dates and numbers, text that is never a formula, a frozen title row. Rows are written to a temporary file
//! as they come, so that memory use stays constant; a full sheet is followed by another one.

use super::cell_values::{CellKind, SpreadsheetCell};
use super::list_columns::ColumnHeading;
use app::Error;
use domain::{Date, Moment, TimeZone};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use wire::import_sheet::label_flag;

/// Rows that a sheet can hold below its titles.
const MOST_ROWS: u32 = 1_048_575;
/// Characters that a cell can hold.
const LONGEST_CELL: usize = 32_767;

pub struct WorkbookWriter {
    workbook: Workbook,
    title: &'static str,
    headings: Vec<ColumnHeading>,
    folder: PathBuf,
    /// Number of sheets, and rows on the last one.
    sheets: usize,
    rows: u32,
    most_rows: u32,
}

impl WorkbookWriter {
    pub fn new(
        title: &'static str,
        headings: &[ColumnHeading],
        folder: &Path,
        (now, zone): (Moment, &TimeZone),
    ) -> Result<WorkbookWriter, Error> {
        let mut workbook = Workbook::new();
        if let Some(now) = to_excel_datetime(now, zone) {
            workbook.set_properties(&DocProperties::new().set_creation_datetime(&now));
        }
        workbook.set_tempdir(folder).map_err(wrap_xlsx_error)?;
        let (headings, folder) = (headings.to_vec(), folder.to_owned());
        let mut book =
            WorkbookWriter { workbook, title, headings, folder, sheets: 0, rows: 0, most_rows: MOST_ROWS };
        book.add_sheet()?;
        Ok(book)
    }

    fn add_sheet(&mut self) -> Result<(), Error> {
        let bold = Format::new().set_bold();
        let sheet = self.workbook.add_worksheet_with_constant_memory().map_err(wrap_xlsx_error)?;
        self.sheets += 1;
        self.rows = 0;
        let set_up = |sheet: &mut rust_xlsxwriter::Worksheet| -> Result<(), XlsxError> {
            let name: String =
                self.title.chars().filter(|character| !"[]:*?/\\".contains(*character)).take(25).collect();
            sheet.set_name(if self.sheets == 1 { name } else { format!("{name} {}", self.sheets) })?;
            sheet.set_freeze_panes(1, 0)?;
            for (at, heading) in (0..).zip(&self.headings) {
                sheet.set_column_width(at, choose_column_width(heading.kind))?;
            }
            for (at, heading) in (0..).zip(&self.headings) {
                sheet.write_string_with_format(0, at, heading.title, &bold)?;
            }
            Ok(())
        };
        set_up(sheet).map_err(wrap_xlsx_error)
    }

    pub fn add_rows(&mut self, rows: &[Vec<SpreadsheetCell>], zone: &TimeZone) -> Result<(), Error> {
        let money = Format::new().set_num_format("#,##0.00");
        let day = Format::new().set_num_format("dd/mm/yyyy");
        let time = Format::new().set_num_format("dd/mm/yyyy hh:mm:ss");
        for row in rows {
            if self.rows == self.most_rows {
                self.add_sheet()?;
            }
            self.rows += 1;
            let line = self.rows;
            let sheet = self.workbook.worksheet_from_index(self.sheets - 1).map_err(wrap_xlsx_error)?;
            for (at, cell) in (0..).zip(row) {
                match cell {
                    SpreadsheetCell::Empty => continue,
                    SpreadsheetCell::Text(text) => sheet.write_string(line, at, truncate_text(text)),
                    #[allow(clippy::cast_precision_loss, reason = "a spreadsheet has no other numbers")]
                    SpreadsheetCell::Number(number) => sheet.write_number(line, at, *number as f64),
                    #[allow(clippy::cast_precision_loss, reason = "a spreadsheet has no other numbers")]
                    SpreadsheetCell::Money(amount) => {
                        sheet.write_number_with_format(line, at, amount.cents() as f64 / 100.0, &money)
                    }
                    SpreadsheetCell::Day(date) => match to_excel_date(*date) {
                        Some(on) => sheet.write_datetime_with_format(line, at, on, &day),
                        None => sheet.write_string(line, at, date.to_iso()),
                    },
                    SpreadsheetCell::Moment(moment) => match to_excel_datetime(*moment, zone) {
                        Some(on) => sheet.write_datetime_with_format(line, at, on, &time),
                        None => sheet.write_string(line, at, moment.to_offset_iso(zone)),
                    },
                    SpreadsheetCell::Flag(flag) => sheet.write_string(line, at, label_flag(*flag)),
                }
                .map_err(wrap_xlsx_error)?;
            }
        }
        Ok(())
    }

    /// Assembles the workbook in an unnamed temporary file, which is deleted when it is closed.
    pub fn finish(mut self) -> Result<File, Error> {
        let wrap_error = |error: std::io::Error| Error::Defect(error.to_string());
        let mut out =
            BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder).map_err(wrap_error)?);
        self.workbook.save_to_writer(&mut out).map_err(wrap_xlsx_error)?;
        out.flush().map_err(wrap_error)?;
        let mut file = out.into_inner().map_err(|error| Error::Defect(error.to_string()))?;
        file.seek(SeekFrom::Start(0)).map_err(wrap_error)?;
        Ok(file)
    }
}

const fn choose_column_width(kind: CellKind) -> f64 {
    match kind {
        CellKind::Text => 28.0,
        CellKind::Code | CellKind::Moment => 20.0,
        CellKind::Day | CellKind::Money => 13.0,
        CellKind::Number | CellKind::Flag => 10.0,
    }
}

fn truncate_text(text: &str) -> &str {
    text.char_indices().nth(LONGEST_CELL).map_or(text, |(end, _)| &text[..end])
}

/// `None` for dates that Excel cannot represent, such as those before 1900.
fn to_excel_date(date: Date) -> Option<ExcelDateTime> {
    let (month, day) = (u8::try_from(date.month()).ok()?, u8::try_from(date.day()).ok()?);
    ExcelDateTime::from_ymd(u16::try_from(date.year()).ok()?, month, day).ok()
}

fn to_excel_datetime(at: Moment, zone: &TimeZone) -> Option<ExcelDateTime> {
    let iso = at.to_offset_iso(zone);
    let mut time = iso.get(11..19)?.split(':');
    let (hour, minute, second) = (time.next()?, time.next()?, time.next()?);
    to_excel_date(at.date_in(zone))?
        .and_hms(hour.parse().ok()?, minute.parse().ok()?, second.parse::<f64>().ok()?)
        .ok()
}

fn wrap_xlsx_error(error: XlsxError) -> Error {
    Error::Defect(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Money;
    use std::io::Read;

    fn part(file: &mut File, name: &str) -> String {
        let mut zip = zip::ZipArchive::new(file).unwrap();
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn days_are_days_numbers_numbers_and_no_text_is_a_formula() {
        let heading = |title| ColumnHeading { name: "x", title, kind: CellKind::Text };
        let folder = tempfile::tempdir().unwrap();
        let headings = [heading("Nome"), heading("Dia"), heading("Valor")];
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let now = Moment::from_millis(1_794_663_125_000);
        let mut book = WorkbookWriter::new("Uma/lista", &headings, folder.path(), (now, &zone)).unwrap();
        book.most_rows = 2;
        let row = |text: &str| {
            vec![
                SpreadsheetCell::Text(text.to_owned()),
                SpreadsheetCell::Day(Date::new(2026, 11, 14).unwrap()),
                SpreadsheetCell::Money(Money::from_cents(12_345).unwrap()),
            ]
        };
        book.add_rows(&[row("=1+1"), row("007"), row("<b>&")], &zone).unwrap();
        let mut file = book.finish().unwrap();
        let first = part(&mut file, "xl/worksheets/sheet1.xml");
        assert!(first.contains("=1+1") && !first.contains("<f>"), "{first}");
        assert!(first.contains("<v>46340</v>") && first.contains("<v>123.45</v>"), "{first}");
        assert!(first.contains("state=\"frozen\""), "{first}");
        let second = part(&mut file, "xl/worksheets/sheet2.xml");
        assert!(second.contains("&lt;b&gt;&amp;") && !second.contains("007"), "{second}");
    }
}
