//! References to a record of a register.

use crate::{Error, Tx, sql};
use domain::{ReferenceKind, TenantId};

/// The first reference to a plan or seller that is found, if any. Used only to undo its creation; codes inside a text
/// have no index, so some of these queries scan a table.
#[boxed::future]
pub async fn find_record_reference(
    tx: &mut Tx,
    table: &str,
    tenant: TenantId,
    code: i32,
) -> Result<Option<ReferenceKind>, Error> {
    use ReferenceKind::{Benefits, Deals, Dependents, Discounts, Leads, Members, Prices};
    let query = |text: &'static str| sql(text).arg(tenant).arg(code);
    let part = |text: &'static str| sql(text).arg(tenant).arg(format!("% {code} %"));
    let (queries, kinds) = match table {
        "plans" => (
            vec![
                query("SELECT 1 AS one FROM items WHERE tenant = $1 AND plan = $2 LIMIT 1"),
                part(
                    "SELECT 1 AS one FROM dependents WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1",
                ),
                part("SELECT 1 AS one FROM deals WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1"),
                query("SELECT 1 AS one FROM plan_prices WHERE tenant = $1 AND plan = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM discounts WHERE tenant = $1 AND plan = $2 LIMIT 1"),
            ],
            vec![Benefits, Dependents, Deals, Prices, Discounts],
        ),
        _ => (
            vec![
                query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                // Members whose benefits have other sellers.
                query("SELECT 1 AS one FROM people WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM people WHERE tenant = $1 AND representative = $2 LIMIT 1"),
                query("SELECT 1 AS one FROM leads WHERE tenant = $1 AND consultant = $2 LIMIT 1"),
            ],
            vec![Members, Members, Members, Members, Leads],
        ),
    };
    let found = tx.fetch_each(queries).await?;
    Ok(found.iter().zip(kinds).find(|(rows, _)| !rows.is_empty()).map(|(_, kind)| kind))
}
