//! The list of schema migrations. A released migration is never changed; changes go into a new one.
//!
//! Both engines share one text: `BIGINT`, `TEXT`, `BOOLEAN`, `BYTEA`, `CLUSTERED` after a table with short rows that is
//! read only by its key, and `FORBID CHANGES ON` a table whose rows are never changed or deleted.
//! `engine/dialect.rs` translates it.

use crate::OpenError;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

pub(crate) struct SchemaMigration {
    pub version: i64,
    pub name: &'static str,
    pub text: &'static str,
    /// How existing names are indexed, which SQL alone cannot do.
    pub names: NameIndexUpdate,
}

/// What a migration does with existing names; their words are computed by the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameIndexUpdate {
    Skip,
    /// Adds the words of existing search rows to the name index.
    FillIndex,
    /// Adds the words of existing names to the vocabulary.
    FillVocabulary,
}

impl SchemaMigration {
    pub fn checksum(&self) -> String {
        Sha256::digest(self.text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

const fn define_migration(version: i64, name: &'static str, text: &'static str) -> SchemaMigration {
    SchemaMigration { version, name, text, names: NameIndexUpdate::Skip }
}

pub(crate) const MIGRATIONS: &[SchemaMigration] = &[
    define_migration(1, "foundation", include_str!("../migrations/0001_foundation.sql")),
    define_migration(2, "access", include_str!("../migrations/0002_access.sql")),
    define_migration(3, "registers", include_str!("../migrations/0003_registers.sql")),
    define_migration(4, "audit", include_str!("../migrations/0004_audit.sql")),
    SchemaMigration {
        names: NameIndexUpdate::FillIndex,
        ..define_migration(5, "benefits", include_str!("../migrations/0005_benefits.sql"))
    },
    SchemaMigration {
        names: NameIndexUpdate::FillVocabulary,
        ..define_migration(6, "interface", include_str!("../migrations/0006_interface.sql"))
    },
    define_migration(7, "triggers", include_str!("../migrations/0007_triggers.sql")),
    define_migration(8, "management", include_str!("../migrations/0008_management.sql")),
    define_migration(9, "console", include_str!("../migrations/0009_console.sql")),
    define_migration(10, "second_factor", include_str!("../migrations/0010_second_factor.sql")),
    define_migration(11, "saved_filters", include_str!("../migrations/0011_saved_filters.sql")),
    define_migration(12, "boards", include_str!("../migrations/0012_boards.sql")),
    define_migration(13, "sales_board", include_str!("../migrations/0013_sales_board.sql")),
    define_migration(14, "files", include_str!("../migrations/0014_files.sql")),
    define_migration(15, "imports", include_str!("../migrations/0015_imports.sql")),
    define_migration(16, "mirror", include_str!("../migrations/0016_mirror.sql")),
    define_migration(17, "queues", include_str!("../migrations/0017_queues.sql")),
    define_migration(18, "leases", include_str!("../migrations/0018_leases.sql")),
    define_migration(19, "access_trail", include_str!("../migrations/0019_access_trail.sql")),
    define_migration(20, "validation", include_str!("../migrations/0020_validation.sql")),
    define_migration(21, "typed_audit", include_str!("../migrations/0021_typed_audit.sql")),
    define_migration(22, "access_counter", include_str!("../migrations/0022_access_counter.sql")),
    define_migration(23, "benefit_totals", include_str!("../migrations/0023_benefit_totals.sql")),
    define_migration(24, "key_holders", include_str!("../migrations/0024_key_holders.sql")),
    define_migration(25, "money", include_str!("../migrations/0025_money.sql")),
    define_migration(26, "prices", include_str!("../migrations/0026_prices.sql")),
    define_migration(27, "charging", include_str!("../migrations/0027_charging.sql")),
    define_migration(28, "opening_balances", include_str!("../migrations/0028_opening_balances.sql")),
    define_migration(29, "credit_receipts", include_str!("../migrations/0029_credit_receipts.sql")),
    define_migration(30, "old_search_answer", include_str!("../migrations/0030_old_search_answer.sql")),
    define_migration(31, "price_origins", include_str!("../migrations/0031_price_origins.sql")),
    define_migration(32, "imported_months", include_str!("../migrations/0032_imported_months.sql")),
    define_migration(33, "pix_codes", include_str!("../migrations/0033_pix_codes.sql")),
    define_migration(34, "slips", include_str!("../migrations/0034_slips.sql")),
    define_migration(35, "document_links", include_str!("../migrations/0035_document_links.sql")),
];

/// The migrations of the file of activity (embedded database).
pub(crate) const ACTIVITY_MIGRATIONS: &[SchemaMigration] = &[
    define_migration(1, "activity", include_str!("../migrations/activity/0001_activity.sql")),
    define_migration(2, "addresses", include_str!("../migrations/activity/0002_addresses.sql")),
];

/// The migration texts, in order.
pub fn list_schema_texts() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.text)
}

/// The same of the file of activity.
#[cfg(test)]
pub(crate) fn list_activity_schema_texts() -> impl Iterator<Item = &'static str> {
    ACTIVITY_MIGRATIONS.iter().map(|migration| migration.text)
}

/// A migration as recorded in a database.
pub(crate) struct AppliedMigration {
    pub version: i64,
    pub checksum: String,
}

/// The schema versions before and after opening a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaUpgrade {
    pub from: i64,
    pub to: i64,
    /// Backup of the database file before the migration, if it had any data.
    pub copy: Option<PathBuf>,
}

/// The newest schema version that this program knows.
pub fn find_newest_version() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

pub(crate) fn list_migrations_after(version: i64) -> impl Iterator<Item = &'static SchemaMigration> {
    MIGRATIONS.iter().filter(move |migration| migration.version > version)
}

/// The schema version of a database, or an error if this program cannot serve it.
pub(crate) fn check_applied_migrations(applied: &[AppliedMigration]) -> Result<i64, OpenError> {
    check_known_migrations(applied, MIGRATIONS)
}

/// The same for one of several lists of migrations.
pub(crate) fn check_known_migrations(
    applied: &[AppliedMigration],
    migrations: &[SchemaMigration],
) -> Result<i64, OpenError> {
    let found = applied.iter().map(|one| one.version).max().unwrap_or(0);
    let known = migrations.last().map_or(0, |last| last.version);
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    for one in applied {
        let migration = migrations.iter().find(|migration| migration.version == one.version);
        if migration.is_none_or(|migration| migration.checksum() != one.checksum) {
            return Err(OpenError::Altered(one.version));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_count_from_one_without_gaps() {
        let versions: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=find_newest_version()).collect::<Vec<_>>());
    }

    #[test]
    fn a_newer_or_altered_schema_is_refused() {
        let applied = |version, checksum: &str| AppliedMigration { version, checksum: checksum.to_owned() };
        assert!(matches!(check_applied_migrations(&[]), Ok(0)));
        assert!(matches!(
            check_applied_migrations(&[applied(find_newest_version() + 1, "")]),
            Err(OpenError::Newer { .. })
        ));
        assert!(matches!(check_applied_migrations(&[applied(1, "other")]), Err(OpenError::Altered(1))));
        assert!(matches!(check_applied_migrations(&[applied(1, &MIGRATIONS[0].checksum())]), Ok(1)));
    }
}
