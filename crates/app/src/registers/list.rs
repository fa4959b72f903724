//! Lists and reads of records visible to the caller.

use super::StoredRecord;
use super::save::RecordOwner;
use crate::audit::access_log::record_access;
use crate::register_snapshot::load_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BenefitCode, PAGE_SIZE, PersonCode, RegisterProblem, Rejection, Scope, TimeZone,
    fold_text, has_word_beginnings, split_name_words,
};
use registers::{FieldContent, FieldSpec, FieldType, RecordVisibility, Register, SearchMethod};
use std::collections::BTreeMap;
use storage::registers::{self as stored_registers, FieldCondition};
use storage::{Tx, benefits, members};
use wire::register::RecordListQuery;

pub struct RecordPage {
    pub records: Vec<StoredRecord>,
    pub number: i32,
    /// The number of records on all pages.
    pub total: i64,
    pub zone: TimeZone,
    people: Vec<PersonCode>,
}

/// A page of matching records.
#[boxed::future]
pub async fn list_records(
    app: &App,
    caller: &Session,
    register: &'static Register,
    query: RecordListQuery,
) -> Result<RecordPage, Error> {
    if register.needs_filter && query.fields.is_empty() {
        let problem = RegisterProblem::NoFilter(register.filters);
        return Err(Rejection::Register { field: register.filters[0], problem }.into());
    }
    let zone = load_registers(app, caller.scope.tenant()).await?.zone.clone();
    let input = (register, caller.scope.clone(), query, zone);
    let page = app.db.read(input, |tx, (register, scope, query, zone)| {
        let register: &'static Register = register;
        Box::pin(async move {
            let (records, total, people) = match register.search {
                SearchMethod::Words => search_by_words(tx, register, scope, query).await?,
                SearchMethod::Beginnings(names) => {
                    search_by_prefix(tx, (register, names), scope, query).await?
                }
            };
            Ok::<_, Error>(RecordPage { records, number: query.page, total, zone: zone.clone(), people })
        })
    });
    let page = page.await?;
    record_access(
        app,
        caller,
        AuditedOperation::Register(register.words.list.operation),
        page.people.iter().copied(),
    )?;
    Ok(page)
}

/// One record, with the time zone for its moments.
#[boxed::future]
pub async fn read_record(
    app: &App,
    caller: &Session,
    register: &'static Register,
    code: i32,
) -> Result<(StoredRecord, TimeZone), Error> {
    let zone = load_registers(app, caller.scope.tenant()).await?.zone.clone();
    let input = (register, caller.scope.clone(), code);
    let found = app.db.read(input, |tx, (register, scope, code)| {
        let register: &'static Register = register;
        Box::pin(find_visible_record(tx, register, scope, *code))
    });
    let (record, owner) = found.await?.ok_or_else(|| reject_unknown_record(register, code))?;
    record_access(app, caller, AuditedOperation::Register(register.words.read.operation), owner.into_iter())?;
    Ok((record, zone))
}

/// A record as an option of a selection list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordChoice {
    pub code: i32,
    pub name: String,
    pub active: bool,
    /// In the order of the register's fields.
    pub values: Vec<FieldContent>,
}

/// All records of a register of at most a few thousand, as options, by name.
#[boxed::future]
pub async fn list_choices(
    app: &App,
    caller: &Session,
    register: &'static Register,
) -> Result<Vec<RecordChoice>, Error> {
    if register.search != SearchMethod::Words || register.needs_filter {
        return Ok(Vec::new());
    }
    let read = app.db.read((register, caller.scope.clone()), |tx, (register, scope)| {
        let register: &'static Register = register;
        Box::pin(stored_registers::list_records(tx, register, scope, &[], None))
    });
    let named = read.await?.into_iter().map(|record| RecordChoice {
        code: record.code,
        name: record
            .values
            .first()
            .and_then(read_text)
            .map_or_else(|| record.code.to_string(), str::to_owned),
        active: record.active,
        values: record.values,
    });
    let mut named: Vec<RecordChoice> = named.collect();
    named.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    Ok(named)
}

/// Records of one register are counted up to this number.
pub const LARGEST_EXACT_COUNT: i64 = 1_000;

/// The number of active records visible to the caller, per register; `None` for one that requires a filter.
#[boxed::future]
pub async fn count_records(
    app: &App,
    caller: &Session,
) -> Result<Vec<(&'static Register, Option<i64>)>, Error> {
    app.db
        .read(caller.scope.clone(), |tx, scope| {
            Box::pin(async move {
                let mut all = Vec::new();
                for register in registers::REGISTERS {
                    let count = match register.needs_filter {
                        true => None,
                        false => Some(
                            stored_registers::count_active_records_up_to(
                                tx,
                                register,
                                scope,
                                LARGEST_EXACT_COUNT + 1,
                            )
                            .await?,
                        ),
                    };
                    all.push((register, count));
                }
                Ok::<_, Error>(all)
            })
        })
        .await
}

pub(super) fn reject_unknown_record(register: &Register, code: i32) -> Error {
    let problem = RegisterProblem::NotThere { what: register.words.the_one, code };
    Error::NoRecord(Rejection::Register { field: register.code, problem })
}

/// A record visible to the scope, and the person whose data it is.
pub(super) async fn find_visible_record(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    code: i32,
) -> Result<Option<(StoredRecord, RecordOwner)>, Error> {
    let Some(record) = stored_registers::find_record(tx, register, scope, code).await? else {
        return Ok(None);
    };
    Ok(find_record_owner(tx, register, scope, &record).await?.map(|owner| (record, owner)))
}

