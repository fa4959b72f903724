//! The situations that each tenant registered for its entities.

use crate::{Error, Tx, sql};
use domain::{Moment, TenantId, fold};
use registers::BornSituation;

/// Writes situations, the first with code `first` and the others behind it.
pub async fn insert_born(
    tx: &mut Tx,
    tenant: TenantId,
    first: i32,
    born: &[BornSituation],
    now: Moment,
) -> Result<(), Error> {
    let insert = |(code, born): (i32, &BornSituation)| {
        sql("INSERT INTO situations (tenant, entity, code, name, folded_name, kind, colour, is_default, position,
                 active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $3, TRUE, 1, $9, $9)")
        .arg(tenant)
        .arg(born.entity)
        .arg(code)
        .arg(born.name)
        .arg(fold(born.name))
        .arg(born.kind)
        .arg(born.colour.to_string())
        .arg(born.is_default)
        .arg(now)
    };
    tx.batch((first..).zip(born).map(insert).collect()).await
}
