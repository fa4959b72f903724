//! Bringing an association from an archive into a server that does not have it. It is written in short units, each of which
//! also writes how far it came: who is cut off begins the same command again, and it goes on there. Until the last unit the
//! association is closed, so nobody meets half of one. Before the first unit all of the archive was judged (`judge.rs`); what
//! stays half all the same is removed by `discard.rs`.

use super::archive::Archive;
use super::judge::{self, Names as Wanted, Rules};
use super::record::{self, Safe};
use super::{FILES, Manifest, WholeError, in_background};
use crate::files::moving;
use crate::{App, Vault, tenants};
use domain::{Moment, TenantId};
use std::path::Path;
use std::sync::Arc;
use storage::audit::{self, Entry};
use storage::counters::{self, Counter};
use storage::settings::{self, Setting};
use storage::whole::{
    Names, Table, hold_mails, index_names, pause_receivers, set_active, settle, tables, taken_logins,
    tidy_queues,
};
use storage::{Lane, Tx, Value, versions};
use tokio::sync::mpsc;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Checking,
    /// Every row is read as it would be written.
    Judging,
    Writing,
    /// What people attached is put where it is kept.
    Attaching,
    /// Names are indexed, so that people are found by them.
    Indexing,
}

/// What is asked for besides the association itself. What leads to it and what leaves it is not taken from a file unless
/// somebody says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct BringOptions {
    /// Nothing leaves by itself: a copy that somebody only wants to look at.
    pub paused: bool,
    /// The hosts of the file lead to it here.
    pub with_hosts: bool,
    /// The mails that waited there are sent from here.
    pub with_mails: bool,
}

#[derive(Clone, Debug)]
pub struct Brought {
    pub manifest: Manifest,
    /// Rows that an earlier run had already written.
    pub before: u64,
    /// It is now the base of requests that name none.
    pub is_default: bool,
    /// Mails that waited, and will not be sent.
    pub held_mails: u64,
}

/// The step of attached files, and how many of them are put before it is written down.
const ATTACHED: &str = "arquivos";
const PUT_TOGETHER: i64 = 20;

/// What the audit calls it.
const OPERATION: &str = "amparo bring";

/// Brings an association.
pub async fn bring(
    app: &App,
    vault: Vault,
    from: &Path,
    options: BringOptions,
    tell: impl Fn(Step, u64) + Send + Sync + 'static,
) -> Result<Brought, WholeError> {
    let (path, tell) = (from.to_owned(), Arc::new(tell));
    let (archive, safe, wanted) = in_background({
        let (tell, chance) = (Arc::clone(&tell), Arc::clone(&app.chance));
        let rules = Rules { public_url: app.public_url.to_string(), with_hosts: options.with_hosts };
        move || {
            let archive = Archive::open(&path)?;
            archive.verify(&|rows| tell(Step::Checking, rows))?;
            let safe = Arc::new(Safe { tenant: archive.manifest.tenant(), vault });
            let wanted =
                judge::judge(&archive, (&safe, &*chance), &rules, &|rows| tell(Step::Judging, rows))?;
            Ok((archive, safe, wanted))
        }
    })
    .await?;
    let run = Run { app, archive, safe, options, now: app.now() };
    let begun = run.begin(wanted).await?;
    let before = run.written(&begun);
    run.go_on(begun, &*tell).await?;
    // Archives of older versions have them in the clear.
    let tenant = run.archive.manifest.tenant();
    crate::credit_cards::seal_clear_tokens(app, &run.safe.vault, tenant).await?;
    let (is_default, held_mails) = run.finish().await?;
    Ok(Brought { manifest: run.archive.manifest, before, is_default, held_mails })
}

/// The association that is being brought, or of which half was: it is to be left alone.
#[boxed::future]
pub async fn half_brought(app: &App) -> Result<Option<TenantId>, crate::Error> {
    let text = settings::get(&app.db, Setting::Bringing).await?;
    Ok(text.as_deref().and_then(Progress::parse).map(|progress| progress.tenant))
}

