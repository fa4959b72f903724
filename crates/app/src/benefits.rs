//! Benefits: created, changed and cancelled. What is asked for is judged whole before anything is written.

mod fields;
mod given;

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::once::{self, Done, Once};
use crate::situations::{self, Acting, Store};
use crate::{App, Error};
use domain::{
    BenefitCode, BenefitKind, CardNumber, Entity, Field, Moment, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, UserCode,
};
use given::Wish;
use std::sync::Arc;
use storage::benefits::{Around, Benefit, Holder};
use storage::counters::{self, Counter};
use storage::people::Profile;
use storage::{Tx, items};
use wire::read::Given;
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
    Basic(BeneficioInput),
    Vehicle(Box<BeneficioVeiculoInput>),
}

impl Input {
    fn common(&self) -> &BeneficioInput {
        match self {
            Input::Basic(input) => input,
            Input::Vehicle(input) => &input.benefit,
        }
    }

    fn operation(&self) -> &'static str {
        match self {
            Input::Basic(_) => "POST /ext/beneficio",
            Input::Vehicle(_) => "POST /ext/beneficio/veicular",
        }
    }
}

pub(crate) const ORIGIN: &str = "API";

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    input: Input,
    now: Moment,
}

impl Entry {
    fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: Some(self.user),
            operation: self.input.operation(),
            origin: ORIGIN,
            now: self.now,
        }
    }
}

/// Creates a benefit, or changes the one whose code was sent.
pub async fn save(
    app: &App,
    caller: &Session,
    input: Input,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now, operation) = (caller.scope.clone(), caller.user, app.now(), input.operation());
    let entry = move |registers| Entry { scope: scope.clone(), user, registers, input: input.clone(), now };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write(tx, entry))).await?;
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

async fn write(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    confirm(tx, entry.scope.tenant(), &entry.registers).await?;
    match entry.input.common().code {
        Given::Set(code) => Box::pin(change(tx, entry, code)).await,
        Given::Keep | Given::Clear => Box::pin(create(tx, entry)).await,
    }
}

/// The holder by his document, if the caller may see him.
async fn holder(tx: &mut Tx, entry: &Entry) -> Result<Option<(PersonCode, Profile)>, Error> {
    let document = &entry.input.common().document;
    let found = storage::people::by_document(&mut *tx, entry.scope.tenant(), document).await?;
    let Some((code, profile)) = found else { return Ok(None) };
    let is_seen = entry.scope.sees(profile.branch)
        || storage::benefits::has_visible(&mut *tx, &entry.scope, code).await?;
    Ok(is_seen.then_some((code, profile)))
}

