//! Registers: their records listed, read, added and changed, by their descriptions (crate `registers`). Nothing is ever deleted:
//! what is no longer used is inactive. What a description cannot say of a register is a rule (`rules/`).

mod born;
pub(crate) mod imported;
mod judged;
mod lists;
mod rules;
mod wish;

pub(crate) use born::{add_all, add_born};
pub use lists::{COUNTED, Choice, Page, choices, counts, one, page};
pub use storage::registers::Record;

use crate::access::Session;
use crate::once::{self, Done, Once};
use crate::{App, Error, Vault, base, credit_cards};
use domain::{Chance, CreditCardCode, Moment, PersonCode, Scope, TimeZone, UserCode};
use judged::judge;
use registers::{Kind, Register, Value};
use std::sync::Arc;
use storage::versions::{self, Versions};
use storage::{Lane, Tx, audit, counters, registers as kept};
use wire::register::Sent;
use wish::Wish;

/// What is done to a record, by whom.
struct Doing {
    register: &'static Register,
    scope: Scope,
    user: Option<UserCode>,
    /// The code in the path; none of a new record.
    code: Option<i32>,
    sent: Sent,
    zone: TimeZone,
    now: Moment,
    /// What seals fields that nobody may read; no import brings any.
    sealing: Option<(Vault, Arc<dyn Chance>)>,
}

/// A record as it was written.
#[derive(Clone, Debug)]
pub struct Saved {
    pub record: Record,
    pub zone: TimeZone,
    raised: Option<Versions>,
}

/// Adds a record.
#[boxed::future]
pub async fn create(
    app: &App,
    caller: &Session,
    register: &'static Register,
    sent: Sent,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    save(app, caller, register, (None, sent), once).await
}

/// Changes a record: what was not sent stays.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    register: &'static Register,
    (code, sent): (i32, Sent),
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    save(app, caller, register, (Some(code), sent), once).await
}

async fn save(
    app: &App,
    caller: &Session,
    register: &'static Register,
    (code, sent): (Option<i32>, Sent),
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let tenant = caller.scope.tenant();
    let zone = base::registers(app, tenant).await?.zone.clone();
    let doing = Doing {
        register,
        scope: caller.scope.clone(),
        user: Some(caller.user),
        code,
        sent,
        zone,
        now: app.now(),
        sealing: app.vault.clone().map(|vault| (vault, Arc::clone(&app.chance))),
    };
    let done =
        once::write(app, Lane::of(tenant), once, doing, |tx, doing| Box::pin(write(tx, doing))).await?;
    // What this process remembers is old from here on; the others notice by the version.
    if let Done::Now(Saved { raised: Some(raised), .. }) = &done {
        app.memory.raise(tenant, *raised);
    }
    Ok(done)
}

async fn write(tx: &mut Tx, doing: &Doing) -> Result<Saved, Error> {
    let mut wish = judge(tx, doing).await?;
    let (register, tenant) = (doing.register, doing.scope.tenant());
    let raised = match wish.is_changed() {
        false => None,
        true => {
            store(tx, doing, &mut wish).await?;
            match register.remembered {
                true => Some(versions::raise_registers(tx, tenant).await?),
                false => None,
            }
        }
    };
    let lost = || storage::Error::Broken(format!("{} {:?} is gone", register.path, wish.code));
    let record = kept::find(tx, register, &doing.scope, wish.code.unwrap_or(0)).await?.ok_or_else(lost)?;
    Ok(Saved { record, zone: doing.zone.clone(), raised })
}

async fn store(tx: &mut Tx, doing: &Doing, wish: &mut Wish<'_>) -> Result<(), Error> {
    let (register, tenant) = (doing.register, doing.scope.tenant());
    let code = match (wish.code, register.counter) {
        (Some(code), Some(counter)) => {
            counters::pass(tx, tenant, counter, code).await?;
            code
        }
        (Some(code), None) => code,
        (None, Some(counter)) => next(tx, doing, counter).await?,
        (None, None) => return Err(Error::Text(format!("{} has no code", register.path))),
    };
    wish.settle(code);
    rules::before(tx, wish).await?;
    let what = wish.told();
    seal_secrets(tx, doing, wish, code).await?;
    let row = (code, &wish.values[..], wish.active);
    match &wish.had {
        Some(_) => kept::update(tx, register, tenant, row, doing.now).await?,
        None => kept::insert(tx, register, tenant, row, doing.now).await?,
    }
    let told = if wish.had.is_some() { &register.words.change } else { &register.words.create };
    let entry = audit::Entry {
        tenant,
        at: doing.now,
        user: doing.user,
        operation: told.operation,
        person: wish.person,
        detail: Some(format!("{} {code}: {what}", register.path)),
    };
    Ok(audit::append(tx, &entry).await?)
}

/// Keeps what nobody may read among the sealed secrets, and leaves its column empty.
async fn seal_secrets(tx: &mut Tx, doing: &Doing, wish: &mut Wish<'_>, code: i32) -> Result<(), Error> {
    let tenant = doing.scope.tenant();
    for (field, value) in doing.register.fields.iter().zip(&mut wish.values) {
        if !matches!(field.kind, Kind::Secret { .. }) {
            continue;
        }
        if let Value::Text(token) = &*value
            && !token.is_empty()
        {
            let none = || storage::Error::Broken("the server's key was not opened".to_owned());
            let (vault, chance) = doing.sealing.as_ref().ok_or_else(none)?;
            let card = (tenant, CreditCardCode::new(code));
            credit_cards::seal_token(tx, vault, &**chance, card, token).await?;
        }
        *value = Value::Text(String::new());
    }
    Ok(())
}

/// The next code that is nobody's: those that were chosen were passed, but for the very last ones.
async fn next(tx: &mut Tx, doing: &Doing, counter: &'static str) -> Result<i32, Error> {
    loop {
        let code = counters::next_of(tx, doing.scope.tenant(), counter).await?;
        if !kept::is_there(tx, doing.register, doing.scope.tenant(), code).await? {
            return Ok(code);
        }
    }
}

/// Whose data a record is, where it is somebody's.
type Whose = Option<PersonCode>;
