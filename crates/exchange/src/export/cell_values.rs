//! The cells of an exported list.

use domain::{Date, Moment, Money};

/// The value of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpreadsheetCell {
    Empty,
    Text(String),
    Number(i64),
    Money(Money),
    Day(Date),
    Moment(Moment),
    Flag(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Text,
    /// Digits that are not a number: a document, a phone number.
    Code,
    Number,
    Money,
    Day,
    Moment,
    Flag,
}

/// A text cell; `Empty` for an empty text.
pub(crate) fn make_text_cell(text: impl Into<String>) -> SpreadsheetCell {
    Some(text.into()).filter(|text| !text.is_empty()).map_or(SpreadsheetCell::Empty, SpreadsheetCell::Text)
}

pub(crate) fn make_optional_text_cell(text: Option<&str>) -> SpreadsheetCell {
    text.map_or(SpreadsheetCell::Empty, make_text_cell)
}

pub(crate) fn make_number_cell(number: impl Into<i64>) -> SpreadsheetCell {
    SpreadsheetCell::Number(number.into())
}

pub(crate) fn make_day_cell(day: Option<Date>) -> SpreadsheetCell {
    day.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Day)
}

pub(crate) fn make_moment_cell(at: Option<Moment>) -> SpreadsheetCell {
    at.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Moment)
}

pub(crate) fn make_money_cell(money: Option<Money>) -> SpreadsheetCell {
    money.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Money)
}
