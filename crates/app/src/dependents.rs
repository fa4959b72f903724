//! The dependents of benefits: found, listed, created and overwritten. Whoever writes one changes the benefit too.

pub(crate) mod imported;

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers, registers};
use crate::benefits::{Asked, ask, free_card, holder_of, refuse_cancelled};
use crate::differences::{self, Fields, Present, refuse_old};
use crate::once::{Done, Once};
use crate::searches::criteria::{bare_document, words};
use crate::situations::{self, Store};
use crate::{App, Error};
use domain::{
    BenefitCode, CardNumber, DependentCode, Field, PersonCode, PlanCode, Rejection, begins_words, fold,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use storage::benefits::Benefit;
use storage::counters::{self, Counter};
use storage::dependents::Key;
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

/// The dependents of a name, a CPF, a card, or of several of these: their codes, by name, then code. The interface gives all
/// of them at once, so they are read some at a time ([`some`]).
#[boxed::future]
pub async fn search(
    app: &App,
    caller: &Session,
    query: PesquisaDependenteQuery,
) -> Result<Vec<DependentCode>, Error> {
    let (name, cpf, card) = (query.name.set(), query.cpf.set(), query.card.set());
    if name.is_none() && cpf.is_none() && card.is_none() {
        return Err(Rejection::NoDependentKey.into());
    }
    let mut keys = find(app, caller, name, cpf, card).await?;
    keys.sort_by_cached_key(|key| (fold(&key.name), key.code));
    Ok(keys.into_iter().map(|key| key.code).collect())
}

async fn find(
    app: &App,
    caller: &Session,
    name: Option<String>,
    cpf: Option<String>,
    card: Option<CardNumber>,
) -> Result<Vec<Key>, Error> {
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
    let rows = dependents::by_key(&app.db, &caller.scope, key).await?;
    let keys = rows.into_iter().map(|row| Key { code: row.code, name: row.dependent.name });
    Ok(keys.filter(|key| begins_words(&words, &key.name)).collect())
}

/// Some of the dependents that a search found, in its order.
#[boxed::future]
pub async fn some(app: &App, caller: &Session, codes: &[DependentCode]) -> Result<Listed<Found>, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let found = dependents::at(&app.db, &caller.scope, codes).await?;
    let mut found: HashMap<DependentCode, Found> = found.into_iter().map(|row| (row.code, row)).collect();
    let rows: Vec<Found> = codes.iter().filter_map(|code| found.remove(code)).collect();
    let holders: BTreeSet<PersonCode> = rows.iter().map(|row| row.holder).collect();
    saw(app, caller, SEARCH, holders.into_iter())?;
    Ok(Listed { rows, registers })
}

/// Every dependent of a benefit, active or not.
#[boxed::future]
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

/// What was sent of a dependent, by which version of his benefit.
#[derive(Clone)]
struct Sent {
    record: DependenteInput,
    /// None where nobody said what he had seen.
    seen: Option<i64>,
    /// The code that a new one is to keep.
    kept: Option<DependentCode>,
}

/// Creates a dependent, or overwrites the one whose code was sent.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    input: DependenteInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    save_seen(app, caller, (input, None), once).await
}

/// The same for somebody who had this version of the benefit before him: refused where it is another by now.
#[boxed::future]
pub async fn save_seen(
    app: &App,
    caller: &Session,
    (record, seen): (DependenteInput, Option<i64>),
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let sent = Sent { record, seen, kept: None };
    let done = ask(app, caller, SAVE, sent, once, |tx, asked| Box::pin(write(tx, asked))).await?;
    if let Done::Now(Saved { holder, changed: false, .. }) = &done {
        saw(app, caller, SAVE, std::iter::once(*holder))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, asked: &Asked<Sent>) -> Result<Saved, Error> {
    let (tenant, input) = (asked.scope.tenant(), &asked.input.record);
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
    let present = Present { version: benefit.version, since: benefit.updated_at };
    let wanted = kept.map(|kept| differences::between(fields(kept), fields(&after))).unwrap_or_default();
    let old = asked.input.seen.and_then(|seen| refuse_old(seen, present, &asked.registers.zone, &wanted));
    if let Some(old) = old {
        return Err(old.into());
    }
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
fn as_written(asked: &Asked<Sent>, before: Option<&Dependent>, plans: Vec<PlanCode>) -> Dependent {
    let (input, now) = (&asked.input.record, &asked.now);
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

/// A dependent, field by field.
fn fields(one: &Dependent) -> Fields {
    vec![
        ("nome", Some(one.name.clone())),
        ("cpf", one.cpf.as_ref().map(ToString::to_string)),
        ("dataNascimento", one.born_on.as_deref().map(domain::shown::day)),
        ("parentesco", Some(wire::names::kinship(one.kinship).to_owned())),
        ("sexo", one.sex.map(|sex| wire::names::sex(sex).to_owned())),
        ("identidade", one.identity_number.clone()),
        ("telefone", one.phone.as_ref().map(ToString::to_string)),
        ("email", one.email.as_ref().map(ToString::to_string)),
        ("numeroCartaoDesconto", one.card.as_ref().map(CardNumber::to_string)),
        ("ativo", Some(if one.active { "sim" } else { "não" }.to_owned())),
    ]
}

async fn store(
    tx: &mut Tx,
    asked: &Asked<Sent>,
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
            let code = match asked.input.kept {
                Some(kept) => {
                    counters::reach(tx, tenant, Counter::Dependent, kept.get()).await?;
                    kept
                }
                None => DependentCode::new(counters::next(tx, tenant, Counter::Dependent).await?),
            };
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
    asked: &Asked<Sent>,
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
