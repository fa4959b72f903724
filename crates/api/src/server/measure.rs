//! Request metrics by route, method and status, and request ids.

use crate::ServerState;
use crate::extract::RouteTemplate;
use crate::failure::RequestIdMarker;
use crate::server::request_log::{RequestFacts, RequestOutcome};
use axum::body::Body;
use axum::extract::{self, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use domain::RandomSource;
use metrics::{Counter, Histogram};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LONGEST_ID: usize = 128;

pub async fn measure_request(
    extract::State(state): extract::State<ServerState>,
    route: RouteTemplate,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = choose_request_id(&state, &request);
    let method = normalize_method(request.method().as_str());
    let facts = RequestFacts::collect(&mut request, method);
    // The template, never the path or the query: those contain names and documents.
    let span =
        tracing::info_span!("request", id = id.to_str().unwrap_or_default(), method, route = route.as_str());
    let mut response = next.run(request).instrument(span).await;
    if response.extensions_mut().remove::<RequestIdMarker>().is_some() {
        response = write_id_into_body(response, &id);
    }
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id.clone());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if state.http.is_strict {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    let (status, elapsed) = (response.status(), started.elapsed());
    state.request_log.record(&facts, &RequestOutcome { route: route.as_str(), id: &id, status, elapsed });
    state.measures.record(route.as_str(), method, status, elapsed);
    response
}

/// The caller's own request id if it is safe to log, else a new one.
fn choose_request_id(state: &ServerState, request: &Request) -> HeaderValue {
    let is_plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=LONGEST_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
    };
    request.headers().get(REQUEST_ID).filter(is_plain).cloned().unwrap_or_else(|| {
        let text = format!("{:016x}", state.measures.next_request_id());
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("-"))
    })
}

/// Cached metric handles: looking one up for each request costs more than recording it.
pub struct RequestMetrics {
    routes: RwLock<HashMap<String, Arc<RouteMetrics>>>,
    /// By the first digit of the status, from 1.
    classes: [Counter; 5],
    /// The start of the request ids, and how many were issued.
    first_name: u64,
    named: AtomicU64,
}

struct RouteMetrics {
    seconds: Histogram,
    counts: RwLock<HashMap<(&'static str, StatusCode), Counter>>,
}

impl RequestMetrics {
    pub fn new(chance: &dyn RandomSource) -> RequestMetrics {
        let mut random = [0; 8];
        chance.fill(&mut random);
        RequestMetrics {
            routes: RwLock::default(),
            classes: ["1xx", "2xx", "3xx", "4xx", "5xx"]
                .map(|class| metrics::counter!("amparo_http_answers_total", "class" => class)),
            first_name: u64::from_be_bytes(random),
            named: AtomicU64::new(0),
        }
    }

    /// An id that no other request of this process has. An odd step visits every number before it repeats, and the
    /// multiplication keeps neighbouring ids from looking alike.
    fn next_request_id(&self) -> u64 {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        self.first_name.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn record(&self, route: &str, method: &'static str, status: StatusCode, elapsed: Duration) {
        if let Some(class) = self.classes.get(usize::from(status.as_u16() / 100).wrapping_sub(1)) {
            class.increment(1);
        }
        let known = self.routes.read().unwrap_or_else(PoisonError::into_inner).get(route).cloned();
        let of_route = known.unwrap_or_else(|| self.add_route(route));
        of_route.seconds.record(elapsed.as_secs_f64());
        let known =
            of_route.counts.read().unwrap_or_else(PoisonError::into_inner).get(&(method, status)).cloned();
        let count = known.unwrap_or_else(|| {
            let count = metrics::counter!("amparo_http_requests_total", "route" => route.to_owned(), "method" => method, "status" => status.as_str().to_owned());
            let mut counts = of_route.counts.write().unwrap_or_else(PoisonError::into_inner);
            counts.insert((method, status), count.clone());
            count
        });
        count.increment(1);
    }

    /// The map stays small because routes are templates.
    fn add_route(&self, route: &str) -> Arc<RouteMetrics> {
        let seconds = metrics::histogram!("amparo_http_seconds", "route" => route.to_owned());
        let fresh = Arc::new(RouteMetrics { seconds, counts: RwLock::default() });
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(routes.entry(route.to_owned()).or_insert(fresh))
    }
}

fn write_id_into_body(mut response: Response, id: &HeaderValue) -> Response {
    let id = id.to_str().unwrap_or_default();
    let text = format!("Algo deu errado do nosso lado. Informe este código a quem cuida do servidor: {id}\n");
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(text);
    response
}

/// Callers may invent methods, so unknown ones share a label.
fn normalize_method(method: &str) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
    known.into_iter().find(|one| *one == method).unwrap_or("other")
}
