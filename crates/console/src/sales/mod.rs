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
use app::base::TenantRegisters;
use axum::Router;
use dispatch::{get, post};
use domain::{DealState, StageCode};

pub fn build_sales_routes() -> Router<App> {
    const ONE: &str = "/console/vendas/{codigo}";
    let at = |rest: &str| format!("{ONE}{rest}");
    Router::new()
        .route("/console/vendas", get(boards::show_funnel_board).merge(post(boards::move_deal_card)))
        .route("/console/vendas/mudancas", get(boards::show_board_changes))
        .route("/console/vendas/lista", get(list::show_deal_list))
        .route("/console/vendas/leads", get(leads::show_lead_list))
        .route("/console/vendas/novo", get(writing::show_new_deal_form).merge(post(writing::create_deal)))
        .route(ONE, get(deal::show_deal_page))
        .route(&at("/alterar"), get(writing::show_edit_deal_form).merge(post(writing::change_deal)))
        .route(&at("/etapa"), post(moving::change_deal_stage))
        .route(&at("/perder"), post(moving::lose_deal))
        .route(&at("/reabrir"), post(moving::reopen_deal))
        .route(&at("/dependentes"), post(deal::add_dependent))
        .route(&at("/ganhar"), get(winning::show_win_form).merge(post(winning::win_deal)))
}

/// A stage as its badge shows it.
pub struct StageBadge {
    pub class: String,
    pub name: String,
}

fn build_stage_badge(registers: &TenantRegisters, code: StageCode) -> StageBadge {
    let name = registers.stage(code).map_or_else(String::new, |one| one.name.clone());
    StageBadge { class: format!("e{code}"), name }
}

/// What people call the state of a deal, with the colour of its badge.
fn label_deal_state(state: DealState) -> (&'static str, &'static str) {
    match state {
        DealState::Open => ("Aberto", ""),
        DealState::Won => ("Ganho", "fine"),
        DealState::Lost => ("Perdido", "wrong"),
    }
}

#[cfg(test)]
impl StageBadge {
    fn sample(with: crate::rendered::SampleContent) -> StageBadge {
        StageBadge { class: "e3".to_owned(), name: with.text() }
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::TemplateCases] =
    &[boards::CASES, deal::CASES, leads::CASES, list::CASES, winning::CASES, writing::CASES];
