//! Migrates a database to the newest schema, one process at a time.

use super::connector::{ConnectionGenerations, ServerConnector};
use super::startup_lock;
use crate::engine::{DatabaseAddress, DatabaseOptions, SchemaPolicy, check_schema, dialect};
use crate::executor::db::StatementFailure;
use crate::migrations::{self, AppliedMigration, NameIndexUpdate, SchemaMigration, SchemaUpgrade};
use crate::name_index;
use crate::{Error, OpenError, sql};
use domain::{PersonCode, TenantId, split_name_words};
use std::collections::BTreeSet;
use std::time::Duration;

/// Time limit of a migration.
const MIGRATION_TIMEOUT: Duration = Duration::from_hours(1);

#[boxed::future]
pub async fn migrate_database(
    config: &tokio_postgres::Config,
    options: &DatabaseOptions,
    schema: SchemaPolicy,
) -> Result<SchemaUpgrade, OpenError> {
    let place = DatabaseAddress::Postgres(Box::new(config.clone())).to_string();
    let unreachable =
        |error: Error| OpenError::Unreachable { place: place.clone(), cause: error.to_string() };
    let patient_options = DatabaseOptions { unit_timeout: MIGRATION_TIMEOUT, ..options.clone() };
    let connector =
        ServerConnector::new(config, &patient_options, MIGRATION_TIMEOUT, &ConnectionGenerations::default())
            .map_err(unreachable)?;
    let session = connector.connect().await.map_err(unreachable)?;
    let other = connector.connect().await.map_err(unreachable)?;
    startup_lock::refuse_transaction_pooler(&session, &other, &place).await?;
    drop(other);
    // A second process waits here, and then finds the migrations applied.
    startup_lock::take_startup_lock(&session, &place, options.migration_lock_timeout).await?;
    let applied = list_applied_migrations(&session).await.map_err(unreachable)?;
    let current_version = check_schema(&applied, schema)?;
    if schema == SchemaPolicy::Inspect {
        return Ok(SchemaUpgrade { from: current_version, to: current_version, copy: None });
    }
    for migration in migrations::list_migrations_after(current_version) {
        apply_migration(&session, migration)
            .await
            .map_err(|error| OpenError::Migration { version: migration.version, cause: error.to_string() })?;
    }
    Ok(SchemaUpgrade { from: current_version, to: migrations::find_newest_version(), copy: None })
}

async fn apply_migration(session: &super::ServerSession, migration: &SchemaMigration) -> Result<(), Error> {
    session.execute_control(&format!("BEGIN; {}", translate_migration(migration.text))).await?;
    let done = match migration.names {
        NameIndexUpdate::Skip => Ok(()),
        NameIndexUpdate::FillIndex => index_names(session).await,
        NameIndexUpdate::FillVocabulary => index_name_words(session).await,
    };
    done.map_err(|failure| failure.error)?;
    let (version, name, checksum) = (migration.version, migration.name, migration.checksum());
    let insert = "INSERT INTO migrations (version, name, checksum) VALUES";
    session.execute_control(&format!("{insert} ({version}, '{name}', '{checksum}'); COMMIT")).await
}

/// Rows per batch when indexing names.
const NAMED_AT_ONCE: i64 = 5_000;

