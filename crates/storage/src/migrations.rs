//! The schema's history. A migration, once released, is never changed: another is added behind it.
//!
//! The text is one for both engines: `BIGINT`, `TEXT`, `BOOLEAN`, `BYTEA`, and `CLUSTERED` behind a table that is
//! read by its key alone and has short rows. The engines spell the rest (`engine/dialect.rs`).

use crate::OpenError;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

pub(crate) struct Migration {
    pub version: i64,
    pub name: &'static str,
    pub text: &'static str,
    /// What it does to the rows that are there, and only the program can do.
    pub names: Names,
}

/// What becomes of names, whose words are made in the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Untouched,
    /// The rows of the searches get theirs in the index of names.
    Indexed,
    /// They are written into the vocabulary.
    Listed,
}

impl Migration {
    pub fn checksum(&self) -> String {
        Sha256::digest(self.text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

const fn step(version: i64, name: &'static str, text: &'static str) -> Migration {
    Migration { version, name, text, names: Names::Untouched }
}

pub(crate) const MIGRATIONS: &[Migration] = &[
    step(1, "foundation", include_str!("../migrations/0001_foundation.sql")),
    step(2, "access", include_str!("../migrations/0002_access.sql")),
    step(3, "registers", include_str!("../migrations/0003_registers.sql")),
    step(4, "audit", include_str!("../migrations/0004_audit.sql")),
    Migration {
        names: Names::Indexed,
        ..step(5, "benefits", include_str!("../migrations/0005_benefits.sql"))
    },
    Migration {
        names: Names::Listed,
        ..step(6, "interface", include_str!("../migrations/0006_interface.sql"))
    },
    step(7, "triggers", include_str!("../migrations/0007_triggers.sql")),
    step(8, "management", include_str!("../migrations/0008_management.sql")),
    step(9, "console", include_str!("../migrations/0009_console.sql")),
    step(10, "second_factor", include_str!("../migrations/0010_second_factor.sql")),
    step(11, "saved_filters", include_str!("../migrations/0011_saved_filters.sql")),
    step(12, "boards", include_str!("../migrations/0012_boards.sql")),
    step(13, "sales_board", include_str!("../migrations/0013_sales_board.sql")),
    step(14, "files", include_str!("../migrations/0014_files.sql")),
    step(15, "imports", include_str!("../migrations/0015_imports.sql")),
    step(16, "mirror", include_str!("../migrations/0016_mirror.sql")),
    step(17, "queues", include_str!("../migrations/0017_queues.sql")),
    step(18, "leases", include_str!("../migrations/0018_leases.sql")),
    step(19, "access_trail", include_str!("../migrations/0019_access_trail.sql")),
    step(20, "validation", include_str!("../migrations/0020_validation.sql")),
];

/// What the migrations say, in their order.
pub fn texts() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.text)
}

/// A migration as a database remembers it.
pub(crate) struct Applied {
    pub version: i64,
    pub checksum: String,
}

/// What opening a database did to its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    pub from: i64,
    pub to: i64,
    /// The copy of the file as it was, where there is a file and it held something.
    pub copy: Option<PathBuf>,
}

/// The newest schema that this program knows.
pub fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

pub(crate) fn after(version: i64) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(move |migration| migration.version > version)
}

/// The version that a database is at, unless this program cannot serve it.
pub(crate) fn check(applied: &[Applied]) -> Result<i64, OpenError> {
    let found = applied.iter().map(|one| one.version).max().unwrap_or(0);
    let known = newest();
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
        assert_eq!(versions, (1..=newest()).collect::<Vec<_>>());
    }

    #[test]
    fn a_newer_or_altered_schema_is_refused() {
        let applied = |version, checksum: &str| Applied { version, checksum: checksum.to_owned() };
        assert!(matches!(check(&[]), Ok(0)));
        assert!(matches!(check(&[applied(newest() + 1, "")]), Err(OpenError::Newer { .. })));
        assert!(matches!(check(&[applied(1, "other")]), Err(OpenError::Altered(1))));
        assert!(matches!(check(&[applied(1, &MIGRATIONS[0].checksum())]), Ok(1)));
    }
}
