//! Stored responses for repeated requests, by idempotency key.

use crate::{Error, ReadSource, Tx, sql};
use domain::{Moment, TenantId, UserCode};

/// A key is unique per user, method and path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredIdempotencyKey {
    pub tenant: TenantId,
    pub user: UserCode,
    /// Method and path: `POST /ext/associado`.
    pub operation: String,
    pub key: String,
}

/// The response to the first request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    pub body_hash: Vec<u8>,
    pub status: i32,
    pub content_type: String,
    pub answer: Vec<u8>,
}

/// The response stored for the key after a moment.
#[boxed::future]
pub async fn find_stored_answer(
    source: impl Into<ReadSource<'_>>,
    key: &StoredIdempotencyKey,
    after: Moment,
) -> Result<Option<StoredAnswer>, Error> {
    let statement = sql("SELECT body_hash, status, content_type, answer FROM idempotency_keys
         WHERE tenant = $1 AND user_code = $2 AND operation = $3 AND key = $4 AND created_at > $5")
    .arg(key.tenant)
    .arg(key.user)
    .arg(key.operation.as_str())
    .arg(key.key.as_str())
    .arg(after);
    let row = source.fetch_optional(statement).await?;
    row.map(|row| {
        Ok(StoredAnswer {
            body_hash: row.get("body_hash")?,
            status: row.get("status")?,
            content_type: row.get("content_type")?,
            answer: row.get("answer")?,
        })
    })
    .transpose()
}

/// Stores a response; replaces an older one.
#[boxed::future]
pub async fn upsert_stored_answer(
    tx: &mut Tx,
    key: &StoredIdempotencyKey,
    stored: &StoredAnswer,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("INSERT INTO idempotency_keys
             (tenant, user_code, operation, key, body_hash, status, content_type, answer, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (tenant, user_code, operation, key) DO UPDATE SET body_hash = excluded.body_hash,
             status = excluded.status, content_type = excluded.content_type, answer = excluded.answer,
             created_at = excluded.created_at")
    .arg(key.tenant)
    .arg(key.user)
    .arg(key.operation.as_str())
    .arg(key.key.as_str())
    .arg(stored.body_hash.as_slice())
    .arg(stored.status)
    .arg(stored.content_type.as_str())
    .arg(stored.answer.as_slice())
    .arg(now);
    tx.execute(statement).await.map(drop)
}
