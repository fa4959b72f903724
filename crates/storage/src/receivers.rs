//! Where changes of situation are told.

use crate::{Error, Source, Tx, Weight, sql};
use domain::{Entity, Moment, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    pub code: i32,
    entities: i64,
}

impl Receiver {
    /// Whether it is told of changes of this entity.
    pub fn hears(&self, entity: Entity) -> bool {
        self.entities & bit(entity) != 0
    }
}

fn bit(entity: Entity) -> i64 {
    1 << entity.number()
}

/// The receivers in use, by code.
pub async fn active(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Receiver>, Error> {
    let statement = sql("SELECT code, entities FROM receivers WHERE tenant = $1 AND active ORDER BY code");
    let rows = from.into().all(Weight::Point, statement.arg(tenant)).await?;
    rows.iter().map(|row| Ok(Receiver { code: row.get("code")?, entities: row.get("entities")? })).collect()
}

/// Registers a receiver of these entities.
pub async fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    code: i32,
    address: &str,
    entities: &[Entity],
    now: Moment,
) -> Result<(), Error> {
    let statement = sql(
        "INSERT INTO receivers (tenant, code, address, entities, active, version, created_at, updated_at)
         VALUES ($1, $2, $3, $4, TRUE, 1, $5, $5)",
    )
    .arg(tenant)
    .arg(code)
    .arg(address)
    .arg(entities.iter().map(|entity| bit(*entity)).sum::<i64>())
    .arg(now);
    tx.execute(statement).await.map(drop)
}
