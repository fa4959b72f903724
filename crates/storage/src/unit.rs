//! A unit of work on its way to a lane: what to run, and whom to answer once its fate is known.

use crate::db::Rank;
use crate::{Error, Tx};
use futures_util::future::BoxFuture;
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

/// A unit without its types, as the engines see it.
pub(crate) trait Work: Send {
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Ran>;
    /// Answers the caller: with what the unit gave where its batch was committed, else with the failure.
    fn answer(self: Box<Self>, failure: Option<Error>);
    /// Nobody waits for the answer any more.
    fn abandoned(&self) -> bool;
    fn queued_at(&self) -> Instant;
}

/// How often a unit that the database rolled back is run in all.
pub(crate) const TRIES: u8 = 4;

pub(crate) struct Job {
    pub work: Box<dyn Work>,
    pub rank: Rank,
    pub tries: u8,
}

impl Job {
    pub fn new(work: Box<dyn Work>, rank: Rank) -> Job {
        Job { work, rank, tries: 0 }
    }
}

struct Typed<I, F, T, E> {
    input: I,
    unit: F,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
    queued_at: Instant,
}

/// Takes a unit's types away; its answer arrives on the receiver.
pub(crate) fn work<I, F, T, E>(input: I, unit: F) -> (Box<dyn Work>, oneshot::Receiver<Result<T, E>>)
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    I: Send + Sync + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Typed { input, unit, outcome: None, reply, queued_at: Instant::now() }), answer)
}

impl<I, F, T, E> Work for Typed<I, F, T, E>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send,
    I: Send + Sync,
    T: Send,
    E: From<Error> + Send,
{
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Ran> {
        Box::pin(async move {
            self.outcome = None;
            tx.begin_unit();
            let outcome = (self.unit)(tx, &self.input).await;
            let fault = tx.take_fault();
            let ran = match (&outcome, &fault) {
                (Err(_), Some(fault)) if fault.passing => Ran::Again,
                (Err(_), Some(fault)) if fault.slow => Ran::Spent,
                (Err(_), None) if !tx.has_written() => Ran::Clean,
                (Err(_), _) => Ran::Undo,
                (Ok(_), None) => Ran::Keep,
                (Ok(_), Some(_)) => Ran::Undo,
            };
            self.outcome = Some(match (outcome, fault) {
                (Ok(_), Some(fault)) => Err(E::from(Error::Broken(format!(
                    "a unit went on after a statement failed: {}",
                    fault.text
                )))),
                (outcome, _) => outcome,
            });
            ran
        })
    }

    fn answer(self: Box<Self>, failure: Option<Error>) {
        let outcome = match (failure, self.outcome) {
            (Some(error), _) => Err(E::from(error)),
            (None, Some(outcome)) => outcome,
            (None, None) => Err(E::from(Error::Broken("a unit was answered before it ran".to_owned()))),
        };
        // The caller may have gone meanwhile; what was committed stays committed.
        let _ = self.reply.send(outcome);
    }

    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn queued_at(&self) -> Instant {
        self.queued_at
    }
}
