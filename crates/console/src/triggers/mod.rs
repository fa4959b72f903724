//! `/console/gatilhos`: the page that an administrator opens when an integrator calls. Who is told of changes, how each of
//! them fares, what was sent, and sending again.

mod deliveries;
mod receiver;
mod receivers;
mod shown;
mod writing;

use crate::visitor::Guest;
use app::receivers::By;
use app::{App, Vault};
use axum::{Extension, Router};
use dispatch::{get, post};

pub fn routes(vault: Vault) -> Router<App> {
    const ONE: &str = "/console/gatilhos/{codigo}";
    let at = |rest: &str| format!("{ONE}{rest}");
    Router::new()
        .route("/console/gatilhos", get(receivers::page))
        .route("/console/gatilhos/novo", get(writing::new).merge(post(writing::create)))
        .route(ONE, get(receiver::page))
        .route(&at("/alterar"), get(writing::edit).merge(post(writing::change)))
        .route(&at("/ativo"), post(writing::set_active))
        .route(&at("/pausar"), post(receiver::pause))
        .route(&at("/segredo"), post(receiver::rotate))
        .route(&at("/teste"), post(receiver::test))
        .route(&at("/reenviar"), post(deliveries::send_again))
        .route(&at("/entregas"), get(deliveries::list))
        .route(&at("/entregas/{historico}"), get(deliveries::one))
        .layer(Extension(vault))
}

fn by(guest: &Guest) -> By {
    By { tenant: guest.session().scope.tenant(), user: Some(guest.session().user) }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] =
    &[deliveries::CASES, receiver::CASES, receivers::CASES, writing::CASES];
