//! Records of every register described in `registers`, with statements built from the description. Table and column
//! names come only from there; input from callers is always bound as a value.
//!
//! Registers that most requests need also have a module of their own with specialized reads.

pub mod additional_fields;
pub mod branches;
pub mod claim_types;
pub mod clinics;
pub mod doctors;
pub mod due_days;
pub mod funnels;
pub mod inspection_types;
pub mod plans;
pub mod sellers;
pub mod situations;
pub mod specialties;
pub mod suppliers;
pub mod ticket_types;
pub mod vehicle_types;

mod child_tables;

use crate::{Error, Row, SqlScalar, Statement, Tx, sql};
use child_tables::{build_part_inserts, load_record_parts};
use domain::{Date, Moment, Money, ReferenceKind, Scope, TenantId, fold_text};
use registers::{FieldContent, FieldSpec, FieldType, RecordVisibility, Register, UniqueConstraint};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    pub code: i32,
    /// In the order of the description.
    pub values: Vec<FieldContent>,
    pub active: bool,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// A field and its required value.
pub type FieldCondition<'v> = (&'static FieldSpec, &'v FieldContent);

/// The records in the scope that match these fields, ordered by code. For records of a benefit or a person, the
/// caller checks whether that one is visible.
#[boxed::future]
pub async fn list_records(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    conditions: &[FieldCondition<'_>],
    active: Option<bool>,
) -> Result<Vec<StoredRecord>, Error> {
    let statement = filter_by_conditions(select_records(register, scope), conditions, active);
    let rows = tx.fetch_all(statement.append_text(&format!("ORDER BY {}", register.key))).await?;
    let records =
        rows.iter().map(|row| parse_record_row(register, row)).collect::<Result<Vec<_>, Error>>()?;
    load_record_parts(tx, register, scope.tenant(), records, None).await
}

#[boxed::future]
pub async fn find_record(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    code: i32,
) -> Result<Option<StoredRecord>, Error> {
    let statement = select_records(register, scope).append(&format!("AND {} = ?", register.key), [code]);
    let found =
        tx.fetch_optional(statement).await?.map(|row| parse_record_row(register, &row)).transpose()?;
    let all =
        load_record_parts(tx, register, scope.tenant(), found.into_iter().collect(), Some(code)).await?;
    Ok(all.into_iter().next())
}

/// Whether a record of this code exists, regardless of scope.
#[boxed::future]
pub async fn has_record(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    code: i32,
) -> Result<bool, Error> {
    let statement =
        sql("SELECT 1 AS one FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    Ok(tx.fetch_optional(statement.append(&format!("AND {} = ?", register.key), [code])).await?.is_some())
}

/// How many other active records match these fields.
#[boxed::future]
pub async fn count_other_active_records(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    code: i32,
    conditions: &[FieldCondition<'_>],
) -> Result<i64, Error> {
    let count =
        sql("SELECT COUNT(*) AS count FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    let count = count.append(&format!("AND {} <> ?", register.key), [code]);
    let row = tx.fetch_optional(filter_by_conditions(count, conditions, Some(true))).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// The code of another record that violates a unique constraint with these values.
#[boxed::future]
pub async fn find_duplicate_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    unique: &UniqueConstraint,
    values: &[FieldContent],
    except: Option<i32>,
) -> Result<Option<i32>, Error> {
    let find_condition = |name: &&str| register.find_field(name).map(|(at, field)| (field, &values[at]));
    let conditions: Vec<FieldCondition<'_>> = unique.fields.iter().filter_map(find_condition).collect();
    let [(first, value), ..] = conditions[..] else { return Ok(None) };
    // A missing value is never a duplicate.
    let FieldContent::Text(text) = value else { return Ok(None) };
    let equal = if unique.folded { &conditions[1..] } else { &conditions[..] };
    let statement = sql("SELECT").append_text(&format!("{} AS code, {} AS name", register.key, first.column));
    let statement =
        statement.append_text(&format!("FROM {}", register.table)).append("WHERE tenant = ?", [tenant]);
    let rows = tx
        .fetch_all(
            filter_by_conditions(statement, equal, None).append_text(&format!("ORDER BY {}", register.key)),
        )
        .await?;
    let folded = fold_text(text);
    for row in &rows {
        let (code, name): (i32, String) = (row.get("code")?, row.get("name")?);
        if Some(code) != except && (!unique.folded || fold_text(&name) == folded) {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

/// A page of the records whose field starts with a text, ordered by that field; without a text, of all records,
/// ordered by code.
#[boxed::future]
pub async fn list_record_page(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (conditions, active): (&[FieldCondition<'_>], Option<bool>),
    (limit, offset): (i64, i64),
) -> Result<Vec<StoredRecord>, Error> {
    let statement = filter_by_conditions(select_records(register, scope), conditions, active);
    let key = register.key;
    let statement = match beginning {
        Some((field, text)) => filter_by_prefix(statement, field, text)
            .append(&format!("ORDER BY {}, {key} LIMIT ? OFFSET ?", field.column), [limit, offset]),
        None => statement.append(&format!("ORDER BY {key} LIMIT ? OFFSET ?"), [limit, offset]),
    };
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| parse_record_row(register, row)).collect()
}

/// The total of [`list_record_page`].
#[boxed::future]
pub async fn count_records(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (conditions, active): (&[FieldCondition<'_>], Option<bool>),
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM").append_text(register.table);
    let statement = filter_by_conditions(filter_by_scope(statement, register, scope), conditions, active);
    let statement = match beginning {
        Some((field, text)) => filter_by_prefix(statement, field, text),
        None => statement,
    };
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// How many active records are in the scope, counted up to `most`.
#[boxed::future]
pub async fn count_active_records_up_to(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    most: i64,
) -> Result<i64, Error> {
    let query = sql("SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM").append_text(register.table);
    let query = filter_by_conditions(filter_by_scope(query, register, scope), &[], Some(true));
    let row = tx.fetch_optional(query.append("LIMIT ?) AS few", [most])).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// Texts compare by bytes, and no stored text contains this character, which sorts last.
fn filter_by_prefix(statement: Statement, field: &FieldSpec, text: &str) -> Statement {
    let column = field.column;
    let ends = [text.to_owned(), format!("{text}\u{10FFFF}")];
    statement.append(&format!("AND {column} >= ? AND {column} < ?"), ends)
}

#[boxed::future]
pub async fn insert_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Result<(), Error> {
    tx.execute_batch(build_record_inserts(register, tenant, (code, values, active), now)).await
}

/// The statements that insert a record.
pub fn build_record_inserts(
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Vec<Statement> {
    let mut names = vec!["tenant", register.key];
    let mut row: Vec<SqlScalar> = vec![tenant.into(), code.into()];
    for (name, value) in build_record_columns(register, values) {
        names.push(name);
        row.push(value);
    }
    names.extend(["active", "version", "created_at", "updated_at"]);
    row.extend([active.into(), 1.into(), now.into(), now.into()]);
    let head = format!("{} ({}) VALUES", register.table, names.join(", "));
    let insert = sql("INSERT INTO").append_text(&head).append_rows([row]);
    std::iter::once(insert).chain(build_part_inserts(register, tenant, code, values)).collect()
}

/// Updates a record and raises its version.
#[boxed::future]
pub async fn update_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Result<(), Error> {
    let mut statement = sql("UPDATE").append_text(&format!("{} SET", register.table));
    for (name, value) in build_record_columns(register, values) {
        statement = statement.append(&format!("{name} = ?,"), [value]);
    }
    let statement = statement
        .append("active = ?, version = version + 1,", [active])
        .append("updated_at = ?", [now])
        .append("WHERE tenant = ?", [tenant])
        .append(&format!("AND {} = ?", register.key), [code]);
    let mut all = vec![statement];
    for rows in register.fields.iter().filter_map(FieldSpec::part_table) {
        let deletion = sql("DELETE FROM").append_text(rows.table).append("WHERE tenant = ?", [tenant]);
        all.push(deletion.append(&format!("AND {} = ?", rows.record_column), [code]));
    }
    all.extend(build_part_inserts(register, tenant, code, values));
    tx.execute_batch(all).await
}

fn select_records(register: &Register, scope: &Scope) -> Statement {
    let field_columns = register.fields.iter().filter(|field| field.is_column()).map(|field| field.column);
    let names: Vec<&str> = std::iter::once(register.key)
        .chain(field_columns)
        .chain(["active", "version", "created_at", "updated_at"])
        .collect();
    let statement =
        sql("SELECT").append_text(&names.join(", ")).append_text("FROM").append_text(register.table);
    filter_by_scope(statement, register, scope)
}

fn filter_by_scope(statement: Statement, register: &Register, scope: &Scope) -> Statement {
    let statement = statement.append("WHERE tenant = ?", [scope.tenant()]);
    match register.within {
        RecordVisibility::Branch(column) => statement.filter_branches(column, scope.branches()),
        RecordVisibility::Base | RecordVisibility::Benefit | RecordVisibility::Person => statement,
    }
}

fn filter_by_conditions(
    statement: Statement,
    conditions: &[FieldCondition<'_>],
    active: Option<bool>,
) -> Statement {
    let filtered =
        conditions.iter().fold(statement, |statement, (field, value)| match encode_field_value(value) {
            SqlScalar::Null => statement.append_text(&format!("AND {} IS NULL", field.column)),
            value => statement.append(&format!("AND {} = ?", field.column), [value]),
        });
    match active {
        Some(true) => filtered.append_text("AND active"),
        Some(false) => filtered.append_text("AND NOT active"),
        None => filtered,
    }
}

/// The columns of a record with their values.
fn build_record_columns<'v>(
    register: &'static Register,
    values: &'v [FieldContent],
) -> impl Iterator<Item = (&'static str, SqlScalar)> + 'v {
    let column_fields = register.fields.iter().zip(values).filter(|(field, _)| field.is_column());
    column_fields.flat_map(|(field, value)| {
        let folded = field.folded.map(|column| match value {
            FieldContent::Text(text) => (column, fold_text(text).into()),
            _ => (column, SqlScalar::Null),
        });
        std::iter::once((field.column, encode_field_value(value))).chain(folded)
    })
}

fn encode_field_value(value: &FieldContent) -> SqlScalar {
    match value {
        FieldContent::Nothing | FieldContent::Codes(_) => SqlScalar::Null,
        FieldContent::Number(number) => (*number).into(),
        FieldContent::Money(money) => (*money).into(),
        FieldContent::Flag(flag) => (*flag).into(),
        FieldContent::Text(text) => text.as_str().into(),
        FieldContent::Date(date) => (*date).into(),
        FieldContent::Lines(lines) if lines.is_empty() => SqlScalar::Null,
        FieldContent::Lines(lines) => lines.join("\n").into(),
    }
}

fn parse_record_row(register: &Register, row: &Row) -> Result<StoredRecord, Error> {
    let values = register
        .fields
        .iter()
        .map(|field| parse_field_value(field, row))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(StoredRecord {
        code: row.get(register.key)?,
        values,
        active: row.get("active")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn parse_field_value(field: &FieldSpec, row: &Row) -> Result<FieldContent, Error> {
    if !field.is_column() {
        return Ok(FieldContent::Nothing);
    }
    let column = field.column;
    let read = match field.kind {
        FieldType::Flag => row.get::<Option<bool>>(column)?.map(FieldContent::Flag),
        FieldType::Integer { .. }
        | FieldType::Choice(_)
        | FieldType::Reference(_)
        | FieldType::Benefit
        | FieldType::Person => row.get::<Option<i64>>(column)?.map(FieldContent::Number),
        FieldType::Money => row.get::<Option<Money>>(column)?.map(FieldContent::Money),
        FieldType::Date => row.get::<Option<Date>>(column)?.map(FieldContent::Date),
        FieldType::Lines { .. } => {
            let text: Option<String> = row.get(column)?;
            text.map(|text| FieldContent::Lines(text.lines().map(str::to_owned).collect()))
        }
        _ => row.get::<Option<String>>(column)?.map(FieldContent::Text),
    };
    Ok(read.unwrap_or(FieldContent::Nothing))
}

/// Deletes a record that nothing references.
#[boxed::future]
pub async fn delete_record(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    code: i32,
) -> Result<(), Error> {
    let statement = sql("DELETE FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    tx.execute(statement.append(&format!("AND {} = ?", register.key), [code])).await.map(drop)
}

/// The first reference to a plan or seller that is found, if any. Used only to undo its creation; codes inside a text
/// have no index, so some of these queries scan a table.
#[boxed::future]
pub async fn find_record_reference(
    tx: &mut Tx,
    table: &str,
    tenant: TenantId,
    code: i32,
) -> Result<Option<ReferenceKind>, Error> {
    use ReferenceKind::{Benefits, Deals, Dependents, Leads, Members};
    let query = |text: &'static str| sql(text).arg(tenant).arg(code);
    let part = |text: &'static str| sql(text).arg(tenant).arg(format!("% {code} %"));
    let (queries, kinds) = match table {
        "plans" => (
            vec![
                query("SELECT 1 AS one FROM items WHERE tenant = $1 AND plan = $2 LIMIT 1"),
                part(
                    "SELECT 1 AS one FROM dependents WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1",
                ),
                part("SELECT 1 AS one FROM deals WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1"),
            ],
            vec![Benefits, Dependents, Deals],
        ),
        _ => (
            vec![
                query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                // Members whose benefits have other sellers.
                query("SELECT 1 AS one FROM people WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM people WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM leads WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
            ],
            vec![Members, Members, Members, Members, Leads],
        ),
    };
    let found = tx.fetch_each(queries).await?;
    Ok(found.iter().zip(kinds).find(|(rows, _)| !rows.is_empty()).map(|(_, kind)| kind))
}

/// Clears a flag that only one record may have, on the other records that match these fields.
#[boxed::future]
pub async fn clear_flag_of_others(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, flag): (i32, &FieldSpec),
    conditions: &[FieldCondition<'_>],
    now: Moment,
) -> Result<(), Error> {
    let head = format!("{} SET {} = FALSE, version = version + 1,", register.table, flag.column);
    let statement =
        sql("UPDATE").append_text(&head).append("updated_at = ?", [now]).append("WHERE tenant = ?", [tenant]);
    let statement = statement.append(&format!("AND {} <> ?", register.key), [code]);
    let statement =
        filter_by_conditions(statement, conditions, None).append_text(&format!("AND {}", flag.column));
    tx.execute(statement).await.map(drop)
}
