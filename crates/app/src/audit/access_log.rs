//! The log of accesses to personal data. An access is buffered in memory and written in batches after the answer, so
//! that it never delays a request. The buffer is bounded: if the database cannot keep up, access is refused rather
//! than left unlogged.

use crate::access;
use crate::access::users;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, Moment, PAGE_SIZE, PersonCode, Role, TenantId, UserCode};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use storage::history::audit::{
    self, AccessLogBlock, AuditCodeRange, AuditEntryCriteria, compute_block_number,
};
pub use storage::history::audit::{
    AccountActionResult, AuditEntryContent, AuditEntryPage, AuditedEvent, StoredAuditEntry,
};
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};

/// Maximum number of buffered accesses.
const LARGEST_BUFFER: usize = 500_000;
/// Rows written in one transaction.
const ENTRIES_PER_BATCH: usize = 2_000;
const ENTRIES_PER_PAGE: usize = PAGE_SIZE as usize;
/// How many people of one access, by code, are shown by name in the newest-first audit.
pub const NAMED_PEOPLE: usize = 5;

#[derive(Default)]
pub struct AccessLogBuffer(Mutex<PendingAccessLog>);

#[derive(Default)]
struct PendingAccessLog {
    looks: usize,
    by_tenant: HashMap<TenantId, HashMap<AccessLogKey, AccessLogBlock>>,
}

/// User (`None` without a credential), operation, and block of person codes.
type AccessLogKey = (Option<UserCode>, AuditedOperation, i32);

impl AccessLogBuffer {
    /// Buffers accesses to these people.
    fn record(
        &self,
        (tenant, user): (TenantId, Option<UserCode>),
        operation: AuditedOperation,
        people: impl Iterator<Item = PersonCode>,
        at: Moment,
    ) -> Result<(), Error> {
        let mut waiting = self.lock();
        if waiting.looks >= LARGEST_BUFFER {
            return Err(Error::AuditBacklogFull);
        }
        let PendingAccessLog { looks: total, by_tenant } = &mut *waiting;
        let blocks = by_tenant.entry(tenant).or_default();
        for person in people {
            *total += 1;
            blocks
                .entry((user, operation, compute_block_number(person)))
                .and_modify(|sighting| sighting.add(person, at))
                .or_insert_with(|| AccessLogBlock::new(user, operation, (person, at)));
        }
        Ok(())
    }

    fn tenants(&self) -> Vec<TenantId> {
        self.lock().by_tenant.keys().copied().collect()
    }

    /// Takes one batch of a tenant's buffered accesses.
    fn take_batch(&self, tenant: TenantId) -> Option<AccessLogBatch<'_>> {
        let mut waiting = self.lock();
        let PendingAccessLog { looks: total, by_tenant } = &mut *waiting;
        let blocks = by_tenant.get_mut(&tenant)?;
        let keys: Vec<AccessLogKey> = blocks.keys().take(ENTRIES_PER_BATCH).copied().collect();
        let mut batch: Vec<_> = keys.into_iter().filter_map(|key| blocks.remove_entry(&key)).collect();
        // Sorted, so that the same calls always produce the same entries.
        batch.sort_unstable_by_key(|((user, operation, block), _)| (*user, operation.name(), *block));
        if blocks.is_empty() {
            by_tenant.remove(&tenant);
        }
        *total -= batch.iter().map(|(_, sighting)| sighting.len()).sum::<usize>();
        Some(AccessLogBatch { from: self, tenant, some: batch })
    }

    fn put_back(&self, tenant: TenantId, entries: Vec<(AccessLogKey, AccessLogBlock)>) {
        let mut waiting = self.lock();
        let PendingAccessLog { looks: total, by_tenant } = &mut *waiting;
        let blocks = by_tenant.entry(tenant).or_default();
        for (key, mut older) in entries {
            *total += older.len();
            if let Some(newer) = blocks.get(&key) {
                older.merge(newer);
            }
            blocks.insert(key, older);
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingAccessLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs that the caller sees these people, each once per call; on an error the caller must not see them.
pub(crate) fn record_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    people: impl Iterator<Item = PersonCode>,
) -> Result<(), Error> {
    let operation = caller.within.unwrap_or(operation);
    let mut recorded = Vec::new();
    let people = people.filter(|person| {
        let is_new = !recorded.contains(person);
        recorded.push(*person);
        is_new
    });
    app.access_log.record((caller.scope.tenant(), Some(caller.user)), operation, people, app.now())
}

/// As [`record_access`], for an anonymous caller.
pub(crate) fn record_anonymous_access(
    app: &App,
    tenant: TenantId,
    operation: AuditedOperation,
    person: PersonCode,
) -> Result<(), Error> {
    app.access_log.record((tenant, None), operation, std::iter::once(person), app.now())
}

/// A batch being written. If it is dropped before the commit, also by cancellation, its accesses return to the buffer:
/// they may be written twice, but are never lost.
struct AccessLogBatch<'l> {
    from: &'l AccessLogBuffer,
    tenant: TenantId,
    some: Vec<(AccessLogKey, AccessLogBlock)>,
}

impl AccessLogBatch<'_> {
    /// Keeps drop from returning the batch to the buffer.
    fn mark_written(mut self) {
        self.some.clear();
    }
}

impl Drop for AccessLogBatch<'_> {
    fn drop(&mut self) {
        if !self.some.is_empty() {
            self.from.put_back(self.tenant, std::mem::take(&mut self.some));
        }
    }
}

/// Above this number, waiting a little merges many accesses into one write.
const MERGED_WRITE_SIZE: usize = 1_000;
/// How many turns a write may be delayed.
const LONGEST_DELAY_TURNS: u32 = 20;

