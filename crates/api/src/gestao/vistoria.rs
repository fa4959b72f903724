//! `/gestao/vistoria`: the management of inspections.

use super::caso::{CaseResource, build_common_fields, record};
use app::cases::{AnyCaseInput, FullCase};
use domain::{Case, CaseKind};
use wire::records::{ChecklistItemTO, VistoriaGestaoInput, VistoriaGestaoTO};

pub struct InspectionResource;

impl CaseResource for InspectionResource {
    const KIND: CaseKind = CaseKind::Inspection;
    type Input = VistoriaGestaoInput;
    type Record = Option<VistoriaGestaoTO>;

    fn convert_input(input: VistoriaGestaoInput) -> AnyCaseInput {
        AnyCaseInput::Inspection(Box::new(input))
    }

    fn render_case(case: &FullCase) -> Option<VistoriaGestaoTO> {
        let Case::Inspection(inspection) = &case.resolved_case.case else { return None };
        let registers = &case.registers;
        let kind = registers.inspection_type(inspection.kind);
        let checked = inspection.checklist.iter().map(|one| ChecklistItemTO {
            item: one.item.clone(),
            conforme: one.fits,
            observacao: one.note.clone(),
        });
        Some(record!(
            build_common_fields(case),
            VistoriaGestaoTO {
                cod_vistoria,
                cod_tipo_vistoria: inspection.kind.get(),
                tipo_vistoria: kind.map_or_else(String::new, |one| one.name.clone()),
                vistoriador: inspection.inspector.clone(),
                data_prevista: inspection.planned_for.map(|at| at.to_offset_iso(&registers.zone)),
                local: inspection.place.clone(),
                observacao: inspection.note.clone(),
                checklist: checked.collect(),
            }
        ))
    }
}
