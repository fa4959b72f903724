//! A request that changes something: its body, within its limits, and the key by which its caller may repeat it.
//!
//! A handler gives [`Write::answer`] how to read what was sent, and what to do with it. A repeated key gets the first
//! answer again, marked as such; another body under it is refused; one that comes while the first is still running is
//! told to wait. A refusal by the operation itself is kept like an answer.

use crate::State;
use crate::answer::{NO_STORE, json};
use crate::failure::Failure;
use app::access::Session;
use app::once::{self, Done, Kept, Key, Once, Render, Ticket};
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
use wire::read::Unread;

/// The largest body that is taken.
const LARGEST: usize = 1024 * 1024;
const LONGEST_KEY: usize = 255;
const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

pub struct Write {
    body: Bytes,
    query: String,
    keyed: Keyed,
}

impl FromRequest<State> for Write {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &State) -> Result<Write, Failure> {
        let (parts, body) = request.into_parts();
        let limited = Limited::new(body, LARGEST).collect();
        let body = match tokio::time::timeout(state.http.body_timeout, limited).await {
            Ok(Ok(collected)) => collected.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(Failure::TooLarge),
            Ok(Err(error)) if is_timeout(&*error) => return Err(Failure::Slow),
            // The caller went away, or his bytes made no sense: nobody reads the answer.
            Ok(Err(_)) => return Err(Failure::Input(vec!["O corpo do pedido veio incompleto.".to_owned()])),
            Err(_) => return Err(Failure::Slow),
        };
        let is_readable = is_json(&parts.headers) && is_plain(&parts.headers);
        if !body.is_empty() && !is_readable {
            return Err(Failure::MediaType);
        }
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(Write { body, query, keyed: Keyed::of(&parts) })
    }
}

/// Whether the shell lost its patience with the body (`shell/drain.rs`).
pub(crate) fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(is_timeout)
}

/// `…json`, or nothing said.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = kind.to_str().unwrap_or("?").split(';').next().unwrap_or_default().trim();
    essence.is_empty() || essence.to_ascii_lowercase().ends_with("json")
}

