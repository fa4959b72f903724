//! A file on its way in: kept in a temporary file that has no name while it comes, then read line by line and written in short
//! units. Until it was read to its end nobody sees the import; what is left of one that was cut off, housekeeping sweeps.

use super::file::{self, Line, ReadingLimits};
use super::{By, Import, RECEIVE, UNDO_FOR, refused};
use crate::once::{self, Done, Once};
use crate::{App, Error, HeavyWork};
use domain::{ImportCode, ImportKind, ImportProblem, ImportState, Moment};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::imports::{self, Change, Counts};
use storage::{Lane, Tx, audit};
use tokio::sync::mpsc;
use wire::sheet::{header_key, suggested};

/// Lines that travel together.
const TOGETHER: usize = 500;
/// Batches that wait to be written while the next are read.
const WAITING: usize = 4;
/// How long a workbook waits for others to be read.
const PATIENCE: Duration = Duration::from_secs(20);
/// Files of one base that wait to be confirmed: the next takes the place of the oldest.
pub const MOST_UNCONFIRMED: usize = 20;
/// A file that is being read for so long never came to its end.
const CUT_OFF_AFTER: Duration = Duration::from_secs(3600);

/// A file that grows as it comes.
pub struct Spool {
    file: File,
    length: u64,
    most: u64,
}

/// Where an upload of at most so many bytes is kept.
pub fn spool(most: u64) -> Result<Spool, Error> {
    let file = tempfile::tempfile().map_err(|error| Error::Text(format!("a temporary file: {error}")))?;
    Ok(Spool { file, length: 0, most })
}

impl Spool {
    /// Writes what came; more than may come is refused.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.length += bytes.len() as u64;
        if self.length > self.most {
            return Err(refused(ImportProblem::TooLarge(self.most.div_ceil(1024 * 1024))));
        }
        self.file.write_all(bytes).map_err(|error| Error::Text(format!("a temporary file: {error}")))
    }
}

enum Came {
    Headers(Vec<String>),
    Lines(Vec<(i32, String)>),
    End(Result<(), ImportProblem>),
}

/// Reads a file that has come; gives the import, ready to be looked at.
#[boxed::future]
pub async fn receive(
    app: &App,
    by: &By,
    kind: ImportKind,
    file_name: &str,
    spool: Spool,
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    by.must_import(kind)?;
    let mut file = spool.file;
    file.seek(SeekFrom::Start(0)).map_err(|error| Error::Text(format!("a temporary file: {error}")))?;
    receive_file(app, by, kind, file_name, file, once).await
}

/// The same of a file that lies on this machine.
#[boxed::future]
pub async fn receive_file(
    app: &App,
    by: &By,
    kind: ImportKind,
    file_name: &str,
    mut file: File,
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    by.must_import(kind)?;
    let (send, mut come) = mpsc::channel(WAITING);
    // A workbook is held in memory while it is read.
    let place = match file::is_workbook(&mut file).map_err(refused)? {
        true => {
            let places = &app.heavy_work.workbook_readings;
            let place = places.acquire(by.tenant(), PATIENCE).await;
            Some(place.ok_or(Error::NoPlace(HeavyWork::WorkbookReading))?)
        }
        false => None,
    };
    // Where the sender leaves, this future is dropped, and the reading thread ends with it.
    let cancel = CancelOnDrop::default();
    let limits = ReadingLimits { clock: Arc::clone(&app.clock), cancelled: Arc::clone(&cancel.0) };
    let reading = tokio::task::spawn_blocking(move || {
        read(file, limits, &send);
        drop(place);
    });
    let mut code = None;
    let mut total = 0;
    while let Some(came) = come.recv().await {
        match (came, code) {
            (Came::Headers(headers), _) => {
                make_room(app, by).await?;
                code = Some(begin(app, by, kind, file_name, headers).await?);
            }
            (Came::Lines(lines), Some(code)) => {
                total += lines.len() as i64;
                add(app, by, code, lines).await?;
            }
            (Came::End(Err(problem)), code) => {
                if let Some(code) = code {
                    remove(app, by, code).await?;
                }
                return Err(refused(problem));
            }
            (Came::End(Ok(())), Some(code)) => return end(app, by, (code, total), once).await,
            (Came::Lines(_) | Came::End(Ok(())), None) => break,
        }
    }
    drop(reading.await);
    Err(refused(ImportProblem::Damaged))
}

/// Tells the reading thread that nobody waits for it any more.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn read(file: File, limits: ReadingLimits, send: &mpsc::Sender<Came>) {
    let mut together = Vec::with_capacity(TOGETHER);
    let ended = file::read(file, limits, |line| match line {
        Line::Headers(names) => send.blocking_send(Came::Headers(names)).is_ok(),
        Line::Cells(number, cells) => {
            let number = i32::try_from(number).unwrap_or(i32::MAX);
            together.push((number, imports::list_text(&cells)));
            together.len() < TOGETHER
                || send.blocking_send(Came::Lines(std::mem::take(&mut together))).is_ok()
        }
    });
    if !together.is_empty() && send.blocking_send(Came::Lines(together)).is_err() {
        return;
    }
    let _ = send.blocking_send(Came::End(ended));
}

