//! Counts requests and their time, by route, method and status.

use crate::extract::Route;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

pub async fn measure(Route(route): Route, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = known_method(request.method().as_str());
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::counter!("amparo_http_requests_total", "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("amparo_http_seconds", "route" => route).record(begun.elapsed().as_secs_f64());
    response
}

/// A caller may invent methods without end; the label may not grow with them.
fn known_method(method: &str) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
    known.into_iter().find(|one| *one == method).unwrap_or("other")
}
