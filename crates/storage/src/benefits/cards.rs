//! Cards: who has one, and the number of the next.

use crate::server::counters::{self, Counter};
use crate::{Error, Statement, Tx, sql};
use domain::{CardNumber, TenantId};

/// The person who has the card, by a benefit or a dependent. A card belongs to one person, so the first row is
/// enough.
pub(crate) fn select_card_holder(tenant: TenantId, card: &CardNumber) -> Statement {
    sql("SELECT person FROM benefits WHERE tenant = $1 AND card = $2
         UNION ALL SELECT (SELECT b.person FROM benefits b WHERE b.tenant = d.tenant AND b.code = d.benefit) AS person
             FROM dependents d WHERE d.tenant = $1 AND d.card = $2
         LIMIT 1")
    .arg(tenant)
    .arg(card.as_str())
}

/// Reserves numbers, including that of the next card, and returns the card; `None` if a person already has that card,
/// because it came from outside.
pub async fn reserve_numbers_with_card<const KINDS: usize>(
    tx: &mut Tx,
    tenant: TenantId,
    requested: [(Counter, i32); KINDS],
) -> Result<([i32; KINDS], Option<CardNumber>), Error> {
    let last = counters::load_last_number(&mut *tx, tenant, Counter::Card).await?;
    let next = i32::try_from(last + 1).map_err(|_| Error::Broken("the cards are past int32".to_owned()))?;
    let card = CardNumber::generate(tenant, next);
    let (numbers, holders) =
        counters::reserve_blocks_and_query(tx, tenant, requested, select_card_holder(tenant, &card)).await?;
    Ok((numbers, holders.is_empty().then_some(card)))
}
