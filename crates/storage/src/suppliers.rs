//! Suppliers: workshops, tow trucks, clinics.

use crate::{Error, Tx, sql};
use domain::{Cep, Document, Email, Moment, Name, Phone, PostalAddress, SupplierCode, TenantId};

pub struct NewSupplier<'s> {
    pub code: SupplierCode,
    pub name: &'s Name,
    pub trade_name: Option<&'s str>,
    pub document: Option<&'s Document>,
    pub state_registration: Option<&'s str>,
    pub email: Option<&'s Email>,
    pub mobile: Option<&'s Phone>,
    pub landline: Option<&'s Phone>,
    /// What it supplies (`tipoFornecedor`).
    pub kind: Option<&'s str>,
    /// The kind of address is not kept: a supplier has one, where it works.
    pub address: &'s PostalAddress,
}

pub async fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    supplier: &NewSupplier<'_>,
    now: Moment,
) -> Result<(), Error> {
    let address = supplier.address;
    let statement =
        sql("INSERT INTO suppliers (tenant, code, name, trade_name, document, state_registration, email, mobile,
                 landline, kind, street_kind, street, street_number, complement, district, city, state, cep, active,
                 version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, TRUE,
                 1, $19, $19)")
        .arg(tenant)
        .arg(supplier.code)
        .arg(supplier.name.as_str())
        .arg(supplier.trade_name)
        .arg(supplier.document.map(Document::as_str))
        .arg(supplier.state_registration)
        .arg(supplier.email.map(Email::as_str))
        .arg(supplier.mobile.map(Phone::as_str))
        .arg(supplier.landline.map(Phone::as_str))
        .arg(supplier.kind)
        .arg(address.street_kind.as_deref())
        .arg(address.street.as_deref())
        .arg(address.number.as_deref())
        .arg(address.complement.as_deref())
        .arg(address.district.as_deref())
        .arg(address.city.as_deref())
        .arg(address.state.as_deref())
        .arg(address.cep.as_ref().map(Cep::as_str))
        .arg(now);
    tx.execute(statement).await.map(drop)
}
