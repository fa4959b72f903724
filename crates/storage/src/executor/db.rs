//! The executor: runs statements and units of work on the engine that the address selects.

use super::unit::QueuedUnit;
use super::write_health::WriteHealth;
use crate::engine::{DatabaseWorkload, Engine, TransactionSession, TransportProtection};
use crate::{Error, Row, Statement};
use domain::{DatabaseFault, Moment, TenantId};
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use std::sync::Arc;

/// A handle to a database. Cloning it is cheap.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
    health: Arc<WriteHealth>,
    activity: ActivityDatabase,
}

/// Where activity is written: what people looked at, and which processes run. Unlike all else it is written although
/// nobody changes anything.
#[derive(Clone)]
pub(crate) enum ActivityDatabase {
    /// In this database.
    Shared,
    /// In a database of its own, so that writing there does not disturb the readers of this one.
    Own(Arc<Db>),
    /// Its file cannot be used; why.
    Unusable(Arc<str>),
}

/// The queue a unit of work waits in. Units of one tenant run one after another, across all processes.
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
    /// For work whose caller waits for the result.
    pub fn foreground(tenant: TenantId) -> WriteLane {
        WriteLane { tenant, rank: UnitRank::People }
    }

    /// For work that can be delayed: audit entries, delivery results, housekeeping.
    pub fn background(tenant: TenantId) -> WriteLane {
        WriteLane { tenant, rank: UnitRank::Background }
    }
}

/// The cost class of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryWeight {
    /// A few rows by key: never waits behind a search.
    Point,
    /// Anything else: runs on separate connections with a longer time limit.
    Search,
}

impl Db {
    pub(crate) fn new(engine: Engine, health: Arc<WriteHealth>, activity: ActivityDatabase) -> Db {
        Db { engine, health, activity }
    }

    /// The database of accesses and heartbeats: this one, or one of its own.
    pub fn activity(&self) -> Result<&Db, Error> {
        match &self.activity {
            ActivityDatabase::Shared => Ok(self),
            ActivityDatabase::Own(own) => Ok(own),
            ActivityDatabase::Unusable(cause) => {
                Err(Error::DatabaseFault { fault: DatabaseFault::NoAccessLog, cause: cause.to_string() })
            }
        }
    }

    /// The same if it is not this one.
    pub fn separate_activity(&self) -> Option<&Db> {
        match &self.activity {
            ActivityDatabase::Own(own) => Some(own),
            ActivityDatabase::Shared | ActivityDatabase::Unusable(_) => None,
        }
    }

    /// This database, and that of its activity if it is another.
    pub fn list_databases(&self) -> impl Iterator<Item = &Db> {
        std::iter::once(self).chain(self.separate_activity())
    }

    /// Runs a unit of work in a transaction: either all of it is stored durably, or nothing. The unit owns its input
    /// and may run again, so it must have no effects except through `Tx`, and it may await nothing else.
    ///
    /// A unit that has started runs to its end even if the caller stops waiting.
    pub async fn write<I, T, E, F>(&self, lane: WriteLane, input: I, unit: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, answer) = QueuedUnit::new(input, unit);
        self.engine.write(lane, work);
        // The task that ran the unit is gone without an answer, so its outcome is unknown.
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

    /// Runs a single read statement.
    #[boxed::future]
    pub async fn query(&self, weight: QueryWeight, statement: Statement) -> Result<Vec<Row>, Error> {
        let rows = self.engine.query(weight, statement).await;
        rows.inspect(|_| self.health.report_answer()).inspect_err(|error| self.health.report_failure(error))
    }

    /// The fault that currently prevents writes, as seen by the most recent writes and reads. Causes no query.
    pub fn write_fault(&self) -> Option<DatabaseFault> {
        self.own_write_fault().or_else(|| match &self.activity {
            ActivityDatabase::Shared => None,
            ActivityDatabase::Own(own) => own.write_fault(),
            ActivityDatabase::Unusable(_) => Some(DatabaseFault::NoAccessLog),
        })
    }

