//! The executor: statements and units of work, on whichever engine the address named.

use super::unit::QueuedUnit;
use super::write_health::WriteHealth;
use crate::engine::{Engine, TransactionSession, TransportProtection};
use crate::{Error, Row, Statement};
use domain::{DatabaseFault, Moment, TenantId};
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use std::sync::Arc;

/// A database. Cloning it is cheap.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
    health: Arc<WriteHealth>,
}

/// The queue in which a unit waits its turn. Units of one tenant run one after another, in every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLane {
    pub(crate) tenant: TenantId,
    pub(crate) rank: UnitRank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitRank {
    People,
    Background,
}

impl WriteLane {
    /// For what somebody waits for.
    pub fn foreground(tenant: TenantId) -> WriteLane {
        WriteLane { tenant, rank: UnitRank::People }
    }

    /// For what can wait until nobody does: audit, results of deliveries, housekeeping.
    pub fn background(tenant: TenantId) -> WriteLane {
        WriteLane { tenant, rank: UnitRank::Background }
    }
}

/// How much a statement may ask of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryWeight {
    /// A few rows by a key: never waits behind a search.
    Point,
    /// Everything else, on connections of its own, with a longer limit.
    Search,
}

impl Db {
    pub(crate) fn new(engine: Engine, health: Arc<WriteHealth>) -> Db {
        Db { engine, health }
    }

    /// Runs a unit of work: all of it is stored, durably, or nothing. The unit owns its input and may be run
    /// again, so it must have no effect but on `Tx`; it may await nothing else.
    ///
    /// A unit that has begun is carried to its end even if the caller stops waiting.
    pub async fn write<I, T, E, F>(&self, lane: WriteLane, input: I, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, answer) = QueuedUnit::new(input, unit);
        self.engine.write(lane, work);
        // Nobody answered: whoever ran the unit is gone, and what became of it is not known.
        answer.receive().await.unwrap_or_else(|| Err(Error::Unknown.into()))
    }

    /// Runs several statements on one snapshot. A statement that writes fails.
    pub async fn read<I, T, E, F>(&self, input: I, reads: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, answer) = QueuedUnit::new(input, reads);
        self.engine.read(work);
        answer.receive().await.unwrap_or_else(|| Err(build_closed_error().into()))
    }

    /// Runs one reading statement by itself.
    #[boxed::future]
    pub async fn query(&self, weight: QueryWeight, statement: Statement) -> Result<Vec<Row>, Error> {
        let rows = self.engine.query(weight, statement).await;
        rows.inspect_err(|error| self.health.report_failure(error))
    }

    /// What keeps the database from storing anything, as far as the last writes and reads tell. Asking costs nothing.
    pub fn write_fault(&self) -> Option<DatabaseFault> {
        self.health.fault()
    }

    /// Takes note that a write which is made to find out was not confirmed in time.
    pub fn report_unconfirmed_write(&self) {
        self.health.report_fault(DatabaseFault::NoAnswer);
    }

    /// What protects the way to the database.
    pub fn transport_protection(&self) -> TransportProtection {
        self.engine.transport_protection()
    }

    /// The same in words for a log: with the version of TLS, where that protects it.
    #[boxed::future]
    pub async fn describe_transport(&self) -> String {
        let version = self.engine.tls_version().await.ok().flatten();
        version.unwrap_or_else(|| self.transport_protection().to_string())
    }

    /// Waits for what is queued, then lets go of the database.
    #[boxed::future]
    pub async fn close(&self) {
        self.engine.close().await;
    }

    /// Asks the database for a sign of life, past every queue but that of point queries.
    #[boxed::future]
    pub async fn ping(&self) -> Result<(), Error> {
        self.query(QueryWeight::Point, crate::sql("SELECT 1 AS one")).await.map(drop)
    }

    /// What the database calls itself, for people: name and version.
    #[boxed::future]
    pub async fn describe_version(&self) -> Result<String, Error> {
        self.engine.describe_version().await
    }

    /// What tells this database from a copy of it, where the engine says so and may be asked.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        self.engine.identity().await
    }

    /// How much room the database takes, in bytes.
    #[boxed::future]
    pub async fn size(&self) -> Result<i64, Error> {
        self.engine.size().await
    }

    /// What of the database cannot be read as it should. It takes no longer than a search may, so of a very large database it
    /// may end as too slow.
    #[boxed::future]
    pub async fn find_damage(&self) -> Result<Vec<String>, Error> {
        self.engine.find_damage().await
    }

    /// The database's settings by which something that was stored may be lost when the power goes.
    #[boxed::future]
    pub async fn weak_durability_settings(&self) -> Result<Vec<String>, Error> {
        self.engine.weak_durability_settings().await
    }

    /// The time of the database server, where it has a clock of its own.
    #[boxed::future]
    pub async fn clock(&self) -> Result<Option<Moment>, Error> {
        self.engine.clock().await
    }
}

