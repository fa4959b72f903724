//! Bringing an association from an archive into a server that does not have it. It is written in short units, each of which
//! also writes how far it came: who is cut off begins the same command again, and it goes on there. Until the last unit the
//! association is closed, so nobody meets half of one.

use super::archive::Archive;
use super::record::{self, Safe};
use super::{FILES, File, Manifest, WholeError};
use crate::files::moving;
use crate::{App, Vault, tenants};
use domain::{Moment, TenantId};
use std::path::Path;
use std::sync::Arc;
use storage::audit::{self, Entry};
use storage::counters::{self, Counter};
use storage::settings::{self, Setting};
use storage::whole::{Names, Table, index_names, set_active, tables, taken_logins};
use storage::{Lane, Tx, Value, versions};
use tokio::sync::mpsc;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Checking,
    Writing,
    /// Names are indexed, so that people are found by them.
    Indexing,
}

#[derive(Clone, Debug)]
pub struct Brought {
    pub manifest: Manifest,
    /// Rows that an earlier run had already written.
    pub before: u64,
    /// It is now the base of requests that name none.
    pub is_default: bool,
}

/// The step of attached files, and how many of them are put before it is written down.
const ATTACHED: &str = "arquivos";
const PUT_TOGETHER: usize = 20;

/// What the audit calls it.
const OPERATION: &str = "amparo bring";

/// Brings an association. With `paused` nothing leaves this server by itself: receivers are paused and mails that wait are
/// not sent, for a copy that somebody only wants to look at.
pub async fn bring(
    app: &App,
    vault: Vault,
    from: &Path,
    paused: bool,
    tell: impl Fn(Step, u64) + Send + Sync + 'static,
) -> Result<Brought, WholeError> {
    let (path, tell) = (from.to_owned(), Arc::new(tell));
    let archive = in_background({
        let tell = Arc::clone(&tell);
        move || {
            let archive = Archive::open(&path)?;
            archive.verify(&|rows| tell(Step::Checking, rows))?;
            Ok(archive)
        }
    })
    .await?;
    let tenant = archive.manifest.tenant();
    let run = Run { app, archive, safe: Arc::new(Safe { tenant, vault }), paused, now: app.now() };
    let begun = run.begin().await?;
    let before = run.written(&begun);
    run.go_on(begun, &*tell).await?;
    let is_default = run.finish().await?;
    Ok(Brought { manifest: run.archive.manifest, before, is_default })
}

struct Run<'a> {
    app: &'a App,
    archive: Archive,
    safe: Arc<Safe>,
    paused: bool,
    now: Moment,
}

/// How far it came, as the database remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progress {
    tenant: TenantId,
    archive: String,
    /// The table or the index that is being written.
    step: String,
    /// Rows of it that are written; of an index, the place of the last.
    done: i64,
}

impl Progress {
    fn to_text(&self) -> String {
        format!("base={} archive={} step={} done={}", self.tenant, self.archive, self.step, self.done)
    }

    fn parse(text: &str) -> Option<Progress> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        Some(Progress {
            tenant: TenantId::new(next()?.parse().ok()?),
            archive: next()?.to_owned(),
            step: next()?.to_owned(),
            done: next()?.parse().ok()?,
        })
    }

    async fn read(tx: &mut Tx) -> Result<Option<Progress>, WholeError> {
        let Some(text) = settings::get(&mut *tx, Setting::Bringing).await? else { return Ok(None) };
        let broken = || storage::Error::Broken(format!("{text:?} is kept as the progress of bringing"));
        Ok(Some(Progress::parse(&text).ok_or_else(broken)?))
    }

    /// In the unit of what it tells of; refuses where another process went on meanwhile.
    async fn replace(&self, tx: &mut Tx, known: &Progress) -> Result<(), WholeError> {
        if Progress::read(tx).await?.as_ref() != Some(known) {
            return Err(WholeError::Meanwhile);
        }
        Ok(settings::set(tx, Setting::Bringing, &self.to_text()).await?)
    }
}

/// What must not be anybody else's.
struct Doors {
    progress: Progress,
    logins: Vec<String>,
    hosts: Vec<String>,
}

struct Part {
    known: Progress,
    next: Progress,
    table: &'static Table,
    rows: Vec<Vec<Value>>,
}

