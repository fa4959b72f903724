//! The dependents of benefits: found, listed, created and overwritten. Whoever writes one changes the benefit too.

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers, registers};
use crate::benefits::{Asked, ask, free_card, holder_of, refuse_cancelled};
use crate::once::{Done, Once};
use crate::searches::criteria::{bare_document, words};
use crate::situations::{self, Store};
use crate::{App, Error};
use domain::{
    BenefitCode, CardNumber, DependentCode, Field, PersonCode, PlanCode, Rejection, fold, name_words,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use storage::benefits::Benefit;
use storage::counters::{self, Counter};
pub use storage::dependents::{Dependent, Found};
use storage::{Tx, dependents};
use wire::read::Given;
use wire::records::{DependenteInput, PesquisaDependenteQuery};

const SEARCH: &str = "GET /ext/beneficio/dependente";
const SAVE: &str = "POST /ext/beneficio/dependente";
const LIST: &str = "GET /ext/beneficio/{codBeneficio}/dependentes";

/// Dependents by name, then code, and the registers that name their plans.
pub struct Listed<T> {
    pub rows: Vec<T>,
    pub registers: Arc<Registers>,
}

/// The dependents of a name, a CPF, a card, or of several of these.
pub async fn search(
    app: &App,
    caller: &Session,
    query: PesquisaDependenteQuery,
) -> Result<Listed<Found>, Error> {
    let (name, cpf, card) = (query.name.set(), query.cpf.set(), query.card.set());
    if name.is_none() && cpf.is_none() && card.is_none() {
        return Err(Rejection::NoDependentKey.into());
    }
    let registers = registers(app, caller.scope.tenant()).await?;
    let mut rows = find(app, caller, name, cpf, card).await?;
    rows.sort_by_cached_key(|row| (fold(&row.dependent.name), row.code));
    let holders: BTreeSet<PersonCode> = rows.iter().map(|row| row.holder).collect();
    saw(app, caller, SEARCH, holders.into_iter())?;
    Ok(Listed { rows, registers })
}

async fn find(
    app: &App,
    caller: &Session,
    name: Option<String>,
    cpf: Option<String>,
    card: Option<CardNumber>,
) -> Result<Vec<Found>, Error> {
    // What nobody can have finds nobody.
    let Some(words) = name.as_deref().map_or(Some(Vec::new()), words) else { return Ok(Vec::new()) };
    let cpf = match cpf.map(|text| bare_document(&text)) {
        Some(None) => return Ok(Vec::new()),
        other => other.flatten(),
    };
    if cpf.is_none() && card.is_none() {
        let asked = (caller.scope.clone(), words);
        let read = app.db.read(asked, |tx, (scope, words)| Box::pin(dependents::by_words(tx, scope, words)));
        return Ok(read.await?);
    }
    // These name so few that the names are looked at one by one.
    let key = (cpf.as_deref(), card.as_ref().map(CardNumber::as_str));
    let mut rows = dependents::by_key(&app.db, &caller.scope, key).await?;
    rows.retain(|row| {
        let own = name_words(&row.dependent.name);
        words.iter().all(|typed| own.iter().any(|word| word.starts_with(typed.as_str())))
    });
    Ok(rows)
}

/// Every dependent of a benefit, active or not.
pub async fn list(
    app: &App,
    caller: &Session,
    code: BenefitCode,
) -> Result<Listed<(DependentCode, Dependent)>, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, mut rows), registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
            let benefit = storage::benefits::find(&mut *tx, scope, *code).await?.ok_or(unknown)?;
            Ok::<_, Error>((benefit.person, dependents::of(&mut *tx, scope.tenant(), *code).await?))
        })
    })
    .await?;
    rows.sort_by_cached_key(|(code, one)| (fold(&one.name), *code));
    saw(app, caller, LIST, std::iter::once(person))?;
    Ok(Listed { rows, registers })
}

/// A dependent as he was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: DependentCode,
    pub dependent: Dependent,
    holder: PersonCode,
    /// False where what was sent was there already: then he was only seen.
    changed: bool,
}

