//! The links that open a document without a credential, of every purpose.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, sql};
use domain::{LinkPurpose, LinkToken, Moment, PersonCode, TenantId, UserCode};
use std::collections::HashMap;

/// A link; its token names the tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLink {
    pub token: LinkToken,
    pub purpose: LinkPurpose,
    /// The code of the document, among those of its purpose.
    pub subject: i32,
    /// Whose document it is; what is opened is an access to this person's data.
    pub person: Option<PersonCode>,
    /// From this moment on it does not open.
    pub expires_at: Moment,
    pub revoked_at: Option<Moment>,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

const INSERT: &str = "INSERT INTO document_links
     (tenant, token, purpose, subject, person, expires_at, revoked_at, user_code, created_at) VALUES";
const ROWS_PER_STATEMENT: usize = 100;

/// For the batch that writes the documents.
pub fn insert_links<'l>(links: impl IntoIterator<Item = &'l DocumentLink>) -> Vec<Statement> {
    build_inserts(INSERT, ROWS_PER_STATEMENT, links.into_iter().map(list_values))
}

fn list_values(link: &DocumentLink) -> [SqlScalar; 9] {
    [
        link.token.tenant().into(),
        (&link.token).into(),
        link.purpose.into(),
        link.subject.into(),
        link.person.into(),
        link.expires_at.into(),
        link.revoked_at.into(),
        link.user.into(),
        link.created_at.into(),
    ]
}

fn parse_link_row(row: &Row) -> Result<DocumentLink, Error> {
    Ok(DocumentLink {
        token: row.get("token")?,
        purpose: row.get("purpose")?,
        subject: row.get("subject")?,
        person: row.get("person")?,
        expires_at: row.get("expires_at")?,
        revoked_at: row.get("revoked_at")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
    })
}

/// The link of a token, also one that opens nothing any more; none of a disabled tenant.
#[boxed::future]
pub async fn find_link(
    source: impl Into<ReadSource<'_>>,
    token: &LinkToken,
) -> Result<Option<DocumentLink>, Error> {
    let statement =
        sql("SELECT l.token, l.purpose, l.subject, l.person, l.expires_at, l.revoked_at, l.user_code, l.created_at
             FROM document_links l JOIN tenants t ON t.tenant = l.tenant AND t.active
             WHERE l.tenant = $1 AND l.token = $2")
        .arg(token.tenant())
        .arg(token);
    source.fetch_optional(statement).await?.map(|row| parse_link_row(&row)).transpose()
}

/// The links of a document, the oldest first, also those that open nothing any more.
#[boxed::future]
pub async fn list_links_of_subject(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (purpose, subject): (LinkPurpose, i32),
) -> Result<Vec<DocumentLink>, Error> {
    let statement =
        sql("SELECT token, purpose, subject, person, expires_at, revoked_at, user_code, created_at
         FROM document_links WHERE tenant = $1 AND purpose = $2 AND subject = $3 ORDER BY created_at, token")
        .arg(tenant)
        .arg(purpose)
        .arg(subject);
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_link_row).collect()
}

/// The tokens that open these documents now; of several, the one that does so for longest.
#[boxed::future]
pub async fn list_link_tokens(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (purpose, subjects): (LinkPurpose, &[i32]),
    now: Moment,
) -> Result<HashMap<i32, LinkToken>, Error> {
    let statement = sql("SELECT subject, token FROM document_links
         WHERE tenant = $1 AND purpose = $2 AND expires_at + 0 > $3 AND revoked_at IS NULL")
    .arg(tenant)
    .arg(purpose)
    .arg(now)
    .filter_in("subject", subjects.iter().copied())
    .append_text("ORDER BY subject, expires_at, token");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("subject")?, row.get("token")?))).collect()
}

/// Revokes every link of a document that still opens it.
pub fn revoke_links_of_subject(
    tenant: TenantId,
    (purpose, subject): (LinkPurpose, i32),
    now: Moment,
) -> Statement {
    sql("UPDATE document_links SET revoked_at = $4
         WHERE tenant = $1 AND purpose = $2 AND subject = $3 AND expires_at + 0 > $4 AND revoked_at IS NULL")
    .arg(tenant)
    .arg(purpose)
    .arg(subject)
    .arg(now)
}
