//! Rows of money: registers, a title with its settlement and reversal, and the books of all that. The registers take
//! codes from 101, so that they stand beside those that an association is born with.

use domain::TenantId;
use storage::{Db, Statement, WriteLane, sql};

/// The tables whose rows the database itself refuses to change or delete.
pub const APPEND_ONLY: [&str; 13] = [
    "ledger_accounts",
    "ledger_entries",
    "ledger_lines",
    "period_changes",
    "ledger_checkpoints",
    "title_lines",
    "title_benefits",
    "settlements",
    "settlement_reversals",
    "credit_receipts",
    "credit_receipt_reversals",
    "pix_codes",
    "slips",
];

/// Whose title it is: codes that the tenant has.
#[derive(Clone, Copy)]
pub struct Debtor {
    pub branch: i32,
    pub person: i32,
    pub benefit: i32,
}

/// Inserts at least one row into each table of money. `entries` is at least 3: the first books the title, the second
/// its settlement, and the last reverses the second.
pub async fn insert_money_rows(db: &Db, tenant: TenantId, debtor: Debtor, entries: i64) {
    let statements = build_statements(tenant, debtor, entries);
    let unit = db.write(WriteLane::foreground(tenant), statements, |tx, statements| {
        Box::pin(tx.execute_batch(statements.clone()))
    });
    let done: Result<(), storage::Error> = unit.await;
    done.unwrap();
}

