//! Pages of the audit, oldest or newest first: changes and accesses together, by time.

use super::access_log::flush_access_log;
use crate::access::users;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditCursor, Moment, PAGE_SIZE, PersonCode, Role, TenantId, UserCode};
use std::collections::{BTreeSet, HashMap};
use storage::history::access_log;
use storage::history::audit::{self, AuditCodeRange, AuditEntryCriteria};
pub use storage::history::audit::{AccountActionResult, AuditEntryContent, AuditedEvent, StoredAuditEntry};
pub use storage::history::audit_page::AuditEntryPage;
use storage::history::audit_page::{AuditLogKind, AuditPageLayout, find_first_code_since, merge_audit_page};
use storage::server::counters::{self, Counter};

const ENTRIES_PER_PAGE: usize = PAGE_SIZE as usize;
/// How many people of one access, by code, are shown by name in the newest-first audit.
pub const NAMED_PEOPLE: usize = 5;

#[derive(Clone, Copy, Debug)]
pub struct AuditPageQuery {
    pub after: AuditCursor,
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

impl Default for AuditPageQuery {
    fn default() -> AuditPageQuery {
        AuditPageQuery { after: AuditCursor::START, person: None, user: None }
    }
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
    let range = AuditEntryRange {
        after: question.after,
        before: AuditCursor { changes: i32::MAX, accesses: i32::MAX },
        newest_first: false,
    };
    let criteria = AuditEntryCriteria { person: question.person, user: question.user };
    read_range(app, caller.scope.tenant(), criteria, range).await
}

/// Filters for reading the audit newest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReverseAuditQuery {
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
    pub since: Option<Moment>,
    pub until: Option<Moment>,
    /// Only entries older than this.
    pub before: Option<AuditCursor>,
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
    flush_access_log(app).await?;
    let tenant = caller.scope.tenant();
    let changes = find_code_range(app, tenant, AuditLogKind::Changes, &reading).await?;
    let accesses = find_code_range(app, tenant, AuditLogKind::Accesses, &reading).await?;
    let range = AuditEntryRange {
        after: AuditCursor { changes: changes.0, accesses: accesses.0 },
        before: AuditCursor { changes: changes.1, accesses: accesses.1 },
        newest_first: true,
    };
    let criteria = AuditEntryCriteria { person: reading.person, user: reading.user };
    let page = read_range(app, tenant, criteria, range).await?;
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
    let found = storage::members::list_people_by_code(&app.db, tenant, named).await?;
    Ok((page, found.into_iter().map(|(code, profile)| (code, profile.name)).collect()))
}

/// The codes of a log, both exclusive, that the filters leave.
async fn find_code_range(
    app: &App,
    tenant: TenantId,
    log: AuditLogKind,
    reading: &ReverseAuditQuery,
) -> Result<(i32, i32), Error> {
    let (db, counter, before) = match log {
        AuditLogKind::Changes => (&app.db, Counter::Audit, reading.before.map(|before| before.changes)),
        AuditLogKind::Accesses => {
            (app.db.activity()?, Counter::Access, reading.before.map(|before| before.accesses))
        }
    };
    let newest = counters::load_last_number(db, tenant, counter).await?;
    let newest = i32::try_from(newest).unwrap_or(i32::MAX);
    let after = match reading.since {
        Some(since) => find_first_code_since(db, tenant, log, since, newest).await? - 1,
        None => 0,
    };
    let end = match reading.until {
        Some(until) => find_first_code_since(db, tenant, log, until, newest).await?,
        None => newest.saturating_add(1),
    };
    Ok((after, before.map_or(end, |before| before.min(end))))
}

/// Which entries to read; both ends are exclusive.
#[derive(Clone, Copy)]
struct AuditEntryRange {
    after: AuditCursor,
    before: AuditCursor,
    newest_first: bool,
}

async fn read_range(
    app: &App,
    tenant: TenantId,
    criteria: AuditEntryCriteria,
    AuditEntryRange { after, before, newest_first }: AuditEntryRange,
) -> Result<AuditEntryPage, Error> {
    let range = |after, before| AuditCodeRange { after, before, newest_first };
    let (change_codes, access_codes) =
        (range(after.changes, before.changes), range(after.accesses, before.accesses));
    let take = ENTRIES_PER_PAGE + 1;
    let changes = audit::list_audited_changes(&app.db, tenant, criteria, change_codes, take).await?;
    let accesses =
        access_log::list_accesses(app.db.activity()?, tenant, criteria, access_codes, take).await?;
    let start = if newest_first { before } else { after };
    let layout = AuditPageLayout { newest_first, size: ENTRIES_PER_PAGE };
    Ok(merge_audit_page(changes, accesses, start, layout))
}

/// The names of the tenant's users, for the audit.
#[boxed::future]
pub async fn list_user_names(app: &App, caller: &Session) -> Result<HashMap<UserCode, String>, Error> {
    let all = users::list_users(app, &caller.scope).await?;
    Ok(all.into_iter().map(|user| (user.code, user.name)).collect())
}
