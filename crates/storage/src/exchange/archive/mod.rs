//! Export and import of a complete tenant, table by table: which columns are transferred, how they are read on one
//! snapshot, and how they are written. `tables.txt` lists every transferred table and column; exclusions are in
//! `left_behind.rs` with their reason, and a test checks that every part of the schema is in one of the lists.

mod discard;
mod left_behind;
mod name_indexes;
mod read_rows;
mod required_columns;
mod restore;
mod tables;
mod upgrade;

pub use discard::{delete_some_rows, delete_untransferred_rows};
pub use left_behind::LEFT_BEHIND;
pub use name_indexes::{ArchiveNameIndex, index_names};
pub use read_rows::read_tenant_rows;
pub use required_columns::{ColumnRequirement, list_required_columns};
pub use restore::{
    advance_access_counter, cancel_waiting_mails, delete_dangling_queues, list_taken_logins, pause_receivers,
    replace_accesses, update_tenant_active,
};
pub use tables::{ArchiveColumn, ArchiveColumnKind, ArchiveTable, list_archive_tables};
pub use upgrade::upgrade_archive_rows;

#[cfg(test)]
mod tests;
