//! What a change of the bank holidays moves in titles.

use crate::{Error, Statement, Tx, sql};
use domain::TenantId;
use domain::finance::{EarlyDiscountRule, LaunchKind, MovedBankDay, TitleSituation};

/// Moves the days of titles that are not settled. The effective due day follows the calendar. The last day of a discount
/// only moves on, from a day that is no bank day any more, and never passes the effective due day.
#[boxed::future]
pub async fn move_title_days(tx: &mut Tx, tenant: TenantId, moved: &[MovedBankDay]) -> Result<(), Error> {
    if moved.is_empty() {
        return Ok(());
    }
    let effective_days = moved.iter().map(|one| move_effective_due_day(tenant, one));
    let closed = moved.iter().filter(|one| one.day == one.before);
    let discounts = closed.map(|one| move_discount_day(tenant, one));
    tx.execute_batch(effective_days.chain(discounts).collect()).await
}

fn move_effective_due_day(tenant: TenantId, moved: &MovedBankDay) -> Statement {
    let head = sql("UPDATE titles SET effective_due_on = $1, early_discount_until =
         CASE WHEN early_discount_until > $1 THEN $1 ELSE early_discount_until END")
    .arg(moved.after);
    filter_unsettled(head.append("WHERE tenant = ?", [tenant])).append("AND due_on = ?", [moved.day])
}

fn move_discount_day(tenant: TenantId, closed: &MovedBankDay) -> Statement {
    let head = sql("UPDATE titles SET early_discount_until = $1").arg(closed.after);
    // Between both lie the days of the discount, or a few more if banks were closed at its end.
    let last_due_day = closed.day.plus_days(EarlyDiscountRule::MOST_DAYS.into());
    filter_unsettled(head.append("WHERE tenant = ?", [tenant]))
        .append_if_some("AND due_on >= ?", closed.day.plus_days(-LONGEST_CLOSURE))
        .append_if_some("AND due_on <= ?", last_due_day)
        .append("AND early_discount_until = ?", [closed.day])
}

/// More days in a row than banks are ever closed.
const LONGEST_CLOSURE: i64 = 30;

/// Every kind and situation is named, so that the index by situation serves.
fn filter_unsettled(head: Statement) -> Statement {
    head.filter_in("launch_kind", LaunchKind::ALL.iter().copied())
        .filter_in("situation", [TitleSituation::Pending, TitleSituation::Open])
}
