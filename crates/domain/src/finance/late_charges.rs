//! The fine and the interest that lateness adds to a title.

use crate::Date;

/// Hundredths of a percent in the whole.
const BASIS_POINTS: i128 = 10_000;
/// Interest is agreed by the month and owed by the calendar day; a month counts as 30 days.
const DAYS_OF_INTEREST_MONTH: i128 = 30;

/// In basis points: 200 is 2 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateChargeRates {
    /// Charged once.
    pub fine: i64,
    /// Charged for a month of 30 days.
    pub interest: i64,
}

/// What a settlement in force has paid of a title. A reversed settlement is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrincipalPayment {
    /// The day on which the payer paid, not the day on which the bank credited it.
    pub paid_on: Date,
    pub principal: i64,
    pub fine: i64,
    pub interest: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateCharges {
    pub fine: i64,
    pub interest: i64,
}

impl LateCharges {
    pub fn total(self) -> i64 {
        self.fine.saturating_add(self.interest)
    }
}

/// The fine and interest of a title that are still due on day `on`. The title must be open: after the exact principal
/// was paid late, the missing charges are no longer due here but charged elsewhere or waived.
///
/// A fine received counts whenever it was paid, interest since the effective due day: what was paid before it is of an
/// earlier due day, which was moved. A receipt that is entered later for an earlier day must not ask for them again. The
/// principal paid after `on` was still open on that day.
pub fn compute_late_charges(
    rates: LateChargeRates,
    amount: i64,
    effective_due: Date,
    payments: &[PrincipalPayment],
    on: Date,
) -> LateCharges {
    if on <= effective_due {
        return LateCharges::default();
    }
    let paid_in_time = payments.iter().filter(|payment| payment.paid_on <= effective_due);
    let open_at_due =
        i128::from(amount) - paid_in_time.map(|payment| i128::from(payment.principal)).sum::<i128>();
    let fine = divide_half_up(multiply_rate(open_at_due, rates.fine), BASIS_POINTS);

    // The sum over the spans of open principal × days: the principal open at the due day over all days, less each later
    // payment over the days that it was no longer owed. Written so, the order of the payments does not matter.
    let paid_late =
        payments.iter().filter(|payment| payment.paid_on > effective_due && payment.paid_on <= on);
    let relieved: i128 = paid_late
        .map(|payment| i128::from(payment.principal) * i128::from(on.days_since(payment.paid_on)))
        .sum();
    let principal_days = open_at_due * i128::from(on.days_since(effective_due)) - relieved;
    // Rounded once, over the whole sum: rounding each span would let part payments change the total.
    let interest =
        divide_half_up(multiply_rate(principal_days, rates.interest), BASIS_POINTS * DAYS_OF_INTEREST_MONTH);

    let since_due = payments.iter().filter(|payment| payment.paid_on > effective_due);
    LateCharges {
        fine: subtract_received(fine, payments.iter().map(|payment| payment.fine)),
        interest: subtract_received(interest, since_due.map(|payment| payment.interest)),
    }
}

/// Nothing is owed on a principal or at a rate below zero. Saturates, because rates are data and may be absurd.
fn multiply_rate(principal: i128, rate: i64) -> i128 {
    principal.max(0).saturating_mul(i128::from(rate.max(0)))
}

fn divide_half_up(dividend: i128, divisor: i128) -> i128 {
    dividend / divisor + i128::from(dividend % divisor * 2 >= divisor)
}

