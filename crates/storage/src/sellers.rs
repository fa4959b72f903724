//! Consultants and representatives.

use crate::{Error, Row, Source, Tx, Weight, sql};
use domain::{BranchCode, Document, Email, Moment, Name, Phone, Scope, SellerCode, SellerKind, TenantId};

/// A seller, as far as others name him.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seller {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: String,
    pub branch: BranchCode,
    pub active: bool,
}

/// Every seller, also those who have left; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Seller>, Error> {
    let statement =
        sql("SELECT code, kind, name, branch, active FROM sellers WHERE tenant = $1 ORDER BY code");
    let rows = from.all(Weight::Search, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(Seller {
                code: row.get("code")?,
                kind: row.get("kind")?,
                name: row.get("name")?,
                branch: row.get("branch")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

/// A seller with where he is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SellerDetails {
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

/// Those who sell now in the branches of the scope, of this kind and with this document where they are given; by code.
/// Whatever is compared without case and accents is left to the caller: neither engine does it as the other.
#[boxed::future]
pub async fn active(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: Option<SellerKind>,
    document: Option<&Document>,
) -> Result<Vec<SellerDetails>, Error> {
    let statement =
        sql("SELECT code, kind, name, document, email, mobile, landline, district, city, state, branch
         FROM sellers WHERE tenant = $1 AND active")
        .arg(scope.tenant())
        .scoped("branch", scope.branches())
        .when("AND kind = ?", kind)
        .when("AND document = ?", document.map(Document::as_str))
        .ending("ORDER BY code");
    from.all(Weight::Search, statement).await?.iter().map(details).collect()
}

fn details(row: &Row) -> Result<SellerDetails, Error> {
    Ok(SellerDetails {
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

pub struct NewSeller {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: Name,
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
pub async fn insert_all(
    tx: &mut Tx,
    tenant: TenantId,
    sellers: &[NewSeller],
    now: Moment,
) -> Result<(), Error> {
    let insert = |seller: &NewSeller| {
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
    tx.batch(sellers.iter().map(insert).collect()).await
}
