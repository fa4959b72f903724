//! The audit log of changes. Accesses to personal data are in `access_log.rs`, and `audit_page.rs` lists both together.

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

const ROWS_PER_STATEMENT: usize = 100;

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

/// Which entries of one log to read, and in which direction.
#[derive(Clone, Copy, Debug)]
pub struct AuditCodeRange {
    /// Exclusive.
    pub after: i32,
    /// Exclusive.
    pub before: i32,
    pub newest_first: bool,
}

impl AuditCodeRange {
    /// Appends order and limit.
    pub(super) fn append_order(self, statement: Statement, take: usize) -> Statement {
        let order = if self.newest_first { "ORDER BY code DESC LIMIT ?" } else { "ORDER BY code LIMIT ?" };
        statement.append(order, [take as i64])
    }

    /// The rest of the range after this code.
    pub(super) fn continue_after(self, code: i32) -> AuditCodeRange {
        match self.newest_first {
            true => AuditCodeRange { before: code, ..self },
            false => AuditCodeRange { after: code, ..self },
        }
    }
}

/// The changes of a range, at most `take`.
#[boxed::future]
pub async fn list_audited_changes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    criteria: AuditEntryCriteria,
    range: AuditCodeRange,
    take: usize,
) -> Result<Vec<StoredAuditEntry>, Error> {
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
    let rows = source.fetch_all(QueryWeight::Search, range.append_order(changes, take)).await?;
    rows.iter().map(parse_change_row).collect()
}

impl AuditedEvent {
    /// The number of people in the event.
    pub(super) fn people_count(&self) -> usize {
        match self {
            AuditedEvent::Change(..) => 1,
            AuditedEvent::Access(people) => people.len(),
        }
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