fn build_statements(tenant: TenantId, debtor: Debtor, entries: i64) -> Vec<Statement> {
    let Debtor { branch, person, benefit } = debtor;
    let insert = |columns: &str, values: String| {
        let rows = values.replace("(tenant", &format!("({tenant}"));
        sql("INSERT INTO").append_text(&format!("{columns} VALUES {rows}"))
    };
    // Active, version, created_at, updated_at.
    let tail = "TRUE, 1, 1000, 2000";
    let register = "active, version, created_at, updated_at";
    let mut statements = vec![
        insert(
            &format!("protection_groups (tenant, code, name, {register})"),
            format!("(tenant, 101, 'Grupo de caminhões', {tail})"),
        ),
        insert(
            &format!("charge_items (tenant, code, name, kind, nature, {register})"),
            format!("(tenant, 101, 'Proteção de vidros', 3, 1, {tail})"),
        ),
        insert(
            &format!("late_charge_rules (tenant, code, name, fine, monthly_interest, shortfall, {register})"),
            format!("(tenant, 101, 'Só multa', 200, 0, 2, {tail})"),
        ),
        insert(
            &format!("title_types (tenant, code, name, launch_kind, charge_item, late_charge_rule, {register})"),
            format!("(tenant, 101, 'Avulso', 1, 101, 101, {tail}), (tenant, 102, 'Conta', 2, 101, NULL, {tail})"),
        ),
        insert(
            &format!("payment_forms (tenant, code, name, {register})"),
            format!("(tenant, 101, 'Cheque', {tail})"),
        ),
        insert(
            &format!(
                "money_accounts (tenant, code, name, kind, bank, agency, account_number, protection_group, pix_key,
                 pix_name, pix_city, pix_sends_txid, {register})"
            ),
            format!(
                "(tenant, 101, 'Conta do grupo', 1, '001', '1234-5', '99-X', 101, 'pix@grupo.example',
                 'Associação', 'Goiânia', FALSE, {tail})"
            ),
        ),
        insert(
            &format!("settlement_types (tenant, code, name, money_account, {register})"),
            format!("(tenant, 101, 'Depósito', 101, {tail})"),
        ),
        insert(
            &format!("bank_holidays (tenant, code, day, name, {register})"),
            format!("(tenant, 101, '2026-10-24', 'Aniversário da cidade', {tail})"),
        ),
        insert(
            &format!(
                "plan_prices (tenant, code, plan, valid_from, branch, vehicle_type, value_from, value_until, price, {register})"
            ),
            format!("(tenant, 101, 1, '2026-10-01', {branch}, NULL, 0, 5000000, 9990, {tail})"),
        ),
        insert(
            &format!("discounts (tenant, code, name, percentage, amount, nature, plan, {register})"),
            format!("(tenant, 101, 'Cortesia', 1000, NULL, 3, 1, {tail})"),
        ),
        insert(
            "benefit_discounts (tenant, code, benefit, discount, from_month, until_month, reason, user_code, created_at,
             ended_because, ended_by, ended_at)",
            format!(
                "(tenant, 101, {benefit}, 101, '2026-10', '2026-12', 'Indicou', 1, 1000, 'Acabou', 1, 2000)"
            ),
        ),
        insert(
            &format!(
                "charging_rules (tenant, code, name, protection_group, cut_off_day, is_joining_prorated, title_type,
                 charge_item, minimum_bank_days, preparation_day, {register})"
            ),
            format!("(tenant, 101, 'Do grupo', 101, 20, TRUE, 101, 101, 3, 26, {tail})"),
        ),
        insert(
            "titles (tenant, code, person, branch, protection_group, title_type, launch_kind, description, note,
             issued_on, due_on, original_due_on, effective_due_on, posted_on, instalment, instalments, fine,
             monthly_interest, shortfall, amount, open_amount, settled_total, settled_on, situation, issue_entry,
             version, created_at, updated_at)",
            format!(
                "(tenant, 1, {person}, {branch}, 101, 101, 1, 'Vidros', 'à vista', '2026-10-01', '2026-10-10',
                 '2026-10-10', '2026-10-13', '2026-10-01', 1, 1, 200, 0, 2, 10120, 10120, 0, NULL, 2, 1, 3, 1000, 2000)"
            ),
        ),
        insert("title_benefits (tenant, title, benefit)", format!("(tenant, 1, {benefit})")),
        insert(
            "title_lines (tenant, title, line, charge_item, nature, benefit, amount, description, price_origin,
             plan_price)",
            format!(
                "(tenant, 1, 1, 101, 1, {benefit}, 10620, 'Vidros', 2, 101),
                 (tenant, 1, 2, 101, 1, NULL, -500, 'Desconto', NULL, NULL)"
            ),
        ),
        insert(
            "ledger_accounts (tenant, code, protection_group, kind, reference)",
            format!("(tenant, 1, 101, 1, {person}), (tenant, 2, 101, 3, 101), (tenant, 3, 101, 2, 101)"),
        ),
    ];
    let entry = |code: i64| {
        let (settlement, reverses) = match code {
            2 => ("101", "NULL"),
            last if last == entries => ("101", "2"),
            _ => ("NULL", "NULL"),
        };
        format!(
            "(tenant, {code}, 101, 1, '2026-10-14', '2026-10-13', 1, {settlement}, {reverses}, NULL, {})",
            1000 + code
        )
    };
    let lines = |code: i64| {
        let (debit, credit) = match code {
            2 => (3, 1),
            last if last == entries => (1, 3),
            _ => (1, 2),
        };
        format!(
            "(tenant, {code}, 1, {debit}, '2026-10-14', 10120, 0), (tenant, {code}, 2, {credit}, '2026-10-14', 0, 10120)"
        )
    };
    let join = |row: &dyn Fn(i64) -> String| (1..=entries).map(row).collect::<Vec<_>>().join(", ");
    statements.extend([
        insert(
            "ledger_entries (tenant, code, protection_group, kind, booked_on, happened_on, title, settlement, reverses,
             user_code, created_at)",
            join(&entry),
        ),
        insert("ledger_lines (tenant, entry, line, account, booked_on, debit, credit)", join(&lines)),
        insert(
            "settlements (tenant, code, title, settlement_type, money_account, paid_on, credited_on, booked_on,
             principal, interest, fine, discount, total, credit, late_charges_left, note, entry, user_code, created_at)",
            "(tenant, 101, 1, 101, 101, '2026-10-13', '2026-10-14', '2026-10-14', 10120, 0, 0, 0, 10120, 0, 0,
             'no balcão', 2, 1, 1002)"
                .to_owned(),
        ),
        insert(
            "pending_charges (tenant, code, person, benefit, branch, protection_group, charge_item, amount, description,
             source, settlement, situation, title, user_code, version, created_at, updated_at)",
            format!(
                "(tenant, 1, {person}, {benefit}, {branch}, 101, 101, 259, 'Multa', 2, 101, 2, 1, 1, 1, 1003, 1003)"
            ),
        ),
        insert(
            "settlement_reversals (tenant, settlement, booked_on, reason, entry, user_code, created_at)",
            format!("(tenant, 101, '2026-10-15', 'cheque sem fundos', {entries}, 1, 1003)"),
        ),
        insert(
            "credit_receipts (tenant, code, person, branch, protection_group, amount, settlement_type, money_account,
             paid_on, booked_on, title, note, entry, user_code, created_at)",
            format!(
                "(tenant, 101, {person}, {branch}, 101, 10120, 101, 101, '2026-10-13', '2026-10-14', 1,
                 'pago de novo', 3, 1, 1004)"
            ),
        ),
        insert(
            "credit_receipt_reversals (tenant, receipt, booked_on, reason, entry, user_code, created_at)",
            format!("(tenant, 101, '2026-10-15', 'não era dele', {entries}, 1, 1005)"),
        ),
        insert(
            "pix_codes (tenant, txid, title, number, money_account, pix_key, content, amount, expires_at, user_code,
             created_at)",
            "(tenant, 'B7T1N1', 1, 1, 101, 'pix@grupo.example', '000201', 10120, 2000, 1, 1005)".to_owned(),
        ),
        insert(
            "slips (tenant, code, title, number, money_account, sequence, our_number, barcode, issued_on, due_on, amount,
             user_code, created_at)",
            "(tenant, 1, 1, 1, 101, 1, '0777700168', '00191165600000101200000001238798077770016818', '2026-10-01',
              '2026-12-10', 10120, 1, 1005)"
                .to_owned(),
        ),
        insert(
            "imported_titles (tenant, external_key, title, is_given)",
            "(tenant, 'BOL-000123', 1, TRUE)".to_owned(),
        ),
        insert(
            "charging_runs (tenant, code, month, branch, instalments, state, prepared_on, issued_on, benefits, charged,
             charged_amount, titles, titles_amount, user_code, approved_by, approved_at, created_at, updated_at)",
            format!(
                "(tenant, 1, '2026-10', {branch}, 1, 4, '2026-09-25', '2026-10-01', 1, 1, 10120, 1, 10120, 1, 1, 1001,
                 1000, 1002)"
            ),
        ),
        insert(
            "charging_run_benefits (tenant, run, benefit, benefit_version, person, branch, protection_group, due_day,
             due_on, amount, title)",
            format!("(tenant, 1, {benefit}, 1, {person}, {branch}, 101, 10, '2026-10-10', 10120, 1)"),
        ),
        insert(
            "charging_run_lines (tenant, run, benefit, instalment, line, charge_item, nature, source, price_origin,
             plan_price, amount, description)",
            format!("(tenant, 1, {benefit}, 1, 1, 101, 1, 1, 2, 101, 10120, 'Vidros')"),
        ),
        insert("charging_run_titles (tenant, run, title, outcome)", "(tenant, 1, 1, 1)".to_owned()),
        insert(
            "charged_months (tenant, benefit, month, title, run, is_booklet)",
            format!("(tenant, {benefit}, '2026-10', 1, 1, FALSE)"),
        ),
        insert("title_revisions (tenant, benefit, created_at)", format!("(tenant, {benefit}, 1006)")),
        insert(
            "opening_balances (tenant, entry, protection_group, kind, reference, amount, happened_on)",
            "(tenant, 3, 101, 2, 101, 10120, '2026-10-13')".to_owned(),
        ),
        insert(
            "period_changes (tenant, number, is_closing, closed_through, reason, user_code, changed_at)",
            "(tenant, 1, TRUE, '2026-10', NULL, 1, 1004), (tenant, 2, FALSE, NULL, 'faltou uma nota', 1, 1005)"
                .to_owned(),
        ),
        insert(
            "ledger_checkpoints (tenant, period_change, account, debit, credit)",
            format!("(tenant, 1, 1, {sum}, 10120), (tenant, 1, 3, 10120, 10120)", sum = 10120 * (entries - 1)),
        ),
    ]);
    statements
}