    /// The same without the database of activity.
    pub fn own_write_fault(&self) -> Option<DatabaseFault> {
        self.health.fault()
    }

    /// Commits of this process so far.
    pub fn commit_count(&self) -> u64 {
        self.health.commit_count()
    }

    /// The work that waits, and the connections to a database server.
    pub fn workload(&self) -> DatabaseWorkload {
        self.engine.workload()
    }

    /// Records that a probe write was not confirmed in time.
    pub fn report_unconfirmed_write(&self) {
        self.health.report_failure(&Error::Unknown);
    }

    /// How the connection to the database is protected.
    pub fn transport_protection(&self) -> TransportProtection {
        self.engine.transport_protection()
    }

    /// The same as text for a log, with the TLS version if TLS is used.
    #[boxed::future]
    pub async fn describe_transport(&self) -> String {
        let version = self.engine.tls_version().await.ok().flatten();
        version.unwrap_or_else(|| self.transport_protection().to_string())
    }

    /// Waits for queued work, then closes the database.
    #[boxed::future]
    pub async fn close(&self) {
        self.list_databases().for_each(|one| one.health.close());
        if let Some(activity) = self.separate_activity() {
            activity.engine.close().await;
        }
        self.engine.close().await;
    }

    /// Checks that the database answers. Waits only in the queue of point queries.
    #[boxed::future]
    pub async fn ping(&self) -> Result<(), Error> {
        self.query(QueryWeight::Point, crate::sql("SELECT 1 AS one")).await.map(drop)
    }

    /// Name and version of the database, for display.
    #[boxed::future]
    pub async fn describe_version(&self) -> Result<String, Error> {
        self.engine.describe_version().await
    }

    /// Tells this database from a copy of it, if the engine can report that and permits the query.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        self.engine.identity().await
    }

    /// The size of the database in bytes.
    #[boxed::future]
    pub async fn size(&self) -> Result<i64, Error> {
        let activity = match self.separate_activity() {
            Some(activity) => activity.engine.size().await?,
            None => 0,
        };
        Ok(self.engine.size().await? + activity)
    }

    /// What cannot be read correctly. It is subject to the search time limit, so it may time out on a very large
    /// database.
    #[boxed::future]
    pub async fn find_damage(&self) -> Result<Vec<String>, Error> {
        let mut damage = self.engine.find_damage().await?;
        if let Some(activity) = self.separate_activity() {
            damage.extend(activity.engine.find_damage().await?);
        }
        Ok(damage)
    }

    /// Database settings that can lose committed data on a power failure.
    #[boxed::future]
    pub async fn weak_durability_settings(&self) -> Result<Vec<String>, Error> {
        self.engine.weak_durability_settings().await
    }

    /// The time of the database server, if it has its own clock.
    #[boxed::future]
    pub async fn clock(&self) -> Result<Option<Moment>, Error> {
        self.engine.clock().await
    }
}

pub(crate) fn build_closed_error() -> Error {
    Error::Unavailable("the database was closed".to_owned())
}

/// A transaction, lent to a unit of work while it runs.
pub struct Tx {
    session: TransactionSession,
    fault: Option<UnitFault>,
    wrote: bool,
    writes: u64,
    foreseen: Vec<(Statement, Vec<Row>)>,
    health: Arc<WriteHealth>,
}

/// The first statement of a unit that failed. The engines behave differently after a failure, so no further statement
/// runs.
pub(crate) struct UnitFault {
    pub text: Cow<'static, str>,
    /// Rolled back by the database for a transient reason, such as a deadlock.
    pub passing: bool,
    /// It exceeded its time limit.
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

    /// Whether the unit may have written something so far.
    pub(crate) fn has_written(&self) -> bool {
        self.wrote
    }

    /// How many statements may have written so far. A unit with several steps uses it to tell whether a refused step
    /// had already written.
    pub fn write_count(&self) -> u64 {
        self.writes
    }

