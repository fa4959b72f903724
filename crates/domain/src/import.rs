//! What may be wrong with a file that is imported, and with what is asked of an import.

/// Why a file is not taken, or an import not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportProblem {
    /// Larger than is taken, in MiB.
    TooLarge(u64),
    /// Neither a CSV nor an XLSX file.
    UnknownFormat,
    /// A workbook that cannot be opened: cut off, damaged, or locked by a password.
    Damaged,
    /// It unpacks to more than any sheet that people keep.
    UnpacksTooLarge,
    /// A workbook with more sheets than this.
    TooManySheets(usize),
    /// A workbook that lists one sheet several times.
    RepeatedSheet,
    /// Reading it takes longer than any sheet that people keep.
    TooSlow,
    /// No line with the names of columns, or nothing below it.
    Empty,
    TooManyRows(u32),
    TooManyColumns(usize),
    CellTooLong {
        row: u32,
        longest: usize,
    },
    /// A column that the file does not have.
    UnknownColumn(String),
    /// A field that records of this kind do not have.
    UnknownField(String),
    /// Two columns for one field.
    FieldTwice(String),
    /// A dependent whose benefit nobody can tell: nothing leads to it, nothing is found, or too much.
    BenefitUnnamed,
    NoBenefit,
    ManyBenefits,
    /// A record that another line of the file, this one, has meant already.
    SameRecord(i32),
    /// What must have a column and has none.
    NotMapped(Vec<&'static str>),
    // Against the present state.
    /// So many files are being read for this base already.
    TooManyReading(usize),
    /// What was asked for cannot be done as the import stands.
    WrongState(&'static str),
    /// The days in which an import can be undone are over.
    TooLate,
    /// A code that belonged to something which an undone import had brought.
    Removed,
    /// Neither a line nor whoever brought the file says in which branch somebody new begins.
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
