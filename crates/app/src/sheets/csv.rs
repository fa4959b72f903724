//! CSV as a Brazilian spreadsheet opens it: UTF-8 with its mark, semicolons, decimal commas, days as people write them. No
//! text begins a formula, and digits that are no number stay as they are.

use super::{Cell, Heading};
use crate::Error;
use ::csv::{Terminator, Writer, WriterBuilder};
use domain::{Moment, TimeZone, shown};

/// By which a spreadsheet knows that it is UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

pub fn begin(headings: &[Heading]) -> Result<Vec<u8>, Error> {
    let mut out = writer(MARK.to_vec());
    out.write_record(headings.iter().map(|heading| heading.title)).map_err(broken)?;
    finish(out)
}

pub fn lines(rows: &[Vec<Cell>], zone: &TimeZone) -> Result<Vec<u8>, Error> {
    let mut out = writer(Vec::with_capacity(rows.len() * 128));
    for row in rows {
        out.write_record(row.iter().map(|cell| field(cell, zone))).map_err(broken)?;
    }
    finish(out)
}

/// Rows of texts, with its mark where they begin a file.
pub fn texts(rows: &[Vec<String>], begins: bool) -> Result<Vec<u8>, Error> {
    let mut out = writer(if begins { MARK.to_vec() } else { Vec::new() });
    for row in rows {
        out.write_record(row.iter().map(|text| guarded(text))).map_err(broken)?;
    }
    finish(out)
}

fn writer(begun: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new().delimiter(b';').terminator(Terminator::CRLF).from_writer(begun)
}

fn finish(out: Writer<Vec<u8>>) -> Result<Vec<u8>, Error> {
    out.into_inner().map_err(|error| Error::Text(error.to_string()))
}

fn broken(error: ::csv::Error) -> Error {
    Error::Text(error.to_string())
}

fn field(cell: &Cell, zone: &TimeZone) -> String {
    match cell {
        Cell::Nothing => String::new(),
        Cell::Text(text) => guarded(text),
        Cell::Number(number) => number.to_string(),
        Cell::Money(cents) => {
            let sign = if *cents < 0 { "-" } else { "" };
            format!("{sign}{},{:02}", (cents / 100).abs(), (cents % 100).abs())
        }
        Cell::Day(day) => shown::day(day),
        Cell::Moment(at) => moment(*at, zone),
        Cell::Flag(flag) => if *flag { "Sim" } else { "Não" }.to_owned(),
    }
}

/// A number longer than this is shown rounded by a spreadsheet.
const LONGEST_NUMBER: usize = 11;

/// An apostrophe before what a spreadsheet would take for a formula, or for a number that it would change.
fn guarded(text: &str) -> String {
    if is_changed(text) { format!("'{text}") } else { text.to_owned() }
}

/// The same back, of a file that comes in again.
pub fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| is_changed(rest)).unwrap_or(text)
}

/// What a spreadsheet takes for the beginning of a formula: also the full-width and small forms of its signs and the minus
/// sign, which some programs turn into the plain ones.
const FORMULA_SIGNS: &[char] =
    &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// Blanks and signs that nobody sees are passed over, as programs do that trim a cell before they look at it.
fn is_unseen(sign: char) -> bool {
    sign.is_whitespace()
        || matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\0')
}

fn is_changed(text: &str) -> bool {
    let is_formula =
        text.starts_with(FORMULA_SIGNS) || text.trim_start_matches(is_unseen).starts_with(FORMULA_SIGNS);
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_formula || is_number && (text.starts_with('0') && text.len() > 1 || text.len() > LONGEST_NUMBER)
}

/// `14/11/2026 10:32:05`
fn moment(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    match (iso.get(..10), iso.get(11..19)) {
        (Some(day), Some(time)) => format!("{} {time}", shown::day(day)),
        _ => iso,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

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
            assert_eq!(guarded(text), format!("'{text}"));
            assert_eq!(unguarded(&guarded(text)), text);
        }
        for text in ["529.982.247-25", "(31) 98888-7777", "ABC1D23", "0", "12345", "a=b", ""] {
            assert_eq!(guarded(text), text);
            assert_eq!(unguarded(&format!("'{text}")), format!("'{text}"), "it was not put there by us");
        }
    }

    #[test]
    fn a_file_opens_right() {
        let heading = |title| Heading { name: "x", title, kind: Kind::Text };
        let begun = begin(&[heading("Nome"), heading("Preço")]).unwrap();
        assert_eq!(begun, "\u{feff}Nome;Preço\r\n".as_bytes());
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let row = vec![
            Cell::Text("Zé; \"o bom\"\nda Silva".to_owned()),
            Cell::Money(-123_405),
            Cell::Day("2026-11-14".to_owned()),
            Cell::Moment(Moment::from_millis(1_794_663_125_000)),
            Cell::Flag(true),
            Cell::Number(7),
            Cell::Nothing,
        ];
        assert_eq!(
            String::from_utf8(lines(&[row], &zone).unwrap()).unwrap(),
            "\"Zé; \"\"o bom\"\"\nda Silva\";-1234,05;14/11/2026;14/11/2026 10:32:05;Sim;7;\r\n"
        );
    }
}