async fn index_names(session: &super::ServerSession) -> Result<(), StatementFailure> {
    let mut after = (TenantId::new(-1), 0);
    loop {
        let query = sql("SELECT l.tenant, l.slot, l.branch, p.name FROM listing l
             JOIN people p ON p.tenant = l.tenant AND p.code = l.person
             WHERE (l.tenant, l.slot) > ($1, $2) ORDER BY l.tenant, l.slot LIMIT $3")
        .arg(after.0)
        .arg(after.1)
        .arg(NAMED_AT_ONCE);
        let rows = session.fetch_all(&query).await?;
        let mut statements = Vec::new();
        for row in &rows {
            let (tenant, slot): (TenantId, i32) = (row.get("tenant")?, row.get("slot")?);
            let name: String = row.get("name")?;
            statements.extend(name_index::insert_index_rows(
                name_index::NameIndexKind::Rows,
                tenant,
                [(slot, row.get::<domain::BranchCode>("branch")?, name.as_str())],
            ));
            after = (tenant, slot);
        }
        session.execute_batch(&statements).await?;
        if rows.is_empty() {
            return Ok(());
        }
    }
}

async fn index_name_words(session: &super::ServerSession) -> Result<(), StatementFailure> {
    let mut after = (TenantId::new(-1), PersonCode::new(0));
    let mut known = BTreeSet::new();
    loop {
        let query = sql("SELECT tenant, code, name FROM people WHERE (tenant, code) > ($1, $2)
             ORDER BY tenant, code LIMIT $3")
        .arg(after.0)
        .arg(after.1)
        .arg(NAMED_AT_ONCE);
        let rows = session.fetch_all(&query).await?;
        for row in &rows {
            let name: String = row.get("name")?;
            after = (row.get("tenant")?, row.get("code")?);
            known.extend(split_name_words(&name).into_iter().map(|word| (after.0, word)));
        }
        if rows.is_empty() {
            return session.execute_batch(&name_index::vocabulary::insert_words(known)).await;
        }
    }
}

async fn list_applied_migrations(session: &super::ServerSession) -> Result<Vec<AppliedMigration>, Error> {
    let to_error = |failure: StatementFailure| failure.error;
    let table_query = sql(
        "SELECT 1 AS there FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations'",
    );
    if session.fetch_all(&table_query).await.map_err(to_error)?.is_empty() {
        return Ok(Vec::new());
    }
    let rows = session
        .fetch_all(&sql("SELECT version, checksum FROM migrations ORDER BY version"))
        .await
        .map_err(to_error)?;
    rows.iter()
        .map(|row| Ok(AppliedMigration { version: row.get("version")?, checksum: row.get("checksum")? }))
        .collect()
}

/// Text compares by bytes, as on the other engine, regardless of the database's collation.
fn translate_migration(text: &str) -> String {
    let words = dialect::replace_words(text, |word| match word {
        "TEXT" => Some("TEXT COLLATE \"C\""),
        "CLUSTERED" => Some(""),
        _ => None,
    });
    let translate = |statement: &str| {
        if let Some(name) = statement.strip_prefix("CREATE NAME_INDEX ") {
            format!(
                "CREATE TABLE {name} (key BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
                 CREATE INDEX {name}_words ON {name} USING gin (words) WITH (fastupdate = off);
                 {NAME_QUERY};\n"
            )
        } else if let Some(table) = statement.strip_prefix("FORBID CHANGES ON ") {
            format!(
                "{CHANGE_GUARD};
                 CREATE TRIGGER {table}_change BEFORE UPDATE OR DELETE ON {table}
                     FOR EACH ROW EXECUTE FUNCTION refuse_change();
                 CREATE TRIGGER {table}_truncation BEFORE TRUNCATE ON {table}
                     FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();\n"
            )
        } else {
            format!("{statement};\n")
        }
    };
    dialect::split_statements(&words).map(translate).collect()
}

/// Translates a name query from the syntax of the other engine.
const NAME_QUERY: &str =
    "CREATE OR REPLACE FUNCTION name_query(query TEXT) RETURNS tsquery IMMUTABLE STRICT LANGUAGE sql
    RETURN CAST(replace(replace(replace(query, ' AND ', ' & '), ' OR ', ' | '), '*', ':*') AS tsquery)";

/// Refuses to change or delete rows. Only a restore that was given up deletes its rows.
const CHANGE_GUARD: &str =
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $guard$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            IF EXISTS (SELECT 1 FROM settings WHERE name = 'bringing')
                AND EXISTS (SELECT 1 FROM tenants WHERE tenant = OLD.tenant AND NOT active) THEN
                RETURN OLD;
            END IF;
        END IF;
        RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME;
    END
    $guard$";
