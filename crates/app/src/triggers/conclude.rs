//! What came of messages in hand, written together: the attempts, what follows for each queue, and how its receiver fares.

use super::Job;
use crate::mail::{self, Addressee, Message};
use crate::{App, Error};
use domain::{Moment, ReceiverCode, Role, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use storage::attempts::{self, Attempt};
use storage::queues::{self, Held};
use storage::receivers::{self, Health, Pause, Registered};
use storage::{Lane, Statement, Tx, audit};

/// How a message fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Delivered,
    Failed,
    /// It answered that it is gone for good.
    Gone,
    /// There was no time left to try.
    Untried,
}

/// What came of one message.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub job: Job,
    pub verdict: Verdict,
    pub tried_at: Moment,
    pub took: Duration,
    pub status: Option<u16>,
    pub answer: Option<String>,
    pub failure: Option<String>,
    /// How long the receiver asked to be left alone.
    pub patience: Option<Duration>,
}

/// When a message is tried again, and when a receiver is left alone.
#[derive(Clone, Debug)]
pub struct Policy {
    /// How long to wait after each failure; after the last one the message is exhausted.
    pub waits: Vec<Duration>,
    /// How often a receiver that fails altogether is probed.
    pub probe: Duration,
    /// After so long of nothing but failures it is paused.
    pub pause_after: Duration,
}

impl Policy {
    /// A receiver that failed so often, over so many records, is only probed.
    pub fn is_only_probed(failures: i32, records: usize) -> bool {
        failures >= FAILURES && records >= RECORDS
    }
}

const FAILURES: i32 = 20;
const RECORDS: usize = 5;
/// Nobody is left alone for longer because he asked for it.
const LONGEST_PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// A wait is made longer or shorter by up to so many hundredths, so that what failed together does not return together.
const JITTER: i64 = 20;

struct Conclusion {
    tenant: TenantId,
    outcomes: Vec<Outcome>,
    /// A throw for each of them: hundredths from -20 to 20.
    throws: Vec<i64>,
    policy: Arc<Policy>,
    server: Arc<str>,
    now: Moment,
}

/// A receiver that was paused because of what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paused {
    pub receiver: ReceiverCode,
    pub why: Pause,
}

/// Writes what came of messages of one tenant; says which receivers are paused for it.
pub async fn conclude(
    app: &App,
    policy: &Arc<Policy>,
    tenant: TenantId,
    outcomes: Vec<Outcome>,
) -> Result<Vec<Paused>, Error> {
    let mut bytes = vec![0; outcomes.len() * 2];
    app.chance.fill(&mut bytes);
    let throws = bytes
        .chunks(2)
        .map(|two| i64::from(u16::from_le_bytes([two[0], two[1]])) * (2 * JITTER + 1) / 65_536 - JITTER);
    let input = Conclusion {
        tenant,
        throws: throws.collect(),
        outcomes,
        policy: Arc::clone(policy),
        server: Arc::clone(&app.public_url),
        now: app.now(),
    };
    app.db.write(Lane::background(tenant), input, |tx, input| Box::pin(write(tx, input))).await
}

async fn write(tx: &mut Tx, input: &Conclusion) -> Result<Vec<Paused>, Error> {
    let (tenant, now) = (input.tenant, input.now);
    let codes: BTreeSet<ReceiverCode> = input.outcomes.iter().map(|one| one.job.receiver).collect();
    let known = receivers::some(&mut *tx, tenant, codes).await?;
    let mut known: BTreeMap<ReceiverCode, Registered> =
        known.into_iter().map(|one| (one.code, one)).collect();
    let tried = input.outcomes.iter().filter(|one| one.verdict != Verdict::Untried);
    let rows: Vec<Attempt> = tried.map(attempt).collect();
    let mut statements = attempts::insert(tenant, &rows);
    let arrived = input.outcomes.iter().filter(|one| one.verdict == Verdict::Delivered);
    let arrived: Vec<Held> = arrived.map(|one| one.job.held()).collect();
    statements.extend(queues::delivered(&arrived, now));
    let before: BTreeMap<ReceiverCode, Health> =
        known.iter().map(|(code, one)| (*code, one.health.clone())).collect();
    let mut paused = Vec::new();
    for (outcome, throw) in input.outcomes.iter().zip(&input.throws) {
        let Some(receiver) = known.get_mut(&outcome.job.receiver) else { continue };
        statements.extend(followed(input, outcome, *throw));
        if let Some(why) = fared(&mut receiver.health, input, outcome)
            && receiver.paused.is_none()
        {
            receiver.paused = Some((now, why));
            statements.push(receivers::pause(tenant, receiver.code, Some(why), now));
            paused.push(Paused { receiver: receiver.code, why });
        }
    }
    statements.extend(
        known
            .values()
            .filter(|one| before.get(&one.code) != Some(&one.health))
            .map(|one| receivers::tell_health(tenant, one.code, &one.health)),
    );
    tx.batch(statements).await?;
    for one in &paused {
        if let Some(receiver) = known.get(&one.receiver) {
            alarm(tx, input, receiver, one.why).await?;
        }
    }
    Ok(paused)
}

