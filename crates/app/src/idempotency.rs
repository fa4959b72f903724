//! Doing something once however often it is asked for. The caller names his request by a key; the answer is kept with
//! it, in the unit that did the work, so that either both are there or neither.

use crate::registers::snapshot::{self, TenantRegisters};
use crate::{App, Error};
use domain::{Moment, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use storage::server::idempotency;
use storage::{Tx, WriteLane};

pub use storage::server::idempotency::{StoredAnswer, StoredIdempotencyKey};

/// How long an answer is given again.
pub const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);

/// A request that its caller named.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: StoredIdempotencyKey,
    /// Tells another body under the same key.
    pub body_hash: [u8; 32],
}

/// How an answer becomes what is kept of it.
pub struct IdempotentWrite<T> {
    /// None where the caller gave no name: then it is done each time.
    pub ticket: Option<IdempotencyKey>,
    pub render: AnswerRenderer<T>,
    /// Only to find out what speaks against it: nothing is written, and nothing comes of it but the refusal.
    pub trial: bool,
}

impl<T> Clone for IdempotentWrite<T> {
    fn clone(&self) -> IdempotentWrite<T> {
        IdempotentWrite { ticket: self.ticket.clone(), render: Arc::clone(&self.render), trial: self.trial }
    }
}

impl<T> IdempotentWrite<T> {
    /// Each time that it is asked for, for those who name nothing: commands.
    pub fn without_key() -> IdempotentWrite<T> {
        IdempotentWrite { ticket: None, render: Arc::new(|_| Vec::new()), trial: false }
    }
}

pub type AnswerRenderer<T> = Arc<dyn Fn(&T) -> Vec<u8> + Send + Sync>;

/// What came of a request.
#[derive(Debug)]
pub enum WriteOutcome<T> {
    Fresh(T),
    /// It was done before; this was answered then.
    Replayed(StoredAnswer),
}

impl<T> WriteOutcome<T> {
    /// What was done, by somebody who names no request and so never repeats one.
    pub fn into_fresh(self) -> Result<T, Error> {
        match self {
            WriteOutcome::Fresh(value) => Ok(value),
            WriteOutcome::Replayed(_) => {
                Err(Error::Defect("something was answered before that nobody named".to_owned()))
            }
        }
    }
}

pub const JSON: &str = "application/json";

/// What was answered to the ticket before; an error where it came with another body.
#[boxed::future]
pub async fn find_stored_answer(app: &App, ticket: &IdempotencyKey) -> Result<Option<StoredAnswer>, Error> {
    let kept = idempotency::find_stored_answer(&app.db, &ticket.key, app.now().minus(KEPT_FOR)).await?;
    kept.map(|kept| check_same_body(ticket, kept)).transpose()
}

fn check_same_body(ticket: &IdempotencyKey, kept: StoredAnswer) -> Result<StoredAnswer, Error> {
    if kept.body_hash == ticket.body_hash { Ok(kept) } else { Err(Error::KeyReused) }
}

/// Runs a unit, unless the ticket was answered before; keeps its answer with it.
pub async fn write_idempotently<I, T, F>(
    app: &App,
    lane: WriteLane,
    once: IdempotentWrite<T>,
    input: I,
    unit: F,
) -> Result<WriteOutcome<T>, Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, Error>> + Send + Sync + 'static,
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    if once.trial {
        // On a snapshot, where the first thing that would be written ends it.
        let tried = app.db.read((unit, input), |tx, (unit, input)| unit(tx, input)).await;
        return match tried {
            Err(refused @ (Error::Refused(_) | Error::StaleRegisters)) => Err(refused),
            _ => Err(Error::Refused(Vec::new())),
        };
    }
    let input = (once, unit, input, app.now());
    let done = app
        .db
        .write(lane, input, |tx, (once, unit, input, now)| {
            Box::pin(async move {
                let Some(ticket) = &once.ticket else {
                    return unit(tx, input).await.map(WriteOutcome::Fresh);
                };
                // Asked again inside: another process may have answered meanwhile.
                if let Some(kept) =
                    idempotency::find_stored_answer(&mut *tx, &ticket.key, now.minus(KEPT_FOR)).await?
                {
                    return check_same_body(ticket, kept).map(WriteOutcome::Replayed);
                }
                let value = unit(tx, input).await?;
                store_answer(tx, ticket, 200, JSON, (once.render)(&value), *now).await?;
                Ok(WriteOutcome::Fresh(value))
            })
        })
        .await?;
    app.changed.notify_one();
    Ok(done)
}

/// Runs a unit that decides by the registers of a tenant: `input` is made of them, and the unit confirms them
/// ([`crate::base::confirm`]). Where one changed meanwhile, it is decided anew.
pub(crate) async fn write_with_registers<I, T, F>(
    app: &App,
    tenant: TenantId,
    once: IdempotentWrite<T>,
    input: impl Fn(Arc<TenantRegisters>) -> I,
    unit: F,
) -> Result<WriteOutcome<T>, Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, Error>> + Copy + Send + Sync + 'static,
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    let mut registers = snapshot::load_registers(app, tenant).await?;
    for _ in 0..snapshot::DECISIONS {
        match write_idempotently(app, WriteLane::foreground(tenant), once.clone(), input(registers), unit)
            .await
        {
            Err(Error::StaleRegisters) => registers = snapshot::reload_registers(app, tenant).await?,
            other => return other,
        }
    }
    Err(Error::StaleRegisters)
}

/// Keeps a refusal with its ticket: the one thing that stays of a refused request. Where another process was faster,
/// what that one answered stays.
#[boxed::future]
pub async fn store_refusal(
    app: &App,
    ticket: IdempotencyKey,
    status: u16,
    text: String,
) -> Result<(), Error> {
    let input = (ticket, status, text, app.now());
    let lane = WriteLane::foreground(input.0.key.tenant);
    app.db
        .write(lane, input, |tx, (ticket, status, text, now)| {
            Box::pin(async move {
                if idempotency::find_stored_answer(&mut *tx, &ticket.key, now.minus(KEPT_FOR))
                    .await?
                    .is_none()
                {
                    let body = text.clone().into_bytes();
                    store_answer(tx, ticket, (*status).into(), "text/plain; charset=utf-8", body, *now)
                        .await?;
                }
                Ok(())
            })
        })
        .await
}

async fn store_answer(
    tx: &mut Tx,
    ticket: &IdempotencyKey,
    status: i32,
    content_type: &str,
    answer: Vec<u8>,
    now: Moment,
) -> Result<(), Error> {
    let kept = StoredAnswer {
        body_hash: ticket.body_hash.to_vec(),
        status,
        content_type: content_type.to_owned(),
        answer,
    };
    Ok(idempotency::upsert_stored_answer(tx, &ticket.key, &kept, now).await?)
}
