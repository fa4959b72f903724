//! Records the outcomes of leased messages in batches: attempts, queue updates and receiver health.

use super::receiver_health::update_health;
use super::receiver_leases::LeaseHolder;
use super::trigger_messages::DeliveryJob;
use crate::mail::{self, Addressee, UserNotice};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, DeliveryState, HistoryCode, Moment,
    ReceiverCode, RetryPolicy, Role, TenantId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::server::leases;
use storage::triggers::attempts::{self, DeliveryAttempt};
use storage::triggers::deliveries::{self, FinishedDelivery};
use storage::triggers::queues::{self, HeldChange};
use storage::triggers::receivers::{self, DeliveryHealth, PauseReason, StoredReceiver};
use storage::{Statement, Tx, WriteLane};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryVerdict {
    Delivered,
    Failed,
    /// The receiver answered that it is gone for good.
    Gone,
    /// There was no time left to try.
    Untried,
}

#[derive(Clone, Debug)]
pub struct DeliveryOutcome {
    pub job: DeliveryJob,
    pub verdict: DeliveryVerdict,
    pub tried_at: Moment,
    pub took: Duration,
    pub status: Option<u16>,
    pub answer: Option<String>,
    pub failure: Option<String>,
    /// The delay the receiver requested.
    pub retry_after: Option<Duration>,
}

/// Minimum interval between notices about exhausted messages of a receiver.
const LOG_INTERVAL: Duration = Duration::from_hours(24);

struct OutcomeBatch {
    tenant: TenantId,
    outcomes: Vec<DeliveryOutcome>,
    /// The jitter of each outcome: percent from -20 to 20.
    jitters: Vec<i64>,
    policy: Arc<RetryPolicy>,
    /// The lease holder of the messages.
    holder: String,
    server: Arc<str>,
    now: Moment,
}

/// A receiver paused because of these outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausedReceiver {
    pub receiver: ReceiverCode,
    pub why: PauseReason,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeSummary {
    pub paused: Vec<PausedReceiver>,
    /// The number of messages that ran out of attempts.
    pub exhausted: u64,
}

/// Records the outcomes of messages of one tenant.
#[boxed::future]
pub async fn record_outcomes(
    app: &App,
    (holder, policy): (&LeaseHolder, &Arc<RetryPolicy>),
    tenant: TenantId,
    outcomes: Vec<DeliveryOutcome>,
) -> Result<OutcomeSummary, Error> {
    let mut bytes = vec![0; outcomes.len() * 2];
    app.random_source.fill(&mut bytes);
    let jitters = bytes.chunks(2).map(|two| {
        i64::from(u16::from_le_bytes([two[0], two[1]])) * (2 * RetryPolicy::JITTER_PERCENT + 1) / 65_536
            - RetryPolicy::JITTER_PERCENT
    });
    let input = OutcomeBatch {
        tenant,
        jitters: jitters.collect(),
        outcomes,
        policy: Arc::clone(policy),
        holder: holder.name(),
        server: Arc::clone(&app.public_url),
        now: app.now(),
    };
    app.db.write(WriteLane::background(tenant), input, |tx, input| Box::pin(write_outcomes(tx, input))).await
}

async fn write_outcomes(tx: &mut Tx, input: &OutcomeBatch) -> Result<OutcomeSummary, Error> {
    let (tenant, now) = (input.tenant, input.now);
    let codes: BTreeSet<ReceiverCode> = input.outcomes.iter().map(|one| one.job.receiver).collect();
    let known = receivers::list_receivers_by_code(&mut *tx, tenant, codes.iter().copied()).await?;
    let mut known: BTreeMap<ReceiverCode, StoredReceiver> =
        known.into_iter().map(|one| (one.code, one)).collect();
    let (mut statements, given_up) = build_follow_ups(tx, input, codes).await?;
    let mut receivers_to_log = Vec::new();
    for receiver in given_up.iter().copied().collect::<BTreeSet<ReceiverCode>>() {
        let last = deliveries::find_last_exhausted_moment(tx, tenant, receiver).await?;
        receivers_to_log
            .extend(last.is_none_or(|at| now.duration_since(at) >= LOG_INTERVAL).then_some(receiver));
    }
    let before: BTreeMap<ReceiverCode, DeliveryHealth> =
        known.iter().map(|(code, one)| (*code, one.health.clone())).collect();
    let mut paused = Vec::new();
    for outcome in &input.outcomes {
        let Some(receiver) = known.get_mut(&outcome.job.receiver) else { continue };
        if let Some(why) = update_health(&mut receiver.health, (input.now, &input.policy), outcome)
            && receiver.paused.is_none()
        {
            receiver.paused = Some((now, why));
            statements.push(receivers::update_receiver_pause(tenant, receiver.code, Some(why), now));
            paused.push(PausedReceiver { receiver: receiver.code, why });
        }
    }
    statements.extend(
        known
            .values()
            .filter(|one| before.get(&one.code) != Some(&one.health))
            .map(|one| receivers::upsert_receiver_health(tenant, one.code, &one.health)),
    );
    tx.execute_batch(statements).await?;
    for one in &paused {
        if let Some(receiver) = known.get(&one.receiver) {
            announce_pause(tx, input, receiver, one.why).await?;
        }
    }
    for receiver in receivers_to_log.iter().filter_map(|code| known.get(code)) {
        let message = UserNotice::TriggersExhausted { code: receiver.code, address: &receiver.address };
        notify_administrators(tx, input, message).await?;
    }
    Ok(OutcomeSummary { paused, exhausted: given_up.len() as u64 })
}

