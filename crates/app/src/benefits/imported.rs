//! Benefits of vehicles as an import brings them: known by the numbers that they keep, else by their vehicle.

use super::{Asked, Input, New, Wish, change, holder, holder_of, insert};
use crate::Error;
use crate::importing::{Doing, Undone, Written, taken};
use crate::people::{listed_days as member_days, own};
use crate::situations::{self, Numbers, Store, Stored, listed_days, member};
use domain::{
    BenefitCode, Entity, Field, ImportOutcome, ImportProblem, PersonCode, Rejection, SituationCode,
    SituationKind,
};
use serde_json::{Map, Value};
use storage::benefits::{self, Benefit, Holding};
use storage::imports::{self, LineResult};
use storage::items::{self, Item};
use storage::listing::{self, Before, ListedRow};
use storage::people::Profile;
use storage::{Tx, audit, monthly};
use wire::read::Given;
use wire::records::BeneficioVeiculoInput;

/// A benefit as a line of a file tells it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub input: BeneficioVeiculoInput,
    pub kept: Kept,
}

/// The numbers that it is to keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept(Numbers);

impl Kept {
    pub fn taken(fields: &mut Map<String, Value>) -> Kept {
        let code = taken(fields, "codBeneficio").map(BenefitCode::new);
        Kept(Numbers { code, sequence: taken(fields, "sequencial") })
    }
}

impl Row {
    /// What two lines about one benefit have alike.
    pub fn key(&self) -> Option<String> {
        let vehicle = &self.input.vehicle;
        match (self.kept.0.code, &vehicle.plate, &vehicle.chassis) {
            (Some(code), ..) => Some(format!("b{code}")),
            (None, Given::Set(plate), _) => Some(format!("p{}", plate.key())),
            (None, _, Given::Set(chassis)) => Some(format!("c{}", chassis.as_str())),
            _ => None,
        }
    }
}

