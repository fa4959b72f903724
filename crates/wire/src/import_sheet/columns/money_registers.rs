//! The columns of the registers of money, built from their descriptions: a new field of a register is a new column.

use crate::import_sheet::fields::{ImportField, ImportFieldKind};
use crate::import_sheet::kinds::find_import_register;
use domain::ImportKind;
use registers::{FieldRequirement, FieldSpec, FieldType, Register};
use std::sync::LazyLock;

static COLUMNS: LazyLock<Vec<(ImportKind, Vec<ImportField>)>> = LazyLock::new(|| {
    // Plans and sellers have columns of their own.
    let kinds =
        ImportKind::ALL.iter().filter(|kind| !matches!(kind, ImportKind::Plans | ImportKind::Sellers));
    kinds.filter_map(|kind| Some((*kind, list_columns(find_import_register(*kind)?)))).collect()
});

/// The columns of a register: its code, its fields, and whether it is in use.
pub(super) fn list_register_fields(kind: ImportKind) -> &'static [ImportField] {
    match COLUMNS.iter().find(|(known, _)| *known == kind) {
        Some((_, columns)) => columns,
        None => &[],
    }
}

fn list_columns(register: &'static Register) -> Vec<ImportField> {
    let code = ImportField {
        name: register.code,
        label: "Código",
        cell: ImportFieldKind::Number,
        required: false,
        synonyms: &["Cód.", "ID"],
    };
    let active = ImportField {
        name: "ativo",
        label: "Ativo",
        cell: ImportFieldKind::Flag,
        required: false,
        synonyms: &["Situação", "Status"],
    };
    let fields = register.fields.iter().filter(|field| field.is_input());
    std::iter::once(code)
        .chain(fields.map(|field| describe_column(register, field)))
        .chain([active])
        .collect()
}

fn describe_column(register: &Register, field: &'static FieldSpec) -> ImportField {
    let (label, cell) = match (register.path, field.name) {
        // On the form they follow each other in one line.
        ("tabelaPreco", "valorDe") => (field.label, ImportFieldKind::BandStart),
        ("tabelaPreco", "valorAte") => ("Valor protegido até", ImportFieldKind::Money),
        _ => (field.label, find_cell_kind(field.kind)),
    };
    ImportField {
        name: field.name,
        label,
        cell,
        required: field.need == FieldRequirement::Required,
        synonyms: find_synonyms(register.path, field.name),
    }
}

fn find_cell_kind(kind: FieldType) -> ImportFieldKind {
    match kind {
        FieldType::Integer { .. } => ImportFieldKind::Number,
        FieldType::Money => ImportFieldKind::Money,
        FieldType::Percent => ImportFieldKind::Percent,
        FieldType::Flag => ImportFieldKind::Flag,
        FieldType::Date => ImportFieldKind::Date,
        FieldType::Choice(names) => ImportFieldKind::Choice(names),
        FieldType::Reference("loja") => ImportFieldKind::Branch,
        FieldType::Reference("plano") => ImportFieldKind::Plan,
        FieldType::Reference("tipoVeiculo") => ImportFieldKind::VehicleType,
        FieldType::Reference("itemCobranca") => ImportFieldKind::ChargeItem,
        FieldType::Reference("regraEncargos") => ImportFieldKind::LateChargeRule,
        FieldType::Reference("grupoProtecao") => ImportFieldKind::ProtectionGroup,
        FieldType::Reference("contaFinanceira") => ImportFieldKind::MoneyAccount,
        FieldType::Reference(_) => ImportFieldKind::Number,
        _ => ImportFieldKind::Text,
    }
}

/// Other names of the column of a field.
fn find_synonyms(path: &str, field: &str) -> &'static [&'static str] {
    match SYNONYMS.iter().find(|(register, name, _)| *register == path && *name == field) {
        Some((_, _, synonyms)) => synonyms,
        None => &[],
    }
}

