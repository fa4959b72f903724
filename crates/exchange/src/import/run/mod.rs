//! Runs an import: checks or writes its lines in low-priority transactions of up to a few hundred lines. Each
//! transaction also stores the position, so that another process can continue exactly there.

mod dry_run;

use super::row_reader::{ImportRowParser, ParsedImportRow};
use super::unit::{ImportUnit, ImportUnitOutcome, write_import_unit};
use super::{
    ImportCaller, ImportLineCounts, ImportUnitContext, RUN, RecordLineIndex, StoredImportRun, UNDO,
    refuse_unknown_import, undo,
};
use app::register_snapshot::{self, TenantRegisters};
use app::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ImportCode, ImportKind, ImportProblem, ImportState,
    Moment, Rejection, Scope, TenantId,
};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use storage::access::users;
use storage::exchange::imports::{self, ImportStateChange, LeasedImport};
use storage::history::audit;
use storage::{Tx, WriteLane};
use tokio::task::{Id, JoinSet};

/// Lease duration: after this time without renewal another process may take over.
const LEASE: Duration = Duration::from_secs(30);
/// Lines per transaction: small enough not to disturb other requests, and no more documents than one query looks up.
const MEMBERS: i64 = 256;
const OTHERS: i64 = 64;
/// Imports processed concurrently, and how many of them may belong to one tenant.
const AT_ONCE: usize = 16;
const OF_ONE: usize = 3;
/// How often new due imports are looked for meanwhile.
const LOOK: Duration = Duration::from_secs(5);
/// The lease is renewed after this many batches while done lines are replayed.
const STILL_THERE: usize = 32;

/// Called after every transaction.
pub type ImportProgressCallback<'t> = &'t mut (dyn FnMut(&StoredImportRun) + Send);

/// Runs due imports, several at a time, until none is left; returns whether there was any. A failed one is logged and
/// retried later, without delaying the others.
#[boxed::future]
pub async fn run_due_imports(app: &App) -> Result<bool, Error> {
    let (mut any, mut working) = (false, JoinSet::new());
    let (mut busy, mut failed): (HashMap<Id, ImportRunKey>, Vec<ImportRunKey>) = (HashMap::new(), Vec::new());
    loop {
        for one in list_due_imports(app, &busy, &failed).await? {
            let task = working.spawn(run_and_log_import(app.clone(), one));
            busy.insert(task.id(), one);
        }
        tokio::select! {
            ended = working.join_next_with_id() => {
                let Some(ended) = ended else { return Ok(any) };
                let (id, succeeded) = ended.unwrap_or_else(|panic| (panic.id(), false));
                any |= succeeded;
                // An immediate retry would fail again.
                failed.extend(busy.remove(&id).filter(|_| !succeeded));
            }
            () = app.importing.notified() => {}
            () = tokio::time::sleep(LOOK) => failed.clear(),
        }
    }
}

type ImportRunKey = (TenantId, ImportCode);

/// Due imports not in progress here, up to the total limit and the limit per tenant.
async fn list_due_imports(
    app: &App,
    busy: &HashMap<Id, ImportRunKey>,
    failed: &[ImportRunKey],
) -> Result<Vec<ImportRunKey>, Error> {
    let mut found = Vec::new();
    for tenant in storage::server::tenants::list_tenants(&app.db).await?.into_iter().filter(|one| one.active)
    {
        let tenant_count = busy.values().filter(|(other, _)| *other == tenant.id).count();
        let waiting = imports::list_due_imports(&app.db, tenant.id, app.now()).await?.into_iter();
        let waiting = waiting.map(|code| (tenant.id, code));
        let waiting = waiting.filter(|one| !failed.contains(one) && busy.values().all(|other| other != one));
        found.extend(waiting.take(OF_ONE.saturating_sub(tenant_count)));
    }
    found.truncate(AT_ONCE.saturating_sub(busy.len()));
    Ok(found)
}

/// Runs one import; returns whether there was work to do and it did not fail.
async fn run_and_log_import(app: App, (tenant, code): ImportRunKey) -> bool {
    match run_import(&app, tenant, code, &mut |_| {}).await {
        Ok(finished) => finished.is_some(),
        Err(error) => {
            tracing::warn!(%error, %tenant, import = %code, "an import could not go on; it is tried again");
            false
        }
    }
}

/// Runs an import until its stage ends, it is paused, or the lease is lost; returns its state then. `None` if there was
/// nothing to do or another process holds the lease.
#[boxed::future]
pub async fn run_import(
    app: &App,
    tenant: TenantId,
    code: ImportCode,
    on_progress: ImportProgressCallback<'_>,
) -> Result<Option<StoredImportRun>, Error> {
    let now = app.now();
    let input = (tenant, code, now);
    let lane = WriteLane::background(tenant);
    let lease = app.db.write(lane, input, |tx, (tenant, code, now)| {
        Box::pin(async move {
            Ok::<_, Error>(imports::lease_import(tx, *tenant, *code, (*now, now.plus(LEASE))).await?)
        })
    });
    let Some(lease) = lease.await? else { return Ok(None) };
    let result = Box::pin(run_leased_import(app, lease, on_progress)).await;
    if result.is_err() {
        // Allows an immediate retry.
        let release = app.db.write(lane, lease, |tx, lease| {
            Box::pin(async move { Ok::<_, Error>(imports::release_import(tx, lease).await?) })
        });
        let _ = release.await;
    }
    result.map(Some)
}

