//! Restores a tenant from an archive to a server that does not have it, in short transactions that also store the
//! progress: if interrupted, the same command continues there. The tenant is inactive until the last transaction. The
//! entire archive is validated before the first one (`validate.rs`); `discard.rs` deletes a restore that is never
//! completed.

use super::reader::TenantArchiveReader;
use super::row_format::{self, TenantVault};
use super::validate::{self, ArchiveValidationRules, ReservedNames as Wanted};
use super::{ArchiveError, ArchiveManifest, FILES, run_blocking};
use app::attachments::transfer;
use app::upkeep::unfinished_restore::RestoreProgress;
use app::{App, Vault, tenants};
use domain::{Moment, TenantId};
use std::path::Path;
use std::sync::Arc;
use storage::exchange::archive::{
    ArchiveNameIndex, ArchiveTable, cancel_waiting_mails, delete_dangling_queues, index_names,
    list_archive_tables, list_taken_logins, pause_receivers, update_tenant_active, upgrade_archive_rows,
};
use storage::history::audit::{self, AuditEntry};
use storage::server::counters::{self, Counter};
use storage::server::settings::{self, ServerSetting};
use storage::server::versions;
use storage::{SqlScalar, Tx, WriteLane};
use tokio::sync::mpsc;

/// The current step, for progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreStep {
    Checking,
    /// Every row is parsed as it would be written.
    Validating,
    Writing,
    /// Attachments are copied to the file store.
    Attaching,
    /// Names are indexed for the search.
    Indexing,
}

/// Options of a restore. Hosts and pending mails are not taken from an archive unless requested.
#[derive(Clone, Copy, Debug, Default)]
pub struct RestoreOptions {
    /// Sends nothing on its own, for a copy that is only inspected.
    pub paused: bool,
    /// Takes over the host names in the archive.
    pub with_hosts: bool,
    /// Sends the mails that were pending in the archive.
    pub with_mails: bool,
}

#[derive(Clone, Debug)]
pub struct RestoreOutcome {
    pub manifest: ArchiveManifest,
    /// Rows that an earlier run had already written.
    pub before: u64,
    /// The tenant became the default for requests that name none.
    pub is_default: bool,
    /// Pending mails that will not be sent.
    pub held_mails: u64,
}

/// The step of the attachments, and how many are copied per progress update.
const ATTACHED: &str = "arquivos";
const PUT_TOGETHER: i64 = 20;

/// The operation name in the audit.
const OPERATION: &str = "amparo bring";

pub async fn restore_archive(
    app: &App,
    vault: Vault,
    from: &Path,
    options: RestoreOptions,
    tell: impl Fn(RestoreStep, u64) + Send + Sync + 'static,
) -> Result<RestoreOutcome, ArchiveError> {
    let (path, tell) = (from.to_owned(), Arc::new(tell));
    let (archive, safe, wanted) = run_blocking({
        let (tell, chance) = (Arc::clone(&tell), Arc::clone(&app.chance));
        let rules =
            ArchiveValidationRules { public_url: app.public_url.to_string(), with_hosts: options.with_hosts };
        move || {
            let archive = TenantArchiveReader::open(&path)?;
            archive.verify(&|rows| tell(RestoreStep::Checking, rows))?;
            let safe = Arc::new(TenantVault { tenant: archive.manifest.tenant(), vault });
            let wanted = validate::validate_archive(&archive, (&safe, &*chance), &rules, &|rows| {
                tell(RestoreStep::Validating, rows);
            })?;
            Ok((archive, safe, wanted))
        }
    })
    .await?;
    let run = ArchiveRestoreRun { app, archive, safe, options, now: app.now() };
    let begun = run.begin_restore(wanted).await?;
    let before = run.count_written_rows(&begun);
    run.write_remaining(begun, &*tell).await?;
    // Archives of older versions contain unencrypted tokens.
    let tenant = run.archive.manifest.tenant();
    app::members::credit_cards::seal_clear_tokens(app, &run.safe.vault, tenant).await?;
    let (is_default, held_mails) = run.finish().await?;
    Ok(RestoreOutcome { manifest: run.archive.manifest, before, is_default, held_mails })
}

struct ArchiveRestoreRun<'a> {
    app: &'a App,
    archive: TenantArchiveReader,
    safe: Arc<TenantVault>,
    options: RestoreOptions,
    now: Moment,
}

