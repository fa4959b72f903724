//! Keeps the counters of a mirror beyond the codes and cards of its source.

use app::Error;
use domain::{CardNumber, TenantId};
use storage::Tx;
use storage::server::counters::{self, Counter};

/// Advances a counter beyond the greatest of these codes. Takes a `Vec`, because a lazy iterator must not be held
/// across an await.
pub(super) async fn advance_counter(
    tx: &mut Tx,
    tenant: TenantId,
    counter: Counter,
    codes: Vec<i32>,
) -> Result<(), Error> {
    match codes.into_iter().filter(|code| *code < counters::FIRST_UNCOUNTED_CODE).max() {
        Some(code) if code > 0 => Ok(counters::advance_counter(tx, tenant, counter, code).await?),
        _ => Ok(()),
    }
}

/// The sequence numbers of cards that match this tenant's own numbering, so that they are not generated again.
pub(super) fn extract_own_card_numbers<'c>(
    tenant: TenantId,
    cards: impl Iterator<Item = &'c CardNumber>,
) -> Vec<i32> {
    let own_number = |card: &CardNumber| {
        let number: i32 = card.as_str().get(2..12)?.parse().ok()?;
        (CardNumber::generate(tenant, number) == *card).then_some(number)
    };
    cards.filter_map(own_number).collect()
}
