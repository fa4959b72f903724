//! Counts requests and their time, by route, method and status; gives each its name, and writes it down.

use crate::State;
use crate::extract::Route;
use crate::failure::NamesRequest;
use axum::body::Body;
use axum::extract::{self, Request};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LONGEST_ID: usize = 128;

pub async fn measure(
    extract::State(state): extract::State<State>,
    Route(route): Route,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let id = name(&state, &request);
    let method = known_method(request.method().as_str());
    // The template, never the path or the query: those carry people's names and documents.
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), method, route);
    let mut response = next.run(request).instrument(span.clone()).await;
    if response.extensions_mut().remove::<NamesRequest>().is_some() {
        response = name_in_body(response, &id);
    }
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if state.http.is_strict {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    let (status, elapsed) = (response.status(), begun.elapsed());
    span.in_scope(|| tracing::debug!(status = status.as_u16(), ms = elapsed.as_secs_f64() * 1e3, "answered"));
    metrics::counter!("amparo_http_requests_total", "route" => route.clone(), "method" => method, "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("amparo_http_seconds", "route" => route).record(elapsed.as_secs_f64());
    response
}

/// The caller's own name for his request, if it is one that can stand in a log; else a new one.
fn name(state: &State, request: &Request) -> HeaderValue {
    let is_plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=LONGEST_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
    };
    request.headers().get(REQUEST_ID).filter(is_plain).cloned().unwrap_or_else(|| {
        let mut random = [0; 8];
        state.app.chance.fill(&mut random);
        let text = format!("{:016x}", u64::from_be_bytes(random));
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("-"))
    })
}

fn name_in_body(mut response: Response, id: &HeaderValue) -> Response {
    let id = id.to_str().unwrap_or_default();
    let text = format!("Algo deu errado do nosso lado. Informe este código a quem cuida do servidor: {id}\n");
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(text);
    response
}

/// A caller may invent methods without end; the label may not grow with them.
fn known_method(method: &str) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
    known.into_iter().find(|one| *one == method).unwrap_or("other")
}
