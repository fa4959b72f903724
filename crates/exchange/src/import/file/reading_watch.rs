//! Aborts the reading of a file: on a timeout, when the client disconnects, or when a part of a workbook would be read
//! twice.

use domain::{Clock, ImportProblem, Moment};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Reading timeout: a base and an addition per MiB. A valid sheet of half a million lines needs a tenth of it.
const BASE_TIMEOUT: Duration = Duration::from_secs(10);
const TIME_FOR_A_MIB: Duration = Duration::from_millis(500);

/// Limits for a reading thread.
pub struct ReadingLimits {
    pub clock: Arc<dyn Clock>,
    /// Set when the request was cancelled.
    pub cancelled: Arc<AtomicBool>,
}

pub struct ReadingWatch {
    limits: ReadingLimits,
    deadline: Cell<Moment>,
    /// Why reading was aborted.
    problem: RefCell<Option<ImportProblem>>,
    /// The last seek position, and the start positions of parts that must not be read again.
    position: Cell<u64>,
    done_parts: RefCell<HashSet<u64>>,
}

impl ReadingWatch {
    pub fn new(limits: ReadingLimits, length: u64) -> Rc<ReadingWatch> {
        let mebibytes = u32::try_from(length / (1024 * 1024)).unwrap_or(u32::MAX);
        let deadline = limits.clock.now().plus(BASE_TIMEOUT + TIME_FOR_A_MIB.saturating_mul(mebibytes));
        Rc::new(ReadingWatch {
            limits,
            deadline: Cell::new(deadline),
            problem: RefCell::default(),
            position: Cell::new(0),
            done_parts: RefCell::default(),
        })
    }

    pub fn check(&self) -> Result<(), ImportProblem> {
        // This error is never shown: the client has disconnected.
        if self.limits.cancelled.load(Ordering::Relaxed) {
            return Err(ImportProblem::Damaged);
        }
        match self.limits.clock.now() > self.deadline.get() {
            true => Err(ImportProblem::TooSlow),
            false => Ok(()),
        }
    }

    /// Runs work that does not count towards the reading time.
    pub fn run_untimed<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.limits.clock.now();
        let done = work();
        let spent = self.limits.clock.now().millis().saturating_sub(before.millis()).max(0);
        self.deadline.set(Moment::from_millis(self.deadline.get().millis().saturating_add(spent)));
        done
    }

    /// The reason of a library's read error: the abort requested here, or else a damaged file.
    pub fn take_problem(&self) -> ImportProblem {
        self.problem.take().unwrap_or(ImportProblem::Damaged)
    }

    /// The start position of the last opened part.
    pub fn part_position(&self) -> u64 {
        self.position.get()
    }

    /// Identifies a part by its position in the file, so that several names for it make no difference.
    pub fn forbid_part(&self, part: u64) {
        self.done_parts.borrow_mut().insert(part);
    }

    fn stop_reading(&self, problem: ImportProblem) -> io::Error {
        *self.problem.borrow_mut() = Some(problem);
        io::Error::other("the reading was stopped")
    }
}

/// A file that can be read only while its watch allows it.
pub struct WatchedFile {
    pub file: File,
    pub watch: Rc<ReadingWatch>,
}

impl Read for WatchedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.watch.check().map_err(|problem| self.watch.stop_reading(problem))?;
        self.file.read(into)
    }
}

impl Seek for WatchedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.file.seek(to)?;
        self.watch.position.set(position);
        match self.watch.done_parts.borrow().contains(&position) {
            true => Err(self.watch.stop_reading(ImportProblem::RepeatedSheet)),
            false => Ok(position),
        }
    }
}
