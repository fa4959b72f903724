//! Loads receivers, and checks whether they may still be sent to.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::message_window::ReceiverProgress;
use super::receiver_queue::ReceiverQueue;
use app::Error;
use app::triggers::{self, DeliveryJob, DueReceiver, receivers};
use domain::{ReceiverCode, TenantId};
use std::sync::Arc;
use std::time::Instant;

impl DispatchEngine {
    pub(super) fn receiver_progress(
        &self,
        tenant: TenantId,
        receiver: ReceiverCode,
    ) -> Arc<ReceiverProgress> {
        Arc::clone(lock_mutex(&self.progress_by_receiver).entry((tenant, receiver)).or_default())
    }

    /// The cached receiver, unless a newer version exists.
    pub(super) fn known_queue(&self, due: &DueReceiver) -> Option<Arc<ReceiverQueue>> {
        let known = lock_mutex(&self.queues).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|queue| queue.target.version >= due.version)
    }

    pub(super) async fn load_queue(&self, due: &DueReceiver) -> Result<Arc<ReceiverQueue>, Error> {
        if let Some(queue) = self.known_queue(due) {
            return Ok(queue);
        }
        let queried_at = Instant::now();
        let target = Arc::new(
            receivers::load_delivery_target(&self.app, &self.vault, due.tenant, due.receiver).await?,
        );
        let mut queues = lock_mutex(&self.queues);
        let before = queues.get(&(due.tenant, due.receiver)).map(Arc::as_ref);
        let queue = Arc::new(ReceiverQueue::new(target, queried_at, before));
        queues.insert((due.tenant, due.receiver), Arc::clone(&queue));
        Ok(queue)
    }

    /// Whether a queued message may still be sent to its receiver. On an error the message waits.
    pub(super) async fn is_receiver_open(&self, queue: &ReceiverQueue, job: &DeliveryJob) -> bool {
        if queue.is_fresh() {
            return true;
        }
        // One caller queries on behalf of all.
        let _turn = queue.state_check.lock().await;
        if queue.is_fresh() {
            return true;
        }
        let queried_at = Instant::now();
        match triggers::is_receiver_open(&self.app, job.tenant, job.receiver, queue.target.version).await {
            Ok(is_open) => {
                if is_open {
                    queue.mark_fresh(queried_at);
                }
                is_open
            }
            Err(error) => {
                tracing::warn!(tenant = %job.tenant, receiver = %job.receiver, %error, "the state of a receiver could not be read; its message waits");
                false
            }
        }
    }
}
