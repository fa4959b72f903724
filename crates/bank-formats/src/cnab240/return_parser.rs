//! Reads a return file: what the bank did with each slip. A file that is not whole is refused as a whole, because
//! missing payments would go unnoticed.

use super::movement_reasons::MovementReason;
use super::return_columns::{SlipOccurrence, TitleColumns, find_title_columns, read_our_number};
use super::return_text::{ReturnLine, read_columns, split_lines};
use crate::SlipBank;
use domain::{Date, Money};

/// Why bytes are no return file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnFileProblem {
    /// There is no header of a file of 240 columns.
    NotCnab240,
    /// The file is for the bank, not from it.
    NotReturn,
    /// The bank of this number is none of [`SlipBank::ALL`].
    UnknownBank(u16),
    /// There is no trailer: the file was cut off.
    Truncated,
    /// A segment T or U is without the other. Lines are counted from 1.
    UnpairedSegment { line: usize },
    /// The field that begins at this column is no number or no day.
    BadField { line: usize, column: usize },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnFile {
    pub bank: SlipBank,
    pub file_sequence: u32,
    pub made_on: Option<Date>,
    /// In the order of the file.
    pub movements: Vec<SlipMovement>,
}

/// A pair of segments T and U.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipMovement {
    /// The line of its segment T, from 1.
    pub line: usize,
    pub occurrence: SlipOccurrence,
    /// As [`crate::OurNumber::digits`] has it. It is empty or zero where the bank knows no slip.
    pub our_number: String,
    /// May be cut off; see [`super::RemittanceOrder::document_number`].
    pub document_number: String,
    pub due_on: Option<Date>,
    pub nominal: Money,
    pub paid: Money,
    /// What the bank credits: paid less what it keeps.
    pub credited: Money,
    pub fine_and_interest: Money,
    pub discount: Money,
    pub rebate: Money,
    pub tariff: Money,
    pub other_costs: Money,
    pub other_credits: Money,
    /// The day of the occurrence: of a settlement, the day on which the payer paid.
    pub event_on: Option<Date>,
    pub credited_on: Option<Date>,
    pub reasons: Vec<MovementReason>,
}

/// Bytes as they came from the bank. Records other than T and U are ignored.
pub fn parse_return_file(bytes: &[u8]) -> Result<ReturnFile, ReturnFileProblem> {
    let columns = read_columns(bytes);
    let lines = split_lines(&columns).ok_or(ReturnFileProblem::NotCnab240)?;
    let header = lines.first().ok_or(ReturnFileProblem::NotCnab240)?;
    let (bank, file_sequence) = read_header(header)?;
    if lines.last().is_none_or(|last| last.read_text(8, 8) != "9") {
        return Err(ReturnFileProblem::Truncated);
    }
    let made_on = read_date(header, 144)?;
    let movements = read_movements(bank, &lines)?;
    Ok(ReturnFile { bank, file_sequence, made_on, movements })
}

fn read_header(line: &ReturnLine<'_>) -> Result<(SlipBank, u32), ReturnFileProblem> {
    let number = line.read_number(1, 3).filter(|_| line.read_text(4, 8) == "00000");
    let number = number.and_then(|number| u16::try_from(number).ok()).ok_or(ReturnFileProblem::NotCnab240)?;
    match line.read_text(143, 143) {
        "2" => (),
        "1" => return Err(ReturnFileProblem::NotReturn),
        _ => return Err(ReturnFileProblem::NotCnab240),
    }
    let bank = SlipBank::from_number(number).ok_or(ReturnFileProblem::UnknownBank(number))?;
    let sequence = line.read_number(158, 163).and_then(|number| u32::try_from(number).ok());
    Ok((bank, sequence.ok_or(ReturnFileProblem::BadField { line: line.number, column: 158 })?))
}

