//! Reads, parses and writes the lines of an import, transaction by transaction.

use crate::import::map_row::{ImportRowParser, ParsedImportRow};
use crate::import::stage::{ImportProgressCallback, LEASE, finish_stage, is_line_error, load_leased_import};
use crate::import::unit::{ImportUnit, ImportUnitOutcome, write_import_unit};
use crate::import::{ImportLineCounts, ImportUnitContext};
use app::{App, Error, register_snapshot};
use domain::{AuditedAction, ImportKind, ImportProblem, ImportState, Moment, Rejection};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use storage::WriteLane;
use storage::exchange::imports::{self, LeasedImport};

/// Lines per transaction: small enough not to disturb other requests, and no more documents than one query looks up.
const MEMBERS_PER_TRANSACTION: i64 = 256;

const OTHERS_PER_TRANSACTION: i64 = 64;

/// The lease is renewed after this many batches while done lines are replayed.
const BATCHES_PER_LEASE_EXTENSION: usize = 32;

pub(super) struct ImportWorker<'a> {
    pub(super) app: &'a App,
    pub(super) lease: LeasedImport,
    pub(super) context: ImportUnitContext,
    pub(super) kind: ImportKind,
    pub(super) parser: ImportRowParser,
    /// The line that first used each unique key.
    pub(super) first_lines: HashMap<u64, i32>,
}

