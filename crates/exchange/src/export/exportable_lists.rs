//! The lists that can be exported.

use super::list_columns::{ColumnHeading, ListColumn};
use super::{administration_columns, case_columns, member_columns, register_columns, title_columns};
use ::registers::{REGISTERS, Register};
use domain::{CaseKind, Role};
use wire::read::{DocumentedField, InputRecord};
use wire::records::{
    AuditoriaExportacaoQuery, BeneficioExportacaoQuery, CasoQuery, EntregaExportacaoQuery, ExportacaoQuery,
    HistoricoQuery, LeadQuery, NegocioQuery, PesquisaAssociadoQuery, TituloExportacaoQuery, UsuarioQuery,
};

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
    Titles,
    Users,
    Audit,
    Mails,
    Deliveries,
    History,
    Register(&'static Register),
}

pub fn list_exportable_lists() -> impl Iterator<Item = ExportableList> {
    let list = |name, title, roles, which| ExportableList { name, title, roles, which };
    let fixed_lists = [
        list("associado", "Associados", &Role::ALL, ListKind::Members),
        list("beneficio", "Benefícios", &Role::ALL, ListKind::Benefits),
        list("evento", "Eventos", &Role::STAFF, ListKind::Cases(CaseKind::Claim)),
        list("vistoria", "Vistorias", &Role::STAFF, ListKind::Cases(CaseKind::Inspection)),
        list("helpDesk", "Help desk", &Role::STAFF, ListKind::Cases(CaseKind::Ticket)),
        list("consulta", "Consultas", &Role::STAFF, ListKind::Cases(CaseKind::Appointment)),
        list("negocio", "Negócios", &Role::STAFF, ListKind::Deals),
        list("lead", "Leads", &Role::STAFF, ListKind::Leads),
        list("titulo", "Títulos", &Role::ALL, ListKind::Titles),
        list("historico", "Histórico de situações", &Role::ALL, ListKind::History),
        list("usuario", "Usuários", &Role::ADMINISTRATORS, ListKind::Users),
        list("auditoria", "Auditoria", &Role::ADMINISTRATORS, ListKind::Audit),
        list("email", "E-mails", &Role::ADMINISTRATORS, ListKind::Mails),
        list("entrega", "Entregas de gatilhos", &Role::ADMINISTRATORS, ListKind::Deliveries),
    ];
    fixed_lists.into_iter().chain(REGISTERS.iter().map(move |register| {
        list(register.path, register.words.many, &Role::STAFF, ListKind::Register(register))
    }))
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
            ListKind::Titles => collect_headings(title_columns::TITLES),
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
            ListKind::Titles => TituloExportacaoQuery::fields(),
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
