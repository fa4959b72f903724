//! `/gestao/helpDesk`: the management of tickets.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase};
use domain::{Case, CaseKind};
use wire::records::{HelpDeskGestaoInput, HelpDeskGestaoTO};
use wire::set_names;

pub struct TicketResource;

impl CaseResource for TicketResource {
    const KIND: CaseKind = CaseKind::Ticket;
    type Input = HelpDeskGestaoInput;
    type Record = Option<HelpDeskGestaoTO>;

    fn convert_input(input: HelpDeskGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Ticket(Box::new(input))
    }

    fn render_case(case: &FullCase) -> Option<HelpDeskGestaoTO> {
        let Case::Ticket(ticket) = &case.resolved_case.case else { return None };
        let kind = case.registers.ticket_type(ticket.kind);
        Some(record!(
            build_common_fields(case),
            HelpDeskGestaoTO {
                cod_help_desk,
                cod_tipo_help_desk: ticket.kind.get(),
                tipo_help_desk: kind.map_or_else(String::new, |one| one.name.clone()),
                prioridade: set_names::priority(ticket.priority),
                descricao: ticket.description.clone(),
            }
        ))
    }
}
