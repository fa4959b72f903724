//! Collects lines within the limits of a file: finds the header row and skips empty lines.

use super::reading_watch::ReadingWatch;
use domain::ImportProblem;
use std::rc::Rc;

/// Larger files must be split.
pub const MOST_LINES: u32 = 500_000;

pub(super) const MOST_COLUMNS: usize = 200;

/// Longer than any note.
pub(super) const LONGEST_CELL: usize = 4000;

/// The header row is searched in this many lines, because sheets may have titles above it.
pub(super) const MOST_TITLES: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpreadsheetLine {
    Headers(Vec<String>),
    /// The line number in the file, and one cell per header.
    Cells(u32, Vec<String>),
}

/// The reading state of a file.
pub(super) struct LineCollector<'t> {
    pub(super) columns: Option<usize>,
    /// Lines with one cell before the header row: titles, unless no wider line follows.
    pub(super) narrow: Vec<(u32, Vec<String>)>,
    pub(super) take: &'t mut dyn FnMut(SpreadsheetLine) -> bool,
    pub(super) count: u32,
    pub(super) watch: Rc<ReadingWatch>,
}

impl LineCollector<'_> {
    /// Adds a line; `false` if no more lines are needed.
    pub(super) fn push_line(&mut self, number: u32, mut cells: Vec<String>) -> Result<bool, ImportProblem> {
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.is_empty() {
            return Ok(true);
        }
        if cells.len() > MOST_COLUMNS {
            return Err(ImportProblem::TooManyColumns(MOST_COLUMNS));
        }
        if cells.iter().any(|cell| cell.len() > LONGEST_CELL && cell.chars().count() > LONGEST_CELL) {
            return Err(ImportProblem::CellTooLong { row: number, longest: LONGEST_CELL });
        }
        if self.columns.is_some() {
            return self.push_cells(number, cells);
        }
        if cells.iter().filter(|cell| !cell.is_empty()).count() > 1 {
            self.narrow.clear();
            return Ok(self.set_headers(cells));
        }
        if self.narrow.len() < MOST_TITLES {
            self.narrow.push((number, cells));
            return Ok(true);
        }
        self.flush_narrow_lines()?;
        self.push_cells(number, cells)
    }

    /// No wider line came: the file has one column.
    fn flush_narrow_lines(&mut self) -> Result<(), ImportProblem> {
        let mut narrow = std::mem::take(&mut self.narrow).into_iter();
        if let Some((_, names)) = narrow.next() {
            self.set_headers(names);
        }
        for (number, cells) in narrow {
            self.push_cells(number, cells)?;
        }
        Ok(())
    }

    fn set_headers(&mut self, cells: Vec<String>) -> bool {
        let mut names: Vec<String> = Vec::with_capacity(cells.len());
        for (at, cell) in (1..).zip(cells) {
            let name = if cell.is_empty() { format!("Coluna {at}") } else { cell };
            let mut unique_name = name.clone();
            let mut number = 2;
            while names.contains(&unique_name) {
                unique_name = format!("{name} ({number})");
                number += 1;
            }
            names.push(unique_name);
        }
        self.columns = Some(names.len());
        self.emit_line(SpreadsheetLine::Headers(names))
    }

    fn push_cells(&mut self, number: u32, mut cells: Vec<String>) -> Result<bool, ImportProblem> {
        // Cells to the right of the last header belong to no column.
        cells.resize(self.columns.unwrap_or_default(), String::new());
        if cells.iter().all(String::is_empty) {
            return Ok(true);
        }
        self.count += 1;
        if self.count > MOST_LINES {
            return Err(ImportProblem::TooManyRows(MOST_LINES));
        }
        Ok(self.emit_line(SpreadsheetLine::Cells(number, cells)))
    }

    /// The consumer may be slow: its time does not count towards the reading limit.
    fn emit_line(&mut self, line: SpreadsheetLine) -> bool {
        self.watch.run_untimed(|| (self.take)(line))
    }

    pub(super) fn finish(mut self) -> Result<(), ImportProblem> {
        if self.columns.is_none() {
            self.flush_narrow_lines()?;
        }
        if self.count == 0 { Err(ImportProblem::Empty) } else { Ok(()) }
    }
}
