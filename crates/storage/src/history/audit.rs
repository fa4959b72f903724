//! Who did what to whom, and who looked at whom. Both count by one counter, in which they are also told.
//!
//! A look is kept with others: those of one user, by one operation, within a moment, at people whose codes lie in one block
//! of a thousand, are one row (`sightings`). So a program that reads everybody each night leaves a few thousand rows and
//! not a million, and who looked at one person is still found without reading what others looked at.

use crate::executor::statement::build_inserts;
use crate::server::counters::{self, Counter};
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{Moment, PersonCode, TenantId, UserCode};

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub tenant: TenantId,
    pub at: Moment,
    pub user: Option<UserCode>,
    /// Method and route: `POST /ext/associado`.
    pub operation: &'static str,
    pub person: Option<PersonCode>,
    /// What was changed, by name and never by value.
    pub detail: Option<String>,
}

/// Writes an entry in the unit of what it tells of.
#[boxed::future]
pub async fn append_audit_entry(tx: &mut Tx, entry: &AuditEntry) -> Result<(), Error> {
    let code = counters::reserve_number(tx, entry.tenant, Counter::Audit).await?;
    tx.execute(insert_audit_entry(entry, code)).await.map(drop)
}

/// The same for a unit that took the code with others.
pub fn insert_audit_entry(entry: &AuditEntry, code: i32) -> Statement {
    sql("INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(entry.tenant)
    .arg(code)
    .arg(entry.at)
    .arg(entry.user)
    .arg(entry.operation)
    .arg(entry.person)
    .arg(entry.detail.as_deref())
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountActionResult {
    Success,
    Failure,
    /// Refused unseen, because too many failures came before.
    Throttled,
}

impl AccountActionResult {
    /// The number by which the database knows it; never changed.
    const fn number(self) -> i64 {
        match self {
            AccountActionResult::Success => 1,
            AccountActionResult::Failure => 2,
            AccountActionResult::Throttled => 3,
        }
    }

    fn from_number(number: i64) -> Option<AccountActionResult> {
        let all =
            [AccountActionResult::Success, AccountActionResult::Failure, AccountActionResult::Throttled];
        all.into_iter().find(|one| one.number() == number)
    }
}

/// An entry about entering, or about an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountAuditEntry {
    pub tenant: TenantId,
    pub at: Moment,
    /// Who did it; of a failed login, whom it named.
    pub user: Option<UserCode>,
    /// Method and route, or the command.
    pub operation: &'static str,
    pub detail: String,
    /// None for a command.
    pub address: Option<String>,
    pub result: AccountActionResult,
    /// How often.
    pub times: i64,
}

/// Writes an entry about an account, and says its code.
#[boxed::future]
pub async fn append_account_entry(tx: &mut Tx, entry: &AccountAuditEntry) -> Result<i32, Error> {
    let code = counters::reserve_number(tx, entry.tenant, Counter::Audit).await?;
    let statement = sql(
        "INSERT INTO audit (tenant, code, happened_at, user_code, operation, detail, address, result, times)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .arg(entry.tenant)
    .arg(code)
    .arg(entry.at)
    .arg(entry.user)
    .arg(entry.operation)
    .arg(entry.detail.as_str())
    .arg(entry.address.as_deref())
    .arg(entry.result.number())
    .arg(entry.times);
    tx.execute(statement).await?;
    Ok(code)
}

/// Counts repetitions of an entry about an account.
pub fn add_entry_repeats(tenant: TenantId, code: i32, times: i64) -> Statement {
    sql("UPDATE audit SET times = times + $3 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(times)
}

/// Many entries: the first with code `first`, the others behind it.
pub fn insert_audit_entries<'e>(
    first: i32,
    entries: impl IntoIterator<Item = &'e AuditEntry>,
) -> Vec<Statement> {
    let rows = (first..).zip(entries).map(|(code, entry)| -> [SqlScalar; 7] {
        [
            entry.tenant.into(),
            code.into(),
            entry.at.into(),
            entry.user.into(),
            entry.operation.into(),
            entry.person.into(),
            entry.detail.as_deref().into(),
        ]
    });
    let head = "INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, detail) VALUES";
    build_inserts(head, ROWS, rows)
}

/// Codes of people in one block.
const BLOCK: i32 = 1000;
/// Bytes of one look: where the person stands in the block, and how long after the first it was.
const LOOK: usize = 6;

/// Looks of one user, by one operation, at people of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogBlock {
    pub user: Option<UserCode>,
    pub operation: &'static str,
    block: i32,
    first: Moment,
    people: Vec<u8>,
}

/// The block that a person's code lies in.
pub fn compute_block_number(person: PersonCode) -> i32 {
    person.get().div_euclid(BLOCK)
}

impl AccessLogBlock {
    pub fn new(
        user: Option<UserCode>,
        operation: &'static str,
        first: (PersonCode, Moment),
    ) -> AccessLogBlock {
        let (block, at) = (compute_block_number(first.0), first.1);
        let mut sighting = AccessLogBlock { user, operation, block, first: at, people: Vec::new() };
        sighting.add(first.0, at);
        sighting
    }

    /// Adds a look at somebody of the same block.
    pub fn add(&mut self, person: PersonCode, at: Moment) {
        let place = u16::try_from(person.get().rem_euclid(BLOCK)).unwrap_or_default();
        let millis = u32::try_from(at.duration_since(self.first).as_millis()).unwrap_or(u32::MAX);
        self.people.extend(place.to_be_bytes());
        self.people.extend(millis.to_be_bytes());
    }

    /// How many looks it holds.
    pub fn len(&self) -> usize {
        self.people.len() / LOOK
    }

    /// A sighting always holds one.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Adds the looks of another at people of the same block.
    pub fn merge(&mut self, other: &AccessLogBlock) {
        for (person, at) in AccessLogBlock::decode_accesses(other.block, other.first, &other.people) {
            self.add(person, at);
        }
    }

    fn decode_accesses(block: i32, first: Moment, people: &[u8]) -> Vec<(PersonCode, Moment)> {
        let look = |look: &[u8]| {
            let place = i32::from(u16::from_be_bytes([look[0], look[1]]));
            let millis = u32::from_be_bytes([look[2], look[3], look[4], look[5]]);
            let at = first.plus(std::time::Duration::from_millis(millis.into()));
            (PersonCode::new(block * BLOCK + place), at)
        };
        people.chunks_exact(LOOK).map(look).collect()
    }
}

/// How many rows travel in one statement.
const ROWS: usize = 100;

/// Writes looks behind their answers.
#[boxed::future]
pub async fn append_access_log(
    tx: &mut Tx,
    tenant: TenantId,
    sightings: &[AccessLogBlock],
) -> Result<(), Error> {
    let count = i32::try_from(sightings.len()).map_err(|_| Error::Broken("too many at once".to_owned()))?;
    let first = counters::reserve_numbers(tx, tenant, Counter::Audit, count).await?;
    let rows = (first..).zip(sightings).map(|(code, one)| -> [SqlScalar; 7] {
        [
            tenant.into(),
            code.into(),
            one.block.into(),
            one.first.into(),
            one.user.into(),
            one.operation.into(),
            one.people.as_slice().into(),
        ]
    });
    let head =
        "INSERT INTO sightings (tenant, code, block, happened_at, user_code, operation, people) VALUES";
    tx.execute_batch(build_inserts(head, ROWS, rows)).await
}

/// An entry as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAuditEntry {
    pub code: i32,
    pub at: Moment,
    pub user: Option<UserCode>,
    pub operation: String,
    pub what: AuditedEvent,
    /// From where, where the entry is about an account.
    pub address: Option<String>,
    pub result: Option<AccountActionResult>,
    /// How often.
    pub times: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditedEvent {
    Change(Option<PersonCode>, Option<String>),
    Access(Vec<(PersonCode, Moment)>),
}

/// Whom and by whom; what is empty asks for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditEntryCriteria {
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

/// Rows of looks that are read for one page, whoever they are at.
const MOST_READ: usize = 5_000;
/// People that one page tells of.
const MOST_TOLD: usize = 2_000;

/// Which entries are asked for, and from which end.
#[derive(Clone, Copy, Debug)]
pub struct AuditCodeRange {
    /// Behind this code.
    pub after: i32,
    /// Before this code.
    pub before: i32,
    pub newest_first: bool,
}

impl AuditCodeRange {
    pub fn starting_after(code: i32) -> AuditCodeRange {
        AuditCodeRange { after: code, before: i32::MAX, newest_first: false }
    }

    /// Appends what it asks for.
    fn append_order(self, statement: Statement, take: usize) -> Statement {
        let order = if self.newest_first { "ORDER BY code DESC LIMIT ?" } else { "ORDER BY code LIMIT ?" };
        statement.append(order, [take as i64])
    }

    /// What is left behind this code.
    fn continue_after(self, code: i32) -> AuditCodeRange {
        match self.newest_first {
            true => AuditCodeRange { before: code, ..self },
            false => AuditCodeRange { after: code, ..self },
        }
    }

    /// Where a code stands in its order.
    fn sort_key(self, code: i32) -> i32 {
        if self.newest_first { -code } else { code }
    }
}

/// A stretch of the audit, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntryPage {
    pub entries: Vec<StoredAuditEntry>,
    /// Behind this code the next page begins.
    pub reached: i32,
    pub has_more: bool,
}

