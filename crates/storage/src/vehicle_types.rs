//! The types of vehicle that a tenant tells apart.

use crate::{Error, Source, Tx, Weight, sql};
use domain::{Moment, Name, TenantId, VehicleCategory, VehicleTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VehicleType {
    pub code: VehicleTypeCode,
    pub name: String,
    pub category: VehicleCategory,
    pub active: bool,
}

/// Every type, also those no longer used; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<VehicleType>, Error> {
    let statement = sql("SELECT code, name, category, active FROM vehicle_types WHERE tenant = $1
         ORDER BY code")
    .arg(tenant);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(VehicleType {
                code: row.get("code")?,
                name: row.get("name")?,
                category: row.get("category")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

pub struct NewVehicleType {
    pub code: VehicleTypeCode,
    pub name: Name,
    pub category: VehicleCategory,
}

#[boxed::future]
pub async fn insert_all(
    tx: &mut Tx,
    tenant: TenantId,
    types: &[NewVehicleType],
    now: Moment,
) -> Result<(), Error> {
    let insert = |one: &NewVehicleType| {
        sql("INSERT INTO vehicle_types (tenant, code, name, category, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, TRUE, 1, $5, $5)")
        .arg(tenant)
        .arg(one.code)
        .arg(one.name.as_str())
        .arg(one.category)
        .arg(now)
    };
    tx.batch(types.iter().map(insert).collect()).await
}
