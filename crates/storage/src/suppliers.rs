//! Suppliers: workshops, tow trucks, clinics.

use crate::{Error, Tx, sql};
use domain::{Cep, Document, Email, Moment, Name, Phone, PostalAddress, SupplierCode, TenantId};

pub struct NewSupplier {
    pub code: SupplierCode,
    pub name: Name,
    pub trade_name: Option<String>,
    pub document: Option<Document>,
    pub state_registration: Option<String>,
    pub email: Option<Email>,
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    /// What it supplies (`tipoFornecedor`).
    pub kind: Option<String>,
    /// Of which the kind is not kept: a supplier has one, where it works.
    pub address: PostalAddress,
}

pub async fn insert_all(
    tx: &mut Tx,
    tenant: TenantId,
    suppliers: &[NewSupplier],
    now: Moment,
) -> Result<(), Error> {
    let insert = |supplier: &NewSupplier| {
        let address = &supplier.address;
        sql("INSERT INTO suppliers (tenant, code, name, trade_name, document, state_registration, email, mobile,
                 landline, kind, street_kind, street, street_number, complement, district, city, state, cep, active,
                 version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, TRUE,
                 1, $19, $19)")
        .arg(tenant)
        .arg(supplier.code)
        .arg(supplier.name.as_str())
        .arg(supplier.trade_name.as_deref())
        .arg(supplier.document.as_ref().map(Document::as_str))
        .arg(supplier.state_registration.as_deref())
        .arg(supplier.email.as_ref().map(Email::as_str))
        .arg(supplier.mobile.as_ref().map(Phone::as_str))
        .arg(supplier.landline.as_ref().map(Phone::as_str))
        .arg(supplier.kind.as_deref())
        .arg(address.street_kind.as_deref())
        .arg(address.street.as_deref())
        .arg(address.number.as_deref())
        .arg(address.complement.as_deref())
        .arg(address.district.as_deref())
        .arg(address.city.as_deref())
        .arg(address.state.as_deref())
        .arg(address.cep.as_ref().map(Cep::as_str))
        .arg(now)
    };
    tx.batch(suppliers.iter().map(insert).collect()).await
}
