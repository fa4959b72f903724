//! The people's side of Amparo: pages rendered on the server, from templates inside the binary. They work without
//! JavaScript and are better with it, and load nothing from elsewhere.
//!
//! # Adding a page
//! A template that extends `console/moldura.html`, its struct and handler in the module of its path, a line in the table
//! below. A handler takes a `visitor::Guest`: whoever has not entered is sent to the door. A form is read with
//! `form::Form`, what stands in the address with `visitor::Query`. The parts of pages are on `/console/estilo`.

mod admin;
mod assets;
mod benefit;
mod board;
mod cases;
mod entering;
mod finding;
mod form;
mod frame;
mod lists;
mod members;
mod page;
mod panel;
mod password;
mod person;
mod records;
mod registering;
mod sales;
mod setup;
mod sheet;
mod show;
mod situation;
mod style;
mod triggers;
mod users;
mod visitor;
mod words;

use app::{App, Vault};
use askama::Template;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

/// The pages.
pub fn router(app: App, vault: Vault) -> Router {
    Router::new()
        .route("/", get(welcome))
        .route("/estilo.css", get(style_of_welcome))
        .route("/senha/esqueci", get(password::forgotten).post(password::ask))
        .route("/senha/nova/{codigo}", get(password::new).post(password::set))
        .route("/console", get(panel::page))
        .route("/console/entrar", get(entering::form).post(entering::enter))
        .route("/console/sair", post(entering::leave))
        .route("/console/tema", post(entering::theme))
        .route("/console/conta", get(entering::account))
        .route("/console/conta/senha", get(entering::password).post(entering::set_password))
        .route("/console/conta/sessoes", post(entering::end_session))
        .route("/console/busca", get(finding::search))
        .route("/console/comecar/{codigo}", get(setup::form).post(setup::found))
        .route("/console/usuarios", get(users::list))
        .route("/console/usuarios/novo", get(users::new).post(users::create))
        .route("/console/usuarios/{codigo}", get(users::one).post(users::change))
        .route("/console/usuarios/{codigo}/senha", post(users::send_password))
        .route("/console/usuarios/{codigo}/sessoes", post(users::end_sessions))
        .route("/console/auditoria", get(admin::audit))
        .route("/console/emails", get(admin::mails))
        .route("/console/sobre", get(admin::about))
        .route("/console/estilo", get(style::page))
        .route("/console/console.css", get(assets::style))
        .route("/console/console.js", get(assets::script))
        .route("/console/quadro.js", get(assets::board_script))
        .route("/console/icone.svg", get(assets::icon))
        .route("/console/cores.css", get(assets::colours))
        .merge(members::routes())
        .merge(lists::routes())
        .merge(person::routes())
        .merge(benefit::routes())
        .merge(cases::routes())
        .merge(registering::routes())
        .merge(triggers::routes(vault))
        .merge(sales::routes())
        .with_state(app)
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
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = Welcome { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
