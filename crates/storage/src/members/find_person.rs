//! Finds people by document and code.

use super::person_row::{SELECT, parse_profile_row};
use crate::{Error, QueryWeight, ReadSource, Statement, sql};
use domain::{Document, PersonCode, PersonProfile, TenantId};

/// The people with these documents, regardless of scope.
#[boxed::future]
pub async fn list_people_by_document(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    documents: impl IntoIterator<Item = &Document>,
) -> Result<Vec<(PersonCode, PersonProfile)>, Error> {
    let documents = documents.into_iter().map(Document::as_str);
    let statement = sql(SELECT).append_text("WHERE tenant = $1").arg(tenant).filter_in("document", documents);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_profile_row(row)?))).collect()
}

/// The codes of the people with these documents, given in their stored form.
#[boxed::future]
pub async fn list_person_codes_by_document<'d>(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    documents: impl IntoIterator<Item = &'d Document>,
) -> Result<Vec<(String, PersonCode)>, Error> {
    let statement = sql("SELECT document, code FROM people WHERE tenant = $1")
        .arg(tenant)
        .filter_in("document", documents.into_iter().map(Document::as_str));
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("document")?, row.get("code")?))).collect()
}

/// The person with this document, regardless of scope.
#[boxed::future]
pub async fn find_person_by_document(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    document: &Document,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let statement = select_person_by_document(tenant, document);
    source
        .fetch_optional(statement)
        .await?
        .map(|row| Ok((row.get("code")?, parse_profile_row(&row)?)))
        .transpose()
}

/// The query of [`find_person_by_document`].
pub fn select_person_by_document(tenant: TenantId, document: &Document) -> Statement {
    sql(SELECT).append_text("WHERE tenant = $1 AND document = $2").arg(tenant).arg(document.as_str())
}

/// The person of this code, regardless of scope.
#[boxed::future]
pub async fn find_person(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: PersonCode,
) -> Result<Option<PersonProfile>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_profile_row(&row)).transpose()
}

/// The people of these codes, regardless of scope.
#[boxed::future]
pub async fn list_people_by_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<(PersonCode, PersonProfile)>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1").arg(tenant).filter_in("code", codes);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_profile_row(row)?))).collect()
}
