//! What holds of the books after anything whatever was done, read from the rows themselves.

use domain::finance::{LaunchKind, LedgerAccountKey, LedgerAccountKind, TitleSituation, derive_situation};
use domain::{GroupCode, TenantId};
use finance_storage::ledger::{sum_account, sum_groups};
use std::collections::BTreeMap;
use storage::{Db, QueryWeight, Row, sql};

async fn rows(db: &Db, tenant: TenantId, text: &'static str) -> Vec<Row> {
    db.query(QueryWeight::Search, sql(text).arg(tenant)).await.unwrap()
}

fn number(row: &Row, name: &'static str) -> i64 {
    row.get(name).unwrap()
}

fn text(row: &Row, name: &'static str) -> String {
    row.get(name).unwrap()
}

/// Group, kind and reference.
type Account = (i64, i64, i64);
/// Debits and credits by account.
type Sums = BTreeMap<Account, (i64, i64)>;

/// Whatever the books and titles of an association must always fulfil.
pub async fn check(db: &Db, tenant: TenantId, step: &str) {
    let sums = check_entries(db, tenant, step).await;
    let paid = check_titles(db, tenant, step).await;
    check_history(db, tenant, step).await;
    check_balances(db, tenant, &sums, &paid, step).await;
}

/// Each entry balances within one group, and a reversal is what it reverses, turned round. Replays all of them.
async fn check_entries(db: &Db, tenant: TenantId, step: &str) -> Sums {
    let lines = rows(
        db,
        tenant,
        "SELECT e.code, e.protection_group AS entry_group, e.booked_on AS entry_day, e.reverses, l.booked_on, l.debit,
         l.credit, a.protection_group, a.kind, a.reference FROM ledger_lines l
         JOIN ledger_entries e ON e.tenant = l.tenant AND e.code = l.entry
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account WHERE l.tenant = $1 ORDER BY e.code, l.line",
    )
    .await;
    let mut sums = Sums::new();
    let mut entries: BTreeMap<i64, Vec<(Account, i64)>> = BTreeMap::new();
    for line in &lines {
        assert_eq!(number(line, "entry_group"), number(line, "protection_group"), "{step}: one group");
        assert_eq!(text(line, "entry_day"), text(line, "booked_on"), "{step}: one day");
        let account = (number(line, "protection_group"), number(line, "kind"), number(line, "reference"));
        let (debit, credit) = (number(line, "debit"), number(line, "credit"));
        let sum = sums.entry(account).or_default();
        *sum = (sum.0 + debit, sum.1 + credit);
        entries.entry(number(line, "code")).or_default().push((account, debit - credit));
    }
    for (code, lines) in &entries {
        assert_eq!(lines.iter().map(|line| line.1).sum::<i64>(), 0, "{step}: entry {code} balances");
    }
    let reversals = "SELECT code, reverses FROM ledger_entries WHERE tenant = $1 AND reverses IS NOT NULL";
    for row in &rows(db, tenant, reversals).await {
        let mut turned: Vec<_> =
            entries[&number(row, "reverses")].iter().map(|(account, amount)| (*account, -amount)).collect();
        let mut reversal = entries[&number(row, "code")].clone();
        turned.sort_unstable();
        reversal.sort_unstable();
        assert_eq!(reversal, turned, "{step}");
    }
    let groups: Result<_, storage::Error> =
        db.read(tenant, |tx, tenant| Box::pin(sum_groups(tx, *tenant))).await;
    for (group, both) in groups.unwrap() {
        assert_eq!(both.debit, both.credit, "{step}: group {group}");
    }
    sums
}

/// What is open of titles by group and kind, the credit of people by group and person, and the money in accounts by group
/// and account.
#[derive(Default)]
struct Owed {
    open: BTreeMap<(i64, i64), i64>,
    credit: BTreeMap<(i64, i64), i64>,
    cash: BTreeMap<(i64, i64), i64>,
}

