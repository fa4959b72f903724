//! `/console/financeiro`: titles, what is received and paid of them, and the closed months. Every page needs the right
//! to see money; what is done needs the rights that the actions of the `finance` crate ask for.

mod actions;
mod agreed_prices;
pub mod balance_badge;
pub mod benefit_titles;
mod books;
pub mod charging;
mod credits;
mod forms;
mod history;
pub mod list;
mod month_chart;
mod months;
mod new;
mod overview;
mod pending;
mod pix;
mod receipt;
mod revisions;
mod show;
mod slip;
mod title_export;
pub mod title_matches;

use crate::page_route::{PageRoute, routes};
use crate::widgets::form_problems::capitalize_sentence;
use crate::widgets::formats::{format_count, format_money};
use domain::finance::{LaunchKind, PriceOrigin, TitleSituation};
use domain::{Date, Money, Rejection};
use finance::FullTitle;
use wire::refusal::render_sentence;
use wire::set_names::price_source_label;

pub fn list_finance_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/financeiro"                                    SignedIn    overview::show_money_overview;
        get  "/console/financeiro/titulos"                            SignedIn    list::show_title_list;
        get  "/console/financeiro/titulos/novo"                       SignedIn    new::show_new_title_form;
        post "/console/financeiro/titulos/novo"                       SignedIn    new::issue_new_title;
        get  "/console/financeiro/titulos/{codigo}"                   SignedIn    show::show_title_page;
        post "/console/financeiro/titulos/{codigo}/receber"           SignedIn    actions::receive_payment;
        post "/console/financeiro/titulos/{codigo}/cancelar"          SignedIn    actions::cancel_title;
        post "/console/financeiro/titulos/{codigo}/vencimento"        SignedIn    actions::change_due_day;
        post "/console/financeiro/titulos/{codigo}/liberar"           SignedIn    actions::release_title;
        post "/console/financeiro/titulos/{codigo}/usar-credito"      SignedIn    actions::use_credit;
        get  "/console/financeiro/titulos/{codigo}/pix"               SignedIn    pix::show_pix_code;
        post "/console/financeiro/titulos/{codigo}/pix"               SignedIn    pix::issue_pix_code;
        get  "/console/financeiro/titulos/{codigo}/boleto"            SignedIn    slip::open_slip;
        post "/console/financeiro/titulos/{codigo}/boleto"            SignedIn    slip::issue_slip;
        post "/console/financeiro/titulos/{codigo}/estornar/{parte}"  SignedIn    actions::reverse_settlement;
        get  "/console/financeiro/titulos/{codigo}/recibo/{parte}"    SignedIn    receipt::show_receipt;
        get  "/console/financeiro/creditos"                           SignedIn    credits::show_credits;
        post "/console/financeiro/creditos"                           SignedIn    credits::receive_credit;
        post "/console/financeiro/creditos/devolver"                  SignedIn    credits::refund_credit;
        post "/console/financeiro/creditos/{codigo}/estornar"         SignedIn    credits::reverse_credit;
        get  "/console/financeiro/creditos/{codigo}/recibo"           SignedIn    receipt::show_credit_receipt;
        get  "/console/financeiro/lancamentos"                        SignedIn    pending::show_pending_charges;
        post "/console/financeiro/lancamentos"                        SignedIn    pending::add_pending_charge;
        post "/console/financeiro/lancamentos/{codigo}/emitir"        SignedIn    pending::issue_pending_charge;
        post "/console/financeiro/lancamentos/{codigo}/cancelar"      SignedIn    pending::cancel_pending_charge;
        get  "/console/financeiro/revisoes"                           SignedIn    revisions::show_revision_list;
        get  "/console/financeiro/revisoes/{codigo}"                  SignedIn    revisions::show_revision_page;
        post "/console/financeiro/revisoes/{codigo}/aplicar"          SignedIn    revisions::apply_revision;
        post "/console/financeiro/revisoes/{codigo}/manter"           SignedIn    revisions::dismiss_revision;
        get  "/console/financeiro/valores-combinados"                 RunApprover agreed_prices::show_agreed_prices;
        post "/console/financeiro/valores-combinados"                 RunApprover agreed_prices::move_agreed_prices;
        get  "/console/financeiro/balancete"                          SignedIn    books::show_trial_balance;
        get  "/console/financeiro/razao"                              SignedIn    books::show_account_statement;
        get  "/console/financeiro/meses"                              MonthCloser months::show_months_page;
        post "/console/financeiro/meses/fechar"                       MonthCloser months::close_month;
        post "/console/financeiro/meses/reabrir"                      MonthCloser months::reopen_month;
    }
}

