//! When a server makes a backup by itself.

use domain::Moment;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;

/// Times of every day, in one time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyTimes {
    times: Vec<Time>,
    zone: TimeZone,
}

impl DailyTimes {
    /// Times such as `03:00`; `None` if one of them is none, or the zone is unknown.
    pub fn parse<'t>(texts: impl IntoIterator<Item = &'t str>, zone: &str) -> Option<DailyTimes> {
        let is_plain = |text: &str| text.len() == 5 && text.as_bytes()[2] == b':';
        let parse = |text: &str| Time::strptime("%H:%M", text).ok().filter(|_| is_plain(text));
        let times: Option<Vec<Time>> = texts.into_iter().map(parse).collect();
        Some(DailyTimes { times: times?, zone: TimeZone::get(zone).ok()? })
    }

    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The first of the times after a moment; `None` if there are no times.
    pub fn find_next(&self, after: Moment) -> Option<Moment> {
        let after = Timestamp::from_millisecond(after.millis()).ok()?;
        let today = after.to_zoned(self.zone.clone()).date();
        // A time that a change of the clocks skips comes an hour later, so the next days are looked at, too.
        let days =
            [Some(today), today.tomorrow().ok(), today.tomorrow().ok().and_then(|day| day.tomorrow().ok())];
        let moments = days.into_iter().flatten().flat_map(|day| {
            self.times.iter().filter_map(move |time| day.to_datetime(*time).to_zoned(self.zone.clone()).ok())
        });
        let next = moments.map(|at| at.timestamp()).filter(|at| *at > after).min()?;
        Some(Moment::from_millis(next.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::from_millis(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn the_next_time_is_of_today_or_tomorrow_in_its_zone() {
        let times = DailyTimes::parse(["13:30", "03:00"], "America/Sao_Paulo").unwrap();
        for (after, next) in [
            ("2026-11-18T05:59:59Z", "2026-11-18T06:00:00Z"),
            ("2026-11-18T06:00:00Z", "2026-11-18T16:30:00Z"),
            ("2026-11-18T16:30:00Z", "2026-11-19T06:00:00Z"),
            ("2026-12-31T23:00:00Z", "2027-01-01T06:00:00Z"),
        ] {
            assert_eq!(times.find_next(at(after)), Some(at(next)), "{after}");
        }
        assert_eq!(DailyTimes::parse([], "UTC").unwrap().find_next(at("2026-11-18T00:00:00Z")), None);
    }

    /// On 2018-11-04 the clocks of Brasília went from 00:00 to 01:00.
    #[test]
    fn a_time_that_the_clocks_skip_comes_later() {
        let times = DailyTimes::parse(["00:30"], "America/Sao_Paulo").unwrap();
        assert_eq!(times.find_next(at("2018-11-04T02:00:00Z")), Some(at("2018-11-04T03:30:00Z")));
    }

    #[test]
    fn only_hours_and_minutes_are_times() {
        for bad in ["3:00", "24:00", "03:60", "03", "03:00:00", "", "ab:cd"] {
            assert_eq!(DailyTimes::parse([bad], "UTC"), None, "{bad}");
        }
        assert_eq!(DailyTimes::parse(["03:00"], "Lua/Norte"), None);
    }
}
