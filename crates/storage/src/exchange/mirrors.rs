//! Mirrors of another server's tenants: their progress, staged data, and notes on what could not be copied.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{BenefitCode, BenefitKind, ClaimCode, Date, DealCode, DealState, Moment, PersonCode, TenantId};

/// A mirror and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMirror {
    pub tenant: TenantId,
    pub source: String,
    pub login: String,
    /// The tenant's code on the source server.
    pub source_base: i32,
    /// Changes are requested from this day on; `None` requests everything.
    pub since: Option<Date>,
    pub phase: i32,
    /// The last page or code written in this phase.
    pub place: i32,
    /// Counts of this run.
    pub requests: i64,
    pub written: i64,
    /// Whether this run has read everything so far.
    pub has_all: bool,
    pub started_at: Moment,
    /// When the last completed run started.
    pub complete_from: Option<Moment>,
    /// `None` while a run is in progress.
    pub finished_at: Option<Moment>,
}

#[boxed::future]
pub async fn find_mirror(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Option<StoredMirror>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1").arg(tenant);
    source.fetch_optional(statement).await?.map(|row| parse_mirror_row(&row)).transpose()
}

impl StoredMirror {
    /// Whether it mirrors this tenant of this server. Without a tenant code (0), the login must match.
    pub fn is_mirror_of(&self, source: &str, source_base: i32, login: &str) -> bool {
        let is_alike = self.source == source && self.source_base == source_base;
        is_alike && (source_base != 0 || self.login == login)
    }
}

/// The mirror of this tenant of this server.
#[boxed::future]
pub async fn find_mirror_of_source(
    read_source: impl Into<ReadSource<'_>>,
    source: &str,
    source_base: i32,
    login: &str,
) -> Result<Option<StoredMirror>, Error> {
    let statement = sql(SELECT).append_text("ORDER BY tenant");
    let rows = read_source.fetch_all(QueryWeight::Point, statement).await?;
    let all = rows.iter().map(parse_mirror_row).collect::<Result<Vec<_>, Error>>()?;
    Ok(all.into_iter().find(|one| one.is_mirror_of(source, source_base, login)))
}

const SELECT: &str =
    "SELECT tenant, source, login, source_base, since, phase, place, requests, written, has_all, started_at,
     complete_from, finished_at FROM mirrors";

fn parse_mirror_row(row: &Row) -> Result<StoredMirror, Error> {
    Ok(StoredMirror {
        tenant: row.get("tenant")?,
        source: row.get("source")?,
        login: row.get("login")?,
        source_base: row.get("source_base")?,
        since: row.get("since")?,
        phase: row.get("phase")?,
        place: row.get("place")?,
        requests: row.get("requests")?,
        written: row.get("written")?,
        has_all: row.get("has_all")?,
        started_at: row.get("started_at")?,
        complete_from: row.get("complete_from")?,
        finished_at: row.get("finished_at")?,
    })
}

pub fn upsert_mirror(mirror: &StoredMirror) -> Statement {
    sql("INSERT INTO mirrors (tenant, source, login, source_base, since, phase, place, requests, written, has_all,
             started_at, complete_from, finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT (tenant) DO UPDATE SET source = excluded.source, login = excluded.login,
             source_base = excluded.source_base, since = excluded.since, phase = excluded.phase,
             place = excluded.place, requests = excluded.requests, written = excluded.written,
             has_all = excluded.has_all, started_at = excluded.started_at, complete_from = excluded.complete_from,
             finished_at = excluded.finished_at")
    .arg(mirror.tenant)
    .arg(mirror.source.as_str())
    .arg(mirror.login.as_str())
    .arg(mirror.source_base)
    .arg(mirror.since)
    .arg(mirror.phase)
    .arg(mirror.place)
    .arg(mirror.requests)
    .arg(mirror.written)
    .arg(mirror.has_all)
    .arg(mirror.started_at)
    .arg(mirror.complete_from)
    .arg(mirror.finished_at)
}

/// Stores benefits from the list until they are processed.
pub fn stage_benefit_bodies<'b>(
    tenant: TenantId,
    bodies: impl IntoIterator<Item = (BenefitCode, &'b str)>,
) -> Vec<Statement> {
    let rows = bodies.into_iter().map(|(code, body)| [tenant.into(), code.into(), body.into()]);
    let insert =
        build_inserts::<[SqlScalar; 3]>("INSERT INTO mirror_staged (tenant, benefit, body) VALUES", 50, rows);
    let replaced =
        |one: Statement| one.append_text("ON CONFLICT (tenant, benefit) DO UPDATE SET body = excluded.body");
    insert.into_iter().map(replaced).collect()
}

/// The staged bodies of these benefits.
#[boxed::future]
pub async fn list_staged_bodies(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<(BenefitCode, String)>, Error> {
    let statement = sql("SELECT benefit, body FROM mirror_staged WHERE tenant = $1")
        .arg(tenant)
        .filter_in("benefit", codes);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("benefit")?, row.get("body")?))).collect()
}

