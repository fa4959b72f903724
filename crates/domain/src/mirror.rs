//! The conflicts of mirrored records with the records of a tenant.

/// Why a mirrored record differs from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorRecordConflict {
    /// Another person has the document.
    DocumentTaken,
    /// The same among the members of the source.
    MemberDocumentTaken,
    BenefitNumberTaken,
    ClaimProtocolTaken,
    DealNumberTaken,
    CodeTaken,
    /// The name belongs to the record with this code.
    NameTaken(i32),
}
