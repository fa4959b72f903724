//! `/console/vendas`: leads and their deals, from the first contact to a benefit.

mod board;
mod deal;
mod edit;
mod fields;
mod leads;
mod list;
mod move_stage;
mod win;

use crate::http::redirect::derive_root_path;
use crate::page_route::{PageRoute, routes};
use app::App;
use app::register_snapshot::TenantRegisters;
use domain::{DealCode, DealState, StageCode};

pub fn list_sales_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/vendas"                      SignedIn board::show_funnel_board;
        post "/console/vendas"                      SignedIn board::move_deal_card;
        get  "/console/vendas/mudancas"             SignedIn board::show_board_changes;
        get  "/console/vendas/lista"                SignedIn list::show_deal_list;
        get  "/console/vendas/leads"                SignedIn leads::show_lead_list;
        get  "/console/vendas/novo"                 SignedIn edit::show_new_deal_form;
        post "/console/vendas/novo"                 SignedIn edit::create_deal;
        get  "/console/vendas/{codigo}"             SignedIn deal::show_deal_page;
        get  "/console/vendas/{codigo}/alterar"     SignedIn edit::show_edit_deal_form;
        post "/console/vendas/{codigo}/alterar"     SignedIn edit::change_deal;
        post "/console/vendas/{codigo}/etapa"       SignedIn move_stage::change_deal_stage;
        post "/console/vendas/{codigo}/perder"      SignedIn move_stage::lose_deal;
        post "/console/vendas/{codigo}/reabrir"     SignedIn move_stage::reopen_deal;
        post "/console/vendas/{codigo}/dependentes" SignedIn deal::add_dependent;
        get  "/console/vendas/{codigo}/ganhar"      SignedIn win::show_win_form;
        post "/console/vendas/{codigo}/ganhar"      SignedIn win::win_deal;
    }
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
