//! Cases: claims, inspections, tickets and appointments. All kinds share opening, changes, situations, notes, reading
//! and lists; the differences are in `kind_fields.rs` and `field_texts.rs`.

pub mod board;
mod change;
mod change_situation;
pub mod claims;
mod closing_time;
mod field_texts;
mod kind_fields;
mod notes;
mod open;
mod persist;
mod search;
mod show;
mod time_limit;
mod validate;

pub use change::change_case;
pub use change_situation::change_case_situation;
pub use notes::add_case_note;
pub use open::open_case;
pub use search::{count_overdue_cases, list_cases, list_cases_behind, list_overdue_cases};
pub use show::{CaseChangeHistory, FullCase, ResolvedCase, read_case, read_case_history};
pub use storage::cases::notes::RecordNote;
pub use storage::history::field_changes::StoredFieldChange;
pub use storage::history::situation_changes::RecordHistoryEntry;
pub use time_limit::compute_due_moment;

use crate::Error;
use domain::{CaseKind, InputField};
use wire::records::{
    CasoCampos, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};

/// The input of a save, by case kind.
#[derive(Clone, Debug)]
pub enum AnyCaseInput {
    Claim(Box<EventoGestaoInput>),
    Inspection(Box<VistoriaGestaoInput>),
    Ticket(Box<HelpDeskGestaoInput>),
    Appointment(Box<ConsultaGestaoInput>),
}

impl AnyCaseInput {
    pub fn kind(&self) -> CaseKind {
        match self {
            AnyCaseInput::Claim(_) => CaseKind::Claim,
            AnyCaseInput::Inspection(_) => CaseKind::Inspection,
            AnyCaseInput::Ticket(_) => CaseKind::Ticket,
            AnyCaseInput::Appointment(_) => CaseKind::Appointment,
        }
    }

    fn common_fields(&self) -> &CasoCampos {
        match self {
            AnyCaseInput::Claim(input) => &input.case,
            AnyCaseInput::Inspection(input) => &input.case,
            AnyCaseInput::Ticket(input) => &input.case,
            AnyCaseInput::Appointment(input) => &input.case,
        }
    }
}

/// No such case, or none visible to the caller.
fn reject_unknown_case(kind: CaseKind, code: i32) -> Error {
    let field = match kind {
        CaseKind::Claim => InputField::Claim,
        CaseKind::Inspection => InputField::Inspection,
        CaseKind::Ticket => InputField::Ticket,
        CaseKind::Appointment => InputField::Appointment,
    };
    Error::NotFound { field, code }
}
