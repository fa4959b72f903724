//! Bringing a database to the newest schema, one process at a time.

use super::lanes::LOCKS;
use super::session::Connector;
use crate::engine::{Address, Options, Schema, dialect, judge};
use crate::migrations::{self, Applied, Migrated};
use crate::{Error, OpenError, sql};
use std::time::Duration;

/// A migration may take its time.
const PATIENCE: Duration = Duration::from_secs(3600);

pub async fn migrate(
    config: &tokio_postgres::Config,
    options: &Options,
    schema: Schema,
) -> Result<Migrated, OpenError> {
    let place = Address::Postgres(Box::new(config.clone())).to_string();
    let unreachable =
        |error: Error| OpenError::Unreachable { place: place.clone(), cause: error.to_string() };
    let patient = Options { unit_timeout: PATIENCE, ..options.clone() };
    let connector = Connector::new(config, &patient, PATIENCE).map_err(unreachable)?;
    let session = connector.connect().await.map_err(unreachable)?;
    // Whoever comes second waits here, and finds the work done.
    session.control(&format!("SELECT pg_advisory_lock({LOCKS}, -1)")).await.map_err(unreachable)?;
    let applied = applied(&session).await.map_err(unreachable)?;
    let from = judge(&applied, schema)?;
    if schema == Schema::Inspect {
        return Ok(Migrated { from, to: from, copy: None });
    }
    for migration in migrations::after(from) {
        let text = format!(
            "BEGIN; {} INSERT INTO migrations (version, name, checksum) VALUES ({}, '{}', '{}'); COMMIT",
            translate(migration.text),
            migration.version,
            migration.name,
            migration.checksum()
        );
        session
            .control(&text)
            .await
            .map_err(|error| OpenError::Migration { version: migration.version, cause: error.to_string() })?;
    }
    Ok(Migrated { from, to: migrations::newest(), copy: None })
}

async fn applied(session: &super::Session) -> Result<Vec<Applied>, Error> {
    let told = |failure: crate::db::Failure| failure.error;
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
    dialect::statements(&words).map(|statement| format!("{statement};\n")).collect()
}
