//! Bank holidays: what falls due on one, or on the days that lead to it, moves to the next bank day.

use crate::Error;
use domain::finance::BankCalendar;
use domain::{Date, TenantId};
use storage::Tx;
use storage::registers::bank_holidays::move_title_days;
use storage::registers::finance::list_bank_holidays;

/// Moves due days as a holiday comes, moves or goes: `day` is where it will be, nothing if it will not be.
pub(super) async fn move_due_days(
    tx: &mut Tx,
    tenant: TenantId,
    code: Option<i32>,
    day: Option<Date>,
) -> Result<(), Error> {
    let mut holidays = list_bank_holidays(&mut *tx, tenant).await?;
    holidays.retain(|one| one.active);
    let before = BankCalendar::new(holidays.iter().map(|one| one.day).collect());
    let others = holidays.iter().filter(|one| Some(one.code.get()) != code).map(|one| one.day);
    let after = BankCalendar::new(others.chain(day).collect());
    Ok(move_title_days(tx, tenant, &before.list_moved_days(&after)).await?)
}
