//! The fixed dates of the demo, as days since 1970, so that a seed gives the same rows whenever it is loaded.

use crate::dice::SeededDice;
use domain::{Date, Moment};

/// 2016-03-01
pub const FOUNDED_ON: u32 = 16_861;
/// 2026-06-30, the demo's current day; everything happened before it.
pub const SHOWN_ON: u32 = 20_634;
pub const YEAR: u32 = 365;
pub const DAY_MILLIS: i64 = 86_400_000;
pub const FOUNDED: Moment = Moment::from_millis(FOUNDED_ON as i64 * DAY_MILLIS);

pub fn compute_date(day_number: i64) -> Date {
    Date::EPOCH.plus_days(day_number).unwrap_or(Date::EPOCH)
}

/// The day of a timestamp. Working hours fall on the same day in UTC and in Brazil, so no time zone is needed.
pub fn compute_day_number(moment: Moment) -> u32 {
    (moment.millis() / DAY_MILLIS) as u32
}

pub fn pick_working_moment(dice: &mut SeededDice, day: u32) -> Moment {
    let seconds = i64::from(dice.roll_range(11 * 3600..21 * 3600));
    Moment::from_millis(i64::from(day) * DAY_MILLIS + seconds * 1000)
}
