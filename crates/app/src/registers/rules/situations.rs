//! Situations: the types of each entity, one default per type, and allowed successors.

use crate::Error;
use crate::registers::draft::RecordDraft;
use domain::{Entity, RegisterProblem, SituationKind};
use registers::{FieldContent, FieldSpec, FieldType};
use storage::Tx;
use storage::registers::{self as kept, FieldCondition};
use wire::read::FieldPatch;

const DEFAULT: &str = "padrao";

pub(super) async fn validate_situation(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    refuse_other_kinds(wish);
    match (wish.previous_value(DEFAULT) == &FieldContent::Flag(true), wish.flag(DEFAULT), wish.active) {
        // Another situation must become the default first.
        (true, true, false) => wish.refuse("ativo", RegisterProblem::IsDefault),
        (true, false, _) => wish.refuse(DEFAULT, RegisterProblem::IsDefault),
        (false, true, false) => wish.refuse(DEFAULT, RegisterProblem::InactiveDefault),
        (false, false, true) if !has_default(tx, wish).await? => wish.set(DEFAULT, FieldContent::Flag(true)),
        _ => {}
    }
    refuse_unknown_next(tx, wish).await
}

/// Each entity has its own types.
fn refuse_other_kinds(wish: &mut RecordDraft<'_>) {
    let entity = wish.number("entidade").and_then(Entity::from_number);
    let kind = wish.number("tipo").and_then(SituationKind::from_number);
    let (Some(entity), Some(kind)) = (entity, kind) else { return };
    if entity.situation_kinds().contains(&kind) {
        return;
    }
    let Some((_, FieldSpec { kind: FieldType::Choice(names), .. })) = wish.register.find_field("tipo") else {
        return;
    };
    let name = |kind: &SituationKind| names.iter().find(|(number, _)| *number == kind.number());
    let allowed = entity.situation_kinds().iter().filter_map(name).map(|(_, name)| *name).collect();
    wish.refuse("tipo", RegisterProblem::NotAmong(allowed));
}

/// The conditions that select the situations sharing one default.
fn build_default_group<'w>(wish: &'w RecordDraft<'_>) -> Vec<FieldCondition<'w>> {
    let fields = ["entidade", "tipo"].into_iter().filter_map(|name| wish.register.find_field(name));
    fields.map(|(at, field)| (field, &wish.values[at])).collect()
}

async fn has_default(tx: &mut Tx, wish: &RecordDraft<'_>) -> Result<bool, Error> {
    let yes = FieldContent::Flag(true);
    let mut narrowed = build_default_group(wish);
    narrowed.extend(wish.register.find_field(DEFAULT).map(|(_, field)| (field, &yes)));
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    Ok(kept::count_other_active_records(tx, wish.register, tenant, code, &narrowed).await? > 0)
}

/// Successors must belong to the same entity.
async fn refuse_unknown_next(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    let Some((place, field)) = wish.register.find_field("proximas") else { return Ok(()) };
    let FieldPatch::Set(FieldContent::Codes(codes)) = &wish.doing.sent.fields[place] else { return Ok(()) };
    let Some((of, _)) = wish.register.find_field("entidade") else { return Ok(()) };
    for (at, code) in codes.iter().enumerate() {
        let next = kept::find_record(tx, wish.register, &wish.doing.scope, *code).await?;
        if !next.is_some_and(|next| next.values[of] == wish.values[of]) {
            let what = wish.register.words.the_one;
            wish.refuse(field.name, RegisterProblem::UnknownPart { at, what, code: *code });
        }
    }
    Ok(())
}

/// A new default replaces the old one.
pub(super) async fn unset_old_default(tx: &mut Tx, wish: &RecordDraft<'_>) -> Result<(), Error> {
    let Some((_, field)) =
        wish.register.find_field(DEFAULT).filter(|_| wish.flag(DEFAULT) && wish.is_field_changed(DEFAULT))
    else {
        return Ok(());
    };
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    kept::clear_flag_of_others(
        tx,
        wish.register,
        tenant,
        (code, field),
        &build_default_group(wish),
        wish.doing.now,
    )
    .await?;
    Ok(())
}
