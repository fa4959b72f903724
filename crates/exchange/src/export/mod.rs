//! List exports: every row that the caller may see, with the caller's filters, as a spreadsheet file. Rows are read
//! page by page with the functions of the web lists and streamed as they are read; the export stops when the client
//! disconnects.
//!
//! # Adding a list
//! 1. Add a variant to `ListKind` and a line to [`list_exportable_lists`]: its name in URLs, its title, the allowed
//!    roles.
//! 2. Define its columns (`member_columns.rs`, `case_columns.rs`, `administration_columns.rs`): name, title, kind,
//!    value.
//! 3. Add an arm to `ListRowReader::next` that reads the next page. CSV, XLSX, the API, its documentation and the audit
//!    follow.

mod administration_columns;
mod audit;
mod case_columns;
pub(crate) mod csv;
mod member_columns;
mod register_columns;
mod rows;
mod stream;
mod xlsx;

pub use stream::{ListExport, start_list_export};

use ::registers::{REGISTERS, Register};
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::{CaseKind, Date, Moment, Money, Role};
use wire::read::{DocumentedField, InputProblems, InputRecord};
use wire::records::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, CasoQuery, EntregaExportacaoQuery, ExportacaoQuery,
    HistoricoQuery, LeadQuery, NegocioQuery, PesquisaAssociadoQuery, UsuarioQuery,
};

/// The value of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpreadsheetCell {
    Empty,
    Text(String),
    Number(i64),
    Money(Money),
    Day(Date),
    Moment(Moment),
    Flag(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Text,
    /// Digits that are not a number: a document, a phone number.
    Code,
    Number,
    Money,
    Day,
    Moment,
    Flag,
}

/// The name, title and kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnHeading {
    pub name: &'static str,
    pub title: &'static str,
    pub kind: CellKind,
}

/// A column of a list of `T`.
pub(crate) struct ListColumn<T> {
    heading: ColumnHeading,
    value: fn(&TenantRegisters, &T) -> SpreadsheetCell,
}

pub(crate) const fn define_column<T>(
    name: &'static str,
    title: &'static str,
    kind: CellKind,
    value: fn(&TenantRegisters, &T) -> SpreadsheetCell,
) -> ListColumn<T> {
    ListColumn { heading: ColumnHeading { name, title, kind }, value }
}

/// A text cell; `Empty` for an empty text.
pub(crate) fn make_text_cell(text: impl Into<String>) -> SpreadsheetCell {
    Some(text.into()).filter(|text| !text.is_empty()).map_or(SpreadsheetCell::Empty, SpreadsheetCell::Text)
}

pub(crate) fn make_optional_text_cell(text: Option<&str>) -> SpreadsheetCell {
    text.map_or(SpreadsheetCell::Empty, make_text_cell)
}

pub(crate) fn make_number_cell(number: impl Into<i64>) -> SpreadsheetCell {
    SpreadsheetCell::Number(number.into())
}

pub(crate) fn make_day_cell(day: Option<Date>) -> SpreadsheetCell {
    day.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Day)
}

pub(crate) fn make_moment_cell(at: Option<Moment>) -> SpreadsheetCell {
    at.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Moment)
}

pub(crate) fn make_money_cell(money: Option<Money>) -> SpreadsheetCell {
    money.map_or(SpreadsheetCell::Empty, SpreadsheetCell::Money)
}

#[derive(Clone, Copy)]
pub struct ExportableList {
    /// In URLs: `associado`.
    pub name: &'static str,
    /// Of the sheet and the file: `Associados`.
    pub title: &'static str,
    pub roles: &'static [Role],
    pub(crate) which: ListKind,
}