/// What stands in the books without a title: opening balances, and money received as credit or paid back.
async fn read_untitled(db: &Db, tenant: TenantId) -> Owed {
    let mut owed = Owed::default();
    let opening = "SELECT protection_group, kind, reference, amount FROM opening_balances WHERE tenant = $1";
    for balance in &rows(db, tenant, opening).await {
        let of_kind = if number(balance, "kind") == LedgerAccountKind::MemberCredit.number() {
            &mut owed.credit
        } else {
            &mut owed.cash
        };
        let owner = (number(balance, "protection_group"), number(balance, "reference"));
        *of_kind.entry(owner).or_default() += number(balance, "amount");
    }
    let receipts = "SELECT c.protection_group, c.person, c.money_account, c.amount FROM credit_receipts c
         WHERE c.tenant = $1 AND NOT EXISTS (SELECT 1 FROM credit_receipt_reversals r
             WHERE r.tenant = c.tenant AND r.receipt = c.code)";
    for receipt in &rows(db, tenant, receipts).await {
        let [group, person, account, amount] =
            ["protection_group", "person", "money_account", "amount"].map(|name| number(receipt, name));
        *owed.credit.entry((group, person)).or_default() += amount;
        *owed.cash.entry((group, account)).or_default() += amount;
    }
    owed
}

async fn check_titles(db: &Db, tenant: TenantId, step: &str) -> Owed {
    let settlements = rows(
        db,
        tenant,
        "SELECT s.title, s.principal, s.interest, s.fine, s.discount, s.total, s.credit, s.money_account, s.paid_on,
         CASE WHEN r.settlement IS NULL THEN 1 ELSE 0 END AS in_force,
         CASE WHEN EXISTS (SELECT 1 FROM ledger_lines l
             JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
             WHERE l.tenant = s.tenant AND l.entry = s.entry AND a.kind = 10) THEN 1 ELSE 0 END AS is_opening
         FROM settlements s
         LEFT JOIN settlement_reversals r ON r.tenant = s.tenant AND r.settlement = s.code WHERE s.tenant = $1",
    )
    .await;
    let titles = rows(
        db,
        tenant,
        "SELECT code, person, protection_group, launch_kind, amount, open_amount, settled_total, settled_on, situation,
         posted_on, cancelled_on, due_on, effective_due_on, issued_on FROM titles WHERE tenant = $1 ORDER BY code",
    )
    .await;
    let mut owed = read_untitled(db, tenant).await;
    for title in &titles {
        let code = number(title, "code");
        let of_title: Vec<&Row> = settlements
            .iter()
            .filter(|one| number(one, "title") == code && number(one, "in_force") == 1)
            .collect();
        let sum = |name: &'static str| of_title.iter().map(|one| number(one, name)).sum::<i64>();
        let at = format!("{step}: title {code}");
        for one in &of_title {
            let parts = number(one, "principal") + number(one, "interest") + number(one, "fine");
            assert_eq!(number(one, "total"), parts - number(one, "discount"), "{at}");
        }
        let [posted, cancelled, settled]: [Option<String>; 3] =
            ["posted_on", "cancelled_on", "settled_on"].map(|name| title.get(name).unwrap());
        let open = number(title, "open_amount");
        let wanted = if cancelled.is_some() { 0 } else { number(title, "amount") - sum("principal") };
        assert_eq!(open, wanted, "{at}: what is open");
        assert!(open >= 0, "{at}");
        assert_eq!(number(title, "settled_total"), sum("total"), "{at}: what was settled");
        assert_eq!(settled, of_title.iter().map(|one| text(one, "paid_on")).max(), "{at}");
        let derived = derive_situation(posted.is_some(), cancelled.is_some(), open, !of_title.is_empty());
        assert_eq!(TitleSituation::from_number(number(title, "situation")), Some(derived), "{at}");
        assert!(text(title, "effective_due_on") >= text(title, "due_on"), "{at}");
        assert!(text(title, "due_on") >= text(title, "issued_on"), "{at}");
        let group = number(title, "protection_group");
        if derived == TitleSituation::Open {
            *owed.open.entry((group, number(title, "launch_kind"))).or_default() += open;
        }
        let of_credit =
            of_title.iter().filter(|one| one.get::<Option<i64>>("money_account").unwrap().is_none());
        let used: i64 = of_credit.map(|one| number(one, "total")).sum();
        *owed.credit.entry((group, number(title, "person"))).or_default() += sum("credit") - used;
        let is_debit = number(title, "launch_kind") == LaunchKind::Debit.number();
        for one in of_title.iter().filter(|one| number(one, "is_opening") == 0) {
            if let Some(account) = one.get::<Option<i64>>("money_account").unwrap() {
                let paid = number(one, "total") + number(one, "credit");
                *owed.cash.entry((group, account)).or_default() += if is_debit { -paid } else { paid };
            }
        }
    }
    owed
}

