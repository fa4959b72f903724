//! The due dates of a due day: the same day of every month, or the last one of a month that is shorter.

use crate::Date;

/// The due date in a month. Day 29 to 31 in a shorter month is its last day. A year, month or day that no calendar has
/// counts as the nearest that one has: registers refuse such values before they come here.
pub fn find_due_date(year: i16, month: i16, due_day: i16) -> Date {
    let [month, due_day] =
        [(month, 12), (due_day, 31)].map(|(number, most)| i8::try_from(number.clamp(1, most)).unwrap_or(1));
    let date = (1..=due_day).rev().find_map(|day| Date::new(year.clamp(1, 9999), month, day));
    // Every month has a first day, so the search does not fail.
    date.unwrap_or(Date::EPOCH)
}

/// The first due date strictly after `after`. In the last month of the calendar, which has no next one, the due date of
/// that month.
pub fn find_next_due_date(after: Date, due_day: i16) -> Date {
    let in_this_month = find_due_date(after.year(), after.month(), due_day);
    if in_this_month > after {
        return in_this_month;
    }
    match (after.year(), after.month()) {
        (9999, 12) => in_this_month,
        (year, 12) => find_due_date(year + 1, 1, due_day),
        (year, month) => find_due_date(year, month + 1, due_day),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn a_shorter_month_is_due_on_its_last_day() {
        assert_eq!(find_due_date(2026, 2, 30), day("28/02/2026"));
        assert_eq!(find_due_date(2028, 2, 30), day("29/02/2028"));
        assert_eq!(find_due_date(2026, 4, 31), day("30/04/2026"));
        assert_eq!(find_due_date(2026, 1, 31), day("31/01/2026"));
        assert_eq!(find_due_date(2026, 2, 10), day("10/02/2026"));
    }

    #[test]
    fn the_next_due_date_is_never_the_day_itself() {
        assert_eq!(find_next_due_date(day("09/11/2026"), 10), day("10/11/2026"));
        assert_eq!(find_next_due_date(day("10/11/2026"), 10), day("10/12/2026"));
        assert_eq!(find_next_due_date(day("10/12/2026"), 10), day("10/01/2027"));
        assert_eq!(find_next_due_date(day("28/02/2026"), 30), day("30/03/2026"));
        assert_eq!(find_next_due_date(day("31/12/9999"), 10), day("10/12/9999"));
    }

    #[test]
    fn impossible_numbers_make_nothing_panic() {
        assert_eq!(find_due_date(i16::MIN, i16::MIN, i16::MIN), day("01/01/0001"));
        assert_eq!(find_due_date(i16::MAX, i16::MAX, i16::MAX), day("31/12/9999"));
    }

    proptest! {
        #[test]
        fn a_due_date_stays_in_its_month(year in 1i16..=9999, month in 1i16..=12, due_day in 1i16..=31) {
            let date = find_due_date(year, month, due_day);
            prop_assert_eq!((date.year(), date.month()), (year, month));
            prop_assert!(date.day() == due_day || (date.day() < due_day && date.next().month() != month));
        }

        #[test]
        fn the_next_due_date_is_the_first_one_after(
            year in 1i16..=9998, month in 1i8..=12, number in 1i8..=28, due_day in 1i16..=31,
        ) {
            let after = Date::new(year, month, number).unwrap();
            let next = find_next_due_date(after, due_day);
            prop_assert!(next > after);
            let mut passed = after.next();
            while passed < next {
                prop_assert_ne!(find_due_date(passed.year(), passed.month(), due_day), passed);
                passed = passed.next();
            }
            prop_assert_eq!(find_due_date(next.year(), next.month(), due_day), next);
        }
    }
}
