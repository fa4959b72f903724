//! Durations as people write them: `500ms`, `30s`, `5m`, `12h`, `1d`.

use std::ops::RangeInclusive;
use std::time::Duration;

pub const ALLOWED: &str = "uma duração de 1ms a 7d, como 500ms, 30s, 5m ou 12h";

/// Longer waits make no sense, and PostgreSQL counts milliseconds in 32 bits.
const RANGE: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_hours(168);

pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let millis: u64 = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        "d" => 24 * 60 * 60 * 1000,
        _ => return None,
    };
    let duration = Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(millis)?);
    RANGE.contains(&duration).then_some(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_are_a_duration() {
        assert_eq!(parse_duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_duration("30s"), Some(Duration::from_secs(30)));
        assert_eq!(parse_duration("5m"), Some(Duration::from_mins(5)));
        assert_eq!(parse_duration("12h"), Some(Duration::from_hours(12)));
        assert_eq!(parse_duration("7d"), Some(Duration::from_hours(168)));
    }

    #[test]
    fn anything_else_is_none() {
        for text in
            ["", "30", "s", "0s", "-1s", "+1s", "1.5s", "1 s", "1S", "1m30s", "8d", "99999999999999999999d"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(parse_duration(&format!("{}d", u64::MAX)), None);
    }
}
