//! The months of a demo's money. They end on the day of the load, unlike everything else in a demo.

use domain::Date;
use domain::finance::{ChargedMonth, find_due_date};

/// A month of the calendar, counted from the beginning of the year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CalendarMonth(i32);

/// The day on which the titles of the next month are issued.
const ISSUE_DAY: i16 = 25;
/// The day on which the month before the last one is closed.
const CLOSING_DAY: i16 = 5;
/// With fewer months of money none is closed: the sums of a large association take too long for one transaction.
const FEWEST_MONTHS_WITH_CLOSINGS: u32 = 6;

impl CalendarMonth {
    pub(super) fn from_day(day: Date) -> CalendarMonth {
        CalendarMonth(i32::from(day.year()) * 12 + i32::from(day.month()) - 1)
    }

    pub(super) fn plus(self, months: i32) -> CalendarMonth {
        CalendarMonth(self.0 + months)
    }

    /// The day of this number, or the last one of a shorter month.
    pub(super) fn find_day(self, day: i16) -> Date {
        let (year, month) = self.split();
        find_due_date(year, month, day)
    }

    /// When the titles of this month are issued.
    pub(super) fn find_issue_day(self) -> Date {
        self.plus(-1).find_day(ISSUE_DAY)
    }

    /// When the books of this month are closed.
    pub(super) fn find_closing_day(self) -> Date {
        self.plus(2).find_day(CLOSING_DAY)
    }

    /// As in the text of a title: `11/2026`.
    pub(super) fn to_text(self) -> String {
        let (year, month) = self.split();
        format!("{month:02}/{year:04}")
    }

    pub(super) fn to_charged(self) -> ChargedMonth {
        ChargedMonth::of_day(self.find_day(1))
    }

    pub(super) fn number(self) -> u64 {
        self.0.unsigned_abs().into()
    }

    fn split(self) -> (i16, i16) {
        let part = |number: i32| i16::try_from(number).unwrap_or(1);
        (part(self.0.div_euclid(12)), part(self.0.rem_euclid(12) + 1))
    }
}

/// The months whose titles are issued, of which that of `today` is the last or the last but one.
pub(super) fn list_charged_months(today: Date, count: u32) -> Vec<CalendarMonth> {
    let (current, count) = (CalendarMonth::from_day(today), count.cast_signed());
    let next = current.plus(1);
    let has_next = count > 0 && next.find_issue_day() <= today;
    (0..count).rev().map(|ago| current.plus(-ago)).chain(has_next.then_some(next)).collect()
}

/// The months that are closed, each on its closing day.
pub(super) fn list_closed_months(today: Date, count: u32) -> Vec<CalendarMonth> {
    let charged = list_charged_months(today, count);
    let Some(first) = charged.first().filter(|_| count >= FEWEST_MONTHS_WITH_CLOSINGS) else {
        return Vec::new();
    };
    // The first titles were issued in the month before.
    let candidates = (-1..count.cast_signed()).map(|months| first.plus(months));
    candidates.filter(|month| month.find_closing_day() <= today).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn texts(months: &[CalendarMonth]) -> Vec<String> {
        months.iter().map(|month| month.to_text()).collect()
    }

    #[test]
    fn the_next_month_is_charged_from_the_twenty_fifth_on() {
        assert_eq!(texts(&list_charged_months(day("24/12/2026"), 2)), ["11/2026", "12/2026"]);
        assert_eq!(texts(&list_charged_months(day("25/12/2026"), 2)), ["11/2026", "12/2026", "01/2027"]);
        assert!(list_charged_months(day("25/12/2026"), 0).is_empty());
        assert_eq!(list_charged_months(day("18/11/2026"), 18)[0].to_text(), "06/2025");
    }

    #[test]
    fn books_are_closed_two_months_ago() {
        let closed = texts(&list_closed_months(day("18/11/2026"), 18));
        assert_eq!((closed.len(), closed[0].as_str()), (17, "05/2025"));
        assert_eq!(closed.last().unwrap(), "09/2026");
        assert_eq!(list_closed_months(day("04/11/2026"), 18).last().unwrap().to_text(), "08/2026");
        assert!(list_closed_months(day("18/11/2026"), 5).is_empty());
    }
}
