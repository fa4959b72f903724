//! A file in a request body. It is read in chunks, and only after its sender is authorized: a client that sends
//! `Expect: 100-continue` is refused before it uploads.

use crate::ServerState;
use crate::failure::RequestFailure;
use crate::write::{IdempotencyHeader, is_timeout};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The time allowed per MiB; slower uploads are refused.
const MIB_TAKES: Duration = Duration::from_secs(30);

pub struct StreamedUpload {
    announced: Option<u64>,
    keyed: IdempotencyHeader,
    body: Body,
}

impl FromRequest<ServerState> for StreamedUpload {
    type Rejection = RequestFailure;

    async fn from_request(request: Request, _: &ServerState) -> Result<StreamedUpload, RequestFailure> {
        let (parts, body) = request.into_parts();
        Ok(StreamedUpload {
            announced: parse_content_length(&parts.headers),
            keyed: IdempotencyHeader::from_parts(&parts),
            body,
        })
    }
}

fn parse_content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl StreamedUpload {
    /// Whether the declared length exceeds this many bytes.
    pub fn is_larger_than(&self, bytes: u64) -> bool {
        self.announced.is_some_and(|size| size > bytes)
    }

    /// Starts reading; returns the idempotency key and the chunks. The time limit grows with `most_mib`.
    pub fn begin_reading(self, state: &ServerState, most_mib: u64) -> (IdempotencyHeader, BodyChunks) {
        let most = u32::try_from(most_mib).unwrap_or(u32::MAX);
        let timeout = state.http.body_timeout + MIB_TAKES.saturating_mul(most);
        (self.keyed, BodyChunks { body: self.body, until: Instant::now() + timeout })
    }
}

/// The chunks of a file as they arrive.
pub struct BodyChunks {
    body: Body,
    until: Instant,
}

impl BodyChunks {
    pub async fn next(&mut self) -> Result<Option<Bytes>, RequestFailure> {
        loop {
            let frame = timeout_at(self.until, self.body.frame()).await.map_err(|_| RequestFailure::Slow)?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| match is_timeout(&error) {
                true => RequestFailure::Slow,
                false => RequestFailure::Input(vec!["O corpo do pedido veio incompleto.".to_owned()]),
            })?;
            if let Ok(bytes) = frame.into_data() {
                return Ok(Some(bytes));
            }
        }
    }
}
