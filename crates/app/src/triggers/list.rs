//! Lists the deliveries of a receiver with their attempts.

use crate::{App, Error};
use domain::{DeliveryState, HistoryCode, InputField, PAGE_SIZE, ReceiverCode, Rejection, TenantId};
use std::collections::BTreeMap;
use storage::triggers::attempts;
use storage::triggers::attempts::DeliveryAttempt;
use storage::triggers::deliveries::StoredDelivery;
use storage::triggers::deliveries::{self};

/// A delivery with every attempt at it.
#[derive(Clone, Debug)]
pub struct DeliveryWithAttempts {
    pub delivery: StoredDelivery,
    pub attempts: Vec<DeliveryAttempt>,
}

/// A page of the deliveries to a receiver, in the order of their changes, after a cursor.
#[boxed::future]
pub async fn list_deliveries(
    app: &App,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    after: HistoryCode,
) -> Result<Vec<DeliveryWithAttempts>, Error> {
    let input = (tenant, receiver, state, after);
    app.db
        .read(input, |tx, (tenant, receiver, state, after)| {
            Box::pin(async move {
                require_receiver(tx, *tenant, *receiver).await?;
                let page = deliveries::list_deliveries_after(
                    &mut *tx, *tenant, *receiver, *state, *after, PAGE_SIZE,
                )
                .await?;
                load_attempts(tx, *tenant, *receiver, page).await
            })
        })
        .await
}

pub(super) async fn load_attempts(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    page: Vec<StoredDelivery>,
) -> Result<Vec<DeliveryWithAttempts>, Error> {
    let mut all: BTreeMap<HistoryCode, Vec<DeliveryAttempt>> = BTreeMap::new();
    if !page.is_empty() {
        let codes = page.iter().map(|one| one.history);
        for one in attempts::list_attempts(&mut *tx, tenant, receiver, codes).await? {
            all.entry(one.history).or_default().push(one);
        }
    }
    let with_attempts = |delivery: StoredDelivery| {
        let attempts = all.remove(&delivery.history).unwrap_or_default();
        DeliveryWithAttempts { delivery, attempts }
    };
    Ok(page.into_iter().map(with_attempts).collect())
}

pub(super) async fn require_receiver(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
) -> Result<(), Error> {
    let found = storage::triggers::receivers::find_receiver(&mut *tx, tenant, receiver).await?;
    // Comes from a query or body, never from a path, so it is not a 404.
    found.map(drop).ok_or(Rejection::UnknownCode { field: InputField::Receiver, code: receiver.get() }.into())
}
