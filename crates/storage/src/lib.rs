//! All SQL of the program, one text for both engines: the executor ([`Db`], [`Tx`], [`Statement`], [`Row`]), the
//! schema, and a module per table with the functions that read and write it.
//!
//! # Adding a function
//! 1. Write an `async fn` in the module of its table. A read takes `impl Into<ReadSource<'_>>`, so that it runs on its
//!    own (`&db`) and inside a unit of work (`&mut *tx`); a write takes `&mut Tx`.
//! 2. A search takes the caller's [`domain::Scope`]. "Not found" is `None`.
//! 3. The SQL uses the common subset of both engines (ARCHITECTURE.md): four types, `$1…$n`, no functions of
//!    time or case, a unique column at the end of every ORDER BY.
//! 4. Its test runs on both engines: `#[testkit::both_engines]`.
//!
//! # Changing the schema
//! Add a file in `migrations/` and a line in `migrations.rs`. A released migration is never changed.

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
pub mod document_links;

mod migrations;
mod name_index;

pub mod members;

pub mod registers;

pub use crate::executor::db::{Db, QueryWeight, ReadSource, Tx, WriteLane};
pub use crate::executor::row::Row;
pub use crate::executor::statement::{Statement, build_inserts, sql};
pub use crate::executor::statement_watch::{ExecutedStatement, StatementCost, StatementWatch};
pub use crate::executor::value::{FromColumn, SqlScalar, SqlScalarRef};
pub use engine::backup;
pub use engine::{
    ConnectionUse, DatabaseAddress, DatabaseOptions, DatabaseWorkload, ImportLock, SchemaPolicy, ServerLock,
    TransportProtection, count_lanes_for_machine, lock_for_import, lock_for_server, lock_out_imports,
    open_database, read_schema_version,
};
pub use error::{AddressProblem, Error, OpenError};
pub use migrations::{
    SchemaUpgrade, find_newest_version as newest_schema, list_schema_texts as schema_texts,
};
