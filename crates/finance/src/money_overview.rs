//! What is open, late and received, as the overview of money shows it.

use app::register_snapshot::{TenantRegisters, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::{BranchCode, Date, MoneyRight, Scope};
use finance_storage::money_overview::{
    DueMonthSums, OpenTitleSums, sum_credit_received, sum_open_titles_by_lateness, sum_receipts_by_day,
    sum_titles_by_due_month,
};
use std::sync::Arc;
use storage::Tx;

/// The steps of lateness end after so many days; the last has no end.
pub const LATENESS_STEPS: [i32; 3] = [30, 60, 90];
/// So many due months are shown, the present one included.
pub const OVERVIEW_MONTHS: usize = 12;

/// Titles of credit in the caller's branches, or in one of them. Amounts are cents.
pub struct MoneyOverview {
    pub today: Date,
    pub registers: Arc<TenantRegisters>,
    pub not_due: OpenTitleSums,
    /// Open titles that are late, by the steps of [`LATENESS_STEPS`].
    pub overdue: [OpenTitleSums; LATENESS_STEPS.len() + 1],
    pub received: ReceivedSums,
    /// The last months in order, those without titles too.
    pub due_months: Vec<DueMonthSums>,
}

impl MoneyOverview {
    pub fn all_overdue(&self) -> OpenTitleSums {
        add_sums(&self.overdue)
    }

    pub fn all_open(&self) -> OpenTitleSums {
        add_sums(&[self.not_due, self.all_overdue()])
    }
}

fn add_sums(all: &[OpenTitleSums]) -> OpenTitleSums {
    let add = |sum: OpenTitleSums, one: &OpenTitleSums| OpenTitleSums {
        titles: sum.titles + one.titles,
        amount: sum.amount + one.amount,
    };
    all.iter().fold(OpenTitleSums::default(), add)
}

/// What came in, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedSums {
    pub this_month: i64,
    pub last_month: i64,
    /// Of the last month up to the same day, so that both can be compared.
    pub last_month_so_far: i64,
    /// This month, beside titles: as credit of people.
    pub as_credit: i64,
}

/// Reads the figures on one snapshot.
#[boxed::future]
pub async fn read_money_overview(
    app: &App,
    caller: &Session,
    branch: Option<BranchCode>,
) -> Result<MoneyOverview, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query =
        |registers: &TenantRegisters| (caller.scope.clone(), branch, now.date_in(&registers.zone));
    let tenant = caller.scope.tenant();
    let (sums, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, branch, today)| {
        Box::pin(load_overview_sums(tx, scope, *branch, *today))
    })
    .await?;
    let [not_due, overdue @ ..] = sums.open;
    let (today, received, due_months) = (now.date_in(&registers.zone), sums.received, sums.due_months);
    Ok(MoneyOverview { today, registers, not_due, overdue, received, due_months })
}

struct OverviewSums {
    /// What is not late, then by lateness.
    open: [OpenTitleSums; LATENESS_STEPS.len() + 2],
    received: ReceivedSums,
    due_months: Vec<DueMonthSums>,
}

async fn load_overview_sums(
    tx: &mut Tx,
    scope: &Scope,
    branch: Option<BranchCode>,
    today: Date,
) -> Result<OverviewSums, Error> {
    let ago = |days: i32| today.plus_days(-i64::from(days)).unwrap_or(today);
    let [first, second, third] = LATENESS_STEPS.map(ago);
    let days = [today, first, second, third];
    let mut open = [OpenTitleSums::default(); LATENESS_STEPS.len() + 2];
    let by_lateness = sum_open_titles_by_lateness(tx, scope, branch, days).await?;
    open.iter_mut().zip(by_lateness).for_each(|(sum, read)| *sum = read);
    let last_month = find_first_day(today, 1);
    let receipts = sum_receipts_by_day(tx, scope, branch, (last_month, today)).await?;
    let this_month = (find_first_day(today, 0), today);
    let as_credit = sum_credit_received(tx, scope, branch, this_month).await?;
    let received = ReceivedSums { as_credit, ..add_receipts(&receipts, today) };
    let months = (0..OVERVIEW_MONTHS).rev().map(|ago| find_first_day(today, ago)).collect::<Vec<_>>();
    let first = months.first().copied().unwrap_or(today);
    let found = sum_titles_by_due_month(tx, scope, branch, (first, find_last_day(today))).await?;
    let fill = |day: &Date| {
        let month = day.to_iso_month();
        let sums = found.iter().find(|sums| sums.month == month).cloned();
        sums.unwrap_or_else(|| DueMonthSums { month, ..DueMonthSums::default() })
    };
    Ok(OverviewSums { open, received, due_months: months.iter().map(fill).collect() })
}

fn add_receipts(receipts: &[(Date, i64)], today: Date) -> ReceivedSums {
    let this_month = find_first_day(today, 0);
    let mut sums = ReceivedSums::default();
    for (day, amount) in receipts {
        if *day >= this_month {
            sums.this_month += amount;
        } else {
            sums.last_month += amount;
            sums.last_month_so_far += if day.day() <= today.day() { *amount } else { 0 };
        }
    }
    sums
}

/// The first day of the month that lies so many months before that of a day.
pub fn find_first_day(day: Date, months_ago: usize) -> Date {
    let months = i64::from(day.year()) * 12 + i64::from(day.month()) - 1 - months_ago as i64;
    let (year, month) = (i16::try_from(months.div_euclid(12)), i8::try_from(months.rem_euclid(12) + 1));
    let first = year.ok().zip(month.ok()).and_then(|(year, month)| Date::new(year, month, 1));
    first.unwrap_or(day)
}

/// The last day of the month of a day.
pub fn find_last_day(day: Date) -> Date {
    let in_next_month = find_first_day(day, 0).plus_days(31).unwrap_or(day);
    find_first_day(in_next_month, 0).plus_days(-1).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::from_iso(text).unwrap()
    }

    #[test]
    fn months_begin_and_end_over_the_turn_of_the_year() {
        assert_eq!(find_first_day(day("2026-01-31"), 0), day("2026-01-01"));
        assert_eq!(find_first_day(day("2026-01-31"), 1), day("2025-12-01"));
        assert_eq!(find_first_day(day("2026-11-18"), 11), day("2025-12-01"));
        assert_eq!(find_last_day(day("2028-02-03")), day("2028-02-29"));
        assert_eq!(find_last_day(day("2026-12-31")), day("2026-12-31"));
    }

    #[test]
    fn a_month_is_compared_with_the_same_days_of_the_last() {
        let receipts = [("2026-10-18", 100), ("2026-10-19", 20), ("2026-11-01", 3), ("2026-11-18", 4)];
        let receipts = receipts.map(|(text, amount)| (day(text), amount));
        let sums = add_receipts(&receipts, day("2026-11-18"));
        assert_eq!(
            sums,
            ReceivedSums { this_month: 7, last_month: 120, last_month_so_far: 100, as_credit: 0 }
        );
    }
}
