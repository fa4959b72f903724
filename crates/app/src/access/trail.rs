//! The trail of entering: every login, failure and change of an account is an entry of the audit with address and result.
//!
//! What succeeds is written in the unit that does it. A failure is noted here and written behind its answer, so that a
//! login that names nobody takes as long as one that does. A flood does not fill the table: failures that name a user are
//! bounded by the throttle, those that name nobody share one entry for each address and window, and a throttled account or
//! address gets one entry for each window of its count.

use crate::{App, Error};
use domain::{CallerAddress, Moment, TenantId, UserCode};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use storage::audit::{self, AccessEntry, AccessResult};
use storage::{Lane, Tx};

/// Entries that may wait to be written; more are counted and dropped.
const MOST_WAITING: usize = 10_000;
/// Accounts and addresses of which is remembered that they were written down.
const MOST_REMEMBERED: usize = 10_000;

/// Entries written in one unit.
const TOGETHER: usize = 200;

/// Who does something to an account, by which operation and from where.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    pub user: Option<UserCode>,
    /// Method and route, or the command.
    pub operation: &'static str,
    pub address: Option<CallerAddress>,
}

impl Actor {
    /// Whoever has the machine.
    pub const fn command(operation: &'static str) -> Actor {
        Actor { user: None, operation, address: None }
    }

    /// Writes down what succeeded, in its unit.
    pub(crate) async fn record(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        detail: String,
        at: Moment,
    ) -> Result<i32, Error> {
        let entry = AccessEntry {
            tenant,
            at,
            user: self.user,
            operation: self.operation,
            detail,
            address: self.address.map(|address| address.to_string()),
            result: AccessResult::Success,
            times: 1,
        };
        Ok(audit::append_access(tx, &entry).await?)
    }
}

/// Whom an attempt to enter concerns, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub tenant: Option<TenantId>,
    pub user: Option<UserCode>,
    pub operation: &'static str,
    pub address: CallerAddress,
}

impl Target {
    /// `None` where no association is concerned.
    fn entry(&self, detail: String, result: AccessResult, at: Moment) -> Option<AccessEntry> {
        Some(AccessEntry {
            tenant: self.tenant?,
            at,
            user: self.user,
            operation: self.operation,
            detail,
            address: Some(self.address.to_string()),
            result,
            times: 1,
        })
    }
}

/// Failures of one kind that share an entry.
type PackKey = (TenantId, String, &'static str);

/// What waits to be written, and what was written lately.
#[derive(Default)]
pub struct Trail(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    entries: Vec<AccessEntry>,
    /// Failures that name no user.
    packed: HashMap<PackKey, AccessEntry>,
    /// The entries that further failures of their kind are counted in, and since when.
    written: HashMap<PackKey, (i32, Moment)>,
    /// The windows in which an account or address was throttled, by its beginning.
    throttled: HashMap<String, Moment>,
}

impl Trail {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, entry: AccessEntry) {
        let mut waiting = self.lock();
        if waiting.entries.len() + waiting.packed.len() >= MOST_WAITING {
            metrics::counter!("amparo_access_entries_dropped_total").increment(1);
            return;
        }
        if entry.user.is_some() || entry.result != AccessResult::Failure {
            waiting.entries.push(entry);
            return;
        }
        let key = (entry.tenant, entry.address.clone().unwrap_or_default(), entry.operation);
        let times = entry.times;
        waiting.packed.entry(key).and_modify(|one| one.times += times).or_insert(entry);
    }

    /// Whether this window of a count was not told before; from now on it was.
    fn is_new_window(&self, subject: &str, since: Moment, window: Duration, now: Moment) -> bool {
        let mut waiting = self.lock();
        if waiting.throttled.get(subject) == Some(&since) {
            return false;
        }
        if waiting.throttled.len() >= MOST_REMEMBERED {
            waiting.throttled.retain(|_, begun| now.since(*begun) < window);
            shorten(&mut waiting.throttled);
        }
        waiting.throttled.insert(subject.to_owned(), since);
        true
    }

    /// Everything that waits, by association.
    fn take(&self) -> HashMap<TenantId, Vec<AccessEntry>> {
        let mut waiting = self.lock();
        let Waiting { entries, packed, .. } = &mut *waiting;
        let mut taken: HashMap<TenantId, Vec<AccessEntry>> = HashMap::new();
        for entry in entries.drain(..).chain(packed.drain().map(|(_, entry)| entry)) {
            taken.entry(entry.tenant).or_default().push(entry);
        }
        taken
    }
}

