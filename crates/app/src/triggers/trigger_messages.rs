//! The message of a situation change, the answer of a receiver, and who sends it.

use super::feed;
use super::receivers::DeliveryTarget;
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use storage::history::situation_changes::HistoryEntryMark;
use storage::triggers::deliveries::StoredDelivery;
use storage::triggers::queues::HeldChange;

/// A leased message.
#[derive(Clone, Debug)]
pub struct DeliveryJob {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    /// The lease it was read under.
    pub lease: i64,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// The number of earlier attempts.
    pub tries: i32,
    /// Whether its record has a queue to advance afterwards: one exists, or further messages of the record are
    /// pending.
    pub has_record_queue: bool,
    pub body: Arc<str>,
    pub changed_at: Moment,
}

impl DeliveryJob {
    pub fn change_mark(&self) -> HistoryEntryMark {
        HistoryEntryMark { code: self.history, entity: self.entity, record: self.record, at: self.changed_at }
    }

    pub(super) fn held_message(&self) -> HeldChange {
        HeldChange {
            tenant: self.tenant,
            receiver: self.receiver,
            entity: self.entity,
            record: self.record,
            history: self.history,
        }
    }
}

/// The `webhook-id` of a change: the same on every attempt, but different if a restored database reuses the code.
pub fn build_message_id(tenant: TenantId, change: &HistoryEntryMark) -> String {
    format!("msg_{tenant}_{}_{}", change.code, feed::digest_change(tenant, change))
}

pub fn build_delivery_mark(delivery: &StoredDelivery) -> HistoryEntryMark {
    let StoredDelivery { history, entity, record, created_at, .. } = *delivery;
    HistoryEntryMark { code: history, entity, record, at: created_at }
}

pub struct OutgoingMessage<'m> {
    pub id: &'m str,
    pub entity: Entity,
    pub body: &'m str,
    pub now: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAnswer {
    pub status: u16,
    /// The beginning of the body, if the message was not accepted.
    pub text: Option<String>,
    /// The delay the receiver requested.
    pub retry_after: Option<Duration>,
}

impl ReceiverAnswer {
    pub fn is_accepted(&self) -> bool {
        domain::is_accepted_status(self.status.into())
    }
}

/// Sends messages; implemented by `delivery` in a process that may send.
pub trait MessageSender: Send + Sync {
    /// The answer, or a human-readable reason why there is none.
    fn post<'a>(
        &'a self,
        keys: &'a DeliveryTarget,
        message: OutgoingMessage<'a>,
    ) -> BoxFuture<'a, Result<ReceiverAnswer, String>>;
}

/// For a process that sends nothing.
pub(crate) struct DisabledSender;

impl MessageSender for DisabledSender {
    fn post<'a>(
        &'a self,
        _: &'a DeliveryTarget,
        _: OutgoingMessage<'a>,
    ) -> BoxFuture<'a, Result<ReceiverAnswer, String>> {
        Box::pin(async { Err(wire::trigger::SENDING_DISABLED.to_owned()) })
    }
}
