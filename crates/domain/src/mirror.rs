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
    TitleHolderUnknown,
    /// The person of this code here has another document.
    TitleHolderDiffers,
    /// The value is missing, or nothing of it is open.
    TitleAmountUnusable,
    /// The due day must be a mistake.
    TitleDayUnusable,
    /// A benefit of the title does not exist here, or is another person's.
    TitleBenefitUnknown,
    /// The same of all benefits that the source names.
    TitleWithoutKnownBenefit,
    /// A sheet brought another title under the code of this one.
    TitleImportedDifferently,
    /// The title was changed at the source and here.
    TitleChangedHere,
    /// The source took back the posting of a title.
    TitleNotPosted,
}
