//! Columns of cases, deals and leads.

use super::cell_values::CellKind::{Code, Day, Flag, Moment, Money, Number, Text};
use super::cell_values::{
    SpreadsheetCell, make_day_cell, make_moment_cell, make_money_cell, make_number_cell,
    make_optional_text_cell, make_text_cell,
};
use super::list_columns::{ListColumn, define_column};
use super::member_columns::make_situation_cell;
use app::cases::ResolvedCase;
use app::register_snapshot::TenantRegisters;
use app::sales::deals::FoundDeal;
use app::sales::leads::FoundLead;
use domain::{Case, display};
use wire::set_names;

pub(super) const CASES: &[ListColumn<ResolvedCase>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code)),
    define_column("protocolo", "Protocolo", Number, |_, row| make_number_cell(row.case.head().protocol)),
    define_column("tipo", "Tipo", Text, |tenant_registers, row| {
        make_text_cell(find_case_type_name(tenant_registers, &row.case))
    }),
    define_column("situacao", "Situação", Text, |tenant_registers, row| {
        make_situation_cell(tenant_registers, row.case.head().situation)
    }),
    define_column("situacaoDesde", "Na situação desde", Moment, |_, row| {
        make_moment_cell(Some(row.case.head().situation_since))
    }),
    define_column("prioridade", "Prioridade", Text, |_, row| {
        make_optional_text_cell(row.case.priority().map(set_names::priority))
    }),
    define_column("codAssociado", "Código do associado", Number, |_, row| {
        make_number_cell(row.case.head().person.get())
    }),
    define_column("associado", "Associado", Text, |_, row| make_text_cell(row.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(row.document.as_deref().map(display::format_document).as_deref())
    }),
    define_column("codBeneficio", "Código do benefício", Number, |_, row| {
        row.case.head().benefit.map_or(SpreadsheetCell::Empty, |code| make_number_cell(code.get()))
    }),
    define_column("placa", "Placa", Text, |_, row| make_optional_text_cell(row.plate.as_deref())),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.case.head().branch))
    }),
    define_column("responsavel", "Responsável", Text, |_, row| {
        make_optional_text_cell(row.responsible.as_deref())
    }),
    define_column("abertura", "Abertura", Moment, |_, row| make_moment_cell(Some(row.case.head().opened_at))),
    define_column("encerramento", "Encerramento", Moment, |_, row| {
        make_moment_cell(row.case.head().closed_at)
    }),
    define_column("marcado", "Marcado para", Moment, |_, row| {
        make_moment_cell(match &row.case {
            Case::Inspection(record) => record.planned_for,
            Case::Appointment(record) => record.takes_place_at,
            Case::Claim(_) | Case::Ticket(_) => None,
        })
    }),
];

fn find_case_type_name(tenant_registers: &TenantRegisters, case: &Case) -> String {
    let name = match case {
        Case::Claim(record) => tenant_registers.claim_type(record.kind).map(|one| &one.name),
        Case::Inspection(record) => tenant_registers.inspection_type(record.kind).map(|one| &one.name),
        Case::Ticket(record) => tenant_registers.ticket_type(record.kind).map(|one| &one.name),
        Case::Appointment(record) => {
            record.specialty.and_then(|code| tenant_registers.specialty(code)).map(|one| &one.name)
        }
    };
    name.cloned().unwrap_or_default()
}

