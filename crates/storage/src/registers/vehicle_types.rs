//! The vehicle types of a tenant.

use crate::{Error, QueryWeight, ReadSource, Tx, sql};
use domain::{DisplayName, Moment, TenantId, VehicleCategory, VehicleTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVehicleType {
    pub code: VehicleTypeCode,
    pub name: String,
    pub category: VehicleCategory,
    pub active: bool,
}

/// Every type, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_vehicle_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredVehicleType>, Error> {
    let statement = sql("SELECT code, name, category, active FROM vehicle_types WHERE tenant = $1
         ORDER BY code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredVehicleType {
                code: row.get("code")?,
                name: row.get("name")?,
                category: row.get("category")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

pub struct NewVehicleTypeRow {
    pub code: VehicleTypeCode,
    pub name: DisplayName,
    pub category: VehicleCategory,
}

#[boxed::future]
pub async fn insert_vehicle_types(
    tx: &mut Tx,
    tenant: TenantId,
    types: &[NewVehicleTypeRow],
    now: Moment,
) -> Result<(), Error> {
    let insert = |one: &NewVehicleTypeRow| {
        sql("INSERT INTO vehicle_types (tenant, code, name, category, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, TRUE, 1, $5, $5)")
        .arg(tenant)
        .arg(one.code)
        .arg(one.name.as_str())
        .arg(one.category)
        .arg(now)
    };
    tx.execute_batch(types.iter().map(insert).collect()).await
}
