//! A unit of work in a lane: the code to run and the caller to answer.

use super::db::UnitRank;
use crate::{Error, Tx};
use futures_util::future::BoxFuture;
use std::any::Any;
use std::time::Instant;
use tokio::sync::oneshot;

/// What happens to the writes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionVerdict {
    Commit,
    /// Refused before it wrote anything: there is nothing to roll back.
    NoWrites,
    Rollback,
    /// Like `Rollback`, and the unit must not run again, because it would delay the others a second time.
    GiveUp,
    /// Rolled back by the database for a transient reason: it may run again.
    Retry,
}

/// A type-erased unit, as the engines see it.
pub(crate) struct QueuedUnit {
    unit: Box<dyn ErasedUnit>,
    reply: oneshot::Sender<ErasedOutcome>,
    queued_at: Instant,
}

/// The type-erased `Result<T, E>` of a unit.
type ErasedOutcome = Box<dyn Any + Send>;

/// Receives the result of a unit.
pub(crate) struct PendingAnswer(oneshot::Receiver<ErasedOutcome>);

/// The part of a unit that is compiled per type.
trait ErasedUnit: Send {
    /// Runs it; returns whether it succeeded.
    fn call<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, bool>;
    /// Replaces its result with an error.
    fn fail(&mut self, error: Error);
    fn into_outcome(self: Box<Self>) -> ErasedOutcome;
}

struct TypedUnit<I, F, T, E> {
    input: I,
    unit: F,
    outcome: Option<Result<T, E>>,
}

impl<I, F, T, E> ErasedUnit for TypedUnit<I, F, T, E>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send,
    I: Send + Sync,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    fn call<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, bool> {
        let TypedUnit { input, unit, outcome } = self;
        *outcome = None;
        let running = unit(tx, input);
        Box::pin(async move { outcome.insert(running.await).is_ok() })
    }

    fn fail(&mut self, error: Error) {
        self.outcome = Some(Err(E::from(error)));
    }

    fn into_outcome(self: Box<Self>) -> ErasedOutcome {
        let never_ran = || Err(E::from(Error::Broken("a unit was answered before it ran".to_owned())));
        Box::new(self.outcome.unwrap_or_else(never_ran))
    }
}

impl QueuedUnit {
    /// Erases the types of a unit; its result arrives at the `PendingAnswer`.
    pub fn new<I, F, T, E>(input: I, unit: F) -> (QueuedUnit, PendingAnswer)
    where
        F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        QueuedUnit::from_erased(Box::new(TypedUnit { input, unit, outcome: None }))
    }

    fn from_erased(unit: Box<dyn ErasedUnit>) -> (QueuedUnit, PendingAnswer) {
        let (reply, answer) = oneshot::channel();
        (QueuedUnit { unit, reply, queued_at: Instant::now() }, PendingAnswer(answer))
    }

    pub async fn run(&mut self, tx: &mut Tx) -> TransactionVerdict {
        tx.begin_unit();
        let has_value = self.unit.call(tx).await;
        let fault = tx.take_fault();
        match (has_value, fault) {
            (true, None) => TransactionVerdict::Commit,
            (true, Some(fault)) => {
                let text = format!("a unit went on after a statement failed: {}", fault.text);
                self.unit.fail(Error::Broken(text));
                TransactionVerdict::Rollback
            }
            (false, Some(fault)) if fault.passing => TransactionVerdict::Retry,
            (false, Some(fault)) if fault.slow => TransactionVerdict::GiveUp,
            (false, None) if !tx.has_written() => TransactionVerdict::NoWrites,
            (false, _) => TransactionVerdict::Rollback,
        }
    }

    /// Answers the caller: with the unit's result if its batch was committed, otherwise with the failure.
    pub fn answer(mut self, failure: Option<Error>) {
        if let Some(error) = failure {
            self.unit.fail(error);
        }
        // The caller may be gone; a commit stays valid.
        let _ = self.reply.send(self.unit.into_outcome());
    }

    /// Whether the caller no longer waits.
    pub fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    pub fn queued_at(&self) -> Instant {
        self.queued_at
    }
}

impl PendingAnswer {
    /// The result of the unit; `T` and `E` must be those of the unit.
    pub async fn receive<T: Send + 'static, E: Send + 'static>(self) -> Option<Result<T, E>> {
        let outcome = self.0.await.ok()?;
        outcome.downcast().ok().map(|outcome| *outcome)
    }
}

/// How often a unit runs in total if the database keeps rolling it back.
pub(crate) const RUNS_PER_UNIT: u8 = 4;

pub(crate) struct PrioritizedUnit {
    pub work: QueuedUnit,
    pub rank: UnitRank,
    pub tries: u8,
}

impl PrioritizedUnit {
    pub fn new(work: QueuedUnit, rank: UnitRank) -> PrioritizedUnit {
        PrioritizedUnit { work, rank, tries: 0 }
    }
}
