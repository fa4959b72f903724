//! References to a record of a register.

use crate::{Error, Statement, Tx, sql};
use domain::finance::LedgerAccountKind;
use domain::{ReferenceKind, TenantId};

/// The first reference to a record of an imported register that is found, if any. Used only to undo its creation; codes
/// inside a text have no index, so some of these queries scan a table. Of references that a foreign key holds, it lists
/// the usual ones: the database refuses to delete a record that has others.
#[boxed::future]
pub async fn find_record_reference(
    tx: &mut Tx,
    table: &str,
    tenant: TenantId,
    code: i32,
) -> Result<Option<ReferenceKind>, Error> {
    let (kinds, queries): (Vec<ReferenceKind>, Vec<Statement>) =
        list_reference_queries(table, tenant, code).into_iter().unzip();
    if queries.is_empty() {
        return Ok(None);
    }
    let found = tx.fetch_each(queries).await?;
    Ok(found.iter().zip(kinds).find(|(rows, _)| !rows.is_empty()).map(|(_, kind)| kind))
}

fn list_reference_queries(table: &str, tenant: TenantId, code: i32) -> Vec<(ReferenceKind, Statement)> {
    use ReferenceKind::{
        Benefits, ChargingRuns, Deals, Dependents, Discounts, Leads, LedgerAccounts, Members, Plans, Prices,
        Settlements, Titles,
    };
    let query = |text: &'static str| sql(text).arg(tenant).arg(code);
    let part = |text: &'static str| sql(text).arg(tenant).arg(format!("% {code} %"));
    match table {
        "plans" => vec![
            (Benefits, query("SELECT 1 AS one FROM items WHERE tenant = $1 AND plan = $2 LIMIT 1")),
            (
                Dependents,
                part(
                    "SELECT 1 AS one FROM dependents WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1",
                ),
            ),
            (
                Deals,
                part("SELECT 1 AS one FROM deals WHERE tenant = $1 AND ' ' || plans || ' ' LIKE $2 LIMIT 1"),
            ),
            (Prices, query("SELECT 1 AS one FROM plan_prices WHERE tenant = $1 AND plan = $2 LIMIT 1")),
            (Discounts, query("SELECT 1 AS one FROM discounts WHERE tenant = $1 AND plan = $2 LIMIT 1")),
        ],
        "sellers" => vec![
            (Members, query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND consultant = $2 LIMIT 1")),
            (
                Members,
                query("SELECT 1 AS one FROM listing WHERE tenant = $1 AND representative = $2 LIMIT 1"),
            ),
            // Members whose benefits have other sellers.
            (Members, query("SELECT 1 AS one FROM people WHERE tenant = $1 AND consultant = $2 LIMIT 1")),
            (Members, query("SELECT 1 AS one FROM people WHERE tenant = $1 AND representative = $2 LIMIT 1")),
            (Leads, query("SELECT 1 AS one FROM leads WHERE tenant = $1 AND consultant = $2 LIMIT 1")),
        ],
        "protection_groups" => vec![
            (Plans, query("SELECT 1 AS one FROM plans WHERE tenant = $1 AND protection_group = $2 LIMIT 1")),
            (Titles, query("SELECT 1 AS one FROM titles WHERE tenant = $1 AND protection_group = $2 LIMIT 1")),
            (
                ChargingRuns,
                query("SELECT 1 AS one FROM charging_runs WHERE tenant = $1 AND protection_group = $2 LIMIT 1"),
            ),
            (
                LedgerAccounts,
                query(
                    "SELECT 1 AS one FROM ledger_accounts WHERE tenant = $1 AND protection_group = $2 LIMIT 1",
                ),
            ),
        ],
        "charge_items" => vec![
            (Plans, query("SELECT 1 AS one FROM plans WHERE tenant = $1 AND charge_item = $2 LIMIT 1")),
            (Titles, query("SELECT 1 AS one FROM title_lines WHERE tenant = $1 AND charge_item = $2 LIMIT 1")),
            (
                ChargingRuns,
                query("SELECT 1 AS one FROM charging_run_lines WHERE tenant = $1 AND charge_item = $2 LIMIT 1"),
            ),
        ],
        "title_types" => {
            vec![(Titles, query("SELECT 1 AS one FROM titles WHERE tenant = $1 AND title_type = $2 LIMIT 1"))]
        }
        "settlement_types" => vec![(
            Settlements,
            query("SELECT 1 AS one FROM settlements WHERE tenant = $1 AND settlement_type = $2 LIMIT 1"),
        )],
        "money_accounts" => vec![(
            LedgerAccounts,
            query("SELECT 1 AS one FROM ledger_accounts WHERE tenant = $1 AND reference = $2 AND kind = $3 LIMIT 1")
                .arg(LedgerAccountKind::Cash),
        )],
        "plan_prices" => vec![
            (Titles, query("SELECT 1 AS one FROM title_lines WHERE tenant = $1 AND plan_price = $2 LIMIT 1")),
            (
                ChargingRuns,
                query("SELECT 1 AS one FROM charging_run_lines WHERE tenant = $1 AND plan_price = $2 LIMIT 1"),
            ),
        ],
        "discounts" => vec![(
            Benefits,
            query("SELECT 1 AS one FROM benefit_discounts WHERE tenant = $1 AND discount = $2 LIMIT 1"),
        )],
        _ => Vec::new(),
    }
}
