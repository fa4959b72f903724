//! Restores a tenant from an archive to a server that does not have it, in short transactions that also store the
//! progress: if interrupted, the same command continues there. The tenant is inactive until the last transaction. The
//! entire archive is validated before the first one (`validate.rs`); `discard.rs` deletes a restore that is never
//! completed.

use super::blocking::run_blocking;
use super::error::ArchiveError;
use super::manifest::{ArchiveManifest, FILES};
use super::reader::TenantArchiveReader;
use super::row_format::{self, TenantVault};
use super::validate::{self, ArchiveValidationRules, ReservedNames};
use app::attachments::transfer;
use app::upkeep::unfinished_restore::RestoreProgress;
use app::{App, Vault, tenants};
use domain::{AuditedAction, AuditedChange, AuditedOperation, Moment, TenantId};
use std::path::Path;
use std::sync::Arc;
use storage::exchange::archive::{
    ArchiveNameIndex, ArchiveTable, advance_access_counter, cancel_waiting_mails, delete_dangling_queues,
    index_names, list_archive_tables, list_taken_logins, pause_receivers, replace_accesses,
    update_tenant_active, upgrade_archive_rows,
};
use storage::history::audit::{self, AuditEntry};
use storage::search::tally::rebuild_benefit_totals;
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
const ATTACHMENTS_STEP: &str = "arquivos";
const PUT_TOGETHER: i64 = 20;

/// The operation name in the audit.
const OPERATION: AuditedOperation = AuditedOperation::BringCommand;

pub async fn restore_archive(
    app: &App,
    vault: Vault,
    archive_path: &Path,
    options: RestoreOptions,
    on_progress: impl Fn(RestoreStep, u64) + Send + Sync + 'static,
) -> Result<RestoreOutcome, ArchiveError> {
    let (path, on_progress) = (archive_path.to_owned(), Arc::new(on_progress));
    let (archive, tenant_vault, claimed_names) = run_blocking({
        let (on_progress, chance) = (Arc::clone(&on_progress), Arc::clone(&app.random_source));
        let rules =
            ArchiveValidationRules { public_url: app.public_url.to_string(), with_hosts: options.with_hosts };
        move || {
            let archive = TenantArchiveReader::open(&path)?;
            archive.verify(&|rows| on_progress(RestoreStep::Checking, rows))?;
            let tenant_vault = Arc::new(TenantVault { tenant: archive.manifest.tenant(), vault });
            let claimed_names =
                validate::validate_archive(&archive, (&tenant_vault, &*chance), &rules, &|rows| {
                    on_progress(RestoreStep::Validating, rows);
                })?;
            Ok((archive, tenant_vault, claimed_names))
        }
    })
    .await?;
    let run = ArchiveRestoreRun { app, archive, tenant_vault, options, now: app.now() };
    let progress = run.begin_restore(claimed_names).await?;
    let before = run.count_written_rows(&progress);
    run.write_remaining(progress, &*on_progress).await?;
    // Archives of older versions contain unencrypted tokens.
    let tenant = run.archive.manifest.tenant();
    app::members::credit_cards::seal_clear_tokens(app, &run.tenant_vault.vault, tenant).await?;
    let (is_default, held_mails) = run.finish().await?;
    Ok(RestoreOutcome { manifest: run.archive.manifest, before, is_default, held_mails })
}

struct ArchiveRestoreRun<'a> {
    app: &'a App,
    archive: TenantArchiveReader,
    tenant_vault: Arc<TenantVault>,
    options: RestoreOptions,
    now: Moment,
}

/// Must run in the same transaction as the work it describes; fails if another process made progress meanwhile.
async fn replace_progress(
    tx: &mut Tx,
    stored_progress: &RestoreProgress,
    next: &RestoreProgress,
) -> Result<(), ArchiveError> {
    if RestoreProgress::load(tx).await?.as_ref() != Some(stored_progress) {
        return Err(ArchiveError::ConcurrentRestore);
    }
    Ok(settings::upsert_setting(tx, ServerSetting::ArchiveRestore, &next.to_text()).await?)
}

