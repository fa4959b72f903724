//! Pages of the audit: changes and accesses by time. Each log counts for itself, and a cursor holds a place in both.

use super::access_log::AccessEntries;
use super::audit::StoredAuditEntry;
use crate::{Db, Error, QueryWeight, sql};
use domain::{AuditCursor, Moment, TenantId};

/// Maximum number of people in one page.
const PEOPLE_PER_PAGE: usize = 2_000;

/// A page of audit entries, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntryPage {
    pub entries: Vec<StoredAuditEntry>,
    /// Where the next page starts.
    pub reached: AuditCursor,
    pub has_more: bool,
}

/// The order of a page, and how many entries it has at most.
#[derive(Clone, Copy, Debug)]
pub struct AuditPageLayout {
    pub newest_first: bool,
    pub size: usize,
}

impl AuditPageLayout {
    /// Whether the change comes before the access. Of the same time, the access is the older one: who changes a record
    /// has seen it.
    fn puts_change_first(self, change: &StoredAuditEntry, access: &StoredAuditEntry) -> bool {
        if self.newest_first { change.at >= access.at } else { change.at < access.at }
    }
}

/// Merges changes and accesses, read from `start` on, into a page; fewer entries if they name very many people. Of the
/// changes there must be one more than the page can hold, if there are so many.
pub fn merge_audit_page(
    changes: Vec<StoredAuditEntry>,
    accesses: AccessEntries,
    start: AuditCursor,
    layout: AuditPageLayout,
) -> AuditEntryPage {
    let AccessEntries { entries: accesses, last_read, is_complete } = accesses;
    let (mut changes, mut accesses) = (changes.into_iter().peekable(), accesses.into_iter().peekable());
    let mut page = AuditEntryPage { entries: Vec::new(), reached: start, has_more: false };
    let mut people = 0;
    loop {
        let (place, entry) = match (changes.peek(), accesses.peek()) {
            // The next access is not read yet, and may come before this change.
            (_, None) if !is_complete => break,
            (None, None) => break,
            (Some(change), Some(access)) if layout.puts_change_first(change, access) => {
                (&mut page.reached.changes, changes.next())
            }
            (Some(_), None) => (&mut page.reached.changes, changes.next()),
            (_, Some(_)) => (&mut page.reached.accesses, accesses.next()),
        };
        let Some(entry) = entry else { break };
        people += entry.what.people_count();
        if page.entries.len() == layout.size || (people > PEOPLE_PER_PAGE && !page.entries.is_empty()) {
            return AuditEntryPage { has_more: true, ..page };
        }
        *place = entry.code;
        page.entries.push(entry);
    }
    page.reached.accesses = last_read.unwrap_or(page.reached.accesses);
    page.has_more = !is_complete;
    page
}

/// One of the two logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLogKind {
    Changes,
    Accesses,
}

/// The first code in a log, up to `newest`, with no entry before a moment. Codes are assigned in order of time, except
/// for the delay until accesses are written, so a binary search needs no index.
#[boxed::future]
pub async fn find_first_code_since(
    db: &Db,
    tenant: TenantId,
    log: AuditLogKind,
    moment: Moment,
    newest: i32,
) -> Result<i32, Error> {
    let next_entry = match log {
        AuditLogKind::Changes => {
            "SELECT code, happened_at FROM audit WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1"
        }
        AuditLogKind::Accesses => {
            "SELECT code, happened_at FROM sightings WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1"
        }
    };
    let (mut low, mut high) = (1, newest.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        let rows = db.query(QueryWeight::Point, sql(next_entry).arg(tenant).arg(middle)).await?;
        match rows.first() {
            Some(row) if row.get::<Moment>("happened_at")? < moment => low = row.get::<i32>("code")? + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::super::audit::{AuditEntryContent, AuditedEvent};
    use super::*;
    use domain::PersonCode;

    fn entry(code: i32, seconds: i64, what: AuditedEvent) -> StoredAuditEntry {
        let at = Moment::from_millis(seconds * 1_000);
        let operation = "GET /ext/associado".to_owned();
        StoredAuditEntry { code, at, user: None, operation, what, address: None, result: None, times: 1 }
    }

    fn change(code: i32, seconds: i64) -> StoredAuditEntry {
        entry(code, seconds, AuditedEvent::Change(None, AuditEntryContent::Text(None)))
    }

    fn access(code: i32, seconds: i64, people: i32) -> StoredAuditEntry {
        let at = Moment::from_millis(seconds * 1_000);
        let people = (0..people).map(|person| (PersonCode::new(person), at)).collect();
        entry(code, seconds, AuditedEvent::Access(people))
    }

    /// All pages of these entries, with the codes on each: changes as they are, accesses below zero.
    fn pages(
        mut changes: Vec<StoredAuditEntry>,
        mut accesses: Vec<StoredAuditEntry>,
        (size, read): (usize, usize),
        newest_first: bool,
    ) -> Vec<Vec<i32>> {
        let mut place = match newest_first {
            true => AuditCursor { changes: i32::MAX, accesses: i32::MAX },
            false => AuditCursor::START,
        };
        if newest_first {
            changes.reverse();
            accesses.reverse();
        }
        let mut all = Vec::new();
        loop {
            let is_after = |code: i32, place: i32| if newest_first { code < place } else { code > place };
            let next_changes: Vec<_> = changes
                .iter()
                .filter(|one| is_after(one.code, place.changes))
                .take(size + 1)
                .cloned()
                .collect();
            let rest: Vec<_> =
                accesses.iter().filter(|one| is_after(one.code, place.accesses)).cloned().collect();
            let entries: Vec<_> = rest.iter().take(read).cloned().collect();
            let found = AccessEntries {
                last_read: entries.last().map(|one| one.code),
                is_complete: entries.len() == rest.len(),
                entries,
            };
            let layout = AuditPageLayout { newest_first, size };
            let page = merge_audit_page(next_changes, found, place, layout);
            let code = |one: &StoredAuditEntry| match one.what {
                AuditedEvent::Access(_) => -one.code,
                AuditedEvent::Change(..) => one.code,
            };
            all.push(page.entries.iter().map(code).collect());
            assert!(page.entries.len() <= size);
            if !page.has_more {
                return all;
            }
            assert_ne!(page.reached, place, "a page leads on");
            place = page.reached;
        }
    }

    #[test]
    fn pages_are_in_order_of_time_and_lose_nothing_in_either_direction() {
        let changes = || vec![change(1, 10), change(2, 20), change(5, 20), change(6, 50)];
        let accesses = || vec![access(1, 5, 1), access(3, 20, 1), access(4, 30, 1), access(9, 60, 1)];
        let expected = vec![-1, 1, -3, 2, 5, -4, 6, -9];
        for (size, read) in [(1, 2), (1, 1), (2, 3), (3, 1), (3, 4), (100, 2), (100, 101)] {
            let flat = pages(changes(), accesses(), (size, read), false).concat();
            assert_eq!(flat, expected, "{size} {read}");
            let mut back = pages(changes(), accesses(), (size, read), true).concat();
            back.reverse();
            assert_eq!(back, expected, "{size} {read}");
        }
    }

    #[test]
    fn a_page_ends_before_it_names_too_many_people_but_never_without_an_entry() {
        let accesses = vec![access(1, 1, 1_500), access(2, 2, 1_500), access(3, 3, 5_000)];
        assert_eq!(pages(vec![change(1, 2)], accesses, (10, 11), false), [vec![-1], vec![-2, 1], vec![-3]]);
    }
}