fn attempt(outcome: &Outcome) -> Attempt {
    Attempt {
        receiver: outcome.job.receiver,
        history: outcome.job.history,
        number: outcome.job.lease,
        tried_at: outcome.tried_at,
        status: outcome.status.map(i32::from),
        millis: i64::try_from(outcome.took.as_millis()).unwrap_or(i64::MAX),
        answer: outcome.answer.clone(),
        failure: outcome.failure.clone(),
    }
}

/// What follows for the queue.
fn followed(input: &Conclusion, outcome: &Outcome, throw: i64) -> Vec<Statement> {
    let held = outcome.job.held();
    match outcome.verdict {
        // Together with the others that arrived.
        Verdict::Delivered => Vec::new(),
        Verdict::Untried => held.untried(input.now),
        Verdict::Failed | Verdict::Gone => {
            let wait = usize::try_from(outcome.job.tries).ok().and_then(|done| input.policy.waits.get(done));
            match wait {
                Some(wait) => {
                    // Whoever asks for patience gets it; who asks for less of it than we have costs nobody his attempts.
                    let asked = outcome.patience.unwrap_or_default().min(LONGEST_PATIENCE);
                    held.failed(input.now, input.now.plus(thrown(*wait, throw).max(asked)))
                }
                None => held.exhausted(input.now),
            }
        }
    }
}

fn thrown(wait: Duration, throw: i64) -> Duration {
    let hundredths = u32::try_from(100 + throw).unwrap_or(100);
    wait * hundredths / 100
}

/// How the receiver fares with it; why it must be paused, if it must.
fn fared(health: &mut Health, input: &Conclusion, outcome: &Outcome) -> Option<Pause> {
    match outcome.verdict {
        Verdict::Untried => return None,
        Verdict::Delivered => {
            // A probe that arrived opens the way for all; but one who asked for patience meanwhile is given it.
            let is_probed = Policy::is_only_probed(health.failures, health.failed_records.len());
            let not_before = health.not_before.filter(|at| !is_probed && input.now < *at);
            // Written at most once a second while all goes well: it is for people.
            let is_news = health.failures > 0
                || health.not_before != not_before
                || health.succeeded_at.is_none_or(|at| input.now.since(at) >= Duration::from_secs(1));
            if is_news {
                let now = Some(input.now);
                *health = Health { tried_at: now, succeeded_at: now, not_before, ..Health::default() };
            }
            return None;
        }
        Verdict::Failed | Verdict::Gone => {}
    }
    health.failures = health.failures.saturating_add(1);
    health.tried_at = Some(input.now);
    let since = *health.failing_since.get_or_insert(input.now);
    let record = (outcome.job.entity.number(), outcome.job.record);
    if health.failed_records.len() < RECORDS && !health.failed_records.contains(&record) {
        health.failed_records.push(record);
    }
    if let Some(asked) = outcome.patience {
        health.not_before = Some(input.now.plus(asked.min(LONGEST_PATIENCE)));
    }
    if Policy::is_only_probed(health.failures, health.failed_records.len()) {
        let probe = input.now.plus(input.policy.probe);
        health.not_before = Some(health.not_before.map_or(probe, |at| at.max(probe)));
    }
    if outcome.verdict == Verdict::Gone {
        return Some(Pause::Gone);
    }
    (input.now.since(since) >= input.policy.pause_after).then_some(Pause::Failing)
}

/// Tells the administrators that a receiver gets nothing any more: nobody is switched off in silence.
async fn alarm(tx: &mut Tx, input: &Conclusion, receiver: &Registered, why: Pause) -> Result<(), Error> {
    let entry = audit::Entry {
        tenant: input.tenant,
        at: input.now,
        user: None,
        operation: "entrega de gatilhos",
        person: None,
        detail: Some(format!("receptor {} pausado", receiver.code)),
    };
    audit::append(tx, &entry).await?;
    let users = storage::users::visible(&mut *tx, &domain::Scope::whole(input.tenant)).await?;
    for user in users.iter().filter(|user| user.active && user.role == Role::Administrator) {
        let to = Addressee { tenant: input.tenant, name: &user.name, email: &user.email };
        let message = Message::ReceiverPaused {
            code: receiver.code,
            address: &receiver.address,
            gone: why == Pause::Gone,
        };
        mail::write(tx, &input.server, to, message, input.now).await?;
    }
    Ok(())
}
