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

pub mod access;
pub mod exchange;
pub mod executor;
pub mod history;
pub mod sales;
pub mod search;
pub mod server;
pub mod triggers;

pub mod benefits;

pub mod cases;

mod engine;
mod error;

pub mod attachments;

mod migrations;

pub mod members;

pub mod registers;

pub use crate::executor::db::{Db, QueryWeight, ReadSource, Tx, WriteLane};
pub use crate::executor::row::Row;
pub use crate::executor::statement::{Statement, sql};
pub use crate::executor::statement_watch::{ExecutedStatement, StatementCost, StatementWatch};
pub use crate::executor::value::{FromColumn, SqlScalar, SqlScalarRef};
pub use engine::{
    DatabaseAddress, DatabaseOptions, SchemaPolicy, ServerLock, TransportProtection, lock_for_server,
    open_database, read_schema_version,
};
pub use error::{AddressProblem, Error, OpenError};
pub use migrations::{
    SchemaUpgrade, find_newest_version as newest_schema, list_schema_texts as schema_texts,
};
