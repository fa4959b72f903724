//! One connection and its prepared statements.

use super::connector::ConnectionGeneration;
use super::failure::{classify_failure, is_write_refusal};
use super::handshake::ServerHandshake;
use super::values::{RawColumn, ServerColumnKind};
use crate::engine::statement_texts::StatementTextCache;
use crate::engine::{TransportProtection, dialect, refuse_nul_text};
use crate::executor::db::StatementFailure;
use crate::executor::row::{ResultBuffer, ResultColumn, SharedColumns};
use crate::{Error, ExecutedStatement, Row, Statement, StatementCost, StatementWatch};
use domain::DatabaseFault;
use futures_util::future::join_all;
use futures_util::{StreamExt, pin_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// The name index (`dialect::translate_name_index`). The order is an expression: ordered by the plain column, the server
/// would scan the keys in order until it finds the words.
const NAME_INDEX_TERMS: [&str; 4] = ["key", "(n.key + 0)", "n.words @@ name_query", "tsvector"];

pub struct ServerSession {
    client: tokio_postgres::Client,
    handshake: ServerHandshake,
    limit: Duration,
    prepared: Mutex<StatementTextCache<Arc<OnceCell<PreparedStatement>>>>,
    /// Must not be reused: a transaction of unknown outcome, or a cancelled statement.
    spoilt: AtomicBool,
    /// In a transaction that we declared read-only.
    only_reads: AtomicBool,
    generation: ConnectionGeneration,
    opened_at: Instant,
    /// The observer of statements, and when the last statement ended.
    watch: Option<(StatementWatch, Mutex<Instant>)>,
}

struct PreparedStatement {
    statement: tokio_postgres::Statement,
    /// The translated text, if it differs from the original.
    text: Option<Box<str>>,
    columns: SharedColumns,
    kinds: Vec<ServerColumnKind>,
}

/// The answer to one of several pipelined statements. Which is read first is chance, so the observer is notified once all are
/// there, in the order of the statements.
struct TimedAnswer<T> {
    answer: Result<T, StatementFailure>,
    prepared: Arc<OnceCell<PreparedStatement>>,
    started: Instant,
    ended: Instant,
}

fn get_prepared(cell: &OnceCell<PreparedStatement>) -> &PreparedStatement {
    cell.get().expect("a statement is prepared before it is used")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "counts what an answer holds")]
fn count_touched(touched: &u64) -> usize {
    usize::try_from(*touched).unwrap_or(usize::MAX)
}

/// A connection younger than this already reaches the current server: replacing it would find no other one, and every
/// refused write would cost a connection.
const REPLACED_AFTER: Duration = Duration::from_secs(1);

impl ServerSession {
    pub fn new(
        client: tokio_postgres::Client,
        handshake: ServerHandshake,
        limit: Duration,
        (generation, watch): (ConnectionGeneration, Option<StatementWatch>),
    ) -> ServerSession {
        let now = Instant::now();
        ServerSession {
            client,
            handshake,
            limit,
            prepared: Mutex::default(),
            spoilt: AtomicBool::new(false),
            only_reads: AtomicBool::new(false),
            generation,
            opened_at: now,
            watch: watch.map(|watch| (watch, Mutex::new(now))),
        }
    }

    pub fn protection(&self) -> TransportProtection {
        self.handshake.protection()
    }

    /// Sets whether the following transactions are read-only.
    pub fn set_only_reads(&self, only_reads: bool) {
        self.only_reads.store(only_reads, Ordering::Relaxed);
    }

    /// Classifies a failure. A server that refuses writes may have been demoted, so all connections are replaced, and
    /// the next ones reach the promoted server.
    fn classify_error(&self, error: &tokio_postgres::Error) -> StatementFailure {
        let failure = classify_failure(error);
        if !is_write_refusal(&failure.error) {
            return failure;
        }
        let is_read_only =
            matches!(failure.error, Error::DatabaseFault { fault: DatabaseFault::ReadOnly, .. });
        if is_read_only && self.only_reads.load(Ordering::Relaxed) {
            return Error::ReadOnlyTransaction(failure.error.to_string()).into();
        }
        if self.opened_at.elapsed() >= REPLACED_AFTER {
            self.generation.retire();
        }
        failure
    }

