//! CORS: browsers refuse calls from other origins unless the origin is in `http.cors_origins`. A preflight is
//! recognised by its two headers; any other `OPTIONS` request reaches its operation.

use crate::ServerState;
use crate::extract::RouteTemplate;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::HashMap;
use std::sync::LazyLock;

const ALLOWED_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, X-Request-Id";
const EXPOSED_HEADERS: &str = "X-Request-Id, Idempotency-Replayed, Retry-After, X-Total-Count, Link";
/// The methods of paths outside the route table: documentation and pages.
const READING: HeaderValue = HeaderValue::from_static("GET, HEAD");

/// The methods of each path of the route table, as a header value.
static METHODS: LazyLock<HashMap<&'static str, HeaderValue>> = LazyLock::new(|| {
    let mut methods: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for operation in crate::list_operations() {
        let of_path = methods.entry(operation.path).or_default();
        of_path.extend(list_known_methods(&operation.method));
    }
    let value = |methods: Vec<&str>| HeaderValue::try_from(methods.join(", ")).unwrap_or(READING);
    methods.into_iter().map(|(path, methods)| (path, value(methods))).collect()
});

/// GET implies HEAD.
fn list_known_methods(method: &Method) -> Vec<&'static str> {
    match *method {
        Method::GET => vec!["GET", "HEAD"],
        Method::POST => vec!["POST"],
        Method::PUT => vec!["PUT"],
        Method::DELETE => vec!["DELETE"],
        Method::PATCH => vec!["PATCH"],
        Method::OPTIONS => vec!["OPTIONS"],
        _ => Vec::new(),
    }
}

pub async fn apply_cors(
    extract::State(state): extract::State<ServerState>,
    route: RouteTemplate,
    request: Request,
    next: Next,
) -> Response {
    let Some(origin) = find_allowed_origin(&state, request.headers()) else { return next.run(request).await };
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match route.template() {
        Some(path) if is_preflight => build_preflight_answer(METHODS.get(path).cloned().unwrap_or(READING)),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn find_allowed_origin(state: &ServerState, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let text = origin.to_str().ok()?;
    state.http.origins.iter().any(|allowed| allowed == text || allowed == "*").then(|| origin.clone())
}

fn build_preflight_answer(methods: HeaderValue) -> Response {
    let answer: [(HeaderName, HeaderValue); 3] = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, methods),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS)),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
    ];
    (StatusCode::OK, answer).into_response()
}
