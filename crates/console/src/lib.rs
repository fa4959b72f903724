//! The console of Amparo: server-rendered pages from templates compiled into the binary. Pages work without JavaScript,
//! are better with it, and load nothing from other servers.
//!
//! # Adding a page
//! `http::foreign_site::refuse_foreign_site` rejects every request from another site, except reads, before its
//! handler runs.
//!
//! A page is a template that extends `console/moldura.html`, its struct and handler in the module of its path, and a
//! line in the table of its area or in `routes.rs`. A handler takes a `session::signed_in_user::SignedInUser`, which redirects
//! other visitors to the sign-in page. A form is read with `http::form::SubmittedForm`, the URL's query with
//! `http::parameters::QueryParams`. A handler returns a `widgets::page::HandlerResult`: it ends with `show_page` of
//! that module, and `?` answers an error with a refusal.
//! `/console/estilo` shows the building blocks of pages; their macros are in `console/partes.html`, those of forms in
//! `console/campo.html`. Arguments of a macro are bound in their order, so none may be called like an earlier parameter.
//!
//! `tests/integration/` sends every route of the table as everybody who may come, and fails for a form without a valid
//! example in `valid_forms.rs`.
//!
//! A test (`template_tests.rs`) renders every template with full, empty and hostile content, and fails for a page
//! template that it does not know. In the module of the page:
//! ```ignore
//! #[cfg(test)]
//! pub const CASES: crate::template_tests::TemplateCases = &[("console/pagina.html", |with| {
//!     crate::template_tests::render_template(&Page { frame: with.frame(), rows: with.list_of(|| row(with)) })
//! })];
//! ```
//! Use `with.text()` for every text typed by a user and `with.option_of(…)` for values that may be absent, and add the
//! module to the list at the top of `template_tests.rs`, or to the `ALL_CASES` of its area.

pub mod http;
mod page_route;
pub mod pages;
mod routes;
pub mod session;
pub mod widgets;

#[cfg(test)]
mod template_tests;

pub use page_route::{PageAccess, PageRoute};
pub use routes::list_routes;

use app::{App, Vault};
use axum::middleware::from_fn_with_state;
use axum::{Extension, Router};
use erased_routes::any;
use http::refusal::Refusal;
use page_route::build_table_router;
use routes::list_page_routes;

pub fn build_router(app: App, vault: Vault) -> Router {
    let triggers = build_table_router(pages::triggers::list_trigger_routes());
    build_table_router(list_page_routes())
        .merge(triggers.layer(Extension(vault.clone())))
        .route("/console/{*resto}", any(refuse_unknown_path))
        .layer(from_fn_with_state(app.clone(), http::foreign_site::refuse_foreign_site))
        .layer(from_fn_with_state(app.clone(), widgets::refusal_page::render_refusals_as_pages))
        .layer(from_fn_with_state((app.clone(), vault), session::notice::carry_notice))
        .with_state(app)
}

async fn refuse_unknown_path() -> Refusal {
    Refusal::NotThere
}
