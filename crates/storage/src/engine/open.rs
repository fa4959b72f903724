//! Opens a database, and compares its schema with the known migrations.

use super::Engine;
use super::address::DatabaseAddress;
use super::options::DatabaseOptions;
use super::postgres;
use super::sqlite;
use crate::executor::db::ActivityDatabase;
use crate::executor::write_health::WriteHealth;
use crate::migrations::{self, SchemaUpgrade};
use crate::{Db, OpenError};
use std::path::Path;
use std::sync::Arc;

/// What to do with an outdated schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPolicy {
    /// Migrate it: used by the server at startup and by `migrate`.
    Migrate,
    /// Create the schema in an empty database, but refuse an older schema: a server of the older version may be using
    /// it.
    Expect,
    /// Accept any schema and create nothing.
    Inspect,
}

/// Opens the database at an address; also returns the schema versions before and after.
#[boxed::future]
pub async fn open_database(
    address: &DatabaseAddress,
    options: &DatabaseOptions,
    schema: SchemaPolicy,
) -> Result<(Db, SchemaUpgrade), OpenError> {
    let health = Arc::<WriteHealth>::default();
    let (engine, migrated, activity) = match address {
        DatabaseAddress::Sqlite(path) => {
            let migrated = sqlite::migrate_database(path, schema)?;
            let engine = sqlite::Sqlite::open(path, options, &health)?;
            (Engine::Sqlite(Arc::new(engine)), migrated, open_activity(path, options, schema))
        }
        DatabaseAddress::Postgres(config) => {
            let migrated = postgres::migrate_database(config, options, schema).await?;
            let engine = postgres::Postgres::open(config, options, Arc::clone(&health)).await?;
            (Engine::Postgres(Arc::new(engine)), migrated, ActivityDatabase::Shared)
        }
    };
    Ok((Db::new(engine, health, activity), migrated))
}

/// Opens the file of activity beside a database file. If that fails, all else still works.
fn open_activity(path: &Path, options: &DatabaseOptions, schema: SchemaPolicy) -> ActivityDatabase {
    let activity_path = match sqlite::prepare_activity_file(path, schema) {
        Ok(Some(activity_path)) => activity_path,
        Ok(None) => return ActivityDatabase::Shared,
        Err(error) => return report_unusable_activity(&error),
    };
    let health = Arc::new(WriteHealth::of_activity());
    // Mapping the file would cost more than it brings: it is written all the time and seldom read.
    let options = DatabaseOptions { readers: 1, cache_mib: 2, mmap_mib: 0, ..options.clone() };
    match sqlite::Sqlite::open(&activity_path, &options, &health) {
        Ok(engine) => {
            let engine = Engine::Sqlite(Arc::new(engine));
            ActivityDatabase::Own(Arc::new(Db::new(engine, health, ActivityDatabase::Shared)))
        }
        Err(error) => report_unusable_activity(&error),
    }
}

fn report_unusable_activity(error: &OpenError) -> ActivityDatabase {
    tracing::error!(%error, "the file of activity cannot be used: personal data is not shown");
    ActivityDatabase::Unusable(error.to_string().into())
}

/// The schema version of the database; 0 if it has none yet.
#[boxed::future]
pub async fn read_schema_version(
    address: &DatabaseAddress,
    options: &DatabaseOptions,
) -> Result<i64, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => {
            sqlite::migrate_database(path, SchemaPolicy::Inspect).map(|found| found.from)
        }
        DatabaseAddress::Postgres(config) => {
            postgres::migrate_database(config, options, SchemaPolicy::Inspect).await.map(|found| found.from)
        }
    }
}

/// Compares the applied migrations with those this program knows.
pub(super) fn check_schema(
    applied: &[migrations::AppliedMigration],
    schema: SchemaPolicy,
) -> Result<i64, OpenError> {
    let found = migrations::check_applied_migrations(applied)?;
    let known = migrations::find_newest_version();
    if schema == SchemaPolicy::Expect && found != 0 && found < known {
        return Err(OpenError::Older { found, known });
    }
    Ok(found)
}