/// Nobody unpacks what was sent.
fn is_plain(headers: &HeaderMap) -> bool {
    let packed = headers.get(header::CONTENT_ENCODING).map(|coding| coding.as_bytes().trim_ascii());
    packed.is_none_or(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity"))
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(key) = headers.get(KEY) else { return Ok(None) };
    match key.to_str().map(str::trim) {
        Ok("") => Ok(None),
        Ok(key) if key.len() <= LONGEST_KEY => Ok(Some(key.to_owned())),
        _ => {
            let line =
                format!("Idempotency-Key: use até {LONGEST_KEY} letras, números e sinais, sem acentos.");
            Err(Failure::Input(vec![line]))
        }
    }
}

impl Write {
    /// What somebody without a credential sent. Nobody would know whose his key is, so it is ignored.
    pub fn of_anybody<I>(self, read: impl FnOnce(&[u8]) -> Result<I, Unread<I>>) -> Result<I, Failure> {
        Ok(read(&self.body).map_err(|unread| unread.problems)?)
    }

    /// Reads the body, acts, and answers. Where the path has a code, `read` puts it beside the body ([`Code::and`]).
    ///
    /// [`Code::and`]: crate::extract::Code::and
    pub fn answer<I, T, R, F>(
        self,
        state: &State,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, Unread<I>>,
        act: impl FnOnce(I, Once<T>) -> F,
        record: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> impl Future<Output = Result<Response, Failure>>
    where
        R: Serialize + 'static,
        T: 'static,
        F: Future<Output = Result<Done<T>, app::Error>>,
    {
        let render = rendering(record);
        self.answer_as(state, caller, read, act, (Arc::clone(&render), render))
    }

    /// The same where the answer shows something once, which what is kept for a repeated key must not hold.
    pub async fn answer_secret<I, T, R, F>(
        self,
        state: &State,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, Unread<I>>,
        act: impl FnOnce(I, Once<T>) -> F,
        (shown, kept): (impl Fn(&T) -> R + Send + Sync + 'static, impl Fn(&T) -> R + Send + Sync + 'static),
    ) -> Result<Response, Failure>
    where
        R: Serialize + 'static,
        T: 'static,
        F: Future<Output = Result<Done<T>, app::Error>>,
    {
        self.answer_as(state, caller, read, act, (rendering(shown), rendering(kept))).await
    }

    async fn answer_as<I, T, F>(
        self,
        state: &State,
        caller: &Session,
        read: impl FnOnce(&[u8]) -> Result<I, Unread<I>>,
        act: impl FnOnce(I, Once<T>) -> F,
        (shown, kept): (Render<T>, Render<T>),
    ) -> Result<Response, Failure>
    where
        T: 'static,
        F: Future<Output = Result<Done<T>, app::Error>>,
    {
        // What was asked for in the address counts as part of what was sent.
        let sent = Sha256::new().chain_update(&self.query).chain_update([0]).chain_update(&self.body);
        let ticket = self.keyed.ticket(caller, sent.finalize().into())?;
        let body = self.body;
        let act = async |once: Once<T>| {
            let (input, once, unread) = match read(&body) {
                Ok(input) => (input, once, None),
                // What else is wrong is found by trying the rest, which changes nothing.
                Err(mut unread) => match unread.rest.take() {
                    Some(rest) => (*rest, Once { ticket: None, trial: true, ..once }, Some(unread)),
                    None => return Err(unread.problems.into()),
                },
            };
            match (act(input, once).await, unread) {
                (Err(app::Error::Refused(rejections)), Some(unread)) => Err(unread.and(&rejections).into()),
                (_, Some(unread)) => Err(unread.problems.into()),
                (done, None) => done.map_err(Failure::from),
            }
        };
        once_only(state, ticket, (shown, kept), act).await
    }
}

/// Does something, unless it was done under the same ticket before; keeps what came of it.
async fn once_only<T: 'static>(
    state: &State,
    ticket: Option<Ticket>,
    (shown, kept): (Render<T>, Render<T>),
    act: impl AsyncFnOnce(Once<T>) -> Result<Done<T>, Failure>,
) -> Result<Response, Failure> {
    let _place = match begin(state, ticket.as_ref()).await? {
        Begun::Before(kept) => return Ok(replay(kept)),
        Begun::Now(place) => place,
    };
    match act(Once { ticket: ticket.clone(), render: kept, trial: false }).await {
        Ok(Done::Now(value)) => Ok(json(StatusCode::OK, shown(&value))),
        Ok(Done::Before(kept)) => Ok(replay(kept)),
        Err(failure) => Err(keep_refusal(state, ticket, failure).await),
    }
}

/// What the beginning of something that is done once found.
enum Begun {
    Now(Option<Place>),
    Before(Kept),
}

async fn begin(state: &State, ticket: Option<&Ticket>) -> Result<Begun, Failure> {
    let Some(ticket) = ticket else { return Ok(Begun::Now(None)) };
    let place = state.running.enter(&ticket.key)?;
    Ok(match once::before(&state.app, ticket).await? {
        Some(kept) => Begun::Before(kept),
        None => Begun::Now(Some(place)),
    })
}

/// A refusal by the operation itself is kept like an answer; where it cannot be, that is what failed.
async fn keep_refusal(state: &State, ticket: Option<Ticket>, failure: Failure) -> Failure {
    let Some(ticket) = ticket.filter(|_| failure.is_of_the_operation()) else { return failure };
    let (status, text) = (failure.status().as_u16(), format!("{}\n", failure.text()));
    match once::refuse(&state.app, ticket, status, text).await {
        Ok(()) => failure,
        Err(error) => error.into(),
    }
}

/// The key by which the caller may repeat a request, whatever its body is.
pub(crate) struct Keyed {
    /// Method and path, as the key belongs to them.
    operation: String,
    /// Looked at only for somebody whose it can be.
    key: Result<Option<String>, Failure>,
}

impl Keyed {
    pub fn of(parts: &Parts) -> Keyed {
        Keyed { operation: format!("{} {}", parts.method, parts.uri.path()), key: key(&parts.headers) }
    }

    fn ticket(&self, caller: &Session, body_hash: [u8; 32]) -> Result<Option<Ticket>, Failure> {
        let Some(key) = self.key.clone()? else { return Ok(None) };
        let key =
            Key { tenant: caller.scope.tenant(), user: caller.user, operation: self.operation.clone(), key };
        Ok(Some(Ticket { key, body_hash }))
    }

    /// Acts on what came, of which only a digest is known, and answers.
    pub async fn answer<T: 'static, R: Serialize + 'static>(
        self,
        state: &State,
        (caller, digest): (&Session, [u8; 32]),
        act: impl AsyncFnOnce(Once<T>) -> Result<Done<T>, Failure>,
        record: impl Fn(&T) -> R + Send + Sync + 'static,
    ) -> Result<Response, Failure> {
        let ticket = self.ticket(caller, digest)?;
        let render = rendering(record);
        once_only(state, ticket, (Arc::clone(&render), render), act).await
    }
}

fn rendering<T, R: Serialize>(record: impl Fn(&T) -> R + Send + Sync + 'static) -> Render<T> {
    Arc::new(move |value| serde_json::to_vec(&record(value)).unwrap_or_default())
}

/// The first answer again.
fn replay(kept: Kept) -> Response {
    let status = u16::try_from(kept.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let mut response = (status.unwrap_or(StatusCode::OK), kept.answer).into_response();
    let kind = HeaderValue::try_from(kept.content_type).unwrap_or(HeaderValue::from_static(once::JSON));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// The keys of requests that are running in this process now. (In another process the second waits for the first in the
/// tenant's lane, and then gets its answer.)
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<HashSet<Key>>>);

/// A place among the running ones, given back when it is dropped.
struct Place {
    running: Running,
    key: Key,
}

impl Running {
    fn enter(&self, key: &Key) -> Result<Place, Failure> {
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        if is_first {
            Ok(Place { running: self.clone(), key: key.clone() })
        } else {
            Err(Failure::StillRunning)
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests;
