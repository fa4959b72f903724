//! How a receipt for a title is divided between interest, fine and principal.

use crate::finance::{EarlyDiscount, LateCharges};

/// The parts of a receipt. `interest`, `fine`, `principal` and `excess`, less the discount, add up to what was received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiptSplit {
    pub interest: i64,
    pub fine: i64,
    pub principal: i64,
    /// Part of the principal that need not be paid.
    pub discount: Option<EarlyDiscount>,
    /// More than everything that was due: the payer's credit in the group of the title.
    pub excess: i64,
    /// Late charges of a title that was settled by its principal. They are not part of the receipt: the association
    /// charges them with the next title or waives them.
    pub unpaid_late_charges: i64,
}

impl ReceiptSplit {
    /// What was received; `None` if the parts do not fit.
    pub fn received(&self) -> Option<i64> {
        let discount = self.discount.map_or(0, |discount| discount.amount);
        let paid = self.principal.checked_sub(discount)?;
        self.interest.checked_add(self.fine)?.checked_add(paid)?.checked_add(self.excess)
    }
}

/// Interest is paid before fine, and both before the principal (Civil Code, art. 354). The open principal or more settles
/// the title all the same: it is what a slip without charges asks for, and a rest of some cents would keep the title
/// open for no fault of the payer. A negative argument counts as 0.
pub fn split_receipt(received: i64, open_principal: i64, charges: LateCharges) -> ReceiptSplit {
    let received = received.max(0);
    let open_principal = open_principal.max(0);
    let charges = LateCharges { fine: charges.fine.max(0), interest: charges.interest.max(0) };
    let is_settled = received >= open_principal && open_principal > 0;
    let for_charges = if is_settled { received - open_principal } else { received };
    let interest = for_charges.min(charges.interest);
    let fine = (for_charges - interest).min(charges.fine);
    let principal = (received - interest - fine).min(open_principal);
    let excess = received - interest - fine - principal;
    let unpaid = LateCharges { fine: charges.fine - fine, interest: charges.interest - interest };
    let unpaid_late_charges = if is_settled { unpaid.total() } else { 0 };
    ReceiptSplit { interest, fine, principal, discount: None, excess, unpaid_late_charges }
}

