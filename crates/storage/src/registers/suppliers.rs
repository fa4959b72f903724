//! Suppliers: workshops, tow trucks, clinics.

use crate::{Error, ReadSource, Row, Tx, members, sql};
use domain::{Cep, DisplayName, Document, Email, Moment, Phone, PostalAddress, SupplierCode, TenantId};

/// A supplier, active or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSupplier {
    pub code: SupplierCode,
    pub name: String,
    pub trade_name: Option<String>,
    pub document: Option<String>,
    pub state_registration: Option<String>,
    pub email: Option<String>,
    pub mobile: Option<String>,
    pub landline: Option<String>,
    pub kind: Option<String>,
    pub address: PostalAddress,
    pub active: bool,
}

/// The supplier of this code. Suppliers have no branch: every user of the tenant may see them.
#[boxed::future]
pub async fn find_supplier(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: SupplierCode,
) -> Result<Option<StoredSupplier>, Error> {
    let statement =
        sql("SELECT code, name, trade_name, document, state_registration, email, mobile, landline, kind,
             street_kind, street, street_number, complement, district, city, state, cep, active
         FROM suppliers WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_supplier_row(&row)).transpose()
}

fn parse_supplier_row(row: &Row) -> Result<StoredSupplier, Error> {
    Ok(StoredSupplier {
        code: row.get("code")?,
        name: row.get("name")?,
        trade_name: row.get("trade_name")?,
        document: row.get("document")?,
        state_registration: row.get("state_registration")?,
        email: row.get("email")?,
        mobile: row.get("mobile")?,
        landline: row.get("landline")?,
        kind: row.get("kind")?,
        address: members::parse_address_columns(row)?,
        active: row.get("active")?,
    })
}

pub struct NewSupplierRow {
    pub code: SupplierCode,
    pub name: DisplayName,
    pub trade_name: Option<String>,
    pub document: Option<Document>,
    pub state_registration: Option<String>,
    pub email: Option<Email>,
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    /// What it supplies (`tipoFornecedor`).
    pub kind: Option<String>,
    /// Its `kind` is not stored: a supplier has only one address.
    pub address: PostalAddress,
}

#[boxed::future]
pub async fn insert_suppliers(
    tx: &mut Tx,
    tenant: TenantId,
    suppliers: &[NewSupplierRow],
    now: Moment,
) -> Result<(), Error> {
    let insert = |supplier: &NewSupplierRow| {
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
    tx.execute_batch(suppliers.iter().map(insert).collect()).await
}