struct Run<'a> {
    app: &'a App,
    archive: Archive,
    safe: Arc<Safe>,
    options: BringOptions,
    now: Moment,
}

/// How far it came, as the database remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    pub tenant: TenantId,
    pub archive: String,
    /// The table or the index that is being written.
    pub step: String,
    /// Rows of it that are written; of an index, the place of the last.
    pub done: i64,
}

impl Progress {
    pub fn to_text(&self) -> String {
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

    #[boxed::future]
    pub async fn read(tx: &mut Tx) -> Result<Option<Progress>, WholeError> {
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
    wanted: Wanted,
}

struct Part {
    known: Progress,
    next: Progress,
    table: &'static Table,
    rows: Vec<Vec<Value>>,
}

/// What the last unit needs.
struct Last {
    archive: String,
    entry: Entry,
    active: bool,
    options: BringOptions,
}

impl Part {
    fn texts(&self, column: &str) -> Vec<String> {
        texts(self.table, &self.rows, column)
    }
}

fn texts(table: &Table, rows: &[Vec<Value>], column: &str) -> Vec<String> {
    rows.iter().filter_map(|row| record::text(table, row, column).map(str::to_owned)).collect()
}

impl Run<'_> {
    fn tenant(&self) -> TenantId {
        self.safe.tenant
    }

    /// Takes the number, or finds where an earlier run of the same archive stopped.
    async fn begin(&self, wanted: Wanted) -> Result<Progress, WholeError> {
        let progress = Progress {
            tenant: self.tenant(),
            archive: self.archive.digest.clone(),
            step: tables()[0].name.to_owned(),
            done: 0,
        };
        let doors = Doors { progress, wanted };
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
        let is_wanted = |table: &&Table| table.name != "hosts" || self.options.with_hosts;
        for table in tables().iter().skip(first.unwrap_or(tables().len())).filter(is_wanted) {
            progress = self
                .write_table(progress, table, &mut |rows| {
                    written += rows;
                    tell(Step::Writing, written);
                })
                .await?;
        }
        let first = Names::ALL.into_iter().position(|names| names.name() == progress.step);
        if first.is_none() {
            progress = self.write_attached(progress, tell).await?;
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
            let give = |rows| send.blocking_send(rows).map_err(|_| unwanted());
            archive.rows(table, skip, (&safe, &*chance), give)
        });
        let reading = tokio::spawn(reading);
        while let Some(mut rows) = pages.recv().await {
            rows.iter_mut().for_each(|row| adapt(table, row));
            let count = rows.len() as u64;
            let next = Progress { done: at.done + rows.len() as i64, ..at };
            let part = Part { known, next: next.clone(), table, rows };
            let lane = Lane::background(self.tenant());
            self.app.db.write(lane, part, |tx, part| Box::pin(write(tx, part))).await?;
            (known, at) = (next.clone(), next);
            tell(count);
        }
        ended(reading).await?;
        Ok(known)
    }

