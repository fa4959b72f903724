//! Additional fields: only a list has options, and only a text may have a limit.

use crate::registers::draft::RecordDraft;
use domain::{FieldKind, RegisterProblem};
use registers::FieldContent;

pub(super) fn validate_additional_field(wish: &mut RecordDraft<'_>) {
    let Some(kind) = wish.number("tipo").and_then(FieldKind::from_number) else { return };
    if kind != FieldKind::Text && *wish.value("tamanhoMaximo") != FieldContent::Nothing {
        wish.refuse("tamanhoMaximo", RegisterProblem::OnlyFor("o tipo Texto"));
    }
    match (kind == FieldKind::List, *wish.value("opcoes") == FieldContent::Nothing) {
        (true, true) => wish.refuse("opcoes", RegisterProblem::Missing),
        (false, false) => wish.refuse("opcoes", RegisterProblem::OnlyFor("o tipo Lista")),
        _ => {}
    }
}
