//! A line of the file as a record, or what is wrong with it.

use app::members::dependents;
use app::sales::leads;
use app::{benefits, members, registers};
use storage::exchange::imports::line_problems::StoredLineProblem;

/// The record that a line describes.
#[derive(Clone, Debug)]
pub(super) enum ImportRecordDraft {
    Member(Box<members::import_rows::MemberImportRow>),
    Vehicle(Box<benefits::import_rows::VehicleBenefitRow>),
    Dependent(Box<dependents::import_rows::DependentImportRow>),
    Lead(Box<leads::import_rows::LeadImportRow>),
    Register(Box<registers::import_rows::RegisterImportRow>),
    Title(Box<finance::TitleImportRow>),
    OpeningBalance(Box<finance::OpeningBalanceRow>),
}

/// The parse result of a line.
#[derive(Clone, Debug)]
pub(super) struct ParsedImportRow {
    pub line: i32,
    /// `None` if a required field cannot be read.
    pub row: Option<ImportRecordDraft>,
    pub problems: Vec<StoredLineProblem>,
    /// Must be unique among the lines of the file.
    pub key: Option<String>,
}
