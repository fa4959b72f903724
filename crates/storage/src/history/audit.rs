//! The audit log of changes and the access log of personal data. Both share one counter, which also orders them.
//!
//! Accesses are grouped: those of one user, by one operation, within a short time, to people whose codes share a
//! block of a thousand, are one row (`sightings`). A program that reads everyone each night writes a few thousand
//! rows instead of a million, and the accesses to one person are still found without reading those to others.

use crate::executor::statement::build_inserts;
use crate::server::counters::{self, Counter};
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecord, AuditedRecordKind, Moment, PersonCode,
    TenantId, UserCode,
};

/// A change to record in the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub tenant: TenantId,
    pub at: Moment,
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    pub person: Option<PersonCode>,
    pub change: AuditedChange,
}

/// The values of `action`, `subject_kind`, `subject_code`, `fields`, `arguments` and `reason`.
fn list_change_values(change: &AuditedChange) -> [SqlScalar; 6] {
    let subject = change.subject.as_ref();
    // Serializing strings cannot fail.
    let arguments = || serde_json::to_string(&change.arguments).unwrap_or_default();
    [
        change.action.name().into(),
        subject.map(|subject| subject.kind.name().into_owned()).into(),
        subject.map(|subject| subject.code).into(),
        (!change.fields.is_empty()).then(|| change.fields.join(",")).into(),
        (!change.arguments.is_empty()).then(arguments).into(),
        change.reason.as_deref().into(),
    ]
}

/// Writes an entry in the same unit of work as the change.
#[boxed::future]
pub async fn append_audit_entry(tx: &mut Tx, entry: &AuditEntry) -> Result<(), Error> {
    let code = counters::reserve_number(tx, entry.tenant, Counter::Audit).await?;
    tx.execute(insert_audit_entry(entry, code)).await.map(drop)
}

/// The same for a unit that reserved the code together with others.
pub fn insert_audit_entry(entry: &AuditEntry, code: i32) -> Statement {
    let head = sql(INSERT_ENTRY);
    list_entry_values(entry, code).into_iter().fold(head, Statement::arg)
}

const INSERT_ENTRY: &str = "INSERT INTO audit (tenant, code, happened_at, user_code, operation, person,
         action, subject_kind, subject_code, fields, arguments, reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

fn list_entry_values(entry: &AuditEntry, code: i32) -> [SqlScalar; 12] {
    let [action, subject_kind, subject_code, fields, arguments, reason] = list_change_values(&entry.change);
    [
        entry.tenant.into(),
        code.into(),
        entry.at.into(),
        entry.user.into(),
        entry.operation.name().into(),
        entry.person.into(),
        action,
        subject_kind,
        subject_code,
        fields,
        arguments,
        reason,
    ]
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountActionResult {
    Success,
    Failure,
    /// Refused without a check, because of too many failures before.
    Throttled,
}

impl AccountActionResult {
    /// The stored number; never changed.
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

/// An audit entry about a sign-in or an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountAuditEntry {
    pub tenant: TenantId,
    pub at: Moment,
    /// The user who acted; for a failed login, the user it named.
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    pub change: AuditedChange,
    /// `None` for a command.
    pub address: Option<String>,
    pub result: AccountActionResult,
    /// Number of repetitions.
    pub times: i64,
}

/// Writes an entry about an account; returns its code.
#[boxed::future]
pub async fn append_account_entry(tx: &mut Tx, entry: &AccountAuditEntry) -> Result<i32, Error> {
    let code = counters::reserve_number(tx, entry.tenant, Counter::Audit).await?;
    let statement =
        sql("INSERT INTO audit (tenant, code, happened_at, user_code, operation, address, result, times,
             action, subject_kind, subject_code, fields, arguments, reason)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)")
        .arg(entry.tenant)
        .arg(code)
        .arg(entry.at)
        .arg(entry.user)
        .arg(entry.operation.name())
        .arg(entry.address.as_deref())
        .arg(entry.result.number())
        .arg(entry.times);
    let statement = list_change_values(&entry.change).into_iter().fold(statement, Statement::arg);
    tx.execute(statement).await?;
    Ok(code)
}

