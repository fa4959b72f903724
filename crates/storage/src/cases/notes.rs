//! Notes on a record, and messages to the member.

use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{Entity, Moment, TenantId, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordNote {
    /// Counts from 1 per record.
    pub number: i32,
    pub written_at: Moment,
    pub user: Option<UserCode>,
    /// Name of the author; read-only.
    pub user_name: Option<String>,
    /// Addressed to the member.
    pub is_message: bool,
    pub text: String,
}

/// The notes of a record, in order.
#[boxed::future]
pub async fn list_notes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (entity, record): (Entity, i32),
) -> Result<Vec<RecordNote>, Error> {
    let statement =
        sql("SELECT n.number, n.written_at, n.user_code, n.is_message, n.text, u.name AS user_name
         FROM notes n LEFT JOIN users u ON u.tenant = n.tenant AND u.code = n.user_code
         WHERE n.tenant = $1 AND n.entity = $2 AND n.record = $3 ORDER BY n.number")
        .arg(tenant)
        .arg(entity)
        .arg(record);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(RecordNote {
                number: row.get("number")?,
                written_at: row.get("written_at")?,
                user: row.get("user_code")?,
                user_name: row.get("user_name")?,
                is_message: row.get("is_message")?,
                text: row.get("text")?,
            })
        })
        .collect()
}

/// The number of the last note of a record; 0 if there is none.
#[boxed::future]
pub async fn load_last_note_number(
    tx: &mut Tx,
    tenant: TenantId,
    (entity, record): (Entity, i32),
) -> Result<i32, Error> {
    let statement = sql("SELECT number FROM notes WHERE tenant = $1 AND entity = $2 AND record = $3
         ORDER BY number DESC LIMIT 1")
    .arg(tenant)
    .arg(entity)
    .arg(record);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("number"))
}

pub fn insert_note(tenant: TenantId, (entity, record): (Entity, i32), note: &RecordNote) -> Statement {
    sql("INSERT INTO notes (tenant, entity, record, number, written_at, user_code, is_message, text)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
    .arg(tenant)
    .arg(entity)
    .arg(record)
    .arg(note.number)
    .arg(note.written_at)
    .arg(note.user)
    .arg(note.is_message)
    .arg(note.text.as_str())
}
