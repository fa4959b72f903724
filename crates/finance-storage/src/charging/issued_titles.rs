//! Many titles at once, with their lines, benefits and bookings.

use crate::ledger::{AccountCodes, NewLedgerEntry};
use crate::price_origins::list_origin_values;
use crate::titles::StoredTitle;
use domain::finance::{ChargeLine, EntryLine, LedgerAccountKey, TitleSituation};
use domain::{BenefitCode, Date, GroupCode, LedgerAccountCode, LedgerEntryCode, Moment, TenantId, TitleCode};
use std::collections::BTreeMap;
use storage::{Error, SqlScalar, Statement, Tx, build_inserts, sql};

/// A title that is about to be written.
pub struct NewTitle {
    pub code: TitleCode,
    pub title: StoredTitle,
    pub lines: Vec<ChargeLine>,
    pub benefits: Vec<BenefitCode>,
}

const ROWS_PER_STATEMENT: usize = 100;

/// The statements that insert titles with their lines and benefits.
pub fn insert_titles(tenant: TenantId, titles: &[NewTitle]) -> Vec<Statement> {
    let head = "INSERT INTO titles (tenant, code, person, branch, protection_group, title_type, launch_kind,
         description, note, issued_on, due_on, original_due_on, effective_due_on, posted_on, instalment, instalments,
         fine, monthly_interest, shortfall, amount, open_amount, settled_total, settled_on, situation, cancelled_on,
         cancelled_because, issue_entry, user_code, version, created_at, updated_at, early_discount,
         early_discount_days, early_discount_nature, early_discount_until) VALUES";
    let rows = titles.iter().map(|one| build_title_row(tenant, one.code, &one.title));
    let mut statements = build_inserts(head, ROWS_PER_STATEMENT, rows);
    let benefits = titles.iter().flat_map(|one| {
        one.benefits
            .iter()
            .map(move |benefit| -> [SqlScalar; 3] { [tenant.into(), one.code.into(), (*benefit).into()] })
    });
    let head = "INSERT INTO title_benefits (tenant, title, benefit) VALUES";
    statements.extend(build_inserts(head, ROWS_PER_STATEMENT, benefits));
    let lines = titles.iter().flat_map(|one| {
        let numbered = (1_i64..).zip(&one.lines);
        numbered.map(move |(number, line)| -> [SqlScalar; 10] {
            let [price_origin, plan_price] = list_origin_values(line.price);
            [
                tenant.into(),
                one.code.into(),
                number.into(),
                line.item.into(),
                line.nature.into(),
                line.benefit.into(),
                line.amount.into(),
                line.description.as_deref().into(),
                price_origin,
                plan_price,
            ]
        })
    });
    let head =
        "INSERT INTO title_lines (tenant, title, line, charge_item, nature, benefit, amount, description,
         price_origin, plan_price) VALUES";
    statements.extend(build_inserts(head, ROWS_PER_STATEMENT, lines));
    statements
}

fn build_title_row(tenant: TenantId, code: TitleCode, title: &StoredTitle) -> [SqlScalar; 35] {
    [
        tenant.into(),
        code.into(),
        title.person.into(),
        title.branch.into(),
        title.group.into(),
        title.title_type.into(),
        title.launch_kind.into(),
        title.description.as_str().into(),
        title.note.as_deref().into(),
        title.issued_on.into(),
        title.due_on.into(),
        title.original_due_on.into(),
        title.effective_due_on.into(),
        title.posted_on.into(),
        title.instalment.into(),
        title.instalments.into(),
        title.rates.fine.into(),
        title.rates.interest.into(),
        title.shortfall.into(),
        title.amount.into(),
        title.open_amount.into(),
        title.settled_total.into(),
        title.settled_on.into(),
        title.situation.into(),
        title.cancelled_on.into(),
        title.cancelled_because.as_deref().into(),
        title.issue_entry.into(),
        title.user.into(),
        title.version.into(),
        title.created_at.into(),
        title.updated_at.into(),
        title.early_discount.rate.into(),
        title.early_discount.days.into(),
        title.early_discount.nature.into(),
        title.early_discount_until.into(),
    ]
}