/// Collects the writes for the messages and for the queues of their records.
async fn build_follow_ups(
    tx: &mut Tx,
    input: &OutcomeBatch,
    receivers: BTreeSet<ReceiverCode>,
) -> Result<(Vec<Statement>, Vec<ReceiverCode>), Error> {
    let leases = leases::list_leases(&mut *tx, input.tenant, receivers).await?;
    let mut written = OutcomeStatements::default();
    // Outcomes under an older lease number: the receiver's messages changed without the holder's knowledge.
    let mut older_lease_outcomes: BTreeMap<ReceiverCode, Vec<(&DeliveryOutcome, i64)>> = BTreeMap::new();
    for (outcome, jitter) in input.outcomes.iter().zip(&input.jitters) {
        let lease = leases.iter().find(|one| one.receiver == outcome.job.receiver);
        let lease = lease.filter(|one| one.holder == input.holder);
        // Changes of the record that are still pending come after this one.
        let after = outcome.job.history;
        match (outcome.verdict, lease) {
            (DeliveryVerdict::Untried, _) => {}
            (_, Some(lease)) if lease.number != outcome.job.lease => {
                older_lease_outcomes.entry(outcome.job.receiver).or_default().push((outcome, *jitter));
            }
            (DeliveryVerdict::Delivered, Some(_)) => {
                written.add_arrival(outcome, outcome.job.has_record_queue.then_some(after), input.now);
            }
            (DeliveryVerdict::Failed | DeliveryVerdict::Gone, Some(_)) => {
                written.attempts.push(outcome);
                written.add_failure(input, outcome, (*jitter, after));
            }
            // Another holder decides about the message now; a successful delivery still counts if that holder gave it
            // up.
            (_, None) => written.add_stale_report(outcome),
        }
    }
    let first = HistoryCode::new(0);
    for (receiver, outcomes) in older_lease_outcomes {
        let codes = outcomes.iter().map(|(one, _)| one.job.history);
        let pending = queues::list_pending_heads(tx, input.tenant, receiver, codes).await?;
        for (outcome, jitter) in outcomes {
            match (pending.get(&outcome.job.history), outcome.verdict) {
                (None, _) => written.add_stale_report(outcome),
                // Overtaken, because an older change of its record is replayed: it stays pending and follows that one.
                (Some(Some(head)), DeliveryVerdict::Delivered) if *head < outcome.job.history => {
                    written.attempts.push(outcome);
                }
                (Some(_), DeliveryVerdict::Delivered) => written.add_arrival(outcome, Some(first), input.now),
                (Some(_), _) => {
                    written.attempts.push(outcome);
                    written.add_failure(input, outcome, (jitter, first));
                }
            }
        }
    }
    let given_up = std::mem::take(&mut written.given_up);
    Ok((written.into_statements(tx, input.tenant).await?, given_up))
}

/// The writes, grouped by kind so that many rows go in one statement.
#[derive(Default)]
struct OutcomeStatements<'o> {
    attempts: Vec<&'o DeliveryOutcome>,
    ended: Vec<FinishedDelivery>,
    removed: Vec<HeldChange>,
    others: Vec<Statement>,
    /// The receivers of messages that ran out of attempts.
    given_up: Vec<ReceiverCode>,
}

impl<'o> OutcomeStatements<'o> {
    /// Delivered. If its record has a queue, the queue advances to what is pending after `after`.
    fn add_arrival(&mut self, outcome: &'o DeliveryOutcome, after: Option<HistoryCode>, now: Moment) {
        // Most receivers accept without a body: such an attempt needs no row of its own.
        let arrived = match &outcome.answer {
            None => Some((outcome.status.map_or(0, i32::from), measure_millis(outcome))),
            Some(_) => {
                self.attempts.push(outcome);
                None
            }
        };
        let at = outcome.tried_at.plus(outcome.took);
        let ended = self.end_delivery(outcome, DeliveryState::Delivered, at, arrived);
        if let Some(after) = after {
            self.others.extend(ended.advance_queue(after, now));
        }
    }

