//! The history of situations, which the feed shows and triggers send.

use crate::executor::statement::build_inserts;
use crate::triggers::outbox;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, sql};
use domain::{BranchCode, Entity, HistoryCode, Moment, ReceiverCode, SituationCode, TenantId, UserCode};

/// A change of situation, with the data of the trigger's body at this moment.
#[derive(Clone, Debug)]
pub struct NewHistoryRow {
    pub tenant: TenantId,
    pub entity: Entity,
    pub record: i32,
    pub branch: BranchCode,
    pub from: Option<SituationCode>,
    pub to: SituationCode,
    pub user: Option<UserCode>,
    pub reason: Option<String>,
    pub origin: &'static str,
    pub at: Moment,
}

/// Writes the change and one outbox row per receiver, under a code reserved before: the body contains it.
pub fn insert_history_entry(
    change: &NewHistoryRow,
    code: HistoryCode,
    receivers: &[ReceiverCode],
    body: String,
) -> Vec<Statement> {
    let history = sql("INSERT INTO history (tenant, code, entity, record, branch, happened_at, from_situation, to_situation,
             user_code, reason, origin, body)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)")
    .arg(change.tenant)
    .arg(code)
    .arg(change.entity)
    .arg(change.record)
    .arg(change.branch)
    .arg(change.at)
    .arg(change.from)
    .arg(change.to)
    .arg(change.user)
    .arg(change.reason.clone())
    .arg(change.origin)
    .arg(body);
    let record = (change.entity, change.record);
    let outbox = receivers
        .iter()
        .map(|receiver| outbox::insert_outbox_row(change.tenant, *receiver, code, record, change.at));
    std::iter::once(history).chain(outbox).collect()
}

const ROWS_PER_STATEMENT: usize = 50;

/// Inserts many changes with consecutive codes from `first` on, each with its body and one outbox row per receiver.
pub fn insert_history_entries(
    first: HistoryCode,
    changes: &[(NewHistoryRow, String)],
    receivers: &[ReceiverCode],
) -> Vec<Statement> {
    let mut statements = insert_silent_entries(first, changes.iter().cloned());
    let codes = (first.get()..).map(HistoryCode::new);
    let outbox = codes.zip(changes).flat_map(|(code, (change, _))| {
        let record = (change.entity, change.record);
        receivers.iter().map(move |receiver| (change.tenant, *receiver, code, record, change.at))
    });
    statements.extend(outbox::insert_outbox_rows(outbox));
    statements
}

/// Inserts many changes without notifying receivers, with consecutive codes from `first` on, each with its body.
pub fn insert_silent_entries(
    first: HistoryCode,
    changes: impl IntoIterator<Item = (NewHistoryRow, String)>,
) -> Vec<Statement> {
    let rows = (first.get()..).zip(changes).map(|(code, (change, body))| -> [SqlScalar; 12] {
        [
            change.tenant.into(),
            code.into(),
            change.entity.into(),
            change.record.into(),
            change.branch.into(),
            change.at.into(),
            change.from.into(),
            change.to.into(),
            change.user.into(),
            change.reason.into(),
            change.origin.into(),
            body.into(),
        ]
    });
    let head = "INSERT INTO history (tenant, code, entity, record, branch, happened_at, from_situation, to_situation,
         user_code, reason, origin, body) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// A change as shown in the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryFeedEntry {
    pub code: HistoryCode,
    pub entity: Entity,
    pub record: i32,
    pub branch: BranchCode,
    pub at: Moment,
    pub from: Option<SituationCode>,
    pub to: SituationCode,
    pub user: Option<UserCode>,
    pub reason: Option<String>,
    pub origin: String,
    pub body: String,
}

/// A change of one record, with the name of the user who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHistoryEntry {
    pub code: HistoryCode,
    pub at: Moment,
    pub from: Option<SituationCode>,
    pub to: SituationCode,
    pub user: Option<UserCode>,
    pub user_name: Option<String>,
    pub reason: Option<String>,
    pub origin: String,
}

/// The changes of a record, in order.
#[boxed::future]
pub async fn list_record_history(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (entity, record): (Entity, i32),
) -> Result<Vec<RecordHistoryEntry>, Error> {
    let statement = sql(
        "SELECT h.code, h.happened_at, h.from_situation, h.to_situation, h.user_code, h.reason, h.origin,
             u.name AS user_name
         FROM history h LEFT JOIN users u ON u.tenant = h.tenant AND u.code = h.user_code
         WHERE h.tenant = $1 AND h.entity = $2 AND h.record = $3 ORDER BY h.code",
    )
    .arg(tenant)
    .arg(entity)
    .arg(record);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(RecordHistoryEntry {
                code: row.get("code")?,
                at: row.get("happened_at")?,
                from: row.get("from_situation")?,
                to: row.get("to_situation")?,
                user: row.get("user_code")?,
                user_name: row.get("user_name")?,
                reason: row.get("reason")?,
                origin: row.get("origin")?,
            })
        })
        .collect()
}

