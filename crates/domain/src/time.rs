//! Time as an argument. A [`Moment`] is stored as milliseconds since 1970, UTC.

use jiff::Timestamp;
use std::time::Duration;

/// The source of the current time: the system clock in the binary, a manually advanced clock in tests.
pub trait Clock: Send + Sync {
    fn now(&self) -> Moment;
}

/// An instant, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

impl Moment {
    pub const fn from_millis(millis: i64) -> Moment {
        Moment(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    pub fn plus(self, span: Duration) -> Moment {
        Moment(self.0.saturating_add(convert_to_millis(span)))
    }

    pub fn minus(self, span: Duration) -> Moment {
        Moment(self.0.saturating_sub(convert_to_millis(span)))
    }

    /// The time since `earlier`; zero if `earlier` is later.
    pub fn duration_since(self, earlier: Moment) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// `2026-11-14T13:32:05Z`, for logs and command output.
    pub fn to_iso(self) -> String {
        Timestamp::from_millisecond(self.0).map_or_else(|_| self.0.to_string(), |at| at.to_string())
    }
}

impl Moment {
    /// Clamped to the range of the calendar.
    pub(crate) fn to_timestamp(self) -> Timestamp {
        let end = if self.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Timestamp::from_millisecond(self.0).unwrap_or(end)
    }
}

fn convert_to_millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_moves_by_spans_and_never_wraps() {
        let noon = Moment::from_millis(1_000);
        assert_eq!(noon.plus(Duration::from_secs(1)).millis(), 2_000);
        assert_eq!(noon.minus(Duration::from_secs(2)).millis(), -1_000);
        assert_eq!(Moment::from_millis(i64::MAX).plus(Duration::MAX).millis(), i64::MAX);
        assert_eq!(noon.duration_since(Moment::from_millis(400)), Duration::from_millis(600));
        assert_eq!(noon.duration_since(Moment::from_millis(5_000)), Duration::ZERO);
    }

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(Moment::from_millis(1_794_663_125_000).to_iso(), "2026-11-14T13:32:05Z");
    }
}
