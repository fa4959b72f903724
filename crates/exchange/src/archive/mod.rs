//! Tenant archives: exports a tenant to one file while the server runs, and restores it on another server with either
//! database engine. The format is documented in docs/formato.md; the tables are listed in `storage::exchange::archive`.
//!
//! The file is a ZIP archive: `manifesto.json`; under `dados/` one JSON Lines file per table; under `arquivos/` the
//! attachments by their storage keys; and `arquivos.jsonl` with a line per attachment, because there may be too many
//! for the manifest.

mod blocking;
mod discard;
mod error;
mod export;
mod manifest;
mod reader;
mod restore;
mod row_format;
mod validate;

pub use discard::{RestoreDiscardOutcome, discard_unfinished_restore};
pub use error::ArchiveError;
pub use export::{TenantExportOutcome, export_archive};
pub use manifest::{
    ArchiveManifest, ArchivedAttachment, DATA, FILE_LIST, FILES, FORMAT, MANIFEST, ManifestFileEntry,
    READ_ME, VERSION,
};
pub use restore::{RestoreOptions, RestoreOutcome, RestoreStep, restore_archive};

#[cfg(test)]
mod tests {
    use storage::exchange::archive::list_archive_tables;

    /// The documentation must explain every file and field.
    #[test]
    fn the_documentation_names_every_file_and_field() {
        let text = include_str!("../../../../docs/formato.md");
        for table in list_archive_tables() {
            let head = format!("**`dados/{}.jsonl`**", table.name);
            let section = text.split_once(&head).unwrap_or_else(|| panic!("{head} is not explained")).1;
            let section = section.split("\n\n").next().unwrap();
            for column in &table.columns {
                assert!(section.contains(&format!("`{}`", column.name)), "{}.{}", table.name, column.name);
            }
        }
        for other in [super::MANIFEST, super::READ_ME, super::FILES, super::FILE_LIST, super::FORMAT] {
            assert!(text.contains(other), "{other}");
        }
    }
}
