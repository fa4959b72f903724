//! Moments as people write them: with an offset, or in local time.

use crate::{Date, InputField, Moment, Rejection, TimeZone};
use jiff::{Timestamp, civil};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenMoment {
    /// Written with an offset.
    Exact(Moment),
    /// Local time of the association.
    Local(civil::DateTime),
}

impl WrittenMoment {
    /// Accepts `2026-11-20T14:30:00-03:00`, `2026-11-20T14:30`, `2026-11-20 14:30` and `20/11/2026 14:30`.
    pub fn parse(text: &str) -> Result<WrittenMoment, Rejection> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Rejection::Missing(InputField::Date));
        }
        WrittenMoment::read_parts(text).ok_or_else(|| Rejection::BadMoment(text.to_owned()))
    }

    fn read_parts(text: &str) -> Option<WrittenMoment> {
        let (day, hour) = text.split_once(['T', ' '])?;
        let day = Date::from_iso(day).or_else(|| Date::from_br(day))?;
        let iso = format!("{}T{hour}", day.to_iso());
        if hour.ends_with('Z') || hour.contains(['+', '-']) {
            let at: Timestamp = iso.parse().ok()?;
            return Some(WrittenMoment::Exact(Moment::from_millis(at.as_millisecond())));
        }
        let is_clock = hour.bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
        (is_clock && hour.len() >= 5).then(|| iso.parse().ok().map(WrittenMoment::Local))?
    }

    /// The moment in the association's zone. A local time skipped by daylight saving moves to the next one that exists.
    pub fn moment_in(self, zone: &TimeZone) -> Moment {
        match self {
            WrittenMoment::Exact(moment) => moment,
            WrittenMoment::Local(local) => {
                local.to_zoned(zone.rules()).map_or(Moment::from_millis(i64::MAX), |at| {
                    Moment::from_millis(at.timestamp().as_millisecond())
                })
            }
        }
    }
}

/// The start of a period: a day or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodStart {
    Day(Date),
    Moment(WrittenMoment),
}

impl PeriodStart {
    pub fn parse(text: &str) -> Result<PeriodStart, Rejection> {
        Date::parse(text)
            .map(PeriodStart::Day)
            .or_else(|_| WrittenMoment::parse(text).map(PeriodStart::Moment))
    }

    /// The first moment of the period in the association's zone.
    pub fn moment_in(self, zone: &TimeZone) -> Moment {
        match self {
            PeriodStart::Day(day) => day.start_in(zone),
            PeriodStart::Moment(when) => when.moment_in(zone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_comes_with_its_offset_or_as_the_clocks_show_it() {
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        for text in [
            "2026-11-20T14:30:00-03:00",
            "2026-11-20T17:30:00Z",
            "2026-11-20T14:30",
            "2026-11-20 14:30:00",
            "20/11/2026 14:30",
            " 20/11/2026 14:30 ",
        ] {
            let moment = WrittenMoment::parse(text).unwrap().moment_in(&zone);
            assert_eq!(moment.to_offset_iso(&zone), "2026-11-20T14:30:00-03:00", "{text}");
        }
    }

    #[test]
    fn since_takes_a_day_or_a_moment() {
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        for (text, first) in [
            ("20/11/2026", "2026-11-20T00:00:00-03:00"),
            ("2026-11-20", "2026-11-20T00:00:00-03:00"),
            ("2026-11-20T17:30:00Z", "2026-11-20T14:30:00-03:00"),
            ("20/11/2026 14:30", "2026-11-20T14:30:00-03:00"),
        ] {
            assert_eq!(
                PeriodStart::parse(text).unwrap().moment_in(&zone).to_offset_iso(&zone),
                first,
                "{text}"
            );
        }
        assert_eq!(PeriodStart::parse("ontem"), Err(Rejection::BadMoment("ontem".to_owned())));
        assert_eq!(PeriodStart::parse(" "), Err(Rejection::Missing(InputField::Date)));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for bad in [
            "20/11/2026",
            "2026-11-20T",
            "2026-11-20T25:00",
            "31/02/2026 10:00",
            "14:30",
            "amanhã 10:00",
            "2026-11-20T1",
        ] {
            assert_eq!(WrittenMoment::parse(bad), Err(Rejection::BadMoment(bad.to_owned())), "{bad}");
        }
        assert_eq!(WrittenMoment::parse(" "), Err(Rejection::Missing(InputField::Date)));
    }
}
