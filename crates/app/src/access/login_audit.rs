//! The audit of logins: every login, failure and account change becomes an audit entry with address and result.
//!
//! A success is written in its own transaction. A failure is buffered here and written after the answer, so that an
//! unknown user name takes as long as a known one. A flood does not fill the table: failures of known users are
//! bounded by the throttle, failures with an unknown user share one entry per address and window, and a throttled
//! account or address gets one entry per window.

use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, CallerAddress, Moment, TenantId,
    UserCode,
};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use storage::history::audit::{self, AccountActionResult, AccountAuditEntry};
use storage::{Tx, WriteLane};

/// Maximum number of buffered entries; further ones are counted and dropped.
const MOST_WAITING: usize = 10_000;
/// Maximum number of accounts and addresses whose last entry is remembered.
const MOST_REMEMBERED: usize = 10_000;

/// Entries written in one transaction.
const ENTRIES_PER_BATCH: usize = 200;

/// What an audit entry says about a user.
pub(super) fn build_user_change(action: AuditedAction, user: UserCode) -> AuditedChange {
    AuditedChange::new(action, AuditedRecordKind::User, user.get())
}

/// The account a login attempt concerns, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoginTarget {
    pub tenant: Option<TenantId>,
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    pub address: CallerAddress,
}

impl LoginTarget {
    /// `None` if no association is concerned.
    fn build_entry(
        &self,
        change: AuditedChange,
        result: AccountActionResult,
        at: Moment,
    ) -> Option<AccountAuditEntry> {
        Some(AccountAuditEntry {
            tenant: self.tenant?,
            at,
            user: self.user,
            operation: self.operation,
            change,
            address: Some(self.address.to_string()),
            result,
            times: 1,
        })
    }
}

/// Failures with the same key share an entry.
type FailureGroupKey = (TenantId, String, AuditedOperation);

/// Buffered entries, and the entries written recently.
#[derive(Default)]
pub struct LoginTrail(Mutex<PendingTrailEntries>);

#[derive(Default)]
struct PendingTrailEntries {
    entries: Vec<AccountAuditEntry>,
    /// Failures with an unknown user.
    packed: HashMap<FailureGroupKey, AccountAuditEntry>,
    /// The entry that counts further failures with the same key, and its time.
    written: HashMap<FailureGroupKey, (i32, Moment)>,
    /// The start of the window in which an account or address was last reported as throttled.
    throttled: HashMap<String, Moment>,
}

impl LoginTrail {
    fn lock(&self) -> MutexGuard<'_, PendingTrailEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, entry: AccountAuditEntry) {
        let mut waiting = self.lock();
        if waiting.entries.len() + waiting.packed.len() >= MOST_WAITING {
            metrics::counter!("amparo_access_entries_dropped_total").increment(1);
            return;
        }
        if entry.user.is_some() || entry.result != AccountActionResult::Failure {
            waiting.entries.push(entry);
            return;
        }
        let key = (entry.tenant, entry.address.clone().unwrap_or_default(), entry.operation);
        let times = entry.times;
        waiting.packed.entry(key).and_modify(|one| one.times += times).or_insert(entry);
    }

    /// Whether this window was not reported yet; marks it as reported.
    fn is_new_window(&self, subject: &str, since: Moment, window: Duration, now: Moment) -> bool {
        let mut waiting = self.lock();
        if waiting.throttled.get(subject) == Some(&since) {
            return false;
        }
        if waiting.throttled.len() >= MOST_REMEMBERED {
            waiting.throttled.retain(|_, started_at| now.duration_since(*started_at) < window);
            clear_when_full(&mut waiting.throttled);
        }
        waiting.throttled.insert(subject.to_owned(), since);
        true
    }

    fn take(&self) -> HashMap<TenantId, Vec<AccountAuditEntry>> {
        let mut waiting = self.lock();
        let PendingTrailEntries { entries, packed, .. } = &mut *waiting;
        let mut by_tenant: HashMap<TenantId, Vec<AccountAuditEntry>> = HashMap::new();
        for entry in entries.drain(..).chain(packed.drain().map(|(_, entry)| entry)) {
            by_tenant.entry(entry.tenant).or_default().push(entry);
        }
        by_tenant
    }
}

/// Buffers the audit entry of a wrong password or code.
pub(super) fn record_login_failure(app: &App, target: &LoginTarget, change: AuditedChange) {
    match target.build_entry(change, AccountActionResult::Failure, app.now()) {
        Some(entry) => app.login_trail.push(entry),
        None => {
            tracing::info!(address = %target.address, operation = target.operation.name(), "a login named an unknown user");
        }
    }
}

