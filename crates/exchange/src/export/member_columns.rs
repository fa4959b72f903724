//! Columns of members and benefits.

use super::cell_values::CellKind::{Code, Day, Money, Number, Text};
use super::cell_values::{
    make_day_cell, make_money_cell, make_number_cell, make_optional_text_cell, make_text_cell,
};
use super::list_columns::{ListColumn, define_column};
use app::members::search::{FoundBenefit, FoundMemberRow};
use app::register_snapshot::TenantRegisters;
use domain::{BenefitKind, PlanCode, SellerCode, SituationCode, display};
use wire::set_names;

/// Columns of the member list, named as on its web page.
pub(super) const MEMBERS: &[ListColumn<FoundMemberRow>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.person.code.get())),
    define_column("nome", "Nome", Text, |_, row| make_text_cell(row.person.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(row.person.document.as_deref().map(display::format_document).as_deref())
    }),
    define_column("telefone", "Telefone", Code, |_, row| {
        let phone = row.person.mobile.as_deref().or(row.person.landline.as_deref());
        make_optional_text_cell(phone.map(display::format_phone).as_deref())
    }),
    define_column("fixo", "Telefone fixo", Code, |_, row| {
        make_optional_text_cell(row.person.landline.as_deref().map(display::format_phone).as_deref())
    }),
    define_column("email", "E-mail", Text, |_, row| make_optional_text_cell(row.person.email.as_deref())),
    define_column("nascimento", "Nascimento", Day, |_, row| make_day_cell(row.person.born_on)),
    define_column("logradouro", "Endereço", Text, |_, row| {
        let address = &row.person.address;
        let parts = [&address.street_kind, &address.street, &address.number, &address.complement];
        make_text_cell(parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" "))
    }),
    define_column("bairro", "Bairro", Text, |_, row| {
        make_optional_text_cell(row.person.address.district.as_deref())
    }),
    define_column("cidade", "Cidade", Text, |_, row| {
        make_optional_text_cell(row.person.address.city.as_deref())
    }),
    define_column("uf", "UF", Text, |_, row| make_optional_text_cell(row.person.address.state.as_deref())),
    define_column("cep", "CEP", Code, |_, row| {
        let cep = row.person.address.cep.as_ref().map(|cep| cep.as_str().to_owned());
        make_optional_text_cell(cep.map(|cep| format_cep(&cep)).as_deref())
    }),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.branch))
    }),
    define_column("consultor", "Consultor", Text, |tenant_registers, row| {
        make_seller_cell(tenant_registers, row.consultant)
    }),
    define_column("cadastro", "Cadastro", Day, |_, row| make_day_cell(Some(row.registered_on))),
    define_column("alteracao", "Alteração", Day, |_, row| make_day_cell(Some(row.updated_on))),
    define_column("codBeneficio", "Código do benefício", Number, |_, row| {
        row.benefit
            .as_ref()
            .map_or(super::cell_values::SpreadsheetCell::Empty, |one| make_number_cell(one.code.get()))
    }),
    define_column("beneficio", "Número do benefício", Number, |_, row| {
        row.benefit
            .as_ref()
            .map_or(super::cell_values::SpreadsheetCell::Empty, |one| make_number_cell(one.sequence))
    }),
    define_column("tipo", "Tipo", Text, |_, row| {
        make_optional_text_cell(row.benefit.as_ref().map(|one| label_benefit_kind(one.kind)))
    }),
    define_column("situacao", "Situação", Text, |tenant_registers, row| {
        row.benefit.as_ref().map_or(super::cell_values::SpreadsheetCell::Empty, |one| {
            make_situation_cell(tenant_registers, one.situation)
        })
    }),
    define_column("placa", "Placa", Text, |_, row| {
        make_optional_text_cell(row.benefit.as_ref().and_then(|one| one.plate.as_deref()))
    }),
    define_column("chassi", "Chassi", Code, |_, row| {
        make_optional_text_cell(row.benefit.as_ref().and_then(|one| one.chassis.as_deref()))
    }),
    define_column("cartao", "Cartão", Code, |_, row| {
        make_optional_text_cell(
            row.benefit.as_ref().and_then(|one| one.card.as_deref()).map(display::format_card).as_deref(),
        )
    }),
    define_column("planos", "Planos", Text, |tenant_registers, row| {
        make_text_cell(
            row.benefit.as_ref().map(|one| join_plan_names(tenant_registers, &one.plans)).unwrap_or_default(),
        )
    }),
    define_column("valor", "Valor dos planos", Money, |_, row| {
        make_money_cell(row.benefit.as_ref().map(|one| one.plans.iter().map(|(_, price)| *price).sum()))
    }),
];

