//! `/gestao/helpDesk`: tickets, as the association works on them.

use super::caso::{Operated, common, record};
use app::cases::{Case, Input, Whole};
use domain::CaseKind;
use wire::names;
use wire::records::{HelpDeskGestaoInput, HelpDeskGestaoTO};

pub struct HelpDesk;

impl Operated for HelpDesk {
    const KIND: CaseKind = CaseKind::Ticket;
    type Input = HelpDeskGestaoInput;
    type Record = Option<HelpDeskGestaoTO>;

    fn input(sent: HelpDeskGestaoInput) -> Input {
        Input::Ticket(Box::new(sent))
    }

    fn record(whole: &Whole) -> Option<HelpDeskGestaoTO> {
        let Case::Ticket(own) = &whole.told.case else { return None };
        let kind = whole.registers.ticket_type(own.kind);
        Some(record!(
            common(whole),
            HelpDeskGestaoTO {
                cod_help_desk,
                cod_tipo_help_desk: own.kind.get(),
                tipo_help_desk: kind.map_or_else(String::new, |one| one.name.clone()),
                prioridade: names::priority(own.priority),
                descricao: own.description.clone(),
            }
        ))
    }
}
