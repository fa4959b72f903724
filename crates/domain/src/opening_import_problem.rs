//! Why a line of a sheet with open titles or opening balances is refused.

use crate::{MoneyAccountCode, TitleCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningImportProblem {
    /// Neither a document nor a code names the person.
    PersonUnnamed,
    /// The document and the code belong to different people.
    PersonContradicted,
    /// The person has no visible benefit with this key.
    UnknownBenefit(TitleBenefitKey),
    /// Several benefits of the person have this key.
    AmbiguousBenefit(TitleBenefitKey),
    /// Nothing is open any more.
    NothingOpen,
    /// The number of the instalment is above their total.
    InstalmentAboveTotal,
    /// The key in the old system belongs to a title of other content.
    ImportedDifferently(TitleCode),
    /// Keys that begin so are those of mirrored titles.
    ReservedKey,
    /// A balance belongs to a person or to a money account.
    NoOwnerOfBalance,
    /// It cannot belong to both.
    TwoOwnersOfBalance,
    /// A member's credit is above zero; a debt is a title.
    NegativeCredit,
    /// The day of the balance is in the future.
    BalanceInFuture,
    /// The day of the balance is before the year 2000.
    BalanceTooOld,
    /// The person or account has another opening balance in this group.
    HasOtherBalance,
    /// Balances of accounts are of no branch, so a caller limited to some may not import them.
    AccountsForAllBranchesOnly(MoneyAccountCode),
}

/// By what a line names a benefit of the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleBenefitKey {
    Sequence,
    Card,
    Plate,
}