/// Removes the oldest files that nobody has confirmed where there are as many as may wait.
async fn make_room(app: &App, by: &By) -> Result<(), Error> {
    loop {
        let input = (by.clone(), app.now());
        let room = app.db.write(Lane::of(by.tenant()), input, |tx, (by, now)| {
            Box::pin(discard_oldest_unconfirmed(tx, by, *now))
        });
        match room.await? {
            Room::Free => return Ok(()),
            Room::Discarded(code) => remove(app, by, code).await?,
            Room::AllReading => return Err(refused(ImportProblem::TooManyReading(MOST_UNCONFIRMED))),
        }
    }
}

enum Room {
    Free,
    /// This one goes: nobody can confirm it any more.
    Discarded(ImportCode),
    AllReading,
}

async fn discard_oldest_unconfirmed(tx: &mut Tx, by: &By, now: Moment) -> Result<Room, Error> {
    let tenant = by.tenant();
    // The lines of those that are older were removed already.
    let waiting = imports::unconfirmed(&mut *tx, tenant, now.minus(UNDO_FOR)).await?;
    if waiting.len() < MOST_UNCONFIRMED {
        return Ok(Room::Free);
    }
    let may_go = |one: &&imports::Unconfirmed| {
        one.state != ImportState::Reading || one.updated_at < now.minus(CUT_OFF_AFTER)
    };
    // Nobody's file makes room for another user's as long as that one has some of his own.
    let own = waiting.iter().filter(may_go).find(|one| one.user == by.user);
    let Some(oldest) = own.or_else(|| waiting.iter().find(may_go)) else { return Ok(Room::AllReading) };
    let code = oldest.code;
    imports::set_state(tx, tenant, code, (ImportState::Reading, now), &Change::default()).await?;
    let entry = audit::Entry {
        tenant,
        at: now,
        user: by.user,
        operation: RECEIVE,
        person: None,
        detail: Some(format!("importação {code} descartada, sem ter sido iniciada, para dar lugar a outra")),
    };
    audit::append(tx, &entry).await?;
    Ok(Room::Discarded(code))
}

async fn begin(
    app: &App,
    by: &By,
    kind: ImportKind,
    file_name: &str,
    headers: Vec<String>,
) -> Result<ImportCode, Error> {
    let now = app.now();
    let file_name: String = file_name.chars().filter(|c| !c.is_control()).take(200).collect();
    let import = Import {
        code: ImportCode::new(0),
        kind,
        state: ImportState::Reading,
        file_name,
        mapping: vec![String::new(); headers.len()],
        headers,
        triggers: false,
        branch: None,
        user: by.user,
        acting: by.user,
        total: 0,
        position: 0,
        counts: Counts::default(),
        leased_until: Moment::from_millis(0),
        created_at: now,
        updated_at: now,
        started_at: None,
        finished_at: None,
    };
    let input = (by.tenant(), import);
    app.db
        .write(Lane::of(by.tenant()), input, |tx, (tenant, import)| {
            Box::pin(async move {
                let keys: Vec<String> = import.headers.iter().map(|header| header_key(header)).collect();
                let remembered = imports::remembered(&mut *tx, *tenant, import.kind, &keys).await?;
                let mapping = suggested(import.kind, &import.headers, &remembered);
                let code = ImportCode::new(counters::next(tx, *tenant, Counter::Import).await?);
                imports::insert(tx, *tenant, &Import { code, mapping, ..import.clone() }).await?;
                Ok(code)
            })
        })
        .await
}

async fn add(app: &App, by: &By, code: ImportCode, lines: Vec<(i32, String)>) -> Result<(), Error> {
    let input = (by.tenant(), code, lines);
    app.db
        .write(Lane::background(by.tenant()), input, |tx, (tenant, code, lines)| {
            Box::pin(
                async move { Ok(tx.batch(imports::add_lines(*tenant, *code, lines.iter().cloned())).await?) },
            )
        })
        .await
}

async fn remove(app: &App, by: &By, code: ImportCode) -> Result<(), Error> {
    loop {
        let removed =
            app.db.write(Lane::background(by.tenant()), (by.tenant(), code), |tx, (tenant, code)| {
                Box::pin(async move {
                    Ok::<_, Error>(imports::remove(tx, *tenant, *code, TOGETHER as u64).await?)
                })
            });
        if removed.await? {
            return Ok(());
        }
    }
}

struct Ended {
    by: By,
    code: ImportCode,
    total: i64,
    now: Moment,
}

async fn end(
    app: &App,
    by: &By,
    (code, total): (ImportCode, i64),
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    let input = Ended { by: by.clone(), code, total, now: app.now() };
    let lane = Lane::of(by.tenant());
    once::write(app, lane, once, input, |tx, ended| Box::pin(write_end(tx, ended))).await
}

async fn write_end(tx: &mut Tx, ended: &Ended) -> Result<Import, Error> {
    let (tenant, code) = (ended.by.tenant(), ended.code);
    let change = Change { total: Some(ended.total), ..Change::default() };
    imports::set_state(tx, tenant, code, (ImportState::Ready, ended.now), &change).await?;
    let entry = audit::Entry {
        tenant,
        at: ended.now,
        user: ended.by.user,
        operation: RECEIVE,
        person: None,
        detail: Some(format!("importação {code} recebida, com {} linhas", ended.total)),
    };
    audit::append(tx, &entry).await?;
    imports::find(&mut *tx, tenant, code, None).await?.ok_or_else(|| super::unknown(code))
}
