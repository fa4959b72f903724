//! Undoes an import from its last line to its first, in short transactions: deletes created records that nothing refers
//! to, restores changed records that were not changed since, and reports the rest.

use super::finish_stage::finish_stage;
use super::leased_import::{LEASE, load_leased_import};
use super::line_errors::is_line_error;
use super::progress_callback::ImportProgressCallback;
use app::import_row::{ImportUndoOutcome, ImportUnitContext};
use app::members::dependents;
use app::register_snapshot::{confirm_registers, reload_registers};
use app::sales::leads;
use app::{App, Error, benefits, members, registers};
use domain::{AuditedAction, ImportKind, ImportState, ImportUndoObstacle, Moment};
use storage::exchange::imports::leases::{LeasedImport, advance_import};
use storage::exchange::imports::line_results::{
    StoredLineResult, list_line_results_before, update_kept_reason,
};
use storage::exchange::imports::runs::ImportLineCounts;
use storage::{Tx, WriteLane};
use wire::refusal::describe_undo_obstacle;

const LINES_PER_TRANSACTION: i64 = 64;

pub(super) async fn undo_all_lines(
    app: &App,
    lease: &LeasedImport,
    kind: ImportKind,
    mut position: i32,
    mut context: ImportUnitContext,
    on_progress: ImportProgressCallback<'_>,
) -> Result<(), Error> {
    loop {
        let lines =
            list_line_results_before(&app.db, lease.tenant, lease.code, (position, LINES_PER_TRANSACTION))
                .await?;
        let Some(last) = lines.last().map(|one| one.line) else { break };
        match undo_batch(app, lease, kind, &context, &lines).await {
            Ok(true) => position = last,
            Ok(false) => return Ok(()),
            Err(Error::StaleRegisters) => {
                context.registers = reload_registers(app, lease.tenant).await?;
                // Some lines may have been undone one by one.
                position = load_leased_import(app, lease).await?.position;
            }
            Err(error) => return Err(error),
        }
        // An import that sent no triggers sends none when it is undone.
        if !context.suppresses_triggers {
            app.delivery_wakeup.notify_one();
        }
        on_progress(&load_leased_import(app, lease).await?);
    }
    finish_stage(app, lease, ImportState::Undone, AuditedAction::FinishImportUndo).await
}

/// `false` if the lease was lost.
async fn undo_batch(
    app: &App,
    lease: &LeasedImport,
    kind: ImportKind,
    context: &ImportUnitContext,
    lines: &[StoredLineResult],
) -> Result<bool, Error> {
    let unit = |lines: &[StoredLineResult], given_up: bool| {
        let now = app.now();
        let context = ImportUnitContext { now, ..context.clone() };
        UndoUnit { lease: *lease, kind, context, lines: lines.to_vec(), until: now.plus(LEASE), given_up }
    };
    let lane = WriteLane::background(lease.tenant);
    let write = |unit: UndoUnit| app.db.write(lane, unit, |tx, unit| Box::pin(write_undo_unit(tx, unit)));
    match write(unit(lines, false)).await {
        Err(error) if is_line_error(&error) => {}
        other => return other,
    }
    // One line cannot be undone and rolled back the others.
    for line in lines {
        let one = std::slice::from_ref(line);
        let has_lease = match write(unit(one, false)).await {
            Err(error) if is_line_error(&error) => {
                tracing::warn!(%error, line = line.line, import = %lease.code, "an import line could not be undone");
                write(unit(one, true)).await?
            }
            other => other?,
        };
        if !has_lease {
            return Ok(false);
        }
    }
    Ok(true)
}

struct UndoUnit {
    lease: LeasedImport,
    kind: ImportKind,
    context: ImportUnitContext,
    lines: Vec<StoredLineResult>,
    until: Moment,
    /// An earlier attempt failed: the record is kept.
    given_up: bool,
}

async fn write_undo_unit(tx: &mut Tx, unit: &UndoUnit) -> Result<bool, Error> {
    let Some(position) = unit.lines.last().map(|one| one.line) else { return Ok(true) };
    if !advance_import(tx, &unit.lease, (position, unit.until), &ImportLineCounts::default()).await? {
        return Ok(false);
    }
    confirm_registers(tx, unit.lease.tenant, &unit.context.registers).await?;
    let mut counts = ImportLineCounts::default();
    let mut statements = Vec::new();
    for line in &unit.lines {
        let undone = match unit.given_up {
            true => ImportUndoOutcome::Kept(ImportUndoObstacle::Referenced),
            false => Box::pin(undo_line(tx, unit, line)).await?,
        };
        match undone {
            ImportUndoOutcome::Removed => counts.removed += 1,
            ImportUndoOutcome::Restored => counts.restored += 1,
            ImportUndoOutcome::Kept(obstacle) => {
                counts.kept += 1;
                statements.push(update_kept_reason(
                    unit.lease.tenant,
                    unit.lease.code,
                    line.line,
                    &describe_undo_obstacle(&obstacle),
                ));
            }
        }
    }
    tx.execute_batch(statements).await?;
    Ok(advance_import(tx, &unit.lease, (position, unit.until), &counts).await?)
}

async fn undo_line(
    tx: &mut Tx,
    unit: &UndoUnit,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    match unit.kind {
        ImportKind::Members => members::import_rows::undo_member_import(tx, &unit.context, line).await,
        ImportKind::Vehicles => benefits::import_rows::undo_imported_benefit(tx, &unit.context, line).await,
        ImportKind::Dependents => {
            Box::pin(dependents::import_rows::undo_dependent_import(tx, &unit.context, line)).await
        }
        ImportKind::Leads => leads::import_rows::undo_lead_import(tx, &unit.context, line).await,
        ImportKind::Titles => finance::undo_title_import(tx, &unit.context, line).await,
        ImportKind::OpeningBalances => finance::undo_opening_balance_import(tx, &unit.context, line).await,
        // Registers.
        _ => registers::import_rows::undo_record_import(tx, &unit.context, unit.kind, line).await,
    }
}
