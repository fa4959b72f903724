//! Codes, sequence numbers and protocols: each kind counts from 1 in each tenant, in the tenant's lane.

use crate::{Error, Tx, sql};
use domain::TenantId;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Tenant,
    Branch,
    User,
    Situation,
    History,
    Plan,
    VehicleType,
    Seller,
    Supplier,
    Field,
    Person,
    Mail,
    /// The place of a row in the searches; it only grows.
    Slot,
    Audit,
}

impl Counter {
    fn kind(self) -> &'static str {
        match self {
            Counter::Tenant => "tenant",
            Counter::Branch => "branch",
            Counter::User => "user",
            Counter::Situation => "situation",
            Counter::History => "history",
            Counter::Plan => "plan",
            Counter::VehicleType => "vehicle_type",
            Counter::Seller => "seller",
            Counter::Supplier => "supplier",
            Counter::Field => "field",
            Counter::Person => "person",
            Counter::Mail => "mail",
            Counter::Slot => "slot",
            Counter::Audit => "audit",
        }
    }
}

/// The next number of a kind.
pub async fn next(tx: &mut Tx, tenant: TenantId, counter: Counter) -> Result<i32, Error> {
    take(tx, tenant, counter, 1).await
}

/// Takes `count` numbers in a row; gives the first.
pub async fn take(tx: &mut Tx, tenant: TenantId, counter: Counter, count: i32) -> Result<i32, Error> {
    let statement = sql("INSERT INTO counters (tenant, kind, last) VALUES ($1, $2, $3)
         ON CONFLICT (tenant, kind) DO UPDATE SET last = counters.last + excluded.last RETURNING last")
    .arg(tenant)
    .arg(counter.kind())
    .arg(count);
    let row = tx.one(statement).await?.ok_or_else(|| Error::Broken("a counter gave nothing".to_owned()))?;
    let last: i64 = row.get("last")?;
    i32::try_from(last - i64::from(count) + 1)
        .map_err(|_| Error::Broken(format!("the counter {} is past int32", counter.kind())))
}
