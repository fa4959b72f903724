//! Imports, mirrors, archives, and records as they stood.

pub mod archive;
pub mod imports;
pub mod mirrors;
pub(crate) mod record_snapshot;