/// The benefit that a line means, if it is there: by its numbers, else the one in force that has the vehicle.
async fn meant(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<BenefitCode>, Error> {
    let tenant = doing.scope.tenant();
    let Numbers { code, sequence } = row.kept.0;
    if code.is_some() || sequence.is_some() {
        let (by_code, by_sequence) = benefits::with_numbers(tx, tenant, (code, sequence)).await?;
        if let (Some(by_sequence), Some(code)) = (by_sequence, code)
            && by_sequence != code
        {
            return Err(Rejection::CodeTaken { field: Field::Benefit, code: by_sequence.get() }.into());
        }
        if let Some(found) = by_code.or(by_sequence) {
            return Ok(Some(found));
        }
    }
    let (vehicle, card) = (&row.input.vehicle, &row.input.benefit.fields.card);
    let keys = (set(&vehicle.plate), set(&vehicle.chassis), set(card));
    let found = benefits::holding(tx, tenant, keys).await?;
    let in_force = |one: &&Holding| !is_over(doing, one.situation);
    let holder = storage::people::by_document(&mut *tx, tenant, &row.input.benefit.document).await?;
    let holder: Option<PersonCode> = holder.map(|(person, _)| person);
    let his = found.iter().filter(|one| Some(one.person) == holder);
    // One of another is told as what stands in the way; one of his that is over is the same benefit
    // where none is in force and the line asks for one that is over.
    let his: Vec<&Holding> = his.collect();
    if let Some(found) = his.iter().copied().find(in_force) {
        return Ok(Some(found.code));
    }
    // A line with numbers that nobody has is one more of the past.
    let asked = asked_situation(doing, row).filter(|_| code.is_none() && sequence.is_none());
    let over = asked.filter(|asked| is_over(doing, *asked));
    Ok(over
        .and_then(|over| his.iter().max_by_key(|one| (one.situation == over, one.code)).map(|one| one.code)))
}

fn is_over(doing: &Doing, situation: SituationCode) -> bool {
    matches!(doing.registers.kind_of(situation), Some(SituationKind::Inactive | SituationKind::Cancelled))
}

/// The situation that a line asks for, by name or by flag.
fn asked_situation(doing: &Doing, row: &Row) -> Option<SituationCode> {
    let input = &row.input.benefit;
    match (&input.situation, &input.active) {
        (Given::Set(name), _) => doing.registers.situation_named(Entity::Benefit, name.as_str()),
        (_, Given::Set(false)) => doing.registers.default_situation(Entity::Benefit, SituationKind::Inactive),
        _ => None,
    }
    .map(|one| one.code)
}

fn set<T>(given: &Given<T>) -> Option<&T> {
    match given {
        Given::Set(value) => Some(value),
        Given::Keep | Given::Clear => None,
    }
}

pub(crate) async fn find(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<i32>, Error> {
    match meant(tx, doing, row).await {
        Ok(found) => Ok(found.map(BenefitCode::get)),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) async fn write(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    let tenant = doing.scope.tenant();
    let mut input = row.input.clone();
    let Some(code) = meant(tx, doing, row).await? else { return Box::pin(create(tx, doing, row)).await };
    doing.refuse_meant(code.get())?;
    input.benefit.code = Given::Set(code);
    let before = benefits::find(&mut *tx, &doing.scope, code).await?;
    let had = items::of(&mut *tx, tenant, code).await?;
    let asked = Asked::importing(doing, Input::Vehicle(Box::new(input)));
    let saved = Box::pin(change(tx, &asked, code)).await?;
    match (saved.changed, before) {
        (true, Some(before)) => Ok(Written::Changed {
            record: code.get(),
            before: benefits::snapshot(&before, &had),
            version: saved.benefit.version,
        }),
        _ => Ok(Written::Same { record: code.get() }),
    }
}

async fn create(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    let asked = Asked::importing(doing, Input::Vehicle(Box::new(row.input.clone())));
    let holder = holder(tx, &asked).await?;
    let mut wish = Wish::new(&asked.registers, &asked.scope);
    if holder.is_none() {
        wish.problems.push(Rejection::UnknownPerson(row.input.benefit.document.to_string()));
    }
    if was_removed(tx, doing, row.kept.0).await? {
        wish.problems.push(Rejection::Import(ImportProblem::Removed));
    }
    let made = wish.new_benefit(asked.input.sent(), holder.as_ref(), asked.now);
    let (Some((benefit, item)), Some(holder), []) = (made, holder, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    // The version in which his person became a member's by it.
    let joined = (!holder.1.is_member).then(|| (holder.1.version + 1).to_string());
    let new = New { benefit, item, holder, kept: row.kept.0, then: None, done: "criado".into() };
    let Stored { code, benefit, .. } = Box::pin(insert(tx, &asked.acting(), &asked.scope, new)).await?;
    Ok(Written::Created { record: code.get(), version: benefit.version, joined })
}

async fn was_removed(tx: &mut Tx, doing: &Doing, kept: Numbers) -> Result<bool, Error> {
    let tenant = doing.scope.tenant();
    let codes: Vec<i32> = kept.code.map(BenefitCode::get).into_iter().collect();
    let sequences: Vec<i32> = kept.sequence.into_iter().collect();
    Ok(!imports::removed(&mut *tx, tenant, "benefit", &codes).await?.is_empty()
        || !imports::removed(&mut *tx, tenant, "sequence", &sequences).await?.is_empty())
}

/// Takes back what a line did.
pub(crate) async fn undo(tx: &mut Tx, doing: &Doing, line: &LineResult) -> Result<Undone, Error> {
    let code = BenefitCode::new(line.record.unwrap_or_default());
    let Some(now) = benefits::find(&mut *tx, &doing.scope, code).await? else {
        return Ok(Undone::Kept("já não existe, ou está em uma loja que você não acessa".into()));
    };
    if line.version != Some(now.version) {
        return Ok(Undone::Kept("foi alterado depois da importação".into()));
    }
    let holder = holder_of(tx, doing.scope.tenant(), code, &now).await?;
    match (&line.before, line.outcome) {
        (Some(before), ImportOutcome::Changed) => {
            Box::pin(restore(tx, doing, (code, &now), &holder, before)).await
        }
        (joined, _) => {
            let came = joined.as_deref() == Some(holder.version.to_string().as_str());
            Box::pin(remove(tx, doing, (code, &now), &holder, came)).await
        }
    }
}

async fn restore(
    tx: &mut Tx,
    doing: &Doing,
    (code, now): (BenefitCode, &Benefit),
    holder: &Profile,
    before: &str,
) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    let (before, items_before) = benefits::from_snapshot(before)?;
    if let Some(refused) = situations::refuse_move(&doing.registers, now.situation, before.situation) {
        return Ok(Undone::Kept(wire::refusal::sentence(&refused)));
    }
    let have = items::of(&mut *tx, tenant, code).await?;
    let as_it_was = |one: &Item| match items_before.iter().find(|item| item.code == one.code) {
        Some(item) => item.clone(),
        // One that came with the import has ended.
        None => Item { active: false, ..one.clone() },
    };
    let changed = have.iter().map(|one| (one, as_it_was(one))).filter(|(one, item)| *one != item);
    let also = changed.map(|(_, item)| items::change(tenant, code, &item, doing.now)).collect();
    let after = Benefit {
        slot: now.slot,
        sequence: now.sequence,
        version: now.version,
        created_at: now.created_at,
        updated_at: doing.now,
        ..before
    };
    // Meanwhile somebody else may have the vehicle, or the card.
    let around = super::around(tx, tenant, &after).await?;
    let judge = (&doing.scope, &*doing.registers);
    match super::refuse_conflicts(judge, Some((code, now)), &after, now.person, &around) {
        Err(Error::Refused(problems)) => {
            let told: Vec<String> = problems.iter().map(wire::refusal::sentence).collect();
            return Ok(Undone::Kept(told.join(" ")));
        }
        other => other?,
    }
    let store = Store { also, ..Store::change(code, now, after, holder, "alterado: importação desfeita") };
    situations::store(tx, &doing.acting(), store).await?;
    Ok(Undone::Restored)
}

async fn remove(
    tx: &mut Tx,
    doing: &Doing,
    (code, now): (BenefitCode, &Benefit),
    holder: &Profile,
    // It made his person a member's, and nothing has changed of him since.
    made_member: bool,
) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    if let Some(what) = benefits::referred(tx, tenant, code).await? {
        return Ok(Undone::Kept(format!("já tem {what}")));
    }
    let others = benefits::of_person(&mut *tx, &domain::Scope::whole(tenant), now.person).await?;
    let days = listed_days(&doing.registers, holder, now);
    let was = Before { branch: now.branch, benefit: Some((code, now.situation)) };
    let mut statements = listing::remove(tenant, now.slot, was, &days.0);
    if others.len() == 1 && made_member {
        let person = Profile { is_member: false, updated_at: doing.now, ..holder.clone() };
        storage::people::update(tx, tenant, now.person, &person).await?;
    } else if others.len() == 1 {
        // The row that his first benefit had taken over is his own again.
        let days = member_days(holder, &doing.registers.zone);
        let row = ListedRow { slot: now.slot, member: member(now.person, holder), own: own(holder, &days) };
        statements.extend(listing::add(tenant, &[row]));
    }
    if let Some(day) = &now.cancelled_on {
        let mut months = monthly::Changes::default();
        months.count(monthly::Turn::Cancelled, day, now.branch, -1);
        statements.extend(months.statements(tenant));
    }
    statements.extend(benefits::remove(tenant, code, now.sequence));
    listing::touch(tx, tenant).await?;
    tx.batch(statements).await?;
    let told = format!("benefício {code} removido: importação desfeita");
    audit::append(tx, &doing.audited(Some(now.person), &told)).await?;
    Ok(Undone::Removed)
}
