//! Records that nobody sends: what a new association is born with, and what a demonstration has.

use crate::Error;
use domain::{Moment, TenantId};
use registers::{CLAIM_TYPES, INSPECTION_TYPES, TICKET_TYPES, Value};
use storage::registers as kept;
use storage::{Tx, counters};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The types of event, inspection and ticket that every association is born with.
pub(crate) async fn add_born(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let claims = CLAIM_TYPES.iter().map(|name| vec![text(name)]).collect();
    add_all(tx, tenant, "tipoEvento", claims, now).await?;
    let inspections = INSPECTION_TYPES
        .iter()
        .map(|born| vec![text(born.name), Value::Lines(born.checklist.lines().map(str::to_owned).collect())]);
    add_all(tx, tenant, "tipoVistoria", inspections.collect(), now).await?;
    let tickets =
        TICKET_TYPES.iter().map(|(name, priority)| vec![text(name), Value::Number(priority.number())]);
    add_all(tx, tenant, "tipoHelpDesk", tickets.collect(), now).await
}

/// Writes records with the next codes: their values in the order of the description, judged by nobody.
pub(crate) async fn add_all(
    tx: &mut Tx,
    tenant: TenantId,
    path: &str,
    records: Vec<Vec<Value>>,
    now: Moment,
) -> Result<(), Error> {
    let unknown = || Error::Text(format!("no register is counted as {path}"));
    let register = registers::find(path).ok_or_else(unknown)?;
    let counter = register.counter.ok_or_else(unknown)?;
    for values in records {
        let code = counters::next_of(tx, tenant, counter).await?;
        kept::insert(tx, register, tenant, (code, &values, true), now).await?;
    }
    Ok(())
}
