//! Writes the registers of a mirror: those that the source lists, and records that are only mentioned in other records.

use super::gone_from_source::deactivate_unlisted_records;
use super::write_batch::append_audit_entry;
use super::{NewMirrorNote, StoredMirror};
use app::register_snapshot::{TenantRegisters, reload_registers};
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, MirrorRecordConflict, Moment, Money, Scope, TenantId};
use registers::{FieldContent, FieldDefault, FieldRequirement, FieldSpec, FieldType, Register};
use std::collections::BTreeSet;
use std::sync::Arc;
use storage::exchange::mirrors;
use storage::server::counters;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane, registers as stored_registers};
use wire::mirror::{MISSING_NAME, describe_conflict};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredRegisterRecord {
    /// The register's path: `plano`.
    pub path: &'static str,
    /// `None` if the source names it without a code.
    pub code: Option<i32>,
    /// By field name; fields that are not given are kept.
    pub values: Vec<(&'static str, FieldContent)>,
    pub active: bool,
    /// Only inserted: an existing record is kept as it is.
    pub only_new: bool,
}

/// A complete list from the source: records that it does not contain are deactivated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterCodeList {
    pub path: &'static str,
    pub codes: Vec<i32>,
}

/// Writes register records and deactivates those missing from complete lists. Returns what changed.
#[boxed::future]
pub async fn write_registers(
    app: &App,
    mirror: &StoredMirror,
    records: Vec<MirroredRegisterRecord>,
    listed: Vec<RegisterCodeList>,
) -> Result<u64, Error> {
    let (tenant, now) = (mirror.tenant, app.now());
    let input = (tenant, records, listed, now);
    let lane = WriteLane::background(tenant);
    let (changed, new_version) = app
        .db
        .write(lane, input, |tx, (tenant, records, listed, now)| {
            Box::pin(write_register_batch(tx, *tenant, records, listed, *now))
        })
        .await?;
    if let Some(new_version) = new_version {
        app.versions.raise(tenant, new_version);
    }
    Ok(changed)
}

async fn write_register_batch(
    tx: &mut Tx,
    tenant: TenantId,
    records: &[MirroredRegisterRecord],
    listed: &[RegisterCodeList],
    now: Moment,
) -> Result<(u64, Option<CacheVersions>), Error> {
    let mut changed = 0;
    let mut written_codes = BTreeSet::new();
    for one in records {
        let outcome = upsert_register_record(tx, tenant, one, now).await?;
        changed += u64::from(outcome.is_changed);
        written_codes.extend(outcome.code.map(|code| (one.path, code)));
    }
    for list in listed {
        let stored_codes = written_codes.iter().filter(|(path, _)| *path == list.path).map(|(_, code)| *code);
        let named: BTreeSet<i32> = stored_codes.chain(list.codes.iter().copied()).collect();
        changed += deactivate_unlisted_records(tx, tenant, list.path, &named, now).await?;
    }
    if changed == 0 {
        return Ok((0, None));
    }
    append_audit_entry(
        tx,
        tenant,
        AuditedChange::from(AuditedAction::MirrorRegisters).with_argument(changed),
        now,
    )
    .await?;
    Ok((changed, Some(versions::raise_registers_version(tx, tenant).await?)))
}

/// The code of the record here, and whether it was changed.
pub(super) struct RegisterWriteOutcome {
    code: Option<i32>,
    is_changed: bool,
}

pub(super) async fn upsert_register_record(
    tx: &mut Tx,
    tenant: TenantId,
    record: &MirroredRegisterRecord,
    now: Moment,
) -> Result<RegisterWriteOutcome, Error> {
    let unchanged = |code| RegisterWriteOutcome { code: Some(code), is_changed: false };
    let changed = |code| RegisterWriteOutcome { code: Some(code), is_changed: true };
    let unknown = || Error::Defect(format!("there is no register {}", record.path));
    let register = registers::find_register(record.path).ok_or_else(unknown)?;
    let scope = Scope::for_tenant(tenant);
    let mut code = record.code.filter(|code| (register.codes.0..=register.codes.1).contains(code));
    let mut stored = match code {
        Some(code) => stored_registers::find_record(tx, register, &scope, code).await?,
        None => None,
    };
    if stored.as_ref().is_some_and(|stored| is_other_entity(register, &stored.values, record)) {
        insert_register_note(tx, tenant, register, record, MirrorRecordConflict::CodeTaken, now).await?;
        (code, stored) = (None, None);
    }
    let mut values = match &stored {
        Some(stored) => stored.values.clone(),
        None => build_blank_values(tx, tenant, register, code.unwrap_or(1)).await?,
    };
    for (name, value) in &record.values {
        if let Some((at, field)) = register.find_field(name)
            && !is_displayed_alike(register, field, &values[at], value)
        {
            values[at] = value.clone();
        }
    }
    registers::complete_values(register, &mut values);
    for unique in register.unique {
        if let Some(duplicate) =
            stored_registers::find_duplicate_record(tx, register, tenant, unique, &values, code).await?
        {
            if code.is_none() {
                return Ok(unchanged(duplicate));
            }
            if has_unique_index(register) {
                let conflict = MirrorRecordConflict::NameTaken(duplicate);
                insert_register_note(tx, tenant, register, record, conflict, now).await?;
                return Ok(unchanged(duplicate));
            }
        }
    }
    match stored {
        Some(stored) if record.only_new || (stored.values == values && stored.active == record.active) => {
            Ok(unchanged(stored.code))
        }
        Some(stored) => {
            stored_registers::update_record(tx, register, tenant, (stored.code, &values, record.active), now)
                .await?;
            Ok(changed(stored.code))
        }
        None => {
            let code = match (code, register.counter) {
                (Some(code), counter) => {
                    if let Some(counter) = counter {
                        counters::advance_register_counter(tx, tenant, counter, code).await?;
                    }
                    code
                }
                (None, Some(counter)) => counters::reserve_register_code(tx, tenant, counter).await?,
                (None, None) => return Ok(RegisterWriteOutcome { code: None, is_changed: false }),
            };
            stored_registers::insert_record(tx, register, tenant, (code, &values, record.active), now)
                .await?;
            Ok(changed(code))
        }
    }
}

