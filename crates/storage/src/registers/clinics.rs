//! Clinics.

use crate::{Error, QueryWeight, ReadSource, members, sql};
use domain::{ClinicCode, PostalAddress, TenantId};

/// A clinic, with the fields that appointments need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredClinic {
    pub code: ClinicCode,
    pub name: String,
    pub address: PostalAddress,
    pub active: bool,
}

/// Every clinic, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_clinics(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredClinic>, Error> {
    let statement =
        sql("SELECT code, name, street_kind, street, street_number, complement, district, city, state, cep,
             active FROM clinics WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredClinic {
                code: row.get("code")?,
                name: row.get("name")?,
                address: members::parse_address_columns(row)?,
                active: row.get("active")?,
            })
        })
        .collect()
}
