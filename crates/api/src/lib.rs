//! The programs' side of Amparo: routes, and the shell that serves them (`shell.rs`).
//!
//! # Adding a route
//! A line in the table below, a handler in the module that bears the path's name, its refusals as [`Failure`].

pub mod extract;
mod failure;
mod health;
mod measure;
mod shell;

pub use failure::Failure;
pub use shell::{Limits, serve};

use app::App;
use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the handlers share.
#[derive(Clone)]
pub struct State {
    pub app: App,
    pub metrics: PrometheusHandle,
    pub stopping: Stopping,
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

/// The route table, with the pages of the console beside it.
pub fn router(state: State, pages: Router) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .with_state(state)
        .merge(pages)
        .fallback(|| async { Failure::NoSuchPath })
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        .layer(from_fn(measure::measure))
}
