//! The registers of a mirror: what the source lists, and what its records name without its being listed.

use super::{Mirror, Note, tell};
use crate::{App, Error};
use domain::{Entity, Moment, Scope, TenantId};
use registers::{Default, FieldSpec, Kind, Need, Register, Value};
use std::collections::BTreeSet;
use storage::registers as kept;
use storage::versions::{self, Versions};
use storage::{Lane, Tx, counters, mirrors, situations};

/// A record of a register as the source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Of the register: `plano`.
    pub path: &'static str,
    /// None where the source names it without one.
    pub code: Option<i32>,
    /// By the names of its fields; what is not told stays.
    pub values: Vec<(&'static str, Value)>,
    pub active: bool,
    /// It is only added: where there is one, that one stays as it is.
    pub only_new: bool,
}

/// A whole list of the source: what it no longer names is no longer in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub path: &'static str,
    pub codes: Vec<i32>,
}

/// Writes records of registers, and lets rest what whole lists no longer name. Gives what was changed.
#[boxed::future]
pub async fn write_lists(
    app: &App,
    mirror: &Mirror,
    wanted: Vec<Wanted>,
    listed: Vec<Listed>,
) -> Result<u64, Error> {
    let (tenant, now) = (mirror.tenant, app.now());
    let input = (tenant, wanted, listed, now);
    let lane = Lane::background(tenant);
    let (changed, raised) = app
        .db
        .write(lane, input, |tx, (tenant, wanted, listed, now)| {
            Box::pin(write(tx, *tenant, wanted, listed, *now))
        })
        .await?;
    if let Some(raised) = raised {
        app.memory.raise(tenant, raised);
    }
    Ok(changed)
}

async fn write(
    tx: &mut Tx,
    tenant: TenantId,
    wanted: &[Wanted],
    listed: &[Listed],
    now: Moment,
) -> Result<(u64, Option<Versions>), Error> {
    let mut changed = 0;
    let mut stand = BTreeSet::new();
    for one in wanted {
        let put = put(tx, tenant, one, now).await?;
        changed += u64::from(put.is_changed);
        stand.extend(put.code.map(|code| (one.path, code)));
    }
    for list in listed {
        let own = stand.iter().filter(|(path, _)| *path == list.path).map(|(_, code)| *code);
        let named: BTreeSet<i32> = own.chain(list.codes.iter().copied()).collect();
        changed += rest(tx, tenant, list.path, &named, now).await?;
    }
    if changed == 0 {
        return Ok((0, None));
    }
    tell(tx, tenant, format!("{changed} cadastros espelhados"), now).await?;
    Ok((changed, Some(versions::raise_registers(tx, tenant).await?)))
}

/// What became of a record: under which code it stands here, and whether it was not there alike.
pub(super) struct Put {
    code: Option<i32>,
    is_changed: bool,
}

/// Writes one record.
pub(super) async fn put(tx: &mut Tx, tenant: TenantId, wanted: &Wanted, now: Moment) -> Result<Put, Error> {
    let alike = |code| Put { code: Some(code), is_changed: false };
    let changed = |code| Put { code: Some(code), is_changed: true };
    let unknown = || Error::Text(format!("there is no register {}", wanted.path));
    let register = registers::find(wanted.path).ok_or_else(unknown)?;
    let scope = Scope::whole(tenant);
    let mut code = wanted.code.filter(|code| (register.codes.0..=register.codes.1).contains(code));
    let mut had = match code {
        Some(code) => kept::find(tx, register, &scope, code).await?,
        None => None,
    };
    if had.as_ref().is_some_and(|had| is_something_else(register, &had.values, wanted)) {
        mirrors_note(
            tx,
            tenant,
            register,
            wanted,
            "o código já é de outro cadastro desta base; recebeu outro",
            now,
        )
        .await?;
        (code, had) = (None, None);
    }
    let mut values = match &had {
        Some(had) => had.values.clone(),
        None => blank(tx, tenant, register, code.unwrap_or(1)).await?,
    };
    for (name, value) in &wanted.values {
        if let Some((at, field)) = register.field(name)
            && !is_shown_alike(register, field, &values[at], value)
        {
            values[at] = value.clone();
        }
    }
    for unique in register.unique {
        if let Some(taken) = kept::alike(tx, register, tenant, unique, &values, code).await? {
            if code.is_none() {
                return Ok(alike(taken));
            }
            if is_indexed(register) {
                let reason = format!("o nome já é do código {taken} desta base");
                mirrors_note(tx, tenant, register, wanted, &reason, now).await?;
                return Ok(alike(taken));
            }
        }
    }
    match had {
        Some(had) if wanted.only_new || (had.values == values && had.active == wanted.active) => {
            Ok(alike(had.code))
        }
        Some(had) => {
            kept::update(tx, register, tenant, (had.code, &values, wanted.active), now).await?;
            Ok(changed(had.code))
        }
        None => {
            let code = match (code, register.counter) {
                (Some(code), counter) => {
                    if let Some(counter) = counter {
                        counters::pass(tx, tenant, counter, code).await?;
                    }
                    code
                }
                (None, Some(counter)) => counters::next_of(tx, tenant, counter).await?,
                (None, None) => return Ok(Put { code: None, is_changed: false }),
            };
            kept::insert(tx, register, tenant, (code, &values, wanted.active), now).await?;
            Ok(changed(code))
        }
    }
}

