//! Works on an import: tries or writes its lines, a few hundred in a unit, behind everybody else. Whoever holds the import
//! writes how far it is in the unit of what it did, so that another goes on exactly there.

use super::shaped::{Row, Shaped, Shaper};
use super::{Counts, Doing, Import, Problem, RUN, UNDO, Written, undoing, unknown};
use crate::base::{self, Registers, confirm};
use crate::people::imported as members;
use crate::{App, Error, benefits, dependents, leads, registering};
use domain::{ImportCode, ImportKind, ImportOutcome, ImportState, Moment, Role, Scope, TenantId, UserCode};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use storage::imports::{self, Change, Lease, LineResult};
use storage::{Lane, Tx, audit, users};

/// How long a process may be silent before another takes the import over.
const LEASE: Duration = Duration::from_secs(30);
/// Lines of a unit: few enough that nobody notices, and no more documents than one question asks for.
const MEMBERS: i64 = 256;
const OTHERS: i64 = 64;
/// Lines that are tried at the same time.
const TRIED: usize = 8;

/// Told how far an import is, after every unit.
pub type Tell<'t> = &'t mut (dyn FnMut(&Import) + Send);

/// Works on every import that waits for somebody; says whether there was any.
pub async fn run_due(app: &App) -> Result<bool, Error> {
    let mut any = false;
    for tenant in storage::tenants::all(&app.db).await?.into_iter().filter(|one| one.active) {
        for code in imports::due(&app.db, tenant.id, app.now()).await? {
            any |= work(app, tenant.id, code, &mut |_| {}).await?.is_some();
        }
    }
    Ok(any)
}

/// Works on an import until its stage ends, it is paused, or another takes it over; gives it as it is then. `None` where
/// there was nothing to do for us.
pub async fn work(
    app: &App,
    tenant: TenantId,
    code: ImportCode,
    tell: Tell<'_>,
) -> Result<Option<Import>, Error> {
    let now = app.now();
    let asked = (tenant, code, now);
    let lane = Lane::background(tenant);
    let lease = app.db.write(lane, asked, |tx, (tenant, code, now)| {
        Box::pin(
            async move { Ok::<_, Error>(imports::lease(tx, *tenant, *code, (*now, now.plus(LEASE))).await?) },
        )
    });
    let Some(lease) = lease.await? else { return Ok(None) };
    let worked = Box::pin(work_on(app, lease, tell)).await;
    if worked.is_err() {
        // Somebody may try again at once.
        let release = app.db.write(lane, lease, |tx, lease| {
            Box::pin(async move { Ok::<_, Error>(imports::release(tx, lease).await?) })
        });
        let _ = release.await;
    }
    worked.map(Some)
}

async fn work_on(app: &App, lease: Lease, tell: Tell<'_>) -> Result<Import, Error> {
    let import = find(app, &lease).await?;
    let Some((scope, user)) = whose(app, lease.tenant, import.user).await? else {
        // Whoever started it may no longer do so.
        let to = if lease.state == ImportState::Checking { ImportState::Ready } else { ImportState::Paused };
        finish(app, &lease, to, "parada: o usuário já não acessa o sistema").await?;
        return find(app, &lease).await;
    };
    let doing = Doing {
        scope,
        registers: base::registers(app, lease.tenant).await?,
        user,
        operation: if lease.state == ImportState::Undoing { UNDO } else { RUN },
        quiet: !import.triggers,
        trial: lease.state == ImportState::Checking,
        now: app.now(),
    };
    if lease.state == ImportState::Undoing {
        undoing::undo(app, &lease, import.kind, import.position, doing, tell).await?;
    } else {
        let names = Shaper::new(&import);
        let mut worker = Worker { app, lease, doing, kind: import.kind, shaper: names, seen: HashMap::new() };
        worker.run(import.position, tell).await?;
    }
    let import = find(app, &lease).await?;
    tell(&import);
    Ok(import)
}

pub(super) async fn find(app: &App, lease: &Lease) -> Result<Import, Error> {
    imports::find(&app.db, lease.tenant, lease.code, None).await?.ok_or_else(|| unknown(lease.code))
}

type Who = (Scope, Option<UserCode>);

/// What whoever started an import may do now.
async fn whose(app: &App, tenant: TenantId, user: Option<UserCode>) -> Result<Option<Who>, Error> {
    let Some(code) = user else { return Ok(Some((Scope::whole(tenant), None))) };
    let found = users::find(&app.db, tenant, code).await?;
    let usable = found.filter(|user| user.active && user.role != Role::Integration);
    Ok(usable.map(|user| (Scope::of(tenant, user.role, user.branches), Some(code))))
}

