//! Benefits: created, changed and cancelled. What is asked for is judged whole before anything is written. What the association
//! itself sees and changes of them is in `managed.rs`.

mod additional;
mod asked;
mod fields;
mod given;
pub(crate) mod imported;
mod items;
mod managed;
pub(crate) mod told;

pub use additional::{Additional, save_fields};
pub(crate) use asked::{Asked, ORIGIN, ask, holder_of, refuse_cancelled};
pub(crate) use given::{Sent, Wish, first_item};
pub use items::{Added, Item, Items, Plan, add_item, list_items};
pub use managed::{Move, View, change_item, change_whole, history, move_to, whole};

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::once::{Done, Once};
use crate::situations::{self, Acting, Numbers, Store, Stored};
use crate::{App, Error};
use domain::{
    BenefitCode, BenefitKind, CardNumber, Entity, Field, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, TenantId,
};
pub use storage::benefits::Benefit;
use storage::benefits::{Around, Holder, Keys};
use storage::counters::Counter;
use storage::people::Profile;
use storage::{Tx, items as kept_items};
use wire::records::{BeneficioInput, BeneficioVeiculoInput, CancelamentoInput};

/// A benefit as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub situation: String,
    pub kind: SituationKind,
    /// False where what was asked for was there already: then it was only seen.
    pub changed: bool,
}

impl Saved {
    fn new(
        registers: &Registers,
        code: BenefitCode,
        benefit: Benefit,
        changed: bool,
    ) -> Result<Saved, Error> {
        let missing = || Error::Text(format!("the situation {} is not registered", benefit.situation));
        let situation = registers.situation(benefit.situation).ok_or_else(missing)?;
        Ok(Saved { code, situation: situation.name.clone(), kind: situation.kind, benefit, changed })
    }
}

/// What was sent, by the path it came on.
#[derive(Clone, Debug)]
pub enum Input {
    Basic(Box<BeneficioInput>),
    Vehicle(Box<BeneficioVeiculoInput>),
}

impl Input {
    fn common(&self) -> &BeneficioInput {
        match self {
            Input::Basic(input) => input,
            Input::Vehicle(input) => &input.benefit,
        }
    }

    fn sent(&self) -> Sent<'_> {
        let common = self.common();
        let vehicle = match self {
            Input::Basic(_) => None,
            Input::Vehicle(input) => Some((&input.vehicle, &input.fipe)),
        };
        let situation = Some((&common.situation, &common.active));
        Sent { fields: &common.fields, situation, vehicle, known: None }
    }

    fn keys(&self) -> Keys<'_> {
        let card = self.common().fields.card.as_set();
        match self {
            Input::Basic(_) => (None, None, card),
            Input::Vehicle(input) => (input.vehicle.plate.as_set(), input.vehicle.chassis.as_set(), card),
        }
    }

    fn operation(&self) -> &'static str {
        match self {
            Input::Basic(_) => "POST /ext/beneficio",
            Input::Vehicle(_) => "POST /ext/beneficio/veicular",
        }
    }
}

/// Creates a benefit, or changes the one whose code was sent.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    input: Input,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let operation = input.operation();
    let done = ask(app, caller, operation, input, once, |tx, asked| Box::pin(write(tx, asked))).await?;
    note_look(app, caller, operation, &done)?;
    Ok(done)
}

/// An answer that nothing was changed for shows somebody's data all the same.
fn note_look(app: &App, caller: &Session, operation: &'static str, done: &Done<Saved>) -> Result<(), Error> {
    match done {
        Done::Now(Saved { benefit, changed: false, .. }) => {
            saw(app, caller, operation, std::iter::once(benefit.person))
        }
        _ => Ok(()),
    }
}

async fn write(tx: &mut Tx, asked: &Asked<Input>) -> Result<Saved, Error> {
    let (tenant, input) = (asked.scope.tenant(), asked.input.common());
    let code = input.code.as_set().copied();
    if code.is_none() {
        storage::benefits::foresee(tx, tenant, &input.document, asked.input.keys()).await?;
    }
    confirm(tx, tenant, &asked.registers).await?;
    match code {
        Some(code) => Box::pin(change(tx, asked, code)).await,
        None => Box::pin(create(tx, asked)).await,
    }
}

