//! Deals: created and changed. What is asked for is judged whole before anything is written; every move on the board is
//! kept. How they are found is in `search.rs`, their dependents in `dependents.rs`.

pub mod dependents;
mod given;
mod listed;
pub mod looked;
mod managed;
mod search;
mod won;

pub use listed::{Board, Column, Wanted, board, history, of_person, page, whole};
pub use managed::{Managed, lose, move_to, reopen};
pub use won::win;

pub use search::{View, one, search, some};
pub use storage::deals::dependents::DealDependent;
pub use storage::deals::{Deal, FoundDeal};

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::ORIGIN;
use crate::differences::{Present, refuse_old};
use crate::leads::{self, Ready, Store};
use crate::once::{self, Done, Once};
use crate::situations::Acting;
use crate::{App, Error};
use domain::{DealCode, Field, LeadCode, Moment, PersonCode, Rejection, Scope, UserCode};
use given::Wish;
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::deals::{self, Move};
use storage::{Tx, audit, users};
use wire::read::Given;
use wire::records::NegocioInput;

const CREATE: &str = "POST /ext/crm/negocio";
const CHANGE: &str = "PUT /ext/crm/negocio/{codNegocio}";

/// A deal as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: DealCode,
    pub deal: Deal,
    person: PersonCode,
    /// False where what was asked for was there already: then it was only seen.
    changed: bool,
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    /// None for a new one.
    code: Option<DealCode>,
    /// Which one was read, where somebody must have seen what he changes.
    version: Option<i64>,
    input: NegocioInput,
    now: Moment,
}

impl Entry {
    fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: Some(self.user),
            operation: if self.code.is_some() { CHANGE } else { CREATE },
            origin: ORIGIN,
            quiet: false,
            now: self.now,
        }
    }
}

/// Creates a deal, with its lead where that was sent too, or changes the one of this code.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    code: Option<DealCode>,
    input: NegocioInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    put(app, caller, (code, None), input, once).await
}

/// Changes the deal of this code as somebody read it: where it is another by now, he is told what differs.
#[boxed::future]
pub async fn alter(
    app: &App,
    caller: &Session,
    (code, version): (DealCode, i64),
    input: NegocioInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    put(app, caller, (Some(code), Some(version)), input, once).await
}

async fn put(
    app: &App,
    caller: &Session,
    (code, version): (Option<DealCode>, Option<i64>),
    input: NegocioInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry = move |registers| {
        let (scope, input) = (scope.clone(), input.clone());
        Entry { scope, user, registers, code, version, input, now }
    };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write(tx, entry))).await?;
    if let Done::Now(Saved { person, changed: false, .. }) = &done {
        saw(app, caller, CHANGE, std::iter::once(*person))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    confirm(tx, entry.scope.tenant(), &entry.registers).await?;
    match entry.code {
        Some(code) => Box::pin(change(tx, entry, code)).await,
        None => Box::pin(create(tx, entry)).await,
    }
}

/// With whom a new deal is.
enum With {
    Known(LeadCode, Box<leads::Lead>),
    Told(Box<Ready>),
}

async fn create(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    let (tenant, input, acting) = (entry.scope.tenant(), &entry.input, entry.acting());
    let mut wish = Wish::new(&entry.registers, &entry.scope);
    let with = match input.lead {
        Given::Set(code) => {
            visible_lead(tx, entry, code, &mut wish).await?.map(|lead| With::Known(code, Box::new(lead)))
        }
        Given::Keep | Given::Clear => {
            let sent = (&input.contact, Store::OfANewOne(&input.branch));
            let ready = leads::prepare(tx, &acting, &entry.scope, sent, &mut wish.problems).await?;
            if [Rejection::Missing(Field::Name), Rejection::NoContact]
                .iter()
                .all(|one| wish.problems.contains(one))
            {
                wish.problems.insert(0, Rejection::NoLead);
            }
            Some(With::Told(Box::new(ready)))
        }
    };
    let home = match &with {
        Some(With::Known(_, lead)) => Some(lead.branch),
        Some(With::Told(ready)) => Some(ready.after.branch),
        None => None,
    };
    let is_judged = matches!(&with, Some(With::Told(ready)) if ready.is_new());
    let made = wish.new_deal(input, (home, is_judged), entry.user, entry.now);
    check_responsible(tx, entry, None, made.as_ref().map(|deal| deal.branch), &mut wish).await?;
    let (Some(mut deal), Some(with), []) = (made, with, &wish.problems[..]) else {
        return Err(Error::Refused(wish.problems));
    };
    let (lead, person) = match with {
        With::Known(code, lead) => (code, lead.person),
        With::Told(ready) => {
            let saved = Box::pin(leads::write(tx, &acting, &entry.scope, *ready)).await?;
            (saved.code, saved.lead.person)
        }
    };
    deal.lead = lead;
    let wanted = [(Counter::Deal, 1), (Counter::DealSequence, 1), (Counter::Audit, 1)];
    let [code, sequence, audit_code] = counters::take_all(tx, tenant, wanted).await?;
    let code = DealCode::new(code);
    deal.sequence = sequence;
    let mut statements = deals::insert(tenant, [(code, &deal)]);
    statements.extend(deals::insert_moves(tenant, [(code, &moved(&deal, 1, &acting))]));
    statements.push(audit::insert(&told(&acting, code, person, "criado"), audit_code));
    tx.batch(statements).await?;
    Ok(Saved { code, deal, person, changed: true })
}

