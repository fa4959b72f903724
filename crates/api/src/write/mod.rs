//! Requests that change something: the body, within its limits, and the idempotency key.
//!
//! A handler gives [`IncomingWrite::answer`] a reader for the body and the action to run. A repeated key gets the
//! stored first answer, marked as such; the same key with another body is refused, and so is a repetition while the
//! first is still running. Refusals by the operation itself are stored like answers.

use crate::ServerState;
use crate::answer::{NO_STORE, build_json_response};
use crate::failure::RequestFailure;
use app::idempotency::{
    self, AnswerRenderer, IdempotencyKey, IdempotentWrite, StoredAnswer, StoredIdempotencyKey, WriteOutcome,
};
use app::session::Session;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::error::Error;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use tower_http::timeout::TimeoutError;
use wire::read::PartialInput;

/// The largest body, in bytes.
const LARGEST_BODY: usize = 1024 * 1024;
const LONGEST_KEY: usize = 255;
const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED_HEADER: HeaderName = HeaderName::from_static("idempotency-replayed");

pub struct IncomingWrite {
    body: Bytes,
    query: String,
    keyed: IdempotencyHeader,
}

impl FromRequest<ServerState> for IncomingWrite {
    type Rejection = RequestFailure;

    async fn from_request(request: Request, state: &ServerState) -> Result<IncomingWrite, RequestFailure> {
        let (parts, body) = request.into_parts();
        let limited = Limited::new(body, LARGEST_BODY).collect();
        let body = match tokio::time::timeout(state.http.body_timeout, limited).await {
            Ok(Ok(collected)) => collected.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(RequestFailure::TooLarge),
            Ok(Err(error)) if is_timeout(&*error) => return Err(RequestFailure::Slow),
            // The caller disconnected or sent malformed bytes, so the answer will not be read.
            Ok(Err(_)) => {
                return Err(RequestFailure::Input(vec!["O corpo do pedido veio incompleto.".to_owned()]));
            }
            Err(_) => return Err(RequestFailure::Slow),
        };
        let is_readable = is_json_body(&parts.headers) && is_unencoded_body(&parts.headers);
        if !body.is_empty() && !is_readable {
            return Err(RequestFailure::MediaType);
        }
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(IncomingWrite { body, query, keyed: IdempotencyHeader::from_parts(&parts) })
    }
}

/// Whether the server's time limit for the body expired (`server/drain.rs`).
pub(crate) fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(is_timeout)
}

/// A JSON content type, or none.
fn is_json_body(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = kind.to_str().unwrap_or("?").split(';').next().unwrap_or_default().trim();
    essence.is_empty() || essence.to_ascii_lowercase().ends_with("json")
}

/// Whether the body has no content encoding; encoded bodies are not unpacked.
fn is_unencoded_body(headers: &HeaderMap) -> bool {
    let packed = headers.get(header::CONTENT_ENCODING).map(|coding| coding.as_bytes().trim_ascii());
    packed.is_none_or(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity"))
}

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

impl IncomingWrite {
    /// Reads the body of a caller without a credential. The idempotency key is ignored, because it has no owner.
    pub fn read_anonymous<I>(
        self,
        read: impl FnOnce(&[u8]) -> Result<I, PartialInput<I>>,
    ) -> Result<I, RequestFailure> {
        Ok(read(&self.body).map_err(|unread| unread.problems)?)
    }

    /// Reads the body, runs the action and answers. If the path has a code, `read` joins it with the body
    /// ([`PathCode::join_body`]).
    ///
    /// [`PathCode::join_body`]: crate::extract::PathCode::join_body
    pub fn answer<I, T, R, F>(
        self,
        state: &ServerState,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, PartialInput<I>>,
        act: impl FnOnce(I, IdempotentWrite<T>) -> F,
        record: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> impl Future<Output = Result<Response, RequestFailure>>
    where
        R: Serialize + 'static,
        T: 'static,
        F: Future<Output = Result<WriteOutcome<T>, app::Error>>,
    {
        let render = build_renderer(record);
        self.answer_with_renderers(state, caller, read, act, (Arc::clone(&render), render))
    }

    /// Like [`IncomingWrite::answer`], for an answer with a secret that must not be stored for replays.
    pub async fn answer_secret<I, T, R, F>(
        self,
        state: &ServerState,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, PartialInput<I>>,
        act: impl FnOnce(I, IdempotentWrite<T>) -> F,
        (answer_record, stored_record): (
            impl Fn(&T) -> R + Send + Sync + 'static,
            impl Fn(&T) -> R + Send + Sync + 'static,
        ),
    ) -> Result<Response, RequestFailure>
    where
        R: Serialize + 'static,
        T: 'static,
        F: Future<Output = Result<WriteOutcome<T>, app::Error>>,
    {
        self.answer_with_renderers(
            state,
            caller,
            read,
            act,
            (build_renderer(answer_record), build_renderer(stored_record)),
        )
        .await
    }

    async fn answer_with_renderers<I, T, F>(
        self,
        state: &ServerState,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, PartialInput<I>>,
        act: impl FnOnce(I, IdempotentWrite<T>) -> F,
        (render_answer, render_stored): (AnswerRenderer<T>, AnswerRenderer<T>),
    ) -> Result<Response, RequestFailure>
    where
        T: 'static,
        F: Future<Output = Result<WriteOutcome<T>, app::Error>>,
    {
        // The query is part of the request's digest.
        let digest = Sha256::new().chain_update(&self.query).chain_update([0]).chain_update(&self.body);
        let ticket = self.keyed.build_key(caller, digest.finalize().into())?;
        let body = self.body;
        let act = async |once: IdempotentWrite<T>| {
            let (input, once, unread) = match read(&body) {
                Ok(input) => (input, once, None),
                // A dry run of the readable rest finds the remaining problems and changes nothing.
                Err(mut unread) => match unread.rest.take() {
                    Some(rest) => {
                        (*rest, IdempotentWrite { ticket: None, is_dry_run: true, ..once }, Some(unread))
                    }
                    None => return Err(unread.problems.into()),
                },
            };
            match (act(input, once).await, unread) {
                (Err(app::Error::Refused(rejections)), Some(unread)) => {
                    Err(unread.collect_problems(&rejections).into())
                }
                (Ok(_), Some(unread)) => Err(unread.problems.into()),
                // Whatever else the state of the records says, the request has to be mended first.
                (Err(error), Some(unread)) => match RequestFailure::from(error) {
                    failure if failure.status().is_server_error() => Err(failure),
                    _ => Err(unread.problems.into()),
                },
                (done, None) => done.map_err(RequestFailure::from),
            }
        };
        run_idempotent(state, ticket, (render_answer, render_stored), act).await
    }
}

/// Runs the action unless the key was used before, and stores the outcome.
async fn run_idempotent<T: 'static>(
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

    fn build_key(
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

fn build_renderer<T, R: Serialize>(record: impl Fn(&T) -> R + Send + Sync + 'static) -> AnswerRenderer<T> {
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

#[cfg(test)]
mod tests;
