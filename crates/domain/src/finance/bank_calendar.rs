//! The days on which banks work. A title that falls due on another day may be paid on the next bank day without fine or
//! interest.

use crate::Date;
use std::collections::BTreeSet;

/// Day and month of the national bank holidays that are the same every year.
const FIXED_HOLIDAYS: [(i16, i16); 8] =
    [(1, 1), (21, 4), (1, 5), (7, 9), (12, 10), (2, 11), (15, 11), (25, 12)];
/// The Day of Black Awareness, 20 November, is a national holiday since this year (Law 14,759/2023).
const FIRST_YEAR_OF_BLACK_AWARENESS: i16 = 2024;
/// Distance from Easter Sunday: Carnival Monday and Tuesday, Good Friday, Corpus Christi.
const EASTER_HOLIDAYS: [i64; 4] = [-48, -47, -2, 60];

/// A day whose next bank day is another one after the holidays changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedBankDay {
    pub day: Date,
    /// Its next bank day until now.
    pub before: Date,
    pub after: Date,
}

/// The national bank holidays of Brazil and those of one association's place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankCalendar {
    local_holidays: BTreeSet<Date>,
}

impl BankCalendar {
    pub fn new(local_holidays: BTreeSet<Date>) -> BankCalendar {
        BankCalendar { local_holidays }
    }

    pub fn is_bank_day(&self, date: Date) -> bool {
        !date.is_weekend() && !is_national_holiday(date) && !self.local_holidays.contains(&date)
    }

    /// The day itself if banks work on it. The last day of the calendar stands for what would come after it.
    pub fn next_bank_day_from(&self, date: Date) -> Date {
        let mut day = date;
        while !self.is_bank_day(day) && day.next() != day {
            day = day.next();
        }
        day
    }

    /// The bank day that many bank days after `date`. 0 gives the day itself or the next bank day, so that the result is
    /// a bank day in every case.
    pub fn plus_bank_days(&self, date: Date, bank_days: u32) -> Date {
        if bank_days == 0 {
            return self.next_bank_day_from(date);
        }
        let mut day = date;
        for _ in 0..bank_days {
            if day.next() == day {
                break;
            }
            day = self.next_bank_day_from(day.next());
        }
        day
    }

    /// The days that `after` moves, in their order.
    pub fn list_moved_days(&self, after: &BankCalendar) -> Vec<MovedBankDay> {
        let mut days = BTreeSet::new();
        for holiday in self.local_holidays.symmetric_difference(&after.local_holidays) {
            // With a holiday move the days before it, back to the last bank day.
            let mut day = Some(*holiday);
            while let Some(one) = day.filter(|one| days.insert(*one)) {
                let previous = one.plus_days(-1);
                day = previous.filter(|day| !(self.is_bank_day(*day) && after.is_bank_day(*day)));
            }
        }
        let compare = |day: Date| MovedBankDay {
            day,
            before: self.next_bank_day_from(day),
            after: after.next_bank_day_from(day),
        };
        days.into_iter().map(compare).filter(|moved| moved.before != moved.after).collect()
    }
}

fn is_national_holiday(date: Date) -> bool {
    let day_and_month = (date.day(), date.month());
    if FIXED_HOLIDAYS.contains(&day_and_month) {
        return true;
    }
    if day_and_month == (20, 11) {
        return date.year() >= FIRST_YEAR_OF_BLACK_AWARENESS;
    }
    let easter = find_easter(date.year());
    EASTER_HOLIDAYS.iter().any(|days| easter.and_then(|easter| easter.plus_days(*days)) == Some(date))
}

