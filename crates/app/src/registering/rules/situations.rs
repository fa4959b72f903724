//! Situations: the types of their entity, one default for each type, and where they lead.

use crate::Error;
use crate::registering::wish::Wish;
use domain::{Entity, RegisterProblem, SituationKind};
use registers::{FieldSpec, Kind, Value};
use storage::Tx;
use storage::registers::{self as kept, Narrowed};
use wire::read::Given;

const DEFAULT: &str = "padrao";

pub(super) async fn judge(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    refuse_other_kinds(wish);
    match (wish.before(DEFAULT) == &Value::Flag(true), wish.flag(DEFAULT), wish.active) {
        // Another must take its place first.
        (true, true, false) => wish.refuse("ativo", RegisterProblem::IsDefault),
        (true, false, _) => wish.refuse(DEFAULT, RegisterProblem::IsDefault),
        (false, true, false) => wish.refuse(DEFAULT, RegisterProblem::InactiveDefault),
        (false, false, true) if !has_default(tx, wish).await? => wish.set(DEFAULT, Value::Flag(true)),
        _ => {}
    }
    refuse_unknown_next(tx, wish).await
}

/// Each entity has types of its own.
fn refuse_other_kinds(wish: &mut Wish<'_>) {
    let entity = wish.number("entidade").and_then(Entity::from_number);
    let kind = wish.number("tipo").and_then(SituationKind::from_number);
    let (Some(entity), Some(kind)) = (entity, kind) else { return };
    if entity.kinds().contains(&kind) {
        return;
    }
    let Some((_, FieldSpec { kind: Kind::Choice(names), .. })) = wish.register.field("tipo") else { return };
    let name = |kind: &SituationKind| names.iter().find(|(number, _)| *number == kind.number());
    let allowed = entity.kinds().iter().filter_map(name).map(|(_, name)| *name).collect();
    wish.refuse("tipo", RegisterProblem::NotAmong(allowed));
}

/// What a situation shares with those of which one is the default.
fn alike<'w>(wish: &'w Wish<'_>) -> Vec<Narrowed<'w>> {
    let fields = ["entidade", "tipo"].into_iter().filter_map(|name| wish.register.field(name));
    fields.map(|(at, field)| (field, &wish.values[at])).collect()
}

async fn has_default(tx: &mut Tx, wish: &Wish<'_>) -> Result<bool, Error> {
    let yes = Value::Flag(true);
    let mut narrowed = alike(wish);
    narrowed.extend(wish.register.field(DEFAULT).map(|(_, field)| (field, &yes)));
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    Ok(kept::others_in_use(tx, wish.register, tenant, code, &narrowed).await? > 0)
}

/// It leads only to situations of its own entity.
async fn refuse_unknown_next(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    let Some((place, field)) = wish.register.field("proximas") else { return Ok(()) };
    let Given::Set(Value::Codes(codes)) = &wish.doing.sent.fields[place] else { return Ok(()) };
    let Some((of, _)) = wish.register.field("entidade") else { return Ok(()) };
    for (at, code) in codes.iter().enumerate() {
        let next = kept::find(tx, wish.register, &wish.doing.scope, *code).await?;
        if !next.is_some_and(|next| next.values[of] == wish.values[of]) {
            let what = wish.register.words.the_one;
            wish.refuse(field.name, RegisterProblem::UnknownPart { at, what, code: *code });
        }
    }
    Ok(())
}

/// A new default takes the place of the old one.
pub(super) async fn before(tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    let Some((_, field)) =
        wish.register.field(DEFAULT).filter(|_| wish.flag(DEFAULT) && wish.changes(DEFAULT))
    else {
        return Ok(());
    };
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    kept::take_from_others(tx, wish.register, tenant, (code, field), &alike(wish), wish.doing.now).await?;
    Ok(())
}