async fn run_leased_import(
    app: &App,
    lease: LeasedImport,
    on_progress: ImportProgressCallback<'_>,
) -> Result<StoredImportRun, Error> {
    let import = load_leased_import(app, &lease).await?;
    let Some(ImportCaller { scope, user, .. }) = find_stage_caller(app, lease.tenant, &import).await? else {
        // The user who started the stage lost the permission. Another user may start the rest.
        let to = match lease.state {
            ImportState::Checking => ImportState::Ready,
            ImportState::Undoing => ImportState::Done,
            _ => ImportState::Paused,
        };
        finish_stage(app, &lease, to, AuditedAction::StopImport).await?;
        return load_leased_import(app, &lease).await;
    };
    let context = ImportUnitContext {
        scope,
        registers: register_snapshot::load_registers(app, lease.tenant).await?,
        user,
        operation: if lease.state == ImportState::Undoing { UNDO } else { RUN },
        quiet: !import.triggers,
        branch: import.branch,
        is_dry_run: lease.state == ImportState::Checking,
        record_lines: RecordLineIndex::default(),
        now: app.now(),
    };
    if lease.state == ImportState::Undoing {
        undo::undo_all_lines(app, &lease, import.kind, import.position, context, on_progress).await?;
    } else {
        let parser = ImportRowParser::new(&import);
        let mut worker =
            ImportWorker { app, lease, context, kind: import.kind, parser, first_lines: HashMap::new() };
        worker.run(import.position, on_progress).await?;
    }
    let import = load_leased_import(app, &lease).await?;
    on_progress(&import);
    Ok(import)
}

pub(super) async fn load_leased_import(app: &App, lease: &LeasedImport) -> Result<StoredImportRun, Error> {
    imports::find_import_run(&app.db, lease.tenant, lease.code, None)
        .await?
        .ok_or_else(|| refuse_unknown_import(lease.code))
}

/// The user who started the current stage, if still permitted.
async fn find_stage_caller(
    app: &App,
    tenant: TenantId,
    import: &StoredImportRun,
) -> Result<Option<ImportCaller>, Error> {
    let Some(code) = import.acting else { return Ok(Some(ImportCaller::for_command(tenant))) };
    let found = users::find_user(&app.db, tenant, code).await?.filter(|user| user.active);
    let caller = found.map(|user| ImportCaller {
        scope: Scope::for_role(tenant, user.role, user.branches),
        user: Some(code),
        role: user.role,
    });
    Ok(caller.filter(|caller| caller.authorize_import(import.kind).is_ok()))
}

struct ImportStageEnd {
    lease: LeasedImport,
    to: ImportState,
    action: AuditedAction,
    now: Moment,
}

/// Moves a leased import to its next state.
pub(super) async fn finish_stage(
    app: &App,
    lease: &LeasedImport,
    to: ImportState,
    action: AuditedAction,
) -> Result<(), Error> {
    let input = ImportStageEnd { lease: *lease, to, action, now: app.now() };
    let lane = WriteLane::background(lease.tenant);
    app.db.write(lane, input, |tx, finish| Box::pin(write_stage_end(tx, finish))).await
}

async fn write_stage_end(tx: &mut Tx, finish: &ImportStageEnd) -> Result<(), Error> {
    let ImportStageEnd { lease, to, action, now } = finish;
    let import = imports::find_import_run(&mut *tx, lease.tenant, lease.code, None).await?;
    let Some(import) = import.filter(|one| one.state == lease.state) else { return Ok(()) };
    if !imports::advance_import(tx, lease, (import.position, *now), &ImportLineCounts::default()).await? {
        return Ok(());
    }
    // After an undo, the import had already finished before.
    let finished = *to == ImportState::Done && lease.state == ImportState::Running;
    let change = ImportStateChange { finished, ..ImportStateChange::default() };
    imports::update_import_state(tx, lease.tenant, lease.code, (*to, *now), &change).await?;
    let entry = audit::AuditEntry {
        tenant: lease.tenant,
        at: *now,
        user: import.acting,
        operation: if lease.state == ImportState::Undoing { UNDO } else { RUN },
        person: None,
        change: AuditedChange::new(*action, AuditedRecordKind::Import, lease.code.get()),
    };
    Ok(audit::append_audit_entry(tx, &entry).await?)
}

struct ImportWorker<'a> {
    app: &'a App,
    lease: LeasedImport,
    context: ImportUnitContext,
    kind: ImportKind,
    parser: ImportRowParser,
    /// The line that first used each unique key.
    first_lines: HashMap<u64, i32>,
}

impl ImportWorker<'_> {
    async fn run(&mut self, mut position: i32, on_progress: ImportProgressCallback<'_>) -> Result<(), Error> {
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
        let size = if self.kind == ImportKind::Members { MEMBERS } else { OTHERS };
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
            if units % STILL_THERE == 0 && !self.extend_lease(position).await? {
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
            self.app.changed.notify_one();
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

/// Whether an error is caused by the data, not by the current state of the database.
pub(super) fn is_line_error(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::Defect(_))
        || matches!(error, Error::Storage(storage::Error::Conflict(_) | storage::Error::Broken(_)))
}

pub(super) async fn reload_registers(app: &App, tenant: TenantId) -> Result<Arc<TenantRegisters>, Error> {
    register_snapshot::reload_registers(app, tenant).await
}