impl Run<'_> {
    fn tenant(&self) -> TenantId {
        self.safe.tenant
    }

    /// Takes the number, or finds where an earlier run of the same archive stopped.
    async fn begin(&self) -> Result<Progress, WholeError> {
        let texts = |table: &str, column: &str| -> Result<Vec<String>, WholeError> {
            let Some(table) = tables().iter().find(|one| one.name == table) else { return Ok(Vec::new()) };
            let rows = self.archive.few_rows(table, (&self.safe, &*self.app.chance))?;
            Ok(rows.iter().filter_map(|row| record::text(table, row, column).map(str::to_owned)).collect())
        };
        let progress = Progress {
            tenant: self.tenant(),
            archive: self.archive.digest.clone(),
            step: tables()[0].name.to_owned(),
            done: 0,
        };
        let doors = Doors { progress, logins: texts("logins", "email")?, hosts: texts("hosts", "host")? };
        let lane = Lane::of(TenantId::SERVER);
        self.app.db.write(lane, doors, |tx, doors| Box::pin(begin(tx, doors))).await
    }

    /// How many rows are there already.
    fn written(&self, progress: &Progress) -> u64 {
        let rows = |table: &Table| self.archive.file(table).map_or(0, |file| file.rows);
        let all = tables().iter().take_while(|table| table.name != progress.step).map(rows).sum::<u64>();
        let is_table = tables().iter().any(|table| table.name == progress.step);
        all + if is_table { progress.done.unsigned_abs() } else { 0 }
    }

    async fn go_on(
        &self,
        mut progress: Progress,
        tell: &(impl Fn(Step, u64) + Send + Sync),
    ) -> Result<(), WholeError> {
        let first = tables().iter().position(|table| table.name == progress.step);
        let mut written = self.written(&progress);
        for table in tables().iter().skip(first.unwrap_or(tables().len())) {
            progress = self
                .write_table(progress, table, &mut |rows| {
                    written += rows;
                    tell(Step::Writing, written);
                })
                .await?;
        }
        let first = Names::ALL.into_iter().position(|names| names.name() == progress.step);
        if first.is_none() {
            progress = self.write_attached(progress).await?;
        }
        for names in Names::ALL.into_iter().skip(first.unwrap_or(0)) {
            progress = self.write_names(progress, names, tell).await?;
        }
        Ok(())
    }

    /// The next step of a progress, at its beginning unless it stands there already.
    fn at(&self, progress: Progress, step: &str) -> Progress {
        match progress.step == step {
            true => progress,
            false => Progress { step: step.to_owned(), done: 0, ..progress },
        }
    }

    async fn write_table(
        &self,
        mut known: Progress,
        table: &'static Table,
        tell: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Progress, WholeError> {
        let mut at = self.at(known.clone(), table.name);
        let (send, mut pages) = mpsc::channel::<Vec<Vec<Value>>>(2);
        let (archive, safe, chance) =
            (self.archive.clone(), Arc::clone(&self.safe), Arc::clone(&self.app.chance));
        let skip = at.done.unsigned_abs();
        // The next rows are read while these are written. Whoever no longer takes them has failed himself.
        let reading = in_background(move || {
            let give = |rows| send.blocking_send(rows).map_err(|_| WholeError::Meanwhile);
            archive.rows(table, skip, (&safe, &*chance), give)
        });
        let reading = tokio::spawn(reading);
        while let Some(mut rows) = pages.recv().await {
            rows.iter_mut().for_each(|row| self.adapt(table, row));
            let count = rows.len() as u64;
            let next = Progress { done: at.done + rows.len() as i64, ..at };
            let part = Part { known, next: next.clone(), table, rows };
            let lane = Lane::background(self.tenant());
            self.app.db.write(lane, part, |tx, part| Box::pin(write(tx, part))).await?;
            (known, at) = (next.clone(), next);
            tell(count);
        }
        reading.await.unwrap_or(Err(WholeError::Meanwhile))?;
        Ok(known)
    }

    /// What a row must be here, where it differs from what it was there.
    fn adapt(&self, table: &Table, row: &mut [Value]) {
        let mut set = |column: &str, value: Value| {
            if let Some(at) = table.place(column) {
                row[at] = value;
            }
        };
        match table.name {
            // Its doors open last.
            "tenants" => set("active", false.into()),
            "mails" if self.paused => set("due_at", Value::Null),
            "receivers" if self.paused => {
                set("paused_at", self.now.into());
                set("paused_because", storage::receivers::Pause::ByHand.number().into());
            }
            _ => {}
        }
    }

    /// Puts what people attached where this server keeps such things, under the keys that it had.
    async fn write_attached(&self, mut known: Progress) -> Result<Progress, WholeError> {
        let all: Vec<File> = self.archive.manifest.attached().cloned().collect();
        let mut at = self.at(known.clone(), ATTACHED);
        let done = usize::try_from(at.done).unwrap_or(0);
        for some in all.get(done..).unwrap_or_default().chunks(PUT_TOGETHER) {
            for file in some {
                let (archive, own) = (self.archive.clone(), file.clone());
                let bytes = in_background(move || archive.bytes(&own)).await?;
                let name = file.path.strip_prefix(FILES).unwrap_or_default();
                moving::put_part(self.app, self.tenant(), name, bytes.into()).await?;
            }
            let next = Progress { done: at.done + some.len() as i64, ..at };
            let input = (known, next.clone());
            let lane = Lane::background(self.tenant());
            let kept = self.app.db.write(lane, input, |tx, (known, next)| Box::pin(next.replace(tx, known)));
            kept.await?;
            (known, at) = (next.clone(), next);
        }
        Ok(known)
    }

    async fn write_names(
        &self,
        mut known: Progress,
        names: Names,
        tell: &(impl Fn(Step, u64) + Send + Sync),
    ) -> Result<Progress, WholeError> {
        let mut at = self.at(known.clone(), names.name());
        loop {
            let lane = Lane::background(self.tenant());
            let input = (known.clone(), at.clone(), names);
            let next = self.app.db.write(lane, input, |tx, (known, at, names)| {
                Box::pin(async move {
                    let Some(last) = index_names(tx, at.tenant, *names, at.done).await? else {
                        return Ok::<_, WholeError>(None);
                    };
                    let next = Progress { done: last, ..at.clone() };
                    next.replace(tx, known).await?;
                    Ok(Some(next))
                })
            });
            let Some(next) = next.await? else { return Ok(known) };
            tell(Step::Indexing, next.done.unsigned_abs());
            (known, at) = (next.clone(), next);
        }
    }

    /// Opens the doors; says whether it became the default.
    async fn finish(&self) -> Result<bool, WholeError> {
        let table = &tables()[0];
        let own = self.archive.few_rows(table, (&self.safe, &*self.app.chance))?;
        let active = own.first().and_then(|row| row.get(table.place("active")?));
        let entry = Entry {
            tenant: self.tenant(),
            at: self.now,
            user: None,
            operation: OPERATION,
            person: None,
            detail: Some(format!("trouxe a associação, exportada em {}", self.archive.manifest.moment)),
        };
        let input = (self.archive.digest.clone(), entry, active == Some(&Value::Bool(true)));
        let lane = Lane::of(TenantId::SERVER);
        self.app.db.write(lane, input, |tx, input| Box::pin(finish(tx, input))).await
    }
}

