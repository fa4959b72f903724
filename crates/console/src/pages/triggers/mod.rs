//! `/console/gatilhos`: webhook receivers with their health and deliveries, and the replay of deliveries.
//! Administrators use it when an integrator reports a problem.

mod deliveries;
mod display;
mod edit;
mod receiver;
mod receivers;

use crate::session::visitor::SignedInUser;
use app::triggers::receivers::TenantActor;
use app::{App, Vault};
use axum::{Extension, Router};
use dispatch::{get, post};

pub fn build_trigger_routes(vault: Vault) -> Router<App> {
    const ONE: &str = "/console/gatilhos/{codigo}";
    let at = |rest: &str| format!("{ONE}{rest}");
    Router::new()
        .route("/console/gatilhos", get(receivers::show_receiver_list))
        .route("/console/gatilhos/novo", get(edit::show_new_receiver_form).merge(post(edit::create_receiver)))
        .route(ONE, get(receiver::show_receiver_page))
        .route(&at("/alterar"), get(edit::show_edit_receiver_form).merge(post(edit::change_receiver)))
        .route(&at("/ativo"), post(edit::set_receiver_active))
        .route(&at("/pausar"), post(receiver::set_receiver_pause))
        .route(&at("/segredo"), post(receiver::rotate_secret))
        .route(&at("/teste"), post(receiver::send_test_delivery))
        .route(&at("/reenviar"), post(deliveries::replay_deliveries))
        .route(&at("/entregas"), get(deliveries::show_delivery_list))
        .route(&at("/entregas/{historico}"), get(deliveries::show_delivery_page))
        .layer(Extension(vault))
}

fn build_actor(user: &SignedInUser) -> TenantActor {
    TenantActor { tenant: user.session().scope.tenant(), user: Some(user.session().user) }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[deliveries::CASES, receiver::CASES, receivers::CASES, edit::CASES];
