//! `/gestao/evento`: the management of claims.

use super::caso::{CaseResource, build_common_fields, record};
use crate::ext::beneficio::render_vehicle;
use crate::ext::evento::{describe_case_situation, find_claim_type_name};
use app::cases::{AnyCaseInput, FullCase, ResolvedCase};
use domain::{Case, CaseKind, Date, PersonCode, PostalAddress, VehicleDetails};
use wire::records::{EnderecoTO, EventoGestaoInput, EventoGestaoTO, EventoRelacionadoTO};
use wire::set_names;

pub struct ClaimResource;

impl CaseResource for ClaimResource {
    const KIND: CaseKind = CaseKind::Claim;
    type Input = EventoGestaoInput;
    type Record = Option<EventoGestaoTO>;

    fn convert_input(input: EventoGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Claim(Box::new(input))
    }

    fn render_case(case: &FullCase) -> Option<EventoGestaoTO> {
        let Case::Claim(claim) = &case.resolved_case.case else { return None };
        let registers = &case.registers;
        Some(record!(
            build_common_fields(case),
            EventoGestaoTO {
                cod_evento,
                cod_tipo_evento: claim.kind.get(),
                tipo_evento: find_claim_type_name(registers, claim.kind),
                envolvido: set_names::involved(claim.involved),
                prioridade: set_names::priority(claim.priority),
                descricao: claim.description.clone(),
                data_evento: claim.happened_on.map(Date::to_iso),
                cod_condutor: claim.driver.map(PersonCode::get),
                condutor: case.other.clone(),
                local: (claim.place != PostalAddress::default())
                    .then(|| EnderecoTO::from(claim.place.clone())),
                veiculo: (claim.vehicle != VehicleDetails::default())
                    .then(|| render_vehicle(registers, claim.vehicle.clone())),
                relacionados: case.related.iter().filter_map(|one| render_related_claim(case, one)).collect(),
            }
        ))
    }
}

fn render_related_claim(case: &FullCase, one: &ResolvedCase) -> Option<EventoRelacionadoTO> {
    let Case::Claim(claim) = &one.case else { return None };
    Some(EventoRelacionadoTO {
        cod_evento: one.code,
        protocolo: claim.head.protocol.to_string(),
        tipo_evento: find_claim_type_name(&case.registers, claim.kind),
        situacao: describe_case_situation(&case.registers, claim.head.situation).0,
        nome_pessoa: one.name.clone(),
        data_abertura: claim.head.opened_at.to_offset_iso(&case.registers.zone),
    })
}