/// Deletes the staged bodies of some benefits.
pub fn delete_staged_bodies(tenant: TenantId, codes: impl IntoIterator<Item = BenefitCode>) -> Statement {
    sql("DELETE FROM mirror_staged WHERE tenant = $1").arg(tenant).filter_in("benefit", codes)
}

pub fn delete_all_staged_bodies(tenant: TenantId) -> Statement {
    sql("DELETE FROM mirror_staged WHERE tenant = $1").arg(tenant)
}

/// The field of a note on a record that could not be read: the next run requests it again.
pub const UNREAD_FIELD: &str = "leitura";

/// A note on something that could not be copied. It names the record and the field, never a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMirrorNote {
    /// The name in the API: `associado`, `beneficio`.
    pub kind: &'static str,
    pub record: i32,
    pub field: String,
    pub reason: String,
}

/// Deletes the notes of these records before they are read again.
pub fn delete_mirror_notes(tenant: TenantId, kind: &'static str, records: &[i32]) -> Statement {
    sql("DELETE FROM mirror_notes WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .filter_in("record", records.iter().copied())
}

pub fn upsert_mirror_notes(tenant: TenantId, notes: &[NewMirrorNote], now: Moment) -> Vec<Statement> {
    let one = |note: &NewMirrorNote| {
        sql("INSERT INTO mirror_notes (tenant, kind, record, field, reason, noted_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (tenant, kind, record, field) DO UPDATE SET reason = excluded.reason,
                 noted_at = excluded.noted_at")
        .arg(tenant)
        .arg(note.kind)
        .arg(note.record)
        .arg(note.field.as_str())
        .arg(note.reason.as_str())
        .arg(now)
    };
    notes.iter().map(one).collect()
}

/// Equal notes: how many, and the first records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorNoteGroup {
    pub kind: String,
    pub field: String,
    pub reason: String,
    pub count: i64,
    pub first: i32,
}

/// All notes, with equal ones grouped.
#[boxed::future]
pub async fn list_mirror_note_groups(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<MirrorNoteGroup>, Error> {
    let statement =
        sql("SELECT kind, field, reason, COUNT(*) AS count, MIN(record) AS first FROM mirror_notes
         WHERE tenant = $1 GROUP BY kind, field, reason ORDER BY kind, field, reason LIMIT 1000")
        .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    let one = |row: &Row| {
        Ok(MirrorNoteGroup {
            kind: row.get("kind")?,
            field: row.get("field")?,
            reason: row.get("reason")?,
            count: row.get("count")?,
            first: row.get("first")?,
        })
    };
    rows.iter().map(one).collect()
}

/// The notes after one of them, in order: kind, record, field and reason.
#[boxed::future]
pub async fn list_mirror_notes_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (kind, record, field): (&str, i32, &str),
    limit: i64,
) -> Result<Vec<(String, i32, String, String)>, Error> {
    let statement = sql("SELECT kind, record, field, reason FROM mirror_notes
         WHERE tenant = $1 AND (kind > $2 OR (kind = $2 AND (record > $3 OR (record = $3 AND field > $4))))
         ORDER BY kind, record, field LIMIT $5")
    .arg(tenant)
    .arg(kind)
    .arg(record)
    .arg(field)
    .arg(limit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| Ok((row.get("kind")?, row.get("record")?, row.get("field")?, row.get("reason")?)))
        .collect()
}

/// The records of a kind that could not be read in the last run.
#[boxed::future]
pub async fn list_unread_records(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: &'static str,
) -> Result<Vec<i32>, Error> {
    let statement =
        sql("SELECT record FROM mirror_notes WHERE tenant = $1 AND kind = $2 AND field = $3 ORDER BY record")
            .arg(tenant)
            .arg(kind)
            .arg(UNREAD_FIELD);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("record")).collect()
}

/// The records of a kind with a note.
#[boxed::future]
pub async fn list_noted_records(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: &'static str,
) -> Result<Vec<i32>, Error> {
    let statement =
        sql("SELECT DISTINCT record FROM mirror_notes WHERE tenant = $1 AND kind = $2 ORDER BY record")
            .arg(tenant)
            .arg(kind);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("record")).collect()
}

/// The benefits after a code that changed on or after a day, or that could not be read completely; all if no day is
/// given.
#[boxed::future]
pub async fn list_changed_benefits_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    after: i32,
    since: Option<Date>,
    limit: i64,
) -> Result<Vec<(BenefitCode, BenefitKind)>, Error> {
    let statement = sql("SELECT b.code, b.kind FROM benefits b WHERE b.tenant = $1 AND b.code > $2")
        .arg(tenant)
        .arg(after)
        .append_if_some(
            "AND ((SELECT l.updated_on FROM listing l WHERE l.tenant = b.tenant AND l.slot = b.slot) >= ?
                 OR EXISTS (SELECT 1 FROM mirror_notes n WHERE n.tenant = b.tenant AND n.record = b.code
                     AND n.kind IN ('itens', 'dependentes', 'equipamentos') AND n.field = 'leitura'))",
            since,
        )
        .append("ORDER BY b.code LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("kind")?))).collect()
}