    pub(crate) fn take_fault(&mut self) -> Option<UnitFault> {
        self.fault.take()
    }

    /// All rows of the statement.
    pub async fn fetch_all(&mut self, statement: Statement) -> Result<Vec<Row>, Error> {
        if let Some(rows) = self.take_prefetched(&statement) {
            return Ok(rows);
        }
        self.begin_statement(!statement.is_read_only())?;
        let result = self.session.fetch_all(&statement).await;
        self.end_statement(result)
    }

    /// Fetches several statements in one round trip, if the database is remote. The same statement later uses these
    /// rows, once, unless the unit has written in between.
    pub async fn prefetch(&mut self, statements: Vec<Statement>) -> Result<(), Error> {
        if self.session.is_remote() {
            let rows = self.fetch_each(statements.clone()).await?;
            self.foreseen = statements.into_iter().zip(rows).collect();
        }
        Ok(())
    }

    /// Nothing is returned after a failed statement.
    fn take_prefetched(&mut self, statement: &Statement) -> Option<Vec<Row>> {
        if self.fault.is_some() {
            return None;
        }
        let place = self.foreseen.iter().position(|(known, _)| known == statement)?;
        Some(self.foreseen.swap_remove(place).1)
    }

    /// The first row, if any.
    pub async fn fetch_optional(&mut self, statement: Statement) -> Result<Option<Row>, Error> {
        Ok(self.fetch_all(statement).await?.into_iter().next())
    }

    /// Runs a statement that writes; returns the number of affected rows.
    pub async fn execute(&mut self, statement: Statement) -> Result<u64, Error> {
        self.begin_statement(true)?;
        let result = self.session.execute(&statement).await;
        self.end_statement(result)
    }

    /// The rows of several independent statements, pipelined.
    pub async fn fetch_several<const N: usize>(
        &mut self,
        statements: [Statement; N],
    ) -> Result<[Vec<Row>; N], Error> {
        let rows = self.fetch_each(statements.into()).await?;
        rows.try_into().map_err(|_| Error::Broken("as many answers as statements".to_owned()))
    }

    /// The same for a variable number of statements.
    pub(crate) async fn fetch_each(&mut self, statements: Vec<Statement>) -> Result<Vec<Vec<Row>>, Error> {
        let known: Vec<Option<Vec<Row>>> = statements.iter().map(|one| self.take_prefetched(one)).collect();
        let unknown: Vec<Statement> = statements
            .into_iter()
            .zip(&known)
            .filter(|(_, rows)| rows.is_none())
            .map(|(one, _)| one)
            .collect();
        let mut fetched = Vec::new();
        if !unknown.is_empty() {
            self.begin_statement(!unknown.iter().all(Statement::is_read_only))?;
            let result = self.session.fetch_several(&unknown).await;
            fetched = self.end_statement(result)?;
        }
        let mut fetched = fetched.into_iter();
        Ok(known.into_iter().map(|rows| rows.or_else(|| fetched.next()).unwrap_or_default()).collect())
    }

    /// Runs several writing statements in order, pipelined.
    pub async fn execute_batch(&mut self, statements: Vec<Statement>) -> Result<(), Error> {
        self.begin_statement(true)?;
        let result = self.session.execute_batch(&statements).await;
        self.end_statement(result)
    }

    /// A statement counts as failed until it ends, so that one whose future is dropped midway does not count as done.
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

/// A failed statement, as reported by an engine.
pub(crate) struct StatementFailure {
    pub error: Error,
    pub passing: bool,
}

impl From<Error> for StatementFailure {
    fn from(error: Error) -> StatementFailure {
        StatementFailure { error, passing: false }
    }
}

/// Where a read runs: on its own, or inside a unit of work. Read functions take `impl Into<ReadSource<'_>>`, so that
/// both `&db` and `&mut *tx` work.
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
