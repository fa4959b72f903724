//! A unit of work on its way to a lane: what to run, and whom to answer once its fate is known.

use crate::db::Rank;
use crate::{Error, Tx};
use futures_util::future::BoxFuture;
use std::any::Any;
use std::time::Instant;
use tokio::sync::oneshot;

/// What a unit wants done with what it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    Keep,
    /// Refused before it wrote anything: there is nothing to undo.
    Clean,
    Undo,
    /// As `Undo`, and running it a second time would only make the others wait a second time.
    Spent,
    /// The database rolled it back for a reason that passes: it may run again.
    Again,
}

/// A unit on its way, without its types, as the engines see it.
pub(crate) struct Work {
    unit: Box<dyn Unit>,
    reply: oneshot::Sender<Outcome>,
    queued_at: Instant,
}

/// What a unit gave, a `Result<T, E>` of its own types.
type Outcome = Box<dyn Any + Send>;

/// Where the answer to a unit arrives.
pub(crate) struct Answer(oneshot::Receiver<Outcome>);

/// What of a unit is compiled for its types; everything else is the same for all units.
trait Unit: Send {
    /// Runs it, and says whether it gave a value.
    fn call<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, bool>;
    /// Puts an error in the place of what it gave.
    fn fail(&mut self, error: Error);
    fn into_outcome(self: Box<Self>) -> Outcome;
}

struct Typed<I, F, T, E> {
    input: I,
    unit: F,
    outcome: Option<Result<T, E>>,
}

impl<I, F, T, E> Unit for Typed<I, F, T, E>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send,
    I: Send + Sync,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    fn call<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, bool> {
        let Typed { input, unit, outcome } = self;
        *outcome = None;
        let running = unit(tx, input);
        Box::pin(async move { outcome.insert(running.await).is_ok() })
    }

    fn fail(&mut self, error: Error) {
        self.outcome = Some(Err(E::from(error)));
    }

    fn into_outcome(self: Box<Self>) -> Outcome {
        let never_ran = || Err(E::from(Error::Broken("a unit was answered before it ran".to_owned())));
        Box::new(self.outcome.unwrap_or_else(never_ran))
    }
}

impl Work {
    /// Takes a unit's types away; its answer arrives at the other end.
    pub fn new<I, F, T, E>(input: I, unit: F) -> (Work, Answer)
    where
        F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        Work::of(Box::new(Typed { input, unit, outcome: None }))
    }

    fn of(unit: Box<dyn Unit>) -> (Work, Answer) {
        let (reply, answer) = oneshot::channel();
        (Work { unit, reply, queued_at: Instant::now() }, Answer(answer))
    }

    pub async fn run(&mut self, tx: &mut Tx) -> Ran {
        tx.begin_unit();
        let has_value = self.unit.call(tx).await;
        let fault = tx.take_fault();
        match (has_value, fault) {
            (true, None) => Ran::Keep,
            (true, Some(fault)) => {
                let text = format!("a unit went on after a statement failed: {}", fault.text);
                self.unit.fail(Error::Broken(text));
                Ran::Undo
            }
            (false, Some(fault)) if fault.passing => Ran::Again,
            (false, Some(fault)) if fault.slow => Ran::Spent,
            (false, None) if !tx.has_written() => Ran::Clean,
            (false, _) => Ran::Undo,
        }
    }

    /// Answers the caller: with what the unit gave where its batch was committed, else with the failure.
    pub fn answer(mut self, failure: Option<Error>) {
        if let Some(error) = failure {
            self.unit.fail(error);
        }
        // The caller may have gone meanwhile; what was committed stays committed.
        let _ = self.reply.send(self.unit.into_outcome());
    }

    /// Nobody waits for the answer any more.
    pub fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    pub fn queued_at(&self) -> Instant {
        self.queued_at
    }
}

impl Answer {
    /// What the unit gave, where it gave something of this type; it is of the type that its unit had.
    pub async fn outcome<T: Send + 'static, E: Send + 'static>(self) -> Option<Result<T, E>> {
        let outcome = self.0.await.ok()?;
        outcome.downcast().ok().map(|outcome| *outcome)
    }
}

/// How often a unit that the database rolled back is run in all.
pub(crate) const TRIES: u8 = 4;

pub(crate) struct Job {
    pub work: Work,
    pub rank: Rank,
    pub tries: u8,
}

impl Job {
    pub fn new(work: Work, rank: Rank) -> Job {
        Job { work, rank, tries: 0 }
    }
}