/// The entries of a stretch, at most `take` of them, and fewer where they tell of very many people.
#[boxed::future]
pub async fn list_audit_entries(
    tx: &mut Tx,
    tenant: TenantId,
    asked: AuditEntryCriteria,
    stretch: AuditCodeRange,
    take: usize,
) -> Result<AuditEntryPage, Error> {
    let changes = sql(
        "SELECT code, happened_at, user_code, operation, person, detail, address, result, times FROM audit
         WHERE tenant = $1 AND code > $2 AND code < $3",
    )
    .arg(tenant)
    .arg(stretch.after)
    .arg(stretch.before)
    .append_if_some("AND person = ?", asked.person)
    .append_if_some("AND user_code = ?", asked.user);
    let rows = ReadSource::from(&mut *tx)
        .fetch_all(QueryWeight::Search, stretch.append_order(changes, take + 1))
        .await?;
    let mut told = rows.iter().map(parse_change_row).collect::<Result<Vec<StoredAuditEntry>, Error>>()?;
    let (looks, stopped) = list_access_entries(tx, tenant, asked, stretch, take + 1).await?;
    told.extend(looks);
    told.sort_unstable_by_key(|one| stretch.sort_key(one.code));
    // Behind where the looks were no longer read, nothing is told yet.
    if let Some(stopped) = stopped {
        told.retain(|one| stretch.sort_key(one.code) <= stretch.sort_key(stopped));
    }
    let mut people = 0;
    let mut fits = |one: &StoredAuditEntry| {
        let is_first = people == 0;
        people += one.what.people_count();
        is_first || people <= MOST_TOLD
    };
    let fitting = told.iter().take(take).map(&mut fits).take_while(|fits| *fits).count();
    let has_more = fitting < told.len() || stopped.is_some();
    let is_cut = fitting < told.len();
    told.truncate(fitting);
    let begin = if stretch.newest_first { stretch.before } else { stretch.after };
    let last = told.last().map_or(begin, |one| one.code);
    let reached = if is_cut { last } else { stopped.unwrap_or(last) };
    Ok(AuditEntryPage { entries: told, reached, has_more })
}

