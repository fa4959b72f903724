//! Additional fields: only a list has options, and only a text may have a limit.

use crate::registers::draft::RecordDraft;
use domain::{FieldKind, RegisterProblem};
use registers::FieldContent;

pub(super) fn validate_additional_field(draft: &mut RecordDraft<'_>) {
    let Some(kind) = draft.number("tipo").and_then(FieldKind::from_number) else { return };
    if kind != FieldKind::Text && *draft.value("tamanhoMaximo") != FieldContent::Nothing {
        draft.refuse("tamanhoMaximo", RegisterProblem::OnlyFor(FieldKind::Text));
    }
    match (kind == FieldKind::List, *draft.value("opcoes") == FieldContent::Nothing) {
        (true, true) => draft.refuse("opcoes", RegisterProblem::Missing),
        (false, false) => draft.refuse("opcoes", RegisterProblem::OnlyFor(FieldKind::List)),
        _ => {}
    }
}
