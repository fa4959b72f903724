//! A benefit as the association itself sees and changes it: everything but its holder, whatever its situation; and the way out
//! of every situation, with a reason where that matters.

use super::{Asked, Sent, Wish, around, ask, holder_of, is_vehicle, refuse_conflicts, told};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers};
use crate::differences::{Present, refuse_old};
use crate::happened::{self, History};
use crate::once::{Done, Once};
use crate::situations::BENEFIT;
use crate::situations::{self, Store, Stored};
use crate::{App, Error, vehicles};
use domain::{BenefitCode, Entity, Field, ItemCode, Money, Rejection, Scope, SituationCode, SituationKind};
use std::sync::Arc;
use storage::benefits::{self, Benefit, Vehicle};
use storage::items::{self, Item};
use storage::people::Profile;
use storage::{Tx, dependents};
use wire::read::{Between, Given};
use wire::records::{BeneficioAlteracaoInput, ItemAlteracaoInput, SituacaoBeneficioInput};

const READ: &str = "GET /gestao/beneficio/{codBeneficio}";
const CHANGE: &str = "PUT /gestao/beneficio/{codBeneficio}";
const MOVE: &str = "PUT /gestao/beneficio/{codBeneficio}/situacao";
const ITEM: &str = "PUT /gestao/beneficio/{codBeneficio}/itens/{codItem}";
const HISTORY: &str = "GET /gestao/beneficio/{codBeneficio}/historico";

/// A benefit with everything around it.
#[derive(Clone, Debug)]
pub struct View {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub holder: Profile,
    /// The one that it began with, or has instead of it, first; also those that it no longer has.
    pub items: Vec<Item>,
    /// Those in force.
    pub dependents: i64,
    pub registers: Arc<Registers>,
    changed: bool,
}

fn unknown(code: BenefitCode) -> Error {
    Error::NoSuch { field: Field::Benefit, code: code.get() }
}

type Around = (Profile, Vec<Item>, i64);

/// What belongs to a benefit.
async fn belongings(
    tx: &mut Tx,
    scope: &Scope,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<Around, Error> {
    let tenant = scope.tenant();
    let holder = holder_of(tx, tenant, code, benefit).await?;
    let mut items = items::of(&mut *tx, tenant, code).await?;
    items.sort_by_key(|item| (!item.is_first, item.code));
    Ok((holder, items, dependents::count(&mut *tx, tenant, [code]).await?))
}

/// The benefit of this code, whole.
#[boxed::future]
pub async fn whole(app: &App, caller: &Session, code: BenefitCode) -> Result<View, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((benefit, around), registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit = benefits::find(&mut *tx, scope, *code).await?.ok_or(unknown(*code))?;
            let around = belongings(tx, scope, *code, &benefit).await?;
            Ok::<_, Error>((benefit, around))
        })
    })
    .await?;
    saw(app, caller, READ, std::iter::once(benefit.person))?;
    let (holder, items, dependents) = around;
    Ok(View { code, benefit, holder, items, dependents, registers, changed: false })
}

/// What happened to a benefit.
#[boxed::future]
pub async fn history(app: &App, caller: &Session, code: BenefitCode) -> Result<History, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let benefit = benefits::find(&mut *tx, scope, *code).await?.ok_or(unknown(*code))?;
            let mut found = happened::fields(tx, scope.tenant(), BENEFIT, code.get()).await?;
            found.extend(happened::situations(tx, scope.tenant(), *code).await?);
            Ok::<_, Error>((benefit.person, found))
        })
    })
    .await?;
    saw(app, caller, HISTORY, std::iter::once(person))?;
    Ok(happened::in_order(found, registers))
}

/// Looks that an answer without a change is.
fn note(app: &App, caller: &Session, operation: &'static str, done: Done<View>) -> Result<Done<View>, Error> {
    if let Done::Now(View { benefit, changed: false, .. }) = &done {
        saw(app, caller, operation, std::iter::once(benefit.person))?;
    }
    Ok(done)
}

/// Changes a benefit: what is not given stays, what is cleared goes.
#[boxed::future]
pub async fn change_whole(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: BeneficioAlteracaoInput,
    once: Once<View>,
) -> Result<Done<View>, Error> {
    let done = ask(app, caller, CHANGE, (code, input), once, |tx, asked| Box::pin(write(tx, asked))).await?;
    note(app, caller, CHANGE, done)
}

