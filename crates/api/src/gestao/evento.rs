//! `/gestao/evento`: claims, as the association works on them.

use super::caso::{Operated, common, record};
use crate::ext::beneficio::vehicle;
use crate::ext::evento::{kind, situation};
use app::cases::{Case, Input, Item, Whole};
use domain::{CaseKind, PersonCode, PostalAddress};
use wire::names;
use wire::records::{EnderecoTO, EventoGestaoInput, EventoGestaoTO, EventoRelacionadoTO};

pub struct Evento;

impl Operated for Evento {
    const KIND: CaseKind = CaseKind::Claim;
    type Input = EventoGestaoInput;
    type Record = Option<EventoGestaoTO>;

    fn input(sent: EventoGestaoInput) -> Input {
        Input::Claim(Box::new(sent))
    }

    fn record(whole: &Whole) -> Option<EventoGestaoTO> {
        let Case::Claim(claim) = &whole.told.case else { return None };
        let registers = &whole.registers;
        Some(record!(
            common(whole),
            EventoGestaoTO {
                cod_evento,
                cod_tipo_evento: claim.kind.get(),
                tipo_evento: kind(registers, claim.kind),
                envolvido: names::involved(claim.involved),
                prioridade: names::priority(claim.priority),
                descricao: claim.description.clone(),
                data_evento: claim.happened_on.clone(),
                cod_condutor: claim.driver.map(PersonCode::get),
                condutor: whole.other.clone(),
                local: (claim.place != PostalAddress::default())
                    .then(|| EnderecoTO::from(claim.place.clone())),
                veiculo: (claim.vehicle != Default::default())
                    .then(|| vehicle(registers, claim.vehicle.clone())),
                relacionados: whole.related.iter().filter_map(|one| related(whole, one)).collect(),
            }
        ))
    }
}

fn related(whole: &Whole, one: &Item) -> Option<EventoRelacionadoTO> {
    let Case::Claim(claim) = &one.case else { return None };
    Some(EventoRelacionadoTO {
        cod_evento: one.code,
        protocolo: claim.head.protocol.to_string(),
        tipo_evento: kind(&whole.registers, claim.kind),
        situacao: situation(&whole.registers, claim.head.situation).0,
        nome_pessoa: one.name.clone(),
        data_abertura: claim.head.opened_at.to_offset_iso(&whole.registers.zone),
    })
}
