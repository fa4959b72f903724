//! Lists of records, and single ones, as far as the caller sees them.

use super::{Record, Whose};
use crate::access::Session;
use crate::audit::saw;
use crate::{App, Error, base};
use domain::{
    BenefitCode, PersonCode, RegisterProblem, Rejection, Scope, TimeZone, begins_words, fold, name_words,
};
use registers::{FieldSpec, Kind, Register, Search, Value, Within};
use std::collections::BTreeMap;
use storage::registers::{self as kept, Narrowed};
use storage::{Tx, benefits, people};
use wire::register::Asked;

/// Records in a page.
const PAGE: i64 = 100;

/// One page of a register.
pub struct Page {
    pub records: Vec<Record>,
    pub number: i32,
    /// How many there are in all pages.
    pub total: i64,
    pub zone: TimeZone,
    people: Vec<PersonCode>,
}

/// A page of what is asked for.
#[boxed::future]
pub async fn page(
    app: &App,
    caller: &Session,
    register: &'static Register,
    asked: Asked,
) -> Result<Page, Error> {
    if register.needs_filter && asked.fields.is_empty() {
        let problem = RegisterProblem::NoFilter(register.filters);
        return Err(Rejection::Register { field: register.filters[0], problem }.into());
    }
    let zone = base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let input = (register, caller.scope.clone(), asked, zone);
    let page = app.db.read(input, |tx, (register, scope, asked, zone)| {
        let register: &'static Register = register;
        Box::pin(async move {
            let (records, total, people) = match register.search {
                Search::Words => by_words(tx, register, scope, asked).await?,
                Search::Beginnings(names) => by_beginnings(tx, (register, names), scope, asked).await?,
            };
            Ok::<_, Error>(Page { records, number: asked.page, total, zone: zone.clone(), people })
        })
    });
    let page = page.await?;
    saw(app, caller, register.words.list.operation, page.people.iter().copied())?;
    Ok(page)
}

/// One record, with the time zone that its moments are shown in.
#[boxed::future]
pub async fn one(
    app: &App,
    caller: &Session,
    register: &'static Register,
    code: i32,
) -> Result<(Record, TimeZone), Error> {
    let zone = base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let input = (register, caller.scope.clone(), code);
    let found = app.db.read(input, |tx, (register, scope, code)| {
        let register: &'static Register = register;
        Box::pin(visible(tx, register, scope, *code))
    });
    let (record, whose) = found.await?.ok_or_else(|| absent(register, code))?;
    saw(app, caller, register.words.read.operation, whose.into_iter())?;
    Ok((record, zone))
}

/// A record as a list of choices names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub code: i32,
    pub name: String,
    pub active: bool,
    /// In the order of the description.
    pub values: Vec<Value>,
}

/// Every record of a register of a few thousand at most, to be chosen from; by name.
#[boxed::future]
pub async fn choices(app: &App, caller: &Session, register: &'static Register) -> Result<Vec<Choice>, Error> {
    if register.search != Search::Words || register.needs_filter {
        return Ok(Vec::new());
    }
    let read = app.db.read((register, caller.scope.clone()), |tx, (register, scope)| {
        let register: &'static Register = register;
        Box::pin(kept::all(tx, register, scope, &[], None))
    });
    let named = read.await?.into_iter().map(|record| Choice {
        code: record.code,
        name: record.values.first().and_then(text).map_or_else(|| record.code.to_string(), str::to_owned),
        active: record.active,
        values: record.values,
    });
    let mut named: Vec<Choice> = named.collect();
    named.sort_by_cached_key(|one| (fold(&one.name), one.code));
    Ok(named)
}

/// What is counted of one register at most: beyond that it is a great many.
pub const COUNTED: i64 = 1_000;

/// How many records in use the caller sees of each register; of those that belong to somebody, nothing is counted.
#[boxed::future]
pub async fn counts(app: &App, caller: &Session) -> Result<Vec<(&'static Register, Option<i64>)>, Error> {
    app.db
        .read(caller.scope.clone(), |tx, scope| {
            Box::pin(async move {
                let mut all = Vec::new();
                for register in registers::REGISTERS {
                    let count = match register.needs_filter {
                        true => None,
                        false => Some(kept::counted(tx, register, scope, COUNTED + 1).await?),
                    };
                    all.push((register, count));
                }
                Ok::<_, Error>(all)
            })
        })
        .await
}

pub(super) fn absent(register: &Register, code: i32) -> Error {
    let problem = RegisterProblem::NotThere { what: register.words.the_one, code };
    Error::NoRecord(Rejection::Register { field: register.code, problem })
}

/// A record that the scope sees, and whose data it is.
pub(super) async fn visible(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    code: i32,
) -> Result<Option<(Record, Whose)>, Error> {
    let Some(record) = kept::find(tx, register, scope, code).await? else { return Ok(None) };
    Ok(whose(tx, register, scope, &record).await?.map(|whose| (record, whose)))
}

