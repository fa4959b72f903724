//! `/console/vendas`: who may become a member, and the deals with each, from the first word to a benefit.

mod boards;
mod deal;
mod fields;
mod leads;
mod list;
mod moving;
mod winning;
mod writing;

use app::App;
use app::base::Registers;
use axum::Router;
use dispatch::{get, post};
use domain::{DealState, StageCode};

pub fn routes() -> Router<App> {
    const ONE: &str = "/console/vendas/{codigo}";
    let at = |rest: &str| format!("{ONE}{rest}");
    Router::new()
        .route("/console/vendas", get(boards::page).merge(post(boards::moved)))
        .route("/console/vendas/mudancas", get(boards::changes))
        .route("/console/vendas/lista", get(list::page))
        .route("/console/vendas/leads", get(leads::page))
        .route("/console/vendas/novo", get(writing::new).merge(post(writing::create)))
        .route(ONE, get(deal::page))
        .route(&at("/alterar"), get(writing::edit).merge(post(writing::change)))
        .route(&at("/etapa"), post(moving::stage))
        .route(&at("/perder"), post(moving::lose))
        .route(&at("/reabrir"), post(moving::reopen))
        .route(&at("/dependentes"), post(deal::add_dependent))
        .route(&at("/ganhar"), get(winning::page).merge(post(winning::win)))
}

/// A stage as its badge shows it.
pub struct Stage {
    pub class: String,
    pub name: String,
}

fn stage(registers: &Registers, code: StageCode) -> Stage {
    let name = registers.stage(code).map_or_else(String::new, |one| one.name.clone());
    Stage { class: format!("e{code}"), name }
}

/// What people call the state of a deal, with the colour of its badge.
fn state(state: DealState) -> (&'static str, &'static str) {
    match state {
        DealState::Open => ("Aberto", ""),
        DealState::Won => ("Ganho", "fine"),
        DealState::Lost => ("Perdido", "wrong"),
    }
}

#[cfg(test)]
impl Stage {
    fn sample(with: crate::rendered::Sample) -> Stage {
        Stage { class: "e3".to_owned(), name: with.text() }
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] =
    &[boards::CASES, deal::CASES, leads::CASES, list::CASES, winning::CASES, writing::CASES];
