//! The console of Amparo: server-rendered pages from templates compiled into the binary. Pages work without JavaScript,
//! are better with it, and load nothing from other servers.
//!
//! # Adding a page
//! `widgets::form::refuse_foreign_site` rejects every request from another site, except reads, before its handler runs.
//!
//! A page is a template that extends `console/moldura.html`, its struct and handler in the module of its path, and a
//! line in the table below. A handler takes a `visitor::SignedInUser`, which redirects other visitors to the sign-in
//! page. A form is read with `form::SubmittedForm`, the URL's query with `visitor::QueryParams`. A handler returns a
//! `page::PageResult`: it ends with `page::show_page`, and `?` answers an error with a refusal. `/console/estilo` shows
//! the building blocks of pages.
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

pub mod pages;
pub mod session;
pub mod widgets;

#[cfg(test)]
mod template_tests;

use app::{App, Vault};
use askama::Template;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use dispatch::{any, get, post};

pub fn build_router(app: App, vault: Vault) -> Router {
    Router::new()
        .route("/", get(show_welcome_page))
        .route("/estilo.css", get(serve_welcome_style))
        .route(
            "/senha/esqueci",
            get(session::password_reset::show_forgotten_password)
                .merge(post(session::password_reset::request_reset_link)),
        )
        .route(
            "/senha/nova/{codigo}",
            get(session::password_reset::show_new_password_form)
                .merge(post(session::password_reset::set_new_password)),
        )
        .route("/console", get(pages::panel::show_panel_page))
        .route(
            "/console/entrar",
            get(session::sign_in::show_sign_in_page).merge(post(session::sign_in::sign_in)),
        )
        .route(
            "/console/entrar/codigo",
            get(session::second_factor::show_code_form)
                .merge(post(session::second_factor::sign_in_with_code)),
        )
        .route("/console/sair", post(session::sign_in::sign_out))
        .route("/console/tema", post(session::sign_in::change_theme))
        .route("/console/conta", get(session::sign_in::show_account_page))
        .route(
            "/console/conta/senha",
            get(session::sign_in::show_password_form).merge(post(session::sign_in::change_password)),
        )
        .route("/console/conta/sessoes", post(session::sign_in::end_session))
        .route(
            "/console/conta/segundo-fator",
            get(session::second_factor::show_second_factor_page)
                .merge(post(session::second_factor::change_second_factor)),
        )
        .route(
            "/console/busca",
            get(pages::quick_search::show_search_results).merge(post(pages::quick_search::submit_search)),
        )
        .route(
            "/console/comecar/{codigo}",
            get(session::setup::show_setup_form).merge(post(session::setup::create_association)),
        )
        .route("/console/usuarios", get(pages::users::show_user_list))
        .route(
            "/console/usuarios/novo",
            get(pages::users::show_new_user_form).merge(post(pages::users::create_user)),
        )
        .route("/console/usuarios/exigencia", post(pages::users::demand_second_factor))
        .route(
            "/console/usuarios/{codigo}",
            get(pages::users::show_user_page).merge(post(pages::users::change_user)),
        )
        .route("/console/usuarios/{codigo}/senha", post(pages::users::send_password))
        .route("/console/usuarios/{codigo}/sessoes", post(pages::users::end_user_sessions))
        .route("/console/usuarios/{codigo}/segundo-fator", post(pages::users::remove_second_factor))
        .route("/console/auditoria", get(pages::audit::show_audit_page))
        .route("/console/emails", get(pages::mails::show_mail_page))
        .route("/console/emails/teste", post(pages::mails::send_test_mail))
        .route(
            "/console/validacao",
            get(pages::open_validation::show_validation_form)
                .merge(post(pages::open_validation::save_validation_form)),
        )
        .route("/console/sobre", get(pages::about::show_about_page))
        .route("/console/estilo", get(pages::style_guide::show_style_page))
        .route("/console/console.css", get(widgets::assets::serve_stylesheet))
        .route("/console/console.js", get(widgets::assets::serve_script))
        .route("/console/quadro.js", get(widgets::assets::serve_board_script))
        .route("/console/icone.svg", get(widgets::assets::serve_icon))
        .route("/console/cores.css", get(widgets::assets::serve_badge_colours))
        .merge(pages::member_list::build_member_routes())
        .merge(widgets::list_tools::build_list_routes())
        .merge(pages::export::build_export_routes())
        .merge(pages::members::build_person_routes())
        .merge(pages::benefits::build_benefit_routes())
        .merge(pages::cases::build_case_routes())
        .merge(pages::attachments::build_file_routes())
        .merge(pages::registers::build_register_routes())
        .merge(pages::triggers::build_trigger_routes(vault.clone()))
        .merge(pages::sales::build_sales_routes())
        .merge(pages::import::build_import_routes())
        .merge(pages::guide::build_guide_routes())
        .route("/console/{*resto}", any(refuse_unknown_path))
        .layer(from_fn_with_state(app.clone(), widgets::form::refuse_foreign_site))
        .layer(from_fn_with_state(app.clone(), widgets::refusal_page::render_refusals_as_pages))
        .layer(from_fn_with_state((app.clone(), vault), widgets::notice::carry_notice))
        .with_state(app)
}

async fn refuse_unknown_path() -> widgets::page::Refusal {
    widgets::page::Refusal::NotThere
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    version: &'static str,
}

/// The page at the server's root address.
async fn show_welcome_page() -> widgets::page::PageResult {
    widgets::page::render_page(StatusCode::OK, &WelcomePage { version: env!("CARGO_PKG_VERSION") })
}

async fn serve_welcome_style() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../templates/estilo.css"))
}

#[cfg(test)]
const CASES: template_tests::TemplateCases =
    &[("welcome.html", |_| template_tests::render_template(&WelcomePage { version: "9.8.7" }))];

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
