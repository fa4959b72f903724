//! The records of every register that is described (`registers`), by statements made from its description. Names of tables and
//! columns come from there alone; what callers send is always a value.
//!
//! Registers that are part of what most calls need have a module of their own too, which reads them as those calls want them.

mod parts;

use crate::{Error, Row, Statement, Tx, Value as Kept, sql};
use domain::{Moment, Scope, TenantId, fold};
use parts::{parts, with_parts};
use registers::{FieldSpec, Kind, Register, Unique, Value, Within};

/// A record of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub code: i32,
    /// In the order of the description.
    pub values: Vec<Value>,
    pub active: bool,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// A field and the value that it must have.
pub type Narrowed<'v> = (&'static FieldSpec, &'v Value);

/// The records that the scope sees, where these fields have these values; by code. Those of a benefit or of a person are
/// given whoever may see him: that is for the caller to ask.
#[boxed::future]
pub async fn all(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    narrowed: &[Narrowed<'_>],
    active: Option<bool>,
) -> Result<Vec<Record>, Error> {
    let statement = narrow(select(register, scope), narrowed, active);
    let rows = tx.all(statement.ending(&format!("ORDER BY {}", register.key))).await?;
    let records = rows.iter().map(|row| record(register, row)).collect::<Result<Vec<_>, Error>>()?;
    with_parts(tx, register, scope.tenant(), records, None).await
}

#[boxed::future]
pub async fn find(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    code: i32,
) -> Result<Option<Record>, Error> {
    let statement = select(register, scope).then(&format!("AND {} = ?", register.key), [code]);
    let found = tx.one(statement).await?.map(|row| record(register, &row)).transpose()?;
    let all = with_parts(tx, register, scope.tenant(), found.into_iter().collect(), Some(code)).await?;
    Ok(all.into_iter().next())
}

/// Whether a record of this code is there, whoever sees it.
#[boxed::future]
pub async fn is_there(tx: &mut Tx, register: &Register, tenant: TenantId, code: i32) -> Result<bool, Error> {
    let statement = sql("SELECT 1 AS one FROM").ending(register.table).then("WHERE tenant = ?", [tenant]);
    Ok(tx.one(statement.then(&format!("AND {} = ?", register.key), [code])).await?.is_some())
}

/// How many records in use there are, besides this one, where these fields have these values.
#[boxed::future]
pub async fn others_in_use(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    code: i32,
    narrowed: &[Narrowed<'_>],
) -> Result<i64, Error> {
    let count =
        sql("SELECT COUNT(*) AS count FROM").ending(register.table).then("WHERE tenant = ?", [tenant]);
    let count = count.then(&format!("AND {} <> ?", register.key), [code]);
    let row = tx.one(narrow(count, narrowed, Some(true))).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// The code of another record that has alike what no two may have.
#[boxed::future]
pub async fn alike(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    unique: &Unique,
    values: &[Value],
    except: Option<i32>,
) -> Result<Option<i32>, Error> {
    let own = |name: &&str| register.field(name).map(|(at, field)| (field, &values[at]));
    let wanted: Vec<Narrowed<'_>> = unique.fields.iter().filter_map(own).collect();
    let [(first, value), ..] = wanted[..] else { return Ok(None) };
    // What is not said is like nothing.
    let Value::Text(text) = value else { return Ok(None) };
    let equal = if unique.folded { &wanted[1..] } else { &wanted[..] };
    let statement = sql("SELECT").ending(&format!("{} AS code, {} AS name", register.key, first.column));
    let statement = statement.ending(&format!("FROM {}", register.table)).then("WHERE tenant = ?", [tenant]);
    let rows = tx.all(narrow(statement, equal, None).ending(&format!("ORDER BY {}", register.key))).await?;
    let folded = fold(text);
    for row in &rows {
        let (code, name): (i32, String) = (row.get("code")?, row.get("name")?);
        if Some(code) != except && (!unique.folded || fold(&name) == folded) {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

/// A page of those whose value of a field begins with a text, in the order of that field; without a text, of all, by code.
#[boxed::future]
pub async fn page(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (narrowed, active): (&[Narrowed<'_>], Option<bool>),
    (limit, offset): (i64, i64),
) -> Result<Vec<Record>, Error> {
    let statement = narrow(select(register, scope), narrowed, active);
    let key = register.key;
    let statement = match beginning {
        Some((field, text)) => begins(statement, field, text)
            .then(&format!("ORDER BY {}, {key} LIMIT ? OFFSET ?", field.column), [limit, offset]),
        None => statement.then(&format!("ORDER BY {key} LIMIT ? OFFSET ?"), [limit, offset]),
    };
    let rows = tx.all(statement).await?;
    rows.iter().map(|row| record(register, row)).collect()
}

/// How many [`page`] has in all.
#[boxed::future]
pub async fn count(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (narrowed, active): (&[Narrowed<'_>], Option<bool>),
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM").ending(register.table);
    let statement = narrow(within(statement, register, scope), narrowed, active);
    let statement = match beginning {
        Some((field, text)) => begins(statement, field, text),
        None => statement,
    };
    tx.one(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// How many records in use the scope sees, counted to `most` and no further.
#[boxed::future]
pub async fn counted(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    most: i64,
) -> Result<i64, Error> {
    let some = sql("SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM").ending(register.table);
    let some = narrow(within(some, register, scope), &[], Some(true));
    let row = tx.one(some.then("LIMIT ?) AS few", [most])).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// Texts compare by their bytes, and nothing that is kept has a character behind this one.
fn begins(statement: Statement, field: &FieldSpec, text: &str) -> Statement {
    let column = field.column;
    let ends = [text.to_owned(), format!("{text}\u{10FFFF}")];
    statement.then(&format!("AND {column} >= ? AND {column} < ?"), ends)
}

#[boxed::future]
pub async fn insert(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[Value], bool),
    now: Moment,
) -> Result<(), Error> {
    tx.batch(insertion(register, tenant, (code, values, active), now)).await
}

/// The statements that write a new record.
pub fn insertion(
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[Value], bool),
    now: Moment,
) -> Vec<Statement> {
    let mut names = vec!["tenant", register.key];
    let mut row: Vec<Kept> = vec![tenant.into(), code.into()];
    for (name, value) in columns(register, values) {
        names.push(name);
        row.push(value);
    }
    names.extend(["active", "version", "created_at", "updated_at"]);
    row.extend([active.into(), 1.into(), now.into(), now.into()]);
    let head = format!("{} ({}) VALUES", register.table, names.join(", "));
    let insert = sql("INSERT INTO").ending(&head).rows([row]);
    std::iter::once(insert).chain(parts(register, tenant, code, values)).collect()
}

/// Writes a record anew, as its next version.
#[boxed::future]
pub async fn update(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[Value], bool),
    now: Moment,
) -> Result<(), Error> {
    let mut statement = sql("UPDATE").ending(&format!("{} SET", register.table));
    for (name, value) in columns(register, values) {
        statement = statement.then(&format!("{name} = ?,"), [value]);
    }
    let statement = statement
        .then("active = ?, version = version + 1,", [active])
        .then("updated_at = ?", [now])
        .then("WHERE tenant = ?", [tenant])
        .then(&format!("AND {} = ?", register.key), [code]);
    let mut all = vec![statement];
    for rows in register.fields.iter().filter_map(FieldSpec::rows) {
        let gone = sql("DELETE FROM").ending(rows.table).then("WHERE tenant = ?", [tenant]);
        all.push(gone.then(&format!("AND {} = ?", rows.own), [code]));
    }
    all.extend(parts(register, tenant, code, values));
    tx.batch(all).await
}

fn select(register: &Register, scope: &Scope) -> Statement {
    let own = register.fields.iter().filter(|field| field.is_column()).map(|field| field.column);
    let names: Vec<&str> = std::iter::once(register.key)
        .chain(own)
        .chain(["active", "version", "created_at", "updated_at"])
        .collect();
    let statement = sql("SELECT").ending(&names.join(", ")).ending("FROM").ending(register.table);
    within(statement, register, scope)
}

fn within(statement: Statement, register: &Register, scope: &Scope) -> Statement {
    let statement = statement.then("WHERE tenant = ?", [scope.tenant()]);
    match register.within {
        Within::Branch(column) => statement.scoped(column, scope.branches()),
        Within::Base | Within::Benefit | Within::Person => statement,
    }
}

fn narrow(statement: Statement, narrowed: &[Narrowed<'_>], active: Option<bool>) -> Statement {
    let narrowed = narrowed.iter().fold(statement, |statement, (field, value)| match kept(value) {
        Kept::Null => statement.ending(&format!("AND {} IS NULL", field.column)),
        value => statement.then(&format!("AND {} = ?", field.column), [value]),
    });
    match active {
        Some(true) => narrowed.ending("AND active"),
        Some(false) => narrowed.ending("AND NOT active"),
        None => narrowed,
    }
}

/// The columns of a record with their values.
fn columns<'v>(
    register: &'static Register,
    values: &'v [Value],
) -> impl Iterator<Item = (&'static str, Kept)> + 'v {
    let own = register.fields.iter().zip(values).filter(|(field, _)| field.is_column());
    own.flat_map(|(field, value)| {
        let folded = field.folded.map(|column| match value {
            Value::Text(text) => (column, fold(text).into()),
            _ => (column, Kept::Null),
        });
        std::iter::once((field.column, kept(value))).chain(folded)
    })
}

fn kept(value: &Value) -> Kept {
    match value {
        Value::Nothing | Value::Codes(_) => Kept::Null,
        Value::Number(number) => (*number).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Lines(lines) if lines.is_empty() => Kept::Null,
        Value::Lines(lines) => lines.join("\n").into(),
    }
}

fn record(register: &Register, row: &Row) -> Result<Record, Error> {
    let values = register.fields.iter().map(|field| value(field, row)).collect::<Result<Vec<_>, Error>>()?;
    Ok(Record {
        code: row.get(register.key)?,
        values,
        active: row.get("active")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn value(field: &FieldSpec, row: &Row) -> Result<Value, Error> {
    if !field.is_column() {
        return Ok(Value::Nothing);
    }
    let column = field.column;
    let read = match field.kind {
        Kind::Flag => row.get::<Option<bool>>(column)?.map(Value::Flag),
        Kind::Integer { .. }
        | Kind::Money
        | Kind::Choice(_)
        | Kind::Reference(_)
        | Kind::Benefit
        | Kind::Person => row.get::<Option<i64>>(column)?.map(Value::Number),
        Kind::Lines { .. } => {
            let text: Option<String> = row.get(column)?;
            text.map(|text| Value::Lines(text.lines().map(str::to_owned).collect()))
        }
        _ => row.get::<Option<String>>(column)?.map(Value::Text),
    };
    Ok(read.unwrap_or(Value::Nothing))
}

/// Removes a record to which nothing refers.
#[boxed::future]
pub async fn remove(tx: &mut Tx, register: &Register, tenant: TenantId, code: i32) -> Result<(), Error> {
    let statement = sql("DELETE FROM").ending(register.table).then("WHERE tenant = ?", [tenant]);
    tx.execute(statement.then(&format!("AND {} = ?", register.key), [code])).await.map(drop)
}

/// What of the association names a plan, or a seller. Asked for only where one is to be removed again; the last of these walk
/// a table, for what is named in a text has no index.
#[boxed::future]
pub async fn named_by(
    tx: &mut Tx,
    table: &str,
    tenant: TenantId,
    code: i32,
) -> Result<Option<&'static str>, Error> {
    let by = |text: &'static str| sql(text).arg(tenant).arg(code);
    let part = |text: &'static str| sql(text).arg(tenant).arg(format!("% {code} %"));
    let (asked, words) = match table {
        "plans" => (
            vec![
                by("SELECT 1 AS one FROM items WHERE tenant = $1 AND plan = $2 LIMIT 1"),
                part(
                    "SELECT 1 AS one FROM dependents WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1",
                ),
                part("SELECT 1 AS one FROM deals WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1"),
            ],
            vec!["benefícios", "dependentes", "negócios"],
        ),
        _ => (
            vec![
                by("SELECT 1 AS one FROM listing WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                by("SELECT 1 AS one FROM listing WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                // Whose benefits have others of their own.
                by("SELECT 1 AS one FROM people WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                by("SELECT 1 AS one FROM people WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                by("SELECT 1 AS one FROM leads WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
            ],
            vec!["associados", "associados", "associados", "associados", "leads"],
        ),
    };
    let found = tx.each(asked).await?;
    Ok(found.iter().zip(words).find(|(rows, _)| !rows.is_empty()).map(|(_, word)| word))
}

/// Takes what only one of several may have from the others: those where these fields have these values.
#[boxed::future]
pub async fn take_from_others(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, flag): (i32, &FieldSpec),
    narrowed: &[Narrowed<'_>],
    now: Moment,
) -> Result<(), Error> {
    let head = format!("{} SET {} = FALSE, version = version + 1,", register.table, flag.column);
    let statement =
        sql("UPDATE").ending(&head).then("updated_at = ?", [now]).then("WHERE tenant = ?", [tenant]);
    let statement = statement.then(&format!("AND {} <> ?", register.key), [code]);
    let statement = narrow(statement, narrowed, None).ending(&format!("AND {}", flag.column));
    tx.execute(statement).await.map(drop)
}