struct Finish {
    lease: Lease,
    to: ImportState,
    told: &'static str,
    now: Moment,
}

/// Brings an import that is ours into its next state.
pub(super) async fn finish(
    app: &App,
    lease: &Lease,
    to: ImportState,
    told: &'static str,
) -> Result<(), Error> {
    let input = Finish { lease: *lease, to, told, now: app.now() };
    let lane = Lane::background(lease.tenant);
    app.db.write(lane, input, |tx, finish| Box::pin(write_finish(tx, finish))).await
}

async fn write_finish(tx: &mut Tx, finish: &Finish) -> Result<(), Error> {
    let Finish { lease, to, told, now } = finish;
    let import = imports::find(&mut *tx, lease.tenant, lease.code, None).await?;
    let Some(import) = import.filter(|one| one.state == lease.state) else { return Ok(()) };
    if !imports::advance(tx, lease, (import.position, *now), &Counts::default()).await? {
        return Ok(());
    }
    let change = Change { finished: *to == ImportState::Done, ..Change::default() };
    imports::set_state(tx, lease.tenant, lease.code, (*to, *now), &change).await?;
    let entry = audit::Entry {
        tenant: lease.tenant,
        at: *now,
        user: import.user,
        operation: if lease.state == ImportState::Undoing { UNDO } else { RUN },
        person: None,
        detail: Some(format!("importação {} {told}", lease.code)),
    };
    Ok(audit::append(tx, &entry).await?)
}

struct Worker<'a> {
    app: &'a App,
    lease: Lease,
    doing: Doing,
    kind: ImportKind,
    shaper: Shaper,
    /// On which line each record was meant first.
    seen: HashMap<u64, i32>,
}

/// How a unit ended.
enum Ended {
    Done,
    /// The import is no longer ours.
    Lost,
}