/// The first code that tells of nothing before a moment, up to `newest`. Codes are given in the order of time, but for the
/// moments that a look waits to be written: so it is found in a few steps, and without an index.
#[boxed::future]
pub async fn find_first_code_since(
    tx: &mut Tx,
    tenant: TenantId,
    moment: Moment,
    newest: i32,
) -> Result<i32, Error> {
    let (mut low, mut high) = (1, newest.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        let first = |text: &'static str| sql(text).arg(tenant).arg(middle);
        let change = tx.fetch_optional(first(
            "SELECT code, happened_at FROM audit WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1",
        ));
        let change =
            change.await?.map(|row| Ok::<(i32, Moment), Error>((row.get("code")?, row.get("happened_at")?)));
        let look = tx.fetch_optional(first(
            "SELECT code, happened_at FROM sightings WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1",
        ));
        let look =
            look.await?.map(|row| Ok::<(i32, Moment), Error>((row.get("code")?, row.get("happened_at")?)));
        match change.into_iter().chain(look).collect::<Result<Vec<_>, Error>>()?.into_iter().min() {
            Some((code, at)) if at < moment => low = code + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

impl AuditedEvent {
    /// How many people it tells of.
    fn people_count(&self) -> usize {
        match self {
            AuditedEvent::Change(..) => 1,
            AuditedEvent::Access(people) => people.len(),
        }
    }
}

/// The looks of a stretch. Those at others in a person's block are read and not told; where they are very many, it says
/// how far it has read.
async fn list_access_entries(
    tx: &mut Tx,
    tenant: TenantId,
    asked: AuditEntryCriteria,
    mut stretch: AuditCodeRange,
    take: usize,
) -> Result<(Vec<StoredAuditEntry>, Option<i32>), Error> {
    let (mut told, mut read) = (Vec::new(), 0);
    loop {
        let statement = sql("SELECT code, block, happened_at, user_code, operation, people FROM sightings
             WHERE tenant = $1 AND code > $2 AND code < $3")
        .arg(tenant)
        .arg(stretch.after)
        .arg(stretch.before)
        .append_if_some("AND block = ?", asked.person.map(compute_block_number))
        .append_if_some("AND user_code = ?", asked.user);
        let rows = tx.fetch_all(stretch.append_order(statement, take)).await?;
        read += rows.len();
        let mut reached = None;
        for row in &rows {
            let mut look = parse_access_row(row)?;
            reached = Some(look.code);
            if let (AuditedEvent::Access(people), Some(person)) = (&mut look.what, asked.person) {
                people.retain(|(seen, _)| *seen == person);
                if people.is_empty() {
                    continue;
                }
            }
            told.push(look);
        }
        let Some(reached) = reached.filter(|_| rows.len() == take) else { return Ok((told, None)) };
        if told.len() >= take || read >= MOST_READ {
            return Ok((told, Some(reached)));
        }
        stretch = stretch.continue_after(reached);
    }
}

fn parse_change_row(row: &Row) -> Result<StoredAuditEntry, Error> {
    Ok(StoredAuditEntry {
        code: row.get("code")?,
        at: row.get("happened_at")?,
        user: row.get("user_code")?,
        operation: row.get("operation")?,
        what: AuditedEvent::Change(row.get("person")?, row.get("detail")?),
        address: row.get("address")?,
        result: row.get::<Option<i64>>("result")?.and_then(AccountActionResult::from_number),
        times: row.get("times")?,
    })
}

fn parse_access_row(row: &Row) -> Result<StoredAuditEntry, Error> {
    let (code, block, at) = (row.get("code")?, row.get("block")?, row.get("happened_at")?);
    let (user, operation) = (row.get("user_code")?, row.get("operation")?);
    let people: Vec<u8> = row.get("people")?;
    let what = AuditedEvent::Access(AccessLogBlock::decode_accesses(block, at, &people));
    Ok(StoredAuditEntry { code, at, user, operation, what, address: None, result: None, times: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_back_as_they_were_kept() {
        let (person, at) = (PersonCode::new, Moment::from_millis);
        let mut sighting = AccessLogBlock::new(None, "GET /x", (person(12_034), at(5_000)));
        sighting.add(person(12_999), at(5_250));
        sighting.add(person(12_000), at(4_000));
        let looks = AccessLogBlock::decode_accesses(12, at(5_000), &sighting.people);
        assert_eq!(
            looks,
            [(person(12_034), at(5_000)), (person(12_999), at(5_250)), (person(12_000), at(5_000))]
        );
        assert_eq!((compute_block_number(person(999)), compute_block_number(person(1_000))), (0, 1));
    }
}
