//! Consultants and representatives.

use crate::{Error, Tx, sql};
use domain::{BranchCode, Document, Email, Moment, Name, Phone, SellerCode, SellerKind, TenantId};

pub struct NewSeller<'s> {
    pub code: SellerCode,
    pub kind: SellerKind,
    pub name: &'s Name,
    pub document: Option<&'s Document>,
    pub email: Option<&'s Email>,
    pub mobile: Option<&'s Phone>,
    pub landline: Option<&'s Phone>,
    pub district: Option<&'s str>,
    pub city: Option<&'s str>,
    pub state: Option<&'s str>,
    pub branch: BranchCode,
}

pub async fn insert(tx: &mut Tx, tenant: TenantId, seller: &NewSeller<'_>, now: Moment) -> Result<(), Error> {
    let statement =
        sql("INSERT INTO sellers (tenant, code, kind, name, document, email, mobile, landline, district, city, state,
                 branch, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, TRUE, 1, $13, $13)")
        .arg(tenant)
        .arg(seller.code)
        .arg(seller.kind)
        .arg(seller.name.as_str())
        .arg(seller.document.map(Document::as_str))
        .arg(seller.email.map(Email::as_str))
        .arg(seller.mobile.map(Phone::as_str))
        .arg(seller.landline.map(Phone::as_str))
        .arg(seller.district)
        .arg(seller.city)
        .arg(seller.state)
        .arg(seller.branch)
        .arg(now);
    tx.execute(statement).await.map(drop)
}
