//! The HTTP API of Amparo: the operations (`routes/`), and the server that runs them (`server/`).
//!
//! # Adding an operation
//! Add a line to the route table, a handler in the module named after the path, and its refusals as [`RequestFailure`].
//! Authorization, documentation and the tests over the table follow from the line.

mod answer;
mod authorization;
mod docs;
mod document_links;
mod ext;
pub mod extract;
mod failure;
mod gestao;
mod guide;
mod health;
mod openapi;
mod operation;
mod routes;
mod server;
mod upload;
mod webhooks;
mod write;

pub use crate::server::{
    ConnectionLimits, HttpOptions, HttpServer, MetricsToken, ReloadableTls, RequestLogMode,
    RequestLogOptions, TlsError, serve_http, serve_http_until,
};
pub use docs::render_openapi_text as openapi_text;
pub use failure::RequestFailure;
pub use operation::{AllowedCallers, ApiOperation};
pub use routes::list_operations;
pub use write::RunningWrites;

use crate::server::measure::RequestMetrics;
use crate::server::request_log::RequestLog;
use app::{App, Vault};
use axum::Router;
use axum::http::{Extensions, HeaderMap, HeaderName, StatusCode, Version, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use erased_routes::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};

/// Smaller answers fit into one packet, so compressing them gains nothing.
const SMALLEST_COMPRESSED: u64 = 512;

/// State shared by the handlers. It is cloned several times per request, so one `Arc` holds all of it.
#[derive(Clone)]
pub struct ServerState(Arc<SharedState>);

pub struct SharedState {
    pub app: App,
    pub vault: Vault,
    pub metrics: PrometheusHandle,
    pub stopping: StopFlag,
    pub http: Arc<HttpOptions>,
    pub running: RunningWrites,
    pub(crate) measures: RequestMetrics,
    pub(crate) request_log: RequestLog,
}

impl ServerState {
    pub fn new(app: App, vault: Vault, metrics: PrometheusHandle, http: Arc<HttpOptions>) -> ServerState {
        let (stopping, running) = (StopFlag::default(), RunningWrites::default());
        let measures = RequestMetrics::new(&*app.random_source);
        let request_log = RequestLog::new(http.request_log);
        ServerState(Arc::new(SharedState {
            app,
            vault,
            metrics,
            stopping,
            http,
            running,
            measures,
            request_log,
        }))
    }
}

impl Deref for ServerState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}

/// Set when the server was told to stop; it is no longer ready for new work.
#[derive(Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Routes of a process that serves no API: liveness, readiness and metrics.
pub fn build_monitoring_router(state: ServerState) -> Router {
    Router::new()
        .route("/healthz", get(health::report_liveness))
        .route("/readyz", get(health::report_readiness))
        .route("/metrics", get(health::report_metrics))
        .with_state(state.clone())
        .fallback(|| async { RequestFailure::NoSuchPath })
        .method_not_allowed_fallback(|| async { RequestFailure::MethodNotAllowed })
        .layer(from_fn_with_state(state, server::measure::measure_request))
}

/// The complete router: the API and the console pages.
pub fn build_server_router(state: ServerState, pages: Router) -> Router {
    let is_marked = |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| {
        marks.get::<answer::CompressionExemption>().is_none()
    };
    let may_shrink =
        |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| !is_private_page(headers);
    let worth_it =
        DefaultPredicate::new().and(SizeAbove::new(SMALLEST_COMPRESSED)).and(is_marked).and(may_shrink);
    let table = list_operations().iter().fold(Router::new(), |router, operation| {
        let (path, routed) = operation.build_route(&state);
        router.route(path, routed)
    });
    // Layers without work are not installed.
    let asks_origins = !state.http.origins.is_empty();
    let everything = table
        .route("/healthz", get(health::report_liveness))
        .route("/readyz", get(health::report_readiness))
        .route("/metrics", get(health::report_metrics))
        .merge(docs::build_docs_router())
        .merge(document_links::build_document_router())
        .with_state(state.clone())
        .merge(pages)
        .fallback(|| async { RequestFailure::NoSuchPath })
        .method_not_allowed_fallback(|| async { RequestFailure::MethodNotAllowed })
        .layer(CatchPanicLayer::custom(answer_panic));
    let everything = match asks_origins {
        true => everything.layer(from_fn_with_state(state.clone(), server::cors::apply_cors)),
        false => everything,
    };
    everything
        .layer(from_fn_with_state(state, server::measure::measure_request))
        .layer(CompressionLayer::new().compress_when(worth_it))
}

/// Console pages contain private data beside text taken from their own URL. Compressed, their length would reveal to an
/// eavesdropper how much of the two is equal (BREACH), so they are sent uncompressed.
fn is_private_page(headers: &HeaderMap) -> bool {
    let holds = |name: HeaderName, part: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains(part))
    };
    holds(header::CONTENT_TYPE, "text/html") && holds(header::CACHE_CONTROL, "no-store")
}

/// A panicking handler fails only its own request; the cause is in the log alone.
fn answer_panic(panic: Box<dyn Any + Send>) -> axum::response::Response {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a text"), "a handler panicked");
    RequestFailure::Internal.into_response()
}