/// Adds repetitions to an entry about an account.
pub fn add_entry_repeats(tenant: TenantId, code: i32, times: i64) -> Statement {
    sql("UPDATE audit SET times = times + $3 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(times)
}

/// Inserts many entries with consecutive codes from `first` on.
pub fn insert_audit_entries<'e>(
    first: i32,
    entries: impl IntoIterator<Item = &'e AuditEntry>,
) -> Vec<Statement> {
    let rows = (first..).zip(entries).map(|(code, entry)| list_entry_values(entry, code));
    let head =
        "INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, action, subject_kind,
         subject_code, fields, arguments, reason) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// People per block.
const PEOPLE_PER_BLOCK: i32 = 1000;
/// Bytes per access: the position of the person in the block, and the time since the first access.
const BYTES_PER_ACCESS: usize = 6;

/// Accesses of one user, by one operation, to people of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogBlock {
    pub user: Option<UserCode>,
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
    pub fn new(
        user: Option<UserCode>,
        operation: AuditedOperation,
        first: (PersonCode, Moment),
    ) -> AccessLogBlock {
        let (block, at) = (compute_block_number(first.0), first.1);
        let mut log_block = AccessLogBlock { user, operation, block, first: at, people: Vec::new() };
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

    pub fn len(&self) -> usize {
        self.people.len() / BYTES_PER_ACCESS
    }

    /// Always false: a block is created with its first access.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Adds the accesses of another block with the same number.
    pub fn merge(&mut self, other: &AccessLogBlock) {
        for (person, at) in AccessLogBlock::decode_accesses(other.block, other.first, &other.people) {
            self.add(person, at);
        }
    }

    fn decode_accesses(block: i32, first: Moment, people: &[u8]) -> Vec<(PersonCode, Moment)> {
        let decode = |bytes: &[u8]| {
            let place = i32::from(u16::from_be_bytes([bytes[0], bytes[1]]));
            let millis = u32::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
            let at = first.plus(std::time::Duration::from_millis(millis.into()));
            (PersonCode::new(block * PEOPLE_PER_BLOCK + place), at)
        };
        people.chunks_exact(BYTES_PER_ACCESS).map(decode).collect()
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
    let first = counters::reserve_numbers(tx, tenant, Counter::Audit, count).await?;
    let rows = (first..).zip(log_blocks).map(|(code, one)| -> [SqlScalar; 7] {
        [
            tenant.into(),
            code.into(),
            one.block.into(),
            one.first.into(),
            one.user.into(),
            one.operation.name().into(),
            one.people.as_slice().into(),
        ]
    });
    let head =
        "INSERT INTO sightings (tenant, code, block, happened_at, user_code, operation, people) VALUES";
    tx.execute_batch(build_inserts(head, ROWS_PER_STATEMENT, rows)).await
}

/// An entry as read from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAuditEntry {
    pub code: i32,
    pub at: Moment,
    pub user: Option<UserCode>,
    pub operation: String,
    pub what: AuditedEvent,
    /// The client address, if the entry is about an account.
    pub address: Option<String>,
    pub result: Option<AccountActionResult>,
    /// Number of repetitions.
    pub times: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditedEvent {
    Change(Option<PersonCode>, AuditEntryContent),
    Access(Vec<(PersonCode, Moment)>),
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditEntryContent {
    Change(AuditedChange),
    /// As stored: by a version that kept only texts, or by a newer one.
    Text(Option<String>),
}

/// Filters by person and user; `None` matches all.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditEntryCriteria {
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

/// Maximum number of access rows read for one page.
const MOST_READ: usize = 5_000;
/// Maximum number of people in one page.
const MOST_TOLD: usize = 2_000;

/// Which entries to read, and in which direction.
#[derive(Clone, Copy, Debug)]
pub struct AuditCodeRange {
    /// Exclusive.
    pub after: i32,
    /// Exclusive.
    pub before: i32,
    pub newest_first: bool,
}

impl AuditCodeRange {
    pub fn starting_after(code: i32) -> AuditCodeRange {
        AuditCodeRange { after: code, before: i32::MAX, newest_first: false }
    }

    /// Appends order and limit.
    fn append_order(self, statement: Statement, take: usize) -> Statement {
        let order = if self.newest_first { "ORDER BY code DESC LIMIT ?" } else { "ORDER BY code LIMIT ?" };
        statement.append(order, [take as i64])
    }

    /// The rest of the range after this code.
    fn continue_after(self, code: i32) -> AuditCodeRange {
        match self.newest_first {
            true => AuditCodeRange { before: code, ..self },
            false => AuditCodeRange { after: code, ..self },
        }
    }

    /// Sorts codes in the direction of the range.
    fn sort_key(self, code: i32) -> i32 {
        if self.newest_first { -code } else { code }
    }
}

/// A page of audit entries, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntryPage {
    pub entries: Vec<StoredAuditEntry>,
    /// The next page starts after this code.
    pub reached: i32,
    pub has_more: bool,
}

/// The entries of a range, at most `take`, or fewer if they name very many people.
#[boxed::future]
pub async fn list_audit_entries(
    tx: &mut Tx,
    tenant: TenantId,
    criteria: AuditEntryCriteria,
    range: AuditCodeRange,
    take: usize,
) -> Result<AuditEntryPage, Error> {
    let changes = sql(
        "SELECT code, happened_at, user_code, operation, person, detail, address, result, times, action, subject_kind,
             subject_code, fields, arguments, reason
         FROM audit WHERE tenant = $1 AND code > $2 AND code < $3",
    )
    .arg(tenant)
    .arg(range.after)
    .arg(range.before)
    .append_if_some("AND person = ?", criteria.person)
    .append_if_some("AND user_code = ?", criteria.user);
    let rows = ReadSource::from(&mut *tx)
        .fetch_all(QueryWeight::Search, range.append_order(changes, take + 1))
        .await?;
    let mut entries = rows.iter().map(parse_change_row).collect::<Result<Vec<StoredAuditEntry>, Error>>()?;
    let (accesses, stopped) = list_access_entries(tx, tenant, criteria, range, take + 1).await?;
    entries.extend(accesses);
    entries.sort_unstable_by_key(|one| range.sort_key(one.code));
    // Entries after the point where reading accesses stopped go to the next page.
    if let Some(stopped) = stopped {
        entries.retain(|one| range.sort_key(one.code) <= range.sort_key(stopped));
    }
    let mut people = 0;
    let mut fits = |one: &StoredAuditEntry| {
        let is_first = people == 0;
        people += one.what.people_count();
        is_first || people <= MOST_TOLD
    };
    let fitting = entries.iter().take(take).map(&mut fits).take_while(|fits| *fits).count();
    let has_more = fitting < entries.len() || stopped.is_some();
    let is_cut = fitting < entries.len();
    entries.truncate(fitting);
    let begin = if range.newest_first { range.before } else { range.after };
    let last = entries.last().map_or(begin, |one| one.code);
    let reached = if is_cut { last } else { stopped.unwrap_or(last) };
    Ok(AuditEntryPage { entries, reached, has_more })
}

/// The first code, up to `newest`, with no entry before a moment. Codes are assigned in order of time, except for the
/// delay until accesses are written, so a binary search needs no index.
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
        let access = tx.fetch_optional(first(
            "SELECT code, happened_at FROM sightings WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1",
        ));
        let access =
            access.await?.map(|row| Ok::<(i32, Moment), Error>((row.get("code")?, row.get("happened_at")?)));
        match change.into_iter().chain(access).collect::<Result<Vec<_>, Error>>()?.into_iter().min() {
            Some((code, at)) if at < moment => low = code + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

impl AuditedEvent {
    /// The number of people in the event.
    fn people_count(&self) -> usize {
        match self {
            AuditedEvent::Change(..) => 1,
            AuditedEvent::Access(people) => people.len(),
        }
    }
}

/// The accesses of a range. Accesses to other people of a person's block are read and skipped; if there are very
/// many, it also returns how far it has read.
async fn list_access_entries(
    tx: &mut Tx,
    tenant: TenantId,
    criteria: AuditEntryCriteria,
    mut range: AuditCodeRange,
    take: usize,
) -> Result<(Vec<StoredAuditEntry>, Option<i32>), Error> {
    let (mut entries, mut read) = (Vec::new(), 0);
    loop {
        let statement = sql("SELECT code, block, happened_at, user_code, operation, people FROM sightings
             WHERE tenant = $1 AND code > $2 AND code < $3")
        .arg(tenant)
        .arg(range.after)
        .arg(range.before)
        .append_if_some("AND block = ?", criteria.person.map(compute_block_number))
        .append_if_some("AND user_code = ?", criteria.user);
        let rows = tx.fetch_all(range.append_order(statement, take)).await?;
        read += rows.len();
        let mut reached = None;
        for row in &rows {
            let mut entry = parse_access_row(row)?;
            reached = Some(entry.code);
            if let (AuditedEvent::Access(people), Some(person)) = (&mut entry.what, criteria.person) {
                people.retain(|(accessed, _)| *accessed == person);
                if people.is_empty() {
                    continue;
                }
            }
            entries.push(entry);
        }
        let Some(reached) = reached.filter(|_| rows.len() == take) else { return Ok((entries, None)) };
        if entries.len() >= take || read >= MOST_READ {
            return Ok((entries, Some(reached)));
        }
        range = range.continue_after(reached);
    }
}

fn parse_change_row(row: &Row) -> Result<StoredAuditEntry, Error> {
    Ok(StoredAuditEntry {
        code: row.get("code")?,
        at: row.get("happened_at")?,
        user: row.get("user_code")?,
        operation: row.get("operation")?,
        what: AuditedEvent::Change(row.get("person")?, parse_content(row)?),
        address: row.get("address")?,
        result: row.get::<Option<i64>>("result")?.and_then(AccountActionResult::from_number),
        times: row.get("times")?,
    })
}

fn parse_content(row: &Row) -> Result<AuditEntryContent, Error> {
    Ok(match parse_audited_change(row)? {
        Some(change) => AuditEntryContent::Change(change),
        None => AuditEntryContent::Text(row.get::<Option<String>>("detail")?.or(row.get("action")?)),
    })
}

/// `None` if this version cannot read it. An archive may bring anything: one such row must not hide the others.
fn parse_audited_change(row: &Row) -> Result<Option<AuditedChange>, Error> {
    let action: Option<String> = row.get("action")?;
    let kind: Option<String> = row.get("subject_kind")?;
    let code: Option<i32> = row.get("subject_code")?;
    let fields: Option<String> = row.get("fields")?;
    let arguments: Option<String> = row.get("arguments")?;
    let Some(action) = action.as_deref().and_then(AuditedAction::from_name) else { return Ok(None) };
    let Ok(arguments) = arguments.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text)) else {
        return Ok(None);
    };
    let subject = match (kind.as_deref(), code) {
        (None, _) => None,
        (Some(kind), code) => match (AuditedRecordKind::from_name(kind), code) {
            (Some(kind), Some(code)) => Some(AuditedRecord { kind, code }),
            _ => return Ok(None),
        },
    };
    let fields = fields.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect();
    Ok(Some(AuditedChange { action, subject, fields, arguments, reason: row.get("reason")? }))
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
        let mut log_block =
            AccessLogBlock::new(None, AuditedOperation::ShowMember, (person(12_034), at(5_000)));
        log_block.add(person(12_999), at(5_250));
        log_block.add(person(12_000), at(4_000));
        let accesses = AccessLogBlock::decode_accesses(12, at(5_000), &log_block.people);
        assert_eq!(
            accesses,
            [(person(12_034), at(5_000)), (person(12_999), at(5_250)), (person(12_000), at(5_000))]
        );
        assert_eq!((compute_block_number(person(999)), compute_block_number(person(1_000))), (0, 1));
    }
}