pub(super) const BENEFITS: &[ListColumn<FoundBenefit>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code.get())),
    define_column("numero", "Número", Number, |_, row| make_number_cell(row.benefit.sequence)),
    define_column("tipo", "Tipo", Text, |_, row| make_text_cell(label_benefit_kind(row.benefit.kind))),
    define_column("situacao", "Situação", Text, |tenant_registers, row| {
        make_situation_cell(tenant_registers, row.benefit.situation)
    }),
    define_column("codAssociado", "Código do associado", Number, |_, row| {
        make_number_cell(row.benefit.person.get())
    }),
    define_column("associado", "Associado", Text, |_, row| make_text_cell(row.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(row.document.as_deref().map(display::format_document).as_deref())
    }),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.benefit.branch))
    }),
    define_column("planos", "Planos", Text, |tenant_registers, row| {
        make_text_cell(join_plan_names(tenant_registers, &row.benefit.plans))
    }),
    define_column("valor", "Valor dos planos", Money, |_, row| {
        make_money_cell(Some(row.benefit.plans.iter().map(|(_, price)| *price).sum()))
    }),
    define_column("cartao", "Cartão", Code, |_, row| {
        make_optional_text_cell(
            row.benefit.card.as_ref().map(|card| display::format_card(card.as_str())).as_deref(),
        )
    }),
    define_column("vencimento", "Dia de vencimento", Number, |_, row| {
        row.benefit.due_day.map_or(super::cell_values::SpreadsheetCell::Empty, make_number_cell)
    }),
    define_column("adesao", "Adesão", Day, |_, row| make_day_cell(row.benefit.joined_on)),
    define_column("ativacao", "Ativação", Day, |_, row| make_day_cell(row.benefit.activated_on)),
    define_column("cancelamento", "Cancelamento", Day, |_, row| make_day_cell(row.benefit.cancelled_on)),
    define_column("consultor", "Consultor", Text, |tenant_registers, row| {
        make_seller_cell(tenant_registers, row.consultant)
    }),
    define_column("cadastro", "Cadastro", Day, |tenant_registers, row| {
        make_day_cell(Some(row.benefit.created_at.date_in(&tenant_registers.zone)))
    }),
    define_column("placa", "Placa", Text, |_, row| {
        make_optional_text_cell(row.benefit.vehicle.plate.as_ref().map(ToString::to_string).as_deref())
    }),
    define_column("chassi", "Chassi", Code, |_, row| {
        make_optional_text_cell(row.benefit.vehicle.chassis.as_ref().map(ToString::to_string).as_deref())
    }),
    define_column("renavam", "Renavam", Code, |_, row| {
        make_optional_text_cell(row.benefit.vehicle.renavam.as_deref())
    }),
    define_column("marca", "Marca", Text, |_, row| {
        make_optional_text_cell(row.benefit.vehicle.brand.as_deref())
    }),
    define_column("modelo", "Modelo", Text, |_, row| {
        make_optional_text_cell(row.benefit.vehicle.model.as_deref())
    }),
    define_column("anoModelo", "Ano do modelo", Number, |_, row| {
        row.benefit.vehicle.model_year.map_or(super::cell_values::SpreadsheetCell::Empty, make_number_cell)
    }),
    define_column("valorVeiculo", "Valor do veículo", Money, |_, row| {
        make_money_cell(row.benefit.vehicle.worth)
    }),
    define_column("valorProtegido", "Valor protegido", Money, |_, row| {
        make_money_cell(row.benefit.vehicle.protected)
    }),
];

fn label_benefit_kind(kind: BenefitKind) -> &'static str {
    ::registers::find_choice_label(set_names::benefit_kind(kind))
}

pub(super) fn make_situation_cell(
    tenant_registers: &TenantRegisters,
    code: SituationCode,
) -> super::cell_values::SpreadsheetCell {
    make_optional_text_cell(tenant_registers.situation(code).map(|one| one.name.as_str()))
}

fn make_seller_cell(
    tenant_registers: &TenantRegisters,
    code: Option<SellerCode>,
) -> super::cell_values::SpreadsheetCell {
    make_optional_text_cell(code.and_then(|code| tenant_registers.seller_name(code)))
}

fn join_plan_names(tenant_registers: &TenantRegisters, all: &[(PlanCode, domain::Money)]) -> String {
    let named = all.iter().filter_map(|(plan, _)| Some(tenant_registers.plan(*plan)?.name.as_str()));
    named.collect::<Vec<_>>().join(", ")
}

/// `01310-100`
pub(super) fn format_cep(cep: &str) -> String {
    match (cep.get(..5), cep.get(5..)) {
        (Some(first), Some(last)) => format!("{first}-{last}"),
        _ => cep.to_owned(),
    }
}
