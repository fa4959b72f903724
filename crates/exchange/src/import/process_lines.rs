//! Processes the lines of an import, transaction by transaction.

use super::dry_run::dry_run_lines;
use super::finish_stage::finish_stage;
use super::leased_import::{LEASE, load_leased_import};
use super::line_batch::LineBatchOutcome;
use super::line_worker::ImportLineWorker;
use super::parse_lines::parse_lines;
use super::progress_callback::ImportProgressCallback;
use super::write_lines::write_lines;
use app::Error;
use domain::{AuditedAction, ImportKind, ImportState};
use storage::WriteLane;
use storage::exchange::imports::leases::advance_import;
use storage::exchange::imports::line_problems::delete_line_problems;
use storage::exchange::imports::line_results::list_records_of_lines;
use storage::exchange::imports::runs::ImportLineCounts;

/// The lease is renewed after this many batches while done lines are replayed.
const BATCHES_PER_LEASE_EXTENSION: usize = 32;

pub(super) async fn process_lines(
    worker: &mut ImportLineWorker<'_>,
    mut position: i32,
    on_progress: ImportProgressCallback<'_>,
) -> Result<(), Error> {
    if position == 0 {
        clear_problems(worker).await?;
    } else if !replay_done_lines(worker, position).await? {
        return Ok(());
    }
    loop {
        let lines = worker.load_lines(position).await?;
        let Some((last, _)) = lines.last() else { break };
        let last = *last;
        let parsed_rows = parse_lines(worker, &lines);
        let ended = match worker.context.is_dry_run {
            true => dry_run_lines(worker, parsed_rows, last).await,
            false => write_lines(worker, parsed_rows, last).await,
        };
        match ended {
            Ok(LineBatchOutcome::Done(records)) => {
                worker.context.record_lines.insert_lines(records);
                position = last;
            }
            Ok(LineBatchOutcome::LeaseLost) => return Ok(()),
            Err(Error::StaleRegisters) => {
                worker.reload_registers().await?;
                // Some lines may have been written one by one.
                position = load_leased_import(worker.app, &worker.lease).await?.position;
            }
            Err(error) => return Err(error),
        }
        on_progress(&load_leased_import(worker.app, &worker.lease).await?);
    }
    match worker.context.is_dry_run {
        true => {
            finish_stage(worker.app, &worker.lease, ImportState::Checked, AuditedAction::FinishImportCheck)
                .await
        }
        false => {
            finish_stage(worker.app, &worker.lease, ImportState::Done, AuditedAction::FinishImport).await
        }
    }
}

/// Deletes the problems of an earlier stage.
async fn clear_problems(worker: &ImportLineWorker<'_>) -> Result<(), Error> {
    loop {
        let input = (worker.lease, worker.app.now().plus(LEASE));
        let lane = WriteLane::background(worker.lease.tenant);
        let cleared = worker.app.db.write(lane, input, |tx, (lease, until)| {
            Box::pin(async move {
                match advance_import(tx, lease, (0, *until), &ImportLineCounts::default()).await? {
                    true => Ok::<_, Error>(delete_line_problems(tx, lease.tenant, lease.code, 500).await?),
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
async fn replay_done_lines(worker: &mut ImportLineWorker<'_>, position: i32) -> Result<bool, Error> {
    let (mut after, mut units) = (0, 0);
    while after < position {
        let lines = worker.load_lines(after).await?;
        let Some((last, _)) = lines.last() else { break };
        let last = *last;
        let done: Vec<_> = lines.into_iter().filter(|(line, _)| *line <= position).collect();
        parse_lines(worker, &done);
        if !worker.context.is_dry_run && worker.kind != ImportKind::Members {
            let known = (after, last.min(position));
            let known =
                list_records_of_lines(&worker.app.db, worker.lease.tenant, worker.lease.code, known).await?;
            worker.context.record_lines.insert_lines(known);
        }
        after = last;
        units += 1;
        if units % BATCHES_PER_LEASE_EXTENSION == 0 && !extend_lease(worker, position).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `false` if the lease was lost.
async fn extend_lease(worker: &ImportLineWorker<'_>, position: i32) -> Result<bool, Error> {
    let input = (worker.lease, (position, worker.app.now().plus(LEASE)));
    let lane = WriteLane::background(worker.lease.tenant);
    let write = worker.app.db.write(lane, input, |tx, (lease, at)| {
        Box::pin(async move {
            Ok::<_, Error>(advance_import(tx, lease, *at, &ImportLineCounts::default()).await?)
        })
    });
    write.await
}
