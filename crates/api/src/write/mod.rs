//! Requests that change something: the body, within its limits, and the idempotency key.
//!
//! A handler gives [`IncomingWrite::answer`] a reader for the body and the action to run. A repeated key gets the
//! stored first answer, marked as such; the same key with another body is refused, and so is a repetition while the
//! first is still running. Refusals by the operation itself are stored like answers.

mod idempotency_key;
mod request_body;

pub(crate) use idempotency_key::IdempotencyHeader;
pub use idempotency_key::RunningWrites;
pub(crate) use request_body::is_timeout;

use crate::ServerState;
use crate::failure::RequestFailure;
use app::idempotency::{AnswerRenderer, IdempotentWrite, WriteOutcome};
use app::session::Session;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use idempotency_key::{build_renderer, run_idempotent};
use request_body::read_body;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::future::Future;
use std::sync::Arc;
use wire::read::PartialInput;

pub struct IncomingWrite {
    body: Bytes,
    query: String,
    keyed: IdempotencyHeader,
}

impl FromRequest<ServerState> for IncomingWrite {
    type Rejection = RequestFailure;

    async fn from_request(request: Request, state: &ServerState) -> Result<IncomingWrite, RequestFailure> {
        let (parts, body) = request.into_parts();
        let body = read_body(body, &parts.headers, state.http.body_timeout).await?;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(IncomingWrite { body, query, keyed: IdempotencyHeader::from_parts(&parts) })
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

#[cfg(test)]
mod tests;