/// The progress and the names to reserve.
struct RestoreReservation {
    progress: RestoreProgress,
    wanted: ReservedNames,
}

struct TableRowBatch {
    stored_progress: RestoreProgress,
    next: RestoreProgress,
    table: &'static ArchiveTable,
    rows: Vec<Vec<SqlScalar>>,
    /// The key that encrypted the secrets among the rows.
    key_fingerprint: String,
}

/// The input of the last transaction.
struct RestoreCompletion {
    archive: String,
    entry: AuditEntry,
    active: bool,
    /// When the association was created.
    created_at: Moment,
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
        self.tenant_vault.tenant
    }

    /// Reserves the tenant number, or loads the progress of an earlier run of the same archive.
    async fn begin_restore(&self, claimed_names: ReservedNames) -> Result<RestoreProgress, ArchiveError> {
        let progress = RestoreProgress {
            tenant: self.tenant(),
            archive: self.archive.digest.clone(),
            step: list_archive_tables()[0].name.to_owned(),
            done: 0,
        };
        let reservation = RestoreReservation { progress, wanted: claimed_names };
        let lane = WriteLane::foreground(TenantId::SERVER);
        self.app
            .db
            .write(lane, reservation, |tx, reservation| Box::pin(reserve_tenant(tx, reservation)))
            .await
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
        on_progress: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<(), ArchiveError> {
        let first = list_archive_tables().iter().position(|table| table.name == progress.step);
        let mut written = self.count_written_rows(&progress);
        let is_restored = |table: &&ArchiveTable| table.name != "hosts" || self.options.with_hosts;
        for table in list_archive_tables()
            .iter()
            .skip(first.unwrap_or(list_archive_tables().len()))
            .filter(is_restored)
        {
            progress = self
                .write_table(progress, table, &mut |rows| {
                    written += rows;
                    on_progress(RestoreStep::Writing, written);
                })
                .await?;
        }
        let first = ArchiveNameIndex::ALL.into_iter().position(|names| names.name() == progress.step);
        if first.is_none() {
            progress = self.write_attachments(progress, on_progress).await?;
        }
        for names in ArchiveNameIndex::ALL.into_iter().skip(first.unwrap_or(0)) {
            progress = self.write_name_indexes(progress, names, on_progress).await?;
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
        mut stored_progress: RestoreProgress,
        table: &'static ArchiveTable,
        on_progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(stored_progress.clone(), table.name);
        let (send, mut pages) = mpsc::channel::<Vec<Vec<SqlScalar>>>(2);
        let (archive, tenant_vault, chance) =
            (self.archive.clone(), Arc::clone(&self.tenant_vault), Arc::clone(&self.app.random_source));
        let skip = at.done.unsigned_abs();
        let key_fingerprint = self.tenant_vault.vault.fingerprint();
        // The next rows are read while these are written. If the writer no longer receives rows, it has failed.
        let reading = run_blocking(move || {
            let send_page = |rows| send.blocking_send(rows).map_err(|_| build_receiver_gone_error());
            archive.for_each_page(table, skip, (&tenant_vault, &*chance), send_page)
        });
        let reading = tokio::spawn(reading);
        while let Some(mut rows) = pages.recv().await {
            rows.iter_mut().for_each(|row| adapt_row(table, row));
            let count = rows.len() as u64;
            let next = RestoreProgress { done: at.done + rows.len() as i64, ..at };
            if table.is_activity() {
                self.write_accesses(table, std::mem::take(&mut rows)).await?;
            }
            let key_fingerprint = key_fingerprint.clone();
            let part = TableRowBatch { stored_progress, next: next.clone(), table, rows, key_fingerprint };
            let lane = WriteLane::background(self.tenant());
            self.app.db.write(lane, part, |tx, part| Box::pin(write_table_batch(tx, part))).await?;
            (stored_progress, at) = (next.clone(), next);
            on_progress(count);
        }
        join_reader(reading).await?;
        Ok(stored_progress)
    }

    /// Writes accesses before the progress that counts them: after an interruption they are written again.
    async fn write_accesses(
        &self,
        table: &'static ArchiveTable,
        rows: Vec<Vec<SqlScalar>>,
    ) -> Result<(), ArchiveError> {
        let (lane, input) = (WriteLane::background(self.tenant()), (self.tenant(), rows));
        let written = self.app.db.activity()?.write(lane, input, move |tx, (tenant, rows)| {
            Box::pin(replace_accesses(tx, *tenant, table, rows))
        });
        Ok(written.await?)
    }

    /// Copies the attachments to this server's file store under their original keys.
    async fn write_attachments(
        &self,
        mut stored_progress: RestoreProgress,
        on_progress: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(stored_progress.clone(), ATTACHMENTS_STEP);
        let (send, mut parts) = mpsc::channel::<(String, Vec<u8>)>(2);
        let (archive, skip) = (self.archive.clone(), at.done.unsigned_abs());
        let reading = tokio::spawn(run_blocking(move || {
            archive.for_each_attachment_content(skip, |path, bytes| {
                send.blocking_send((path, bytes)).map_err(|_| build_receiver_gone_error())
            })
        }));
        let mut stored_count = at.done;
        loop {
            let part = parts.recv().await;
            let is_last = part.is_none();
            if let Some((path, bytes)) = part {
                let name = path.strip_prefix(FILES).unwrap_or_default();
                transfer::put_part(self.app, self.tenant(), name, bytes.into()).await?;
                stored_count += 1;
                on_progress(RestoreStep::Attaching, stored_count.unsigned_abs());
            }
            if stored_count - at.done == PUT_TOGETHER || (is_last && stored_count > at.done) {
                let next = RestoreProgress { done: stored_count, ..at };
                let input = (stored_progress, next.clone());
                let lane = WriteLane::background(self.tenant());
                let saving = self.app.db.write(lane, input, |tx, (stored_progress, next)| {
                    Box::pin(replace_progress(tx, stored_progress, next))
                });
                saving.await?;
                (stored_progress, at) = (next.clone(), next);
            }
            if is_last {
                break;
            }
        }
        join_reader(reading).await?;
        Ok(stored_progress)
    }

    async fn write_name_indexes(
        &self,
        mut stored_progress: RestoreProgress,
        names: ArchiveNameIndex,
        on_progress: &(impl Fn(RestoreStep, u64) + Send + Sync),
    ) -> Result<RestoreProgress, ArchiveError> {
        let mut at = self.enter_step(stored_progress.clone(), names.name());
        loop {
            let lane = WriteLane::background(self.tenant());
            let input = (stored_progress.clone(), at.clone(), names);
            let next = self.app.db.write(lane, input, |tx, (stored_progress, at, names)| {
                Box::pin(async move {
                    let Some(last) = index_names(tx, at.tenant, *names, at.done).await? else {
                        return Ok::<_, ArchiveError>(None);
                    };
                    let next = RestoreProgress { done: last, ..at.clone() };
                    replace_progress(tx, stored_progress, &next).await?;
                    Ok(Some(next))
                })
            });
            let Some(next) = next.await? else { return Ok(stored_progress) };
            on_progress(RestoreStep::Indexing, next.done.unsigned_abs());
            (stored_progress, at) = (next.clone(), next);
        }
    }

    /// Activates the tenant; returns whether it became the default, and how many mails are held back.
    async fn finish(&self) -> Result<(bool, u64), ArchiveError> {
        let table = &list_archive_tables()[0];
        let tenant_rows =
            self.archive.read_all_rows(table, (&self.tenant_vault, &*self.app.random_source))?;
        let find_value = |column| tenant_rows.first().and_then(|row| row.get(table.column_position(column)?));
        let created_at = match find_value("created_at") {
            Some(SqlScalar::Int(millis)) => Moment::from_millis(*millis),
            _ => self.now,
        };
        let entry = AuditEntry {
            tenant: self.tenant(),
            at: self.now,
            user: None,
            operation: OPERATION,
            person: None,
            change: AuditedChange::from(AuditedAction::RestoreTenant)
                .with_argument(&self.archive.manifest.moment),
        };
        let last = RestoreCompletion {
            archive: self.archive.digest.clone(),
            entry,
            active: find_value("active") == Some(&SqlScalar::Bool(true)),
            created_at,
            options: self.options,
        };
        advance_access_counter(&self.app.db, self.tenant()).await?;
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
async fn reserve_tenant(
    tx: &mut Tx,
    reservation: &RestoreReservation,
) -> Result<RestoreProgress, ArchiveError> {
    let requested = &reservation.progress;
    if let Some(unfinished) = RestoreProgress::load(tx).await? {
        let same = unfinished.tenant == requested.tenant && unfinished.archive == requested.archive;
        return if same {
            Ok(unfinished)
        } else {
            Err(ArchiveError::OtherRestoreUnfinished(unfinished.tenant))
        };
    }
    if storage::server::tenants::find_tenant(&mut *tx, requested.tenant).await?.is_some() {
        return Err(ArchiveError::TenantExists(requested.tenant));
    }
    refuse_taken_names(tx, &reservation.wanted.logins, &reservation.wanted.hosts).await?;
    counters::advance_counter(tx, TenantId::SERVER, Counter::Tenant, requested.tenant.get()).await?;
    settings::upsert_setting(tx, ServerSetting::ArchiveRestore, &requested.to_text()).await?;
    Ok(requested.clone())
}

/// A login or host name belongs to one tenant only.
async fn refuse_taken_names(tx: &mut Tx, logins: &[String], hosts: &[String]) -> Result<(), ArchiveError> {
    let mut taken_logins = Vec::new();
    for batch in logins.chunks(1_000) {
        taken_logins.extend(list_taken_logins(&mut *tx, batch).await?);
    }
    if !taken_logins.is_empty() {
        return Err(ArchiveError::LoginsTaken(taken_logins));
    }
    let mut taken_hosts = storage::server::tenants::list_hosts(&mut *tx).await?;
    taken_hosts.retain(|(host, _)| hosts.contains(host));
    match taken_hosts.is_empty() {
        true => Ok(()),
        false => Err(ArchiveError::HostsTaken(taken_hosts.into_iter().map(|(host, _)| host).collect())),
    }
}

async fn write_table_batch(tx: &mut Tx, part: &TableRowBatch) -> Result<(), ArchiveError> {
    replace_progress(tx, &part.stored_progress, &part.next).await?;
    // The names were free at the start but are written last: another tenant may have taken them meanwhile.
    match part.table.name {
        "logins" => refuse_taken_names(tx, &part.column_texts("email"), &[]).await?,
        "hosts" => refuse_taken_names(tx, &[], &part.column_texts("host")).await?,
        "secrets" => storage::server::secrets::ensure_key_in_use(tx, &part.key_fingerprint).await?,
        _ => {}
    }
    let upgraded_rows = upgrade_archive_rows(part.table, part.rows.clone());
    let inserts = upgraded_rows.iter().flat_map(|(table, rows)| table.build_inserts(part.next.tenant, rows));
    Ok(tx.execute_batch(inserts.collect()).await?)
}

async fn finish_restore(
    tx: &mut Tx,
    RestoreCompletion { archive, entry, active, created_at, options }: &RestoreCompletion,
) -> Result<(bool, u64), ArchiveError> {
    let tenant = entry.tenant;
    if RestoreProgress::load(tx).await?.is_none_or(|progress| progress.archive != *archive) {
        return Err(ArchiveError::ConcurrentRestore);
    }
    if options.paused {
        pause_receivers(tx, tenant, entry.at).await?;
    }
    let held_mail_count = match options.with_mails && !options.paused {
        true => 0,
        false => cancel_waiting_mails(tx, tenant).await?,
    };
    delete_dangling_queues(tx, tenant).await?;
    rebuild_benefit_totals(tx, tenant).await?;
    // An archive of an older schema gets what the migration gave to every association.
    app::registers::insert_default_money_records(tx, tenant, *created_at).await?;
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
    Ok((is_default, held_mail_count))
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
