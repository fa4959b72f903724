//! Liveness, readiness and metrics, which only `http.metrics_token` or `http.metrics_from` may read.

use crate::server::client::RequestOrigin;
use crate::server::{HttpOptions, host};
use crate::{RequestFailure, ServerState};
use app::upkeep::health::{self, ReadinessProblem};
use axum::extract::{self, Extension};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version, header};

type PlainTextAnswer = ([(HeaderName, HeaderValue); 1], &'static str);

fn build_plain_answer(text: &'static str) -> PlainTextAnswer {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))], text)
}

/// Succeeds as long as the process runs, regardless of the database.
pub async fn report_liveness() -> PlainTextAnswer {
    build_plain_answer("vivo\n")
}

/// Answers 200 while requests can be served: the database answers, recent writes succeeded, and the server is not
/// stopping.
pub async fn report_readiness(
    extract::State(state): extract::State<ServerState>,
) -> Result<PlainTextAnswer, RequestFailure> {
    if state.stopping.is_set() {
        return Err(RequestFailure::Stopping);
    }
    match health::check_readiness(&state.app).await {
        Ok(()) => Ok(build_plain_answer("pronto\n")),
        Err(ReadinessProblem::Silent(error)) => {
            tracing::debug!(%error, "not ready");
            Err(RequestFailure::Unavailable)
        }
        // The fault was logged where it was first met.
        Err(ReadinessProblem::Faulty(fault)) => Err(RequestFailure::DatabaseFault(fault)),
    }
}

/// The metrics in Prometheus text format; for callers who may not read them the path does not exist.
pub async fn report_metrics(
    extract::State(state): extract::State<ServerState>,
    Extension(origin): Extension<RequestOrigin>,
    version: Version,
    headers: HeaderMap,
) -> Result<([(HeaderName, HeaderValue); 1], String), RequestFailure> {
    let may_read = match &state.http.metrics_token {
        Some(token) => find_bearer_token(&headers).is_some_and(|bearer| token.matches(bearer)),
        None => is_metrics_reader(&state.http, origin, version, &headers),
    };
    if !may_read {
        return Err(RequestFailure::NoSuchPath);
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], state.metrics.render()))
}

fn find_bearer_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ").map(str::trim)
}

/// Whether the caller may read the metrics. A connection from this machine may be a proxy that forwards an outside
/// caller; it counts as local only if nothing suggests that.
fn is_metrics_reader(
    http: &HttpOptions,
    origin: RequestOrigin,
    version: Version,
    headers: &HeaderMap,
) -> bool {
    if origin.is_disputed || !http.metrics_from.iter().any(|net| net.contains(&origin.address)) {
        return false;
    }
    if !origin.address.is_loopback() {
        return true;
    }
    // A configured proxy names its callers, so a request without a name is local. Other proxies are recognised because
    // they pass on the caller's host or speak HTTP/1.0.
    let is_told_of = http.trusted_proxies.iter().any(|net| net.contains(&origin.address));
    let is_direct = version >= Version::HTTP_11 && host::is_for_this_machine(headers);
    is_direct && (is_told_of || !http.is_behind_local_proxy)
}
