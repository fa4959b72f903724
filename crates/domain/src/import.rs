//! The problems of an import file and of an import request.

/// Why a file is refused, or an import cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportProblem {
    /// The size limit in MiB.
    TooLarge(u64),
    /// Neither a CSV nor an XLSX file.
    UnknownFormat,
    /// A workbook that cannot be opened: truncated, damaged or password-protected.
    Damaged,
    /// It unpacks to more than any real spreadsheet.
    UnpacksTooLarge,
    /// A workbook with more sheets than this limit.
    TooManySheets(usize),
    /// A workbook that lists a sheet more than once.
    RepeatedSheet,
    /// Reading it takes longer than any real spreadsheet.
    TooSlow,
    /// No header row, or no rows below it.
    Empty,
    TooManyRows(u32),
    TooManyColumns(usize),
    CellTooLong {
        row: u32,
        longest: usize,
    },
    UnknownColumn(String),
    /// A field that this kind of record does not have.
    UnknownField(String),
    /// Two columns mapped to one field.
    FieldTwice(String),
    /// The benefit of a dependent cannot be determined: no key, no match or several matches.
    BenefitUnnamed,
    NoBenefit,
    ManyBenefits,
    /// Several records have this name or document.
    ManyRecords,
    /// This other line of the file already refers to the same record.
    SameRecord(i32),
    /// This other line of the file already decides the same price.
    OverlappingLine(i32),
    /// Required fields without a column.
    NotMapped(Vec<&'static str>),
    // Conflicts with the current state.
    /// The tenant already has this many files being read.
    TooManyReading(usize),
    /// The import is in a state that does not allow the request.
    WrongState(ImportStateConflict),
    /// The period in which an import can be undone is over.
    TooLate,
    /// The line cannot be written, for a reason that is no rule.
    LineFailed,
    /// The code belonged to a record of an undone import.
    Removed,
    /// Neither the row nor the request names the branch of a new member.
    NoBranch,
}

impl ImportProblem {
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(
            self,
            ImportProblem::WrongState(_)
                | ImportProblem::TooLate
                | ImportProblem::Removed
                | ImportProblem::TooManyReading(_)
        )
    }
}

/// Why the state of an import does not allow a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportStateConflict {
    AlreadyStarted,
    FileDeleted,
    NotRunning,
    NotPaused,
    NeverStarted,
}
