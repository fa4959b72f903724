//! An answer: JSON, which nobody on the way may keep.

use crate::failure::Failure;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::future::Future;

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Room that an answer begins with: one item of a search, so that most never have to move.
const ROOM: usize = 2048;

pub struct Answer<T>(pub T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ROOM);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => json(StatusCode::OK, body),
            Err(error) => {
                tracing::error!(%error, "an answer could not be written");
                Failure::Internal.into_response()
            }
        }
    }
}

/// A list that is answered while it is read: the first items are there, `next` gives more and goes on, until there is
/// nothing. Where it fails, the answer is cut off, which every client notices.
pub fn streamed<T, S, F, N>(first: Option<Vec<T>>, from: S, next: F) -> Result<Response, Failure>
where
    T: Serialize + Send + 'static,
    S: Send + 'static,
    F: Fn(S) -> N + Send + 'static,
    N: Future<Output = Result<Option<(Vec<T>, S)>, Failure>> + Send,
{
    let Some(first) = first else { return Ok(json(StatusCode::OK, b"[]".to_vec())) };
    let mut begun = Vec::with_capacity(ROOM);
    write_items(&mut begun, b'[', &first)?;
    let rest = stream::try_unfold(Some((from, next)), |step| async move {
        let Some((from, next)) = step else { return Ok(None) };
        let mut text = Vec::new();
        match next(from).await.map_err(cut_off)? {
            Some((items, from)) => {
                write_items(&mut text, b',', &items).map_err(cut_off)?;
                Ok(Some((text, Some((from, next)))))
            }
            None => {
                text.push(b']');
                Ok(Some((text, None)))
            }
        }
    });
    let body = Body::from_stream(stream::iter([Ok::<_, std::io::Error>(begun)]).chain(rest));
    Ok(([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, NO_STORE)], body).into_response())
}

/// The items, each behind a sign: the first behind this one, the others behind a comma.
fn write_items<T: Serialize>(text: &mut Vec<u8>, mut sign: u8, items: &[T]) -> Result<(), Failure> {
    for item in items {
        text.push(sign);
        serde_json::to_writer(&mut *text, item).map_err(|error| {
            tracing::error!(%error, "an answer could not be written");
            Failure::Internal
        })?;
        sign = b',';
    }
    Ok(())
}

fn cut_off(failure: Failure) -> std::io::Error {
    tracing::warn!(?failure, "an answer was cut off");
    std::io::Error::other("the rest could not be read")
}

pub fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, NO_STORE)], body).into_response()
}

/// An answer of many records, each written out as soon as it is made, so that never all of them are held at once.
pub struct List(Vec<u8>);

impl Default for List {
    fn default() -> List {
        List(vec![b'['])
    }
}

impl List {
    pub fn push(&mut self, record: &impl Serialize) -> Result<(), Failure> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, record).map_err(|error| {
            tracing::error!(%error, "an answer could not be written");
            Failure::Internal
        })
    }

    pub fn answer(mut self) -> Response {
        self.0.push(b']');
        json(StatusCode::OK, self.0)
    }
}
