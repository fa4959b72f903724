//! Where doctors see people.

use crate::{Error, Source, Weight, people, sql};
use domain::{ClinicCode, PostalAddress, TenantId};

/// A clinic, as far as appointments need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clinic {
    pub code: ClinicCode,
    pub name: String,
    pub address: PostalAddress,
    pub active: bool,
}

/// Every clinic, also those no longer used; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Clinic>, Error> {
    let statement =
        sql("SELECT code, name, street_kind, street, street_number, complement, district, city, state, cep,
             active FROM clinics WHERE tenant = $1 ORDER BY code");
    let rows = from.all(Weight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(Clinic {
                code: row.get("code")?,
                name: row.get("name")?,
                address: people::place(row)?,
                active: row.get("active")?,
            })
        })
        .collect()
}
