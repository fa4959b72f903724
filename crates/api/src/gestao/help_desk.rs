//! `/gestao/helpDesk`: the management of tickets.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase, StoredCase};
use domain::CaseKind;
use wire::records::{HelpDeskGestaoInput, HelpDeskGestaoTO};
use wire::set_names;

pub struct TicketResource;

impl CaseResource for TicketResource {
    const KIND: CaseKind = CaseKind::Ticket;
    type Input = HelpDeskGestaoInput;
    type Record = Option<HelpDeskGestaoTO>;

    fn convert_input(sent: HelpDeskGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Ticket(Box::new(sent))
    }

    fn render_case(whole: &FullCase) -> Option<HelpDeskGestaoTO> {
        let StoredCase::Ticket(own) = &whole.told.case else { return None };
        let kind = whole.registers.ticket_type(own.kind);
        Some(record!(
            build_common_fields(whole),
            HelpDeskGestaoTO {
                cod_help_desk,
                cod_tipo_help_desk: own.kind.get(),
                tipo_help_desk: kind.map_or_else(String::new, |one| one.name.clone()),
                prioridade: set_names::priority(own.priority),
                descricao: own.description.clone(),
            }
        ))
    }
}