/// The history has no gaps, and its last row of a title says what the title is.
async fn check_history(db: &Db, tenant: TenantId, step: &str) {
    let all = rows(db, tenant, "SELECT code FROM history WHERE tenant = $1 ORDER BY code").await;
    for (expected, row) in (1..).zip(&all) {
        assert_eq!(number(row, "code"), expected, "{step}: the history has no gaps");
    }
    let last = "SELECT t.code, t.situation, h.to_situation FROM titles t
         LEFT JOIN history h ON h.tenant = t.tenant AND h.code = (SELECT MAX(g.code) FROM history g
             WHERE g.tenant = t.tenant AND g.entity = 6 AND g.record = t.code) WHERE t.tenant = $1";
    for row in &rows(db, tenant, last).await {
        let told: Option<i64> = row.get("to_situation").unwrap();
        assert_eq!(told, Some(number(row, "situation")), "{step}: title {}", number(row, "code"));
    }
}

/// The accounts say what titles and settlements say, and their checkpoints what all their entries say.
async fn check_balances(db: &Db, tenant: TenantId, sums: &Sums, owed: &Owed, step: &str) {
    let balance = |group: i64, kind: LedgerAccountKind, reference: Option<i64>| -> i64 {
        let of_kind = sums.iter().filter(|((one, its, _), _)| (*one, *its) == (group, kind.number()));
        let named = of_kind.filter(|((_, _, its), _)| reference.is_none_or(|wanted| wanted == *its));
        named.map(|(_, (debit, credit))| debit - credit).sum()
    };
    for group in sums.keys().map(|account| account.0).collect::<std::collections::BTreeSet<_>>() {
        let open = |kind: LaunchKind| owed.open.get(&(group, kind.number())).copied().unwrap_or_default();
        let receivable = balance(group, LedgerAccountKind::Receivable, None);
        assert_eq!(receivable, open(LaunchKind::Credit), "{step}: receivable of group {group}");
        let payable = -balance(group, LedgerAccountKind::Payable, None);
        assert_eq!(payable, open(LaunchKind::Debit), "{step}: payable of group {group}");
    }
    for ((group, person), credit) in &owed.credit {
        let booked = -balance(*group, LedgerAccountKind::MemberCredit, Some(*person));
        assert!(booked >= 0, "{step}: credit of person {person} in group {group}");
        assert_eq!(booked, *credit, "{step}: credit of person {person} in group {group}");
    }
    for (group, account) in owed.cash.keys().copied().chain(list_used_accounts(sums)) {
        let held = balance(group, LedgerAccountKind::Cash, Some(account));
        let wanted = owed.cash.get(&(group, account)).copied().unwrap_or_default();
        assert_eq!(held, wanted, "{step}: money of group {group} in account {account}");
    }
    for ((group, kind, reference), (debit, credit)) in sums {
        let key = LedgerAccountKey {
            group: GroupCode::new(i32::try_from(*group).unwrap()),
            kind: LedgerAccountKind::from_number(*kind).unwrap(),
            reference: *reference,
        };
        let told: Result<_, storage::Error> =
            db.read((tenant, key), |tx, (tenant, key)| Box::pin(sum_account(tx, *tenant, *key))).await;
        let told = told.unwrap();
        assert_eq!((told.debit, told.credit), (*debit, *credit), "{step}: {key:?}");
    }
}

/// Group and account of the money accounts that were ever booked on.
fn list_used_accounts(sums: &Sums) -> impl Iterator<Item = (i64, i64)> {
    let of_money = sums.keys().filter(|(_, kind, _)| *kind == LedgerAccountKind::Cash.number());
    of_money.map(|(group, _, account)| (*group, *account))
}

/// Every entry booked before a day, with its lines, as text.
pub async fn entries_before(db: &Db, tenant: TenantId, day: &str) -> Vec<String> {
    let lines = rows(
        db,
        tenant,
        "SELECT e.code, e.kind, e.booked_on, e.happened_on, e.title, e.created_at, l.line, l.account, l.debit, l.credit
         FROM ledger_entries e JOIN ledger_lines l ON l.tenant = e.tenant AND l.entry = e.code WHERE e.tenant = $1
         ORDER BY e.code, l.line",
    )
    .await;
    let numbers = ["code", "kind", "title", "created_at", "line", "account", "debit", "credit"];
    let written = lines.iter().filter(|line| text(line, "booked_on").as_str() < day).map(|line| {
        let numbers = numbers.map(|name| number(line, name));
        format!("{} {} {numbers:?}", text(line, "booked_on"), text(line, "happened_on"))
    });
    written.collect()
}
