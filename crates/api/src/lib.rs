//! The programs' side of Amparo: the operations (`routes.rs`), and the shell that serves them (`shell/`).
//!
//! # Adding an operation
//! A line in the route table, a handler in the module that bears the path's name, its refusals as [`Failure`]. Guard,
//! documentation and the tests that walk the table follow from the line.

mod answer;
mod docs;
mod ext;
pub mod extract;
mod failure;
mod gestao;
mod guard;
mod guide;
mod health;
mod openapi;
mod operation;
mod routes;
mod shell;
mod upload;
mod webhooks;
mod write;

pub use docs::text as openapi_text;
pub use failure::Failure;
pub use operation::{Access, Operation};
pub use routes::operations;
pub use shell::{Http, Limits, MetricsToken, Shell, Tls, TlsError, serve, serve_until};
pub use write::Running;

use app::{App, Vault};
use axum::Router;
use axum::http::{Extensions, HeaderMap, HeaderName, StatusCode, Version, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use dispatch::get;
use metrics_exporter_prometheus::PrometheusHandle;
use shell::measure::Measures;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};

/// Answers of fewer bytes fit into one packet anyway.
const SMALL: u64 = 512;

/// What the handlers share. It is cloned several times for each request, so that is one count and not a dozen.
#[derive(Clone)]
pub struct State(Arc<Shared>);

pub struct Shared {
    pub app: App,
    pub vault: Vault,
    pub metrics: PrometheusHandle,
    pub stopping: Stopping,
    pub http: Arc<Http>,
    pub running: Running,
    pub(crate) measures: Measures,
}

impl State {
    pub fn new(app: App, vault: Vault, metrics: PrometheusHandle, http: Arc<Http>) -> State {
        let (stopping, running) = (Stopping::default(), Running::default());
        let measures = Measures::new(&*app.chance);
        State(Arc::new(Shared { app, vault, metrics, stopping, http, running, measures }))
    }
}

impl Deref for State {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Set once the server was asked to stop: no longer ready for new work.
#[derive(Clone, Default)]
pub struct Stopping(Arc<AtomicBool>);

impl Stopping {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a process answers that serves nobody: whether it is alive and ready, and what it measures.
pub fn watched(state: State) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .with_state(state.clone())
        .fallback(|| async { Failure::NoSuchPath })
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        .layer(from_fn_with_state(state, shell::measure::measure))
}

/// Everything that the server answers, with the pages of the console beside it.
pub fn router(state: State, pages: Router) -> Router {
    let is_marked =
        |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| marks.get::<docs::AsItIs>().is_none();
    let may_shrink =
        |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| !is_private_page(headers);
    let worth_it = DefaultPredicate::new().and(SizeAbove::new(SMALL)).and(is_marked).and(may_shrink);
    let table = operations().iter().fold(Router::new(), |router, operation| {
        let (path, routed) = operation.routed(&state);
        router.route(path, routed)
    });
    // A layer that has nothing to do is not there.
    let asks_origins = !state.http.origins.is_empty();
    let everything = table
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .merge(docs::router())
        .with_state(state.clone())
        .merge(pages)
        .fallback(|| async { Failure::NoSuchPath })
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        .layer(CatchPanicLayer::custom(panicked));
    let everything = match asks_origins {
        true => everything.layer(from_fn_with_state(state.clone(), shell::cors::cors)),
        false => everything,
    };
    everything
        .layer(from_fn_with_state(state, shell::measure::measure))
        .layer(CompressionLayer::new().compress_when(worth_it))
}

/// A page of the console holds what only its reader may know beside what its own address says. Compressed, its length would
/// tell whoever watches the line how much of the one is in the other, so it goes as it is.
fn is_private_page(headers: &HeaderMap) -> bool {
    let holds = |name: HeaderName, part: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains(part))
    };
    holds(header::CONTENT_TYPE, "text/html") && holds(header::CACHE_CONTROL, "no-store")
}

/// A handler that panics costs its own request, and nobody sees why but the log.
fn panicked(panic: Box<dyn Any + Send>) -> axum::response::Response {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a text"), "a handler panicked");
    Failure::Internal.into_response()
}