/// In the server's lane, as whoever creates a tenant: no two take one number.
async fn begin(tx: &mut Tx, doors: &Doors) -> Result<Progress, WholeError> {
    let wanted = &doors.progress;
    if let Some(begun) = Progress::read(tx).await? {
        let same = begun.tenant == wanted.tenant && begun.archive == wanted.archive;
        return if same { Ok(begun) } else { Err(WholeError::HalfBrought(begun.tenant)) };
    }
    if storage::tenants::find(&mut *tx, wanted.tenant).await?.is_some() {
        return Err(WholeError::Taken(wanted.tenant));
    }
    let mut taken = Vec::new();
    for some in doors.logins.chunks(1_000) {
        taken.extend(taken_logins(&mut *tx, some).await?);
    }
    if !taken.is_empty() {
        return Err(WholeError::LoginsTaken(taken));
    }
    let mut hosts = storage::tenants::hosts(&mut *tx).await?;
    hosts.retain(|(host, _)| doors.hosts.contains(host));
    if !hosts.is_empty() {
        return Err(WholeError::HostsTaken(hosts.into_iter().map(|(host, _)| host).collect()));
    }
    counters::reach(tx, TenantId::SERVER, Counter::Tenant, wanted.tenant.get()).await?;
    settings::set(tx, Setting::Bringing, &wanted.to_text()).await?;
    Ok(wanted.clone())
}

async fn write(tx: &mut Tx, part: &Part) -> Result<(), WholeError> {
    part.next.replace(tx, &part.known).await?;
    Ok(tx.batch(part.table.inserts(part.next.tenant, &part.rows)).await?)
}

async fn finish(tx: &mut Tx, (archive, entry, active): &(String, Entry, bool)) -> Result<bool, WholeError> {
    let tenant = entry.tenant;
    if Progress::read(tx).await?.is_none_or(|begun| begun.archive != *archive) {
        return Err(WholeError::Meanwhile);
    }
    set_active(tx, tenant, *active).await?;
    audit::append(tx, entry).await?;
    let is_default = tenants::default(&mut *tx).await?.is_none();
    if is_default {
        settings::set(tx, Setting::DefaultTenant, &tenant.to_string()).await?;
    }
    versions::raise_registers(tx, tenant).await?;
    versions::raise_access(tx, tenant).await?;
    versions::raise_registers(tx, TenantId::SERVER).await?;
    settings::forget(tx, Setting::Bringing).await?;
    Ok(is_default)
}

/// Reads files where waiting for them makes nobody wait.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WholeError> + Send + 'static,
) -> Result<T, WholeError> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(WholeError::Meanwhile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_back() {
        let (tenant, archive) = (TenantId::new(3), "ab12".to_owned());
        let progress = Progress { tenant, archive, step: "people".to_owned(), done: 1_200 };
        assert_eq!(Progress::parse(&progress.to_text()), Some(progress));
        assert_eq!(Progress::parse("base=x"), None);
    }
}