/// The person whose data a record is, if the scope sees it; most registers have none.
async fn find_record_owner(
    tx: &mut Tx,
    register: &Register,
    scope: &Scope,
    record: &StoredRecord,
) -> Result<Option<RecordOwner>, Error> {
    let Some(parent) = read_parent_code(register, record) else { return Ok(Some(None)) };
    Ok(match register.within {
        RecordVisibility::Benefit => {
            let benefit = benefits::find_benefit(&mut *tx, scope, BenefitCode::new(parent)).await?;
            benefit.map(|benefit| Some(benefit.person))
        }
        RecordVisibility::Person => {
            let person = PersonCode::new(parent);
            members::is_person_visible(tx, scope, person).await?.then_some(Some(person))
        }
        RecordVisibility::Base | RecordVisibility::Branch(_) => Some(None),
    })
}

/// The code of the benefit or person a record belongs to, from its first field.
fn read_parent_code(register: &Register, record: &StoredRecord) -> Option<i32> {
    match (register.within, record.values.first()) {
        (RecordVisibility::Benefit | RecordVisibility::Person, Some(FieldContent::Number(code))) => {
            i32::try_from(*code).ok()
        }
        _ => None,
    }
}

type FoundRecords = (Vec<StoredRecord>, i64, Vec<PersonCode>);

/// For at most a few thousand records: compares all of them, identically on both engines.
async fn search_by_words(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    query: &RecordListQuery,
) -> Result<FoundRecords, Error> {
    let mut records =
        stored_registers::list_records(tx, register, scope, &build_narrowing(register, query), query.active)
            .await?;
    let mut owners: BTreeMap<i32, Option<RecordOwner>> = BTreeMap::new();
    for record in &records {
        if let Some(parent) = read_parent_code(register, record)
            && !owners.contains_key(&parent)
        {
            owners.insert(parent, find_record_owner(tx, register, scope, record).await?);
        }
    }
    let is_visible = |record: &StoredRecord| {
        read_parent_code(register, record).is_none_or(|one| owners.get(&one).is_some_and(Option::is_some))
    };
    records.retain(is_visible);
    if let Some(filter) = query.filter.as_deref() {
        let words = split_name_words(filter);
        records.retain(|record| is_matching_record(register, record, filter, &words));
    }
    let first = register.fields.iter().position(|field| field.searched);
    records.sort_by_cached_key(|record| {
        (first.and_then(|at| read_text(&record.values[at])).map(fold_text), record.code)
    });
    let total = records.len() as i64;
    let before = usize::try_from(compute_offset(query)).unwrap_or(usize::MAX);
    let records: Vec<StoredRecord> = records.into_iter().skip(before).take(PAGE_SIZE as usize).collect();
    Ok((records, total, owners.into_values().flatten().flatten().collect()))
}

/// For any number of records: reads only those of the page.
async fn search_by_prefix(
    tx: &mut Tx,
    (register, names): (&'static Register, &[&str]),
    scope: &Scope,
    query: &RecordListQuery,
) -> Result<FoundRecords, Error> {
    let narrowed = build_narrowing(register, query);
    let narrowing = (&narrowed[..], query.active);
    let filter =
        query.filter.as_deref().map(|text| text.split_whitespace().collect::<String>().to_uppercase());
    let fields: Vec<&'static FieldSpec> =
        names.iter().filter_map(|name| register.find_field(name)).map(|(_, field)| field).collect();
    // The first field with a match decides.
    let (mut prefix, mut total) = (None, 0);
    match &filter {
        None => total = stored_registers::count_records(tx, register, scope, None, narrowing).await?,
        Some(text) => {
            for field in fields {
                prefix = Some((field, text.as_str()));
                total = stored_registers::count_records(tx, register, scope, prefix, narrowing).await?;
                if total > 0 {
                    break;
                }
            }
        }
    }
    let records = stored_registers::list_record_page(
        tx,
        register,
        scope,
        prefix,
        narrowing,
        (PAGE_SIZE, compute_offset(query)),
    )
    .await?;
    Ok((records, total, Vec::new()))
}

fn compute_offset(query: &RecordListQuery) -> i64 {
    (i64::from(query.page) - 1) * PAGE_SIZE
}

fn build_narrowing<'a>(register: &'static Register, query: &'a RecordListQuery) -> Vec<FieldCondition<'a>> {
    query.fields.iter().map(|(at, value)| (&register.fields[*at], value)).collect()
}

fn read_text(value: &FieldContent) -> Option<&str> {
    match value {
        FieldContent::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether a record matches the filter: by code, by prefixes of words, or by prefix of an identifying number.
fn is_matching_record(register: &Register, record: &StoredRecord, filter: &str, words: &[String]) -> bool {
    if filter.trim() == record.code.to_string() {
        return true;
    }
    let searched = register.fields.iter().zip(&record.values).filter(|(field, _)| field.searched);
    let texts: Vec<(&FieldSpec, &str)> =
        searched.filter_map(|(field, value)| Some((field, read_text(value)?))).collect();
    let all: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
    if !words.is_empty() && has_word_beginnings(words, &all.join(" ")) {
        return true;
    }
    let bare: String = filter.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_number =
        |kind: FieldType| matches!(kind, FieldType::Document | FieldType::Phone | FieldType::Serial { .. });
    bare.len() >= 3
        && texts.iter().any(|(field, text)| is_number(field.kind) && text.starts_with(&bare.to_uppercase()))
}
