//! A thread that reads.

use super::connection::{Connection, control, limit};
use crate::db::{Tx, Weight};
use crate::engine::Session;
use crate::unit::{Ran, Work};
use crate::write_health::WriteHealth;
use crate::{Error, Row, Statement};
use crossbeam_channel::{Receiver, never, select_biased};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

pub enum Read {
    Statement { statement: Statement, reply: oneshot::Sender<Result<Vec<Row>, Error>>, gone: Option<Gone> },
    Snapshot(Work),
}

/// Set when a search's caller has gone, so that the thread does not go on searching for nobody.
pub type Gone = Arc<AtomicBool>;

/// A caller that waits for a search; dropping it says that he has gone.
pub struct Watch(Gone);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Point reads end sooner than looking would pay.
pub fn watch(weight: Weight) -> (Option<Watch>, Option<Gone>) {
    if weight == Weight::Point {
        return (None, None);
    }
    let gone = Gone::default();
    (Some(Watch(Arc::clone(&gone))), Some(gone))
}

pub struct Reader {
    pub points: Receiver<Read>,
    pub searches: Option<Receiver<Read>>,
    pub point_timeout: Duration,
    pub search_timeout: Duration,
    pub health: Arc<WriteHealth>,
}

impl Reader {
    pub fn run(self, connection: Connection) -> Tx {
        let mut tx = Tx::new(Session::Sqlite(Box::new(connection)), Arc::clone(&self.health));
        match &self.searches {
            None => {
                while let Ok(read) = self.points.recv() {
                    serve(&mut tx, read, self.point_timeout);
                }
            }
            Some(searches) => self.run_both(&mut tx, searches),
        }
        tx
    }

    fn run_both(&self, tx: &mut Tx, searches: &Receiver<Read>) {
        let (mut points, mut searches) = (self.points.clone(), searches.clone());
        let (mut open_points, mut open_searches) = (true, true);
        while open_points || open_searches {
            // Searches first: the other threads serve points alone, so neither starves.
            select_biased! {
                recv(searches) -> read => match read {
                    Ok(read) => serve(tx, read, self.search_timeout),
                    Err(_) => { open_searches = false; searches = never(); }
                },
                recv(points) -> read => match read {
                    Ok(read) => serve(tx, read, self.point_timeout),
                    Err(_) => { open_points = false; points = never(); }
                },
            }
        }
    }
}

fn serve(tx: &mut Tx, read: Read, span: Duration) {
    let Session::Sqlite(connection) = tx.session() else { return };
    connection.limit(span);
    match read {
        Read::Statement { reply, .. } if reply.is_closed() => {}
        Read::Statement { statement, reply, gone } => {
            connection.watch(gone);
            let _ = reply.send(connection.all(&statement).map_err(|failure| failure.error));
        }
        Read::Snapshot(work) if work.abandoned() => {}
        Read::Snapshot(mut work) => {
            // The caller of the search before has long gone.
            connection.watch(None);
            let failure = snapshot(tx, &mut work, span).err();
            work.answer(failure);
        }
    }
}

fn snapshot(tx: &mut Tx, work: &mut Work, span: Duration) -> Result<Ran, Error> {
    control(tx, "BEGIN")?;
    limit(tx, span);
    let ran = super::writer::run_unit(tx, work);
    control(tx, "ROLLBACK")?;
    ran
}
