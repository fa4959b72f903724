//! All SQL, once, for both engines: the executor ([`Db`], [`Tx`], [`Statement`], [`Row`]), the schema, and a module
//! for each table with the functions that read and write it.
//!
//! # Adding a function
//! 1. It is an `async fn` in the module of its table. One that reads takes `impl Into<Source<'_>>`, so that it runs
//!    by itself (`&db`) and inside a unit (`&mut *tx`); one that writes takes `&mut Tx`.
//! 2. A search takes the caller's [`domain::Scope`]. What is not found is `None`.
//! 3. The text is in the common subset of both engines (ARCHITECTURE.md): four types, `$1…$n`, no functions of
//!    time or case, a unique column at the end of every ORDER BY.
//! 4. Its test runs on both engines: `#[testkit::both_engines]`.
//!
//! # Changing the schema
//! A new file in `migrations/`, a line in `migrations.rs`. A released migration is never changed.

pub mod additional_fields;
pub mod attempts;
pub mod audit;
mod batch;
pub mod benefits;
pub mod branches;
pub mod cases;
pub mod claim_types;
pub mod claims;
pub mod clinics;
pub mod counters;
pub mod credit_cards;
mod db;
pub mod deals;
pub mod deliveries;
pub mod dependents;
pub mod doctors;
pub mod due_days;
mod engine;
mod error;
pub mod field_changes;
pub mod files;
pub mod funnels;
pub mod history;
pub mod housekeeping;
pub mod idempotency;
pub mod imports;
pub mod inspection_types;
pub mod installations;
pub mod items;
pub mod jobs;
pub mod leads;
pub mod leases;
pub mod listing;
pub mod logins;
pub mod mails;
mod migrations;
pub mod mirrors;
pub mod monthly;
mod names;
pub mod notes;
mod outbox;
pub mod panel;
pub mod password_resets;
pub mod people;
pub mod phones;
pub mod plans;
pub mod processes;
pub mod queues;
pub mod receivers;
pub mod registers;
mod row;
pub mod saved_filters;
pub mod searches;
pub mod second_factors;
pub mod secrets;
pub mod sellers;
pub mod settings;
pub mod situations;
mod snapshot;
pub mod specialties;
mod statement;
pub mod suppliers;
pub mod tally;
pub mod tenants;
pub mod ticket_types;
pub mod tokens;
pub mod trackers;
mod unit;
pub mod users;
mod value;
pub mod vehicle_types;
pub mod versions;
mod watch;
pub mod whole;
mod write_health;

pub use db::{Db, QueryWeight, ReadSource, Tx, WriteLane};
pub use engine::{
    DatabaseAddress, DatabaseOptions, SchemaPolicy, ServerLock, TransportProtection, lock_for_server,
    open_database, read_schema_version,
};
pub use error::{AddressProblem, Error, OpenError};
pub use migrations::{
    SchemaUpgrade, find_newest_version as newest_schema, list_schema_texts as schema_texts,
};
pub use row::Row;
pub use statement::{Statement, sql};
pub use value::{FromColumn, SqlScalar, SqlScalarRef};
pub use watch::{ExecutedStatement, StatementCost, StatementWatch};
