//! `/console/eventos`, `/console/vistorias`, `/console/help-desk`, `/console/consultas`: the four kinds of cases. They
//! share lists, boards, forms, situation changes, notes and printing. Their wording is here, their own fields are in
//! `fields.rs`.

mod board;
mod change_situation;
mod edit;
mod fields;
mod list;
mod print;
pub mod show;

use crate::http::refusal::Refusal;
use crate::page_route::{PageRoute, routes};
use app::cases::{self, ResolvedCase};
use app::register_snapshot::TenantRegisters;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::{Case, CaseKind, Moment};

/// Texts of the user interface for a case kind.
pub struct CaseKindWording {
    /// Path segment, and name of the menu entry.
    pub path: &'static str,
    pub many: &'static str,
    pub one: &'static str,
    /// Label of the button that opens a new case.
    pub new: &'static str,
    /// In the right gender: `aberto`, `aberta`.
    pub opened: &'static str,
    pub none: &'static str,
    /// Label of the type field.
    pub type_label: &'static str,
}

pub const fn describe_case_kind(kind: CaseKind) -> CaseKindWording {
    match kind {
        CaseKind::Claim => CaseKindWording {
            path: "eventos",
            many: "Eventos",
            one: "Evento",
            new: "Novo evento",
            opened: "aberto",
            none: "Nenhum evento",
            type_label: "Tipo",
        },
        CaseKind::Inspection => CaseKindWording {
            path: "vistorias",
            many: "Vistorias",
            one: "Vistoria",
            new: "Nova vistoria",
            opened: "aberta",
            none: "Nenhuma vistoria",
            type_label: "Tipo",
        },
        CaseKind::Ticket => CaseKindWording {
            path: "help-desk",
            many: "Help desk",
            one: "Chamado",
            new: "Novo chamado",
            opened: "aberto",
            none: "Nenhum chamado",
            type_label: "Tipo",
        },
        CaseKind::Appointment => CaseKindWording {
            path: "consultas",
            many: "Consultas",
            one: "Consulta",
            new: "Nova consulta",
            opened: "marcada",
            none: "Nenhuma consulta",
            type_label: "Especialidade",
        },
    }
}

pub fn build_case_path(item: &ResolvedCase) -> String {
    format!("/console/{}/{}", describe_case_kind(item.case.kind()).path, item.code)
}

/// Path and label for opening a case of each kind.
pub const OPENINGS: [(&str, &str); 4] = [
    build_opening_link(CaseKind::Claim),
    build_opening_link(CaseKind::Inspection),
    build_opening_link(CaseKind::Ticket),
    build_opening_link(CaseKind::Appointment),
];

const fn build_opening_link(kind: CaseKind) -> (&'static str, &'static str) {
    (describe_case_kind(kind).path, describe_case_kind(kind).new)
}

pub fn list_case_routes() -> Vec<PageRoute> {
    CaseKind::ALL.into_iter().flat_map(list_case_kind_routes).collect()
}

fn list_case_kind_routes(kind: CaseKind) -> Vec<PageRoute> {
    let area = format!("/console/{}", describe_case_kind(kind).path);
    let routes = routes! {
        get  ""                   SignedIn list::show_case_list;
        get  "/quadro"            SignedIn board::show_case_board;
        post "/quadro"            SignedIn board::move_case_card;
        get  "/quadro/mudancas"   SignedIn board::show_board_changes;
        get  "/novo"              SignedIn edit::show_new_case_form;
        post "/novo"              SignedIn edit::open_case;
        get  "/{codigo}"          SignedIn show::show_case_page;
        get  "/{codigo}/alterar"  SignedIn edit::show_edit_case_form;
        post "/{codigo}/alterar"  SignedIn edit::change_case;
        get  "/{codigo}/situacao" SignedIn change_situation::show_situation_page;
        post "/{codigo}/situacao" SignedIn change_situation::submit_situation_change;
        post "/{codigo}/nota"     SignedIn show::add_note;
        get  "/{codigo}/imprimir" SignedIn print::show_protocol;
    };
    routes.into_iter().map(|route| route.below(&area)).collect()
}

/// The case kind that the path names.
pub struct CaseKindParam(pub CaseKind);

impl<S: Sync> FromRequestParts<S> for CaseKindParam {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<CaseKindParam, Refusal> {
        let area = parts.uri.path().split('/').nth(2).unwrap_or_default();
        CaseKind::ALL
            .into_iter()
            .find(|kind| describe_case_kind(*kind).path == area)
            .map(CaseKindParam)
            .ok_or(Refusal::NotThere)
    }
}

/// The type of a claim, inspection or ticket; the specialty of an appointment.
pub fn find_type_name(registers: &TenantRegisters, case: &Case) -> String {
    let name = match case {
        Case::Claim(claim) => registers.claim_type(claim.kind).map(|one| &one.name),
        Case::Inspection(inspection) => registers.inspection_type(inspection.kind).map(|one| &one.name),
        Case::Ticket(ticket) => registers.ticket_type(ticket.kind).map(|one| &one.name),
        Case::Appointment(appointment) => {
            appointment.specialty.and_then(|code| registers.specialty(code)).map(|one| &one.name)
        }
    };
    name.cloned().unwrap_or_default()
}

/// Code and name of each active type.
fn list_active_types(registers: &TenantRegisters, kind: CaseKind) -> Vec<(String, String)> {
    macro_rules! of {
        ($register:ident) => {
            registers
                .$register
                .iter()
                .filter(|one| one.active)
                .map(|one| (one.code.to_string(), one.name.clone()))
                .collect()
        };
    }
    match kind {
        CaseKind::Claim => of!(claim_types),
        CaseKind::Inspection => of!(inspection_types),
        CaseKind::Ticket => of!(ticket_types),
        CaseKind::Appointment => of!(specialties),
    }
}

fn find_planned_time(case: &Case) -> Option<Moment> {
    match case {
        Case::Inspection(inspection) => inspection.planned_for,
        Case::Appointment(appointment) => appointment.takes_place_at,
        Case::Claim(_) | Case::Ticket(_) => None,
    }
}

fn is_late(registers: &TenantRegisters, item: &ResolvedCase, now: Moment) -> bool {
    cases::compute_due_moment(registers, item.case.head()).is_some_and(|due| due < now)
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[board::CASES, list::CASES, show::CASES, print::CASES, edit::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_share_a_path() {
        let paths: std::collections::BTreeSet<_> =
            CaseKind::ALL.map(|kind| describe_case_kind(kind).path).into();
        assert_eq!(paths.len(), CaseKind::ALL.len());
    }
}
