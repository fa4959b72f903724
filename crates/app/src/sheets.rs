//! A list as a file: every row of it that the caller may see, as he filtered it, for a spreadsheet. Rows are read by the
//! functions that show the lists, a page at a time, and leave as they are read; whoever goes away stops it.
//!
//! # Adding a list
//! 1. A variant of `Which`, and a line in [`lists`]: its name in addresses, its title, who may have it.
//! 2. Its columns (`members.rs`, `work.rs`, `office.rs`): a name, a title, what kind of value, and the value of a row.
//! 3. An arm in `Rows::next` that reads the next page. CSV, XLSX, the interface, its documentation and the audit follow.

mod audited;
pub(crate) mod csv;
mod members;
mod office;
mod registers;
mod rows;
mod stream;
mod work;
mod xlsx;

pub use stream::{Export, open};

use crate::Error;
use crate::base::Registers;
use ::registers::{REGISTERS, Register};
use domain::{CaseKind, Moment, Role};
use wire::read::{FieldInfo, Problems, Record};
use wire::records::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, CasoQuery, EntregaExportacaoQuery, ExportacaoQuery,
    HistoricoQuery, LeadQuery, NegocioQuery, PesquisaAssociadoQuery, UsuarioQuery,
};

/// What stands where a row and a column meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Nothing,
    Text(String),
    Number(i64),
    /// In cents.
    Money(i64),
    /// As it is kept: `2026-11-14`.
    Day(String),
    Moment(Moment),
    Flag(bool),
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Digits that are no number: a document, a telephone.
    Code,
    Number,
    Money,
    Day,
    Moment,
    Flag,
}

/// A column as its file shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    pub name: &'static str,
    pub title: &'static str,
    pub kind: Kind,
}

/// A column of a list of `T`.
pub(crate) struct Column<T> {
    heading: Heading,
    value: fn(&Registers, &T) -> Cell,
}

pub(crate) const fn column<T>(
    name: &'static str,
    title: &'static str,
    kind: Kind,
    value: fn(&Registers, &T) -> Cell,
) -> Column<T> {
    Column { heading: Heading { name, title, kind }, value }
}

/// A text, or nothing.
pub(crate) fn text(text: impl Into<String>) -> Cell {
    Some(text.into()).filter(|text| !text.is_empty()).map_or(Cell::Nothing, Cell::Text)
}

pub(crate) fn maybe(text: Option<&str>) -> Cell {
    text.map_or(Cell::Nothing, self::text)
}

pub(crate) fn number(number: impl Into<i64>) -> Cell {
    Cell::Number(number.into())
}

pub(crate) fn day(day: Option<&str>) -> Cell {
    day.map_or(Cell::Nothing, |day| Cell::Day(day.to_owned()))
}

pub(crate) fn moment(at: Option<Moment>) -> Cell {
    at.map_or(Cell::Nothing, Cell::Moment)
}

pub(crate) fn money(cents: Option<i64>) -> Cell {
    cents.map_or(Cell::Nothing, Cell::Money)
}

/// A list that may be exported.
#[derive(Clone, Copy)]
pub struct List {
    /// In addresses: `associado`.
    pub name: &'static str,
    /// Of the sheet and the file: `Associados`.
    pub title: &'static str,
    pub roles: &'static [Role],
    pub(crate) which: Which,
}

#[derive(Clone, Copy)]
pub(crate) enum Which {
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

/// Every list that there is.
pub fn lists() -> impl Iterator<Item = List> {
    let list = |name, title, roles, which| List { name, title, roles, which };
    let own = [
        list("associado", "Associados", ANYBODY, Which::Members),
        list("beneficio", "Benefícios", ANYBODY, Which::Benefits),
        list("evento", "Eventos", WORKERS, Which::Cases(CaseKind::Claim)),
        list("vistoria", "Vistorias", WORKERS, Which::Cases(CaseKind::Inspection)),
        list("helpDesk", "Help desk", WORKERS, Which::Cases(CaseKind::Ticket)),
        list("consulta", "Consultas", WORKERS, Which::Cases(CaseKind::Appointment)),
        list("negocio", "Negócios", WORKERS, Which::Deals),
        list("lead", "Leads", WORKERS, Which::Leads),
        list("historico", "Histórico de situações", ANYBODY, Which::History),
        list("usuario", "Usuários", ADMINISTRATORS, Which::Users),
        list("auditoria", "Auditoria", ADMINISTRATORS, Which::Audit),
        list("email", "E-mails", ADMINISTRATORS, Which::Mails),
        list("entrega", "Entregas de gatilhos", ADMINISTRATORS, Which::Deliveries),
    ];
    own.into_iter().chain(
        REGISTERS.iter().map(move |register| {
            list(register.path, register.words.many, WORKERS, Which::Register(register))
        }),
    )
}

pub fn named(name: &str) -> Option<List> {
    lists().find(|list| list.name == name)
}

impl List {
    /// Its columns, in the order in which a file has them where nobody chooses.
    pub fn headings(&self) -> Vec<Heading> {
        fn of<T>(columns: &[Column<T>]) -> Vec<Heading> {
            columns.iter().map(|column| column.heading).collect()
        }
        match self.which {
            Which::Members => of(members::MEMBERS),
            Which::Benefits => of(members::BENEFITS),
            Which::Cases(_) => of(work::CASES),
            Which::Deals => of(work::DEALS),
            Which::Leads => of(work::LEADS),
            Which::Users => of(office::USERS),
            Which::Audit => of(office::AUDIT),
            Which::Mails => of(office::MAILS),
            Which::Deliveries => of(office::DELIVERIES),
            Which::History => of(office::HISTORY),
            Which::Register(register) => registers::headings(register),
        }
    }

    /// What may be asked for: what its list may be asked for, all pages of it, and how the file is to be.
    pub fn query_fields(&self) -> Vec<FieldInfo> {
        let mut fields = match self.which {
            Which::Members => PesquisaAssociadoQuery::fields(),
            Which::Benefits => BeneficioExportacaoQuery::fields(),
            Which::Cases(_) => CasoQuery::fields(),
            Which::Deals => NegocioQuery::fields(),
            Which::Leads => LeadQuery::fields(),
            Which::Users => UsuarioQuery::fields(),
            Which::Audit => AuditoriaExportacaoQuery::fields(),
            Which::Mails => Vec::new(),
            Which::Deliveries => EntregaExportacaoQuery::fields(),
            Which::History => HistoricoQuery::fields(),
            Which::Register(register) => wire::register::query_fields(register),
        };
        fields.retain(|field| field.name != "pagina" && field.name != "apos");
        fields.extend(ExportacaoQuery::fields());
        fields
    }
}

/// Why a list was not exported.
#[derive(Debug)]
pub enum SheetError {
    /// What was asked for cannot be read.
    Unread(Problems),
    App(Error),
}

impl From<Problems> for SheetError {
    fn from(problems: Problems) -> SheetError {
        SheetError::Unread(problems)
    }
}

impl From<Error> for SheetError {
    fn from(error: Error) -> SheetError {
        SheetError::App(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_list_has_a_name_of_its_own_and_columns_that_differ() {
        let mut names = BTreeSet::new();
        for list in lists() {
            assert!(names.insert(list.name), "{}", list.name);
            let headings = list.headings();
            assert!(!headings.is_empty(), "{}", list.name);
            let own: BTreeSet<&str> = headings.iter().map(|one| one.name).collect();
            let titles: BTreeSet<&str> = headings.iter().map(|one| one.title).collect();
            assert_eq!((own.len(), titles.len()), (headings.len(), headings.len()), "{}", list.name);
        }
    }
}