impl Worker<'_> {
    async fn run(&mut self, mut position: i32, tell: Tell<'_>) -> Result<(), Error> {
        if position == 0 {
            self.clear_problems().await?;
        } else {
            self.see_again(position).await?;
        }
        loop {
            let lines = self.lines(position).await?;
            let Some((last, _)) = lines.last() else { break };
            let last = *last;
            let shaped = self.shape(&lines);
            let ended = match self.doing.trial {
                true => self.judge(shaped, last).await,
                false => self.write(shaped, last).await,
            };
            match ended {
                Ok(Ended::Done) => position = last,
                Ok(Ended::Lost) => return Ok(()),
                Err(Error::Stale) => self.renew().await?,
                Err(error) => return Err(error),
            }
            tell(&find(self.app, &self.lease).await?);
        }
        match self.doing.trial {
            true => finish(self.app, &self.lease, ImportState::Checked, "conferida").await,
            false => finish(self.app, &self.lease, ImportState::Done, "concluída").await,
        }
    }

    async fn lines(&self, after: i32) -> Result<Vec<(i32, String)>, Error> {
        let size = if self.kind == ImportKind::Members { MEMBERS } else { OTHERS };
        Ok(imports::lines(&self.app.db, self.lease.tenant, self.lease.code, (after, size)).await?)
    }

    /// The registers as they are now; what was understood by older ones is understood anew.
    async fn renew(&mut self) -> Result<(), Error> {
        self.doing.registers = base::fresh(self.app, self.lease.tenant).await?;
        self.shaper.forget();
        Ok(())
    }

    async fn clear_problems(&self) -> Result<(), Error> {
        loop {
            let lane = Lane::background(self.lease.tenant);
            let cleared = self.app.db.write(lane, self.lease, |tx, lease| {
                Box::pin(async move {
                    Ok::<_, Error>(imports::clear_problems(tx, lease.tenant, lease.code, 500).await?)
                })
            });
            if cleared.await? == 0 {
                return Ok(());
            }
        }
    }

    /// After a pause or a crash: what was meant by the lines that are done.
    async fn see_again(&mut self, position: i32) -> Result<(), Error> {
        let mut after = 0;
        while after < position {
            let lines = self.lines(after).await?;
            let Some((last, _)) = lines.last() else { break };
            after = *last;
            let done: Vec<_> = lines.into_iter().filter(|(line, _)| *line <= position).collect();
            self.shape(&done);
        }
        Ok(())
    }

    /// What lines mean. One that means what another has meant is refused: nobody can tell which of them is right.
    fn shape(&mut self, lines: &[(i32, String)]) -> Vec<Shaped> {
        let mut all = Vec::with_capacity(lines.len());
        for (line, cells) in lines {
            let mut shaped = self.shaper.shape(&self.doing.registers, *line, cells);
            if let Some(key) = &shaped.key {
                let mut hasher = DefaultHasher::new();
                key.hash(&mut hasher);
                let first = *self.seen.entry(hasher.finish()).or_insert(*line);
                if first != *line {
                    let text = format!("repete o registro da linha {first}; deixe só uma das duas.");
                    shaped.problems.push(Problem { line: *line, header: None, text });
                    shaped.row = None;
                }
            }
            all.push(shaped);
        }
        all
    }

    /// Tries lines, and writes what is wrong with them.
    async fn judge(&self, shaped: Vec<Shaped>, position: i32) -> Result<Ended, Error> {
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
        Ok(if held.await? { Ended::Done } else { Ended::Lost })
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
            self.app.db.read(input, |tx, (doing, row)| Box::pin(try_row(tx, doing, row)))
        });
        stream::iter(tried).buffered(TRIED).try_collect().await
    }

    /// Writes lines, with how far the import is.
    async fn write(&self, shaped: Vec<Shaped>, position: i32) -> Result<Ended, Error> {
        let now = self.app.now();
        let mut shaped = shaped;
        let unit = self.unit(shaped.clone(), position, now);
        let ended = match self.write_unit(unit).await {
            Err(error) if is_of_a_line(&error) && shaped.len() > 1 => {
                // One of them cannot be written, and has taken the others with it.
                for one in shaped.drain(..) {
                    let line = one.line;
                    if let Ended::Lost = self.write_alone(one, line, now).await? {
                        return Ok(Ended::Lost);
                    }
                }
                Ok(Ended::Done)
            }
            Err(error) if is_of_a_line(&error) => match shaped.pop() {
                Some(one) => self.write_alone(one, position, now).await,
                None => Err(error),
            },
            other => other,
        };
        if !self.doing.quiet {
            self.app.changed.notify_one();
        }
        ended
    }

    async fn write_alone(&self, one: Shaped, position: i32, now: Moment) -> Result<Ended, Error> {
        let unit = self.unit(vec![one.clone()], position, now);
        match self.write_unit(unit).await {
            Err(error) if is_of_a_line(&error) => {
                let more = match &error {
                    Error::Refused(rejections) => self.shaper.names.refused(one.line, rejections),
                    error => {
                        tracing::error!(%error, line = one.line, import = %self.lease.code, "a line could not be written");
                        let text = "não pôde ser gravada; tente de novo e, se continuar, fale com o suporte."
                            .to_owned();
                        vec![Problem { line: one.line, header: None, text }]
                    }
                };
                let problems = one.problems.into_iter().chain(more).collect();
                let refused = Shaped { line: one.line, row: None, problems, key: None };
                self.write_unit(self.unit(vec![refused], position, now)).await
            }
            other => other,
        }
    }

    fn unit(&self, shaped: Vec<Shaped>, position: i32, now: Moment) -> Unit {
        let doing = Doing { now, ..self.doing.clone() };
        let mut unit = Unit {
            lease: self.lease,
            doing,
            rows: Vec::new(),
            lines: Vec::new(),
            refused: Vec::new(),
            problems: Vec::new(),
            position,
            until: now.plus(LEASE),
            names: Arc::clone(&self.shaper.names),
            members: self.kind == ImportKind::Members,
        };
        for one in shaped {
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

    async fn write_unit(&self, unit: Unit) -> Result<Ended, Error> {
        let lane = Lane::background(self.lease.tenant);
        self.app.db.write(lane, unit, |tx, unit| Box::pin(write_unit(tx, unit))).await
    }
}

/// Whether an error is about what is written, and not about the database as it is just now.
pub(super) fn is_of_a_line(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::Text(_))
        || matches!(error, Error::Storage(storage::Error::Conflict(_) | storage::Error::Broken(_)))
}

/// What is written together.
struct Unit {
    lease: Lease,
    doing: Doing,
    rows: Vec<Row>,
    /// The lines of the rows.
    lines: Vec<i32>,
    /// Lines that mean nothing.
    refused: Vec<i32>,
    problems: Vec<Problem>,
    position: i32,
    until: Moment,
    names: Arc<super::shaped::Names>,
    members: bool,
}

