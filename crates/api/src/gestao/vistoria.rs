//! `/gestao/vistoria`: inspections, as the association works on them.

use super::caso::{Operated, common, record};
use app::cases::{Case, Input, Whole};
use domain::CaseKind;
use wire::records::{ChecklistItemTO, VistoriaGestaoInput, VistoriaGestaoTO};

pub struct Vistoria;

impl Operated for Vistoria {
    const KIND: CaseKind = CaseKind::Inspection;
    type Input = VistoriaGestaoInput;
    type Record = Option<VistoriaGestaoTO>;

    fn input(sent: VistoriaGestaoInput) -> Input {
        Input::Inspection(Box::new(sent))
    }

    fn record(whole: &Whole) -> Option<VistoriaGestaoTO> {
        let Case::Inspection(own) = &whole.told.case else { return None };
        let registers = &whole.registers;
        let kind = registers.inspection_type(own.kind);
        let checked = own.checklist.iter().map(|one| ChecklistItemTO {
            item: one.item.clone(),
            conforme: one.fits,
            observacao: one.note.clone(),
        });
        Some(record!(
            common(whole),
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