#[derive(Clone, Copy)]
pub(crate) enum ListKind {
    Members,
    Benefits,
    Cases(CaseKind),
    Deals,
    Leads,
    Users,
    Audit,
    Mails,
    Deliveries,
    History,
    Register(&'static Register),
}

const ANYBODY: &[Role] = &Role::ALL;
const WORKERS: &[Role] = &[Role::Administrator, Role::Operator];
const ADMINISTRATORS: &[Role] = &[Role::Administrator];

pub fn list_exportable_lists() -> impl Iterator<Item = ExportableList> {
    let list = |name, title, roles, which| ExportableList { name, title, roles, which };
    let fixed_lists = [
        list("associado", "Associados", ANYBODY, ListKind::Members),
        list("beneficio", "Benefícios", ANYBODY, ListKind::Benefits),
        list("evento", "Eventos", WORKERS, ListKind::Cases(CaseKind::Claim)),
        list("vistoria", "Vistorias", WORKERS, ListKind::Cases(CaseKind::Inspection)),
        list("helpDesk", "Help desk", WORKERS, ListKind::Cases(CaseKind::Ticket)),
        list("consulta", "Consultas", WORKERS, ListKind::Cases(CaseKind::Appointment)),
        list("negocio", "Negócios", WORKERS, ListKind::Deals),
        list("lead", "Leads", WORKERS, ListKind::Leads),
        list("historico", "Histórico de situações", ANYBODY, ListKind::History),
        list("usuario", "Usuários", ADMINISTRATORS, ListKind::Users),
        list("auditoria", "Auditoria", ADMINISTRATORS, ListKind::Audit),
        list("email", "E-mails", ADMINISTRATORS, ListKind::Mails),
        list("entrega", "Entregas de gatilhos", ADMINISTRATORS, ListKind::Deliveries),
    ];
    fixed_lists.into_iter().chain(
        REGISTERS.iter().map(move |register| {
            list(register.path, register.words.many, WORKERS, ListKind::Register(register))
        }),
    )
}

pub fn find_list_by_name(name: &str) -> Option<ExportableList> {
    list_exportable_lists().find(|list| list.name == name)
}

impl ExportableList {
    /// All columns, in their default order.
    pub fn headings(&self) -> Vec<ColumnHeading> {
        fn collect_headings<T>(columns: &[ListColumn<T>]) -> Vec<ColumnHeading> {
            columns.iter().map(|column| column.heading).collect()
        }
        match self.which {
            ListKind::Members => collect_headings(member_columns::MEMBERS),
            ListKind::Benefits => collect_headings(member_columns::BENEFITS),
            ListKind::Cases(_) => collect_headings(case_columns::CASES),
            ListKind::Deals => collect_headings(case_columns::DEALS),
            ListKind::Leads => collect_headings(case_columns::LEADS),
            ListKind::Users => collect_headings(administration_columns::USERS),
            ListKind::Audit => collect_headings(administration_columns::AUDIT),
            ListKind::Mails => collect_headings(administration_columns::MAILS),
            ListKind::Deliveries => collect_headings(administration_columns::DELIVERIES),
            ListKind::History => collect_headings(administration_columns::HISTORY),
            ListKind::Register(register) => register_columns::build_register_headings(register),
        }
    }

    /// The query parameters: those of the list without pagination, plus the format and the columns.
    pub fn query_fields(&self) -> Vec<DocumentedField> {
        let mut fields = match self.which {
            ListKind::Members => PesquisaAssociadoQuery::fields(),
            ListKind::Benefits => BeneficioExportacaoQuery::fields(),
            ListKind::Cases(_) => CasoQuery::fields(),
            ListKind::Deals => NegocioQuery::fields(),
            ListKind::Leads => LeadQuery::fields(),
            ListKind::Users => UsuarioQuery::fields(),
            ListKind::Audit => AuditoriaExportacaoQuery::fields(),
            ListKind::Mails => Vec::new(),
            ListKind::Deliveries => EntregaExportacaoQuery::fields(),
            ListKind::History => HistoricoQuery::fields(),
            ListKind::Register(register) => wire::register::list_query_fields(register),
        };
        fields.retain(|field| field.name != "pagina" && field.name != "apos");
        fields.extend(ExportacaoQuery::fields());
        fields
    }
}

#[derive(Debug)]
pub enum ListExportError {
    /// The query is invalid.
    InvalidQuery(InputProblems),
    App(Error),
}

impl From<InputProblems> for ListExportError {
    fn from(problems: InputProblems) -> ListExportError {
        ListExportError::InvalidQuery(problems)
    }
}

impl From<Error> for ListExportError {
    fn from(error: Error) -> ListExportError {
        ListExportError::App(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_list_has_a_name_of_its_own_and_columns_that_differ() {
        let mut names = BTreeSet::new();
        for list in list_exportable_lists() {
            assert!(names.insert(list.name), "{}", list.name);
            let headings = list.headings();
            assert!(!headings.is_empty(), "{}", list.name);
            let distinct_names: BTreeSet<&str> = headings.iter().map(|one| one.name).collect();
            let titles: BTreeSet<&str> = headings.iter().map(|one| one.title).collect();
            assert_eq!(
                (distinct_names.len(), titles.len()),
                (headings.len(), headings.len()),
                "{}",
                list.name
            );
        }
    }
}
