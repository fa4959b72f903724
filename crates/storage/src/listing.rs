//! The rows of the searches. Each member has one until his first benefit takes it over; each further benefit takes a new
//! one. A row's slot only grows and is never given twice, so that new rows append and no page shifts. The tally counts the
//! rows of each branch and situation in blocks of slots: totals and the starts of pages come from it, without counting.

use crate::counters::{self, Counter};
use crate::statement::inserts;
use crate::{Error, Statement, Tx, Value, sql};
use domain::{BranchCode, PersonCode, SellerCode, TenantId};
use std::collections::BTreeMap;

/// Slots in one block of the tally.
pub const BLOCK: i32 = 1000;
/// The tally over slots, for the member search.
const BY_SLOT: i32 = 1;
/// The situation of a row without a benefit, in the tally.
const NO_SITUATION: i32 = 0;

/// A member's own part of his rows. Days are `yyyy-MM-dd`, in the base's time zone.
#[derive(Clone, Debug)]
pub struct MemberRow<'m> {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub document: &'m str,
    pub company_document: Option<&'m str>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub state: Option<&'m str>,
    pub born_on: Option<&'m str>,
    pub registered_on: &'m str,
    pub updated_on: &'m str,
}

/// The row of a new member, without a benefit.
pub async fn add_member(tx: &mut Tx, tenant: TenantId, row: &MemberRow<'_>) -> Result<(), Error> {
    add_members(tx, tenant, std::slice::from_ref(row)).await
}

/// How many rows travel in one statement.
const ROWS: usize = 200;

/// The rows of many new members, in their order.
pub async fn add_members(tx: &mut Tx, tenant: TenantId, rows: &[MemberRow<'_>]) -> Result<(), Error> {
    let Ok(count) = i32::try_from(rows.len()) else {
        return Err(Error::Broken("too many rows at once".to_owned()));
    };
    let first = counters::take(tx, tenant, Counter::Slot, count).await?;
    let values = (first..).zip(rows).map(|(slot, row)| -> [Value; 12] {
        [
            tenant.into(),
            slot.into(),
            row.branch.into(),
            row.person.into(),
            row.document.into(),
            row.company_document.into(),
            row.consultant.into(),
            row.representative.into(),
            row.state.into(),
            row.born_on.into(),
            row.registered_on.into(),
            row.updated_on.into(),
        ]
    });
    let mut counts: BTreeMap<(BranchCode, i32), i32> = BTreeMap::new();
    for (slot, row) in (first..).zip(rows) {
        *counts.entry((row.branch, slot / BLOCK)).or_default() += 1;
    }
    let mut statements = inserts(INSERT, ROWS, values);
    statements.extend(
        counts.into_iter().map(|((branch, block), count)| tally(tenant, branch, block * BLOCK, count)),
    );
    tx.batch(statements).await
}

const INSERT: &str =
    "INSERT INTO listing (tenant, slot, branch, person, document, company_document, consultant,
             representative, state, born_on, registered_on, updated_on) VALUES";

/// Brings a member's row up to date, in whatever branch he is now.
pub async fn change_member(
    tx: &mut Tx,
    tenant: TenantId,
    before: BranchCode,
    row: &MemberRow<'_>,
) -> Result<(), Error> {
    let update = sql("UPDATE listing SET branch = $3, document = $4, company_document = $5, consultant = $6,
             representative = $7, state = $8, born_on = $9, registered_on = $10, updated_on = $11
         WHERE tenant = $1 AND person = $2 AND benefit IS NULL RETURNING slot")
    .arg(tenant)
    .arg(row.person)
    .arg(row.branch)
    .arg(row.document)
    .arg(row.company_document)
    .arg(row.consultant)
    .arg(row.representative)
    .arg(row.state)
    .arg(row.born_on)
    .arg(row.registered_on)
    .arg(row.updated_on);
    let slot: Option<i32> = tx.one(update).await?.map(|row| row.get("slot")).transpose()?;
    match slot.filter(|_| before != row.branch) {
        Some(slot) => {
            tx.batch(vec![tally(tenant, before, slot, -1), tally(tenant, row.branch, slot, 1)]).await
        }
        None => Ok(()),
    }
}

fn tally(tenant: TenantId, branch: BranchCode, slot: i32, by: i32) -> Statement {
    sql("INSERT INTO listing_tally (tenant, ordering, branch, situation, block, rows) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant, ordering, branch, situation, block) DO UPDATE SET rows = listing_tally.rows + excluded.rows")
    .arg(tenant)
    .arg(BY_SLOT)
    .arg(branch)
    .arg(NO_SITUATION)
    .arg(slot / BLOCK)
    .arg(by)
}
