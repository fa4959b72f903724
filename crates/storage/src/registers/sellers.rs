//! Consultants and representatives.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{
    BranchCode, DisplayName, Document, Email, Moment, Phone, Scope, SellerCode, SellerKind, TenantId,
};

/// A seller, with the fields that references need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSeller {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: String,
    pub branch: BranchCode,
    pub active: bool,
}

/// Every seller, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_sellers(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredSeller>, Error> {
    let statement =
        sql("SELECT code, kind, name, branch, active FROM sellers WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Search, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredSeller {
                code: row.get("code")?,
                kind: row.get("kind")?,
                name: row.get("name")?,
                branch: row.get("branch")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

/// A seller with contact details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSellerDetails {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: String,
    pub document: Option<String>,
    pub email: Option<String>,
    pub mobile: Option<String>,
    pub landline: Option<String>,
    pub district: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub branch: BranchCode,
}

/// The active sellers in the branches of the scope, optionally of this kind and with this document; ordered by code.
/// The caller compares texts without case and accents, because the engines differ there.
#[boxed::future]
pub async fn list_active_sellers(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: Option<SellerKind>,
    document: Option<&Document>,
) -> Result<Vec<ActiveSellerDetails>, Error> {
    let statement =
        sql("SELECT code, kind, name, document, email, mobile, landline, district, city, state, branch
         FROM sellers WHERE tenant = $1 AND active")
        .arg(scope.tenant())
        .filter_branches("branch", scope.branches())
        .append_if_some("AND kind = ?", kind)
        .append_if_some("AND document = ?", document.map(Document::as_str))
        .append_text("ORDER BY code");
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_seller_row).collect()
}

fn parse_seller_row(row: &Row) -> Result<ActiveSellerDetails, Error> {
    Ok(ActiveSellerDetails {
        code: row.get("code")?,
        kind: row.get("kind")?,
        name: row.get("name")?,
        document: row.get("document")?,
        email: row.get("email")?,
        mobile: row.get("mobile")?,
        landline: row.get("landline")?,
        district: row.get("district")?,
        city: row.get("city")?,
        state: row.get("state")?,
        branch: row.get("branch")?,
    })
}

pub struct NewSellerRow {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: DisplayName,
    pub document: Option<Document>,
    pub email: Option<Email>,
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    pub district: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub branch: BranchCode,
}

#[boxed::future]
pub async fn insert_sellers(
    tx: &mut Tx,
    tenant: TenantId,
    sellers: &[NewSellerRow],
    now: Moment,
) -> Result<(), Error> {
    let insert = |seller: &NewSellerRow| {
        sql("INSERT INTO sellers (tenant, code, kind, name, document, email, mobile, landline, district, city, state,
                 branch, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, TRUE, 1, $13, $13)")
        .arg(tenant)
        .arg(seller.code)
        .arg(seller.kind)
        .arg(seller.name.as_str())
        .arg(seller.document.as_ref().map(Document::as_str))
        .arg(seller.email.as_ref().map(Email::as_str))
        .arg(seller.mobile.as_ref().map(Phone::as_str))
        .arg(seller.landline.as_ref().map(Phone::as_str))
        .arg(seller.district.as_deref())
        .arg(seller.city.as_deref())
        .arg(seller.state.as_deref())
        .arg(seller.branch)
        .arg(now)
    };
    tx.execute_batch(sellers.iter().map(insert).collect()).await
}
