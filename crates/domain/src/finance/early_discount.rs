//! The discount of those who pay early: a percentage of what one legal nature charges, for whoever pays by a day before the
//! due day.

use crate::Date;
use crate::finance::{BankCalendar, ChargeLine, LegalNature};

/// Hundredths of a percent in the whole.
const BASIS_POINTS: i128 = 10_000;

/// The law allows discounts where the plan does, by default on the administration fee alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyDiscountRule {
    /// In basis points: 500 is 5 %. No discount at 0.
    pub rate: i64,
    /// Days before the due day.
    pub days: i32,
    pub nature: LegalNature,
}

impl Default for EarlyDiscountRule {
    fn default() -> EarlyDiscountRule {
        EarlyDiscountRule { rate: 0, days: 0, nature: LegalNature::Administration }
    }
}

/// A discount in cents, on the nature that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyDiscount {
    pub nature: LegalNature,
    pub amount: i64,
}

impl EarlyDiscountRule {
    /// The most days before the due day.
    pub const MOST_DAYS: i32 = 60;

    /// The last day on which it is given: that many days before the due day, or the next bank day. Never after the
    /// effective due day, so that discount and late charges exclude each other.
    pub fn find_last_day(self, due_on: Date, calendar: &BankCalendar) -> Option<Date> {
        if self.rate <= 0 {
            return None;
        }
        let day = due_on.plus_days(-i64::from(self.days.max(0)))?;
        Some(calendar.next_bank_day_from(day))
    }

    /// The last day of a title whose due day moves to `due_on`. `original_due_on` is the due day agreed first, and `present`
    /// the last day until now. Once that has passed, the discount lives on only while the last day that follows from the due
    /// day agreed first is still ahead, and no longer than that.
    pub fn move_last_day(
        self,
        present: Option<Date>,
        (original_due_on, due_on): (Date, Date),
        today: Date,
        calendar: &BankCalendar,
    ) -> Option<Date> {
        let moved = self.find_last_day(due_on, calendar);
        let Some(lost) = present.filter(|present| *present < today) else { return moved };
        match self.find_last_day(original_due_on, calendar).filter(|first| *first >= today) {
            Some(first) => moved.map(|moved| moved.min(first)),
            None => Some(lost.min(calendar.next_bank_day_from(due_on))),
        }
    }