/// Must run in the same transaction as the work it describes; fails if another process made progress meanwhile.
async fn replace_progress(
    tx: &mut Tx,
    known: &RestoreProgress,
    next: &RestoreProgress,
) -> Result<(), ArchiveError> {
    if RestoreProgress::load(tx).await?.as_ref() != Some(known) {
        return Err(ArchiveError::ConcurrentRestore);
    }
    Ok(settings::upsert_setting(tx, ServerSetting::ArchiveRestore, &next.to_text()).await?)
}

/// The progress and the names to reserve.
struct RestoreReservation {
    progress: RestoreProgress,
    wanted: Wanted,
}

struct TableRowBatch {
    known: RestoreProgress,
    next: RestoreProgress,
    table: &'static ArchiveTable,
    rows: Vec<Vec<SqlScalar>>,
}

/// The input of the last transaction.
struct RestoreCompletion {
    archive: String,
    entry: AuditEntry,
    active: bool,
    options: RestoreOptions,
}

impl TableRowBatch {
    fn column_texts(&self, column: &str) -> Vec<String> {
        collect_column_texts(self.table, &self.rows, column)
    }
}

fn collect_column_texts(table: &ArchiveTable, rows: &[Vec<SqlScalar>], column: &str) -> Vec<String> {
    rows.iter()
        .filter_map(|row| row_format::read_text_column(table, row, column).map(str::to_owned))
        .collect()
}

