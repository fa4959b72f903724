//! The mail outbox: written in the unit of work that causes the mail, sent later under a lease, and kept as a record.
//! `due_at` is the time of the next attempt; it is empty once a mail is sent or given up.

use super::counters::{self, Counter};
use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{MailCode, Moment, TenantId};

pub struct NewMailRow<'m> {
    pub recipient: &'m str,
    pub subject: &'m str,
    pub text: &'m str,
    pub html: Option<&'m str>,
    /// Contains a password or a link: its body is deleted once it is sent or given up.
    pub confidential: bool,
}

/// A mail due for an attempt, and the number of previous attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueMail {
    pub tenant: TenantId,
    pub code: MailCode,
    pub tries: i64,
}

/// A leased mail. `tries` includes this attempt and tells it from a later lease. It does not implement `Debug`,
/// because its body may contain a password.
pub struct LeasedMail {
    pub tenant: TenantId,
    pub code: MailCode,
    pub tries: i64,
    pub recipient: String,
    pub subject: String,
    pub text: String,
    pub html: Option<String>,
    pub created_at: Moment,
}

/// Adds a mail to the outbox, due at once.
#[boxed::future]
pub async fn enqueue_mail(
    tx: &mut Tx,
    tenant: TenantId,
    mail: &NewMailRow<'_>,
    now: Moment,
) -> Result<MailCode, Error> {
    let code = MailCode::new(counters::reserve_number(tx, tenant, Counter::Mail).await?);
    let statement = sql(
        "INSERT INTO mails (tenant, code, recipient, subject, text_body, html_body, confidential, tries, due_at,
             created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8)",
    )
    .arg(tenant)
    .arg(code)
    .arg(mail.recipient)
    .arg(mail.subject)
    .arg(mail.text)
    .arg(mail.html)
    .arg(mail.confidential)
    .arg(now);
    tx.execute(statement).await?;
    Ok(code)
}

/// The mails due now, of every tenant that is not disabled, oldest first. The condition on `due_at` is written out so
/// that the partial index is used.
#[boxed::future]
pub async fn list_due_mails(
    source: impl Into<ReadSource<'_>>,
    now: Moment,
    limit: i64,
) -> Result<Vec<DueMail>, Error> {
    let statement =
        sql("SELECT m.tenant, m.code, m.tries FROM mails m WHERE m.due_at IS NOT NULL AND m.due_at <= $1
             AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.tenant = m.tenant AND NOT t.active)
         ORDER BY m.due_at, m.tenant, m.code LIMIT $2")
        .arg(now)
        .arg(limit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(DueMail { tenant: row.get("tenant")?, code: row.get("code")?, tries: row.get("tries")? })
        })
        .collect()
}

/// Leases a mail that has not changed since it was listed: only one of two processes succeeds.
#[boxed::future]
pub async fn lease_mail(tx: &mut Tx, due: &DueMail, lease_end: Moment) -> Result<Option<LeasedMail>, Error> {
    let statement = sql("UPDATE mails SET tries = tries + 1, due_at = $4
         WHERE tenant = $1 AND code = $2 AND tries = $3 AND due_at IS NOT NULL
         RETURNING tenant, code, tries, recipient, subject, text_body, html_body, created_at")
    .arg(due.tenant)
    .arg(due.code)
    .arg(due.tries)
    .arg(lease_end);
    tx.fetch_optional(statement).await?.map(|row| parse_leased_mail_row(&row)).transpose()
}

fn parse_leased_mail_row(row: &Row) -> Result<LeasedMail, Error> {
    Ok(LeasedMail {
        tenant: row.get("tenant")?,
        code: row.get("code")?,
        tries: row.get("tries")?,
        recipient: row.get("recipient")?,
        subject: row.get("subject")?,
        text: row.get("text_body")?,
        html: row.get("html_body")?,
        created_at: row.get("created_at")?,
    })
}

/// The mail was sent. `false` if another process has leased it since: its result counts.
#[boxed::future]
pub async fn record_mail_sent(tx: &mut Tx, mail: &LeasedMail, now: Moment) -> Result<bool, Error> {
    let statement = sql("UPDATE mails SET due_at = NULL, sent_at = $4, failure = NULL,
             text_body = CASE WHEN confidential THEN NULL ELSE text_body END,
             html_body = CASE WHEN confidential THEN NULL ELSE html_body END
         WHERE tenant = $1 AND code = $2 AND tries = $3")
    .arg(mail.tenant)
    .arg(mail.code)
    .arg(mail.tries)
    .arg(now);
    Ok(tx.execute(statement).await? == 1)
}

/// The attempt failed; the next one is at `next`.
#[boxed::future]
pub async fn record_mail_failure(
    tx: &mut Tx,
    mail: &LeasedMail,
    failure: &str,
    next: Moment,
) -> Result<bool, Error> {
    let statement = sql("UPDATE mails SET failure = $4, due_at = $5
         WHERE tenant = $1 AND code = $2 AND tries = $3")
    .arg(mail.tenant)
    .arg(mail.code)
    .arg(mail.tries)
    .arg(failure)
    .arg(next);
    Ok(tx.execute(statement).await? == 1)
}

/// The attempt failed and is not repeated.
#[boxed::future]
pub async fn give_up_mail(tx: &mut Tx, mail: &LeasedMail, failure: &str) -> Result<bool, Error> {
    let statement = sql("UPDATE mails SET failure = $4, due_at = NULL,
             text_body = CASE WHEN confidential THEN NULL ELSE text_body END,
             html_body = CASE WHEN confidential THEN NULL ELSE html_body END
         WHERE tenant = $1 AND code = $2 AND tries = $3")
    .arg(mail.tenant)
    .arg(mail.code)
    .arg(mail.tries)
    .arg(failure);
    Ok(tx.execute(statement).await? == 1)
}

/// A mail as shown to administrators, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxMail {
    pub code: MailCode,
    pub recipient: String,
    pub subject: String,
    pub created_at: Moment,
    pub sent_at: Option<Moment>,
    /// Another attempt is due.
    pub is_waiting: bool,
    pub tries: i64,
    pub failure: Option<String>,
}

/// The mails of a tenant before this code, newest first.
#[boxed::future]
pub async fn list_outbox_mails(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    before: i32,
    limit: i64,
) -> Result<Vec<OutboxMail>, Error> {
    let statement =
        sql("SELECT code, recipient, subject, created_at, sent_at, due_at, tries, failure FROM mails
         WHERE tenant = $1 AND code < $2 ORDER BY code DESC LIMIT $3")
        .arg(tenant)
        .arg(before)
        .arg(limit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(OutboxMail {
                code: row.get("code")?,
                recipient: row.get("recipient")?,
                subject: row.get("subject")?,
                created_at: row.get("created_at")?,
                sent_at: row.get("sent_at")?,
                is_waiting: row.get::<Option<Moment>>("due_at")?.is_some(),
                tries: row.get("tries")?,
                failure: row.get("failure")?,
            })
        })
        .collect()
}

/// How many mails created before a moment still wait, and when the oldest was created.
#[boxed::future]
pub async fn count_waiting_mails(
    source: impl Into<ReadSource<'_>>,
    before: Moment,
) -> Result<(i64, Option<Moment>), Error> {
    let statement = sql("SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM mails
         WHERE due_at IS NOT NULL AND created_at <= $1")
    .arg(before);
    let Some(row) = source.fetch_optional(statement).await? else { return Ok((0, None)) };
    Ok((row.get("count")?, row.get("oldest")?))
}
