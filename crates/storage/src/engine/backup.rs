//! What a backup needs of a database: its files as of one moment, or the way to its server.

pub use super::postgres::build_client_environment;
pub use super::sqlite::{
    RestoredFiles, build_activity_path, build_staging_path, check_copy, copy_snapshot, replace_database,
};