impl ArchiveRestoreRun<'_> {
    fn tenant(&self) -> TenantId {
        self.safe.tenant
    }

    /// Reserves the tenant number, or loads the progress of an earlier run of the same archive.
    async fn begin_restore(&self, wanted: Wanted) -> Result<RestoreProgress, ArchiveError> {
        let progress = RestoreProgress {
            tenant: self.tenant(),
            archive: self.archive.digest.clone(),
            step: list_archive_tables()[0].name.to_owned(),
            done: 0,
        };
        let doors = RestoreReservation { progress, wanted };
        let lane = WriteLane::foreground(TenantId::SERVER);
        self.app.db.write(lane, doors, |tx, doors| Box::pin(reserve_tenant(tx, doors))).await
    }

    /// Number of rows already written.
    fn count_written_rows(&self, progress: &RestoreProgress) -> u64 {
        let rows = |table: &ArchiveTable| self.archive.find_table_file(table).map_or(0, |file| file.rows);
        let all = list_archive_tables()
            .iter()
            .take_while(|table| table.name != progress.step)
            .map(rows)
            .sum::<u64>();
        let is_table = list_archive_tables().iter().any(|table| table.name == progress.step);
        all + if is_table { progress.done.unsigned_abs() } else { 0 }
    }

    async fn write_remaining(
        &self,
        mut progress: RestoreProgress,
        tell: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<(), ArchiveError> {
        let first = list_archive_tables().iter().position(|table| table.name == progress.step);
        let mut written = self.count_written_rows(&progress);
        let is_wanted = |table: &&ArchiveTable| table.name != "hosts" || self.options.with_hosts;
        for table in
            list_archive_tables().iter().skip(first.unwrap_or(list_archive_tables().len())).filter(is_wanted)
        {
            progress = self
                .write_table(progress, table, &mut |rows| {
                    written += rows;
                    tell(RestoreStep::Writing, written);
                })
                .await?;
        }
        let first = ArchiveNameIndex::ALL.into_iter().position(|names| names.name() == progress.step);
        if first.is_none() {
            progress = self.write_attachments(progress, tell).await?;
        }
        for names in ArchiveNameIndex::ALL.into_iter().skip(first.unwrap_or(0)) {
            progress = self.write_name_indexes(progress, names, tell).await?;
        }
        Ok(())
    }

    /// Moves the progress to the start of `step`, unless it is already in that step.
    fn enter_step(&self, progress: RestoreProgress, step: &str) -> RestoreProgress {
        match progress.step == step {
            true => progress,
            false => RestoreProgress { step: step.to_owned(), done: 0, ..progress },
        }
    }

    async fn write_table(
        &self,
        mut known: RestoreProgress,
        table: &'static ArchiveTable,
        tell: &mut (dyn FnMut(u64) + Send),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(known.clone(), table.name);
        let (send, mut pages) = mpsc::channel::<Vec<Vec<SqlScalar>>>(2);
        let (archive, safe, chance) =
            (self.archive.clone(), Arc::clone(&self.safe), Arc::clone(&self.app.chance));
        let skip = at.done.unsigned_abs();
        // The next rows are read while these are written. If the writer no longer receives rows, it has failed.
        let reading = run_blocking(move || {
            let give = |rows| send.blocking_send(rows).map_err(|_| build_receiver_gone_error());
            archive.for_each_page(table, skip, (&safe, &*chance), give)
        });
        let reading = tokio::spawn(reading);
        while let Some(mut rows) = pages.recv().await {
            rows.iter_mut().for_each(|row| adapt_row(table, row));
            let count = rows.len() as u64;
            let next = RestoreProgress { done: at.done + rows.len() as i64, ..at };
            let part = TableRowBatch { known, next: next.clone(), table, rows };
            let lane = WriteLane::background(self.tenant());
            self.app.db.write(lane, part, |tx, part| Box::pin(write_table_batch(tx, part))).await?;
            (known, at) = (next.clone(), next);
            tell(count);
        }
        join_reader(reading).await?;
        Ok(known)
    }

    /// Copies the attachments to this server's file store under their original keys.
    async fn write_attachments(
        &self,
        mut known: RestoreProgress,
        tell: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(known.clone(), ATTACHED);
        let (send, mut parts) = mpsc::channel::<(String, Vec<u8>)>(2);
        let (archive, skip) = (self.archive.clone(), at.done.unsigned_abs());
        let reading = tokio::spawn(run_blocking(move || {
            archive.for_each_attachment_content(skip, |path, bytes| {
                send.blocking_send((path, bytes)).map_err(|_| build_receiver_gone_error())
            })
        }));
        let mut put = at.done;
        loop {
            let part = parts.recv().await;
            let is_last = part.is_none();
            if let Some((path, bytes)) = part {
                let name = path.strip_prefix(FILES).unwrap_or_default();
                transfer::put_part(self.app, self.tenant(), name, bytes.into()).await?;
                put += 1;
                tell(RestoreStep::Attaching, put.unsigned_abs());
            }
            if put - at.done == PUT_TOGETHER || (is_last && put > at.done) {
                let next = RestoreProgress { done: put, ..at };
                let input = (known, next.clone());
                let lane = WriteLane::background(self.tenant());
                let kept = self
                    .app
                    .db
                    .write(lane, input, |tx, (known, next)| Box::pin(replace_progress(tx, known, next)));
                kept.await?;
                (known, at) = (next.clone(), next);
            }
            if is_last {
                break;
            }
        }
        join_reader(reading).await?;
        Ok(known)
    }

    async fn write_name_indexes(
        &self,
        mut known: RestoreProgress,
        names: ArchiveNameIndex,
        tell: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(known.clone(), names.name());
        loop {
            let lane = WriteLane::background(self.tenant());
            let input = (known.clone(), at.clone(), names);
            let next = self.app.db.write(lane, input, |tx, (known, at, names)| {
                Box::pin(async move {
                    let Some(last) = index_names(tx, at.tenant, *names, at.done).await? else {
                        return Ok::<_, ArchiveError>(None);
                    };
                    let next = RestoreProgress { done: last, ..at.clone() };
                    replace_progress(tx, known, &next).await?;
                    Ok(Some(next))
                })
            });
            let Some(next) = next.await? else { return Ok(known) };
            tell(RestoreStep::Indexing, next.done.unsigned_abs());
            (known, at) = (next.clone(), next);
        }
    }

    /// Activates the tenant; returns whether it became the default, and how many mails are held back.
    async fn finish(&self) -> Result<(bool, u64), ArchiveError> {
        let table = &list_archive_tables()[0];
        let own = self.archive.read_all_rows(table, (&self.safe, &*self.app.chance))?;
        let active = own.first().and_then(|row| row.get(table.column_position("active")?));
        let entry = AuditEntry {
            tenant: self.tenant(),
            at: self.now,
            user: None,
            operation: OPERATION,
            person: None,
            detail: Some(format!("trouxe a associação, exportada em {}", self.archive.manifest.moment)),
        };
        let last = RestoreCompletion {
            archive: self.archive.digest.clone(),
            entry,
            active: active == Some(&SqlScalar::Bool(true)),
            options: self.options,
        };
        let lane = WriteLane::foreground(TenantId::SERVER);
        self.app.db.write(lane, last, |tx, last| Box::pin(finish_restore(tx, last))).await
    }
}

/// The tenant stays inactive until the last transaction.
fn adapt_row(table: &ArchiveTable, row: &mut [SqlScalar]) {
    if let Some(at) = table.column_position("active").filter(|_| table.name == "tenants") {
        row[at] = false.into();
    }
}

