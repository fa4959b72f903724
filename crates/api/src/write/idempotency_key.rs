//! The idempotency key of a request: its header, repetitions while the first request runs, and stored answers.

use crate::ServerState;
use crate::answer::{NO_STORE, build_json_response};
use crate::failure::RequestFailure;
use app::idempotency::{
    self, AnswerRenderer, IdempotencyKey, IdempotentWrite, StoredAnswer, StoredIdempotencyKey, WriteOutcome,
};
use app::session::Session;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

const LONGEST_KEY: usize = 255;
const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const REPLAYED_HEADER: HeaderName = HeaderName::from_static("idempotency-replayed");

fn parse_idempotency_key(headers: &HeaderMap) -> Result<Option<String>, RequestFailure> {
    let Some(key) = headers.get(KEY_HEADER) else { return Ok(None) };
    match key.to_str().map(str::trim) {
        Ok("") => Ok(None),
        Ok(key) if key.len() <= LONGEST_KEY => Ok(Some(key.to_owned())),
        _ => {
            let line =
                format!("Idempotency-Key: use até {LONGEST_KEY} letras, números e sinais, sem acentos.");
            Err(RequestFailure::Input(vec![line]))
        }
    }
}

/// Runs the action unless the key was used before, and stores the outcome.
pub(super) async fn run_idempotent<T: 'static>(
    state: &ServerState,
    ticket: Option<IdempotencyKey>,
    (render_answer, render_stored): (AnswerRenderer<T>, AnswerRenderer<T>),
    act: impl AsyncFnOnce(IdempotentWrite<T>) -> Result<WriteOutcome<T>, RequestFailure>,
) -> Result<Response, RequestFailure> {
    let _place = match begin_write(state, ticket.as_ref()).await? {
        IdempotencyCheck::Replayed(stored) => return Ok(replay_answer(stored)),
        IdempotencyCheck::Fresh(place) => place,
    };
    match act(IdempotentWrite { ticket: ticket.clone(), render: render_stored, is_dry_run: false }).await {
        Ok(WriteOutcome::Fresh(value)) => Ok(build_json_response(StatusCode::OK, render_answer(&value))),
        Ok(WriteOutcome::Replayed(stored)) => Ok(replay_answer(stored)),
        Ok(WriteOutcome::Checked) => {
            tracing::error!("a write was only checked");
            Err(RequestFailure::Internal)
        }
        Err(failure) => Err(store_refusal(state, ticket, failure).await),
    }
}

/// The outcome of looking up the idempotency key.
enum IdempotencyCheck {
    Fresh(Option<RunningWriteGuard>),
    Replayed(StoredAnswer),
}

async fn begin_write(
    state: &ServerState,
    ticket: Option<&IdempotencyKey>,
) -> Result<IdempotencyCheck, RequestFailure> {
    let Some(ticket) = ticket else { return Ok(IdempotencyCheck::Fresh(None)) };
    let place = state.running.reserve_key(&ticket.key)?;
    Ok(match idempotency::find_stored_answer(&state.app, ticket).await? {
        Some(stored) => IdempotencyCheck::Replayed(stored),
        None => IdempotencyCheck::Fresh(Some(place)),
    })
}

/// Stores a refusal by the operation itself like an answer; if that fails, returns the failure to store it.
async fn store_refusal(
    state: &ServerState,
    ticket: Option<IdempotencyKey>,
    failure: RequestFailure,
) -> RequestFailure {
    let Some(ticket) = ticket.filter(|_| failure.is_operation_refusal()) else { return failure };
    let (status, text) = (failure.status().as_u16(), format!("{}\n", failure.text()));
    match idempotency::store_refusal(&state.app, ticket, status, text).await {
        Ok(()) => failure,
        Err(error) => error.into(),
    }
}

/// The idempotency key of a request with any kind of body.
pub(crate) struct IdempotencyHeader {
    /// Method and path, to which the key belongs.
    operation: String,
    /// Checked only for callers who can own a key.
    key: Result<Option<String>, RequestFailure>,
}

impl IdempotencyHeader {
    pub fn from_parts(parts: &Parts) -> IdempotencyHeader {
        IdempotencyHeader {
            operation: format!("{} {}", parts.method, parts.uri.path()),
            key: parse_idempotency_key(&parts.headers),
        }
    }

    pub(super) fn build_key(
        &self,
        caller: &Session,
        body_hash: [u8; 32],
    ) -> Result<Option<IdempotencyKey>, RequestFailure> {
        let Some(key) = self.key.clone()? else { return Ok(None) };
        let key = StoredIdempotencyKey {
            tenant: caller.scope.tenant(),
            user: caller.user,
            operation: self.operation.clone(),
            key,
        };
        Ok(Some(IdempotencyKey { key, body_hash }))
    }

    /// Runs the action for a body known only by its digest, and answers.
    pub async fn answer<T: 'static, R: Serialize + 'static>(
        self,
        state: &ServerState,
        (caller, digest): (&Session, [u8; 32]),
        act: impl AsyncFnOnce(IdempotentWrite<T>) -> Result<WriteOutcome<T>, RequestFailure>,
        record: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> Result<Response, RequestFailure> {
        let ticket = self.build_key(caller, digest)?;
        let render = build_renderer(record);
        run_idempotent(state, ticket, (Arc::clone(&render), render), act).await
    }
}

pub(super) fn build_renderer<T, R: Serialize>(
    record: impl Fn(&T) -> R + Send + Sync + 'static,
) -> AnswerRenderer<T> {
    Arc::new(move |value| serde_json::to_vec(&record(value)).unwrap_or_default())
}

fn replay_answer(stored: StoredAnswer) -> Response {
    let status = u16::try_from(stored.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let mut response = (status.unwrap_or(StatusCode::OK), stored.answer).into_response();
    let kind =
        HeaderValue::try_from(stored.content_type).unwrap_or(HeaderValue::from_static(idempotency::JSON));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(REPLAYED_HEADER, HeaderValue::from_static("true"));
    response
}

/// The idempotency keys of requests running in this process. (In another process the second request waits in the
/// tenant's lane for the first, and then gets its answer.)
#[derive(Clone, Default)]
pub struct RunningWrites(Arc<Mutex<HashSet<StoredIdempotencyKey>>>);

/// An entry among the running keys, removed on drop.
struct RunningWriteGuard {
    running: RunningWrites,
    key: StoredIdempotencyKey,
}

impl RunningWrites {
    fn reserve_key(&self, key: &StoredIdempotencyKey) -> Result<RunningWriteGuard, RequestFailure> {
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        if is_first {
            Ok(RunningWriteGuard { running: self.clone(), key: key.clone() })
        } else {
            Err(RequestFailure::StillRunning)
        }
    }
}

impl Drop for RunningWriteGuard {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
