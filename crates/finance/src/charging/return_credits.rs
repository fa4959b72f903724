//! Gives back the credit that paid titles which are about to be cancelled.

use crate::booking::BookDays;
use crate::reverse_settlement::write_settlement_reversal;
use app::{ActorContext, Error};
use domain::TitleCode;
use finance_storage::settlements::list_settlements;
use finance_storage::titles::list_titles_by_code;
use storage::Tx;

/// Reverses the settlements in force of titles that nothing but credit paid: no money came for them.
pub(super) async fn return_credits(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    titles: &[TitleCode],
    reason: &str,
) -> Result<(), Error> {
    if titles.is_empty() {
        return Ok(());
    }
    let days = BookDays::load(tx, context).await?;
    for (code, mut title) in list_titles_by_code(&mut *tx, context.tenant, titles).await? {
        let mut all = list_settlements(&mut *tx, context.tenant, code).await?;
        while let Some(position) = all.iter().position(|one| one.reversal.is_none()) {
            let used = all.remove(position);
            title =
                write_settlement_reversal(tx, (context, &days), (code, title), (&all, &used), reason).await?;
        }
    }
    Ok(())
}
