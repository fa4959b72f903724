//! Dry run: lines are checked on a read-only snapshot, and their problems are recorded.

use super::worker::ImportWorker;
use crate::import::map_row::{ImportRecordDraft, ParsedImportRow};
use crate::import::stage::{LEASE, is_line_error};
use crate::import::unit::{DryRunInterruption, ImportUnitOutcome, extract_member_rows, try_row};
use crate::import::{ImportLineCounts, ImportRowOutcome};
use app::Error;
use app::members::import_rows as members;
use app::register_snapshot::confirm_registers;
use domain::{ImportKind, ImportProblem, Rejection};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use storage::WriteLane;
use storage::exchange::imports;

/// Lines checked concurrently.
const CONCURRENT_CHECKS: usize = 8;

impl ImportWorker<'_> {
    /// Checks lines and stores their problems.
    pub(super) async fn dry_run_lines(
        &self,
        parsed_rows: Vec<ParsedImportRow>,
        position: i32,
    ) -> Result<ImportUnitOutcome, Error> {
        let rows = parsed_rows.iter().filter_map(|one| one.row.clone()).collect();
        let outcomes = if self.kind == ImportKind::Members {
            self.try_members(rows).await?
        } else {
            self.try_rows(rows).await?
        };
        let mut outcomes = outcomes.into_iter();
        let (mut counts, mut problems) = (ImportLineCounts::default(), Vec::new());
        for mut one in parsed_rows {
            let written = one.row.as_ref().and_then(|_| outcomes.next());
            if let Some(ImportRowOutcome::Refused(rejections)) = &written {
                let reported_headers: Vec<_> =
                    one.problems.iter().map(|problem| problem.header.clone()).collect();
                let more = self.parser.names.describe_rejections(one.line, rejections);
                one.problems.extend(more.into_iter().filter(|problem| {
                    problem.header.is_none() || !reported_headers.contains(&problem.header)
                }));
            }
            // A record that would be created has no code yet.
            let known = written.as_ref().and_then(ImportRowOutcome::record).filter(|record| *record != 0);
            if let Some(record) = known.filter(|_| self.kind != ImportKind::Members)
                && let [(line, first)] = self.context.record_lines.insert_lines([(record, one.line)])[..]
            {
                let duplicate = [Rejection::Import(ImportProblem::SameRecord(first))];
                one.problems.extend(self.parser.names.describe_rejections(line, &duplicate));
            }
            match written {
                _ if !one.problems.is_empty() => counts.refused += 1,
                Some(ImportRowOutcome::Created { .. }) => counts.created += 1,
                Some(ImportRowOutcome::Changed { .. }) => counts.changed += 1,
                Some(ImportRowOutcome::Same { .. }) => counts.same += 1,
                Some(ImportRowOutcome::Refused(_)) | None => counts.refused += 1,
            }
            problems.extend(one.problems);
        }
        let unit = (self.lease, position, self.app.now().plus(LEASE), counts, problems);
        let lane = WriteLane::background(self.lease.tenant);
        let write = self.app.db.write(lane, unit, |tx, (lease, position, until, counts, problems)| {
            Box::pin(async move {
                if !imports::advance_import(tx, lease, (*position, *until), counts).await? {
                    return Ok::<_, Error>(false);
                }
                tx.execute_batch(imports::insert_line_problems(lease.tenant, lease.code, problems)).await?;
                Ok(true)
            })
        });
        Ok(if write.await? { ImportUnitOutcome::Done(Vec::new()) } else { ImportUnitOutcome::LeaseLost })
    }

    async fn try_members(&self, rows: Vec<ImportRecordDraft>) -> Result<Vec<ImportRowOutcome>, Error> {
        let rows = extract_member_rows(rows);
        match self.try_member_batch(rows.clone()).await {
            Err(error) if is_line_error(&error) => {}
            other => return other,
        }
        // One line cannot be checked; the others can, one by one.
        let mut outcomes = Vec::with_capacity(rows.len());
        for row in rows {
            match self.try_member_batch(vec![row]).await {
                Ok(checked) => outcomes.extend(checked),
                Err(error) if is_line_error(&error) => outcomes.push(self.refuse_failed_line(&error)),
                Err(error) => return Err(error),
            }
        }
        Ok(outcomes)
    }

    /// The outcome of a line that fails for a reason that is no rule.
    fn refuse_failed_line(&self, error: &Error) -> ImportRowOutcome {
        tracing::error!(%error, import = %self.lease.code, "a line could not be checked");
        ImportRowOutcome::Refused(vec![Rejection::Import(ImportProblem::LineFailed)])
    }

    async fn try_member_batch(
        &self,
        rows: Vec<members::MemberImportRow>,
    ) -> Result<Vec<ImportRowOutcome>, Error> {
        let input = (self.context.clone(), rows);
        let read = self.app.db.read(input, |tx, (context, rows)| {
            Box::pin(async move {
                confirm_registers(tx, context.scope.tenant(), &context.registers).await?;
                members::import_members(tx, context, rows).await
            })
        });
        read.await
    }

    /// Each row uses its own snapshot; the first attempted write ends the dry run.
    async fn try_rows(&self, rows: Vec<ImportRecordDraft>) -> Result<Vec<ImportRowOutcome>, Error> {
        let outcomes = rows.into_iter().map(|row| {
            let input = (self.context.clone(), row);
            let read = self.app.db.read(input, |tx, (context, row)| Box::pin(try_row(tx, context, row)));
            async move {
                match read.await {
                    Ok(written) | Err(DryRunInterruption::WouldWrite(written)) => Ok(written),
                    Err(DryRunInterruption::Failed(error)) if is_line_error(&error) => {
                        Ok(self.refuse_failed_line(&error))
                    }
                    Err(DryRunInterruption::Failed(error)) => Err(error),
                }
            }
        });
        stream::iter(outcomes).buffered(CONCURRENT_CHECKS).try_collect().await
    }
}
