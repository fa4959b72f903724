//! Every route of the console. Each area of pages lists its own; here are those of the account and of administrators.

use crate::page_route::{PageRoute, routes};
use crate::pages::{
    self, about, audit, mails, open_validation, panel, password_reset, quick_search, root_page,
    second_factor, setup, sign_in, style_guide, users,
};
use crate::widgets::assets;

/// Every route of the console, in the order of its areas.
pub fn list_routes() -> Vec<PageRoute> {
    let mut routes = list_page_routes();
    routes.extend(pages::triggers::list_trigger_routes());
    routes
}

/// The routes that need nothing but the `App`.
pub(crate) fn list_page_routes() -> Vec<PageRoute> {
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
    routes.extend(pages::finance::list_finance_routes());
    routes.extend(pages::finance::charging::list_charging_routes());
    routes.extend(pages::import::list_import_routes());
    routes.extend(pages::guide::list_guide_routes());
    routes
}

/// Sign-in, the account of each user, and what an administrator manages.
fn list_account_routes() -> Vec<PageRoute> {
    routes! {
        get  "/"                                        Public        root_page::show_welcome_page;
        get  "/estilo.css"                              Public        root_page::serve_welcome_style;
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
