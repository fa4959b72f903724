//! `/console/gatilhos`: webhook receivers with their health and deliveries, and the replay of deliveries.
//! Administrators use it when an integrator reports a problem.

mod deliveries;
mod display;
mod edit;
mod receiver;
mod receivers;

use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use app::triggers::receivers::TenantActor;

/// Their handlers take the `Vault` as an extension.
pub fn list_trigger_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/gatilhos"                               Administrator receivers::show_receiver_list;
        get  "/console/gatilhos/novo"                          Administrator edit::show_new_receiver_form;
        post "/console/gatilhos/novo"                          Administrator edit::create_receiver;
        get  "/console/gatilhos/{codigo}"                      Administrator receiver::show_receiver_page;
        get  "/console/gatilhos/{codigo}/alterar"              Administrator edit::show_edit_receiver_form;
        post "/console/gatilhos/{codigo}/alterar"              Administrator edit::change_receiver;
        post "/console/gatilhos/{codigo}/ativo"                Administrator edit::set_receiver_active;
        post "/console/gatilhos/{codigo}/pausar"               Administrator receiver::set_receiver_pause;
        post "/console/gatilhos/{codigo}/segredo"              Administrator receiver::rotate_secret;
        post "/console/gatilhos/{codigo}/teste"                Administrator receiver::send_test_delivery;
        post "/console/gatilhos/{codigo}/reenviar"             Administrator deliveries::replay_deliveries;
        get  "/console/gatilhos/{codigo}/entregas"             Administrator deliveries::show_delivery_list;
        get  "/console/gatilhos/{codigo}/entregas/{historico}" Administrator deliveries::show_delivery_page;
    }
}

fn build_actor(user: &SignedInUser) -> TenantActor {
    TenantActor { tenant: user.session().scope.tenant(), user: Some(user.session().user) }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[deliveries::CASES, receiver::CASES, receivers::CASES, edit::CASES];
