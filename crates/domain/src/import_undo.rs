//! Why the undo of an import leaves a record as it is.

use crate::Rejection;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportUndoObstacle {
    RecordGone,
    OtherBranch,
    RecordGoneOrOtherBranch,
    ChangedSince,
    ReferencedBy(ReferenceKind),
    /// Referenced by records of an unknown kind: the database refused the deletion.
    Referenced,
    /// Of a credit: some of it was used.
    CreditUsed,
    Refused(Vec<Rejection>),
}

/// The kind of records that refer to another record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    Members,
    Benefits,
    Dependents,
    CreditCards,
    Titles,
    Plans,
    Prices,
    Discounts,
    ChargingRuns,
    /// Of the books.
    LedgerAccounts,
    Settlements,
    Credit,
    Tracker,
    Claims,
    Inspections,
    Tickets,
    Appointments,
    Deals,
    Lead,
    Leads,
    Files,
}