    /// What it takes off a title that is paid at once. Rounded half up, never more than the nature charges, and at least
    /// a cent remains to be paid.
    pub fn compute(self, title_lines: &[ChargeLine]) -> Option<EarlyDiscount> {
        let sum = |nature: Option<LegalNature>| -> i128 {
            let lines = title_lines.iter().filter(|line| nature.is_none_or(|nature| nature == line.nature));
            lines.map(|line| i128::from(line.amount)).sum()
        };
        let (charged, all) = (sum(Some(self.nature)), sum(None));
        let share = charged.max(0) * i128::from(self.rate.clamp(0, 10_000));
        let rounded = share / BASIS_POINTS + i128::from(share % BASIS_POINTS * 2 >= BASIS_POINTS);
        let amount = i64::try_from(rounded.min(charged).min(all - 1)).ok()?;
        (amount > 0).then_some(EarlyDiscount { nature: self.nature, amount })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChargeItemCode;
    use proptest::prelude::*;

    fn line(nature: LegalNature, amount: i64) -> ChargeLine {
        ChargeLine {
            item: ChargeItemCode::new(1),
            nature,
            benefit: None,
            price: None,
            amount,
            description: None,
        }
    }

    fn rule(rate: i64, days: i32) -> EarlyDiscountRule {
        EarlyDiscountRule { rate, days, ..EarlyDiscountRule::default() }
    }

    fn amount(rate: i64, lines: &[ChargeLine]) -> i64 {
        rule(rate, 6).compute(lines).map_or(0, |discount| discount.amount)
    }

    #[test]
    fn five_percent_of_the_administration_fee_and_of_nothing_else() {
        let lines = [line(LegalNature::Administration, 4_990), line(LegalNature::Indemnity, 5_130)];
        // 2.495 rounds up.
        assert_eq!(amount(500, &lines), 250);
        assert_eq!(amount(500, &lines[1..]), 0);
        let of_losses = EarlyDiscountRule { nature: LegalNature::Indemnity, ..rule(500, 6) };
        // 2.565 rounds up.
        let expected = EarlyDiscount { nature: LegalNature::Indemnity, amount: 257 };
        assert_eq!(of_losses.compute(&lines), Some(expected));
    }

    #[test]
    fn a_discount_in_the_lines_comes_first() {
        let lines = [line(LegalNature::Administration, 5_000), line(LegalNature::Administration, -1_000)];
        assert_eq!(amount(1_000, &lines), 400);
    }

    #[test]
    fn a_cent_remains_to_be_paid() {
        let fee = line(LegalNature::Administration, 100);
        assert_eq!(amount(10_000, std::slice::from_ref(&fee)), 99);
        assert_eq!(amount(20_000, &[fee.clone(), line(LegalNature::Operation, 1)]), 100);
        assert_eq!(amount(10_000, &[line(LegalNature::Administration, 1)]), 0);
        assert_eq!(amount(0, &[fee]), 0);
    }

    #[test]
    fn the_last_day_moves_to_the_next_bank_day() {
        let calendar = BankCalendar::default();
        let day = |text: &str| Date::parse(text).unwrap();
        let last = |due: &str, days| rule(500, days).find_last_day(day(due), &calendar);
        // Six days before Thursday the 10th is Friday the 4th.
        assert_eq!(last("10/12/2026", 6), Some(day("04/12/2026")));
        // Five days before is a Saturday.
        assert_eq!(last("10/12/2026", 5), Some(day("07/12/2026")));
        // The due day itself is a Sunday.
        assert_eq!(last("15/11/2026", 0), Some(day("16/11/2026")));
        assert_eq!(rule(0, 6).find_last_day(day("10/12/2026"), &calendar), None);
    }

    #[test]
    fn a_lost_discount_comes_back_only_while_the_first_day_is_ahead() {
        let calendar = BankCalendar::default();
        let day = |text: &str| Date::parse(text).unwrap();
        let moved = |present: &str, due: &str, today: &str| {
            let days = (day("10/12/2026"), day(due));
            rule(500, 6).move_last_day(Some(day(present)), days, day(today), &calendar).unwrap().to_br()
        };
        // In time, it moves with the due day.
        assert_eq!(moved("04/12/2026", "21/12/2026", "04/12/2026"), "15/12/2026");
        // The due day was earlier for a while.
        assert_eq!(moved("16/11/2026", "10/12/2026", "17/11/2026"), "04/12/2026");
        assert_eq!(moved("16/11/2026", "21/12/2026", "17/11/2026"), "04/12/2026");
        assert_eq!(moved("16/11/2026", "03/12/2026", "17/11/2026"), "27/11/2026");
        // Both have passed.
        assert_eq!(moved("04/12/2026", "21/12/2026", "05/12/2026"), "04/12/2026");
        assert_eq!(moved("04/12/2026", "01/12/2026", "05/12/2026"), "01/12/2026");
        let never = (day("10/12/2026"), day("21/12/2026"));
        assert_eq!(rule(0, 6).move_last_day(None, never, day("05/12/2026"), &calendar), None);
    }

    proptest! {
        #[test]
        fn a_moved_last_day_is_never_after_the_effective_due_day(
            original in 0i64..90, due in 0i64..90, today in 0i64..90, present in 0i64..90, days in 0i32..30,
        ) {
            let calendar = BankCalendar::default();
            let day = |number| Date::new(2026, 10, 1).unwrap().plus_days(number).unwrap();
            let dues = (day(original), day(due));
            let last = rule(500, days).move_last_day(Some(day(present)), dues, day(today), &calendar).unwrap();
            prop_assert!(last <= calendar.next_bank_day_from(day(due)));
        }

        #[test]
        fn it_never_exceeds_its_nature_nor_settles_for_nothing(
            rate in -5i64..12_000, fees in prop::collection::vec(-500i64..5_000, 0..4), others in 0i64..5_000,
        ) {
            let mut lines: Vec<ChargeLine> =
                fees.iter().map(|fee| line(LegalNature::Administration, *fee)).collect();
            lines.push(line(LegalNature::Indemnity, others));
            let charged: i64 = fees.iter().sum();
            let discount = amount(rate, &lines);
            prop_assert!(discount >= 0 && (discount == 0 || discount <= charged && discount < charged + others));
            let whole = charged * rate;
            prop_assert!(discount == 0 || discount * 10_000 <= whole + 5_000);
        }

        #[test]
        fn the_last_day_is_a_bank_day_not_after_the_effective_due_day(
            month in 1i8..=12, number in 1i8..=28, days in -3i32..40,
        ) {
            let calendar = BankCalendar::default();
            let due = Date::new(2026, month, number).unwrap();
            let last = rule(500, days).find_last_day(due, &calendar).unwrap();
            prop_assert!(calendar.is_bank_day(last));
            prop_assert!(last <= calendar.next_bank_day_from(due));
        }
    }
}
