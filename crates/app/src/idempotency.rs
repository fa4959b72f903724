//! Idempotent writes. The caller sends an idempotency key; the answer is stored with it in the transaction that did
//! the work, so that either both exist or neither. The refusal while the first request still runs is in
//! `api/src/write/idempotency_key.rs`.

use crate::register_snapshot::{self, TenantRegisters};
use crate::{App, Error};
use domain::{Moment, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use storage::server::idempotency;
use storage::{Tx, WriteLane};

pub use storage::server::idempotency::{StoredAnswer, StoredIdempotencyKey};

/// How long a stored answer is replayed; the row stays for `housekeeping.idempotency_days`.
pub const REPLAYED_FOR: Duration = Duration::from_hours(24);

/// The idempotency key of a request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: StoredIdempotencyKey,
    /// Detects another body under the same key.
    pub body_hash: [u8; 32],
}

/// How to run a write once and how to render its answer for storage.
pub struct IdempotentWrite<T> {
    /// `None` if the request has no idempotency key: then it runs every time.
    pub ticket: Option<IdempotencyKey>,
    pub render: AnswerRenderer<T>,
    /// Only finds out what would be rejected, and writes nothing.
    pub is_dry_run: bool,
}

impl<T> Clone for IdempotentWrite<T> {
    fn clone(&self) -> IdempotentWrite<T> {
        IdempotentWrite {
            ticket: self.ticket.clone(),
            render: Arc::clone(&self.render),
            is_dry_run: self.is_dry_run,
        }
    }
}

impl<T> IdempotentWrite<T> {
    /// For callers without idempotency keys, such as commands: runs every time.
    pub fn without_key() -> IdempotentWrite<T> {
        IdempotentWrite { ticket: None, render: Arc::new(|_| Vec::new()), is_dry_run: false }
    }
}

pub type AnswerRenderer<T> = Arc<dyn Fn(&T) -> Vec<u8> + Send + Sync>;

#[derive(Debug)]
pub enum WriteOutcome<T> {
    Fresh(T),
    /// The request ran before; this is the answer it got.
    Replayed(StoredAnswer),
    /// A dry run: no rule rejects the request.
    Checked,
}

impl<T> WriteOutcome<T> {
    /// The result for a caller that sent no idempotency key and so can get no replay.
    pub fn into_fresh(self) -> Result<T, Error> {
        match self {
            WriteOutcome::Fresh(value) => Ok(value),
            WriteOutcome::Replayed(_) => {
                Err(Error::Defect("a request without an idempotency key was replayed".to_owned()))
            }
            WriteOutcome::Checked => Err(Error::Defect("a write was only checked".to_owned())),
        }
    }
}

pub const JSON: &str = "application/json";

/// The answer stored for the key; an error if it was stored for another body.
#[boxed::future]
pub async fn find_stored_answer(app: &App, ticket: &IdempotencyKey) -> Result<Option<StoredAnswer>, Error> {
    let stored = idempotency::find_stored_answer(&app.db, &ticket.key, app.now().minus(REPLAYED_FOR)).await?;
    stored.map(|stored| check_same_body(ticket, stored)).transpose()
}

fn check_same_body(ticket: &IdempotencyKey, stored: StoredAnswer) -> Result<StoredAnswer, Error> {
    if stored.body_hash == ticket.body_hash { Ok(stored) } else { Err(Error::KeyReused) }
}

/// Runs a transaction and stores its answer, unless the key already has an answer.
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
    if once.is_dry_run {
        // On a snapshot, where the first write ends the dry run.
        let result: Result<T, Error> = app.db.read((unit, input), |tx, (unit, input)| unit(tx, input)).await;
        return match result {
            Ok(_) | Err(Error::Storage(storage::Error::ReadOnlyTransaction(_))) => Ok(WriteOutcome::Checked),
            Err(error) => Err(error),
        };
    }
    let input = (once, unit, input, app.now());
    let outcome = app
        .db
        .write(lane, input, |tx, (once, unit, input, now)| {
            Box::pin(async move {
                let Some(ticket) = &once.ticket else {
                    return unit(tx, input).await.map(WriteOutcome::Fresh);
                };
                // Checked again inside the transaction: another process may have stored an answer meanwhile.
                if let Some(stored) =
                    idempotency::find_stored_answer(&mut *tx, &ticket.key, now.minus(REPLAYED_FOR)).await?
                {
                    return check_same_body(ticket, stored).map(WriteOutcome::Replayed);
                }
                let value = unit(tx, input).await?;
                store_answer(tx, ticket, 200, JSON, (once.render)(&value), *now).await?;
                Ok(WriteOutcome::Fresh(value))
            })
        })
        .await?;
    app.delivery_wakeup.notify_one();
    Ok(outcome)
}

/// Runs a transaction with the registers of a tenant. If its decision depends on them, it must call
/// [`register_snapshot::confirm_registers`]; if a register changed meanwhile, the registers are reloaded and the transaction
/// runs again.
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
    let mut registers = register_snapshot::load_registers(app, tenant).await?;
    for _ in 0..register_snapshot::SNAPSHOT_ATTEMPTS {
        match write_idempotently(app, WriteLane::foreground(tenant), once.clone(), input(registers), unit)
            .await
        {
            Err(Error::StaleRegisters) => {
                registers = register_snapshot::reload_registers(app, tenant).await?;
            }
            other => return other,
        }
    }
    Err(Error::StaleRegisters)
}

/// Stores a rejection under its idempotency key, the only trace of a rejected request. An answer that another process
/// stored first stays.
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
                if idempotency::find_stored_answer(&mut *tx, &ticket.key, now.minus(REPLAYED_FOR))
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
    let stored = StoredAnswer {
        body_hash: ticket.body_hash.to_vec(),
        status,
        content_type: content_type.to_owned(),
        answer,
    };
    Ok(idempotency::upsert_stored_answer(tx, &ticket.key, &stored, now).await?)
}