/// Whose data a record is, where the scope sees it: nobody's of most registers.
async fn whose(
    tx: &mut Tx,
    register: &Register,
    scope: &Scope,
    record: &Record,
) -> Result<Option<Whose>, Error> {
    let Some(parent) = parent(register, record) else { return Ok(Some(None)) };
    Ok(match register.within {
        Within::Benefit => {
            let benefit = benefits::find(&mut *tx, scope, BenefitCode::new(parent)).await?;
            benefit.map(|benefit| Some(benefit.person))
        }
        Within::Person => {
            let person = PersonCode::new(parent);
            people::is_visible(tx, scope, person).await?.then_some(Some(person))
        }
        Within::Base | Within::Branch(_) => Some(None),
    })
}

/// The benefit or person that a record belongs to, which its first field names.
fn parent(register: &Register, record: &Record) -> Option<i32> {
    match (register.within, record.values.first()) {
        (Within::Benefit | Within::Person, Some(Value::Number(code))) => i32::try_from(*code).ok(),
        _ => None,
    }
}

type Found = (Vec<Record>, i64, Vec<PersonCode>);

/// A few thousand records at most: all of them are looked at, in one way on both engines.
async fn by_words(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    asked: &Asked,
) -> Result<Found, Error> {
    let mut records = kept::all(tx, register, scope, &narrowed(register, asked), asked.active).await?;
    let mut seen: BTreeMap<i32, Option<Whose>> = BTreeMap::new();
    for record in &records {
        if let Some(parent) = parent(register, record)
            && !seen.contains_key(&parent)
        {
            seen.insert(parent, whose(tx, register, scope, record).await?);
        }
    }
    let is_seen = |record: &Record| {
        parent(register, record).is_none_or(|one| seen.get(&one).is_some_and(Option::is_some))
    };
    records.retain(is_seen);
    if let Some(filter) = asked.filter.as_deref() {
        let words = name_words(filter);
        records.retain(|record| is_meant(register, record, filter, &words));
    }
    let first = register.fields.iter().position(|field| field.searched);
    records
        .sort_by_cached_key(|record| (first.and_then(|at| text(&record.values[at])).map(fold), record.code));
    let total = records.len() as i64;
    let before = usize::try_from(offset(asked)).unwrap_or(usize::MAX);
    let records: Vec<Record> = records.into_iter().skip(before).take(PAGE as usize).collect();
    Ok((records, total, seen.into_values().flatten().flatten().collect()))
}

/// Any number of records: only those of the page are read.
async fn by_beginnings(
    tx: &mut Tx,
    (register, names): (&'static Register, &[&str]),
    scope: &Scope,
    asked: &Asked,
) -> Result<Found, Error> {
    let narrowed = narrowed(register, asked);
    let narrowing = (&narrowed[..], asked.active);
    let filter =
        asked.filter.as_deref().map(|text| text.split_whitespace().collect::<String>().to_uppercase());
    let fields: Vec<&'static FieldSpec> =
        names.iter().filter_map(|name| register.field(name)).map(|(_, field)| field).collect();
    // By the first of the fields that finds anything.
    let (mut by, mut total) = (None, 0);
    match &filter {
        None => total = kept::count(tx, register, scope, None, narrowing).await?,
        Some(text) => {
            for field in fields {
                by = Some((field, text.as_str()));
                total = kept::count(tx, register, scope, by, narrowing).await?;
                if total > 0 {
                    break;
                }
            }
        }
    }
    let records = kept::page(tx, register, scope, by, narrowing, (PAGE, offset(asked))).await?;
    Ok((records, total, Vec::new()))
}

fn offset(asked: &Asked) -> i64 {
    (i64::from(asked.page) - 1) * PAGE
}

fn narrowed<'a>(register: &'static Register, asked: &'a Asked) -> Vec<Narrowed<'a>> {
    asked.fields.iter().map(|(at, value)| (&register.fields[*at], value)).collect()
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether a filter means a record: by its code, by beginnings of words, or by that of a number that it is known by.
fn is_meant(register: &Register, record: &Record, filter: &str, words: &[String]) -> bool {
    if filter.trim() == record.code.to_string() {
        return true;
    }
    let searched = register.fields.iter().zip(&record.values).filter(|(field, _)| field.searched);
    let texts: Vec<(&FieldSpec, &str)> =
        searched.filter_map(|(field, value)| Some((field, text(value)?))).collect();
    let all: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
    if !words.is_empty() && begins_words(words, &all.join(" ")) {
        return true;
    }
    let bare: String = filter.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_number = |kind: Kind| matches!(kind, Kind::Document | Kind::Phone | Kind::Serial { .. });
    bare.len() >= 3
        && texts.iter().any(|(field, text)| is_number(field.kind) && text.starts_with(&bare.to_uppercase()))
}