/// Buffers the audit entry of an attempt throttled by the count of `subject`; once per window.
pub(super) fn record_throttled_login(app: &App, target: &LoginTarget, (subject, since): (&str, Moment)) {
    let now = app.now();
    if !app.login_trail.is_new_window(subject, since, app.throttle.window, now) {
        return;
    }
    let of_address = subject.starts_with("address ");
    tracing::warn!(
        address = %target.address,
        tenant = target.tenant.map(TenantId::get),
        user = target.user.map(UserCode::get),
        operation = target.operation.name(),
        by = if of_address { "address" } else { "account" },
        "logins are throttled"
    );
    let action = if of_address { AuditedAction::ThrottleAddress } else { AuditedAction::ThrottleAccount };
    let change = target.user.map_or(action.into(), |user| build_user_change(action, user));
    if let Some(entry) = target.build_entry(change, AccountActionResult::Throttled, now) {
        app.login_trail.push(entry);
    }
}

/// Entries being written. On failure or cancellation, drop returns them to the buffer: an entry may be written twice,
/// but is never lost while the process lives.
struct TrailWriteBatch<'t> {
    trail: &'t LoginTrail,
    entries: Vec<AccountAuditEntry>,
}

impl Drop for TrailWriteBatch<'_> {
    fn drop(&mut self) {
        for entry in std::mem::take(&mut self.entries) {
            self.trail.push(entry);
        }
    }
}

pub(crate) async fn flush_login_trail(app: &App) -> Result<(), Error> {
    let chunks = app.login_trail.take().into_iter().flat_map(|(tenant, entries)| {
        let parts: Vec<Vec<AccountAuditEntry>> =
            entries.chunks(ENTRIES_PER_BATCH).map(<[AccountAuditEntry]>::to_vec).collect();
        parts.into_iter().map(move |entries| (tenant, entries))
    });
    let batches: Vec<(TenantId, TrailWriteBatch<'_>)> = chunks
        .map(|(tenant, entries)| (tenant, TrailWriteBatch { trail: &app.login_trail, entries }))
        .collect();
    for (tenant, mut batch) in batches {
        let input: Vec<(AccountAuditEntry, Option<i32>)> =
            batch.entries.iter().map(|entry| (entry.clone(), find_open_group(app, entry))).collect();
        let lane = WriteLane::background(tenant);
        let codes = app.db.write(lane, input, |tx, input| Box::pin(write_trail_entries(tx, input))).await?;
        for (entry, code) in batch.entries.drain(..).zip(codes) {
            remember_open_group(app, entry, code);
        }
    }
    Ok(())
}

/// The recent entry that counts this failure, if any.
fn find_open_group(app: &App, entry: &AccountAuditEntry) -> Option<i32> {
    if entry.user.is_some() || entry.result != AccountActionResult::Failure {
        return None;
    }
    let key = (entry.tenant, entry.address.clone().unwrap_or_default(), entry.operation);
    let written = app.login_trail.lock().written.get(&key).copied();
    written.filter(|(_, since)| entry.at.duration_since(*since) < app.throttle.window).map(|(code, _)| code)
}

fn remember_open_group(app: &App, entry: AccountAuditEntry, code: Option<i32>) {
    let Some(code) = code.filter(|_| entry.user.is_none() && entry.result == AccountActionResult::Failure)
    else {
        return;
    };
    let mut waiting = app.login_trail.lock();
    if waiting.written.len() >= MOST_REMEMBERED {
        waiting.written.retain(|_, (_, since)| entry.at.duration_since(*since) < app.throttle.window);
        clear_when_full(&mut waiting.written);
    }
    let key = (entry.tenant, entry.address.unwrap_or_default(), entry.operation);
    waiting.written.insert(key, (code, entry.at));
}

/// If removing expired keys was not enough, clears the map: a redundant entry is better than unbounded memory.
fn clear_when_full<K, V>(map: &mut HashMap<K, V>) {
    if map.len() >= MOST_REMEMBERED {
        map.clear();
    }
}

/// The codes of the new entries; `None` for those counted in an existing one.
async fn write_trail_entries(
    tx: &mut Tx,
    entries: &[(AccountAuditEntry, Option<i32>)],
) -> Result<Vec<Option<i32>>, Error> {
    let mut codes = Vec::with_capacity(entries.len());
    for (entry, open) in entries {
        codes.push(match open {
            Some(code) => {
                tx.execute(audit::add_entry_repeats(entry.tenant, *code, entry.times)).await?;
                None
            }
            None => Some(audit::append_account_entry(tx, entry).await?),
        });
    }
    Ok(codes)
}