async fn create(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    let (tenant, input) = (entry.scope.tenant(), entry.input.common());
    let holder = holder(tx, entry).await?;
    let mut wish = Wish::new(&entry.registers, &entry.scope);
    if holder.is_none() {
        wish.problems.push(Rejection::UnknownPerson(input.document.to_string()));
    }
    let made = wish.new_benefit(&entry.input, holder.as_ref(), entry.now);
    let (Some((mut benefit, item)), Some((person, profile)), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    let around = around(tx, entry, person, &benefit).await?;
    refuse_conflicts(entry, None, &benefit, person, &around)?;
    if benefit.card.is_none() {
        benefit.card = Some(free_card(tx, entry).await?);
    }
    let mut profile = profile;
    if !profile.is_member {
        // Whoever has a benefit is a member.
        profile.is_member = true;
        storage::people::update(tx, tenant, person, &profile).await?;
    }
    let store = Store {
        before: None,
        after: benefit,
        holder: (person, &profile),
        item: Some((item, None)),
        free_row: around.free_row,
        reason: None,
        done: "criado",
    };
    let (code, benefit) = situations::store(tx, &entry.acting(), store).await?;
    Saved::new(&entry.registers, code, benefit, true)
}

async fn change(tx: &mut Tx, entry: &Entry, code: BenefitCode) -> Result<Saved, Error> {
    let (tenant, input) = (entry.scope.tenant(), entry.input.common());
    let unknown = Rejection::UnknownCode { field: Field::Benefit, code: code.get() };
    let before = storage::benefits::find(&mut *tx, &entry.scope, code).await?.ok_or(unknown)?;
    let gone = || storage::Error::Broken(format!("the holder of benefit {code} is gone"));
    let profile = storage::people::by_code(&mut *tx, tenant, before.person).await?.ok_or_else(gone)?;
    let mut wish = Wish::new(&entry.registers, &entry.scope);
    if profile.document.as_ref() != Some(&input.document) {
        wish.problems.push(Rejection::NotTheHolder(code));
    }
    let had = items::of(&mut *tx, tenant, code).await?;
    let (mut after, item) = wish.changed_benefit(&entry.input, &before, &had, entry.now);
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    if entry.registers.kind_of(before.situation) == Some(SituationKind::Cancelled) {
        return Err(Rejection::CancelledBenefit(code).into());
    }
    if after == before && item.is_none() {
        return Saved::new(&entry.registers, code, before, false);
    }
    let around = around(tx, entry, before.person, &after).await?;
    refuse_conflicts(entry, Some((code, &before)), &after, before.person, &around)?;
    after.updated_at = entry.now;
    let store = Store {
        before: Some((code, &before)),
        after,
        holder: (before.person, &profile),
        item,
        free_row: None,
        reason: None,
        done: "alterado",
    };
    let (code, benefit) = situations::store(tx, &entry.acting(), store).await?;
    Saved::new(&entry.registers, code, benefit, true)
}

async fn around(tx: &mut Tx, entry: &Entry, person: PersonCode, benefit: &Benefit) -> Result<Around, Error> {
    let vehicle = &benefit.vehicle;
    let keys = (vehicle.plate.as_ref(), vehicle.chassis.as_ref(), benefit.card.as_ref());
    Ok(storage::benefits::around(tx, entry.scope.tenant(), person, keys).await?)
}

/// A card belongs to one person, and a vehicle has one benefit in force at a time.
fn refuse_conflicts(
    entry: &Entry,
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
        let kind = entry.registers.kind_of(situation);
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
                let by = entry.scope.sees(other.branch).then_some(other.code);
                problems.push(Rejection::VehicleTaken { field, given, by });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}

/// The next card that nobody has. A number of ours may have come from outside before we gave it.
async fn free_card(tx: &mut Tx, entry: &Entry) -> Result<CardNumber, Error> {
    let tenant = entry.scope.tenant();
    loop {
        let card = CardNumber::generate(tenant, counters::next(tx, tenant, Counter::Card).await?);
        if storage::benefits::card_holder(&mut *tx, tenant, &card).await?.is_none() {
            return Ok(card);
        }
    }
}

struct Cancelling {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    code: BenefitCode,
    reason: Option<String>,
    now: Moment,
}

/// Cancels a benefit; one that is cancelled stays as it is.
pub async fn cancel(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: CancelamentoInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let reason = input.reason.set().map(|reason| reason.as_str().to_owned());
    let entry = move |registers| {
        let (scope, reason) = (scope.clone(), reason.clone());
        Cancelling { scope, user, registers, code, reason, now }
    };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write_cancelled(tx, entry)))
            .await?;
    note_look(app, caller, CANCEL, &done)?;
    Ok(done)
}

const CANCEL: &str = "PUT /ext/beneficio/{codBeneficio}/cancelar";

async fn write_cancelled(tx: &mut Tx, entry: &Cancelling) -> Result<Saved, Error> {
    let (tenant, registers, code) = (entry.scope.tenant(), &entry.registers, entry.code);
    confirm(tx, tenant, registers).await?;
    let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
    let before = storage::benefits::find(&mut *tx, &entry.scope, code).await?.ok_or(unknown)?;
    if registers.kind_of(before.situation) == Some(SituationKind::Cancelled) {
        return Saved::new(registers, code, before, false);
    }
    let gone = || storage::Error::Broken(format!("the holder of benefit {code} is gone"));
    let profile = storage::people::by_code(&mut *tx, tenant, before.person).await?.ok_or_else(gone)?;
    let to = registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
    let to = to.ok_or(Rejection::NoSituation)?;
    let acting = Acting {
        tenant,
        registers,
        user: Some(entry.user),
        operation: CANCEL,
        origin: ORIGIN,
        now: entry.now,
    };
    let after = Benefit { situation: to.code, updated_at: entry.now, ..before.clone() };
    let store = Store {
        before: Some((code, &before)),
        after,
        holder: (before.person, &profile),
        item: None,
        free_row: None,
        reason: entry.reason.clone(),
        done: "cancelado",
    };
    let (code, benefit) = situations::store(tx, &acting, store).await?;
    Saved::new(registers, code, benefit, true)
}

/// The kinds whose benefits have a vehicle.
fn is_vehicle(kind: BenefitKind) -> bool {
    kind == BenefitKind::Vehicle
}
