//! Deliveries for administrators: the performance of each receiver, its newest deliveries, and one delivery in detail.

use super::feed::extract_body_person;
use super::list::{DeliveryWithAttempts, load_attempts, require_receiver};
use crate::audit::access_log::record_access;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, DeliveryState, Entity, HistoryCode, InputField, Moment, PAGE_SIZE, ReceiverCode,
    TenantId,
};
use std::time::Duration;
use storage::Tx;
use storage::history::situation_changes;
use storage::triggers::attempts::{self, DeliveryAttempt};
use storage::triggers::deliveries::{self, StoredDelivery};
pub use storage::triggers::deliveries::{DeliveryOverview, SCANNED_DELIVERIES};
pub use storage::triggers::queues::LARGEST_EXACT_COUNT;

/// The period of the success rate.
const ONE_DAY: Duration = Duration::from_hours(24);

/// The performance of a receiver, and its latest failure.
#[derive(Clone, Debug)]
pub struct ReceiverPerformance {
    pub glance: DeliveryOverview,
    pub trouble: Option<DeliveryAttempt>,
}

impl ReceiverPerformance {
    /// The percentage of deliveries that arrived; `None` if there were none.
    pub fn success_share(&self) -> Option<i64> {
        let all = self.glance.arrived + self.glance.missed;
        (all > 0).then(|| self.glance.arrived * 100 / all)
    }
}

#[boxed::future]
pub async fn list_performance(
    app: &App,
    tenant: TenantId,
    receivers: Vec<ReceiverCode>,
) -> Result<Vec<ReceiverPerformance>, Error> {
    let input = (tenant, receivers, app.now().minus(ONE_DAY));
    app.db
        .read(input, |tx, (tenant, receivers, since)| {
            Box::pin(async move {
                let mut all = Vec::with_capacity(receivers.len());
                for receiver in receivers {
                    let glance = deliveries::load_delivery_overview(tx, *tenant, *receiver, *since).await?;
                    let codes = glance.troubled.iter().copied();
                    let tried = match glance.troubled.is_empty() {
                        true => Vec::new(),
                        false => attempts::list_attempts(&mut *tx, *tenant, *receiver, codes).await?,
                    };
                    let failed =
                        tried.into_iter().filter(|one| !one.status.is_some_and(domain::is_accepted_status));
                    let trouble = failed.max_by_key(|one| (one.tried_at, one.number));
                    all.push(ReceiverPerformance { glance, trouble });
                }
                Ok::<_, Error>(all)
            })
        })
        .await
}

/// Filters for deliveries; an empty field does not filter.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryQuery {
    pub state: Option<DeliveryState>,
    pub entity: Option<Entity>,
    /// A record of that entity.
    pub record: Option<i32>,
    pub since: Option<Moment>,
    /// Exclusive.
    pub until: Option<Moment>,
    /// Only older ones.
    pub before: Option<HistoryCode>,
}

/// A page of deliveries, newest first.
#[derive(Clone, Debug)]
pub struct DeliveryPage {
    pub deliveries: Vec<DeliveryWithAttempts>,
    /// The cursor of the next, older page.
    pub next_cursor: Option<HistoryCode>,
}

/// Maximum number of deliveries scanned for a page when no index fits the filter.
const GONE_THROUGH: i64 = 1_000;

#[boxed::future]
pub async fn list_newest_deliveries(
    app: &App,
    tenant: TenantId,
    receiver: ReceiverCode,
    query: DeliveryQuery,
) -> Result<DeliveryPage, Error> {
    app.db
        .read((tenant, receiver, query), |tx, (tenant, receiver, query)| {
            Box::pin(async move {
                require_receiver(tx, *tenant, *receiver).await?;
                let (page, next_cursor) = find_deliveries(tx, *tenant, *receiver, *query).await?;
                Ok(DeliveryPage {
                    deliveries: load_attempts(tx, *tenant, *receiver, page).await?,
                    next_cursor,
                })
            })
        })
        .await
}

async fn find_deliveries(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    query: DeliveryQuery,
) -> Result<(Vec<StoredDelivery>, Option<HistoryCode>), Error> {
    let first = match query.since {
        Some(since) => find_first_code(tx, tenant, since).await?,
        None => 0,
    };
    let mut last = query.before.map_or(i32::MAX, |code| code.get().saturating_sub(1));
    if let Some(until) = query.until {
        last = last.min(find_first_code(tx, tenant, until).await?.saturating_sub(1));
    }
    let (first, last) = (HistoryCode::new(first), HistoryCode::new(last));
    if let (Some(entity), Some(record)) = (query.entity, query.record) {
        let codes =
            situation_changes::list_record_history_codes(tx, tenant, (entity, record), last, PAGE_SIZE)
                .await?;
        let before = codes.last().copied().filter(|_| codes.len() as i64 == PAGE_SIZE);
        let codes: Vec<HistoryCode> = codes.into_iter().filter(|code| *code >= first).collect();
        let mut page = match codes.is_empty() {
            true => Vec::new(),
            false => deliveries::list_deliveries_by_codes(&mut *tx, tenant, receiver, codes).await?,
        };
        page.retain(|one| query.state.is_none_or(|state| one.state == state));
        return Ok((page, before));
    }
    let limit = if query.entity.is_some() { GONE_THROUGH } else { PAGE_SIZE };
    let mut page =
        deliveries::list_newest_deliveries(&mut *tx, tenant, receiver, query.state, (first, last), limit)
            .await?;
    let mut before = page.last().map(|one| one.history).filter(|_| page.len() as i64 == limit);
    page.retain(|one| query.entity.is_none_or(|entity| one.entity == entity));
    if page.len() as i64 > PAGE_SIZE {
        page.truncate(PAGE_SIZE as usize);
        before = page.last().map(|one| one.history);
    }
    Ok((page, before))
}

/// The code of the first change since a moment, by binary search: codes and moments grow together.
pub(super) async fn find_first_code(tx: &mut Tx, tenant: TenantId, at: Moment) -> Result<i32, Error> {
    let (mut low, mut high) = (0, i32::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        match situation_changes::find_first_entry_from(tx, tenant, HistoryCode::new(middle)).await? {
            Some((code, happened)) if happened < at => low = code.get().saturating_add(1),
            _ => high = middle,
        }
    }
    Ok(low)
}

/// A delivery with its attempts and body. The body has personal data, so the access is logged.
#[boxed::future]
pub async fn read_delivery(
    app: &App,
    caller: &Session,
    (receiver, code): (ReceiverCode, HistoryCode),
) -> Result<(DeliveryWithAttempts, String), Error> {
    let tenant = caller.scope.tenant();
    let unknown = Error::NotFound { field: InputField::Receiver, code: receiver.get() };
    let read = app.db.read((tenant, receiver, code), |tx, (tenant, receiver, code)| {
        Box::pin(async move {
            let page = deliveries::list_deliveries_by_codes(&mut *tx, *tenant, *receiver, [*code]).await?;
            let delivery = load_attempts(tx, *tenant, *receiver, page).await?.pop();
            let body = situation_changes::find_trigger_body(tx, *tenant, *code).await?;
            Ok::<_, Error>(delivery.zip(body))
        })
    });
    let (delivery, body) = read.await?.ok_or(unknown)?;
    record_access(app, caller, AuditedOperation::ListDeliveries, extract_body_person(&body).into_iter())?;
    Ok((delivery, body))
}