fn subtract_received(charged: i128, received: impl Iterator<Item = i64>) -> i64 {
    let due = charged - received.map(i128::from).sum::<i128>();
    i64::try_from(due.max(0)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const USUAL: LateChargeRates = LateChargeRates { fine: 200, interest: 100 };

    fn day(number: i64) -> Date {
        Date::new(2026, 12, 10).unwrap().plus_days(number).unwrap()
    }

    fn pay(number: i64, principal: i64, fine: i64, interest: i64) -> PrincipalPayment {
        PrincipalPayment { paid_on: day(number), principal, fine, interest }
    }

    fn compute(amount: i64, payments: &[PrincipalPayment], on: i64) -> (i64, i64) {
        let charges = compute_late_charges(USUAL, amount, day(0), payments, day(on));
        (charges.fine, charges.interest)
    }

    #[test]
    fn seventeen_days_cost_what_the_regulations_say() {
        assert_eq!(compute(10_120, &[], 17), (202, 57));
        assert_eq!(LateCharges { fine: 202, interest: 57 }.total(), 259);
    }

    #[test]
    fn nothing_is_added_up_to_the_due_day() {
        assert_eq!(compute(10_120, &[], -5), (0, 0));
        assert_eq!(compute(10_120, &[], 0), (0, 0));
        assert_eq!(compute(10_120, &[], 1), (202, 3));
    }

    #[test]
    fn half_a_cent_is_a_cent() {
        // 2 % of 25 cents is half a cent; 1 % of 1.50 over a day is 0.05 cents, over ten days half a cent.
        assert_eq!(compute(24, &[], 1), (0, 0));
        assert_eq!(compute(25, &[], 1), (1, 0));
        assert_eq!(compute(150, &[], 9), (3, 0));
        assert_eq!(compute(150, &[], 10), (3, 1));
    }

    #[test]
    fn what_was_paid_by_the_due_day_bears_no_charges() {
        assert_eq!(compute(10_000, &[pay(-3, 4_000, 0, 0), pay(0, 1_000, 0, 0)], 30), (100, 50));
        assert_eq!(compute(10_000, &[pay(0, 10_000, 0, 0)], 30), (0, 0));
    }

    #[test]
    fn each_span_bears_interest_on_what_was_open_in_it() {
        // 10 days on 100.00, then 20 days on 40.00: 18 "days of 100.00" are 60 cents; the fine stays that of the due day.
        let part = pay(10, 6_000, 0, 0);
        assert_eq!(compute(10_000, &[part], 30), (200, 60));
        // On the day of the payment itself nothing has run on the smaller principal yet.
        assert_eq!(compute(10_000, &[part], 10), (200, 33));
    }

    #[test]
    fn charges_received_are_not_asked_for_again() {
        assert_eq!(compute(10_000, &[pay(10, 6_000, 200, 33)], 30), (0, 27));
        assert_eq!(compute(10_000, &[pay(10, 6_000, 500, 500)], 30), (0, 0));
    }

    #[test]
    fn interest_of_an_earlier_due_day_is_not_taken_off() {
        // Half was paid with its interest before the due day was moved.
        assert_eq!(compute(100_000, &[pay(-5, 50_000, 2_000, 1_033)], 30), (0, 500));
    }

    #[test]
    fn a_look_back_sees_the_principal_of_that_day_and_the_fine_received_since() {
        let later = pay(20, 6_000, 200, 0);
        assert_eq!(compute(10_000, &[later], 15), (0, 50));
    }

    #[test]
    fn absurd_numbers_make_nothing_panic() {
        let rates = LateChargeRates { fine: i64::MAX, interest: i64::MAX };
        let charges =
            compute_late_charges(rates, i64::MAX, Date::EPOCH, &[], Date::new(9999, 12, 31).unwrap());
        assert_eq!(charges, LateCharges { fine: i64::MAX, interest: i64::MAX });
        assert_eq!(charges.total(), i64::MAX);
        let negative = LateChargeRates { fine: -1, interest: i64::MIN };
        assert_eq!(compute_late_charges(negative, 100, day(0), &[], day(9)), LateCharges::default());
        assert_eq!(compute(-100, &[], 9), (0, 0));
    }

    proptest! {
        #[test]
        fn interest_is_that_of_every_single_day(
            amount in 1i64..10_000_000,
            parts in prop::collection::vec((-10i64..90, 0i64..10_000), 0..6),
            rate in 0i64..1_000,
            on in 1i64..120,
        ) {
            let mut open = amount;
            let mut payments = Vec::new();
            for (number, share) in parts {
                let principal = open * share / 10_000;
                open -= principal;
                payments.push(pay(number, principal, 0, 0));
            }
            let open_on = |number: i64| {
                amount - payments.iter().filter(|paid| paid.paid_on <= day(number)).map(|paid| paid.principal).sum::<i64>()
            };
            // The principal open at the end of a day bears the interest of the next one.
            let principal_days: i64 = (0..on).map(open_on).sum();
            let whole = i128::from(principal_days) * i128::from(rate);
            let expected = (whole * 2 + 300_000) / 600_000;
            let rates = LateChargeRates { fine: 200, interest: rate };
            let charges = compute_late_charges(rates, amount, day(0), &payments, day(on));
            prop_assert_eq!(i128::from(charges.interest), expected);
            prop_assert_eq!(charges.fine, (open_on(0) * 200 + 5_000) / 10_000);
            payments.reverse();
            prop_assert_eq!(compute_late_charges(rates, amount, day(0), &payments, day(on)), charges);
        }

        #[test]
        fn waiting_never_makes_it_cheaper(amount in 1i64..10_000_000, on in -5i64..200, more in 0i64..100) {
            let (fine, interest) = compute(amount, &[], on);
            let (later_fine, later_interest) = compute(amount, &[], on + more);
            prop_assert!(later_fine >= fine && later_interest >= interest);
        }

        #[test]
        fn paying_the_charges_leaves_none_for_that_day(
            amount in 1i64..10_000_000, on in 1i64..200, principal in 0i64..10_000_000,
        ) {
            let (fine, interest) = compute(amount, &[], on);
            let paid = pay(on, principal.min(amount), fine, interest);
            prop_assert_eq!(compute(amount, &[paid], on), (0, 0));
        }
    }
}
