//! Is the process alive, is it ready for work, and what does it measure.

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

/// Answers as long as the process does, whatever the database does.
pub async fn report_liveness() -> PlainTextAnswer {
    build_plain_answer("vivo\n")
}

/// Answers 200 while requests can be served: the database answers, the last writes show that one would succeed, and nobody
/// asked the server to stop.
pub async fn report_readiness(
    extract::State(state): extract::State<ServerState>,
) -> Result<PlainTextAnswer, RequestFailure> {
    if state.stopping.is_set() {
        return Err(RequestFailure::Stopping);
    }
    match health::check_readiness(&state.app).await {
        Ok(()) => Ok(build_plain_answer("pronto\n")),
        Err(ReadinessProblem::Silent(error)) => {
            tracing::warn!(%error, "not ready");
            Err(RequestFailure::Unavailable)
        }
        // Said once, where it was met.
        Err(ReadinessProblem::Faulty(fault)) => Err(RequestFailure::DatabaseFault(fault)),
    }
}

/// The measurements, in Prometheus' text format; for everybody but those who may read them the path does not exist.
pub async fn report_metrics(
    extract::State(state): extract::State<ServerState>,
    Extension(origin): Extension<RequestOrigin>,
    version: Version,
    headers: HeaderMap,
) -> Result<([(HeaderName, HeaderValue); 1], String), RequestFailure> {
    let may_read = match &state.http.metrics_token {
        Some(token) => find_bearer_token(&headers).is_some_and(|shown| token.matches(shown)),
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

/// Whether a call comes from where the measurements may be read. A connection from this machine may be a proxy's, that
/// brings somebody from outside: it counts as local only where nothing suggests that.
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
    // A proxy that is configured names its callers, so what it does not name is from here. Of others it is known that they
    // pass the host on that the caller named, or speak HTTP/1.0.
    let is_told_of = http.trusted_proxies.iter().any(|net| net.contains(&origin.address));
    let is_direct = version >= Version::HTTP_11 && host::is_for_this_machine(headers);
    is_direct && (is_told_of || !http.is_behind_local_proxy)
}
