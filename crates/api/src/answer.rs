//! JSON answers, which no cache may store.

use crate::failure::RequestFailure;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::future::Future;

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Initial capacity: about one search item, so that most answers never reallocate.
const BUFFER_BYTES: usize = 2048;

/// Marks an answer that is already compressed or not worth compressing: compressing the same megabyte for every request
/// would use up the CPU.
#[derive(Clone)]
pub(crate) struct CompressionExemption;

pub struct JsonAnswer<T>(pub T);

impl<T: Serialize> IntoResponse for JsonAnswer<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(BUFFER_BYTES);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => build_json_response(StatusCode::OK, body),
            Err(error) => {
                tracing::error!(%error, "an answer could not be written");
                RequestFailure::Internal.into_response()
            }
        }
    }
}

/// A list that is streamed while it is read: `first` holds the first items, `next` fetches more until there are none.
/// On an error the answer is cut off, which every client detects.
pub fn stream_list<T, S, F, N>(
    first: Option<Vec<T>>,
    position: S,
    next: F,
) -> Result<Response, RequestFailure>
where
    T: Serialize + Send + 'static,
    S: Send + 'static,
    F: Fn(S) -> N + Send + 'static,
    N: Future<Output = Result<Option<(Vec<T>, S)>, RequestFailure>> + Send,
{
    let Some(first) = first else { return Ok(build_json_response(StatusCode::OK, b"[]".to_vec())) };
    let mut beginning = Vec::with_capacity(BUFFER_BYTES);
    write_items(&mut beginning, b'[', &first)?;
    let rest = stream::try_unfold(Some((position, next)), |step| async move {
        let Some((position, next)) = step else { return Ok(None) };
        let mut text = Vec::new();
        match next(position).await.map_err(abort_stream)? {
            Some((items, position)) => {
                write_items(&mut text, b',', &items).map_err(abort_stream)?;
                Ok(Some((text, Some((position, next)))))
            }
            None => {
                text.push(b']');
                Ok(Some((text, None)))
            }
        }
    });
    let body = Body::from_stream(stream::iter([Ok::<_, std::io::Error>(beginning)]).chain(rest));
    Ok(([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, NO_STORE)], body).into_response())
}

/// Writes the items, the first preceded by `sign`, the others by a comma.
fn write_items<T: Serialize>(text: &mut Vec<u8>, mut sign: u8, items: &[T]) -> Result<(), RequestFailure> {
    for item in items {
        text.push(sign);
        serde_json::to_writer(&mut *text, item).map_err(|error| {
            tracing::error!(%error, "an answer could not be written");
            RequestFailure::Internal
        })?;
        sign = b',';
    }
    Ok(())
}

fn abort_stream(failure: RequestFailure) -> std::io::Error {
    tracing::warn!(?failure, "a response was aborted");
    std::io::Error::other("the rest could not be read")
}

pub fn build_json_response(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, NO_STORE)], body).into_response()
}

/// Serializes a long list record by record, so that the records are never all in memory at once.
pub struct JsonListWriter(Vec<u8>);

impl Default for JsonListWriter {
    fn default() -> JsonListWriter {
        JsonListWriter(vec![b'['])
    }
}

impl JsonListWriter {
    pub fn push(&mut self, record: &impl Serialize) -> Result<(), RequestFailure> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, record).map_err(|error| {
            tracing::error!(%error, "an answer could not be written");
            RequestFailure::Internal
        })
    }

    pub fn finish(mut self) -> Response {
        self.0.push(b']');
        build_json_response(StatusCode::OK, self.0)
    }
}
