//! The body of a request that changes something: its size, its time and its type.

use crate::failure::RequestFailure;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::error::Error;
use std::time::Duration;
use tower_http::timeout::TimeoutError;

/// The largest body, in bytes.
pub(super) const LARGEST_BODY: usize = 1024 * 1024;

/// Reads the body; refuses one that is too large, too slow or of another type. The type of an empty body is ignored.
pub(super) async fn read_body(
    body: Body,
    headers: &HeaderMap,
    timeout: Duration,
) -> Result<Bytes, RequestFailure> {
    let limited = Limited::new(body, LARGEST_BODY).collect();
    let body = match tokio::time::timeout(timeout, limited).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(RequestFailure::TooLarge),
        Ok(Err(error)) if is_timeout(&*error) => return Err(RequestFailure::Slow),
        // The caller disconnected or sent malformed bytes, so the answer will not be read.
        Ok(Err(_)) => {
            return Err(RequestFailure::Input(vec!["O corpo do pedido veio incompleto.".to_owned()]));
        }
        Err(_) => return Err(RequestFailure::Slow),
    };
    let is_readable = is_json_body(headers) && is_unencoded_body(headers);
    if !body.is_empty() && !is_readable {
        return Err(RequestFailure::MediaType);
    }
    Ok(body)
}

/// Whether the server's time limit for the body expired (`server/unread_body.rs`).
pub(crate) fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(is_timeout)
}

/// A JSON content type, or none.
pub(super) fn is_json_body(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = kind.to_str().unwrap_or("?").split(';').next().unwrap_or_default().trim();
    essence.is_empty() || essence.to_ascii_lowercase().ends_with("json")
}

/// Whether the body has no content encoding; encoded bodies are not unpacked.
fn is_unencoded_body(headers: &HeaderMap) -> bool {
    let packed = headers.get(header::CONTENT_ENCODING).map(|coding| coding.as_bytes().trim_ascii());
    packed.is_none_or(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity"))
}