    /// Puts what people attached where this server keeps such things, under the keys that it had.
    async fn write_attached(
        &self,
        mut known: Progress,
        tell: &(impl Fn(Step, u64) + Send + Sync),
    ) -> Result<Progress, WholeError> {
        let mut at = self.at(known.clone(), ATTACHED);
        let (send, mut parts) = mpsc::channel::<(String, Vec<u8>)>(2);
        let (archive, skip) = (self.archive.clone(), at.done.unsigned_abs());
        let reading = tokio::spawn(in_background(move || {
            archive.parts(skip, |path, bytes| send.blocking_send((path, bytes)).map_err(|_| unwanted()))
        }));
        let mut put = at.done;
        loop {
            let part = parts.recv().await;
            let is_last = part.is_none();
            if let Some((path, bytes)) = part {
                let name = path.strip_prefix(FILES).unwrap_or_default();
                moving::put_part(self.app, self.tenant(), name, bytes.into()).await?;
                put += 1;
                tell(Step::Attaching, put.unsigned_abs());
            }
            if put - at.done == PUT_TOGETHER || (is_last && put > at.done) {
                let next = Progress { done: put, ..at };
                let input = (known, next.clone());
                let lane = Lane::background(self.tenant());
                let kept =
                    self.app.db.write(lane, input, |tx, (known, next)| Box::pin(next.replace(tx, known)));
                kept.await?;
                (known, at) = (next.clone(), next);
            }
            if is_last {
                break;
            }
        }
        ended(reading).await?;
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

    /// Opens the doors; says whether it became the default, and how many mails are held.
    async fn finish(&self) -> Result<(bool, u64), WholeError> {
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
        let last = Last {
            archive: self.archive.digest.clone(),
            entry,
            active: active == Some(&Value::Bool(true)),
            options: self.options,
        };
        let lane = Lane::of(TenantId::SERVER);
        self.app.db.write(lane, last, |tx, last| Box::pin(finish(tx, last))).await
    }
}

/// What a row must be here, where it differs from what it was there: the doors open last, and until then nothing leaves by
/// itself.
fn adapt(table: &Table, row: &mut [Value]) {
    if let Some(at) = table.place("active").filter(|_| table.name == "tenants") {
        row[at] = false.into();
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
    none_taken(tx, &doors.wanted.logins, &doors.wanted.hosts).await?;
    counters::reach(tx, TenantId::SERVER, Counter::Tenant, wanted.tenant.get()).await?;
    settings::set(tx, Setting::Bringing, &wanted.to_text()).await?;
    Ok(wanted.clone())
}

/// Logins and hosts lead to one association each.
async fn none_taken(tx: &mut Tx, logins: &[String], hosts: &[String]) -> Result<(), WholeError> {
    let mut taken = Vec::new();
    for some in logins.chunks(1_000) {
        taken.extend(taken_logins(&mut *tx, some).await?);
    }
    if !taken.is_empty() {
        return Err(WholeError::LoginsTaken(taken));
    }
    let mut taken = storage::tenants::hosts(&mut *tx).await?;
    taken.retain(|(host, _)| hosts.contains(host));
    match taken.is_empty() {
        true => Ok(()),
        false => Err(WholeError::HostsTaken(taken.into_iter().map(|(host, _)| host).collect())),
    }
}

async fn write(tx: &mut Tx, part: &Part) -> Result<(), WholeError> {
    part.next.replace(tx, &part.known).await?;
    // They were free at the beginning, and are taken last: somebody else may have been faster.
    match part.table.name {
        "logins" => none_taken(tx, &part.texts("email"), &[]).await?,
        "hosts" => none_taken(tx, &[], &part.texts("host")).await?,
        _ => {}
    }
    let settled = settle(part.table, part.rows.clone());
    let inserts = settled.iter().flat_map(|(table, rows)| table.inserts(part.next.tenant, rows));
    Ok(tx.batch(inserts.collect()).await?)
}

async fn finish(
    tx: &mut Tx,
    Last { archive, entry, active, options }: &Last,
) -> Result<(bool, u64), WholeError> {
    let tenant = entry.tenant;
    if Progress::read(tx).await?.is_none_or(|begun| begun.archive != *archive) {
        return Err(WholeError::Meanwhile);
    }
    if options.paused {
        pause_receivers(tx, tenant, entry.at).await?;
    }
    let held = match options.with_mails && !options.paused {
        true => 0,
        false => hold_mails(tx, tenant).await?,
    };
    tidy_queues(tx, tenant).await?;
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
    Ok((is_default, held))
}

/// Told to whoever reads on while nobody takes what he reads: the other has failed himself, and says why.
fn unwanted() -> WholeError {
    WholeError::CutShort("nobody takes what is read".to_owned())
}

/// The end of a reading, or why there was none.
async fn ended(reading: tokio::task::JoinHandle<Result<(), WholeError>>) -> Result<(), WholeError> {
    reading.await.unwrap_or_else(|error| Err(WholeError::CutShort(error.to_string())))
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
