//! Writes down what came of messages. A message stays in hand until its result is written, however long that takes, so
//! that nothing that fails behind it sends it again; and while results cannot be written, nothing more is sent.

use super::course::{Course, End};
use super::line::Line;
use super::outcome::count_exhausted;
use super::{Engine, lock};
use app::Error;
use app::triggers::{self, Outcome, Verdict};
use domain::{ReceiverCode, TenantId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Results that are written together.
const TOGETHER: usize = 1024;
/// Behind a result that could not be written it is waited so long, twice as long each time, and never longer than this.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A receiver gets nothing more while so many of its results cannot be written, though others' can.
const MOST_SET_ASIDE: usize = 5;
/// No lease has this number.
const NO_LEASE: i64 = 0;

/// What came of a message, and the line whose place it keeps until that is written down.
pub struct Ended {
    pub outcome: Outcome,
    pub course: Arc<Course>,
    pub kept: Option<Arc<Line>>,
}

/// The results that wait because they cannot be written.
#[derive(Default)]
pub struct UnwrittenResults {
    /// The database takes nothing of these tenants.
    tenants: HashSet<TenantId>,
    /// It refuses these results alone.
    set_aside: HashMap<(TenantId, ReceiverCode), usize>,
}

impl UnwrittenResults {
    pub fn holds_up(&self, tenant: TenantId) -> bool {
        self.tenants.contains(&tenant)
    }

    /// Whether nothing more may be sent to a receiver.
    pub fn stops(&self, tenant: TenantId, receiver: ReceiverCode) -> bool {
        let aside = self.set_aside.get(&(tenant, receiver)).copied().unwrap_or(0);
        self.holds_up(tenant) || aside >= MOST_SET_ASIDE
    }

    fn set_aside(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        *self.set_aside.entry((tenant, receiver)).or_default() += 1;
    }

    fn take_back(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        let Some(count) = self.set_aside.get_mut(&(tenant, receiver)) else { return };
        *count -= 1;
        if *count == 0 {
            self.set_aside.remove(&(tenant, receiver));
        }
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

impl Engine {
    pub(super) fn record(self: &Arc<Engine>, tenant: TenantId, ended: Ended) {
        let mut recorders = lock(&self.recorders);
        let recorder = recorders.entry(tenant).or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            tokio::spawn(Arc::clone(self).write(tenant, receiver));
            sender
        });
        // It ends only with the program.
        let _ = recorder.send(ended);
    }

    /// Writes down what came of the messages of a tenant, as many together as there are.
    async fn write(self: Arc<Engine>, tenant: TenantId, mut results: mpsc::UnboundedReceiver<Ended>) {
        let mut some = Vec::with_capacity(TOGETHER);
        while results.recv_many(&mut some, TOGETHER).await > 0 {
            for one in &mut some {
                let job = &mut one.outcome.job;
                job.goes_on |= one.course.has_more(job);
            }
            let written = self.write_together(tenant, &some).await;
            for one in some.drain(..) {
                match &written {
                    Ok(is_written) => self.end(one, *is_written),
                    Err(_) => self.write_alone(one).await,
                }
            }
            self.wake.notify_one();
        }
    }

    /// Tries until they are written. Fails where trying again is in vain because one of them has a defect; `false` where
    /// the process stops and they are left to whoever comes next.
    async fn write_together(&self, tenant: TenantId, some: &[Ended]) -> Result<bool, Error> {
        let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
        let ended = loop {
            match self.conclude(tenant, some.iter().map(|one| one.outcome.clone()).collect()).await {
                Ok(()) => break Ok(true),
                Err(error) if !error.is_passing() => break Err(error),
                Err(error) => {
                    tracing::warn!(%tenant, %error, "results of deliveries cannot be written; it is tried again");
                }
            }
            lock(&self.unwritten).tenants.insert(tenant);
            if self.is_given_up(begun) {
                return Ok(false);
            }
            tokio::time::sleep(pause).await;
            pause = longer(pause);
        };
        lock(&self.unwritten).tenants.remove(&tenant);
        ended
    }

    /// Writes one result that may be the one that no database takes. Then it waits aside, and its message stays in hand.
    async fn write_alone(self: &Arc<Engine>, mut one: Ended) {
        let job = &one.outcome.job;
        let (tenant, receiver, history) = (job.tenant, job.receiver, job.history);
        match self.conclude_one(&mut one).await {
            Ok(()) => self.end(one, true),
            Err(error) => {
                tracing::error!(%tenant, %receiver, %history, %error, "the result of a delivery cannot be written; it is tried again");
                lock(&self.unwritten).set_aside(tenant, receiver);
                tokio::spawn(Arc::clone(self).write_aside(one));
            }
        }
    }

    async fn write_aside(self: Arc<Engine>, mut one: Ended) {
        let (tenant, receiver) = (one.outcome.job.tenant, one.outcome.job.receiver);
        let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
        let is_written = loop {
            tokio::time::sleep(pause).await;
            pause = longer(pause);
            match self.conclude_one(&mut one).await {
                Ok(()) => break true,
                Err(_) if self.is_given_up(begun) => break false,
                Err(error) => {
                    tracing::debug!(%tenant, %receiver, %error, "the result of a delivery still cannot be written");
                }
            }
        };
        lock(&self.unwritten).take_back(tenant, receiver);
        self.end(one, is_written);
        self.wake.notify_one();
    }

    /// Writes one result. It may be there already, where the answer to an earlier try was lost: then it is told as by one
    /// who does not know what became of the message meanwhile.
    async fn conclude_one(&self, one: &mut Ended) -> Result<(), Error> {
        let tenant = one.outcome.job.tenant;
        let concluded = self.conclude(tenant, vec![one.outcome.clone()]).await;
        if !matches!(concluded, Err(Error::Storage(storage::Error::Conflict(_)))) {
            return concluded;
        }
        one.outcome.job.lease = NO_LEASE;
        self.conclude(tenant, vec![one.outcome.clone()]).await
    }

    async fn conclude(&self, tenant: TenantId, outcomes: Vec<Outcome>) -> Result<(), Error> {
        let by = (&self.holder, &self.settings.policy);
        let concluded = triggers::conclude(&self.app, by, tenant, outcomes).await?;
        count_exhausted(concluded.exhausted);
        for one in concluded.paused {
            tracing::error!(%tenant, receiver = %one.receiver, why = ?one.why, "a receiver was paused");
        }
        Ok(())
    }

    /// A process that stops does not wait for ever.
    fn is_given_up(&self, begun: Instant) -> bool {
        self.stopping.load(Ordering::Relaxed) && begun.elapsed() >= self.settings.lease
    }

    /// The message is in hand no more.
    fn end(&self, Ended { outcome, course, kept }: Ended, is_written: bool) {
        let is_ended = is_written && outcome.verdict != Verdict::Untried;
        course.end(&outcome.job, if is_ended { End::Written } else { End::Open });
        if let Some(line) = kept {
            line.in_hand.fetch_sub(1, Ordering::Relaxed);
        }
        self.in_hand.sub(outcome.job.tenant, 1);
    }
}
