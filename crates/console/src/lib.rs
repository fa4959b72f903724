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
pub fn build_router(app: App, vault: Vault) -> Router {
    Router::new()
        .route("/", get(show_welcome_page))
        .route("/estilo.css", get(serve_welcome_style))
        .route(
            "/senha/esqueci",
            get(password::show_forgotten_password).merge(post(password::request_reset_link)),
        )
        .route(
            "/senha/nova/{codigo}",
            get(password::show_new_password_form).merge(post(password::set_new_password)),
        )
        .route("/console", get(panel::show_panel_page))
        .route("/console/entrar", get(entering::show_sign_in_page).merge(post(entering::sign_in)))
        .route("/console/entrar/codigo", get(second::show_code_form).merge(post(second::sign_in_with_code)))
        .route("/console/sair", post(entering::sign_out))
        .route("/console/tema", post(entering::change_theme))
        .route("/console/conta", get(entering::show_account_page))
        .route(
            "/console/conta/senha",
            get(entering::show_password_form).merge(post(entering::change_password)),
        )
        .route("/console/conta/sessoes", post(entering::end_session))
        .route(
            "/console/conta/segundo-fator",
            get(second::show_second_factor_page).merge(post(second::change_second_factor)),
        )
        .route("/console/busca", get(finding::show_search_results).merge(post(finding::submit_search)))
        .route(
            "/console/comecar/{codigo}",
            get(setup::show_setup_form).merge(post(setup::create_association)),
        )
        .route("/console/usuarios", get(users::show_user_list))
        .route("/console/usuarios/novo", get(users::show_new_user_form).merge(post(users::create_user)))
        .route("/console/usuarios/exigencia", post(users::demand_second_factor))
        .route("/console/usuarios/{codigo}", get(users::show_user_page).merge(post(users::change_user)))
        .route("/console/usuarios/{codigo}/senha", post(users::send_password))
        .route("/console/usuarios/{codigo}/sessoes", post(users::end_user_sessions))
        .route("/console/usuarios/{codigo}/segundo-fator", post(users::remove_second_factor))
        .route("/console/auditoria", get(audit::show_audit_page))
        .route("/console/emails", get(mails::show_mail_page))
        .route("/console/emails/teste", post(mails::send_test_mail))
        .route(
            "/console/validacao",
            get(open_validation::show_validation_form).merge(post(open_validation::save_validation_form)),
        )
        .route("/console/sobre", get(about::show_about_page))
        .route("/console/estilo", get(style::show_style_page))
        .route("/console/console.css", get(assets::serve_stylesheet))
        .route("/console/console.js", get(assets::serve_script))
        .route("/console/quadro.js", get(assets::serve_board_script))
        .route("/console/icone.svg", get(assets::serve_icon))
        .route("/console/cores.css", get(assets::serve_badge_colours))
        .merge(members::build_member_routes())
        .merge(lists::build_list_routes())
        .merge(exporting::build_export_routes())
        .merge(person::build_person_routes())
        .merge(benefit::build_benefit_routes())
        .merge(cases::build_case_routes())
        .merge(files::build_file_routes())
        .merge(registering::build_register_routes())
        .merge(triggers::build_trigger_routes(vault.clone()))
        .merge(sales::build_sales_routes())
        .merge(importing::build_import_routes())
        .merge(help::build_guide_routes())
        .route("/console/{*resto}", any(refuse_unknown_path))
        .layer(from_fn_with_state(app.clone(), form::refuse_foreign_site))
        .layer(from_fn_with_state(app.clone(), refused::render_refusals_as_pages))
        .layer(from_fn_with_state((app.clone(), vault), notice::carry_notice))
        .with_state(app)
}

async fn refuse_unknown_path() -> page::Refusal {
    page::Refusal::NotThere
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    version: &'static str,
}

/// What a browser finds at the server's address.
async fn show_welcome_page() -> Response {
    page::render_page(StatusCode::OK, &WelcomePage { version: env!("CARGO_PKG_VERSION") })
}

async fn serve_welcome_style() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../templates/estilo.css"))
}

#[cfg(test)]
const CASES: rendered::TemplateCases =
    &[("welcome.html", |_| rendered::render_template(&WelcomePage { version: "9.8.7" }))];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = WelcomePage { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
