//! Which backups are kept.

use domain::Moment;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// So many days, weeks and months keep their newest backup. The newest of all is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionCounts {
    pub daily: usize,
    pub weekly: usize,
    pub monthly: usize,
}

impl RetentionCounts {
    /// The moments of the backups to keep, in UTC.
    pub fn choose_kept(&self, all: impl IntoIterator<Item = Moment>) -> BTreeSet<Moment> {
        let all: BTreeSet<Moment> = all.into_iter().collect();
        let mut kept: BTreeSet<Moment> = all.last().copied().into_iter().collect();
        kept.extend(choose_newest_of_each(&all, self.daily, |day| day));
        kept.extend(choose_newest_of_each(&all, self.weekly, |day| {
            let week = day.iso_week_date();
            (week.year(), week.week())
        }));
        kept.extend(choose_newest_of_each(&all, self.monthly, |day| (day.year(), day.month())));
        kept
    }
}

/// The newest backup of each of the last periods that have one.
fn choose_newest_of_each<P: PartialEq>(
    all: &BTreeSet<Moment>,
    count: usize,
    period_of: impl Fn(Date) -> P,
) -> Vec<Moment> {
    let mut last = None;
    let newest_first = all.iter().rev().copied();
    let newest = newest_first.filter(|at| {
        let period = Some(period_of(find_day(*at)));
        let is_new = period != last;
        last = period;
        is_new
    });
    newest.take(count).collect()
}

fn find_day(at: Moment) -> Date {
    let at = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    at.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000;

    fn at(text: &str) -> Moment {
        Moment::from_millis(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn days_weeks_and_months_keep_their_newest() {
        let all = [
            "2026-08-31T03:00:00Z",
            "2026-09-30T03:00:00Z",
            "2026-10-31T03:00:00Z",
            "2026-11-08T03:00:00Z", // a Sunday
            "2026-11-15T03:00:00Z",
            "2026-11-16T03:00:00Z",
            "2026-11-17T03:00:00Z",
            "2026-11-18T03:00:00Z",
            "2026-11-18T15:00:00Z",
        ]
        .map(at);
        let kept = RetentionCounts { daily: 2, weekly: 3, monthly: 3 }.choose_kept(all);
        let expected = [
            "2026-09-30T03:00:00Z",
            "2026-10-31T03:00:00Z",
            "2026-11-08T03:00:00Z",
            "2026-11-15T03:00:00Z",
            "2026-11-17T03:00:00Z",
            "2026-11-18T15:00:00Z",
        ];
        assert_eq!(kept, expected.map(at).into_iter().collect());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn the_newest_is_kept_and_choosing_twice_changes_nothing(
            hours in prop::collection::vec(0..20_000i64, 0..60),
            (daily, weekly, monthly) in (0..10usize, 0..6usize, 0..14usize),
        ) {
            let all: Vec<Moment> = hours.iter().map(|hour| Moment::from_millis(hour * HOUR)).collect();
            let counts = RetentionCounts { daily, weekly, monthly };
            let kept = counts.choose_kept(all.iter().copied());
            prop_assert_eq!(kept.last(), all.iter().max());
            prop_assert!(kept.len() <= daily + weekly + monthly + 1);
            prop_assert_eq!(&counts.choose_kept(kept.iter().copied()), &kept);
            // With one more backup, later than all, nothing comes back that was deleted.
            let later = Moment::from_millis(30_000 * HOUR);
            let with_later = counts.choose_kept(kept.iter().copied().chain([later]));
            prop_assert!(with_later.iter().all(|at| *at == later || kept.contains(at)));
        }
    }
}
