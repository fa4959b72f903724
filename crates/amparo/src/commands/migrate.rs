//! `amparo migrate`: upgrades the database to this program's schema, without serving.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use std::process::ExitCode;
use storage::{DatabaseAddress, SchemaPolicy, SchemaUpgrade};

pub async fn migrate_database(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    let address = DatabaseAddress::parse(&settings.database)?;
    // A server running on the old schema must not have the schema changed under it.
    let _lock = storage::lock_for_server(&address)?;
    let (db, migrated) =
        storage::open_database(&address, &settings.storage.options(), SchemaPolicy::Migrate).await?;
    db.close().await;
    super::print_line(&describe_migration(&migrated));
    Ok(ExitCode::SUCCESS)
}

/// The outcome as a text for the operator.
pub fn describe_migration(migrated: &SchemaUpgrade) -> String {
    let SchemaUpgrade { from, to, copy } = migrated;
    let copied = copy
        .as_ref()
        .map_or_else(String::new, |copy| format!(" Uma cópia de como era está em {}.", copy.display()));
    match (from, to) {
        (from, to) if from == to => format!("O banco de dados já está na versão {to}."),
        (0, to) => format!("Banco de dados criado na versão {to}."),
        (from, to) => format!("Banco de dados levado da versão {from} à {to}.{copied}"),
    }
}
