//! CSV for Brazilian spreadsheets: UTF-8 with a byte order mark, semicolons, decimal commas, local date format. Texts
//! never start a formula, and codes made of digits are not turned into numbers.

use super::cell_values::SpreadsheetCell;
use super::list_columns::ColumnHeading;
use ::csv::{Terminator, Writer, WriterBuilder};
use app::Error;
use domain::{Moment, TimeZone, display};

/// The byte order mark, by which a spreadsheet detects UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

pub fn encode_header(headings: &[ColumnHeading]) -> Result<Vec<u8>, Error> {
    let mut out = create_writer(MARK.to_vec());
    out.write_record(headings.iter().map(|heading| heading.title)).map_err(wrap_csv_error)?;
    finish_writer(out)
}

pub fn encode_rows(rows: &[Vec<SpreadsheetCell>], zone: &TimeZone) -> Result<Vec<u8>, Error> {
    let mut out = create_writer(Vec::with_capacity(rows.len() * 128));
    for row in rows {
        out.write_record(row.iter().map(|cell| format_cell(cell, zone))).map_err(wrap_csv_error)?;
    }
    finish_writer(out)
}

/// Encodes text rows, with the byte order mark if they start the file.
pub fn encode_text_rows(rows: &[Vec<String>], is_start: bool) -> Result<Vec<u8>, Error> {
    let mut out = create_writer(if is_start { MARK.to_vec() } else { Vec::new() });
    for row in rows {
        out.write_record(row.iter().map(|text| guard_text(text))).map_err(wrap_csv_error)?;
    }
    finish_writer(out)
}

fn create_writer(buffer: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new().delimiter(b';').terminator(Terminator::CRLF).from_writer(buffer)
}

fn finish_writer(out: Writer<Vec<u8>>) -> Result<Vec<u8>, Error> {
    out.into_inner().map_err(|error| Error::Defect(error.to_string()))
}

fn wrap_csv_error(error: ::csv::Error) -> Error {
    Error::Defect(error.to_string())
}

fn format_cell(cell: &SpreadsheetCell, zone: &TimeZone) -> String {
    match cell {
        SpreadsheetCell::Empty => String::new(),
        SpreadsheetCell::Text(text) => guard_text(text),
        SpreadsheetCell::Number(number) => number.to_string(),
        SpreadsheetCell::Money(money) => format!("{},{:02}", money.cents() / 100, money.cents() % 100),
        SpreadsheetCell::Day(day) => day.to_br(),
        SpreadsheetCell::Moment(at) => format_moment(*at, zone),
        SpreadsheetCell::Flag(flag) => wire::import_sheet::label_flag(*flag).to_owned(),
    }
}

/// Spreadsheets round longer numbers on display.
const LONGEST_NUMBER: usize = 11;

/// Prefixes an apostrophe to text that a spreadsheet would treat as a formula or change as a number.
fn guard_text(text: &str) -> String {
    if is_guard_needed(text) { format!("'{text}") } else { text.to_owned() }
}

/// Reverses `guard_text` when an exported file is imported again.
pub fn unguard_text(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| is_guard_needed(rest)).unwrap_or(text)
}

/// Characters that start a formula, including full-width and small forms and the minus sign, which some programs
/// normalize.
const FORMULA_SIGNS: &[char] =
    &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// Skipped before the check, because some programs trim a cell before they interpret it.
fn is_invisible_sign(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\0')
}

fn is_guard_needed(text: &str) -> bool {
    let is_formula = text.starts_with(FORMULA_SIGNS)
        || text.trim_start_matches(is_invisible_sign).starts_with(FORMULA_SIGNS);
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_formula || is_number && (text.starts_with('0') && text.len() > 1 || text.len() > LONGEST_NUMBER)
}

/// `14/11/2026 10:32:05`
fn format_moment(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    match (iso.get(..10), iso.get(11..19)) {
        (Some(day), Some(time)) => format!("{} {time}", display::format_day(day)),
        _ => iso,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::CellKind;
    use domain::{Date, Money};

    #[test]
    fn a_spreadsheet_takes_nothing_for_a_formula_and_changes_no_digits() {
        for text in [
            "=1+1",
            "+55",
            "-2",
            "@x",
            "\tx",
            "\rx",
            "＝1+1",
            "＋1",
            "－1",
            "＠SUM(1)",
            "﹦1+1",
            "−1",
            "\u{feff}=1",
            "0123",
            "123456789012",
        ] {
            assert_eq!(guard_text(text), format!("'{text}"));
            assert_eq!(unguard_text(&guard_text(text)), text);
        }
        for text in ["529.982.247-25", "(31) 98888-7777", "ABC1D23", "0", "12345", "a=b", ""] {
            assert_eq!(guard_text(text), text);
            assert_eq!(unguard_text(&format!("'{text}")), format!("'{text}"), "it was not put there by us");
        }
    }

    #[test]
    fn a_file_opens_right() {
        let heading = |title| ColumnHeading { name: "x", title, kind: CellKind::Text };
        let header = encode_header(&[heading("Nome"), heading("Preço")]).unwrap();
        assert_eq!(header, "\u{feff}Nome;Preço\r\n".as_bytes());
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let row = vec![
            SpreadsheetCell::Text("Zé; \"o bom\"\nda Silva".to_owned()),
            SpreadsheetCell::Money(Money::from_cents(123_405).unwrap()),
            SpreadsheetCell::Day(Date::new(2026, 11, 14).unwrap()),
            SpreadsheetCell::Moment(Moment::from_millis(1_794_663_125_000)),
            SpreadsheetCell::Flag(true),
            SpreadsheetCell::Number(7),
            SpreadsheetCell::Empty,
        ];
        assert_eq!(
            String::from_utf8(encode_rows(&[row], &zone).unwrap()).unwrap(),
            "\"Zé; \"\"o bom\"\"\nda Silva\";1234,05;14/11/2026;14/11/2026 10:32:05;Sim;7;\r\n"
        );
    }
}
