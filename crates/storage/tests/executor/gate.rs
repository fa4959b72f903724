//! Holding a lane still while units are queued behind it, and a scratch table to see what they left.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use storage::{Db, Error, QueryWeight, Tx, WriteLane, sql};
use testkit::{Database, Engine};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The database with scratch tables.
pub async fn scratch(database: &Database) -> Db {
    let db = database.open().await;
    let tables =
        "CREATE TABLE marks (mark BIGINT PRIMARY KEY, place BIGINT NOT NULL, touched BIGINT NOT NULL);
         CREATE TABLE orphans (mark BIGINT REFERENCES marks (mark) DEFERRABLE INITIALLY DEFERRED);
         CREATE TABLE words (number BIGINT NOT NULL, word TEXT COLLATE \"C\");
         CREATE TABLE kinds (number BIGINT PRIMARY KEY, whole BIGINT, flag BOOLEAN, word TEXT, bytes BYTEA)";
    match database.folder() {
        Some(folder) => {
            let connection = rusqlite::Connection::open(folder.join("amparo.db")).unwrap();
            connection.execute_batch(&tables.replace("COLLATE \"C\"", "")).unwrap();
        }
        None => Database::statement(database.address_text(), tables).await,
    }
    db
}

/// Leaves a mark that tells when it was left.
pub async fn insert(tx: &mut Tx, mark: i64) -> Result<(), Error> {
    let insert = sql("INSERT INTO marks (mark, place, touched)
         SELECT CAST($1 AS BIGINT), CAST(COUNT(*) AS BIGINT), 0 FROM marks")
    .arg(mark);
    tx.execute(insert).await.map(drop)
}

pub async fn mark(db: &Db, lane: WriteLane, mark: i64) -> Result<(), Error> {
    db.write(lane, mark, |tx, mark| Box::pin(insert(tx, *mark))).await
}

pub async fn count(tx: &mut Tx) -> Result<i64, Error> {
    let row = tx.fetch_optional(sql("SELECT COUNT(*) AS n FROM marks")).await?.unwrap();
    row.get("n")
}

/// The marks left, by number.
pub async fn marks(db: &Db) -> Vec<i64> {
    column(db, sql("SELECT mark FROM marks ORDER BY mark")).await
}

/// The marks left, in the order in which they were.
pub async fn order(db: &Db) -> Vec<i64> {
    column(db, sql("SELECT mark FROM marks ORDER BY place, mark")).await
}

async fn column(db: &Db, statement: storage::Statement) -> Vec<i64> {
    let rows = db.query(QueryWeight::Search, statement).await.unwrap();
    rows.iter().map(|row| row.get("mark").unwrap()).collect()
}

/// Polls a future once, so that its unit stands in the queue when this returns, or is done already.
pub fn queue<'f, T: Send + 'f>(
    unit: impl Future<Output = T> + Send + 'f,
) -> Pin<Box<dyn Future<Output = T> + Send + 'f>> {
    let mut unit = Box::pin(unit);
    let mut context = Context::from_waker(Waker::noop());
    match unit.as_mut().poll(&mut context) {
        Poll::Pending => unit,
        Poll::Ready(done) => Box::pin(std::future::ready(done)),
    }
}

/// A place inside a unit where it waits. An engine that polls a unit once must be blocked, the other must not.
pub struct Barrier {
    blocks: bool,
    arrived: Notify,
    has_arrived: AtomicBool,
    opened: Notify,
    sender: mpsc::SyncSender<()>,
    receiver: std::sync::Mutex<mpsc::Receiver<()>>,
}

impl Barrier {
    pub fn new(database: &Database) -> Barrier {
        let (sender, receiver) = mpsc::sync_channel(1);
        Barrier {
            blocks: database.engine == Engine::Sqlite,
            arrived: Notify::new(),
            has_arrived: AtomicBool::new(false),
            opened: Notify::new(),
            sender,
            receiver: std::sync::Mutex::new(receiver),
        }
    }

    pub async fn arrive_and_wait(&self) {
        self.has_arrived.store(true, Ordering::SeqCst);
        self.arrived.notify_one();
        if self.blocks {
            self.receiver.lock().unwrap().recv().unwrap();
        } else {
            self.opened.notified().await;
        }
    }

    pub fn has_arrived(&self) -> bool {
        self.has_arrived.load(Ordering::SeqCst)
    }

    pub async fn arrived(&self) {
        self.arrived.notified().await;
    }

    pub fn open(&self) {
        self.opened.notify_one();
        let _ = self.sender.try_send(());
    }
}

/// A lane held still by a unit that waits in it.
pub struct Gate {
    barrier: Arc<Barrier>,
    unit: JoinHandle<Result<(), Error>>,
}

impl Gate {
    pub async fn close(db: &Db, database: &Database, lane: WriteLane) -> Gate {
        Gate::close_with(db, database, lane, None).await
    }

    /// The unit that holds the lane leaves a mark when it ends.
    pub async fn close_marking(db: &Db, database: &Database, lane: WriteLane, mark: i64) -> Gate {
        Gate::close_with(db, database, lane, Some(mark)).await
    }

    async fn close_with(db: &Db, database: &Database, lane: WriteLane, mark: Option<i64>) -> Gate {
        let barrier = Arc::new(Barrier::new(database));
        let (db, input) = (db.clone(), (Arc::clone(&barrier), mark));
        let unit = tokio::spawn(async move {
            let unit = db.write(lane, input, |tx, (barrier, mark)| {
                Box::pin(async move {
                    barrier.arrive_and_wait().await;
                    match mark {
                        Some(mark) => insert(tx, *mark).await,
                        None => Ok(()),
                    }
                })
            });
            unit.await
        });
        barrier.arrived().await;
        Gate { barrier, unit }
    }

    /// Whoever asked for the unit stops waiting for it.
    pub fn abandon(self) -> Gate {
        self.unit.abort();
        self
    }

    pub fn open(self) {
        self.barrier.open();
    }
}