/// The holder by his document, if the caller may see him.
async fn holder(tx: &mut Tx, asked: &Asked<Input>) -> Result<Option<(PersonCode, Profile)>, Error> {
    let document = &asked.input.common().document;
    let found = storage::people::by_document(&mut *tx, asked.scope.tenant(), document).await?;
    let Some((code, profile)) = found else { return Ok(None) };
    let is_seen = asked.scope.sees(profile.branch)
        || storage::benefits::has_visible(&mut *tx, &asked.scope, code).await?;
    Ok(is_seen.then_some((code, profile)))
}

async fn create(tx: &mut Tx, asked: &Asked<Input>) -> Result<Saved, Error> {
    let input = asked.input.common();
    let holder = holder(tx, asked).await?;
    let mut wish = Wish::new(&asked.registers, &asked.scope);
    if holder.is_none() {
        wish.problems.push(Rejection::UnknownPerson(input.document.to_string()));
    }
    let made = wish.new_benefit(asked.input.sent(), holder.as_ref(), asked.now);
    let (Some((benefit, item)), Some(holder), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    let new = New { benefit, item, holder, kept: Numbers::default(), then: None, done: "criado".into() };
    let Stored { code, benefit, .. } = Box::pin(insert(tx, &asked.acting(), &asked.scope, new)).await?;
    Saved::new(&asked.registers, code, benefit, true)
}

/// A new benefit, judged and not written yet.
pub(crate) struct New<'a> {
    pub benefit: Benefit,
    pub item: Item,
    pub holder: (PersonCode, Profile),
    pub kept: Numbers,
    /// What else is written with it, once its code is known.
    pub then: Option<situations::Then<'a>>,
    pub done: std::borrow::Cow<'static, str>,
}

/// Writes a new benefit, unless something stands in its way.
pub(crate) async fn insert(
    tx: &mut Tx,
    acting: &Acting<'_>,
    scope: &Scope,
    new: New<'_>,
) -> Result<Stored, Error> {
    let New { benefit, item, holder: (person, mut profile), kept, then, done } = new;
    let new_of = Some((person, profile.document.as_ref()));
    let around = storage::benefits::around(tx, acting.tenant, keys(&benefit), new_of).await?;
    refuse_conflicts((scope, acting.registers), None, &benefit, person, &around)?;
    if !profile.is_member {
        // Whoever has a benefit is a member.
        profile.is_member = true;
        storage::people::update(tx, acting.tenant, person, &profile).await?;
    }
    let store = Store {
        before: None,
        after: benefit,
        holder: (person, &profile),
        item: Some((item, None)),
        free_row: around.free_row,
        kept,
        reason: None,
        also: Vec::new(),
        then,
        done,
    };
    situations::store(tx, acting, store).await
}

async fn change(tx: &mut Tx, asked: &Asked<Input>, code: BenefitCode) -> Result<Saved, Error> {
    let (tenant, input) = (asked.scope.tenant(), asked.input.common());
    let mut wish = Wish::new(&asked.registers, &asked.scope);
    let Some(before) = storage::benefits::find(&mut *tx, &asked.scope, code).await? else {
        wish.problems.push(Rejection::UnknownCode { field: Field::Benefit, code: code.get() });
        wish.of_nothing(asked.input.sent(), asked.now);
        return Err(Error::Refused(wish.problems));
    };
    let profile = holder_of(tx, tenant, code, &before).await?;
    if profile.document.as_ref() != Some(&input.document) {
        wish.problems.push(Rejection::NotTheHolder(code));
    }
    let had = kept_items::of(&mut *tx, tenant, code).await?;
    let (mut after, item) = wish.changed_benefit(asked.input.sent(), &before, &had, asked.now);
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    let is_same = after == before && item.is_none();
    // A sheet that is brought again says what is; whoever else sends a cancelled one wants it changed.
    if !(is_same && asked.is_import()) {
        refuse_cancelled(&asked.registers, code, &before)?;
    }
    if is_same {
        return Saved::new(&asked.registers, code, before, false);
    }
    let around = around(tx, tenant, &after).await?;
    let judge = (&asked.scope, &*asked.registers);
    refuse_conflicts(judge, Some((code, &before)), &after, before.person, &around)?;
    after.updated_at = asked.now;
    let store = Store { item, ..Store::change(code, &before, after, &profile, "alterado") };
    let Stored { code, benefit, .. } = situations::store(tx, &asked.acting(), store).await?;
    Saved::new(&asked.registers, code, benefit, true)
}

