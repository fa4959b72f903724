//! `/console/vendas`: leads and their deals, from the first contact to a benefit.

mod board;
mod deal;
mod edit;
mod fields;
mod leads;
mod list;
mod move_stage;
mod win;

use crate::session::visitor::derive_root_path;
use app::App;
use app::registers::snapshot::TenantRegisters;
use axum::Router;
use dispatch::{get, post};
use domain::{DealCode, DealState, StageCode};

pub fn build_sales_routes() -> Router<App> {
    const ONE: &str = "/console/vendas/{codigo}";
    let at = |rest: &str| format!("{ONE}{rest}");
    Router::new()
        .route("/console/vendas", get(board::show_funnel_board).merge(post(board::move_deal_card)))
        .route("/console/vendas/mudancas", get(board::show_board_changes))
        .route("/console/vendas/lista", get(list::show_deal_list))
        .route("/console/vendas/leads", get(leads::show_lead_list))
        .route("/console/vendas/novo", get(edit::show_new_deal_form).merge(post(edit::create_deal)))
        .route(ONE, get(deal::show_deal_page))
        .route(&at("/alterar"), get(edit::show_edit_deal_form).merge(post(edit::change_deal)))
        .route(&at("/etapa"), post(move_stage::change_deal_stage))
        .route(&at("/perder"), post(move_stage::lose_deal))
        .route(&at("/reabrir"), post(move_stage::reopen_deal))
        .route(&at("/dependentes"), post(deal::add_dependent))
        .route(&at("/ganhar"), get(win::show_win_form).merge(post(win::win_deal)))
}

fn build_deal_path(app: &App, code: DealCode) -> String {
    format!("{}/console/vendas/{code}", derive_root_path(app))
}

pub struct StageBadge {
    pub class: String,
    pub name: String,
}

fn build_stage_badge(registers: &TenantRegisters, code: StageCode) -> StageBadge {
    let name = registers.stage(code).map_or_else(String::new, |one| one.name.clone());
    StageBadge { class: format!("e{code}"), name }
}

/// Label of a deal's state, and the colour class of its badge.
fn label_deal_state(state: DealState) -> (&'static str, &'static str) {
    match state {
        DealState::Open => ("Aberto", ""),
        DealState::Won => ("Ganho", "fine"),
        DealState::Lost => ("Perdido", "wrong"),
    }
}

#[cfg(test)]
impl StageBadge {
    fn sample(with: crate::template_tests::SampleContent) -> StageBadge {
        StageBadge { class: "e3".to_owned(), name: with.text() }
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[board::CASES, deal::CASES, leads::CASES, list::CASES, win::CASES, edit::CASES];
