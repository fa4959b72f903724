//! Why an action on a title or a month is refused.

use crate::fixed_sets::{ChargingRunState, PendingChargeSituation, TitleSituation};
use crate::opening_import_problem::OpeningImportProblem;
use crate::{BenefitDiscountCode, CreditReceiptCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinanceProblem {
    /// The value must be at least a cent.
    NoAmount,
    /// The amount paid must be at least a cent.
    NoAmountPaid,
    /// More instalments than the value has cents.
    TooManyInstalments,
    /// The due day is before the day of issue.
    DueBeforeIssue,
    /// The day of issue is in the future.
    IssueInFuture,
    /// The day of issue is before the year 2000.
    IssueTooOld,
    /// The due day is more than ten years away.
    DueTooFar,
    /// The day of issue is in a closed month.
    ClosedMonth {
        /// The last closed month: `2026-10`.
        closed_through: String,
    },
    /// Titles of this type come from a cost-sharing run alone.
    CostSharingType,
    /// The benefits belong to different groups or branches.
    MixedBenefits,
    /// A person whose benefits are charged in several branches or groups owes a one-off charge for one of them.
    BenefitToBeNamed,
    /// Only an open title can be settled or get another due day, and only an open or pending one be cancelled.
    NotOpen(TitleSituation),
    /// The association pays the title, so nobody pays it by a code.
    OwedByAssociation,
    /// No account of the title's group has an agreement with a bank for slips.
    NoSlipAccount,
    /// The account has no number left for another slip.
    NoSlipNumberLeft,
    /// More than a barcode holds.
    TooMuchForSlip,
    /// Only a pending title can be released.
    NotPending(TitleSituation),
    /// A title with a settlement in force cannot be cancelled.
    HasSettlement,
    /// The settlement was reversed before.
    AlreadyReversed,
    /// The credit that came of the settlement is no longer there.
    CreditUsed,
    /// The person has no credit in the group of the title.
    NoCredit,
    /// What was received as credit is no longer there.
    ReceivedCreditUsed,
    /// The receipt of credit or refund was reversed before.
    CreditReceiptReversed,
    /// More is to be paid back than the person has as credit in the group.
    RefundAboveCredit {
        /// In cents.
        available: i64,
    },
    /// The same, of the branch that pays it back.
    RefundAboveBranchCredit {
        /// In cents.
        available: i64,
    },
    /// On the day of the refund, the person did not have that much yet.
    RefundBeforeCredit {
        /// `14/11/2026`
        first_day: String,
    },
    /// Several branches have a credit of the person.
    RefundBranchRequired,
    /// The person has a credit in several groups.
    RefundGroupRequired,
    /// The benefits of the person do not tell the group of a credit.
    CreditGroupRequired,
    /// The same payment was received before.
    CreditReceivedBefore(CreditReceiptCode),
    /// A title that is open or waits takes its payment itself.
    TitleTakesPayment(TitleSituation),
    /// The person does not owe the title that the money was meant for.
    TitleOfAnotherPerson,
    /// The title that the money was meant for is of another group.
    TitleOfAnotherGroup,
    /// A payment of a later day is in force.
    LaterSettlement {
        /// `14/11/2026`
        paid_on: String,
    },
    PaidInFuture,
    /// The day of payment is before the year 2000.
    PaidTooLongAgo,
    PaidBeforeIssue,
    /// The association cannot pay more than it owes.
    PaidTooMuch,
    /// The money account belongs to another group.
    AccountOfAnotherGroup,
    /// The same, of the account that the settlement type names.
    SettlementTypeOfAnotherGroup,
    /// The account that the settlement type names is not in use.
    SettlementTypeWithoutAccount,
    /// An item that the association pays cannot be charged.
    ExpenseItem,
    /// Only a charge that no title has taken can be cancelled.
    NotWaiting(PendingChargeSituation),
    /// The month is not over yet.
    MonthNotOver,
    /// The month is closed already.
    MonthClosed {
        closed_through: String,
    },
    /// No month is closed.
    NothingClosed,
    /// The month to charge is long over, or too far ahead.
    MonthOutOfReach,
    /// The books have no such month.
    UnknownMonth,
    /// From one to twelve instalments.
    InstalmentsOutOfRange,
    /// Whoever sees only some branches names one of them.
    BranchRequired,
    /// The charging run is in another state than the action needs.
    ChargingRunState(ChargingRunState),
    /// The discount is for a plan that the benefit does not have.
    DiscountOfAnotherPlan,
    /// The last month of a discount is before the first.
    DiscountEndsBeforeStart,
    /// The benefit has the same discount in one of these months.
    DiscountGranted(BenefitDiscountCode),
    /// The discount ends in this month or before.
    DiscountEnded,
    /// The agreed prices changed since they were previewed.
    PricesMoved {
        items: i64,
        /// In cents.
        difference: i64,
    },
    /// The revision of a benefit's titles is no longer what was previewed. In cents.
    RevisionMoved {
        cancelled_amount: i64,
        issued_amount: i64,
    },
    /// A line of a sheet of titles or opening balances.
    OpeningImport(OpeningImportProblem),
}

impl FinanceProblem {
    /// Whether it conflicts with the current state, rather than with the input itself.
    pub fn is_conflict(&self) -> bool {
        use FinanceProblem as P;
        matches!(
            self,
            P::ClosedMonth { .. }
                | P::NotOpen(_)
                | P::OwedByAssociation
                | P::NoSlipAccount
                | P::NoSlipNumberLeft
                | P::TooMuchForSlip
                | P::NotPending(_)
                | P::HasSettlement
                | P::AlreadyReversed
                | P::CreditUsed
                | P::NoCredit
                | P::ReceivedCreditUsed
                | P::CreditReceiptReversed
                | P::CreditReceivedBefore(_)
                | P::TitleTakesPayment(_)
                | P::LaterSettlement { .. }
                | P::NotWaiting(_)
                | P::MonthNotOver
                | P::MonthClosed { .. }
                | P::NothingClosed
                | P::ChargingRunState(_)
                | P::DiscountGranted(_)
                | P::DiscountEnded
                | P::PricesMoved { .. }
                | P::RevisionMoved { .. }
        )
    }
}