/// What stands in the way of a benefit that changes.
async fn around(tx: &mut Tx, tenant: TenantId, benefit: &Benefit) -> Result<Around, Error> {
    Ok(storage::benefits::around(tx, tenant, keys(benefit), None).await?)
}

fn keys(benefit: &Benefit) -> Keys<'_> {
    (benefit.vehicle.plate.as_ref(), benefit.vehicle.chassis.as_ref(), benefit.card.as_ref())
}

/// A card belongs to one person, and a vehicle has one benefit in force at a time.
fn refuse_conflicts(
    (scope, registers): (&Scope, &Registers),
    before: Option<(BenefitCode, &Benefit)>,
    after: &Benefit,
    person: PersonCode,
    around: &Around,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let had_card = before.and_then(|(_, before)| before.card.as_ref());
    if after.card.as_ref() != had_card && around.card_holder.is_some_and(|holder| holder != person) {
        problems.push(Rejection::CardOfAnother);
    }
    let in_force = |situation: SituationCode| {
        let kind = registers.kind_of(situation);
        !matches!(kind, Some(SituationKind::Inactive | SituationKind::Cancelled))
    };
    let other = |holders: &[Holder]| {
        let others = holders.iter().filter(|one| before.is_none_or(|(own, _)| one.code != own));
        others.filter(|one| in_force(one.situation)).copied().next()
    };
    if in_force(after.situation) {
        let plate = after.vehicle.plate.as_ref().map(ToString::to_string);
        let chassis = after.vehicle.chassis.as_ref().map(ToString::to_string);
        for (field, given, holders) in
            [(Field::Plate, plate, &around.with_plate), (Field::Chassis, chassis, &around.with_chassis)]
        {
            if let (Some(given), Some(other)) = (given, other(holders)) {
                let by = scope.sees(other.branch).then_some(other.code);
                problems.push(Rejection::VehicleTaken { field, given, by });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// The next card that nobody has. A number of ours may have come from outside before we gave it.
pub(crate) async fn free_card(tx: &mut Tx, tenant: TenantId) -> Result<CardNumber, Error> {
    loop {
        let wanted = [(Counter::Card, 1)];
        if let (_, Some(card)) = storage::benefits::take_with_card(tx, tenant, wanted).await? {
            return Ok(card);
        }
    }
}

/// Cancels a benefit; one that is cancelled stays as it is.
#[boxed::future]
pub async fn cancel(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: CancelamentoInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let input = (code, input.reason.set().map(|reason| reason.as_str().to_owned()));
    let done =
        ask(app, caller, CANCEL, input, once, |tx, asked| Box::pin(write_cancelled(tx, asked))).await?;
    note_look(app, caller, CANCEL, &done)?;
    Ok(done)
}

const CANCEL: &str = "PUT /ext/beneficio/{codBeneficio}/cancelar";

async fn write_cancelled(tx: &mut Tx, asked: &Asked<(BenefitCode, Option<String>)>) -> Result<Saved, Error> {
    let (tenant, registers, (code, reason)) = (asked.scope.tenant(), &asked.registers, &asked.input);
    let code = *code;
    confirm(tx, tenant, registers).await?;
    let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
    let before = storage::benefits::find(&mut *tx, &asked.scope, code).await?.ok_or(unknown)?;
    if registers.kind_of(before.situation) == Some(SituationKind::Cancelled) {
        return Saved::new(registers, code, before, false);
    }
    let profile = holder_of(tx, tenant, code, &before).await?;
    let to = registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
    let to = to.ok_or(Rejection::NoSituation)?;
    let after = Benefit { situation: to.code, updated_at: asked.now, ..before.clone() };
    let change = Store::change(code, &before, after, &profile, "cancelado");
    let store = Store { reason: reason.clone(), ..change };
    let Stored { code, benefit, .. } = situations::store(tx, &asked.acting(), store).await?;
    Saved::new(registers, code, benefit, true)
}

/// The kinds whose benefits have a vehicle.
fn is_vehicle(kind: BenefitKind) -> bool {
    kind == BenefitKind::Vehicle
}
