//! The people's side of Amparo: pages rendered on the server, from templates inside the binary. They work without
//! JavaScript and are better with it, and load nothing from elsewhere.
//!
//! # Adding a page
//! Whatever is no GET is refused before its handler where another site sent it (`form::refuse_foreign`).
//!
//! A template that extends `console/moldura.html`, its struct and handler in the module of its path, a line in the table
//! below. A handler takes a `visitor::Guest`: whoever has not entered is sent to the door. A form is read with
//! `form::Form`, what stands in the address with `visitor::Query`. The parts of pages are on `/console/estilo`.
//!
//! Every template is rendered full, empty and with hostile texts by a test (`rendered.rs`), which fails for one that it does
//! not know. In the module of the page:
//! ```ignore
//! #[cfg(test)]
//! pub const CASES: crate::rendered::Cases =
//!     &[("console/pagina.html", |with| crate::rendered::text(Page { frame: with.frame(), rows: with.many(|| row(with)) }))];
//! ```
//! with `with.text()` for every text that somebody typed and `with.maybe(…)` for what may be absent, and the module's name in
//! the list at the top of `rendered.rs`, or in the `ALL_CASES` of its area.

mod about;
mod admin;
mod assets;
mod audit;
mod benefit;
mod board;
mod cases;
mod entering;
mod exporting;
mod files;
mod finding;
mod first_steps;
mod form;
mod frame;
mod help;
mod importing;
mod lists;
mod mails;
mod members;
mod notice;
mod open_validation;
mod page;
mod panel;
mod password;
mod person;
mod records;
mod refused;
mod registering;
#[cfg(test)]
mod rendered;
mod sales;
mod second;
mod setup;
mod sheet;
mod show;
mod situation;
mod style;
mod triggers;
mod upload;
mod users;
mod visitor;
mod wording;
mod words;

use app::{App, Vault};
use askama::Template;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use dispatch::{any, get, post};

/// The pages.
pub fn router(app: App, vault: Vault) -> Router {
    Router::new()
        .route("/", get(welcome))
        .route("/estilo.css", get(style_of_welcome))
        .route("/senha/esqueci", get(password::forgotten).merge(post(password::ask)))
        .route("/senha/nova/{codigo}", get(password::new).merge(post(password::set)))
        .route("/console", get(panel::page))
        .route("/console/entrar", get(entering::form).merge(post(entering::enter)))
        .route("/console/entrar/codigo", get(second::form).merge(post(second::give)))
        .route("/console/sair", post(entering::leave))
        .route("/console/tema", post(entering::theme))
        .route("/console/conta", get(entering::account))
        .route("/console/conta/senha", get(entering::password).merge(post(entering::set_password)))
        .route("/console/conta/sessoes", post(entering::end_session))
        .route("/console/conta/segundo-fator", get(second::account).merge(post(second::change)))
        .route("/console/busca", get(finding::search).merge(post(finding::send)))
        .route("/console/comecar/{codigo}", get(setup::form).merge(post(setup::found)))
        .route("/console/usuarios", get(users::list))
        .route("/console/usuarios/novo", get(users::new).merge(post(users::create)))
        .route("/console/usuarios/exigencia", post(users::demand_factor))
        .route("/console/usuarios/{codigo}", get(users::one).merge(post(users::change)))
        .route("/console/usuarios/{codigo}/senha", post(users::send_password))
        .route("/console/usuarios/{codigo}/sessoes", post(users::end_sessions))
        .route("/console/usuarios/{codigo}/segundo-fator", post(users::remove_second_factor))
        .route("/console/auditoria", get(audit::page))
        .route("/console/emails", get(mails::page))
        .route("/console/emails/teste", post(mails::send_test))
        .route("/console/validacao", get(open_validation::form).merge(post(open_validation::save)))
        .route("/console/sobre", get(about::page))
        .route("/console/estilo", get(style::page))
        .route("/console/console.css", get(assets::style))
        .route("/console/console.js", get(assets::script))
        .route("/console/quadro.js", get(assets::board_script))
        .route("/console/icone.svg", get(assets::icon))
        .route("/console/cores.css", get(assets::colours))
        .merge(members::routes())
        .merge(lists::routes())
        .merge(exporting::routes())
        .merge(person::routes())
        .merge(benefit::routes())
        .merge(cases::routes())
        .merge(files::routes())
        .merge(registering::routes())
        .merge(triggers::routes(vault.clone()))
        .merge(sales::routes())
        .merge(importing::routes())
        .merge(help::routes())
        .route("/console/{*resto}", any(nowhere))
        .layer(from_fn_with_state(app.clone(), form::refuse_foreign))
        .layer(from_fn_with_state(app.clone(), refused::as_page))
        .layer(from_fn_with_state((app.clone(), vault), notice::carry))
        .with_state(app)
}

async fn nowhere() -> page::Refusal {
    page::Refusal::NotThere
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome {
    version: &'static str,
}

/// What a browser finds at the server's address.
async fn welcome() -> Response {
    page::page(StatusCode::OK, &Welcome { version: env!("CARGO_PKG_VERSION") })
}

async fn style_of_welcome() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../templates/estilo.css"))
}

#[cfg(test)]
const CASES: rendered::Cases = &[("welcome.html", |_| rendered::text(&Welcome { version: "9.8.7" }))];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = Welcome { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