async fn write(tx: &mut Tx, asked: &Asked<(BenefitCode, BeneficioAlteracaoInput)>) -> Result<View, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let tenant = asked.scope.tenant();
    confirm(tx, tenant, &asked.registers).await?;
    let before = benefits::find(&mut *tx, &asked.scope, code).await?.ok_or(unknown(code))?;
    let (holder, had, _) = belongings(tx, &asked.scope, code, &before).await?;
    let mut wish = Wish::new(&asked.registers, &asked.scope);
    let has_vehicle = is_vehicle(before.kind);
    if !has_vehicle && names_vehicle(input) {
        wish.problems.push(Rejection::NoVehicle);
    }
    let vehicle = has_vehicle.then_some((&input.vehicle, &input.fipe));
    let sent = Sent { fields: &input.fields, situation: None, vehicle, known: None };
    let (after, item) = wish.changed_benefit(sent, &before, &had, asked.now);
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    let wanted = told::between(&asked.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        old(asked, Some(input.version), &before, &wanted).into_iter().collect();
    if after == before && item.is_none() && problems.is_empty() {
        return Box::pin(view(tx, asked, code, before, false)).await;
    }
    problems.extend(conflicts(tx, asked, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let after = Benefit { updated_at: asked.now, ..after };
    let store = Store { item, ..Store::change(code, &before, after, &holder, "alterado") };
    let Stored { code, benefit, .. } = situations::store(tx, &asked.acting(), store).await?;
    Box::pin(view(tx, asked, code, benefit, true)).await
}

/// Whether anything was given that only a vehicle has.
fn names_vehicle(input: &BeneficioAlteracaoInput) -> bool {
    let mut vehicle = Vehicle::default();
    vehicles::apply(&input.vehicle, &mut vehicle);
    vehicle != Vehicle::default()
        || matches!(input.vehicle.kind, Given::Set(_))
        || matches!(input.fipe, Given::Set(_))
}

fn old<I>(
    asked: &Asked<I>,
    given: Option<Between<0, { i32::MAX }>>,
    before: &Benefit,
    wanted: &[crate::differences::Difference],
) -> Option<Rejection> {
    let present = Present { version: before.version, since: before.updated_at };
    given.and_then(|given| refuse_old(given.get().into(), present, &asked.registers.zone, wanted))
}

/// What else stands in the way of a benefit.
async fn conflicts<I>(
    tx: &mut Tx,
    asked: &Asked<I>,
    code: BenefitCode,
    before: &Benefit,
    after: &Benefit,
) -> Result<Vec<Rejection>, Error> {
    let around = around(tx, asked.scope.tenant(), after).await?;
    let judge = (&asked.scope, &*asked.registers);
    match refuse_conflicts(judge, Some((code, before)), after, before.person, &around) {
        Err(Error::Refused(problems)) => Ok(problems),
        other => other.map(|()| Vec::new()),
    }
}

async fn view<I>(
    tx: &mut Tx,
    asked: &Asked<I>,
    code: BenefitCode,
    benefit: Benefit,
    changed: bool,
) -> Result<View, Error> {
    let (holder, items, dependents) = belongings(tx, &asked.scope, code, &benefit).await?;
    let registers = Arc::clone(&asked.registers);
    Ok(View { code, benefit, holder, items, dependents, registers, changed })
}

/// Where a benefit is to go, and why.
pub type Move = SituacaoBeneficioInput;

/// Moves a benefit to another situation, also out of being cancelled.
#[boxed::future]
pub async fn move_to(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: Move,
    once: Once<View>,
) -> Result<Done<View>, Error> {
    let done =
        ask(app, caller, MOVE, (code, input), once, |tx, asked| Box::pin(write_move(tx, asked))).await?;
    note(app, caller, MOVE, done)
}

async fn write_move(tx: &mut Tx, asked: &Asked<(BenefitCode, Move)>) -> Result<View, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    confirm(tx, asked.scope.tenant(), &asked.registers).await?;
    let before = benefits::find(&mut *tx, &asked.scope, code).await?;
    let present = before.as_ref().map(|before| before.situation);
    let to = target(&asked.registers, &asked.scope, input, present)?;
    let kind = |situation: SituationCode| asked.registers.kind_of(situation);
    let matters = [Some(to), present].into_iter().flatten();
    let needs_reason =
        present != Some(to) && matters.into_iter().any(|one| kind(one) == Some(SituationKind::Cancelled));
    let reason = input.reason.clone().set().map(domain::Note::into_string);
    if needs_reason && reason.is_none() {
        let reopens = kind(to) != Some(SituationKind::Cancelled);
        return Err(Rejection::ReasonNeeded { reopens }.into());
    }
    let before = before.ok_or(unknown(code))?;
    let mut problems: Vec<Rejection> =
        old(asked, input.version.clone().set(), &before, &[]).into_iter().collect();
    if before.situation == to && problems.is_empty() {
        return Box::pin(view(tx, asked, code, before, false)).await;
    }
    problems.extend(situations::refuse_move(&asked.registers, before.situation, to));
    let after = Benefit { situation: to, updated_at: asked.now, ..before.clone() };
    problems.extend(conflicts(tx, asked, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let holder = holder_of(tx, asked.scope.tenant(), code, &before).await?;
    let done = match (kind(before.situation), kind(to)) {
        (_, Some(SituationKind::Cancelled)) => "cancelado",
        (Some(SituationKind::Cancelled), _) => "reativado",
        _ => "mudou de situação",
    };
    let store = Store { reason, ..Store::change(code, &before, after, &holder, done) };
    let Stored { code, benefit, .. } = situations::store(tx, &asked.acting(), store).await?;
    Box::pin(view(tx, asked, code, benefit, true)).await
}

/// Where it is to go: by code, by name, or by both if they agree.
fn target(
    registers: &Registers,
    scope: &Scope,
    input: &Move,
    present: Option<SituationCode>,
) -> Result<SituationCode, Error> {
    let mut wish = Wish::new(registers, scope);
    let usable = |code: SituationCode| {
        let found = registers.situation(code).filter(|one| one.entity == Entity::Benefit);
        found.is_some_and(|one| one.active || Some(one.code) == present)
    };
    let by_code = match input.code {
        Given::Set(code) if usable(code) => Some(code),
        Given::Set(code) => {
            let known = registers.situations_of(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
            wish.problems.push(Rejection::UnknownSituationCode { given: code.get(), known });
            None
        }
        Given::Keep | Given::Clear => None,
    };
    let by_name = match &input.name {
        Given::Set(name) => wish.named_situation(name.as_str(), present),
        Given::Keep | Given::Clear => None,
    };
    match (by_code, by_name) {
        (Some(code), Some(name)) if code != name => {
            let (field, with) = (Field::Situation, Field::SituationCode);
            wish.problems.push(Rejection::Disagree { field, with });
        }
        (None, None) if wish.problems.is_empty() => {
            wish.problems.push(Rejection::NoSituationNamed);
        }
        _ => {}
    }
    match (by_code.or(by_name), wish.problems) {
        (Some(to), problems) if problems.is_empty() => Ok(to),
        (_, problems) => Err(Error::Refused(problems)),
    }
}

/// Changes an item of a benefit: ends it, lets it begin again, or gives it another price.
#[boxed::future]
pub async fn change_item(
    app: &App,
    caller: &Session,
    (code, item): (BenefitCode, ItemCode),
    input: ItemAlteracaoInput,
    once: Once<View>,
) -> Result<Done<View>, Error> {
    let asked = (code, item, input);
    let done = ask(app, caller, ITEM, asked, once, |tx, asked| Box::pin(write_item(tx, asked))).await?;
    note(app, caller, ITEM, done)
}

async fn write_item(
    tx: &mut Tx,
    asked: &Asked<(BenefitCode, ItemCode, ItemAlteracaoInput)>,
) -> Result<View, Error> {
    let (code, item, input) = (asked.input.0, asked.input.1, &asked.input.2);
    let tenant = asked.scope.tenant();
    confirm(tx, tenant, &asked.registers).await?;
    let before = benefits::find(&mut *tx, &asked.scope, code).await?.ok_or(unknown(code))?;
    let (holder, mut all, _) = belongings(tx, &asked.scope, code, &before).await?;
    let found = all.iter_mut().find(|one| one.code == item);
    let one = found.ok_or(Error::NoSuch { field: Field::Item, code: item.get() })?;
    let was = one.clone();
    one.active = input.active.clone().set().unwrap_or(one.active);
    one.price = input.price.clone().set().map_or(one.price, Money::cents);
    let one = one.clone();
    let active = || all.iter().filter(|one| one.active);
    let plans: Vec<_> = active().map(|one| (one.plan, one.price)).collect();
    let after = Benefit { plans, updated_at: asked.now, ..before.clone() };
    let wanted = told::between(&asked.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        old(asked, input.version.clone().set(), &before, &wanted).into_iter().collect();
    if active().next().is_none() {
        problems.push(Rejection::LastPlan(code));
    }
    if one.active && active().filter(|other| other.plan == one.plan).count() > 1 {
        problems.push(Rejection::PlanTaken(one.plan));
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    if one == was {
        return Box::pin(view(tx, asked, code, before, false)).await;
    }
    let done = format!("alterado: item {item} {}", if one.active { "alterado" } else { "retirado" });
    let also = vec![items::change(tenant, code, &one, asked.now)];
    let store = Store { also, ..Store::change(code, &before, after, &holder, done) };
    let Stored { code, benefit, .. } = situations::store(tx, &asked.acting(), store).await?;
    Box::pin(view(tx, asked, code, benefit, true)).await
}