    pub fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Whether the failure ended this connection: the server said so (57P01 and similar precede the close), or the
    /// connection is closed.
    pub fn is_lost(&self, error: &Error) -> bool {
        !self.is_open() || matches!(error, Error::Unavailable(text) if text.contains("(57P"))
    }

    /// Prevents the reuse of a connection that the server has closed.
    pub fn spoil_if_lost(&self, error: &Error) {
        if self.is_lost(error) {
            self.spoil();
        }
    }

    /// Whether it may be reused.
    pub fn is_usable(&self) -> bool {
        self.is_sound() && self.generation.is_current()
    }

    /// Whether its state is known: it is open and not spoilt.
    pub fn is_sound(&self) -> bool {
        self.is_open() && !self.spoilt.load(Ordering::Relaxed)
    }

    pub fn spoil(&self) {
        self.spoilt.store(true, Ordering::Relaxed);
    }

    /// Asks the server to cancel the running statement, and prevents the reuse of the connection.
    pub fn cancel(&self) {
        self.spoil();
        let (token, handshake) = (self.client.cancel_token(), self.handshake.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { drop(token.cancel_query(handshake).await) });
        }
    }

    #[boxed::future]
    pub async fn fetch_all(&self, statement: &Statement) -> Result<Vec<Row>, StatementFailure> {
        self.await_answer(self.fetch_rows(statement)).await
    }

    /// Sends all statements at once, pipelined in order.
    #[boxed::future]
    pub async fn fetch_several(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, StatementFailure> {
        for statement in statements {
            self.prepare(statement).await?;
        }
        let all = join_all(statements.iter().map(|statement| self.fetch_timed(statement)));
        let answers = async { Ok::<_, StatementFailure>(all.await) };
        let answers = self.await_answer(answers).await?.into_iter().zip(statements);
        answers.map(|(timed, statement)| self.notify_observer(statement, timed?, Vec::len)).collect()
    }

    async fn fetch_rows(&self, statement: &Statement) -> Result<Vec<Row>, StatementFailure> {
        let timed = self.fetch_timed(statement).await?;
        self.notify_observer(statement, timed, Vec::len)
    }

    async fn fetch_timed(&self, statement: &Statement) -> Result<TimedAnswer<Vec<Row>>, StatementFailure> {
        let prepared = self.prepare(statement).await?;
        let started = Instant::now();
        let answer = self.read_rows(statement, get_prepared(&prepared)).await;
        Ok(TimedAnswer { answer, prepared, started, ended: Instant::now() })
    }

    async fn read_rows(
        &self,
        statement: &Statement,
        prepared: &PreparedStatement,
    ) -> Result<Vec<Row>, StatementFailure> {
        let stream = self
            .client
            .query_raw(&prepared.statement, statement.values())
            .await
            .map_err(|e| self.classify_error(&e))?;
        pin_mut!(stream);
        let mut page = ResultBuffer::new(Arc::clone(&prepared.columns), (0, 0));
        while let Some(row) = stream.next().await {
            let row = row.map_err(|e| self.classify_error(&e))?;
            for (at, kind) in prepared.kinds.iter().enumerate() {
                let RawColumn(raw) = row.try_get(at).map_err(|e| self.classify_error(&e))?;
                page.push(kind.decode(raw).map_err(|e| Error::Broken(e.to_string()))?)?;
            }
        }
        Ok(page.into_rows())
    }

    /// Waits for a response with a time limit: a frozen server neither answers nor closes the connection.
    async fn await_answer<T>(
        &self,
        answer: impl Future<Output = Result<T, StatementFailure>>,
    ) -> Result<T, StatementFailure> {
        match tokio::time::timeout(self.limit, answer).await {
            Ok(answer) => answer,
            Err(_) => {
                self.spoil();
                Err(Error::Unavailable("the database server does not answer".to_owned()).into())
            }
        }
    }

    #[boxed::future]
    pub async fn execute(&self, statement: &Statement) -> Result<u64, StatementFailure> {
        let timed = self.execute_timed(statement).await?;
        self.notify_observer(statement, timed, count_touched)
    }

    async fn execute_timed(&self, statement: &Statement) -> Result<TimedAnswer<u64>, StatementFailure> {
        let prepared = self.prepare(statement).await?;
        let started = Instant::now();
        let touched = self.client.execute_raw(&get_prepared(&prepared).statement, statement.values()).await;
        let answer = touched.map_err(|e| self.classify_error(&e));
        Ok(TimedAnswer { answer, prepared, started, ended: Instant::now() })
    }

    /// Notifies the observer that a statement has ended, and returns its answer. Statements are pipelined, so time spent
    /// waiting for earlier ones is not counted.
    fn notify_observer<T>(
        &self,
        statement: &Statement,
        timed: TimedAnswer<T>,
        count_rows: impl Fn(&T) -> usize,
    ) -> Result<T, StatementFailure> {
        let TimedAnswer { answer, prepared, started, ended } = timed;
        let Some((watch, last)) = &self.watch else { return answer };
        let mut last = last.lock().expect("a moment is never poisoned");
        let took = ended.saturating_duration_since(started.max(*last));
        *last = ended.max(*last);
        drop(last);
        let cost = StatementCost { took, steps: 0, rows: answer.as_ref().map_or(0, count_rows) };
        let text = get_prepared(&prepared).text.as_deref().unwrap_or(statement.text());
        watch.notify(&ExecutedStatement { text, values: statement.values(), cost });
        answer
    }

    /// Sends all statements at once. They are polled in order, and the first poll sends.
    #[boxed::future]
    pub async fn execute_batch(&self, statements: &[Statement]) -> Result<(), StatementFailure> {
        for statement in statements {
            self.prepare(statement).await?;
        }
        let all = join_all(statements.iter().map(|statement| self.execute_timed(statement))).await;
        let answers = all.into_iter().zip(statements);
        // The first failure holds the cause; later ones only report an aborted transaction.
        answers
            .map(|(timed, statement)| self.notify_observer(statement, timed?, count_touched).map(drop))
            .fold(Ok(()), Result::and)
    }

    /// Runs statements without parameters, such as BEGIN and SAVEPOINT.
    #[boxed::future]
    pub async fn execute_control(&self, text: &str) -> Result<(), Error> {
        let run = async { self.client.batch_execute(text).await.map_err(|e| self.classify_error(&e)) };
        self.await_answer(run).await.map_err(|failure| failure.error)
    }

    /// Prepares each text once, even for concurrent callers.
    async fn prepare(
        &self,
        statement: &Statement,
    ) -> Result<Arc<OnceCell<PreparedStatement>>, StatementFailure> {
        refuse_nul_text(statement)?;
        let cell = {
            let mut known = self.prepared.lock().expect("the statements are never poisoned");
            Arc::clone(known.get_or_insert_with(statement, |_| Arc::default()))
        };
        if cell.initialized() {
            return Ok(cell);
        }
        let prepare = || async {
            let named =
                dialect::translate_name_index(statement.text(), NAME_INDEX_TERMS).map(String::into_boxed_str);
            let text = named.as_deref().unwrap_or(statement.text());
            let statement = self.client.prepare(text).await.map_err(|e| self.classify_error(&e))?;
            let columns =
                statement.columns().iter().map(|column| ResultColumn::from(column.name())).collect();
            let kind = |column: &tokio_postgres::Column| {
                ServerColumnKind::from_type(column.type_()).ok_or_else(|| {
                    let (name, kind) = (column.name(), column.type_());
                    Error::Broken(format!("column {name} of type {kind}: cast it to one of the four"))
                })
            };
            let kinds = statement.columns().iter().map(kind).collect::<Result<_, Error>>()?;
            Ok::<_, StatementFailure>(PreparedStatement { statement, text: named, columns, kinds })
        };
        cell.get_or_try_init(prepare).await?;
        Ok(cell)
    }
}
