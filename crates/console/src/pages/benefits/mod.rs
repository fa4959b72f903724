//! `/console/beneficios`: the routes of the pages of benefits.

mod card;
mod change_situation;
mod dependents;
mod discounts;
pub mod fields;
mod form;
mod items;
pub mod list;
mod show;

use crate::page_route::{PageRoute, routes};

pub fn list_benefit_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/beneficios"                                     SignedIn list::show_benefit_list;
        get  "/console/beneficios/novo"                                SignedIn form::show_member_choice;
        get  "/console/associados/{codigo}/beneficios/novo"            SignedIn form::show_new_benefit_form;
        post "/console/associados/{codigo}/beneficios/novo"            SignedIn form::create_benefit;
        get  "/console/beneficios/{codigo}"                            SignedIn show::show_benefit_page;
        get  "/console/beneficios/{codigo}/alterar"                    SignedIn form::show_edit_benefit_form;
        post "/console/beneficios/{codigo}/alterar"                    SignedIn form::change_benefit;
        get  "/console/beneficios/{codigo}/cartao"                     SignedIn card::show_card_page;
        get  "/console/beneficios/{codigo}/situacao"                   SignedIn change_situation::show_situation_form;
        post "/console/beneficios/{codigo}/situacao"                   SignedIn change_situation::submit_situation_change;
        post "/console/beneficios/{codigo}/situacao/desfazer"          SignedIn change_situation::undo_situation_change;
        get  "/console/beneficios/{codigo}/itens"                      SignedIn items::show_new_item_form;
        post "/console/beneficios/{codigo}/itens"                      SignedIn items::add_item;
        post "/console/beneficios/{codigo}/itens/{parte}"              SignedIn items::change_item;
        get  "/console/beneficios/{codigo}/dependentes"                SignedIn dependents::show_new_dependent_form;
        post "/console/beneficios/{codigo}/dependentes"                SignedIn dependents::create_dependent;
        get  "/console/beneficios/{codigo}/dependentes/{parte}"        SignedIn dependents::show_edit_dependent_form;
        post "/console/beneficios/{codigo}/dependentes/{parte}"        SignedIn dependents::change_dependent;
        post "/console/beneficios/{codigo}/dependentes/{parte}/estado" SignedIn dependents::set_dependent_active;
        post "/console/beneficios/{codigo}/descontos"                  SignedIn discounts::grant_discount;
        post "/console/beneficios/{codigo}/descontos/{parte}/encerrar" SignedIn discounts::end_discount;
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[card::CASES, form::CASES, list::CASES, show::CASES];