/// Decides on each turn whether to write the buffer. A few accesses are written at once. Many are collected for some
/// turns, because every write invalidates the page caches of all readers of an embedded database.
#[derive(Default)]
pub struct AccessLogPacer {
    waited: u32,
}

impl AccessLogPacer {
    /// Takes a turn: writes the buffer or waits.
    #[boxed::future]
    pub async fn flush_when_due(&mut self, app: &App) -> Result<(), Error> {
        self.waited += 1;
        let waiting = app.access_log.lock().looks;
        if waiting > MERGED_WRITE_SIZE && waiting < LARGEST_BUFFER / 2 && self.waited < LONGEST_DELAY_TURNS {
            return Ok(());
        }
        self.waited = 0;
        flush_access_log(app).await
    }
}

/// Writes the buffer. The server calls this periodically and once more at shutdown. A failed batch stays buffered, and
/// does not stop those of other tenants.
#[boxed::future]
pub async fn flush_access_log(app: &App) -> Result<(), Error> {
    let mut failed = access::flush_login_trail(app).await.err();
    for tenant in app.access_log.tenants() {
        while let Some(batch) = app.access_log.take_batch(tenant) {
            let rows: Vec<AccessLogBlock> = batch.some.iter().map(|(_, sighting)| sighting.clone()).collect();
            let written =
                app.db.write(WriteLane::background(tenant), (tenant, rows), |tx, (tenant, rows)| {
                    Box::pin(audit::append_access_log(tx, *tenant, rows))
                });
            match written.await {
                Ok(()) => batch.mark_written(),
                Err(error) => {
                    failed = Some(error.into());
                    break;
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

#[derive(Clone, Copy, Debug, Default)]
pub struct AuditPageQuery {
    pub after: i32,
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

/// A page of the audit, and the cursor of the next.
#[boxed::future]
pub async fn read_audit_page(
    app: &App,
    caller: &Session,
    question: AuditPageQuery,
) -> Result<AuditEntryPage, Error> {
    // Includes everything up to now, at least from this process.
    flush_access_log(app).await?;
    let input = (caller.scope.tenant(), question);
    app.db
        .read(input, |tx: &mut Tx, (tenant, question): &(TenantId, AuditPageQuery)| {
            let criteria = AuditEntryCriteria { person: question.person, user: question.user };
            let stretch = AuditCodeRange::starting_after(question.after);
            Box::pin(async move {
                Ok(audit::list_audit_entries(tx, *tenant, criteria, stretch, ENTRIES_PER_PAGE).await?)
            })
        })
        .await
}

/// Filters for reading the audit newest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReverseAuditQuery {
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
    pub since: Option<Moment>,
    pub until: Option<Moment>,
    /// Only entries older than this code.
    pub before: Option<i32>,
}

/// A page of the audit, newest first, with the names of the people in it; for administrators. Showing those names is
/// not logged as access: the audit would record itself.
#[boxed::future]
pub async fn read_newest_audit_page(
    app: &App,
    caller: &Session,
    reading: ReverseAuditQuery,
) -> Result<(AuditEntryPage, HashMap<PersonCode, String>), Error> {
    caller.require_role(&Role::ADMINISTRATORS)?;
    let newest = find_newest_entry_code(app, caller).await?;
    let input = (caller.scope.tenant(), reading, newest);
    app.db.read(input, |tx, input| Box::pin(read_reverse_page(tx, input))).await
}

async fn read_reverse_page(
    tx: &mut Tx,
    (tenant, reading, newest): &(TenantId, ReverseAuditQuery, i32),
) -> Result<(AuditEntryPage, HashMap<PersonCode, String>), Error> {
    let after = match reading.since {
        Some(since) => audit::find_first_code_since(tx, *tenant, since, *newest).await? - 1,
        None => 0,
    };
    let end = match reading.until {
        Some(until) => audit::find_first_code_since(tx, *tenant, until, *newest).await?,
        None => newest.saturating_add(1),
    };
    let before = reading.before.map_or(end, |before| before.min(end));
    let criteria = AuditEntryCriteria { person: reading.person, user: reading.user };
    let page = audit::list_audit_entries(
        tx,
        *tenant,
        criteria,
        AuditCodeRange { after, before, newest_first: true },
        ENTRIES_PER_PAGE,
    )
    .await?;
    let mut named: BTreeSet<PersonCode> = reading.person.into_iter().collect();
    for one in &page.entries {
        match &one.what {
            AuditedEvent::Change(person, _) => named.extend(person),
            AuditedEvent::Access(people) => {
                let codes: BTreeSet<PersonCode> = people.iter().map(|(person, _)| *person).collect();
                named.extend(codes.into_iter().take(NAMED_PEOPLE));
            }
        }
    }
    let found = storage::members::list_people_by_code(&mut *tx, *tenant, named).await?;
    Ok((page, found.into_iter().map(|(code, profile)| (code, profile.name)).collect()))
}

/// The names of the tenant's users, for the audit.
#[boxed::future]
pub async fn list_user_names(app: &App, caller: &Session) -> Result<HashMap<UserCode, String>, Error> {
    let all = users::list_users(app, &caller.scope).await?;
    Ok(all.into_iter().map(|user| (user.code, user.name)).collect())
}

/// The code of the newest audit entry.
#[boxed::future]
pub async fn find_newest_entry_code(app: &App, caller: &Session) -> Result<i32, Error> {
    flush_access_log(app).await?;
    let last = counters::load_last_number(&app.db, caller.scope.tenant(), Counter::Audit).await?;
    Ok(i32::try_from(last).unwrap_or(i32::MAX))
}