pub(crate) fn build_closed_error() -> Error {
    Error::Unavailable("the database was closed".to_owned())
}

/// A transaction, lent to a unit for its duration.
pub struct Tx {
    session: TransactionSession,
    fault: Option<UnitFault>,
    wrote: bool,
    writes: u64,
    foreseen: Vec<(Statement, Vec<Row>)>,
    health: Arc<WriteHealth>,
}

/// The first statement of a unit that failed. After it the engines differ (one would go on), so both stop.
pub(crate) struct UnitFault {
    pub text: Cow<'static, str>,
    /// Rolled back by the database for a reason that passes (a deadlock, say).
    pub passing: bool,
    /// It took longer than it may.
    pub slow: bool,
}

impl Tx {
    pub(crate) fn new(session: TransactionSession, health: Arc<WriteHealth>) -> Tx {
        Tx { session, fault: None, wrote: false, writes: 0, foreseen: Vec::new(), health }
    }

    pub(crate) fn session(&mut self) -> &mut TransactionSession {
        &mut self.session
    }

    pub(crate) fn begin_unit(&mut self) {
        self.fault = None;
        self.wrote = false;
        self.foreseen.clear();
    }

    /// Whether the unit may have written something by now.
    pub(crate) fn has_written(&self) -> bool {
        self.wrote
    }

    /// How many statements may have written something by now: for a unit that does many things, to know whether one of
    /// them had begun to write when it was refused.
    pub fn write_count(&self) -> u64 {
        self.writes
    }

    pub(crate) fn take_fault(&mut self) -> Option<UnitFault> {
        self.fault.take()
    }

    /// Every row that the statement gives.
    pub async fn fetch_all(&mut self, statement: Statement) -> Result<Vec<Row>, Error> {
        if let Some(rows) = self.take_prefetched(&statement) {
            return Ok(rows);
        }
        self.begin_statement(!statement.is_read_only())?;
        let result = self.session.fetch_all(&statement).await;
        self.end_statement(result)
    }

    /// Asks in one go for what is about to be asked for one by one, where every question is a journey. The same statement
    /// then finds its rows here, once, unless the unit has written something meanwhile.
    pub async fn prefetch(&mut self, statements: Vec<Statement>) -> Result<(), Error> {
        if self.session.is_remote() {
            let rows = self.fetch_each(statements.clone()).await?;
            self.foreseen = statements.into_iter().zip(rows).collect();
        }
        Ok(())
    }

    /// After a statement that failed, nothing is answered any more.
    fn take_prefetched(&mut self, statement: &Statement) -> Option<Vec<Row>> {
        if self.fault.is_some() {
            return None;
        }
        let place = self.foreseen.iter().position(|(known, _)| known == statement)?;
        Some(self.foreseen.swap_remove(place).1)
    }

    /// The first row, where there is one.
    pub async fn fetch_optional(&mut self, statement: Statement) -> Result<Option<Row>, Error> {
        Ok(self.fetch_all(statement).await?.into_iter().next())
    }

    /// Runs a statement for its effect; says how many rows it touched.
    pub async fn execute(&mut self, statement: Statement) -> Result<u64, Error> {
        self.begin_statement(true)?;
        let result = self.session.execute(&statement).await;
        self.end_statement(result)
    }