    /// An outcome from a former lease holder, or of a message that ended meanwhile.
    fn add_stale_report(&mut self, outcome: &'o DeliveryOutcome) {
        self.attempts.push(outcome);
        if outcome.verdict == DeliveryVerdict::Delivered {
            let job = &outcome.job;
            self.others.push(deliveries::mark_exhausted_delivered(job.tenant, job.receiver, job.history));
        }
    }

    fn add_failure(
        &mut self,
        input: &OutcomeBatch,
        outcome: &'o DeliveryOutcome,
        (jitter, after): (i64, HistoryCode),
    ) {
        match input.policy.choose_wait(outcome.job.tries, outcome.retry_after, jitter) {
            Some(wait) => {
                let (due, tries) = (input.now.plus(wait), outcome.job.tries.saturating_add(1));
                self.others.extend(outcome.job.held_message().schedule_retry(tries, due));
            }
            None => {
                self.given_up.push(outcome.job.receiver);
                let ended = self.end_delivery(outcome, DeliveryState::Exhausted, input.now, None);
                self.others.extend(ended.advance_queue(after, input.now));
            }
        }
    }

    fn end_delivery(
        &mut self,
        outcome: &DeliveryOutcome,
        state: DeliveryState,
        at: Moment,
        arrived: Option<(i32, i64)>,
    ) -> HeldChange {
        let message = outcome.job.held_message();
        let tries = outcome.job.tries.saturating_add(1);
        let (receiver, history) = (message.receiver, message.history);
        self.ended.push(FinishedDelivery { receiver, history, state, tries, at, arrived });
        self.removed.push(message);
        message
    }

    async fn into_statements(self, tx: &mut Tx, tenant: TenantId) -> Result<Vec<Statement>, Error> {
        let mut statements = deliveries::insert_finished_deliveries(tenant, self.ended);
        statements.extend(queues::delete_pending_changes(&self.removed));
        statements.extend(self.others);
        if !self.attempts.is_empty() {
            let number = counters::reserve_long_number(tx, tenant, Counter::Lease).await?;
            let rows: Vec<DeliveryAttempt> =
                self.attempts.into_iter().map(|one| build_attempt(one, number)).collect();
            statements.extend(attempts::insert_attempts(tenant, &rows));
        }
        Ok(statements)
    }
}

fn measure_millis(outcome: &DeliveryOutcome) -> i64 {
    i64::try_from(outcome.took.as_millis()).unwrap_or(i64::MAX)
}

fn build_attempt(outcome: &DeliveryOutcome, number: i64) -> DeliveryAttempt {
    DeliveryAttempt {
        receiver: outcome.job.receiver,
        history: outcome.job.history,
        number,
        tried_at: outcome.tried_at,
        status: outcome.status.map(i32::from),
        millis: measure_millis(outcome),
        answer: outcome.answer.clone(),
        failure: outcome.failure.clone(),
    }
}

/// Notifies the administrators that a receiver was paused.
async fn announce_pause(
    tx: &mut Tx,
    input: &OutcomeBatch,
    receiver: &StoredReceiver,
    why: PauseReason,
) -> Result<(), Error> {
    let entry = audit::AuditEntry {
        tenant: input.tenant,
        at: input.now,
        user: None,
        operation: AuditedOperation::DeliverTriggers,
        person: None,
        change: AuditedChange::new(
            AuditedAction::PauseReceiver,
            AuditedRecordKind::Receiver,
            receiver.code.get(),
        ),
    };
    audit::append_audit_entry(tx, &entry).await?;
    let message = UserNotice::ReceiverPaused {
        code: receiver.code,
        address: &receiver.address,
        gone: why == PauseReason::Gone,
    };
    notify_administrators(tx, input, message).await
}

async fn notify_administrators(
    tx: &mut Tx,
    input: &OutcomeBatch,
    message: UserNotice<'_>,
) -> Result<(), Error> {
    let users =
        storage::access::users::list_visible_users(&mut *tx, &domain::Scope::for_tenant(input.tenant))
            .await?;
    for user in users.iter().filter(|user| user.active && user.role == Role::Administrator) {
        let to = Addressee { tenant: input.tenant, name: &user.name, email: &user.email };
        mail::enqueue_mail(tx, &input.server, to, message, input.now).await?;
    }
    Ok(())
}