pub(super) const DEALS: &[ListColumn<FoundDeal>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code.get())),
    define_column("numero", "Número", Number, |_, row| make_number_cell(row.deal.sequence)),
    define_column("titulo", "Título", Text, |_, row| make_optional_text_cell(row.deal.title.as_deref())),
    define_column("codLead", "Código do lead", Number, |_, row| make_number_cell(row.deal.lead.get())),
    define_column("lead", "Lead", Text, |_, row| make_text_cell(row.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(row.document.as_deref().map(display::format_document).as_deref())
    }),
    define_column("telefone", "Celular", Code, |_, row| {
        make_optional_text_cell(row.mobile.as_deref().map(display::format_phone).as_deref())
    }),
    define_column("email", "E-mail", Text, |_, row| make_optional_text_cell(row.email.as_deref())),
    define_column("funil", "Funil", Text, |tenant_registers, row| {
        make_optional_text_cell(tenant_registers.funnel(row.deal.funnel).map(|one| one.name.as_str()))
    }),
    define_column("etapa", "Etapa", Text, |tenant_registers, row| {
        make_optional_text_cell(tenant_registers.stage(row.deal.stage).map(|one| one.name.as_str()))
    }),
    define_column("etapaDesde", "Na etapa desde", Moment, |_, row| {
        make_moment_cell(Some(row.deal.stage_since))
    }),
    define_column("situacao", "Situação", Text, |_, row| {
        make_text_cell(set_names::deal_state(row.deal.state))
    }),
    define_column("motivo", "Motivo da perda", Text, |_, row| {
        make_optional_text_cell(row.deal.lost_because.as_deref())
    }),
    define_column("responsavel", "Responsável", Text, |_, row| {
        make_optional_text_cell(row.responsible_name.as_deref())
    }),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.deal.branch))
    }),
    define_column("planos", "Planos", Text, |tenant_registers, row| {
        let named =
            row.deal.plans.iter().filter_map(|plan| Some(tenant_registers.plan(*plan)?.name.as_str()));
        make_text_cell(named.collect::<Vec<_>>().join(", "))
    }),
    define_column("valor", "Valor", Money, |_, row| make_money_cell(row.deal.price)),
    define_column("previsao", "Previsão", Day, |_, row| make_day_cell(row.deal.expected_on)),
    define_column("abertura", "Abertura", Day, |_, row| make_day_cell(Some(row.deal.opened_on))),
    define_column("placa", "Placa", Text, |_, row| {
        make_optional_text_cell(row.deal.vehicle.plate.as_ref().map(ToString::to_string).as_deref())
    }),
];

pub(super) const LEADS: &[ListColumn<FoundLead>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.code.get())),
    define_column("nome", "Nome", Text, |_, row| make_text_cell(row.lead.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(
            row.lead.document.as_ref().map(|one| display::format_document(one.as_str())).as_deref(),
        )
    }),
    define_column("telefone", "Celular", Code, |_, row| {
        make_optional_text_cell(
            row.lead.mobile.as_ref().map(|one| display::format_phone(one.as_str())).as_deref(),
        )
    }),
    define_column("fixo", "Telefone fixo", Code, |_, row| {
        make_optional_text_cell(
            row.lead.landline.as_ref().map(|one| display::format_phone(one.as_str())).as_deref(),
        )
    }),
    define_column("email", "E-mail", Text, |_, row| {
        make_optional_text_cell(row.lead.email.as_ref().map(ToString::to_string).as_deref())
    }),
    define_column("empresa", "Empresa", Text, |_, row| make_optional_text_cell(row.lead.company.as_deref())),
    define_column("cidade", "Cidade", Text, |_, row| make_optional_text_cell(row.lead.city.as_deref())),
    define_column("uf", "UF", Text, |_, row| make_optional_text_cell(row.lead.state.as_deref())),
    define_column("origem", "Origem", Text, |_, row| make_optional_text_cell(row.lead.origin.as_deref())),
    define_column("mensagem", "Mensagem", Text, |_, row| {
        make_optional_text_cell(row.lead.message.as_deref())
    }),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.lead.branch))
    }),
    define_column("consultor", "Consultor", Text, |tenant_registers, row| {
        make_optional_text_cell(row.lead.consultant.and_then(|code| tenant_registers.seller_name(code)))
    }),
    define_column("negocios", "Negócios em aberto", Number, |_, row| make_number_cell(row.open_deals)),
    define_column("ativo", "Ativo", Flag, |_, row| SpreadsheetCell::Flag(row.lead.active)),
    define_column("cadastro", "Cadastro", Moment, |_, row| make_moment_cell(Some(row.lead.created_at))),
];
