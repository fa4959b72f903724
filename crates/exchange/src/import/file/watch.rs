//! What ends the reading of a file before its end: the time that it may take, its sender leaving, or a part of a workbook
//! that is to be read a second time.

use domain::{Clock, ImportProblem, Moment};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long reading may take, whatever the file is, and for each MiB of it. A legal sheet of half a million lines needs
/// a tenth of that.
const TIME: Duration = Duration::from_secs(10);
const TIME_FOR_A_MIB: Duration = Duration::from_millis(500);

/// What a reading thread must keep to.
pub struct ReadingLimits {
    pub clock: Arc<dyn Clock>,
    /// Set when nobody waits for the file any more.
    pub cancelled: Arc<AtomicBool>,
}

pub struct ReadingWatch {
    limits: ReadingLimits,
    deadline: Cell<Moment>,
    /// Why reading was stopped.
    problem: RefCell<Option<ImportProblem>>,
    /// Where the file was last moved to, and where the parts that are done with begin.
    position: Cell<u64>,
    done_parts: RefCell<HashSet<u64>>,
}

impl ReadingWatch {
    pub fn new(limits: ReadingLimits, length: u64) -> Rc<ReadingWatch> {
        let mebibytes = u32::try_from(length / (1024 * 1024)).unwrap_or(u32::MAX);
        let deadline = limits.clock.now().plus(TIME + TIME_FOR_A_MIB.saturating_mul(mebibytes));
        Rc::new(ReadingWatch {
            limits,
            deadline: Cell::new(deadline),
            problem: RefCell::default(),
            position: Cell::new(0),
            done_parts: RefCell::default(),
        })
    }

    pub fn check(&self) -> Result<(), ImportProblem> {
        // Nobody is told of the first: the sender has gone.
        if self.limits.cancelled.load(Ordering::Relaxed) {
            return Err(ImportProblem::Damaged);
        }
        match self.limits.clock.now() > self.deadline.get() {
            true => Err(ImportProblem::TooSlow),
            false => Ok(()),
        }
    }

    /// Does something that is not reading: the time that it takes is not counted.
    pub fn run_untimed<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.limits.clock.now();
        let done = work();
        let spent = self.limits.clock.now().millis().saturating_sub(before.millis()).max(0);
        self.deadline.set(Moment::from_millis(self.deadline.get().millis().saturating_add(spent)));
        done
    }

    /// Why a library could not read on: because it was stopped here, or because of the file itself.
    pub fn take_problem(&self) -> ImportProblem {
        self.problem.take().unwrap_or(ImportProblem::Damaged)
    }

    /// Where the part begins that was opened last.
    pub fn part_position(&self) -> u64 {
        self.position.get()
    }

    /// A part is known by where its bytes are, so that no two names of it hide that it is one.
    pub fn forbid_part(&self, part: u64) {
        self.done_parts.borrow_mut().insert(part);
    }

    fn stop_reading(&self, problem: ImportProblem) -> io::Error {
        *self.problem.borrow_mut() = Some(problem);
        io::Error::other("the reading was stopped")
    }
}

/// A file that is read only as long as its watch allows.
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
