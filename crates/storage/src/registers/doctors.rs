//! Doctors whom members are referred to.

use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{ClinicCode, DoctorCode, SpecialtyCode, TenantId};

/// A doctor, with the fields that appointments need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDoctor {
    pub code: DoctorCode,
    pub name: String,
    pub specialty: Option<SpecialtyCode>,
    pub clinic: Option<ClinicCode>,
    pub active: bool,
}

/// Every doctor, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_doctors(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredDoctor>, Error> {
    let statement =
        sql("SELECT code, name, specialty, clinic, active FROM doctors WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredDoctor {
                code: row.get("code")?,
                name: row.get("name")?,
                specialty: row.get("specialty")?,
                clinic: row.get("clinic")?,
                active: row.get("active")?,
            })
        })
        .collect()
}
