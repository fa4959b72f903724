//! Which part of a month's charge a benefit pays.
//!
//! The charge of a month is for the month before, which was closed on its cut-off day: who joined by then takes part.

use crate::Date;
use crate::finance::ChargedMonth;

/// The part of a month's charge that a benefit pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonthShare {
    /// It joined after the cut-off day: a later month is its first.
    None,
    Whole,
    /// The days from joining on, both ends counted, of all days of the month that is paid for.
    Days {
        active: i64,
        of: i64,
    },
}

/// What a benefit that joined on this day pays. Without a day it joined long ago.
pub fn find_month_share(
    month: ChargedMonth,
    joined_on: Option<Date>,
    cut_off_day: i16,
    is_prorated: bool,
) -> MonthShare {
    let paid_for = month.plus_months(-1);
    match joined_on {
        Some(day) if find_first_charged_month(day, cut_off_day) > month => MonthShare::None,
        Some(day) if is_prorated && day > paid_for.first_day() => {
            let of = paid_for.day_count();
            MonthShare::Days { active: of - i64::from(day.day()) + 1, of }
        }
        _ => MonthShare::Whole,
    }
}

/// The month after that of joining, or the one after it for a benefit that joined after the cut-off day.
pub fn find_first_charged_month(joined_on: Date, cut_off_day: i16) -> ChargedMonth {
    let month = ChargedMonth::of_day(joined_on);
    let is_late = joined_on > month.find_day(cut_off_day);
    month.plus_months(1 + i32::from(is_late))
}

impl MonthShare {
    /// The part of an amount, half a cent rounded up.
    pub fn apply(self, amount: i64) -> i64 {
        match self {
            MonthShare::None => 0,
            MonthShare::Whole => amount,
            MonthShare::Days { active, of } => {
                let exact = i128::from(amount.max(0)) * i128::from(active);
                let of = i128::from(of.max(1));
                i64::try_from(exact / of + i128::from(exact % of * 2 >= of)).unwrap_or(amount)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn december() -> ChargedMonth {
        ChargedMonth::from_iso("2026-12").unwrap()
    }

    fn share(joined_on: &str) -> MonthShare {
        find_month_share(december(), Some(day(joined_on)), 25, true)
    }

    #[test]
    fn the_first_and_the_last_day_count() {
        assert_eq!(share("01/11/2026"), MonthShare::Whole);
        assert_eq!(share("02/11/2026"), MonthShare::Days { active: 29, of: 30 });
        assert_eq!(share("25/11/2026"), MonthShare::Days { active: 6, of: 30 });
        assert_eq!(share("26/11/2026"), MonthShare::None);
        assert_eq!(share("26/10/2026"), MonthShare::Whole);
        assert_eq!(share("03/12/2026"), MonthShare::None);
        assert_eq!(find_month_share(december(), None, 25, true), MonthShare::Whole);
        assert_eq!(find_month_share(december(), Some(day("16/11/2026")), 25, false), MonthShare::Whole);
    }

    #[test]
    fn a_cut_off_after_the_end_of_the_month_is_its_last_day() {
        let march = ChargedMonth::from_iso("2027-03").unwrap();
        let joined = Some(day("28/02/2027"));
        assert_eq!(find_month_share(march, joined, 31, true), MonthShare::Days { active: 1, of: 28 });
        assert_eq!(find_first_charged_month(day("28/02/2027"), 27), march.plus_months(1));
        assert_eq!(find_first_charged_month(day("31/12/2026"), 31).to_iso(), "2027-01");
    }

    #[test]
    fn half_a_cent_is_a_cent() {
        assert_eq!(MonthShare::Days { active: 15, of: 30 }.apply(10_001), 5_001);
        assert_eq!(MonthShare::Days { active: 6, of: 30 }.apply(9_990), 1_998);
        assert_eq!(MonthShare::Days { active: 1, of: 31 }.apply(15), 0);
        assert_eq!(MonthShare::Days { active: 1, of: 31 }.apply(16), 1);
        assert_eq!(MonthShare::None.apply(100), 0);
        assert_eq!(MonthShare::Whole.apply(100), 100);
    }

    proptest! {
        #[test]
        fn a_part_is_never_more_than_the_whole(amount in 0i64..=i64::MAX, number in 1i8..=28) {
            let joined = Date::new(2026, 11, number);
            let part = find_month_share(december(), joined, 31, true).apply(amount);
            prop_assert!((0..=amount).contains(&part));
        }

        #[test]
        fn who_joins_later_pays_no_more(amount in 0i64..10_000_000, number in 1i8..=29) {
            let pays = |number| find_month_share(december(), Date::new(2026, 11, number), 31, true).apply(amount);
            prop_assert!(pays(number + 1) <= pays(number));
        }
    }
}
