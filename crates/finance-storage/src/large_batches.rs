//! Entries of several days, settlements and reversals in statements of many rows, for whoever writes thousands at once.
//! For titles, see `charging::issued_titles`.

use crate::charging::runs::ChargingTotalCounts;
use crate::ledger::{AccountCodes, NewLedgerEntry};
use crate::settlements::{ReversalRecord, StoredSettlement};
use domain::{ChargingRunCode, Moment, SettlementCode, TenantId};
use storage::{Error, SqlScalar, Statement, build_inserts, sql};

const SETTLEMENTS_PER_STATEMENT: usize = 32;
const ROWS_PER_STATEMENT: usize = 128;

/// Entries with their lines, each with its time.
pub fn insert_entries(
    tenant: TenantId,
    entries: &[(NewLedgerEntry<'_>, Moment)],
    accounts: &AccountCodes,
) -> Result<Vec<Statement>, Error> {
    let heads = entries.iter().map(|(entry, created_at)| -> [SqlScalar; 11] {
        [
            tenant.into(),
            entry.code.into(),
            entry.lines.group().into(),
            entry.kind.into(),
            entry.booked_on.into(),
            entry.happened_on.into(),
            entry.title.into(),
            entry.settlement.into(),
            entry.reverses.into(),
            entry.user.into(),
            (*created_at).into(),
        ]
    });
    let mut rows: Vec<[SqlScalar; 7]> = Vec::new();
    for (entry, _) in entries {
        for (number, line) in (1_i64..).zip(entry.lines.lines()) {
            let unopened = || Error::Broken(format!("the account {:?} was not opened", line.account));
            rows.push([
                tenant.into(),
                entry.code.into(),
                number.into(),
                (*accounts.get(&line.account).ok_or_else(unopened)?).into(),
                entry.booked_on.into(),
                line.debit.into(),
                line.credit.into(),
            ]);
        }
    }
    let head =
        "INSERT INTO ledger_entries (tenant, code, protection_group, kind, booked_on, happened_on, title,
         settlement, reverses, user_code, created_at) VALUES";
    let mut statements = build_inserts(head, ROWS_PER_STATEMENT, heads);
    let head = "INSERT INTO ledger_lines (tenant, entry, line, account, booked_on, debit, credit) VALUES";
    statements.extend(build_inserts(head, ROWS_PER_STATEMENT, rows));
    Ok(statements)
}

pub fn insert_settlements<'s>(
    tenant: TenantId,
    settlements: impl IntoIterator<Item = &'s StoredSettlement>,
) -> Vec<Statement> {
    let rows = settlements.into_iter().map(|one| -> [SqlScalar; 19] {
        [
            tenant.into(),
            one.code.into(),
            one.title.into(),
            one.money.map(|(settlement_type, _)| settlement_type).into(),
            one.money.map(|(_, account)| account).into(),
            one.paid_on.into(),
            one.credited_on.into(),
            one.booked_on.into(),
            one.principal.into(),
            one.interest.into(),
            one.fine.into(),
            one.discount.into(),
            one.total.into(),
            one.credit.into(),
            one.late_charges_left.into(),
            one.note.as_deref().into(),
            one.entry.into(),
            one.user.into(),
            one.created_at.into(),
        ]
    });
    let head = "INSERT INTO settlements (tenant, code, title, settlement_type, money_account, paid_on, credited_on,
         booked_on, principal, interest, fine, discount, total, credit, late_charges_left, note, entry, user_code,
         created_at) VALUES";
    build_inserts(head, SETTLEMENTS_PER_STATEMENT, rows)
}

pub fn insert_reversals<'s>(
    tenant: TenantId,
    reversals: impl IntoIterator<Item = (SettlementCode, &'s ReversalRecord)>,
) -> Vec<Statement> {
    let rows = reversals.into_iter().map(|(settlement, one)| -> [SqlScalar; 7] {
        [
            tenant.into(),
            settlement.into(),
            one.booked_on.into(),
            one.reason.as_str().into(),
            one.entry.into(),
            one.user.into(),
            one.created_at.into(),
        ]
    });
    let head = "INSERT INTO settlement_reversals (tenant, settlement, booked_on, reason, entry, user_code, created_at)
         VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// Adds to what a run came to.
pub fn add_run_counts(tenant: TenantId, run: ChargingRunCode, more: &ChargingTotalCounts) -> Statement {
    sql("UPDATE charging_runs SET benefits = benefits + $3, charged = charged + $4,
         charged_amount = charged_amount + $5, titles = titles + $6, titles_amount = titles_amount + $7
         WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(run)
    .arg(more.benefits)
    .arg(more.charged)
    .arg(more.charged_amount)
    .arg(more.titles)
    .arg(more.titles_amount)
}
