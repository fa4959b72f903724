//! The registers of money that a new association starts with, which it may rename and extend. Migrations 25 and 26 add
//! the same to existing associations.

use crate::describe::FieldContent;
use domain::finance::ChargeItemKind::{
    self, AddOn, AdministrationFee, CostShare, Expense, Inspection, Joining, LateCharges, Participation,
    Penalty, Reactivation, Reserve,
};
use domain::finance::LaunchKind::{self, CostSharing, Credit, Debit};
use domain::finance::LegalNature::{self, Administration, Indemnity, Operation};
use domain::finance::{MoneyAccountKind, ShortfallTreatment};

const GROUPS: &[&str] = &["Grupo geral"];

const CHARGE_ITEMS: &[(&str, ChargeItemKind, LegalNature)] = &[
    ("Taxa de administração", AdministrationFee, Administration),
    ("Rateio", CostShare, Indemnity),
    ("Adicional", AddOn, Indemnity),
    ("Taxa de adesão", Joining, Administration),
    ("Taxa de vistoria", Inspection, Operation),
    ("Taxa de reativação", Reactivation, Administration),
    ("Fundo de reserva", Reserve, Indemnity),
    ("Participação em evento", Participation, Indemnity),
    ("Rastreador não devolvido", Penalty, Operation),
    ("Multa e juros", LateCharges, Operation),
    ("Despesas do grupo", Expense, Operation),
];

/// Fine and monthly interest in hundredths of a percent.
const LATE_CHARGE_RULES: &[(&str, i64, i64, ShortfallTreatment)] =
    &[("Multa de 2% e juros de 1% ao mês", 200, 100, ShortfallTreatment::NextCharge)];

/// Charge item and late charge rule by their place in the lists above, counted from 1.
const TITLE_TYPES: &[(&str, LaunchKind, i64, Option<i64>)] = &[
    ("Mensalidade", Credit, 1, Some(1)),
    ("Adesão", Credit, 4, Some(1)),
    ("Vistoria", Credit, 5, Some(1)),
    ("Reativação", Credit, 6, Some(1)),
    ("Participação em evento", Credit, 8, Some(1)),
    ("Rastreador não devolvido", Credit, 9, Some(1)),
    ("Conta a pagar", Debit, 11, None),
    ("Rateio", CostSharing, 2, None),
];

const PAYMENT_FORMS: &[&str] = &["Boleto", "Pix", "Dinheiro", "Cartão de crédito", "Débito em conta"];

const MONEY_ACCOUNTS: &[(&str, MoneyAccountKind)] =
    &[("Caixa", MoneyAccountKind::CashBox), ("Conta bancária", MoneyAccountKind::Bank)];

/// The account by its place in the list above, counted from 1.
const SETTLEMENT_TYPES: &[(&str, i64)] =
    &[("Dinheiro", 1), ("Boleto", 2), ("Pix", 2), ("Cartão", 2), ("Transferência", 2)];

/// The records of each register, in the order in which one refers to another; values in the order of the fields.
pub fn list_finance_records() -> Vec<(&'static str, Vec<Vec<FieldContent>>)> {
    let text = |name: &&str| FieldContent::Text((*name).to_owned());
    let number = FieldContent::Number;
    let named = |names: &[&str]| names.iter().map(|name| vec![text(name)]).collect();
    let items = CHARGE_ITEMS
        .iter()
        .map(|(name, kind, nature)| vec![text(name), number(kind.number()), number(nature.number())]);
    let rules = LATE_CHARGE_RULES.iter().map(|(name, fine, interest, shortfall)| {
        vec![text(name), number(*fine), number(*interest), number(shortfall.number())]
    });
    let titles = TITLE_TYPES.iter().map(|(name, kind, item, rule)| {
        vec![
            text(name),
            number(kind.number()),
            number(*item),
            rule.map_or(FieldContent::Nothing, FieldContent::Number),
        ]
    });
    let accounts = MONEY_ACCOUNTS.iter().map(|(name, kind)| vec![text(name), number(kind.number())]);
    // The general rule: of no group, until day 25, whole months, monthly contributions, five bank days before they are due.
    let charging = vec![
        text(&"Regra geral"),
        FieldContent::Nothing,
        number(25),
        FieldContent::Flag(false),
        number(1),
        FieldContent::Nothing,
        number(5),
    ];
    let settlements = SETTLEMENT_TYPES.iter().map(|(name, account)| vec![text(name), number(*account)]);
    vec![
        ("grupoProtecao", named(GROUPS)),
        ("itemCobranca", items.collect()),
        ("regraEncargos", rules.collect()),
        ("tipoTitulo", titles.collect()),
        ("formaPagamento", named(PAYMENT_FORMS)),
        ("contaFinanceira", accounts.collect()),
        ("tipoLiquidacao", settlements.collect()),
        ("regraCobranca", vec![charging]),
    ]
}
