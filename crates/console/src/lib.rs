//! The console of Amparo: server-rendered pages from templates compiled into the binary. Pages work without JavaScript,
//! are better with it, and load nothing from other servers.
//!
//! # Adding a page
//! `http::foreign_site::refuse_foreign_site` rejects every request from another site, except reads, before its
//! handler runs.
//!
//! A page is a template that extends `console/moldura.html`, its struct and handler in the module of its path, and a
//! line in the table of its area or below. A handler takes a `session::signed_in_user::SignedInUser`, which redirects
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
pub mod pages;
mod routes;
pub mod session;
pub mod widgets;

#[cfg(test)]
mod template_tests;

pub use routes::{PageAccess, PageRoute};

use app::{App, Vault};
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::{Extension, Router};
use erased_routes::any;
use http::refusal::Refusal;
use pages::{
    about, audit, mails, open_validation, panel, password_reset, quick_search, second_factor, setup, sign_in,
    style_guide, users,
};
use routes::{build_table_router, routes};
use widgets::assets;

/// Every route of the console, in the order of its areas.
pub fn list_routes() -> Vec<PageRoute> {
    let mut routes = list_page_routes();
    routes.extend(pages::triggers::list_trigger_routes());
    routes
}

/// The routes that need nothing but the `App`.
fn list_page_routes() -> Vec<PageRoute> {
    let mut routes = list_account_routes();
    routes.extend(pages::member_list::list_member_routes());
    routes.extend(pages::saved_filters::list_filter_routes());
    routes.extend(pages::export::list_export_routes());
    routes.extend(pages::members::list_person_routes());
    routes.extend(pages::benefits::list_benefit_routes());
    routes.extend(pages::cases::list_case_routes());
    routes.extend(pages::attachments::list_file_routes());
    routes.extend(pages::registers::list_register_routes());
    routes.extend(pages::sales::list_sales_routes());
    routes.extend(pages::import::list_import_routes());
    routes.extend(pages::guide::list_guide_routes());
    routes
}

/// Sign-in, the account of each user, and what an administrator manages.
fn list_account_routes() -> Vec<PageRoute> {
    routes! {
        get  "/"                                        Public        show_welcome_page;
        get  "/estilo.css"                              Public        serve_welcome_style;
        get  "/senha/esqueci"                           Public        password_reset::show_forgotten_password;
        post "/senha/esqueci"                           Public        password_reset::request_reset_link;
        get  "/senha/nova/{codigo}"                     Public        password_reset::show_new_password_form;
        post "/senha/nova/{codigo}"                     Public        password_reset::set_new_password;
        get  "/console/comecar/{codigo}"                Public        setup::show_setup_form;
        post "/console/comecar/{codigo}"                Public        setup::create_association;
        get  "/console/entrar"                          Public        sign_in::show_sign_in_page;
        post "/console/entrar"                          Public        sign_in::sign_in;
        get  "/console/entrar/codigo"                   Public        second_factor::show_code_form;
        post "/console/entrar/codigo"                   Public        second_factor::sign_in_with_code;
        post "/console/sair"                            Public        sign_in::sign_out;
        post "/console/tema"                            Public        sign_in::change_theme;
        get  "/console/console.css"                     Public        assets::serve_stylesheet;
        get  "/console/console.js"                      Public        assets::serve_script;
        get  "/console/quadro.js"                       Public        assets::serve_board_script;
        get  "/console/icone.svg"                       Public        assets::serve_icon;
        get  "/console/cores.css"                       SignedIn      assets::serve_badge_colours;
        get  "/console/conta"                           SignedIn      sign_in::show_account_page;
        get  "/console/conta/senha"                     SignedIn      sign_in::show_password_form;
        post "/console/conta/senha"                     SignedIn      sign_in::change_password;
        post "/console/conta/sessoes"                   SignedIn      sign_in::end_session;
        get  "/console/conta/segundo-fator"             SignedIn      second_factor::show_second_factor_page;
        post "/console/conta/segundo-fator"             SignedIn      second_factor::change_second_factor;
        get  "/console"                                 SignedIn      panel::show_panel_page;
        get  "/console/busca"                           SignedIn      quick_search::show_search_results;
        post "/console/busca"                           SignedIn      quick_search::submit_search;
        get  "/console/sobre"                           SignedIn      about::show_about_page;
        get  "/console/estilo"                          SignedIn      style_guide::show_style_page;
        get  "/console/usuarios"                        Administrator users::show_user_list;
        get  "/console/usuarios/novo"                   Administrator users::show_new_user_form;
        post "/console/usuarios/novo"                   Administrator users::create_user;
        post "/console/usuarios/exigencia"              Administrator users::demand_second_factor;
        get  "/console/usuarios/{codigo}"               Administrator users::show_user_page;
        post "/console/usuarios/{codigo}"               Administrator users::change_user;
        post "/console/usuarios/{codigo}/senha"         Administrator users::send_password;
        post "/console/usuarios/{codigo}/sessoes"       Administrator users::end_user_sessions;
        post "/console/usuarios/{codigo}/segundo-fator" Administrator users::remove_second_factor;
        get  "/console/auditoria"                       Administrator audit::show_audit_page;
        get  "/console/emails"                          Administrator mails::show_mail_page;
        post "/console/emails/teste"                    Administrator mails::send_test_mail;
        get  "/console/validacao"                       Administrator open_validation::show_validation_form;
        post "/console/validacao"                       Administrator open_validation::save_validation_form;
    }
}

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

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    version: &'static str,
}

/// The page at the server's root address.
async fn show_welcome_page() -> widgets::page::HandlerResult {
    widgets::page::render_frameless_page(StatusCode::OK, &WelcomePage { version: env!("CARGO_PKG_VERSION") })
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
