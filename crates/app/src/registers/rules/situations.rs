//! Situations: the types of each entity, one default per type, and allowed successors.

use crate::Error;
use crate::registers::draft::RecordDraft;
use domain::{Entity, RegisterProblem, SituationKind};
use registers::{FieldContent, FieldSpec, FieldType};
use storage::Tx;
use storage::registers::{self as stored_registers, FieldCondition};
use wire::read::FieldPatch;

const DEFAULT: &str = "padrao";

pub(super) async fn validate_situation(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    refuse_other_kinds(draft);
    match (draft.previous_value(DEFAULT) == &FieldContent::Flag(true), draft.flag(DEFAULT), draft.active) {
        // Another situation must become the default first.
        (true, true, false) => draft.refuse("ativo", RegisterProblem::IsDefault),
        (true, false, _) => draft.refuse(DEFAULT, RegisterProblem::IsDefault),
        (false, true, false) => draft.refuse(DEFAULT, RegisterProblem::InactiveDefault),
        (false, false, true) if !has_default(tx, draft).await? => {
            draft.set(DEFAULT, FieldContent::Flag(true));
        }
        _ => {}
    }
    refuse_unknown_next(tx, draft).await
}

/// Each entity has its own types.
fn refuse_other_kinds(draft: &mut RecordDraft<'_>) {
    let entity = draft.number("entidade").and_then(Entity::from_number);
    let kind = draft.number("tipo").and_then(SituationKind::from_number);
    let (Some(entity), Some(kind)) = (entity, kind) else { return };
    if entity.situation_kinds().contains(&kind) {
        return;
    }
    let Some((_, FieldSpec { kind: FieldType::Choice(names), .. })) = draft.register.find_field("tipo")
    else {
        return;
    };
    let name = |kind: &SituationKind| names.iter().find(|(number, _)| *number == kind.number());
    let allowed = entity.situation_kinds().iter().filter_map(name).map(|(_, name)| *name).collect();
    draft.refuse("tipo", RegisterProblem::NotAmong(allowed));
}

/// The conditions that select the situations sharing one default.
fn build_default_group<'w>(draft: &'w RecordDraft<'_>) -> Vec<FieldCondition<'w>> {
    let fields = ["entidade", "tipo"].into_iter().filter_map(|name| draft.register.find_field(name));
    fields.map(|(at, field)| (field, &draft.values[at])).collect()
}

async fn has_default(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<bool, Error> {
    let yes = FieldContent::Flag(true);
    let mut narrowed = build_default_group(draft);
    narrowed.extend(draft.register.find_field(DEFAULT).map(|(_, field)| (field, &yes)));
    let (tenant, code) = (draft.command.scope.tenant(), draft.code.unwrap_or(0));
    Ok(stored_registers::count_other_active_records(tx, draft.register, tenant, code, &narrowed).await? > 0)
}

/// Successors must belong to the same entity.
async fn refuse_unknown_next(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    let Some((place, field)) = draft.register.find_field("proximas") else { return Ok(()) };
    let FieldPatch::Set(FieldContent::Codes(codes)) = &draft.command.input.sent.fields[place] else {
        return Ok(());
    };
    let Some((entity_index, _)) = draft.register.find_field("entidade") else { return Ok(()) };
    for (at, code) in codes.iter().enumerate() {
        let next = stored_registers::find_record(tx, draft.register, &draft.command.scope, *code).await?;
        if !next.is_some_and(|next| next.values[entity_index] == draft.values[entity_index]) {
            let what = draft.register.words.the_one;
            draft.refuse(field.name, RegisterProblem::UnknownPart { at, what, code: *code });
        }
    }
    Ok(())
}

/// A new default replaces the old one.
pub(super) async fn unset_old_default(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<(), Error> {
    let Some((_, field)) =
        draft.register.find_field(DEFAULT).filter(|_| draft.flag(DEFAULT) && draft.is_field_changed(DEFAULT))
    else {
        return Ok(());
    };
    let (tenant, code) = (draft.command.scope.tenant(), draft.code.unwrap_or(0));
    stored_registers::clear_flag_of_others(
        tx,
        draft.register,
        tenant,
        (code, field),
        &build_default_group(draft),
        draft.command.now,
    )
    .await?;
    Ok(())
}
