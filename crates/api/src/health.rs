//! Is the process alive, is it ready for work, and what does it measure.

use crate::shell::client::Origin;
use crate::{Failure, State};
use app::health::{self, Unready};
use axum::extract::{self, Extension};
use axum::http::{HeaderName, HeaderValue, header};

type Plain = ([(HeaderName, HeaderValue); 1], &'static str);

fn plain(text: &'static str) -> Plain {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))], text)
}

/// Answers as long as the process does, whatever the database does.
pub async fn healthz() -> Plain {
    plain("vivo\n")
}

/// Answers 200 while requests can be served: the database answers, the last writes show that one would succeed, and nobody
/// asked the server to stop.
pub async fn readyz(extract::State(state): extract::State<State>) -> Result<Plain, Failure> {
    if state.stopping.is_set() {
        return Err(Failure::Stopping);
    }
    match health::readiness(&state.app).await {
        Ok(()) => Ok(plain("pronto\n")),
        Err(Unready::Silent(error)) => {
            tracing::warn!(%error, "not ready");
            Err(Failure::Unavailable)
        }
        // Said once, where it was met.
        Err(Unready::Faulty(fault)) => Err(Failure::DatabaseFault(fault)),
    }
}

/// The measurements, in Prometheus' text format; for everybody but those who may read them the path does not exist.
pub async fn metrics(
    extract::State(state): extract::State<State>,
    Extension(origin): Extension<Origin>,
) -> Result<([(HeaderName, HeaderValue); 1], String), Failure> {
    // Behind a proxy that nobody told us of, everybody would look like it.
    if origin.is_disputed || !state.http.metrics_from.iter().any(|net| net.contains(&origin.address)) {
        return Err(Failure::NoSuchPath);
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], state.metrics.render()))
}