/// Notes a login or a code that was wrong.
pub(super) fn note_failure(app: &App, target: &Target, detail: String) {
    match target.entry(detail, AccessResult::Failure, app.now()) {
        Some(entry) => app.trail.push(entry),
        None => {
            tracing::info!(address = %target.address, operation = target.operation, "a login named no user");
        }
    }
}

/// Notes that an attempt was refused because of what was counted under `subject` since a moment; once for each window.
pub(super) fn note_throttled(app: &App, target: &Target, (subject, since): (&str, Moment)) {
    let now = app.now();
    if !app.trail.is_new_window(subject, since, app.throttle.window, now) {
        return;
    }
    let of_address = subject.starts_with("address ");
    tracing::warn!(
        address = %target.address,
        tenant = target.tenant.map(TenantId::get),
        user = target.user.map(UserCode::get),
        operation = target.operation,
        by = if of_address { "address" } else { "account" },
        "logins are throttled"
    );
    let whose = if of_address { "do endereço" } else { "na conta" };
    let detail = match target.user {
        Some(user) => format!("usuário {user} teve a entrada bloqueada: tentativas demais {whose}"),
        None => format!("tentou entrar vezes demais, com tentativas demais {whose}"),
    };
    if let Some(entry) = target.entry(detail, AccessResult::Throttled, now) {
        app.trail.push(entry);
    }
}

/// Entries on their way into the database. Where they do not get there, also because whoever wrote them was cut off, they
/// wait again: an entry may be written twice, and is never lost while the process lives.
struct Taken<'t> {
    trail: &'t Trail,
    entries: Vec<AccessEntry>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for entry in std::mem::take(&mut self.entries) {
            self.trail.push(entry);
        }
    }
}

/// Writes what waits.
pub(crate) async fn flush(app: &App) -> Result<(), Error> {
    let taken = app.trail.take().into_iter().flat_map(|(tenant, entries)| {
        let parts: Vec<Vec<AccessEntry>> = entries.chunks(TOGETHER).map(<[AccessEntry]>::to_vec).collect();
        parts.into_iter().map(move |entries| (tenant, entries))
    });
    let taken: Vec<(TenantId, Taken<'_>)> =
        taken.map(|(tenant, entries)| (tenant, Taken { trail: &app.trail, entries })).collect();
    for (tenant, mut taken) in taken {
        let input: Vec<(AccessEntry, Option<i32>)> =
            taken.entries.iter().map(|entry| (entry.clone(), open_pack(app, entry))).collect();
        let lane = Lane::background(tenant);
        let codes = app.db.write(lane, input, |tx, input| Box::pin(write(tx, input))).await?;
        for (entry, code) in taken.entries.drain(..).zip(codes) {
            remember(app, entry, code);
        }
    }
    Ok(())
}

/// The entry that a failure is counted in, where one of its kind was written not long ago.
fn open_pack(app: &App, entry: &AccessEntry) -> Option<i32> {
    if entry.user.is_some() || entry.result != AccessResult::Failure {
        return None;
    }
    let key = (entry.tenant, entry.address.clone().unwrap_or_default(), entry.operation);
    let written = app.trail.lock().written.get(&key).copied();
    written.filter(|(_, since)| entry.at.since(*since) < app.throttle.window).map(|(code, _)| code)
}

fn remember(app: &App, entry: AccessEntry, code: Option<i32>) {
    let Some(code) = code.filter(|_| entry.user.is_none() && entry.result == AccessResult::Failure) else {
        return;
    };
    let mut waiting = app.trail.lock();
    if waiting.written.len() >= MOST_REMEMBERED {
        waiting.written.retain(|_, (_, since)| entry.at.since(*since) < app.throttle.window);
        shorten(&mut waiting.written);
    }
    let key = (entry.tenant, entry.address.unwrap_or_default(), entry.operation);
    waiting.written.insert(key, (code, entry.at));
}

/// Where forgetting what is old was not enough, everything goes: an entry too many is better than memory without bound.
fn shorten<K, V>(map: &mut HashMap<K, V>) {
    if map.len() >= MOST_REMEMBERED {
        map.clear();
    }
}

/// The codes of those that are new.
async fn write(tx: &mut Tx, entries: &[(AccessEntry, Option<i32>)]) -> Result<Vec<Option<i32>>, Error> {
    let mut codes = Vec::with_capacity(entries.len());
    for (entry, open) in entries {
        codes.push(match open {
            Some(code) => {
                tx.execute(audit::repeat_access(entry.tenant, *code, entry.times)).await?;
                None
            }
            None => Some(audit::append_access(tx, entry).await?),
        });
    }
    Ok(codes)
}
