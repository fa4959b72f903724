//! Doctors whom members are sent to.

use crate::{Error, Source, Weight, sql};
use domain::{ClinicCode, DoctorCode, SpecialtyCode, TenantId};

/// A doctor, as far as appointments need him.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doctor {
    pub code: DoctorCode,
    pub name: String,
    pub specialty: Option<SpecialtyCode>,
    /// Where he sees people.
    pub clinic: Option<ClinicCode>,
    pub active: bool,
}

/// Every doctor, also those who have left; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Doctor>, Error> {
    let statement =
        sql("SELECT code, name, specialty, clinic, active FROM doctors WHERE tenant = $1 ORDER BY code");
    let rows = from.all(Weight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(Doctor {
                code: row.get("code")?,
                name: row.get("name")?,
                specialty: row.get("specialty")?,
                clinic: row.get("clinic")?,
                active: row.get("active")?,
            })
        })
        .collect()
}