/// As [`split_receipt`], on a day on which the open principal may be paid with a discount. The discounted value settles the
/// title; what is beyond it is excess, for no more was due. Less is a part payment without a discount.
pub fn split_discounted_receipt(
    received: i64,
    open_principal: i64,
    charges: LateCharges,
    discount: Option<EarlyDiscount>,
) -> ReceiptSplit {
    let granted = discount.filter(|discount| {
        (1..open_principal).contains(&discount.amount) && received >= open_principal - discount.amount
    });
    match granted {
        Some(discount) if charges.total() == 0 => {
            let excess = received - (open_principal - discount.amount);
            ReceiptSplit {
                principal: open_principal,
                discount: Some(discount),
                excess,
                ..ReceiptSplit::default()
            }
        }
        _ => split_receipt(received, open_principal, charges),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finance::LegalNature;
    use proptest::prelude::*;

    const CHARGES: LateCharges = LateCharges { fine: 202, interest: 57 };

    fn split(received: i64) -> [i64; 5] {
        let parts = split_receipt(received, 10_120, CHARGES);
        [parts.interest, parts.fine, parts.principal, parts.excess, parts.unpaid_late_charges]
    }

    #[test]
    fn interest_comes_first_then_fine_then_principal() {
        assert_eq!(split(0), [0, 0, 0, 0, 0]);
        assert_eq!(split(40), [40, 0, 0, 0, 0]);
        assert_eq!(split(100), [57, 43, 0, 0, 0]);
        assert_eq!(split(1_259), [57, 202, 1_000, 0, 0]);
        assert_eq!(split(10_119), [57, 202, 9_860, 0, 0]);
        assert_eq!(split(10_379), [57, 202, 10_120, 0, 0]);
    }

    #[test]
    fn the_principal_settles_and_leaves_charges_unpaid() {
        assert_eq!(split(10_120), [0, 0, 10_120, 0, 259]);
        assert_eq!(split(10_121), [1, 0, 10_120, 0, 258]);
        assert_eq!(split(10_200), [57, 23, 10_120, 0, 179]);
    }

    #[test]
    fn more_than_everything_is_excess() {
        assert_eq!(split(12_000), [57, 202, 10_120, 1_621, 0]);
        assert_eq!(split_receipt(500, 0, LateCharges::default()).excess, 500);
    }

    #[test]
    fn numbers_below_zero_count_as_nothing() {
        let charges = LateCharges { fine: -5, interest: -7 };
        assert_eq!(split_receipt(-9, 10, charges), ReceiptSplit::default());
        assert_eq!(split_receipt(9, -10, charges), ReceiptSplit { excess: 9, ..ReceiptSplit::default() });
        let unpayable = LateCharges { fine: i64::MAX, interest: i64::MAX };
        assert_eq!(split_receipt(9, 9, unpayable).unpaid_late_charges, i64::MAX);
    }

    fn discounted(received: i64) -> [i64; 3] {
        let discount = EarlyDiscount { nature: LegalNature::Administration, amount: 250 };
        let split = split_discounted_receipt(received, 10_120, LateCharges::default(), Some(discount));
        [split.principal, split.discount.map_or(0, |granted| granted.amount), split.excess]
    }

    #[test]
    fn the_discounted_value_settles_and_less_is_a_part() {
        assert_eq!(discounted(9_869), [9_869, 0, 0]);
        assert_eq!(discounted(9_870), [10_120, 250, 0]);
        assert_eq!(discounted(9_900), [10_120, 250, 30]);
        assert_eq!(discounted(10_120), [10_120, 250, 250]);
    }

    #[test]
    fn what_is_late_has_no_discount() {
        let discount = EarlyDiscount { nature: LegalNature::Administration, amount: 250 };
        let split = split_discounted_receipt(9_870, 10_120, CHARGES, Some(discount));
        assert_eq!(split, split_receipt(9_870, 10_120, CHARGES));
    }

    proptest! {
        #[test]
        fn a_discount_loses_no_cent(
            received in 0i64..30_000, open_principal in 0i64..20_000, amount in -5i64..25_000,
        ) {
            let discount = Some(EarlyDiscount { nature: LegalNature::Administration, amount });
            let parts = split_discounted_receipt(received, open_principal, LateCharges::default(), discount);
            prop_assert_eq!(parts.received(), Some(received));
            prop_assert!(parts.discount.is_none() || parts.principal == open_principal);
            prop_assert!(parts.principal <= open_principal && parts.excess >= 0);
        }

        #[test]
        fn every_cent_received_has_a_place(
            received in prop_oneof![0i64..3_000, 0..=i64::MAX],
            open_principal in prop_oneof![0i64..3_000, 0..=i64::MAX],
            fine in 0i64..500,
            interest in 0i64..500,
        ) {
            let parts = split_receipt(received, open_principal, LateCharges { fine, interest });
            prop_assert_eq!(parts.received(), Some(received));
            prop_assert!([parts.interest, parts.fine, parts.principal, parts.excess].iter().all(|part| *part >= 0));
            prop_assert!(parts.principal <= open_principal && parts.fine <= fine && parts.interest <= interest);
            let is_all_paid = (parts.interest, parts.fine, parts.principal) == (interest, fine, open_principal);
            prop_assert!(parts.excess == 0 || is_all_paid);
            prop_assert!(parts.unpaid_late_charges == 0 || parts.principal == open_principal);
        }

        #[test]
        fn the_principal_always_settles(
            open_principal in 1i64..1_000_000_000, more in 0i64..1_500, fine in 0i64..500, interest in 0i64..500,
        ) {
            let parts = split_receipt(open_principal + more, open_principal, LateCharges { fine, interest });
            prop_assert_eq!(parts.principal, open_principal);
            prop_assert_eq!(parts.unpaid_late_charges, (fine + interest - more).max(0));
        }
    }
}
