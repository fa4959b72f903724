//! Runs statements and units of work, independent of the engine.

pub(crate) mod batch;
pub(crate) mod db;
pub(crate) mod outage_log;
pub(crate) mod row;
pub(crate) mod statement;
pub(crate) mod statement_watch;
pub(crate) mod stored_text;
pub(crate) mod unit;
pub(crate) mod value;
pub(crate) mod write_health;
