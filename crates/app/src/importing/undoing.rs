//! Takes an import back, from its last line to its first, in short units: what it created and nothing refers to is removed,
//! what it changed and nobody has changed since becomes what it was, and the rest is left and told.

use super::running::{Tell, find, finish, is_of_a_line, renewed};
use super::{Counts, Doing, Undone};
use crate::base::confirm;
use crate::{App, Error, benefits, dependents, leads, people, registering};
use domain::{ImportKind, ImportState, Moment};
use std::time::Duration;
use storage::imports::{self, Lease, LineResult};
use storage::{Lane, Tx};

const LEASE: Duration = Duration::from_secs(30);
/// Lines of a unit.
const LINES: i64 = 64;

pub(super) async fn undo(
    app: &App,
    lease: &Lease,
    kind: ImportKind,
    mut position: i32,
    mut doing: Doing,
    tell: Tell<'_>,
) -> Result<(), Error> {
    // What follows from taking something back is told to nobody who was not told of it.
    loop {
        let lines = imports::results_before(&app.db, lease.tenant, lease.code, (position, LINES)).await?;
        let Some(last) = lines.last().map(|one| one.line) else { break };
        match take_back(app, lease, kind, &doing, &lines).await {
            Ok(true) => position = last,
            Ok(false) => return Ok(()),
            Err(Error::Stale) => {
                doing.registers = renewed(app, lease.tenant).await?;
                // Some of them may have been taken back one by one.
                position = find(app, lease).await?.position;
            }
            Err(error) => return Err(error),
        }
        if !doing.quiet {
            app.changed.notify_one();
        }
        tell(&find(app, lease).await?);
    }
    finish(app, lease, ImportState::Undone, "desfeita").await
}

/// `false` where the import is no longer ours.
async fn take_back(
    app: &App,
    lease: &Lease,
    kind: ImportKind,
    doing: &Doing,
    lines: &[LineResult],
) -> Result<bool, Error> {
    let unit = |lines: &[LineResult], given_up: bool| {
        let now = app.now();
        let doing = Doing { now, ..doing.clone() };
        Unit { lease: *lease, kind, doing, lines: lines.to_vec(), until: now.plus(LEASE), given_up }
    };
    let lane = Lane::background(lease.tenant);
    let write = |unit: Unit| app.db.write(lane, unit, |tx, unit| Box::pin(write_unit(tx, unit)));
    match write(unit(lines, false)).await {
        Err(error) if is_of_a_line(&error) => {}
        other => return other,
    }
    // One of them cannot be taken back, and has taken the others with it.
    for line in lines {
        let one = std::slice::from_ref(line);
        let held = match write(unit(one, false)).await {
            Err(error) if is_of_a_line(&error) => {
                tracing::warn!(%error, line = line.line, import = %lease.code, "a line could not be taken back");
                write(unit(one, true)).await?
            }
            other => other?,
        };
        if !held {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Unit {
    lease: Lease,
    kind: ImportKind,
    doing: Doing,
    lines: Vec<LineResult>,
    until: Moment,
    /// It was tried, and cannot be done.
    given_up: bool,
}

async fn write_unit(tx: &mut Tx, unit: &Unit) -> Result<bool, Error> {
    let Some(position) = unit.lines.last().map(|one| one.line) else { return Ok(true) };
    if !imports::advance(tx, &unit.lease, (position, unit.until), &Counts::default()).await? {
        return Ok(false);
    }
    confirm(tx, unit.lease.tenant, &unit.doing.registers).await?;
    let mut counts = Counts::default();
    let mut statements = Vec::new();
    for line in &unit.lines {
        let undone = match unit.given_up {
            true => Undone::Kept("já está ligado a outros registros".to_owned()),
            false => Box::pin(undo_line(tx, unit, line)).await?,
        };
        match undone {
            Undone::Removed => counts.removed += 1,
            Undone::Restored => counts.restored += 1,
            Undone::Kept(because) => {
                counts.kept += 1;
                statements.push(imports::keep_because(
                    unit.lease.tenant,
                    unit.lease.code,
                    line.line,
                    &because,
                ));
            }
        }
    }
    tx.batch(statements).await?;
    Ok(imports::advance(tx, &unit.lease, (position, unit.until), &counts).await?)
}

async fn undo_line(tx: &mut Tx, unit: &Unit, line: &LineResult) -> Result<Undone, Error> {
    match unit.kind {
        ImportKind::Members => people::imported::undo(tx, &unit.doing, line).await,
        ImportKind::Vehicles => benefits::imported::undo(tx, &unit.doing, line).await,
        ImportKind::Dependents => Box::pin(dependents::imported::undo(tx, &unit.doing, line)).await,
        ImportKind::Leads => leads::imported::undo(tx, &unit.doing, line).await,
        ImportKind::Plans | ImportKind::Sellers => {
            registering::imported::undo(tx, &unit.doing, unit.kind, line).await
        }
    }
}