/// Creates a dependent, or overwrites the one whose code was sent.
pub async fn save(
    app: &App,
    caller: &Session,
    input: DependenteInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let done = ask(app, caller, SAVE, input, once, |tx, asked| Box::pin(write(tx, asked))).await?;
    if let Done::Now(Saved { holder, changed: false, .. }) = &done {
        saw(app, caller, SAVE, std::iter::once(*holder))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, asked: &Asked<DependenteInput>) -> Result<Saved, Error> {
    let (tenant, input) = (asked.scope.tenant(), &asked.input);
    confirm(tx, tenant, &asked.registers).await?;
    let mut problems = Vec::new();
    let benefit = storage::benefits::find(&mut *tx, &asked.scope, input.benefit).await?;
    if benefit.is_none() {
        problems.push(Rejection::UnknownCode { field: Field::Benefit, code: input.benefit.get() });
    }
    let mut before = None;
    if let (Some(_), Given::Set(code)) = (&benefit, &input.code) {
        let found = dependents::find(&mut *tx, tenant, input.benefit, *code).await?;
        if found.is_none() {
            problems.push(Rejection::UnknownDependent { code: *code, benefit: input.benefit });
        }
        before = found.map(|found| (*code, found));
    }
    let kept = before.as_ref().map(|(_, kept)| kept);
    let plans = plans(&asked.registers, input, kept, &mut problems);
    let (Some(benefit), []) = (benefit, &problems[..]) else { return Err(Error::Refused(problems)) };
    refuse_cancelled(&asked.registers, input.benefit, &benefit)?;
    let after = as_written(asked, kept, plans);
    match before {
        Some((code, before)) if before == after => {
            Ok(Saved { code, dependent: after, holder: benefit.person, changed: false })
        }
        before => Box::pin(store(tx, asked, benefit, before, after)).await,
    }
}

/// The plans that he is to have, each once. One that he has already may be out of use meanwhile.
fn plans(
    registers: &Registers,
    input: &DependenteInput,
    before: Option<&Dependent>,
    problems: &mut Vec<Rejection>,
) -> Vec<PlanCode> {
    let had = before.map_or(&[][..], |before| &before.plans);
    let given = match &input.plans {
        Given::Keep => return had.to_vec(),
        Given::Clear => return Vec::new(),
        Given::Set(given) => given,
    };
    for (at, code) in given.iter().map(|plan| plan.0).enumerate() {
        let is_sold = registers.plan(code).is_some_and(|plan| plan.active);
        if !is_sold && !had.contains(&code) {
            problems.push(Rejection::UnknownPlan { at, code });
        }
    }
    given.iter().map(|plan| plan.0).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What was sent is all that is known of him, but for what stays where it was not given.
fn as_written(
    Asked { input, now, .. }: &Asked<DependenteInput>,
    before: Option<&Dependent>,
    plans: Vec<PlanCode>,
) -> Dependent {
    let mut email = before.and_then(|before| before.email.clone());
    input.email.change(&mut email, Clone::clone);
    let mut card = before.and_then(|before| before.card.clone());
    input.card.change(&mut card, Clone::clone);
    let stays = before.is_none_or(|before| before.active);
    Dependent {
        benefit: input.benefit,
        name: input.name.as_str().to_owned(),
        cpf: input.cpf.clone().set(),
        born_on: input.birth.clone().set().map(domain::Date::to_iso),
        kinship: input.kinship,
        sex: input.sex.clone().set(),
        identity_number: input.identity.clone().set().map(domain::Text::into_string),
        phone: input.phone.clone().set(),
        email,
        card,
        plans,
        active: input.active.clone().set().unwrap_or(stays),
        created_at: before.map_or(*now, |before| before.created_at),
        updated_at: before.map_or(*now, |before| before.updated_at),
    }
}

async fn store(
    tx: &mut Tx,
    asked: &Asked<DependenteInput>,
    benefit: Benefit,
    before: Option<(DependentCode, Dependent)>,
    mut after: Dependent,
) -> Result<Saved, Error> {
    let tenant = asked.scope.tenant();
    refuse_conflicts(tx, asked, &benefit, before.as_ref(), &after).await?;
    if before.is_none() && after.card.is_none() {
        after.card = Some(free_card(tx, tenant).await?);
    }
    after.updated_at = asked.now;
    let (code, also, done) = match &before {
        Some((code, before)) => (*code, dependents::update(tenant, *code, before, &after), "alterado"),
        None => {
            let code = DependentCode::new(counters::next(tx, tenant, Counter::Dependent).await?);
            (code, dependents::insert(tenant, std::iter::once((code, &after))), "criado")
        }
    };
    let profile = holder_of(tx, tenant, after.benefit, &benefit).await?;
    let (holder, changed) = (benefit.person, Benefit { updated_at: asked.now, ..benefit.clone() });
    let done = format!("alterado: dependente {code} {done}");
    let store = Store { also, ..Store::change(after.benefit, &benefit, changed, &profile, done) };
    situations::store(tx, &asked.acting(), store).await?;
    Ok(Saved { code, dependent: after, holder, changed: true })
}

/// A card belongs to one person, and nobody is the same benefit's dependent twice.
async fn refuse_conflicts(
    tx: &mut Tx,
    asked: &Asked<DependenteInput>,
    benefit: &Benefit,
    before: Option<&(DependentCode, Dependent)>,
    after: &Dependent,
) -> Result<(), Error> {
    let had_card = before.and_then(|(_, before)| before.card.as_ref());
    let new_card = after.card.as_ref().filter(|card| Some(*card) != had_card);
    let cpf = after.cpf.as_ref().filter(|_| after.active);
    let around = dependents::around(tx, asked.scope.tenant(), after.benefit, (cpf, new_card)).await?;
    let own = before.map(|(code, _)| *code);
    let other = around.with_cpf.into_iter().find(|code| Some(*code) != own);
    let mut problems: Vec<Rejection> = other.map(Rejection::DependentTaken).into_iter().collect();
    if around.card_holder.is_some_and(|holder| holder != benefit.person) {
        problems.push(Rejection::CardOfAnother);
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
