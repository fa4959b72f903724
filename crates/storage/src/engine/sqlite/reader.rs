//! A thread that reads.

use super::connection::{Connection, control};
use crate::db::Tx;
use crate::engine::Session;
use crate::unit::{Ran, Work};
use crate::{Error, Row, Statement};
use crossbeam_channel::{Receiver, never, select_biased};
use std::time::Duration;
use tokio::sync::oneshot;

pub enum Read {
    Statement { statement: Statement, reply: oneshot::Sender<Result<Vec<Row>, Error>> },
    Snapshot(Box<dyn Work>),
}

pub struct Reader {
    pub points: Receiver<Read>,
    pub searches: Option<Receiver<Read>>,
    pub point_timeout: Duration,
    pub search_timeout: Duration,
}

impl Reader {
    pub fn run(self, connection: Connection) {
        let mut tx = Tx::new(Session::Sqlite(Box::new(connection)));
        match &self.searches {
            None => {
                while let Ok(read) = self.points.recv() {
                    serve(&mut tx, read, self.point_timeout);
                }
            }
            Some(searches) => self.run_both(&mut tx, searches),
        }
    }

    fn run_both(&self, tx: &mut Tx, searches: &Receiver<Read>) {
        let (mut points, mut searches) = (self.points.clone(), searches.clone());
        let (mut open_points, mut open_searches) = (true, true);
        while open_points || open_searches {
            select_biased! {
                recv(points) -> read => match read {
                    Ok(read) => serve(tx, read, self.point_timeout),
                    Err(_) => { open_points = false; points = never(); }
                },
                recv(searches) -> read => match read {
                    Ok(read) => serve(tx, read, self.search_timeout),
                    Err(_) => { open_searches = false; searches = never(); }
                },
            }
        }
    }
}

fn serve(tx: &mut Tx, read: Read, limit: Duration) {
    let Session::Sqlite(connection) = tx.session() else { return };
    connection.limit(limit);
    match read {
        Read::Statement { reply, .. } if reply.is_closed() => {}
        Read::Statement { statement, reply } => {
            let _ = reply.send(connection.all(&statement).map_err(|failure| failure.error));
        }
        Read::Snapshot(work) if work.abandoned() => {}
        Read::Snapshot(mut work) => {
            let failure = snapshot(tx, &mut *work).err();
            work.answer(failure);
        }
    }
}

fn snapshot(tx: &mut Tx, work: &mut dyn Work) -> Result<Ran, Error> {
    control(tx, "BEGIN")?;
    let ran = super::writer::run_unit(tx, work);
    control(tx, "ROLLBACK")?;
    ran
}
