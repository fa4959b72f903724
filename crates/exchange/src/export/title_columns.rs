//! Columns of titles.

use super::cell_values::CellKind::{Code, Day, Flag, Money, Number, Text};
use super::cell_values::{
    SpreadsheetCell, make_day_cell, make_money_cell, make_number_cell, make_optional_text_cell,
    make_text_cell,
};
use super::list_columns::{ListColumn, define_column};
use app::register_snapshot::TenantRegisters;
use domain::GroupCode;
use domain::display;
use finance::ExportedTitle;
use wire::set_names;

pub(super) const TITLES: &[ListColumn<ExportedTitle>] = &[
    define_column("codigo", "Código", Number, |_, row| make_number_cell(row.listed.code.get())),
    define_column("codigoExterno", "Código no sistema antigo", Text, |_, row| {
        make_optional_text_cell(row.external_key.as_deref())
    }),
    define_column("tipo", "Crédito ou débito", Text, |_, row| {
        make_text_cell(set_names::launch_kind_label(row.listed.title.launch_kind))
    }),
    define_column("tipoTitulo", "Tipo de título", Text, |tenant_registers, row| {
        let found = tenant_registers.money.title_type(row.listed.title.title_type);
        make_optional_text_cell(found.map(|one| one.name.as_str()))
    }),
    define_column("situacao", "Situação", Text, |_, row| {
        make_text_cell(set_names::title_situation(row.listed.title.situation))
    }),
    define_column("vencido", "Vencido", Flag, |_, row| SpreadsheetCell::Flag(row.is_overdue)),
    define_column("codPessoa", "Código da pessoa", Number, |_, row| {
        make_number_cell(row.listed.person.code.get())
    }),
    define_column("pessoa", "Pessoa", Text, |_, row| make_text_cell(row.listed.person.name.as_str())),
    define_column("documento", "CPF ou CNPJ", Code, |_, row| {
        make_optional_text_cell(
            row.listed.person.document.as_deref().map(display::format_document).as_deref(),
        )
    }),
    define_column("celular", "Celular", Code, |_, row| {
        make_optional_text_cell(row.listed.person.mobile.as_deref().map(display::format_phone).as_deref())
    }),
    define_column("beneficios", "Números dos benefícios", Text, |_, row| {
        let numbers: Vec<String> = row.listed.sequences.iter().map(ToString::to_string).collect();
        make_text_cell(numbers.join(", "))
    }),
    define_column("loja", "Loja", Text, |tenant_registers, row| {
        make_text_cell(tenant_registers.branch_name(row.listed.title.branch))
    }),
    define_column("grupo", "Grupo de proteção", Text, |tenant_registers, row| {
        make_optional_text_cell(find_group_name(tenant_registers, row.listed.title.group))
    }),
    define_column("descricao", "Descrição", Text, |_, row| {
        make_text_cell(row.listed.title.description.as_str())
    }),
    define_column("parcela", "Parcela", Number, |_, row| make_number_cell(row.listed.title.instalment)),
    define_column("parcelas", "Parcelas", Number, |_, row| make_number_cell(row.listed.title.instalments)),
    define_column("emissao", "Emissão", Day, |_, row| make_day_cell(Some(row.listed.title.issued_on))),
    define_column("lancamento", "Lançamento", Day, |_, row| make_day_cell(row.listed.title.posted_on)),
    define_column("vencimento", "Vencimento", Day, |_, row| make_day_cell(Some(row.listed.title.due_on))),
    define_column("vencimentoOriginal", "Vencimento original", Day, |_, row| {
        make_day_cell(Some(row.listed.title.original_due_on))
    }),
    define_column("valor", "Valor", Money, |_, row| make_cents_cell(row.listed.title.amount)),
    define_column("liquidado", "Recebido ou pago", Money, |_, row| {
        make_cents_cell(row.listed.title.settled_total)
    }),
    define_column("aberto", "Em aberto", Money, |_, row| make_cents_cell(row.listed.title.open_amount)),
    define_column("liquidacao", "Última liquidação", Day, |_, row| {
        make_day_cell(row.listed.title.settled_on)
    }),
    define_column("cancelamento", "Cancelamento", Day, |_, row| make_day_cell(row.listed.title.cancelled_on)),
    define_column("motivo", "Motivo do cancelamento", Text, |_, row| {
        make_optional_text_cell(row.listed.title.cancelled_because.as_deref())
    }),
    define_column("observacao", "Observação", Text, |_, row| {
        make_optional_text_cell(row.listed.title.note.as_deref())
    }),
];

fn make_cents_cell(cents: i64) -> SpreadsheetCell {
    make_money_cell(domain::Money::from_stored_cents(cents))
}

fn find_group_name(tenant_registers: &TenantRegisters, code: GroupCode) -> Option<&str> {
    tenant_registers.money.groups.iter().find(|one| one.code == code).map(|one| one.name.as_str())
}
