//! Imports, mirrors, archives and record snapshots.

pub mod archive;
pub mod imports;
pub mod mirrors;
pub(crate) mod record_snapshot;
