//! Delivery attempts and their results. A successful attempt is stored with its delivery (`deliveries`).

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{HistoryCode, Moment, ReceiverCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    pub receiver: ReceiverCode,
    pub history: HistoryCode,
    /// Unique among the attempts of the same delivery, and increasing.
    pub number: i64,
    pub tried_at: Moment,
    pub status: Option<i32>,
    pub millis: i64,
    /// The first bytes of the response.
    pub answer: Option<String>,
    /// Why there was no response.
    pub failure: Option<String>,
}

const ROWS_PER_STATEMENT: usize = 32;

pub fn insert_attempts<'a>(
    tenant: TenantId,
    attempts: impl IntoIterator<Item = &'a DeliveryAttempt>,
) -> Vec<Statement> {
    let rows = attempts.into_iter().map(|one| -> [SqlScalar; 9] {
        [
            tenant.into(),
            one.receiver.into(),
            one.history.into(),
            one.number.into(),
            one.tried_at.into(),
            one.status.into(),
            one.millis.into(),
            one.answer.as_deref().into(),
            one.failure.as_deref().into(),
        ]
    });
    let head = "INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, status, millis, answer, failure)
         VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// The attempts of a delivery, in order.
#[boxed::future]
pub async fn list_attempts(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    deliveries: impl IntoIterator<Item = HistoryCode> + Clone,
) -> Result<Vec<DeliveryAttempt>, Error> {
    let statement =
        sql("SELECT history_code, number, tried_at, status, millis, answer, failure FROM attempts
         WHERE tenant = $1 AND receiver = $2")
        .arg(tenant)
        .arg(receiver)
        .filter_in("history_code", deliveries.clone())
        .append(
            "UNION ALL SELECT history_code, CAST(? AS BIGINT) AS number, ended_at - millis AS tried_at, status, millis,
                 CAST(NULL AS TEXT) AS answer, CAST(NULL AS TEXT) AS failure FROM deliveries
             WHERE tenant = ? AND receiver = ? AND millis IS NOT NULL",
            [SqlScalar::from(i64::MAX), tenant.into(), receiver.into()],
        )
        .filter_in("history_code", deliveries)
        .append_text("ORDER BY history_code, number");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(DeliveryAttempt {
                receiver,
                history: row.get("history_code")?,
                number: row.get("number")?,
                tried_at: row.get("tried_at")?,
                status: row.get("status")?,
                millis: row.get("millis")?,
                answer: row.get("answer")?,
                failure: row.get("failure")?,
            })
        })
        .collect()
}
