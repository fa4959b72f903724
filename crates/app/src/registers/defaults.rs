//! Records created without a request: the defaults of a new association, and demonstration data.

use crate::Error;
use domain::{Moment, Scope, TenantId};
use registers::{CLAIM_TYPES, FieldContent, INSPECTION_TYPES, TICKET_TYPES, list_finance_records};
use storage::Tx;
use storage::registers as stored_registers;
use storage::server::counters;

fn build_text(text: &str) -> FieldContent {
    FieldContent::Text(text.to_owned())
}

/// The default types of claim, inspection and ticket, and registers of money of every association.
#[boxed::future]
pub async fn insert_default_records(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let claims = CLAIM_TYPES.iter().map(|name| vec![build_text(name)]).collect();
    insert_records(tx, tenant, "tipoEvento", claims, now).await?;
    let inspections = INSPECTION_TYPES.iter().map(|born| {
        vec![build_text(born.name), FieldContent::Lines(born.checklist.lines().map(str::to_owned).collect())]
    });
    insert_records(tx, tenant, "tipoVistoria", inspections.collect(), now).await?;
    let tickets = TICKET_TYPES
        .iter()
        .map(|(name, priority)| vec![build_text(name), FieldContent::Number(priority.number())]);
    insert_records(tx, tenant, "tipoHelpDesk", tickets.collect(), now).await?;
    insert_default_money_records(tx, tenant, now).await
}

/// The registers of money of every association, where they are empty: an archive of an older schema lacks some.
#[boxed::future]
pub async fn insert_default_money_records(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    for (path, records) in list_finance_records() {
        let Some(register) = registers::find_register(path) else { continue };
        let scope = Scope::for_tenant(tenant);
        if stored_registers::list_records(tx, register, &scope, &[], None).await?.is_empty() {
            insert_records(tx, tenant, path, records, now).await?;
        }
    }
    Ok(())
}

/// Writes records with the next codes, without validation; values in the order of the register's fields.
#[boxed::future]
pub async fn insert_records(
    tx: &mut Tx,
    tenant: TenantId,
    path: &str,
    records: Vec<Vec<FieldContent>>,
    now: Moment,
) -> Result<(), Error> {
    let unknown = || Error::Defect(format!("no register is counted as {path}"));
    let register = registers::find_register(path).ok_or_else(unknown)?;
    let counter = register.counter.ok_or_else(unknown)?;
    for values in records {
        let code = counters::reserve_register_code(tx, tenant, counter).await?;
        stored_registers::insert_record(tx, register, tenant, (code, &values, true), now).await?;
    }
    Ok(())
}
