//! Taking data in and out: imports of spreadsheets, exports of lists, whole archives, mirrors of other servers.

pub mod archive;
pub mod export;
pub mod import;
pub mod mirror_store;