/// Runs in the server's write lane, like the creation of tenants, so that a number is never used twice.
async fn reserve_tenant(tx: &mut Tx, doors: &RestoreReservation) -> Result<RestoreProgress, ArchiveError> {
    let wanted = &doors.progress;
    if let Some(begun) = RestoreProgress::load(tx).await? {
        let same = begun.tenant == wanted.tenant && begun.archive == wanted.archive;
        return if same { Ok(begun) } else { Err(ArchiveError::OtherRestoreUnfinished(begun.tenant)) };
    }
    if storage::server::tenants::find_tenant(&mut *tx, wanted.tenant).await?.is_some() {
        return Err(ArchiveError::TenantExists(wanted.tenant));
    }
    refuse_taken_names(tx, &doors.wanted.logins, &doors.wanted.hosts).await?;
    counters::advance_counter(tx, TenantId::SERVER, Counter::Tenant, wanted.tenant.get()).await?;
    settings::upsert_setting(tx, ServerSetting::ArchiveRestore, &wanted.to_text()).await?;
    Ok(wanted.clone())
}

/// A login or host name belongs to one tenant only.
async fn refuse_taken_names(tx: &mut Tx, logins: &[String], hosts: &[String]) -> Result<(), ArchiveError> {
    let mut taken = Vec::new();
    for some in logins.chunks(1_000) {
        taken.extend(list_taken_logins(&mut *tx, some).await?);
    }
    if !taken.is_empty() {
        return Err(ArchiveError::LoginsTaken(taken));
    }
    let mut taken = storage::server::tenants::list_hosts(&mut *tx).await?;
    taken.retain(|(host, _)| hosts.contains(host));
    match taken.is_empty() {
        true => Ok(()),
        false => Err(ArchiveError::HostsTaken(taken.into_iter().map(|(host, _)| host).collect())),
    }
}

async fn write_table_batch(tx: &mut Tx, part: &TableRowBatch) -> Result<(), ArchiveError> {
    replace_progress(tx, &part.known, &part.next).await?;
    // The names were free at the start but are written last: another tenant may have taken them meanwhile.
    match part.table.name {
        "logins" => refuse_taken_names(tx, &part.column_texts("email"), &[]).await?,
        "hosts" => refuse_taken_names(tx, &[], &part.column_texts("host")).await?,
        _ => {}
    }
    let settled = upgrade_archive_rows(part.table, part.rows.clone());
    let inserts = settled.iter().flat_map(|(table, rows)| table.build_inserts(part.next.tenant, rows));
    Ok(tx.execute_batch(inserts.collect()).await?)
}

async fn finish_restore(
    tx: &mut Tx,
    RestoreCompletion { archive, entry, active, options }: &RestoreCompletion,
) -> Result<(bool, u64), ArchiveError> {
    let tenant = entry.tenant;
    if RestoreProgress::load(tx).await?.is_none_or(|begun| begun.archive != *archive) {
        return Err(ArchiveError::ConcurrentRestore);
    }
    if options.paused {
        pause_receivers(tx, tenant, entry.at).await?;
    }
    let held = match options.with_mails && !options.paused {
        true => 0,
        false => cancel_waiting_mails(tx, tenant).await?,
    };
    delete_dangling_queues(tx, tenant).await?;
    update_tenant_active(tx, tenant, *active).await?;
    audit::append_audit_entry(tx, entry).await?;
    let is_default = tenants::find_default_tenant(&mut *tx).await?.is_none();
    if is_default {
        settings::upsert_setting(tx, ServerSetting::DefaultTenant, &tenant.to_string()).await?;
    }
    versions::raise_registers_version(tx, tenant).await?;
    versions::raise_access_version(tx, tenant).await?;
    versions::raise_registers_version(tx, TenantId::SERVER).await?;
    settings::delete_setting(tx, ServerSetting::ArchiveRestore).await?;
    Ok((is_default, held))
}

/// Ends the reader when the writer has failed; the writer's own error is the one reported.
fn build_receiver_gone_error() -> ArchiveError {
    ArchiveError::Interrupted("nobody takes what is read".to_owned())
}

async fn join_reader(reading: tokio::task::JoinHandle<Result<(), ArchiveError>>) -> Result<(), ArchiveError> {
    reading.await.unwrap_or_else(|error| Err(ArchiveError::Interrupted(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_back() {
        let (tenant, archive) = (TenantId::new(3), "ab12".to_owned());
        let progress = RestoreProgress { tenant, archive, step: "people".to_owned(), done: 1_200 };
        assert_eq!(RestoreProgress::parse(&progress.to_text()), Some(progress));
        assert_eq!(RestoreProgress::parse("base=x"), None);
    }
}