/// The members after a code with a row that changed on or after a day, or whose cards could not be read; all if no
/// day is given.
#[boxed::future]
pub async fn list_changed_members_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    after: i32,
    since: Option<Date>,
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    let statement = sql("SELECT p.code FROM people p WHERE p.tenant = $1 AND p.code > $2 AND p.is_member")
        .arg(tenant)
        .arg(after)
        .append_if_some(
            "AND (EXISTS (SELECT 1 FROM listing l WHERE l.tenant = p.tenant AND l.person = p.code
                     AND l.updated_on >= ?)
                 OR EXISTS (SELECT 1 FROM mirror_notes n WHERE n.tenant = p.tenant AND n.record = p.code
                     AND n.kind = 'cartaoCredito' AND n.field = 'leitura'))",
            since,
        )
        .append("ORDER BY p.code LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// The open deals of a tenant.
#[boxed::future]
pub async fn list_open_deals(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<DealCode>, Error> {
    let statement = sql("SELECT code FROM deals WHERE tenant = $1 AND situation = $2 ORDER BY code")
        .arg(tenant)
        .arg(DealState::Open);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// The deals with these sequence numbers.
#[boxed::future]
pub async fn list_deals_by_sequence(
    tx: &mut Tx,
    tenant: TenantId,
    sequences: impl IntoIterator<Item = i32>,
) -> Result<Vec<(i32, DealCode)>, Error> {
    let statement = sql("SELECT sequence, code FROM deals WHERE tenant = $1")
        .arg(tenant)
        .filter_in("sequence", sequences);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("sequence")?, row.get("code")?))).collect()
}

/// The claims with these protocols.
#[boxed::future]
pub async fn list_claims_by_protocol(
    tx: &mut Tx,
    tenant: TenantId,
    protocols: impl IntoIterator<Item = i32>,
) -> Result<Vec<(i32, ClaimCode)>, Error> {
    let statement = sql("SELECT protocol, code FROM claims WHERE tenant = $1")
        .arg(tenant)
        .filter_in("protocol", protocols);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("protocol")?, row.get("code")?))).collect()
}