    /// The rows of several statements that do not depend on each other, asked for without a pause between them.
    pub async fn fetch_several<const N: usize>(
        &mut self,
        statements: [Statement; N],
    ) -> Result<[Vec<Row>; N], Error> {
        let rows = self.fetch_each(statements.into()).await?;
        rows.try_into().map_err(|_| Error::Broken("as many answers as statements".to_owned()))
    }

    /// The same for as many as there happen to be.
    pub(crate) async fn fetch_each(&mut self, statements: Vec<Statement>) -> Result<Vec<Vec<Row>>, Error> {
        let known: Vec<Option<Vec<Row>>> = statements.iter().map(|one| self.take_prefetched(one)).collect();
        let unknown: Vec<Statement> = statements
            .into_iter()
            .zip(&known)
            .filter(|(_, rows)| rows.is_none())
            .map(|(one, _)| one)
            .collect();
        let mut asked = Vec::new();
        if !unknown.is_empty() {
            self.begin_statement(!unknown.iter().all(Statement::is_read_only))?;
            let result = self.session.fetch_several(&unknown).await;
            asked = self.end_statement(result)?;
        }
        let mut asked = asked.into_iter();
        Ok(known.into_iter().map(|rows| rows.or_else(|| asked.next()).unwrap_or_default()).collect())
    }

    /// Runs several statements for their effect, in order, without a pause between them.
    pub async fn execute_batch(&mut self, statements: Vec<Statement>) -> Result<(), Error> {
        self.begin_statement(true)?;
        let result = self.session.execute_batch(&statements).await;
        self.end_statement(result)
    }

    /// Until a statement has ended it counts as failed: one whose future is dropped half way must not pass for done.
    fn begin_statement(&mut self, writes: bool) -> Result<(), Error> {
        if let Some(fault) = &self.fault {
            return Err(Error::Broken(format!("a statement after one that failed: {}", fault.text)));
        }
        self.wrote |= writes;
        self.writes += u64::from(writes);
        if writes {
            self.foreseen.clear();
        }
        self.fault = Some(UnitFault { text: Cow::Borrowed("it was cut off"), passing: false, slow: false });
        Ok(())
    }

    fn end_statement<T>(&mut self, result: Result<T, StatementFailure>) -> Result<T, Error> {
        match result {
            Ok(value) => {
                self.fault = None;
                Ok(value)
            }
            Err(StatementFailure { error, passing }) => {
                self.health.report_failure(&error);
                let slow = matches!(error, Error::TooSlow);
                self.fault = Some(UnitFault { text: Cow::Owned(error.to_string()), passing, slow });
                Err(error)
            }
        }
    }
}

/// A failed statement, as an engine tells it.
pub(crate) struct StatementFailure {
    pub error: Error,
    pub passing: bool,
}

impl From<Error> for StatementFailure {
    fn from(error: Error) -> StatementFailure {
        StatementFailure { error, passing: false }
    }
}

/// Where a read runs: by itself, or inside a unit. Functions that read take `impl Into<Source<'_>>`, so that
/// `&db` and `&mut *tx` both do.
pub enum ReadSource<'s> {
    Db(&'s Db),
    Tx(&'s mut Tx),
}

impl ReadSource<'_> {
    pub async fn fetch_all(self, weight: QueryWeight, statement: Statement) -> Result<Vec<Row>, Error> {
        match self {
            ReadSource::Db(db) => db.query(weight, statement).await,
            ReadSource::Tx(tx) => tx.fetch_all(statement).await,
        }
    }

    pub async fn fetch_optional(self, statement: Statement) -> Result<Option<Row>, Error> {
        Ok(self.fetch_all(QueryWeight::Point, statement).await?.into_iter().next())
    }
}

impl<'s> From<&'s Db> for ReadSource<'s> {
    fn from(db: &'s Db) -> ReadSource<'s> {
        ReadSource::Db(db)
    }
}

impl<'s> From<&'s mut Tx> for ReadSource<'s> {
    fn from(tx: &'s mut Tx) -> ReadSource<'s> {
        ReadSource::Tx(tx)
    }
}