/// The statements that insert entries with their lines.
pub fn insert_entries(
    tenant: TenantId,
    entries: &[NewLedgerEntry<'_>],
    accounts: &AccountCodes,
    now: Moment,
) -> Result<Vec<Statement>, Error> {
    let rows = entries.iter().map(|entry| -> [SqlScalar; 11] {
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
            now.into(),
        ]
    });
    let head =
        "INSERT INTO ledger_entries (tenant, code, protection_group, kind, booked_on, happened_on, title,
         settlement, reverses, user_code, created_at) VALUES";
    let mut statements = build_inserts(head, ROWS_PER_STATEMENT, rows);
    let mut lines: Vec<[SqlScalar; 7]> = Vec::new();
    for entry in entries {
        for (number, line) in (1_i64..).zip(entry.lines.lines()) {
            let unopened = || Error::Broken(format!("the account {:?} was not opened", line.account));
            let account = *accounts.get(&line.account).ok_or_else(unopened)?;
            lines.push(build_line_row(tenant, (entry.code, number), account, entry.booked_on, line));
        }
    }
    let head = "INSERT INTO ledger_lines (tenant, entry, line, account, booked_on, debit, credit) VALUES";
    statements.extend(build_inserts(head, ROWS_PER_STATEMENT, lines));
    Ok(statements)
}

fn build_line_row(
    tenant: TenantId,
    (entry, number): (LedgerEntryCode, i64),
    account: LedgerAccountCode,
    booked_on: Date,
    line: &EntryLine,
) -> [SqlScalar; 7] {
    [
        tenant.into(),
        entry.into(),
        number.into(),
        account.into(),
        booked_on.into(),
        line.debit.into(),
        line.credit.into(),
    ]
}

/// The lines of entries, as they were booked, with the codes of their accounts.
pub type BookedLines = BTreeMap<LedgerEntryCode, (GroupCode, Vec<EntryLine>)>;

/// The lines of these entries and the accounts that they name.
#[boxed::future]
pub async fn load_entries(
    tx: &mut Tx,
    tenant: TenantId,
    entries: impl IntoIterator<Item = LedgerEntryCode>,
) -> Result<(BookedLines, AccountCodes), Error> {
    let statement = sql(
        "SELECT l.entry, l.account, a.protection_group, a.kind, a.reference, l.debit, l.credit FROM ledger_lines l
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account WHERE l.tenant = $1",
    )
    .arg(tenant)
    .filter_in("l.entry", entries)
    .append_text("ORDER BY l.entry, l.line");
    let (mut booked, mut accounts) = (BookedLines::new(), AccountCodes::new());
    for row in &tx.fetch_all(statement).await? {
        let group: GroupCode = row.get("protection_group")?;
        let account = LedgerAccountKey { group, kind: row.get("kind")?, reference: row.get("reference")? };
        accounts.insert(account, row.get("account")?);
        let line = EntryLine { account, debit: row.get("debit")?, credit: row.get("credit")? };
        booked.entry(row.get("entry")?).or_insert_with(|| (group, Vec::new())).1.push(line);
    }
    Ok((booked, accounts))
}

/// Cancels titles that nothing was paid of.
pub fn cancel_titles(
    tenant: TenantId,
    titles: &[TitleCode],
    (cancelled_on, because): (Date, &str),
    now: Moment,
) -> Statement {
    sql("UPDATE titles SET open_amount = 0, situation = $2, cancelled_on = $3, cancelled_because = $4,
         version = version + 1, updated_at = $5 WHERE tenant = $1")
    .arg(tenant)
    .arg(TitleSituation::Cancelled)
    .arg(cancelled_on)
    .arg(because)
    .arg(now)
    .filter_in("code", titles.iter().copied())
}
