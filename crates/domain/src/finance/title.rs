//! A title: an amount owed to or by the association, made of lines, and its situation.

use crate::finance::PriceOrigin;
use crate::fixed_sets::{TitleSituation, set};
use crate::{BenefitCode, ChargeItemCode, Colour, Date};

set!(
    LaunchKind {
        /// What a member or third party owes, whatever its lines.
        Credit = 1,
        /// What the association owes.
        Debit = 2,
        /// A group's own title with the total of a sharing run.
        CostSharing = 3,
    }
);

set!(
    /// What a charge is for, as the law distinguishes it (LC 213/2025).
    LegalNature {
        /// Indemnities and expenses of covered events, provisions and reserves included.
        Indemnity = 1,
        /// Refund of group expenses that the administrator advanced.
        Refund = 2,
        /// Administration fee.
        Administration = 3,
        /// Other expenses of the group's operation.
        Operation = 4,
    }
);

set!(
    ChargeItemKind {
        AdministrationFee = 1,
        CostShare = 2,
        AddOn = 3,
        Joining = 4,
        Inspection = 5,
        Reactivation = 6,
        Reserve = 7,
        /// The member's part of the cost of a claim.
        Participation = 8,
        Penalty = 9,
        LateCharges = 10,
        /// What the association or a group pays.
        Expense = 11,
    }
);

set!(
    MoneyAccountKind {
        Bank = 1,
        CashBox = 2,
    }
);

set!(
    /// What becomes of the late charges of a title that was settled by its exact principal.
    ShortfallTreatment {
        /// A line of the next charge.
        NextCharge = 1,
        Waiver = 2,
    }
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeLine {
    pub item: ChargeItemCode,
    pub nature: LegalNature,
    pub benefit: Option<BenefitCode>,
    /// Which price of the benefit it charges. None of anything else, and of lines before schema 31.
    pub price: Option<PriceOrigin>,
    /// Below 0 for a discount.
    pub amount: i64,
    pub description: Option<String>,
}

/// The situation is derived wherever it is needed and never set, so that it cannot contradict the lines.
pub fn derive_situation(
    is_posted: bool,
    is_cancelled: bool,
    open_amount: i64,
    has_settlement: bool,
) -> TitleSituation {
    if is_cancelled {
        TitleSituation::Cancelled
    } else if !is_posted {
        TitleSituation::Pending
    } else if open_amount > 0 || !has_settlement {
        TitleSituation::Open
    } else {
        TitleSituation::Settled
    }
}

/// The colour of a situation: the same in every association, since no register has it.
pub const fn title_situation_colour(situation: TitleSituation) -> Colour {
    match situation {
        TitleSituation::Pending => Colour::from_rgb(0xF9_AB00),
        TitleSituation::Open => Colour::from_rgb(0x1A_73E8),
        TitleSituation::Settled => Colour::from_rgb(0x18_8038),
        TitleSituation::Cancelled => Colour::from_rgb(0x5F_6368),
    }
}

/// The effective due day itself is in time.
pub fn is_overdue(situation: TitleSituation, effective_due: Date, today: Date) -> bool {
    situation == TitleSituation::Open && effective_due < today
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! assert_numbers_lead_back {
        ($($set:ident),*) => {
            $(for member in $set::ALL {
                assert_eq!($set::from_number(member.number()), Some(*member));
            }
            assert_eq!($set::from_number(0), None);)*
        };
    }

    #[test]
    fn numbers_lead_back_to_the_member() {
        assert_numbers_lead_back!(
            LaunchKind,
            LegalNature,
            ChargeItemKind,
            TitleSituation,
            MoneyAccountKind,
            ShortfallTreatment
        );
    }

    #[test]
    fn a_situation_follows_from_what_happened() {
        for has_settlement in [false, true] {
            for open_amount in [0, 1] {
                for is_posted in [false, true] {
                    let cancelled = derive_situation(is_posted, true, open_amount, has_settlement);
                    assert_eq!(cancelled, TitleSituation::Cancelled);
                }
                let unposted = derive_situation(false, false, open_amount, has_settlement);
                assert_eq!(unposted, TitleSituation::Pending);
            }
        }
        assert_eq!(derive_situation(true, false, 500, false), TitleSituation::Open);
        assert_eq!(derive_situation(true, false, 500, true), TitleSituation::Open);
        assert_eq!(derive_situation(true, false, 0, false), TitleSituation::Open);
        assert_eq!(derive_situation(true, false, 0, true), TitleSituation::Settled);
    }

    #[test]
    fn every_situation_has_a_colour_of_its_own() {
        let colours: std::collections::BTreeSet<String> = TitleSituation::ALL
            .iter()
            .map(|situation| title_situation_colour(*situation).to_string())
            .collect();
        assert_eq!(colours.len(), TitleSituation::ALL.len());
    }

    #[test]
    fn only_an_open_title_is_overdue_and_only_after_its_due_day() {
        let due = Date::new(2026, 11, 10).unwrap();
        assert!(!is_overdue(TitleSituation::Open, due, due));
        for situation in TitleSituation::ALL {
            assert_eq!(is_overdue(*situation, due, due.next()), *situation == TitleSituation::Open);
        }
    }
}
