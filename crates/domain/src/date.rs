//! Calendar days, and the day of a moment in an association's time zone.

use crate::{InputField, Moment, Rejection, TimeZone};
use jiff::Zoned;
use jiff::civil;
use std::fmt;

/// A calendar day, without time of day or time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// 1970-01-01
    pub const EPOCH: Date = Date(civil::date(1970, 1, 1));
    const EARLIEST: Date = Date(civil::date(1, 1, 1));

    /// Accepts `14/11/2026` and `2026-11-14`, and refuses days that do not exist in the calendar.
    pub fn parse(text: &str) -> Result<Date, Rejection> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Rejection::Missing(InputField::Date));
        }
        let date = Date::from_br(text).or_else(|| Date::from_iso(text));
        date.ok_or_else(|| Rejection::BadDate(text.to_owned()))
    }

    /// Year, month and day: `2026, 11, 14`.
    pub fn new(year: i16, month: i8, day: i8) -> Option<Date> {
        // Years run from 1 to 9999, which is as far as four digits go.
        (year >= 1).then(|| civil::Date::new(year, month, day).ok().map(Date))?
    }

    /// Accepts only `14/11/2026`, the format of queries.
    pub fn from_br(text: &str) -> Option<Date> {
        let [day, month, year] = parse_numbers(text, '/', [2, 2, 4])?;
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
    }

    /// Accepts only `2026-11-14`, the stored format.
    pub fn from_iso(text: &str) -> Option<Date> {
        let [year, month, day] = parse_numbers(text, '-', [4, 2, 2])?;
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
    }

    pub fn year(self) -> i16 {
        self.0.year()
    }

    /// From 1 to 12.
    pub fn month(self) -> i16 {
        self.0.month().into()
    }

    /// From 1 to 31.
    pub fn day(self) -> i16 {
        self.0.day().into()
    }

    /// `14/11/2026`
    pub fn to_br(self) -> String {
        write_numbers('/', [(self.day(), 2), (self.month(), 2), (self.year(), 4)])
    }

    /// `2026-11-14`, which sorts chronologically.
    pub fn to_iso(self) -> String {
        write_numbers('-', [(self.year(), 4), (self.month(), 2), (self.day(), 2)])
    }

    /// `2026-11`, the stored format of a month.
    pub fn to_iso_month(self) -> String {
        write_numbers('-', [(self.year(), 4), (self.month(), 2)])
    }

    /// The following day; the last representable day returns itself.
    pub fn next(self) -> Date {
        self.0.tomorrow().map_or(self, Date)
    }

    pub fn plus_days(self, days: i64) -> Option<Date> {
        let date = self.0.checked_add(jiff::Span::new().try_days(days).ok()?).ok().map(Date);
        date.filter(|date| *date >= Date::EARLIEST)
    }

    /// The number of days since `earlier`; 0 if `earlier` is later.
    pub fn days_since(self, earlier: Date) -> i32 {
        self.0.since(earlier.0).map_or(0, |span| span.get_days()).max(0)
    }

    pub fn is_weekend(self) -> bool {
        matches!(self.0.weekday(), civil::Weekday::Saturday | civil::Weekday::Sunday)
    }

    /// The first moment of this day in the zone: midnight, or the hour after it where daylight saving skips midnight.
    pub fn start_in(self, zone: &TimeZone) -> Moment {
        let first = self.0.to_zoned(zone.rules());
        // Only the last days of the calendar have no timestamp; the largest moment stands for them.
        first.map_or(Moment::from_millis(i64::MAX), |at| Moment::from_millis(at.timestamp().as_millisecond()))
    }
}

impl Moment {
    /// The calendar day of this moment in the zone.
    pub fn date_in(self, zone: &TimeZone) -> Date {
        Date(self.to_zoned(zone).date()).max(Date::EARLIEST)
    }

    /// The calendar day of this moment in UTC, which in the evening is ahead of that in Brazil.
    pub fn date_in_utc(self) -> Date {
        Date(self.to_timestamp().to_zoned(jiff::tz::TimeZone::UTC).date()).max(Date::EARLIEST)
    }