const SYNONYMS: &[(&str, &str, &[&str])] = &[
    ("tabelaPreco", "codPlano", &["Código do plano", "Nome do plano", "Produto"]),
    (
        "tabelaPreco",
        "validoDesde",
        &[
            "Válido a partir de",
            "A partir de",
            "Vigência",
            "Início da vigência",
            "Vigência inicial",
            "Data de vigência",
            "Data",
        ],
    ),
    (
        "tabelaPreco",
        "codLoja",
        &["Código da loja", "Unidade", "Filial", "Regional", "Cooperativa", "Nome da loja"],
    ),
    ("tabelaPreco", "codTipoVeiculo", &["Tipo do veículo", "Tipo", "Categoria"]),
    (
        "tabelaPreco",
        "valorDe",
        &[
            "De",
            "Valor inicial",
            "Valor mínimo",
            "Faixa",
            "Faixa de valor",
            "Faixa de",
            "Faixa inicial",
            "Início da faixa",
            "FIPE",
            "FIPE de",
            "FIPE inicial",
        ],
    ),
    (
        "tabelaPreco",
        "valorAte",
        &[
            "Até",
            "Valor final",
            "Valor máximo",
            "Faixa até",
            "Faixa final",
            "Fim da faixa",
            "FIPE até",
            "FIPE final",
        ],
    ),
    (
        "tabelaPreco",
        "valor",
        &["Mensalidade", "Valor mensal", "Preço mensal", "Valor da mensalidade", "Preço por mês"],
    ),
    ("desconto", "nome", &["Desconto", "Nome do desconto", "Descrição"]),
    ("desconto", "percentual", &["Porcentagem", "Percentual de desconto"]),
    ("desconto", "valor", &["Valor do desconto"]),
    ("desconto", "codPlano", &["Código do plano", "Nome do plano"]),
    ("tipoTitulo", "nome", &["Tipo de título", "Tipo do título", "Nome do tipo", "Descrição"]),
    ("tipoTitulo", "tipoLancamento", &["Tipo de lançamento", "Crédito ou débito"]),
    ("tipoTitulo", "codItemCobranca", &["Item", "Código do item", "Nome do item"]),
    ("tipoTitulo", "codRegraEncargos", &["Encargos", "Regra de multa e juros", "Regra de encargos"]),
    ("itemCobranca", "nome", &["Item", "Item de cobrança", "Nome do item", "Descrição"]),
    ("itemCobranca", "tipo", &["Tipo do item"]),
    ("itemCobranca", "natureza", &["Natureza legal"]),
    ("regraEncargos", "nome", &["Regra", "Nome da regra", "Descrição"]),
    ("regraEncargos", "multa", &["Multa por atraso", "Percentual de multa"]),
    ("regraEncargos", "jurosMes", &["Juros", "Juros mensais", "Percentual de juros"]),
    ("regraEncargos", "descontoPontualidade", &["Desconto", "Desconto por pontualidade"]),
    ("regraEncargos", "diasDesconto", &["Dias do desconto"]),
    ("formaPagamento", "nome", &["Forma de pagamento", "Forma", "Descrição"]),
    ("tipoLiquidacao", "nome", &["Tipo de liquidação", "Nome do tipo", "Descrição"]),
    (
        "tipoLiquidacao",
        "codContaFinanceira",
        &["Conta financeira", "Conta ou caixa", "Caixa", "Nome da conta"],
    ),
    ("contaFinanceira", "nome", &["Nome da conta", "Conta financeira", "Descrição"]),
    ("contaFinanceira", "tipo", &["Tipo da conta"]),
    ("contaFinanceira", "banco", &["Nome do banco"]),
    ("contaFinanceira", "conta", &["Número da conta", "Nº da conta"]),
    ("contaFinanceira", "codGrupo", &["Grupo", "Nome do grupo"]),
    ("feriado", "nome", &["Feriado", "Nome do feriado", "Descrição"]),
    ("feriado", "data", &["Dia", "Data do feriado"]),
    ("grupoProtecao", "nome", &["Grupo", "Grupo de proteção", "Nome do grupo", "Descrição"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_register_has_a_column_and_every_synonym_a_field() {
        for (kind, columns) in COLUMNS.iter() {
            let register = find_import_register(*kind).unwrap();
            for field in register.fields.iter().filter(|field| field.is_input()) {
                let column = columns.iter().find(|column| column.name == field.name).unwrap();
                assert!(!column.label.is_empty(), "{} {}", register.path, field.name);
                let is_resolved = !matches!(field.kind, FieldType::Reference(_))
                    || crate::import_sheet::name_referenced_record(column.cell).is_some();
                assert!(is_resolved, "{} {}", register.path, field.name);
            }
        }
        for (path, field, _) in SYNONYMS {
            let register = registers::find_register(path).unwrap();
            assert!(register.find_field(field).is_some(), "{path} {field}");
        }
    }
}