/// `tabela de preços (preço 12)`
fn describe_price(price: PriceOrigin) -> String {
    let source = price_source_label(price.source);
    price.row.map_or_else(|| source.to_owned(), |row| format!("{source} (preço {row})"))
}

/// `R$ 1.234,56` that no line break tears apart; a discount has a minus.
fn format_cents(cents: i64) -> String {
    let sign = if cents < 0 { "−" } else { "" };
    let amount = i64::try_from(cents.unsigned_abs()).ok().and_then(Money::from_stored_cents);
    format!("{sign}{}", format_money(amount.unwrap_or(Money::MOST)).replace(' ', "\u{a0}"))
}

/// Why nothing was done, as a notice shows it.
fn join_sentences(rejections: &[Rejection]) -> String {
    let sentences = rejections.iter().map(|rejection| capitalize_sentence(&render_sentence(rejection)));
    sentences.collect::<Vec<_>>().join(" ")
}

/// `1 título`, `2.345 títulos`
fn count_titles(titles: i64) -> String {
    if titles == 1 { "1 título".to_owned() } else { format!("{} títulos", format_count(titles)) }
}

/// What settles the title today, in cents. Fine and interest are for what the association receives.
fn find_amount_due(full: &FullTitle) -> i64 {
    match full.title.launch_kind {
        LaunchKind::Credit => full.amount_due(),
        LaunchKind::Debit | LaunchKind::CostSharing => full.title.open_amount,
    }
}

/// A situation of a title as a badge: its name and its class.
pub struct TitleBadge {
    pub name: &'static str,
    pub class: &'static str,
    /// `vencido há 3 dias`, or empty.
    pub lateness: String,
}

fn build_title_badge(situation: TitleSituation, effective_due_on: Date, today: Date) -> TitleBadge {
    let (name, class) = match situation {
        TitleSituation::Pending => ("Pendente", "warn"),
        TitleSituation::Open => ("Aberto", ""),
        TitleSituation::Settled => ("Liquidado", "fine"),
        TitleSituation::Cancelled => ("Cancelado", ""),
    };
    let is_overdue = domain::finance::is_overdue(situation, effective_due_on, today);
    let lateness =
        if is_overdue { describe_lateness(today.days_since(effective_due_on)) } else { String::new() };
    TitleBadge { name, class, lateness }
}

fn describe_lateness(days: i32) -> String {
    if days == 1 { "vencido há 1 dia".to_owned() } else { format!("vencido há {days} dias") }
}

const fn label_launch_kind(kind: LaunchKind) -> &'static str {
    match kind {
        LaunchKind::Credit => "Crédito (a receber)",
        LaunchKind::Debit => "Débito (a pagar)",
        LaunchKind::CostSharing => "Rateio",
    }
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] = &[
    agreed_prices::CASES,
    books::CASES,
    credits::CASES,
    list::CASES,
    months::CASES,
    new::CASES,
    overview::CASES,
    pending::CASES,
    pix::CASES,
    receipt::CASES,
    revisions::CASES,
    show::CASES,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_their_sign_and_their_currency() {
        assert_eq!(format_cents(123_456), "R$\u{a0}1.234,56");
        assert_eq!(format_cents(-5), "−R$\u{a0}0,05");
    }

    #[test]
    fn only_what_is_open_after_its_due_day_is_late() {
        let due = Date::new(2026, 11, 10).unwrap();
        let late = |situation, today| build_title_badge(situation, due, today).lateness;
        assert_eq!(late(TitleSituation::Open, due), "");
        assert_eq!(late(TitleSituation::Open, due.next()), "vencido há 1 dia");
        assert_eq!(late(TitleSituation::Open, due.next().next()), "vencido há 2 dias");
        assert_eq!(late(TitleSituation::Settled, due.next()), "");
    }
}
