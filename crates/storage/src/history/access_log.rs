//! The log of accesses to personal data.
//!
//! Accesses are grouped: those of one user, by one operation, within a short time, to people whose codes share a
//! block of a thousand, are one row (`sightings`). A program that reads everyone each night writes a few thousand
//! rows instead of a million, and the accesses to one person are still found without reading those to others.

use super::audit::{AuditCodeRange, AuditEntryCriteria, AuditedEvent, StoredAuditEntry};
use crate::executor::statement::build_inserts;
use crate::server::counters::{self, Counter};
use crate::{Db, Error, QueryWeight, Row, SqlScalar, Tx, sql};
use domain::{AuditedOperation, CallerAddress, Moment, PersonCode, TenantId, UserCode};

/// People per block.
const PEOPLE_PER_BLOCK: i32 = 1000;

/// Who looked: a user, or somebody without a credential, of whom the address may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessActor {
    pub user: Option<UserCode>,
    pub address: Option<CallerAddress>,
}

impl From<UserCode> for AccessActor {
    fn from(user: UserCode) -> AccessActor {
        AccessActor { user: Some(user), address: None }
    }
}

impl AccessActor {
    pub const UNKNOWN: AccessActor = AccessActor { user: None, address: None };
}

/// Accesses of one actor, by one operation, to people of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogBlock {
    pub actor: AccessActor,
    pub operation: AuditedOperation,
    block: i32,
    first: Moment,
    people: Vec<u8>,
}

/// The block of a person's code.
pub fn compute_block_number(person: PersonCode) -> i32 {
    person.get().div_euclid(PEOPLE_PER_BLOCK)
}

impl AccessLogBlock {
    /// The position of the person in the block, and the time since the first access.
    pub(super) const BYTES_PER_ACCESS: usize = 6;

    pub fn new(
        actor: AccessActor,
        operation: AuditedOperation,
        first: (PersonCode, Moment),
    ) -> AccessLogBlock {
        let (block, at) = (compute_block_number(first.0), first.1);
        let mut log_block = AccessLogBlock { actor, operation, block, first: at, people: Vec::new() };
        log_block.add(first.0, at);
        log_block
    }

    /// Adds an access to a person of the same block.
    pub fn add(&mut self, person: PersonCode, at: Moment) {
        let place = u16::try_from(person.get().rem_euclid(PEOPLE_PER_BLOCK)).unwrap_or_default();
        let millis = u32::try_from(at.duration_since(self.first).as_millis()).unwrap_or(u32::MAX);
        self.people.extend(place.to_be_bytes());
        self.people.extend(millis.to_be_bytes());
    }

    pub(super) fn number(&self) -> i32 {
        self.block
    }

    pub(super) fn first_access(&self) -> Moment {
        self.first
    }

    pub fn len(&self) -> usize {
        self.people.len() / AccessLogBlock::BYTES_PER_ACCESS
    }

    /// Always false: a block is created with its first access.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Adds the accesses of another block with the same number, which may be earlier ones.
    pub fn merge(&mut self, other: &AccessLogBlock) {
        let mut accesses = self.list_accesses();
        accesses.extend(other.list_accesses());
        self.replace_accesses(accesses);
    }

    /// Sorts the accesses by time, and those of one moment by person.
    pub(super) fn sort(&mut self) {
        self.replace_accesses(self.list_accesses());
    }

    fn list_accesses(&self) -> Vec<(PersonCode, Moment)> {
        AccessLogBlock::decode_accesses(self.block, self.first, &self.people)
    }

    fn replace_accesses(&mut self, mut accesses: Vec<(PersonCode, Moment)>) {
        accesses.sort_by_key(|(person, at)| (*at, *person));
        self.first = accesses.first().map_or(self.first, |(_, at)| *at);
        self.people.clear();
        accesses.into_iter().for_each(|(person, at)| self.add(person, at));
    }

    fn decode_accesses(block: i32, first: Moment, people: &[u8]) -> Vec<(PersonCode, Moment)> {
        let decode = |bytes: &[u8]| {
            let place = i32::from(u16::from_be_bytes([bytes[0], bytes[1]]));
            let millis = u32::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
            let at = first.plus(std::time::Duration::from_millis(millis.into()));
            (PersonCode::new(block * PEOPLE_PER_BLOCK + place), at)
        };
        people.chunks_exact(AccessLogBlock::BYTES_PER_ACCESS).map(decode).collect()
    }
}

const ROWS_PER_STATEMENT: usize = 100;

