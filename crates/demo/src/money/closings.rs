//! Closes the older months of a demo's books, each on its own day.

use super::months::list_closed_months;
use super::scene::{DemoTransactionPart, LoadedRegisterScene};
use crate::dice::SeededDice;
use crate::progress::{DemoLoadProgress, MoneyProgress};
use app::Error;
use finance_storage::periods::{ClosingChange, find_last_closing, insert_checkpoints, insert_period_change};
use storage::Tx;
use storage::server::counters::{self, Counter};

/// The streams of titles have higher numbers.
const STREAM: u64 = 1 << 60;

/// Closes the next month, unless another process already did.
pub(super) async fn close_next_month(
    tx: &mut Tx,
    part: &DemoTransactionPart,
) -> Result<DemoLoadProgress, Error> {
    let progress = part.progress;
    if let Some(other) = progress.find_other(tx).await? {
        return Ok(other);
    }
    let (scene, money) = (LoadedRegisterScene::new(part), progress.money);
    let months = list_closed_months(money.today, money.months);
    let beyond = || Error::Defect("no month of the demonstration is left to close".to_owned());
    let month = *months.get(money.closed as usize).ok_or_else(beyond)?;
    let mut dice = SeededDice::new(scene.seed, STREAM | month.number());
    let previous = find_last_closing(&mut *tx, scene.tenant).await?;
    let number = i64::from(counters::reserve_number(tx, scene.tenant, Counter::ClosingChange).await?);
    let change = ClosingChange {
        number,
        is_closing: true,
        closed_through: Some(month.find_day(1).to_iso_month()),
        reason: None,
        user: scene.administrator,
        changed_at: scene.pick_moment(&mut dice, month.find_closing_day()).1,
    };
    insert_period_change(tx, scene.tenant, &change).await?;
    let first_open_day = month.plus(1).find_day(1);
    insert_checkpoints(tx, scene.tenant, number, first_open_day, previous.as_ref()).await?;
    let progress =
        DemoLoadProgress { money: MoneyProgress { closed: money.closed + 1, ..money }, ..progress };
    progress.save(tx).await?;
    Ok(progress)
}
