//! Bringing a database to the newest schema, one process at a time.

use super::connector::{Connector, Generations};
use super::startup_lock;
use crate::db::Failure;
use crate::engine::{Address, Options, Schema, dialect, judge};
use crate::migrations::{self, Applied, Migrated, Migration, Names};
use crate::{Error, OpenError, names, sql};
use domain::{PersonCode, TenantId, name_words};
use std::collections::BTreeSet;
use std::time::Duration;

/// A migration may take its time.
const PATIENCE: Duration = Duration::from_secs(3600);

#[boxed::future]
pub async fn migrate(
    config: &tokio_postgres::Config,
    options: &Options,
    schema: Schema,
) -> Result<Migrated, OpenError> {
    let place = Address::Postgres(Box::new(config.clone())).to_string();
    let unreachable =
        |error: Error| OpenError::Unreachable { place: place.clone(), cause: error.to_string() };
    let patient = Options { unit_timeout: PATIENCE, ..options.clone() };
    let connector =
        Connector::new(config, &patient, PATIENCE, &Generations::default()).map_err(unreachable)?;
    let session = connector.connect().await.map_err(unreachable)?;
    let other = connector.connect().await.map_err(unreachable)?;
    startup_lock::refuse_transaction_pooler(&session, &other, &place).await?;
    drop(other);
    // Whoever comes second waits here, and finds the work done.
    startup_lock::take(&session, &place, options.migration_patience).await?;
    let applied = applied(&session).await.map_err(unreachable)?;
    let from = judge(&applied, schema)?;
    if schema == Schema::Inspect {
        return Ok(Migrated { from, to: from, copy: None });
    }
    for migration in migrations::after(from) {
        apply(&session, migration)
            .await
            .map_err(|error| OpenError::Migration { version: migration.version, cause: error.to_string() })?;
    }
    Ok(Migrated { from, to: migrations::newest(), copy: None })
}

async fn apply(session: &super::Session, migration: &Migration) -> Result<(), Error> {
    session.control(&format!("BEGIN; {}", translate(migration.text))).await?;
    let done = match migration.names {
        Names::Untouched => Ok(()),
        Names::Indexed => index_names(session).await,
        Names::Listed => list_words(session).await,
    };
    done.map_err(|failure| failure.error)?;
    let (version, name, checksum) = (migration.version, migration.name, migration.checksum());
    let insert = "INSERT INTO migrations (version, name, checksum) VALUES";
    session.control(&format!("{insert} ({version}, '{name}', '{checksum}'); COMMIT")).await
}

/// Rows whose words are made at once.
const NAMED_AT_ONCE: i64 = 5_000;

async fn index_names(session: &super::Session) -> Result<(), Failure> {
    let mut after = (TenantId::new(-1), 0);
    loop {
        let some = sql("SELECT l.tenant, l.slot, l.branch, p.name FROM listing l
             JOIN people p ON p.tenant = l.tenant AND p.code = l.person
             WHERE (l.tenant, l.slot) > ($1, $2) ORDER BY l.tenant, l.slot LIMIT $3")
        .arg(after.0)
        .arg(after.1)
        .arg(NAMED_AT_ONCE);
        let rows = session.all(&some).await?;
        let mut statements = Vec::new();
        for row in &rows {
            let (tenant, slot): (TenantId, i32) = (row.get("tenant")?, row.get("slot")?);
            let name: String = row.get("name")?;
            statements.extend(names::insert_rows(
                names::Index::Rows,
                tenant,
                [(slot, row.get::<domain::BranchCode>("branch")?, name.as_str())],
            ));
            after = (tenant, slot);
        }
        session.batch(&statements).await?;
        if rows.is_empty() {
            return Ok(());
        }
    }
}

async fn list_words(session: &super::Session) -> Result<(), Failure> {
    let mut after = (TenantId::new(-1), PersonCode::new(0));
    let mut known = BTreeSet::new();
    loop {
        let some = sql("SELECT tenant, code, name FROM people WHERE (tenant, code) > ($1, $2)
             ORDER BY tenant, code LIMIT $3")
        .arg(after.0)
        .arg(after.1)
        .arg(NAMED_AT_ONCE);
        let rows = session.all(&some).await?;
        for row in &rows {
            let name: String = row.get("name")?;
            after = (row.get("tenant")?, row.get("code")?);
            known.extend(name_words(&name).into_iter().map(|word| (after.0, word)));
        }
        if rows.is_empty() {
            return session.batch(&names::vocabulary::add_words(known)).await;
        }
    }
}

async fn applied(session: &super::Session) -> Result<Vec<Applied>, Error> {
    let told = |failure: Failure| failure.error;
    let there = sql(
        "SELECT 1 AS there FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations'",
    );
    if session.all(&there).await.map_err(told)?.is_empty() {
        return Ok(Vec::new());
    }
    let rows =
        session.all(&sql("SELECT version, checksum FROM migrations ORDER BY version")).await.map_err(told)?;
    rows.iter()
        .map(|row| Ok(Applied { version: row.get("version")?, checksum: row.get("checksum")? }))
        .collect()
}

/// Text compares by its bytes, as on the other engine, whatever the database's own collation.
fn translate(text: &str) -> String {
    let words = dialect::exchange(text, |word| match word {
        "TEXT" => Some("TEXT COLLATE \"C\""),
        "CLUSTERED" => Some(""),
        _ => None,
    });
    let own = |statement: &str| match statement.strip_prefix("CREATE NAME_INDEX ") {
        Some(name) => format!(
            "CREATE TABLE {name} (key BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
             CREATE INDEX {name}_words ON {name} USING gin (words) WITH (fastupdate = off);
             {NAME_QUERY};\n"
        ),
        None => format!("{statement};\n"),
    };
    dialect::statements(&words).map(own).collect()
}

/// What a query in the words of the other engine means here.
const NAME_QUERY: &str =
    "CREATE OR REPLACE FUNCTION name_query(query TEXT) RETURNS tsquery IMMUTABLE STRICT LANGUAGE sql
    RETURN CAST(replace(replace(replace(query, ' AND ', ' & '), ' OR ', ' | '), '*', ':*') AS tsquery)";
