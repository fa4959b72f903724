//! `/console/eventos`, `/console/vistorias`, `/console/help-desk`, `/console/consultas`: what people work on from its opening
//! to its end. The four are listed, boarded, opened, altered, moved, noted and printed alike; what each is called stands
//! here, what each has of its own in `fields.rs`.

mod boards;
mod fields;
mod list;
mod moving;
mod one;
mod print;
mod write;

use crate::page::Refusal;
use app::App;
use app::base::Registers;
use app::cases::{self, Case, Item};
use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use dispatch::{get, post};
use domain::{CaseKind, Moment};

/// What a kind is called.
pub struct Words {
    /// In addresses, and in the menu.
    pub path: &'static str,
    pub many: &'static str,
    pub one: &'static str,
    /// Opens another.
    pub new: &'static str,
    /// With the ending of its gender: `aberto`, `aberta`.
    pub opened: &'static str,
    pub none: &'static str,
    /// What its type is called.
    pub typed: &'static str,
}

pub const fn words(kind: CaseKind) -> Words {
    match kind {
        CaseKind::Claim => Words {
            path: "eventos",
            many: "Eventos",
            one: "Evento",
            new: "Novo evento",
            opened: "aberto",
            none: "Nenhum evento",
            typed: "Tipo",
        },
        CaseKind::Inspection => Words {
            path: "vistorias",
            many: "Vistorias",
            one: "Vistoria",
            new: "Nova vistoria",
            opened: "aberta",
            none: "Nenhuma vistoria",
            typed: "Tipo",
        },
        CaseKind::Ticket => Words {
            path: "help-desk",
            many: "Help desk",
            one: "Chamado",
            new: "Novo chamado",
            opened: "aberto",
            none: "Nenhum chamado",
            typed: "Tipo",
        },
        CaseKind::Appointment => Words {
            path: "consultas",
            many: "Consultas",
            one: "Consulta",
            new: "Nova consulta",
            opened: "marcada",
            none: "Nenhuma consulta",
            typed: "Especialidade",
        },
    }
}

/// Where a case is.
pub fn at(one: &Item) -> String {
    format!("/console/{}/{}", words(one.case.kind()).path, one.code)
}

/// Where each is opened, and what that is called.
pub const OPENINGS: [(&str, &str); 4] = [
    opening(CaseKind::Claim),
    opening(CaseKind::Inspection),
    opening(CaseKind::Ticket),
    opening(CaseKind::Appointment),
];

const fn opening(kind: CaseKind) -> (&'static str, &'static str) {
    (words(kind).path, words(kind).new)
}

pub use one::with_files;

pub fn routes() -> Router<App> {
    CaseKind::ALL.into_iter().fold(Router::new(), |router, kind| {
        let at = |rest: &str| format!("/console/{}{rest}", words(kind).path);
        router
            .route(&at(""), get(list::page))
            .route(&at("/quadro"), get(boards::page).merge(post(boards::moved)))
            .route(&at("/quadro/mudancas"), get(boards::changes))
            .route(&at("/novo"), get(write::new).merge(post(write::create)))
            .route(&at("/{codigo}"), get(one::page))
            .route(&at("/{codigo}/alterar"), get(write::edit).merge(post(write::change)))
            .route(&at("/{codigo}/situacao"), get(moving::page).merge(post(moving::moved)))
            .route(&at("/{codigo}/nota"), post(one::note))
            .route(&at("/{codigo}/imprimir"), get(print::page))
    })
}

/// Which of the four a path is of.
pub struct Kind(pub CaseKind);

impl<S: Sync> FromRequestParts<S> for Kind {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Kind, Refusal> {
        let area = parts.uri.path().split('/').nth(2).unwrap_or_default();
        CaseKind::ALL.into_iter().find(|kind| words(*kind).path == area).map(Kind).ok_or(Refusal::NotThere)
    }
}

/// What sort of claim, inspection or ticket it is; of an appointment, its specialty.
pub fn type_name(registers: &Registers, case: &Case) -> String {
    let name = match case {
        Case::Claim(own) => registers.claim_type(own.kind).map(|one| &one.name),
        Case::Inspection(own) => registers.inspection_type(own.kind).map(|one| &one.name),
        Case::Ticket(own) => registers.ticket_type(own.kind).map(|one| &one.name),
        Case::Appointment(own) => {
            own.specialty.and_then(|code| registers.specialty(code)).map(|one| &one.name)
        }
    };
    name.cloned().unwrap_or_default()
}

/// The types of a kind that are in use, by code.
fn types(registers: &Registers, kind: CaseKind) -> Vec<(String, String)> {
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

/// For when it is planned.
fn planned(case: &Case) -> Option<Moment> {
    match case {
        Case::Inspection(own) => own.planned_for,
        Case::Appointment(own) => own.takes_place_at,
        Case::Claim(_) | Case::Ticket(_) => None,
    }
}

fn is_late(registers: &Registers, item: &Item, now: Moment) -> bool {
    cases::due(registers, item.case.head()).is_some_and(|due| due < now)
}

#[cfg(test)]
pub const ALL_CASES: &[crate::rendered::Cases] =
    &[boards::CASES, list::CASES, one::CASES, print::CASES, write::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_share_a_path() {
        let paths: std::collections::BTreeSet<_> = CaseKind::ALL.map(|kind| words(kind).path).into();
        assert_eq!(paths.len(), CaseKind::ALL.len());
    }
}
