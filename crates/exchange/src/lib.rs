//! Data exchange: spreadsheet imports, list exports, tenant archives, and mirrors of other servers.

pub mod archive;
pub mod export;
pub mod import;
pub mod mirror_store;