fn read_movements(bank: SlipBank, lines: &[ReturnLine<'_>]) -> Result<Vec<SlipMovement>, ReturnFileProblem> {
    let columns = find_title_columns(bank);
    let mut movements = Vec::with_capacity(lines.len() / 2);
    let mut title: Option<&ReturnLine<'_>> = None;
    for line in lines {
        // Segments of one slip stand together; an optional one may follow them or come between them.
        match (line.read_text(8, 8), line.read_text(14, 14)) {
            ("3", "T") => {
                if let Some(alone) = title.replace(line) {
                    return Err(ReturnFileProblem::UnpairedSegment { line: alone.number });
                }
            }
            ("3", "U") => {
                let unpaired = ReturnFileProblem::UnpairedSegment { line: line.number };
                let title = title.take().ok_or(unpaired)?;
                movements.push(read_movement(bank, &columns, title, line)?);
            }
            _ => (),
        }
    }
    match title {
        Some(alone) => Err(ReturnFileProblem::UnpairedSegment { line: alone.number }),
        None => Ok(movements),
    }
}

fn read_movement(
    bank: SlipBank,
    columns: &TitleColumns,
    title: &ReturnLine<'_>,
    amounts: &ReturnLine<'_>,
) -> Result<SlipMovement, ReturnFileProblem> {
    let occurrence = read_occurrence(bank, title)?;
    let (first, last) = columns.document_number;
    Ok(SlipMovement {
        line: title.number,
        occurrence,
        our_number: read_our_number(bank, title),
        document_number: title.read_text(first, last).to_owned(),
        due_on: read_date(title, columns.due_on)?,
        nominal: read_money(title, columns.nominal)?,
        paid: read_money(amounts, 78)?,
        credited: read_money(amounts, 93)?,
        fine_and_interest: read_money(amounts, 18)?,
        discount: read_money(amounts, 33)?,
        rebate: read_money(amounts, 48)?,
        tariff: read_money(title, columns.tariff)?,
        other_costs: read_money(amounts, 108)?,
        other_credits: read_money(amounts, 123)?,
        event_on: read_date(amounts, 138)?,
        credited_on: read_date(amounts, 146)?,
        reasons: read_reasons(bank, occurrence, columns, title),
    })
}

fn read_occurrence(bank: SlipBank, title: &ReturnLine<'_>) -> Result<SlipOccurrence, ReturnFileProblem> {
    let code = title.read_number(16, 17).and_then(|code| u8::try_from(code).ok());
    let code = code.ok_or(ReturnFileProblem::BadField { line: title.number, column: 16 })?;
    Ok(SlipOccurrence::find(bank, code))
}

fn read_money(line: &ReturnLine<'_>, first: usize) -> Result<Money, ReturnFileProblem> {
    let cents = line.read_number(first, first + 14).and_then(|cents| i64::try_from(cents).ok());
    let amount = cents.and_then(Money::from_stored_cents);
    amount.ok_or(ReturnFileProblem::BadField { line: line.number, column: first })
}

/// Blanks and zeros are no day.
fn read_date(line: &ReturnLine<'_>, first: usize) -> Result<Option<Date>, ReturnFileProblem> {
    let problem = ReturnFileProblem::BadField { line: line.number, column: first };
    let number = line.read_number(first, first + 7).ok_or(problem)?;
    if number == 0 {
        return Ok(None);
    }
    let (day, month, year) = (number / 1_000_000, number / 10_000 % 100, number % 10_000);
    let read = || Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    read().map(Some).ok_or(problem)
}

/// Up to five codes of two characters; 00 stands for none.
fn read_reasons(
    bank: SlipBank,
    occurrence: SlipOccurrence,
    columns: &TitleColumns,
    title: &ReturnLine<'_>,
) -> Vec<MovementReason> {
    let (first, last) = columns.reasons;
    let codes = (first..last).step_by(2).map(|column| title.read_text(column, column + 1));
    let given = codes.filter(|code| !code.is_empty() && *code != "00");
    given.map(|code| MovementReason::find(bank, occurrence, code)).collect()
}
