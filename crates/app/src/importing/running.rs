//! Works on an import: tries or writes its lines, a few hundred in a unit, behind everybody else. Whoever holds the import
//! writes how far it is in the unit of what it did, so that another goes on exactly there.

mod trying;

use super::shaped::{Shaped, Shaper};
use super::unit::{Ended, Unit, write_unit};
use super::{By, Counts, Doing, Import, Meant, Problem, RUN, UNDO, undoing, unknown};
use crate::base::{self, Registers};
use crate::{App, Error};
use domain::{ImportCode, ImportKind, ImportProblem, ImportState, Moment, Rejection, Scope, TenantId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use storage::imports::{self, Change, Lease};
use storage::{Lane, Tx, audit, users};
use tokio::task::{Id, JoinSet};

/// How long a process may be silent before another takes the import over.
const LEASE: Duration = Duration::from_secs(30);
/// Lines of a unit: few enough that nobody notices, and no more documents than one question asks for.
const MEMBERS: i64 = 256;
const OTHERS: i64 = 64;
/// Imports that are worked on at the same time, and how many of them may be one association's.
const AT_ONCE: usize = 16;
const OF_ONE: usize = 3;
/// How often others are looked for meanwhile.
const LOOK: Duration = Duration::from_secs(5);
/// Units after which a reader of what is done says that he is still there.
const STILL_THERE: usize = 32;

/// Told how far an import is, after every unit.
pub type Tell<'t> = &'t mut (dyn FnMut(&Import) + Send);

/// Works on every import that waits for somebody, on several at a time, until none is left; says whether there was any. One
/// that fails is logged and left for the next time, and holds up no other.
#[boxed::future]
pub async fn run_due(app: &App) -> Result<bool, Error> {
    let (mut any, mut working) = (false, JoinSet::new());
    let (mut busy, mut failed): (HashMap<Id, Which>, Vec<Which>) = (HashMap::new(), Vec::new());
    loop {
        for one in due(app, &busy, &failed).await? {
            let task = working.spawn(work_logged(app.clone(), one));
            busy.insert(task.id(), one);
        }
        tokio::select! {
            ended = working.join_next_with_id() => {
                let Some(ended) = ended else { return Ok(any) };
                let (id, worked) = ended.unwrap_or_else(|panic| (panic.id(), false));
                any |= worked;
                // It would fail again at once.
                failed.extend(busy.remove(&id).filter(|_| !worked));
            }
            () = app.importing.notified() => {}
            () = tokio::time::sleep(LOOK) => failed.clear(),
        }
    }
}

type Which = (TenantId, ImportCode);

/// Those that wait, besides what we work on: so many that none has to wait for a large one, and few of one association.
async fn due(app: &App, busy: &HashMap<Id, Which>, failed: &[Which]) -> Result<Vec<Which>, Error> {
    let mut found = Vec::new();
    for tenant in storage::tenants::all(&app.db).await?.into_iter().filter(|one| one.active) {
        let own = busy.values().filter(|(other, _)| *other == tenant.id).count();
        let waiting = imports::due(&app.db, tenant.id, app.now()).await?.into_iter();
        let waiting = waiting.map(|code| (tenant.id, code));
        let waiting = waiting.filter(|one| !failed.contains(one) && busy.values().all(|other| other != one));
        found.extend(waiting.take(OF_ONE.saturating_sub(own)));
    }
    found.truncate(AT_ONCE.saturating_sub(busy.len()));
    Ok(found)
}

/// Works on one; says whether there was something to do for us, and it did not fail.
async fn work_logged(app: App, (tenant, code): Which) -> bool {
    match work(&app, tenant, code, &mut |_| {}).await {
        Ok(worked) => worked.is_some(),
        Err(error) => {
            tracing::warn!(%error, %tenant, import = %code, "an import could not go on; it is tried again");
            false
        }
    }
}

/// Works on an import until its stage ends, it is paused, or another takes it over; gives it as it is then. `None` where
/// there was nothing to do for us.
#[boxed::future]
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
    let Some(By { scope, user, .. }) = acting(app, lease.tenant, &import).await? else {
        // Whoever asked for it may no longer do so. Somebody else may ask for the rest.
        let to = match lease.state {
            ImportState::Checking => ImportState::Ready,
            ImportState::Undoing => ImportState::Done,
            _ => ImportState::Paused,
        };
        finish(app, &lease, to, "parada: o usuário já não acessa o sistema").await?;
        return find(app, &lease).await;
    };
    let doing = Doing {
        scope,
        registers: base::registers(app, lease.tenant).await?,
        user,
        operation: if lease.state == ImportState::Undoing { UNDO } else { RUN },
        quiet: !import.triggers,
        branch: import.branch,
        trial: lease.state == ImportState::Checking,
        meant: Meant::default(),
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

/// Whoever asked for the present stage, if he may still do so.
async fn acting(app: &App, tenant: TenantId, import: &Import) -> Result<Option<By>, Error> {
    let Some(code) = import.acting else { return Ok(Some(By::command(tenant))) };
    let found = users::find(&app.db, tenant, code).await?.filter(|user| user.active);
    let by = found.map(|user| By {
        scope: Scope::of(tenant, user.role, user.branches),
        user: Some(code),
        role: user.role,
    });
    Ok(by.filter(|by| by.must_import(import.kind).is_ok()))
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
    // One that was to be undone has ended before.
    let finished = *to == ImportState::Done && lease.state == ImportState::Running;
    let change = Change { finished, ..Change::default() };
    imports::set_state(tx, lease.tenant, lease.code, (*to, *now), &change).await?;
    let entry = audit::Entry {
        tenant: lease.tenant,
        at: *now,
        user: import.acting,
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

impl Worker<'_> {
    async fn run(&mut self, mut position: i32, tell: Tell<'_>) -> Result<(), Error> {
        if position == 0 {
            self.clear_problems().await?;
        } else if !self.see_again(position).await? {
            return Ok(());
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
                Ok(Ended::Done(records)) => {
                    self.doing.meant.note(records);
                    position = last;
                }
                Ok(Ended::Lost) => return Ok(()),
                Err(Error::Stale) => {
                    self.renew().await?;
                    // Some of them may have been written one by one.
                    position = find(self.app, &self.lease).await?.position;
                }
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

    /// What an earlier stage found is found anew, or not.
    async fn clear_problems(&self) -> Result<(), Error> {
        loop {
            let held = (self.lease, self.app.now().plus(LEASE));
            let lane = Lane::background(self.lease.tenant);
            let cleared = self.app.db.write(lane, held, |tx, (lease, until)| {
                Box::pin(async move {
                    match imports::advance(tx, lease, (0, *until), &Counts::default()).await? {
                        true => {
                            Ok::<_, Error>(imports::clear_problems(tx, lease.tenant, lease.code, 500).await?)
                        }
                        false => Ok(0),
                    }
                })
            });
            if cleared.await? == 0 {
                return Ok(());
            }
        }
    }

    /// After a pause or a crash: what was meant by the lines that are done. `false` where another has taken over.
    async fn see_again(&mut self, position: i32) -> Result<bool, Error> {
        let (mut after, mut units) = (0, 0);
        while after < position {
            let lines = self.lines(after).await?;
            let Some((last, _)) = lines.last() else { break };
            let last = *last;
            let done: Vec<_> = lines.into_iter().filter(|(line, _)| *line <= position).collect();
            self.shape(&done);
            if !self.doing.trial && self.kind != ImportKind::Members {
                let known = (after, last.min(position));
                let known = imports::records(&self.app.db, self.lease.tenant, self.lease.code, known).await?;
                self.doing.meant.note(known);
            }
            after = last;
            units += 1;
            if units % STILL_THERE == 0 && !self.hold(position).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Says that we are still there; `false` where the import is no longer ours.
    async fn hold(&self, position: i32) -> Result<bool, Error> {
        let held = (self.lease, (position, self.app.now().plus(LEASE)));
        let lane = Lane::background(self.lease.tenant);
        let write = self.app.db.write(lane, held, |tx, (lease, at)| {
            Box::pin(
                async move { Ok::<_, Error>(imports::advance(tx, lease, *at, &Counts::default()).await?) },
            )
        });
        write.await
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
                    let twice = [Rejection::Import(ImportProblem::SameRecord(first))];
                    shaped.problems.extend(self.shaper.names.refused(*line, &twice));
                    shaped.row = None;
                }
            }
            all.push(shaped);
        }
        all
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
                    match self.write_alone(one, line, now).await? {
                        Ended::Done(records) => self.doing.meant.note(records),
                        Ended::Lost => return Ok(Ended::Lost),
                    };
                }
                Ok(Ended::Done(Vec::new()))
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

/// For those who work on the registers of an import beside this module.
pub(super) async fn renewed(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    base::fresh(app, tenant).await
}