/// Writes accesses, after the responses were sent.
#[boxed::future]
pub async fn append_access_log(
    tx: &mut Tx,
    tenant: TenantId,
    log_blocks: &[AccessLogBlock],
) -> Result<(), Error> {
    let count = i32::try_from(log_blocks.len()).map_err(|_| Error::Broken("too many at once".to_owned()))?;
    let first = counters::reserve_numbers(tx, tenant, Counter::Access, count).await?;
    let rows = (first..).zip(log_blocks).map(|(code, one)| -> [SqlScalar; 8] {
        [
            tenant.into(),
            code.into(),
            one.block.into(),
            one.first.into(),
            one.actor.user.into(),
            one.operation.name().into(),
            one.people.as_slice().into(),
            one.actor.address.map(|address| address.to_string()).into(),
        ]
    });
    let head = "INSERT INTO sightings (tenant, code, block, happened_at, user_code, operation, people, address) VALUES";
    tx.execute_batch(build_inserts(head, ROWS_PER_STATEMENT, rows)).await
}

/// Maximum number of rows read for one page.
const ROWS_PER_PAGE: usize = 5_000;

/// Accesses of a range, in order.
#[derive(Clone, Debug, Default)]
pub struct AccessEntries {
    pub entries: Vec<StoredAuditEntry>,
    /// The code of the last row read, also if it is about other people.
    pub last_read: Option<i32>,
    /// Whether these are all of the range.
    pub is_complete: bool,
}

/// The accesses of a range, at most about `take`. Rows about other people of a person's block are read and skipped; if
/// there are very many, it returns what was found so far.
#[boxed::future]
pub async fn list_accesses(
    db: &Db,
    tenant: TenantId,
    criteria: AuditEntryCriteria,
    mut range: AuditCodeRange,
    take: usize,
) -> Result<AccessEntries, Error> {
    let (mut found, mut read) = (AccessEntries::default(), 0);
    loop {
        let statement =
            sql("SELECT code, block, happened_at, user_code, operation, people, address FROM sightings
             WHERE tenant = $1 AND code > $2 AND code < $3")
            .arg(tenant)
            .arg(range.after)
            .arg(range.before)
            .append_if_some("AND block = ?", criteria.person.map(compute_block_number))
            .append_if_some("AND user_code = ?", criteria.user);
        let rows = db.query(QueryWeight::Search, range.append_order(statement, take)).await?;
        read += rows.len();
        for row in &rows {
            let mut entry = parse_access_row(row)?;
            found.last_read = Some(entry.code);
            if let (AuditedEvent::Access(people), Some(person)) = (&mut entry.what, criteria.person) {
                people.retain(|(accessed, _)| *accessed == person);
                if people.is_empty() {
                    continue;
                }
            }
            found.entries.push(entry);
        }
        found.is_complete = rows.len() < take;
        match found.last_read {
            Some(last) if !found.is_complete && found.entries.len() < take && read < ROWS_PER_PAGE => {
                range = range.continue_after(last);
            }
            _ => return Ok(found),
        }
    }
}

fn parse_access_row(row: &Row) -> Result<StoredAuditEntry, Error> {
    let (code, block, at) = (row.get("code")?, row.get("block")?, row.get("happened_at")?);
    let (user, operation, address) = (row.get("user_code")?, row.get("operation")?, row.get("address")?);
    let people: Vec<u8> = row.get("people")?;
    let what = AuditedEvent::Access(AccessLogBlock::decode_accesses(block, at, &people));
    Ok(StoredAuditEntry { code, at, user, operation, what, address, result: None, times: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_back_as_they_were_kept() {
        let (person, at) = (PersonCode::new, Moment::from_millis);
        let mut log_block = AccessLogBlock::new(
            AccessActor::UNKNOWN,
            AuditedOperation::ShowMember,
            (person(12_034), at(5_000)),
        );
        log_block.add(person(12_999), at(5_250));
        log_block.add(person(12_000), at(4_000));
        let accesses = AccessLogBlock::decode_accesses(12, at(5_000), &log_block.people);
        assert_eq!(
            accesses,
            [(person(12_034), at(5_000)), (person(12_999), at(5_250)), (person(12_000), at(5_000))]
        );
        let mut other = AccessLogBlock::new(
            AccessActor::UNKNOWN,
            AuditedOperation::ShowMember,
            (person(12_500), at(4_500)),
        );
        other.merge(&log_block);
        let merged = [
            (person(12_500), at(4_500)),
            (person(12_000), at(5_000)),
            (person(12_034), at(5_000)),
            (person(12_999), at(5_250)),
        ];
        assert_eq!(other.list_accesses(), merged);
        log_block.merge(&AccessLogBlock::new(
            AccessActor::UNKNOWN,
            AuditedOperation::ShowMember,
            (person(12_500), at(4_500)),
        ));
        assert_eq!(log_block.list_accesses(), merged, "whichever of them is earlier");
        assert_eq!((compute_block_number(person(999)), compute_block_number(person(1_000))), (0, 1));
    }
}
