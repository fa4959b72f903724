//! Calls from pages of other origins: refused by browsers unless the origin is configured. A preflight is answered only
//! where it is one; an `OPTIONS` that belongs to an operation reaches it.

use crate::State;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

const ALLOWED_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, X-Request-Id";
const EXPOSED_HEADERS: &str = "X-Request-Id, Idempotency-Replayed, Retry-After, X-Total-Count, Link";

pub async fn cors(extract::State(state): extract::State<State>, request: Request, next: Next) -> Response {
    let Some(origin) = allowed(&state, request.headers()) else { return next.run(request).await };
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = next.run(request).await;
    // The path has no operation of that method, so this was the browser's own question.
    if is_preflight && response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response = preflight(response.headers());
    }
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn allowed(state: &State, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let text = origin.to_str().ok()?;
    state.http.origins.iter().any(|allowed| allowed == text || allowed == "*").then(|| origin.clone())
}

fn preflight(refused: &HeaderMap) -> Response {
    let methods = refused.get(header::ALLOW).cloned().unwrap_or(HeaderValue::from_static("GET, HEAD"));
    let answer: [(HeaderName, HeaderValue); 3] = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, methods),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS)),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
    ];
    (StatusCode::OK, answer).into_response()
}