/// Easter Sunday in the Gregorian calendar, after Meeus and Butcher. Their letters are kept, so that the steps can be
/// compared with the published ones.
fn find_easter(year: i16) -> Option<Date> {
    let a = year % 19;
    let (b, c) = (year / 100, year % 100);
    let (d, e) = (b / 4, b % 4);
    let f = (b + 8) / 25;
    let g = (b - f + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let month = (h + l - 7 * m + 114) / 31;
    let day = (h + l - 7 * m + 114) % 31 + 1;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn easter_is_where_the_tables_have_it() {
        for known in [
            "23/03/1913",
            "25/04/1943",
            "23/04/2000",
            "23/03/2008",
            "24/04/2011",
            "01/04/2018",
            "31/03/2024",
            "20/04/2025",
            "05/04/2026",
            "28/03/2027",
            "16/04/2028",
            "25/04/2038",
            "22/03/2285",
        ] {
            assert_eq!(find_easter(day(known).year()), Some(day(known)), "{known}");
        }
    }

    #[test]
    fn the_weekdays_without_banks_of_2026_are_these() {
        let calendar = BankCalendar::default();
        let mut date = day("01/01/2026");
        let mut closed = Vec::new();
        while date.year() == 2026 {
            if !date.is_weekend() && !calendar.is_bank_day(date) {
                closed.push(date.to_br());
            }
            date = date.next();
        }
        // 15 November is a Sunday.
        assert_eq!(
            closed,
            [
                "01/01/2026",
                "16/02/2026",
                "17/02/2026",
                "03/04/2026",
                "21/04/2026",
                "01/05/2026",
                "04/06/2026",
                "07/09/2026",
                "12/10/2026",
                "02/11/2026",
                "20/11/2026",
                "25/12/2026",
            ]
        );
    }

    #[test]
    fn the_twentieth_of_november_is_a_holiday_since_2024() {
        let calendar = BankCalendar::default();
        assert!(calendar.is_bank_day(day("20/11/2023")));
        assert!(!calendar.is_bank_day(day("20/11/2024")));
    }

    #[test]
    fn a_local_holiday_closes_the_banks_there() {
        // 24 October: the anniversary of Goiânia, a Friday in 2025.
        let goiania = BankCalendar::new(BTreeSet::from([day("24/10/2025")]));
        assert_eq!(BankCalendar::default().next_bank_day_from(day("24/10/2025")), day("24/10/2025"));
        assert_eq!(goiania.next_bank_day_from(day("24/10/2025")), day("27/10/2025"));
    }

    #[test]
    fn bank_days_are_counted_over_weekends_and_holidays() {
        let calendar = BankCalendar::default();
        // Friday before Carnival, then Ash Wednesday.
        assert_eq!(calendar.plus_bank_days(day("13/02/2026"), 1), day("18/02/2026"));
        assert_eq!(calendar.plus_bank_days(day("14/02/2026"), 0), day("18/02/2026"));
        assert_eq!(calendar.plus_bank_days(day("14/02/2026"), 1), day("18/02/2026"));
        assert_eq!(calendar.plus_bank_days(day("09/11/2026"), 5), day("16/11/2026"));
    }

    #[test]
    fn a_holiday_moves_the_days_that_lead_to_it() {
        let usual = BankCalendar::default();
        // Monday 25 January 2027, the anniversary of São Paulo.
        let sao_paulo = BankCalendar::new(BTreeSet::from([day("25/01/2027")]));
        let written = |before: &BankCalendar, after: &BankCalendar| -> Vec<[String; 3]> {
            let moved = before.list_moved_days(after).into_iter();
            moved.map(|one| [one.day, one.before, one.after].map(Date::to_br)).collect()
        };
        let there = ["23/01/2027", "24/01/2027", "25/01/2027"];
        let moved = there.map(|day| [day, "25/01/2027", "26/01/2027"].map(str::to_owned));
        assert_eq!(written(&usual, &sao_paulo), moved);
        let back = there.map(|day| [day, "26/01/2027", "25/01/2027"].map(str::to_owned));
        assert_eq!(written(&sao_paulo, &usual), back);
        // A Sunday is no bank day anyway.
        let sunday = BankCalendar::new(BTreeSet::from([day("24/01/2027")]));
        assert!(usual.list_moved_days(&sunday).is_empty());
        assert!(sao_paulo.list_moved_days(&sao_paulo).is_empty());
    }

    #[test]
    fn the_end_of_the_calendar_ends_the_search() {
        let last = day("31/12/9999");
        let closed = BankCalendar::new(BTreeSet::from([last]));
        assert_eq!(closed.next_bank_day_from(last), last);
        assert_eq!(closed.plus_bank_days(day("20/12/9999"), u32::MAX), last);
    }

    proptest! {
        #[test]
        fn the_next_bank_day_is_the_first_one(
            year in 1i16..=9998, month in 1i8..=12, number in 1i8..=28, local in prop::collection::btree_set(0i64..9, 0..4),
        ) {
            let date = Date::new(year, month, number).unwrap();
            let local = local.into_iter().filter_map(|days| date.plus_days(days)).collect();
            let calendar = BankCalendar::new(local);
            let next = calendar.next_bank_day_from(date);
            prop_assert!(calendar.is_bank_day(next));
            prop_assert!(next.days_since(date) < 20);
            let mut passed = date;
            while passed < next {
                prop_assert!(!calendar.is_bank_day(passed));
                passed = passed.next();
            }
        }

        #[test]
        fn no_day_that_moves_is_left_out(
            before in prop::collection::btree_set(0i64..20, 0..4),
            after in prop::collection::btree_set(0i64..20, 0..4),
        ) {
            let first = day("18/12/2026");
            let build = |days: BTreeSet<i64>| {
                BankCalendar::new(days.into_iter().filter_map(|days| first.plus_days(days)).collect())
            };
            let (before, after) = (build(before), build(after));
            let compared = (-20..40).filter_map(|days| first.plus_days(days)).map(|day| MovedBankDay {
                day,
                before: before.next_bank_day_from(day),
                after: after.next_bank_day_from(day),
            });
            let expected: Vec<MovedBankDay> = compared.filter(|one| one.before != one.after).collect();
            prop_assert_eq!(before.list_moved_days(&after), expected);
        }

        #[test]
        fn that_many_bank_days_lie_between(
            year in 1900i16..=2100, month in 1i8..=12, number in 1i8..=28, bank_days in 1u32..40,
        ) {
            let calendar = BankCalendar::default();
            let date = Date::new(year, month, number).unwrap();
            let end = calendar.plus_bank_days(date, bank_days);
            let mut counted = 0;
            let mut passed = date;
            while passed < end {
                passed = passed.next();
                counted += u32::from(calendar.is_bank_day(passed));
            }
            prop_assert_eq!(counted, bank_days);
            prop_assert!(calendar.is_bank_day(end));
        }
    }
}