/// Names of situations and of additional fields are alone in the database too.
fn is_indexed(register: &Register) -> bool {
    matches!(register.path, "situacao" | "campoAdicional")
}

/// Situations of all entities share their codes, of which the source tells those of benefits alone.
fn is_something_else(register: &'static Register, had: &[Value], wanted: &Wanted) -> bool {
    let Some((at, _)) = register.field("entidade") else { return false };
    wanted.values.iter().any(|(name, value)| *name == "entidade" && had[at] != *value)
}

/// The interface tells names of situations in capitals: what is shown alike is left as it is.
fn is_shown_alike(register: &Register, field: &FieldSpec, had: &Value, told: &Value) -> bool {
    match (register.path, field.name, had, told) {
        ("situacao", "nome", Value::Text(had), Value::Text(told)) => {
            had.to_uppercase() == told.to_uppercase()
        }
        (_, _, Value::Nothing, Value::Lines(told)) => told.is_empty(),
        _ => had == told,
    }
}

/// A record of which nothing is told yet.
async fn blank(
    tx: &mut Tx,
    tenant: TenantId,
    register: &'static Register,
    code: i32,
) -> Result<Vec<Value>, Error> {
    let mut values = Vec::with_capacity(register.fields.len());
    for field in register.fields {
        values.push(match (field.need, field.kind) {
            (Need::Else(Default::Flag(flag)), _) => Value::Flag(flag),
            (Need::Else(Default::Number(number)), _) => Value::Number(number),
            (Need::Else(Default::Code), _) => Value::Number(code.into()),
            (Need::Optional, _) => Value::Nothing,
            (Need::Required, Kind::Money) => Value::Number(0),
            (Need::Required, Kind::Choice(names)) => {
                Value::Number(names.last().map_or(0, |(first, _)| *first))
            }
            (Need::Required, Kind::Colour) => Value::Text("5F6368".to_owned()),
            (Need::Required, Kind::Reference("loja")) => {
                let first = storage::branches::visible(&mut *tx, &Scope::whole(tenant)).await?;
                let least = first.iter().map(|one| one.code).min();
                least.map_or(Value::Nothing, |code| Value::Number(code.get().into()))
            }
            (Need::Required, _) => Value::Text("(sem nome)".to_owned()),
        });
    }
    Ok(values)
}

/// Lets rest what a whole list no longer names, but for the last situation of a type.
async fn rest(
    tx: &mut Tx,
    tenant: TenantId,
    path: &str,
    named: &BTreeSet<i32>,
    now: Moment,
) -> Result<u64, Error> {
    let Some(register) = registers::find(path) else { return Ok(0) };
    let all = kept::all(tx, register, &Scope::whole(tenant), &[], Some(true)).await?;
    let kinds = match path {
        "situacao" => situations::all(&mut *tx, tenant).await?,
        _ => Vec::new(),
    };
    let is_needed = |code: i32| {
        let Some(own) = kinds.iter().find(|one| one.code.get() == code) else {
            return path == "situacao";
        };
        let is_other = |one: &&situations::Situation| {
            one.entity == own.entity && one.kind == own.kind && one.active && named.contains(&one.code.get())
        };
        own.entity != Entity::Benefit || !kinds.iter().any(|one| is_other(&one))
    };
    let mut rested = 0;
    for record in all.into_iter().filter(|one| !named.contains(&one.code) && !is_needed(one.code)) {
        kept::update(tx, register, tenant, (record.code, &record.values, false), now).await?;
        rested += 1;
    }
    Ok(rested)
}

async fn mirrors_note(
    tx: &mut Tx,
    tenant: TenantId,
    register: &'static Register,
    wanted: &Wanted,
    reason: &str,
    now: Moment,
) -> Result<(), Error> {
    let note = Note {
        kind: register.path,
        record: wanted.code.unwrap_or(0),
        field: register.code.to_owned(),
        reason: reason.to_owned(),
    };
    Ok(tx.batch(mirrors::note(tenant, &[note], now)).await?)
}

/// Notes something of records that were not written.
#[boxed::future]
pub async fn note(app: &App, mirror: &Mirror, notes: Vec<Note>) -> Result<(), Error> {
    let input = (mirror.tenant, notes, app.now());
    let lane = Lane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (tenant, notes, now)| {
            Box::pin(async move { Ok::<_, Error>(tx.batch(mirrors::note(*tenant, notes, *now)).await?) })
        })
        .await
}