/// The codes of a record's changes up to `last`, newest first, at most `limit`.
#[boxed::future]
pub async fn list_record_history_codes(
    tx: &mut Tx,
    tenant: TenantId,
    (entity, record): (Entity, i32),
    last: HistoryCode,
    limit: i64,
) -> Result<Vec<HistoryCode>, Error> {
    let statement =
        sql("SELECT code FROM history WHERE tenant = $1 AND entity = $2 AND record = $3 AND code <= $4
         ORDER BY code DESC LIMIT $5")
        .arg(tenant)
        .arg(entity)
        .arg(record)
        .arg(last)
        .arg(limit);
    tx.fetch_all(statement).await?.iter().map(|row| row.get("code")).collect()
}

/// The first change with this code or a later one: its code and time.
#[boxed::future]
pub async fn find_first_entry_from(
    tx: &mut Tx,
    tenant: TenantId,
    code: HistoryCode,
) -> Result<Option<(HistoryCode, Moment)>, Error> {
    let statement =
        sql("SELECT code, happened_at FROM history WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1");
    let found = tx.fetch_optional(statement.arg(tenant).arg(code)).await?;
    found.map(|row| Ok((row.get("code")?, row.get("happened_at")?))).transpose()
}

/// Identifies a change, in case another one once had its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntryMark {
    pub code: HistoryCode,
    pub entity: Entity,
    pub record: i32,
    pub at: Moment,
}

#[boxed::future]
pub async fn find_history_mark(
    tx: &mut Tx,
    tenant: TenantId,
    code: HistoryCode,
) -> Result<Option<HistoryEntryMark>, Error> {
    let statement = sql("SELECT entity, record, happened_at FROM history WHERE tenant = $1 AND code = $2");
    let found = tx.fetch_optional(statement.arg(tenant).arg(code)).await?;
    found
        .map(|row| {
            Ok(HistoryEntryMark {
                code,
                entity: row.get("entity")?,
                record: row.get("record")?,
                at: row.get("happened_at")?,
            })
        })
        .transpose()
}

/// The trigger body of a change, as rendered when it happened.
#[boxed::future]
pub async fn find_trigger_body(
    tx: &mut Tx,
    tenant: TenantId,
    code: HistoryCode,
) -> Result<Option<String>, Error> {
    let statement = sql("SELECT body FROM history WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    tx.fetch_optional(statement).await?.map(|row| row.get("body")).transpose()
}

/// Branch and entity pairs per statement.
const PAIRS_PER_STATEMENT: usize = 64;

/// The changes after `after` in these branches and of these entities, at most `take`, in order.
///
/// Each branch and entity is queried for its own next changes, so that a caller with one branch of many does not wait
/// while other branches' changes are skipped.
#[boxed::future]
pub async fn list_history_feed(
    tx: &mut Tx,
    tenant: TenantId,
    (branches, entities): (&[BranchCode], &[Entity]),
    after: HistoryCode,
    take: i64,
) -> Result<Vec<HistoryFeedEntry>, Error> {
    let heads: Vec<(Entity, BranchCode)> =
        entities.iter().flat_map(|entity| branches.iter().map(|branch| (*entity, *branch))).collect();
    let mut codes: Vec<HistoryCode> = Vec::new();
    for chunk in heads.chunks(PAIRS_PER_STATEMENT) {
        for row in tx.fetch_all(select_next_codes(tenant, chunk, after, take)).await? {
            codes.push(row.get("code")?);
        }
    }
    codes.sort_unstable();
    codes.dedup();
    codes.truncate(usize::try_from(take).unwrap_or(usize::MAX));
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql(
        "SELECT code, entity, record, branch, happened_at, from_situation, to_situation, user_code, reason,
             origin, body FROM history WHERE tenant = $1",
    )
    .arg(tenant)
    .filter_in("code", codes)
    .append_text("ORDER BY code");
    let rows = ReadSource::from(tx).fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(HistoryFeedEntry {
                code: row.get("code")?,
                entity: row.get("entity")?,
                record: row.get("record")?,
                branch: row.get("branch")?,
                at: row.get("happened_at")?,
                from: row.get("from_situation")?,
                to: row.get("to_situation")?,
                user: row.get("user_code")?,
                reason: row.get("reason")?,
                origin: row.get("origin")?,
                body: row.get("body")?,
            })
        })
        .collect()
}

/// The number of pairs is padded to a few sizes by repeating the last one.
fn select_next_codes(
    tenant: TenantId,
    heads: &[(Entity, BranchCode)],
    after: HistoryCode,
    take: i64,
) -> Statement {
    let count = [1, 4, 16, PAIRS_PER_STATEMENT]
        .into_iter()
        .find(|count| *count >= heads.len())
        .unwrap_or(heads.len());
    let last = heads.last().copied();
    let padded = heads.iter().copied().chain(last.into_iter().cycle()).take(count);
    let mut statement = sql("");
    for (number, (entity, branch)) in padded.enumerate() {
        let text = format!(
            "{} SELECT code FROM (SELECT code FROM history WHERE tenant = ? AND entity = ? AND branch = ? AND code > ?
             ORDER BY code LIMIT ?) AS h{number}",
            if number == 0 { "" } else { "UNION ALL" }
        );
        let values: [SqlScalar; 5] = [tenant.into(), entity.into(), branch.into(), after.into(), take.into()];
        statement = statement.append(&text, values);
    }
    statement
}
