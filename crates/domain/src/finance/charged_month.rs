//! A month that is charged.

use crate::Date;

/// A month of the calendar, written `2026-12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChargedMonth {
    year: i16,
    month: i8,
}

impl ChargedMonth {
    /// `None` unless the calendar has such a month, with a month before and a year after it.
    pub fn new(year: i16, month: i8) -> Option<ChargedMonth> {
        let exists = (2..=9_900).contains(&year) && (1..=12).contains(&month);
        exists.then_some(ChargedMonth { year, month })
    }

    pub fn of_day(day: Date) -> ChargedMonth {
        let month = i8::try_from(day.month()).unwrap_or(1);
        ChargedMonth { year: day.year().clamp(2, 9_900), month }
    }

    pub fn from_iso(text: &str) -> Option<ChargedMonth> {
        Date::from_iso(&format!("{text}-01"))
            .and_then(|first| ChargedMonth::new(first.year(), i8::try_from(first.month()).ok()?))
    }

    pub fn to_iso(self) -> String {
        format!("{:04}-{:02}", self.year, self.month)
    }

    pub fn year(self) -> i16 {
        self.year
    }

    pub fn month(self) -> i16 {
        self.month.into()
    }

    pub fn first_day(self) -> Date {
        Date::new(self.year, self.month, 1).unwrap_or(Date::EPOCH)
    }

    pub fn last_day(self) -> Date {
        self.find_day(31)
    }

    /// The day of this number, or the last one of a month that is shorter.
    pub fn find_day(self, day: i16) -> Date {
        super::find_due_date(self.year, self.month.into(), day)
    }

    /// How many days the month has.
    pub fn day_count(self) -> i64 {
        self.last_day().day().into()
    }

    /// The month that many months later; before, if negative.
    #[must_use]
    pub fn plus_months(self, months: i32) -> ChargedMonth {
        let all = self.count_months().saturating_add(months).clamp(24, 9_900 * 12 + 11);
        let [year, month] = [all.div_euclid(12), all.rem_euclid(12) + 1];
        ChargedMonth {
            year: i16::try_from(year).unwrap_or(self.year),
            month: i8::try_from(month).unwrap_or(self.month),
        }
    }

    /// Below 0 if this month is before the other.
    pub fn months_since(self, earlier: ChargedMonth) -> i32 {
        self.count_months() - earlier.count_months()
    }

    fn count_months(self) -> i32 {
        i32::from(self.year) * 12 + i32::from(self.month) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn month(text: &str) -> ChargedMonth {
        ChargedMonth::from_iso(text).unwrap()
    }

    #[test]
    fn months_are_read_and_written() {
        assert_eq!(month("2026-12").to_iso(), "2026-12");
        for text in ["2026-13", "2026-00", "2026", "12/2026", "0001-01", "9999-01", ""] {
            assert_eq!(ChargedMonth::from_iso(text), None, "{text}");
        }
    }

    #[test]
    fn a_month_knows_its_days() {
        assert_eq!(month("2028-02").day_count(), 29);
        assert_eq!(month("2026-02").find_day(30).to_br(), "28/02/2026");
        assert_eq!(month("2026-12").last_day().to_br(), "31/12/2026");
        assert_eq!(ChargedMonth::of_day(month("2026-04").last_day()), month("2026-04"));
    }

    #[test]
    fn months_are_counted_over_the_year() {
        assert_eq!(month("2026-12").plus_months(1), month("2027-01"));
        assert_eq!(month("2026-01").plus_months(-1), month("2025-12"));
        assert_eq!(month("2027-02").months_since(month("2026-11")), 3);
    }

    proptest! {
        #[test]
        fn later_and_back_is_the_same(year in 100i16..9_000, number in 1i8..=12, months in -900i32..900) {
            let start = ChargedMonth::new(year, number).unwrap();
            prop_assert_eq!(start.plus_months(months).plus_months(-months), start);
            prop_assert_eq!(start.plus_months(months).months_since(start), months);
            prop_assert_eq!(ChargedMonth::from_iso(&start.to_iso()), Some(start));
        }
    }
}
