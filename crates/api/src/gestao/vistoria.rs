//! `/gestao/vistoria`: the management of inspections.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase, StoredCase};
use domain::CaseKind;
use wire::records::{ChecklistItemTO, VistoriaGestaoInput, VistoriaGestaoTO};

pub struct InspectionResource;

impl CaseResource for InspectionResource {
    const KIND: CaseKind = CaseKind::Inspection;
    type Input = VistoriaGestaoInput;
    type Record = Option<VistoriaGestaoTO>;

    fn convert_input(sent: VistoriaGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Inspection(Box::new(sent))
    }

    fn render_case(whole: &FullCase) -> Option<VistoriaGestaoTO> {
        let StoredCase::Inspection(own) = &whole.told.case else { return None };
        let registers = &whole.registers;
        let kind = registers.inspection_type(own.kind);
        let checked = own.checklist.iter().map(|one| ChecklistItemTO {
            item: one.item.clone(),
            conforme: one.fits,
            observacao: one.note.clone(),
        });
        Some(record!(
            build_common_fields(whole),
            VistoriaGestaoTO {
                cod_vistoria,
                cod_tipo_vistoria: own.kind.get(),
                tipo_vistoria: kind.map_or_else(String::new, |one| one.name.clone()),
                vistoriador: own.inspector.clone(),
                data_prevista: own.planned_for.map(|at| at.to_offset_iso(&registers.zone)),
                local: own.place.clone(),
                observacao: own.note.clone(),
                checklist: checked.collect(),
            }
        ))
    }
}