    /// `2026-11-14T10:32:05-03:00`: local time with its offset, to the second.
    pub fn to_offset_iso(self, zone: &TimeZone) -> String {
        self.to_zoned(zone).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    fn to_zoned(self, zone: &TimeZone) -> Zoned {
        self.to_timestamp().to_zoned(zone.rules())
    }
}

impl fmt::Display for Date {
    /// `14/11/2026`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.to_br())
    }
}

/// Three numbers with exactly these digit counts: `1/2/2026` and `01/02/26` are ambiguous and refused.
fn parse_numbers(text: &str, between: char, digits: [usize; 3]) -> Option<[i16; 3]> {
    let mut parts = text.split(between);
    let mut numbers = [0; 3];
    for (number, length) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != length || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.bytes().fold(0, |number, digit| number * 10 + i16::from(digit - b'0'));
    }
    parts.next().is_none().then_some(numbers)
}

/// Each number with its count of digits, at most four. A search page shows hundreds of dates, and `format!` takes
/// several times as long.
fn write_numbers<const N: usize>(between: char, numbers: [(i16, usize); N]) -> String {
    let mut text = String::with_capacity(10);
    for (at, (number, digits)) in numbers.into_iter().enumerate() {
        if at > 0 {
            text.push(between);
        }
        let mut rest = number.unsigned_abs();
        let mut written = [b'0'; 4];
        for digit in written.iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        text.extend(written[4 - digits..].iter().map(|digit| char::from(*digit)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    #[test]
    fn a_date_comes_in_two_forms() {
        for text in ["14/11/2026", "2026-11-14", " 14/11/2026 "] {
            let date = Date::parse(text).unwrap();
            assert_eq!(
                (date.to_br().as_str(), date.to_iso().as_str()),
                ("14/11/2026", "2026-11-14"),
                "{text}"
            );
        }
        assert_eq!(Date::parse("29/02/2024").unwrap().to_iso(), "2024-02-29");
        assert_eq!(Date::from_br("2026-11-14"), None);
        assert_eq!(Date::from_iso("14/11/2026"), None);
    }

    #[test]
    fn what_no_calendar_has_is_refused() {
        assert_eq!(Date::parse("  "), Err(Rejection::Missing(InputField::Date)));
        for bad in [
            "31/02/2026",
            "29/02/2023",
            "2026-13-01",
            "00/01/2026",
            "01/01/0000",
            "1/2/2026",
            "01/02/26",
            "01-02-2026",
            "2026/02/01",
            "01/02/2026/",
            "2026-11-14T00:00:00",
            "+1/02/2026",
            "०१/०२/2026",
        ] {
            assert_eq!(Date::parse(bad), Err(Rejection::BadDate(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_moment_has_its_day_and_its_clock_where_the_association_lives() {
        let late = Moment::from_millis(1_794_623_525_000);
        assert_eq!(late.to_iso(), "2026-11-14T02:32:05Z");
        let sao_paulo = zone("America/Sao_Paulo");
        assert_eq!(late.date_in(&sao_paulo).to_br(), "13/11/2026");
        assert_eq!(late.date_in_utc().to_br(), "14/11/2026");
        assert_eq!(late.to_offset_iso(&sao_paulo), "2026-11-13T23:32:05-03:00");
        assert_eq!(late.to_offset_iso(&zone("America/Manaus")), "2026-11-13T22:32:05-04:00");
        assert_eq!(late.to_offset_iso(&zone("UTC")), "2026-11-14T02:32:05+00:00");
    }

    #[test]
    fn a_day_begins_at_midnight_or_where_the_clocks_leave_it_out_at_one() {
        let sao_paulo = zone("America/Sao_Paulo");
        let start = |text: &str| Date::parse(text).unwrap().start_in(&sao_paulo);
        assert_eq!(start("14/11/2026").to_offset_iso(&sao_paulo), "2026-11-14T00:00:00-03:00");
        // Daylight saving time began at midnight.
        assert_eq!(start("04/11/2018").to_offset_iso(&sao_paulo), "2018-11-04T01:00:00-02:00");
    }

    #[test]
    fn days_are_counted_over_months_and_years() {
        let day = |text: &str| Date::parse(text).unwrap();
        assert_eq!(day("01/03/2024").days_since(day("28/02/2024")), 2);
        assert_eq!(day("01/01/2026").days_since(day("01/01/2024")), 731);
        assert_eq!((day("01/01/2026").days_since(day("01/01/2026"))), 0);
        assert_eq!(day("01/01/2024").days_since(day("01/01/2026")), 0);
        assert!(day("31/12/9999").days_since(day("01/01/0001")) > 3_600_000);
    }

    #[test]
    fn a_week_ends_with_saturday_and_sunday() {
        let days = ["13/11/2026", "14/11/2026", "15/11/2026", "16/11/2026"];
        let weekends = days.map(|text| Date::parse(text).unwrap().is_weekend());
        assert_eq!(weekends, [false, true, true, false]);
    }

    #[test]
    fn the_ends_of_time_make_nothing_panic() {
        let sao_paulo = zone("America/Sao_Paulo");
        for millis in [i64::MIN, i64::MAX] {
            let _ = Moment::from_millis(millis).date_in(&sao_paulo);
            let _ = Moment::from_millis(millis).to_offset_iso(&sao_paulo);
        }
        let last = Date::parse("31/12/9999").unwrap();
        assert_eq!(last.next(), last);
        assert!(last.start_in(&sao_paulo) > Date::parse("30/12/9999").unwrap().start_in(&zone("UTC")));
    }

    #[test]
    fn no_day_is_before_the_first_that_can_be_written() {
        let first = Date::new(1, 1, 1).unwrap();
        let midnight = first.start_in(&zone("America/Sao_Paulo"));
        assert_eq!(midnight.date_in(&zone("America/Manaus")), first);
        assert_eq!(first.plus_days(-1), None);
    }

    proptest! {
        #[test]
        fn every_date_is_read_back_and_sorts_as_its_text(
            a in (1i16..=9999, 1i8..=12, 1i8..=28), b in (1i16..=9999, 1i8..=12, 1i8..=28),
        ) {
            let [a, b] = [a, b].map(|(year, month, day)| Date::new(year, month, day).unwrap());
            prop_assert_eq!(Date::parse(&a.to_br()).unwrap(), a);
            prop_assert_eq!(Date::from_iso(&a.to_iso()), Some(a));
            prop_assert_eq!(a.cmp(&b), a.to_iso().cmp(&b.to_iso()));
        }

        #[test]
        fn every_date_is_written_in_ten_signs(year in 1i16..=9999, month in 1i8..=12, day in 1i8..=28) {
            let date = Date::new(year, month, day).unwrap();
            prop_assert_eq!(date.to_iso(), format!("{year:04}-{month:02}-{day:02}"));
            prop_assert_eq!(date.to_br(), format!("{day:02}/{month:02}/{year:04}"));
            prop_assert_eq!(date.to_iso_month(), format!("{year:04}-{month:02}"));
            prop_assert_eq!(date.year(), year);
        }

        #[test]
        fn what_is_read_as_iso_is_written_alike(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]|\\PC{0,12}") {
            prop_assert!(Date::from_iso(&text).is_none_or(|date| date.to_iso() == text));
        }

        #[test]
        fn the_start_of_a_day_is_on_that_day(
            year in 1970i16..=2100, month in 1i8..=12, day in 1i8..=28,
        ) {
            let sao_paulo = zone("America/Sao_Paulo");
            let date = Date::new(year, month, day).unwrap();
            let start = date.start_in(&sao_paulo);
            prop_assert_eq!(start.date_in(&sao_paulo), date);
            prop_assert!(Moment::from_millis(start.millis() - 1).date_in(&sao_paulo) < date);
        }

        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,20}") {
            let _ = Date::parse(&text);
        }
    }
}