/// Names of situations and additional fields are unique in the database too.
fn has_unique_index(register: &Register) -> bool {
    matches!(register.path, "situacao" | "campoAdicional")
}

/// Situations of all entities share one code range, but the source lists only those of benefits.
fn is_other_entity(
    register: &'static Register,
    stored_values: &[FieldContent],
    record: &MirroredRegisterRecord,
) -> bool {
    let Some((at, _)) = register.find_field("entidade") else { return false };
    record.values.iter().any(|(name, value)| *name == "entidade" && stored_values[at] != *value)
}

/// The API returns situation names in upper case: a name that is displayed alike is kept.
fn is_displayed_alike(
    register: &Register,
    field: &FieldSpec,
    stored: &FieldContent,
    mirrored: &FieldContent,
) -> bool {
    match (register.path, field.name, stored, mirrored) {
        ("situacao", "nome", FieldContent::Text(stored), FieldContent::Text(mirrored)) => {
            stored.to_uppercase() == mirrored.to_uppercase()
        }
        (_, _, FieldContent::Nothing, FieldContent::Lines(mirrored)) => mirrored.is_empty(),
        _ => stored == mirrored,
    }
}

/// The default values of a new record.
async fn build_blank_values(
    tx: &mut Tx,
    tenant: TenantId,
    register: &'static Register,
    code: i32,
) -> Result<Vec<FieldContent>, Error> {
    let mut values = Vec::with_capacity(register.fields.len());
    for field in register.fields {
        values.push(match (field.need, field.kind) {
            (FieldRequirement::Default(FieldDefault::Flag(flag)), _) => FieldContent::Flag(flag),
            (FieldRequirement::Default(FieldDefault::Number(number)), _) => FieldContent::Number(number),
            (FieldRequirement::Default(FieldDefault::Code), _) => FieldContent::Number(code.into()),
            (FieldRequirement::Optional, _) => FieldContent::Nothing,
            (FieldRequirement::Required, FieldType::Money) => FieldContent::Money(Money::default()),
            (FieldRequirement::Required, FieldType::Choice(names)) => {
                FieldContent::Number(names.last().map_or(0, |(first, _)| *first))
            }
            (FieldRequirement::Required, FieldType::Colour) => FieldContent::Text("5F6368".to_owned()),
            (FieldRequirement::Required, FieldType::Reference("loja")) => {
                let first =
                    storage::registers::branches::list_visible_branches(&mut *tx, &Scope::for_tenant(tenant))
                        .await?;
                let least = first.iter().map(|one| one.code).min();
                least.map_or(FieldContent::Nothing, |code| FieldContent::Number(code.get().into()))
            }
            (FieldRequirement::Required, _) => FieldContent::Text(MISSING_NAME.to_owned()),
        });
    }
    Ok(values)
}

async fn insert_register_note(
    tx: &mut Tx,
    tenant: TenantId,
    register: &'static Register,
    record: &MirroredRegisterRecord,
    conflict: MirrorRecordConflict,
    now: Moment,
) -> Result<(), Error> {
    let note = NewMirrorNote {
        kind: register.path,
        record: record.code.unwrap_or(0),
        field: register.code.to_owned(),
        reason: describe_conflict(conflict),
    };
    Ok(tx.execute_batch(mirrors::upsert_mirror_notes(tenant, &[note], now)).await?)
}

/// Stores notes about records that were not written.
#[boxed::future]
pub async fn write_notes(app: &App, mirror: &StoredMirror, notes: Vec<NewMirrorNote>) -> Result<(), Error> {
    let input = (mirror.tenant, notes, app.now());
    let lane = WriteLane::background(mirror.tenant);
    app.db
        .write(lane, input, |tx, (tenant, notes, now)| {
            Box::pin(async move {
                Ok::<_, Error>(tx.execute_batch(mirrors::upsert_mirror_notes(*tenant, notes, *now)).await?)
            })
        })
        .await
}

#[boxed::future]
pub async fn load_current_registers(app: &App, tenant: TenantId) -> Result<Arc<TenantRegisters>, Error> {
    reload_registers(app, tenant).await
}
