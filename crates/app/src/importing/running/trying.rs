//! A dry run: lines are judged on a snapshot, where nothing can be written, and what is wrong with them is told.

use super::{LEASE, Worker};
use crate::Error;
use crate::base::confirm;
use crate::importing::shaped::{Row, Shaped};
use crate::importing::unit::{Ended, Stopped, member_rows, try_row};
use crate::importing::{Counts, Written};
use crate::people::imported as members;
use domain::{ImportKind, ImportProblem, Rejection};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use storage::{Lane, imports};

/// Lines that are tried at the same time.
const TRIED: usize = 8;

impl Worker<'_> {
    /// Tries lines, and writes what is wrong with them.
    pub(super) async fn judge(&self, shaped: Vec<Shaped>, position: i32) -> Result<Ended, Error> {
        let rows = shaped.iter().filter_map(|one| one.row.clone()).collect();
        let tried = if self.kind == ImportKind::Members {
            self.try_members(rows).await?
        } else {
            self.try_rows(rows).await?
        };
        let mut tried = tried.into_iter();
        let (mut counts, mut problems) = (Counts::default(), Vec::new());
        for mut one in shaped {
            let written = one.row.as_ref().and_then(|_| tried.next());
            if let Some(Written::Refused(rejections)) = &written {
                let told: Vec<_> = one.problems.iter().map(|problem| problem.header.clone()).collect();
                let more = self.shaper.names.refused(one.line, rejections);
                one.problems.extend(
                    more.into_iter()
                        .filter(|problem| problem.header.is_none() || !told.contains(&problem.header)),
                );
            }
            // What would be created has no code yet.
            let known = written.as_ref().and_then(Written::record).filter(|record| *record != 0);
            if let Some(record) = known.filter(|_| self.kind != ImportKind::Members)
                && let [(line, first)] = self.doing.meant.note([(record, one.line)])[..]
            {
                let told = [Rejection::Import(ImportProblem::SameRecord(first))];
                one.problems.extend(self.shaper.names.refused(line, &told));
            }
            match written {
                _ if !one.problems.is_empty() => counts.refused += 1,
                Some(Written::Created { .. }) => counts.created += 1,
                Some(Written::Changed { .. }) => counts.changed += 1,
                Some(Written::Same { .. }) => counts.same += 1,
                Some(Written::Refused(_)) | None => counts.refused += 1,
            }
            problems.extend(one.problems);
        }
        let unit = (self.lease, position, self.app.now().plus(LEASE), counts, problems);
        let lane = Lane::background(self.lease.tenant);
        let held = self.app.db.write(lane, unit, |tx, (lease, position, until, counts, problems)| {
            Box::pin(async move {
                if !imports::advance(tx, lease, (*position, *until), counts).await? {
                    return Ok::<_, Error>(false);
                }
                tx.batch(imports::add_problems(lease.tenant, lease.code, problems)).await?;
                Ok(true)
            })
        });
        Ok(if held.await? { Ended::Done(Vec::new()) } else { Ended::Lost })
    }

    async fn try_members(&self, rows: Vec<Row>) -> Result<Vec<Written>, Error> {
        let rows = member_rows(rows);
        let input = (self.doing.clone(), rows);
        let read = self.app.db.read(input, |tx, (doing, rows)| {
            Box::pin(async move {
                confirm(tx, doing.scope.tenant(), &doing.registers).await?;
                members::write(tx, doing, rows).await
            })
        });
        read.await
    }

    /// Each on a snapshot of its own, where the first thing that would be written ends it.
    async fn try_rows(&self, rows: Vec<Row>) -> Result<Vec<Written>, Error> {
        let tried = rows.into_iter().map(|row| {
            let input = (self.doing.clone(), row);
            let read = self.app.db.read(input, |tx, (doing, row)| Box::pin(try_row(tx, doing, row)));
            async move {
                match read.await {
                    Ok(written) | Err(Stopped::Would(written)) => Ok(written),
                    Err(Stopped::Failed(error)) => Err(error),
                }
            }
        });
        stream::iter(tried).buffered(TRIED).try_collect().await
    }
}