async fn change(tx: &mut Tx, entry: &Entry, code: DealCode) -> Result<Saved, Error> {
    let (tenant, input, acting) = (entry.scope.tenant(), &entry.input, entry.acting());
    let before = deals::find(&mut *tx, &entry.scope, code).await?;
    let mut wish = Wish::new(&entry.registers, &entry.scope);
    let has_lead = |lead: LeadCode| before.as_ref().is_some_and(|before| before.lead == lead);
    if let Given::Set(lead) = input.lead
        && !has_lead(lead)
    {
        visible_lead(tx, entry, lead, &mut wish).await?;
    }
    let after = wish.changed_deal(input, before.as_ref(), entry.now);
    let had = before.as_ref().and_then(|before| before.responsible);
    check_responsible(tx, entry, had, after.as_ref().map(|after| after.branch), &mut wish).await?;
    // What was sent is judged before the code in the path.
    if !wish.problems.is_empty() {
        return Err(Error::Refused(wish.problems));
    }
    let unknown = Error::NoSuch { field: Field::Deal, code: code.get() };
    let (Some(before), Some(after)) = (before, after) else { return Err(unknown) };
    let present = Present { version: before.version, since: before.updated_at };
    let wanted = managed::between(&before, &after);
    let zone = &entry.registers.zone;
    if let Some(old) = entry.version.and_then(|given| refuse_old(given, present, zone, &wanted)) {
        return Err(old.into());
    }
    let gone = || storage::Error::Broken(format!("the lead of deal {code} is gone"));
    let lead = storage::leads::by_code(&mut *tx, tenant, after.lead).await?.ok_or_else(gone)?;
    if after == before {
        return Ok(Saved { code, deal: before, person: lead.person, changed: false });
    }
    let deal = managed::write(tx, &acting, (code, lead.person), &before, after, "alterado").await?;
    Ok(Saved { code, deal, person: lead.person, changed: true })
}

async fn visible_lead(
    tx: &mut Tx,
    entry: &Entry,
    code: LeadCode,
    wish: &mut Wish<'_>,
) -> Result<Option<leads::Lead>, Error> {
    let found = storage::leads::by_code(&mut *tx, entry.scope.tenant(), code).await?;
    let found = found.filter(|lead| lead.active && entry.scope.sees(lead.branch));
    if found.is_none() {
        wish.problems.push(Rejection::UnknownCode { field: Field::Lead, code: code.get() });
    }
    Ok(found)
}

/// Whoever is to see to a deal must be able to see it. One who has it already may have left meanwhile.
async fn check_responsible(
    tx: &mut Tx,
    entry: &Entry,
    had: Option<UserCode>,
    branch: Option<domain::BranchCode>,
    wish: &mut Wish<'_>,
) -> Result<(), Error> {
    let Given::Set(code) = entry.input.responsible else { return Ok(()) };
    if had == Some(code) {
        return Ok(());
    }
    let found = users::find(&mut *tx, entry.scope.tenant(), code).await?;
    let fits = found.is_some_and(|user| {
        let works = |branch| user.role.has_every_branch() || user.branches.contains(&branch);
        user.active && branch.is_none_or(works)
    });
    if !fits {
        wish.problems.push(Rejection::UnknownCode { field: Field::Responsible, code: code.get() });
    }
    Ok(())
}

fn moved(deal: &Deal, number: i32, acting: &Acting<'_>) -> Move {
    let (stage, state) = (deal.stage, deal.state);
    Move { number, at: acting.now, stage, state, user: acting.user, user_name: None }
}

fn told(acting: &Acting<'_>, code: DealCode, person: PersonCode, done: &str) -> audit::Entry {
    audit::Entry {
        tenant: acting.tenant,
        at: acting.now,
        user: acting.user,
        operation: acting.operation,
        person: Some(person),
        detail: Some(format!("negócio {code} {done}")),
    }
}
