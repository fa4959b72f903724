//! The schema's history. A migration, once released, is never changed: another is added behind it.
//!
//! The text is one for both engines: `BIGINT`, `TEXT`, `BOOLEAN`, `BYTEA`, and `CLUSTERED` behind a table that is
//! read by its key alone and has short rows. The engines spell the rest (`engine/dialect.rs`).

use crate::OpenError;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

pub(crate) struct SchemaMigration {
    pub version: i64,
    pub name: &'static str,
    pub text: &'static str,
    /// What it does to the rows that are there, and only the program can do.
    pub names: NameIndexUpdate,
}

/// What becomes of names, whose words are made in the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameIndexUpdate {
    Skip,
    /// The rows of the searches get theirs in the index of names.
    FillIndex,
    /// They are written into the vocabulary.
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
];

/// What the migrations say, in their order.
pub fn list_schema_texts() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.text)
}

/// A migration as a database remembers it.
pub(crate) struct AppliedMigration {
    pub version: i64,
    pub checksum: String,
}

/// What opening a database did to its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaUpgrade {
    pub from: i64,
    pub to: i64,
    /// The copy of the file as it was, where there is a file and it held something.
    pub copy: Option<PathBuf>,
}

/// The newest schema that this program knows.
pub fn find_newest_version() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

pub(crate) fn list_migrations_after(version: i64) -> impl Iterator<Item = &'static SchemaMigration> {
    MIGRATIONS.iter().filter(move |migration| migration.version > version)
}

/// The version that a database is at, unless this program cannot serve it.
pub(crate) fn check_applied_migrations(applied: &[AppliedMigration]) -> Result<i64, OpenError> {
    let found = applied.iter().map(|one| one.version).max().unwrap_or(0);
    let known = find_newest_version();
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    for one in applied {
        let migration = MIGRATIONS.iter().find(|migration| migration.version == one.version);
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