impl ImportWorker<'_> {
    pub(super) async fn run(
        &mut self,
        mut position: i32,
        on_progress: ImportProgressCallback<'_>,
    ) -> Result<(), Error> {
        if position == 0 {
            self.clear_problems().await?;
        } else if !self.replay_done_lines(position).await? {
            return Ok(());
        }
        loop {
            let lines = self.load_lines(position).await?;
            let Some((last, _)) = lines.last() else { break };
            let last = *last;
            let parsed_rows = self.parse_lines(&lines);
            let ended = match self.context.is_dry_run {
                true => self.dry_run_lines(parsed_rows, last).await,
                false => self.write_lines(parsed_rows, last).await,
            };
            match ended {
                Ok(ImportUnitOutcome::Done(records)) => {
                    self.context.record_lines.insert_lines(records);
                    position = last;
                }
                Ok(ImportUnitOutcome::LeaseLost) => return Ok(()),
                Err(Error::StaleRegisters) => {
                    self.reload_registers().await?;
                    // Some lines may have been written one by one.
                    position = load_leased_import(self.app, &self.lease).await?.position;
                }
                Err(error) => return Err(error),
            }
            on_progress(&load_leased_import(self.app, &self.lease).await?);
        }
        match self.context.is_dry_run {
            true => {
                finish_stage(self.app, &self.lease, ImportState::Checked, AuditedAction::FinishImportCheck)
                    .await
            }
            false => {
                finish_stage(self.app, &self.lease, ImportState::Done, AuditedAction::FinishImport).await
            }
        }
    }

    async fn load_lines(&self, after: i32) -> Result<Vec<(i32, String)>, Error> {
        let size =
            if self.kind == ImportKind::Members { MEMBERS_PER_TRANSACTION } else { OTHERS_PER_TRANSACTION };
        Ok(imports::list_import_lines(&self.app.db, self.lease.tenant, self.lease.code, (after, size))
            .await?)
    }

    /// Reloads the registers and drops names looked up in the old ones.
    async fn reload_registers(&mut self) -> Result<(), Error> {
        self.context.registers = register_snapshot::reload_registers(self.app, self.lease.tenant).await?;
        self.parser.clear_name_cache();
        Ok(())
    }

    /// Deletes the problems of an earlier stage.
    async fn clear_problems(&self) -> Result<(), Error> {
        loop {
            let input = (self.lease, self.app.now().plus(LEASE));
            let lane = WriteLane::background(self.lease.tenant);
            let cleared = self.app.db.write(lane, input, |tx, (lease, until)| {
                Box::pin(async move {
                    match imports::advance_import(tx, lease, (0, *until), &ImportLineCounts::default())
                        .await?
                    {
                        true => Ok::<_, Error>(
                            imports::delete_line_problems(tx, lease.tenant, lease.code, 500).await?,
                        ),
                        false => Ok(0),
                    }
                })
            });
            if cleared.await? == 0 {
                return Ok(());
            }
        }
    }

    /// After a pause or crash: collects the keys of the lines already done. `false` if the lease was lost.
    async fn replay_done_lines(&mut self, position: i32) -> Result<bool, Error> {
        let (mut after, mut units) = (0, 0);
        while after < position {
            let lines = self.load_lines(after).await?;
            let Some((last, _)) = lines.last() else { break };
            let last = *last;
            let done: Vec<_> = lines.into_iter().filter(|(line, _)| *line <= position).collect();
            self.parse_lines(&done);
            if !self.context.is_dry_run && self.kind != ImportKind::Members {
                let known = (after, last.min(position));
                let known =
                    imports::list_records_of_lines(&self.app.db, self.lease.tenant, self.lease.code, known)
                        .await?;
                self.context.record_lines.insert_lines(known);
            }
            after = last;
            units += 1;
            if units % BATCHES_PER_LEASE_EXTENSION == 0 && !self.extend_lease(position).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `false` if the lease was lost.
    async fn extend_lease(&self, position: i32) -> Result<bool, Error> {
        let input = (self.lease, (position, self.app.now().plus(LEASE)));
        let lane = WriteLane::background(self.lease.tenant);
        let write = self.app.db.write(lane, input, |tx, (lease, at)| {
            Box::pin(async move {
                Ok::<_, Error>(imports::advance_import(tx, lease, *at, &ImportLineCounts::default()).await?)
            })
        });
        write.await
    }

    /// Parses lines. A line with the same key as an earlier one is refused, because it is unclear which one is right.
    fn parse_lines(&mut self, lines: &[(i32, String)]) -> Vec<ParsedImportRow> {
        let mut all = Vec::with_capacity(lines.len());
        for (line, cells) in lines {
            let mut parsed = self.parser.parse_row(&self.context.registers, *line, cells);
            if let Some(key) = &parsed.key {
                let mut hasher = DefaultHasher::new();
                key.hash(&mut hasher);
                let first = *self.first_lines.entry(hasher.finish()).or_insert(*line);
                if first != *line {
                    let duplicate = [Rejection::Import(ImportProblem::SameRecord(first))];
                    parsed.problems.extend(self.parser.names.describe_rejections(*line, &duplicate));
                    parsed.row = None;
                }
            }
            all.push(parsed);
        }
        all
    }

    /// Writes lines and the new position.
    async fn write_lines(
        &self,
        parsed_rows: Vec<ParsedImportRow>,
        position: i32,
    ) -> Result<ImportUnitOutcome, Error> {
        let now = self.app.now();
        let mut parsed_rows = parsed_rows;
        let unit = self.build_unit(parsed_rows.clone(), position, now);
        let ended = match self.write_unit(unit).await {
            Err(error) if is_line_error(&error) && parsed_rows.len() > 1 => {
                // One line cannot be written and rolled back the others.
                for one in parsed_rows.drain(..) {
                    let line = one.line;
                    match self.write_single_line(one, line, now).await? {
                        ImportUnitOutcome::Done(records) => self.context.record_lines.insert_lines(records),
                        ImportUnitOutcome::LeaseLost => return Ok(ImportUnitOutcome::LeaseLost),
                    };
                }
                Ok(ImportUnitOutcome::Done(Vec::new()))
            }
            Err(error) if is_line_error(&error) => match parsed_rows.pop() {
                Some(one) => self.write_single_line(one, position, now).await,
                None => Err(error),
            },
            other => other,
        };
        if !self.context.quiet {
            self.app.delivery_wakeup.notify_one();
        }
        ended
    }

    async fn write_single_line(
        &self,
        one: ParsedImportRow,
        position: i32,
        now: Moment,
    ) -> Result<ImportUnitOutcome, Error> {
        let unit = self.build_unit(vec![one.clone()], position, now);
        match self.write_unit(unit).await {
            Err(error) if is_line_error(&error) => {
                let rejections = match error {
                    Error::Refused(rejections) => rejections,
                    error => {
                        tracing::error!(%error, line = one.line, import = %self.lease.code, "a line could not be written");
                        vec![Rejection::Import(ImportProblem::LineFailed)]
                    }
                };
                let more = self.parser.names.describe_rejections(one.line, &rejections);
                let problems = one.problems.into_iter().chain(more).collect();
                let refused_row = ParsedImportRow { line: one.line, row: None, problems, key: None };
                self.write_unit(self.build_unit(vec![refused_row], position, now)).await
            }
            other => other,
        }
    }

    fn build_unit(&self, parsed_rows: Vec<ParsedImportRow>, position: i32, now: Moment) -> ImportUnit {
        let context = ImportUnitContext { now, ..self.context.clone() };
        let mut unit = ImportUnit {
            lease: self.lease,
            context,
            rows: Vec::new(),
            lines: Vec::new(),
            refused: Vec::new(),
            problems: Vec::new(),
            position,
            until: now.plus(LEASE),
            names: Arc::clone(&self.parser.names),
            members: self.kind == ImportKind::Members,
        };
        for one in parsed_rows {
            match one.row {
                Some(row) if one.problems.is_empty() => {
                    unit.rows.push(row);
                    unit.lines.push(one.line);
                }
                _ => unit.refused.push(one.line),
            }
            unit.problems.extend(one.problems);
        }
        unit
    }

    async fn write_unit(&self, unit: ImportUnit) -> Result<ImportUnitOutcome, Error> {
        let lane = WriteLane::background(self.lease.tenant);
        self.app.db.write(lane, unit, |tx, unit| Box::pin(write_import_unit(tx, unit))).await
    }
}