async fn write_unit(tx: &mut Tx, unit: &Unit) -> Result<Ended, Error> {
    let (lease, tenant) = (&unit.lease, unit.lease.tenant);
    if !imports::advance(tx, lease, (unit.position, unit.until), &Counts::default()).await? {
        return Ok(Ended::Lost);
    }
    confirm(tx, tenant, &unit.doing.registers).await?;
    let written = match unit.members {
        true => members::write(tx, &unit.doing, &member_rows(unit.rows.clone())).await?,
        false => write_rows(tx, &unit.doing, &unit.rows).await?,
    };
    let mut counts = Counts { refused: unit.refused.len() as i64, ..Counts::default() };
    let refused = |line: i32| LineResult {
        line,
        outcome: ImportOutcome::Refused,
        record: None,
        before: None,
        version: None,
    };
    let mut results: Vec<LineResult> = unit.refused.iter().copied().map(refused).collect();
    let mut problems = unit.problems.clone();
    for (line, written) in unit.lines.iter().copied().zip(written) {
        results.push(match written {
            Written::Created { record, version } => {
                counts.created += 1;
                LineResult {
                    outcome: ImportOutcome::Created,
                    record: Some(record),
                    version: Some(version),
                    ..refused(line)
                }
            }
            Written::Changed { record, before, version } => {
                counts.changed += 1;
                let outcome = ImportOutcome::Changed;
                LineResult {
                    line,
                    outcome,
                    record: Some(record),
                    before: Some(before),
                    version: Some(version),
                }
            }
            Written::Same { record } => {
                counts.same += 1;
                LineResult { outcome: ImportOutcome::Same, record: Some(record), ..refused(line) }
            }
            Written::Refused(rejections) => {
                counts.refused += 1;
                problems.extend(unit.names.refused(line, &rejections));
                refused(line)
            }
        });
    }
    problems.sort_by_key(|problem| problem.line);
    let mut statements = imports::add_results(tenant, lease.code, &results);
    statements.extend(imports::add_problems(tenant, lease.code, &problems));
    tx.batch(statements).await?;
    imports::advance(tx, lease, (unit.position, unit.until), &counts).await?;
    Ok(Ended::Done)
}

fn member_rows(rows: Vec<Row>) -> Vec<members::Row> {
    let member = |row: Row| match row {
        Row::Member(row) => Some(*row),
        _ => None,
    };
    rows.into_iter().filter_map(member).collect()
}

async fn write_rows(tx: &mut Tx, doing: &Doing, rows: &[Row]) -> Result<Vec<Written>, Error> {
    let mut written = Vec::with_capacity(rows.len());
    for row in rows {
        let before = tx.writes();
        written.push(match Box::pin(write_row(tx, doing, row)).await {
            Err(Error::Refused(problems)) if tx.writes() == before => Written::Refused(problems),
            other => other?,
        });
    }
    Ok(written)
}

async fn write_row(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    match row {
        Row::Member(row) => {
            let rows = std::slice::from_ref(&**row);
            let written = members::write(tx, doing, rows).await?.pop();
            written.ok_or_else(|| Error::Text("a line came to nothing".to_owned()))
        }
        Row::Vehicle(row) => benefits::imported::write(tx, doing, row).await,
        Row::Dependent(row) => dependents::imported::write(tx, doing, row).await,
        Row::Lead(row) => leads::imported::write(tx, doing, row).await,
        Row::Register(row) => registering::imported::write(tx, doing, row).await,
    }
}

async fn try_row(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    confirm(tx, doing.scope.tenant(), &doing.registers).await?;
    let known = match row {
        Row::Member(_) => None,
        Row::Vehicle(row) => benefits::imported::find(tx, doing, row).await?,
        Row::Dependent(row) => dependents::imported::find(tx, doing, row).await?,
        Row::Lead(row) => leads::imported::find(tx, doing, row).await?,
        Row::Register(row) => registering::imported::find(tx, doing, row).await?,
    };
    match Box::pin(write_row(tx, doing, row)).await {
        Err(Error::Refused(problems)) => Ok(Written::Refused(problems)),
        Err(error @ Error::Stale) => Err(error),
        Err(error) if error.is_passing() => Err(error),
        // Nothing spoke against it before it was to be written.
        Err(_) => Ok(match known {
            Some(record) => Written::Changed { record, before: String::new(), version: 0 },
            None => Written::Created { record: 0, version: 0 },
        }),
        written => written,
    }
}

/// For those who work on the registers of an import beside this module.
pub(super) async fn renewed(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    base::fresh(app, tenant).await
}
