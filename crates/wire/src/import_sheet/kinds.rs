//! The names of the import kinds, and the registers that some of them fill.

use domain::ImportKind;
use registers::Register;

/// The name of an import kind in paths and commands.
pub fn name_import_kind(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Members => "associados",
        ImportKind::Vehicles => "veiculos",
        ImportKind::Dependents => "dependentes",
        ImportKind::Leads => "leads",
        ImportKind::Plans => "planos",
        ImportKind::Sellers => "vendedores",
        ImportKind::Titles => "titulos",
        ImportKind::OpeningBalances => "saldos",
        ImportKind::PlanPrices => "precos",
        ImportKind::Discounts => "descontos",
        ImportKind::TitleTypes => "tiposTitulo",
        ImportKind::ChargeItems => "itensCobranca",
        ImportKind::LateChargeRules => "regrasEncargos",
        ImportKind::PaymentForms => "formasPagamento",
        ImportKind::SettlementTypes => "tiposLiquidacao",
        ImportKind::MoneyAccounts => "contasFinanceiras",
        ImportKind::BankHolidays => "feriados",
        ImportKind::ProtectionGroups => "gruposProtecao",
    }
}

pub fn parse_import_kind(text: &str) -> Option<ImportKind> {
    ImportKind::ALL.iter().copied().find(|kind| name_import_kind(*kind) == text)
}

/// `associados, veiculos … ou gruposProtecao`
pub fn join_import_kinds() -> String {
    let names: Vec<&str> = ImportKind::ALL.iter().map(|kind| name_import_kind(*kind)).collect();
    match &names[..] {
        [most @ .., last] => format!("{} ou {last}", most.join(", ")),
        [] => String::new(),
    }
}

/// The register whose records an import of this kind holds, if it is one.
pub fn find_import_register(kind: ImportKind) -> Option<&'static Register> {
    registers::find_register(match kind {
        ImportKind::Plans => "plano",
        ImportKind::Sellers => "vendedor",
        ImportKind::PlanPrices => "tabelaPreco",
        ImportKind::Discounts => "desconto",
        ImportKind::TitleTypes => "tipoTitulo",
        ImportKind::ChargeItems => "itemCobranca",
        ImportKind::LateChargeRules => "regraEncargos",
        ImportKind::PaymentForms => "formaPagamento",
        ImportKind::SettlementTypes => "tipoLiquidacao",
        ImportKind::MoneyAccounts => "contaFinanceira",
        ImportKind::BankHolidays => "feriado",
        ImportKind::ProtectionGroups => "grupoProtecao",
        ImportKind::Members
        | ImportKind::Vehicles
        | ImportKind::Dependents
        | ImportKind::Leads
        | ImportKind::Titles
        | ImportKind::OpeningBalances => return None,
    })
}
