//! The money of the demonstration obeys the rules that hold for every title.

use bank_formats::SlipBarcode;
use demo::DemoLoadOptions;
use domain::{Date, LinkToken, TenantId};
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::{Db, QueryWeight, sql};
use testkit::{Database, StillClock, app_on, books, both_engines};

const HERE: TenantId = TenantId::new(1);
/// The day of the clock in tests.
const TODAY: &str = "2026-11-14";

async fn count(db: &Db, text: &'static str) -> i64 {
    let rows = db.query(QueryWeight::Search, sql(text)).await.unwrap();
    rows[0].get("it").unwrap()
}

async fn load(database: &Database, members: u32) -> Db {
    let app = app_on(database.open().await, Arc::new(StillClock::default()), 1);
    let wanted = DemoLoadOptions { members, seed: 1, password: demo::PASSWORD.to_owned(), months: Some(18) };
    demo::load_demo(&app, &wanted, &mut |_| {}).await.unwrap();
    app.db.clone()
}

#[both_engines]
async fn the_money_of_a_demo_obeys_every_rule(database: Database) {
    let db = load(&database, 160).await;
    books::check(&db, HERE, "demo").await;

    // Amounts are the sums of the lines, and every monthly title is of one person, group, branch, due day and month.
    let uneven =
        "SELECT COUNT(*) AS it FROM titles t WHERE t.amount <> (SELECT SUM(l.amount) FROM title_lines l
         WHERE l.tenant = t.tenant AND l.title = t.code)";
    assert_eq!(count(&db, uneven).await, 0);
    let twice = "SELECT COUNT(*) AS it FROM (SELECT tb.benefit, t.due_on FROM title_benefits tb
         JOIN titles t ON t.tenant = tb.tenant AND t.code = tb.title GROUP BY tb.benefit, t.due_on HAVING COUNT(*) > 1) d";
    assert_eq!(count(&db, twice).await, 0);
    let split = "SELECT COUNT(*) AS it FROM (SELECT person, protection_group, branch, due_on FROM titles
         WHERE launch_kind = 1 GROUP BY person, protection_group, branch, due_on HAVING COUNT(*) > 1) d";
    assert_eq!(count(&db, split).await, 0);
    let of_others = "SELECT COUNT(*) AS it FROM title_benefits tb JOIN titles t ON t.tenant = tb.tenant AND t.code = tb.title
         JOIN benefits b ON b.tenant = tb.tenant AND b.code = tb.benefit
         WHERE b.person <> t.person OR b.branch <> t.branch";
    assert_eq!(count(&db, of_others).await, 0);

    // Nothing happens tomorrow, and no codes are left out.
    let rows = db
        .query(
            QueryWeight::Search,
            sql("SELECT (SELECT MAX(booked_on) FROM ledger_entries) AS booked,
                 (SELECT MIN(due_on) FROM titles WHERE launch_kind = 1) AS first_due,
                 (SELECT MAX(due_on) FROM titles WHERE launch_kind = 1) AS last_due"),
        )
        .await
        .unwrap();
    let [booked, first_due, last_due] =
        ["booked", "first_due", "last_due"].map(|name| rows[0].get::<String>(name).unwrap());
    assert!(booked.as_str() <= TODAY);
    assert_eq!((&first_due[..7], &last_due[..7]), ("2025-06", "2026-11"));
    for (table, kind) in [
        ("titles", "title"),
        ("settlements", "settlement"),
        ("credit_receipts", "credit_receipt"),
        ("ledger_entries", "ledger_entry"),
        ("slips", "slip"),
    ] {
        let text = format!(
            "SELECT COUNT(*) AS it FROM counters WHERE kind = '{kind}'
             AND last <> (SELECT COUNT(*) FROM {table} WHERE code > 0)"
        );
        let rows = db.query(QueryWeight::Search, sql("").append_text(&text)).await.unwrap();
        assert_eq!(rows[0].get::<i64>("it").unwrap(), 0, "{table}");
    }

    // The months that titles in force charge are claimed, by one issued run for each month.
    let unclaimed = "SELECT COUNT(*) AS it FROM title_benefits tb
         JOIN titles t ON t.tenant = tb.tenant AND t.code = tb.title AND t.situation <> 4
         WHERE NOT EXISTS (SELECT 1 FROM charged_months m WHERE m.tenant = tb.tenant AND m.benefit = tb.benefit
             AND m.title = tb.title AND t.due_on LIKE m.month || '%')";
    assert_eq!(count(&db, unclaimed).await, 0);
    assert_eq!(count(&db, "SELECT COUNT(*) AS it FROM charging_runs WHERE state = 4").await, 18);
    let miscounted = "SELECT COUNT(*) AS it FROM charging_runs r WHERE titles <> (SELECT COUNT(*)
         FROM charging_run_titles t WHERE t.tenant = r.tenant AND t.run = r.code)";
    assert_eq!(count(&db, miscounted).await, 0);

    check_checkpoints(&db).await;
    check_slips(&db).await;
    db.close().await;
}

/// Every title of the last two months that is open has a slip of the account's bank, which asks for all of it on its due day
/// and opens by a link; nothing else has one.
async fn check_slips(db: &Db) {
    let collected = "t.launch_kind = 1 AND t.situation = 2 AND t.due_on >= '2026-10-01'";
    let joined = "LEFT JOIN slips s ON s.tenant = t.tenant AND s.title = t.code";
    for text in [
        format!("SELECT COUNT(*) AS it FROM titles t {joined} WHERE {collected} AND s.code IS NULL"),
        format!(
            "SELECT COUNT(*) AS it FROM titles t {joined} WHERE NOT ({collected}) AND s.code IS NOT NULL"
        ),
        "SELECT COUNT(*) AS it FROM document_links".to_owned()
            + " k LEFT JOIN slips s ON s.tenant = k.tenant AND s.code = k.subject WHERE s.code IS NULL",
    ] {
        let rows = db.query(QueryWeight::Search, sql("").append_text(&text)).await.unwrap();
        assert_eq!(rows[0].get::<i64>("it").unwrap(), 0, "{text}");
    }
    let slips = "SELECT s.sequence, s.code, s.barcode, s.our_number, s.amount, s.due_on, s.issued_on, t.amount AS whole,
         t.due_on AS title_due_on, t.issued_on AS title_issued_on, k.person, t.person AS debtor, k.token
         FROM slips s JOIN titles t ON t.tenant = s.tenant AND t.code = s.title
         JOIN document_links k ON k.tenant = s.tenant AND k.subject = s.code AND k.purpose = 1
         WHERE s.number = 1 AND s.money_account = 2 ORDER BY s.code";
    let rows = db.query(QueryWeight::Search, sql(slips)).await.unwrap();
    assert_eq!(rows.len() as i64, count(db, "SELECT COUNT(*) AS it FROM slips").await);
    assert_eq!(rows.len() as i64, count(db, "SELECT COUNT(*) AS it FROM document_links").await);
    let is_overdue = |row: &&storage::Row| row.get::<String>("due_on").unwrap().as_str() < TODAY;
    let overdue = rows.iter().filter(is_overdue).count();
    assert!(overdue > 5 && rows.len() - overdue > 5, "{overdue} of {}", rows.len());
    for (number, row) in (1_i64..).zip(&rows) {
        let [sequence, code] = ["sequence", "code"].map(|name| row.get::<i64>(name).unwrap());
        assert_eq!((sequence, code), (number, number));
        let text = |name| row.get::<String>(name).unwrap();
        let [due_on, issued_on] = ["due_on", "issued_on"].map(text);
        assert_eq!([&due_on, &issued_on], [&text("title_due_on"), &text("title_issued_on")]);
        let barcode = SlipBarcode::parse(&text("barcode")).unwrap();
        let line = SlipBarcode::parse_typed_line(&barcode.typed_line()).unwrap();
        assert_eq!((line.as_str(), line.bank_number()), (text("barcode").as_str(), 756));
        let amount: i64 = row.get("amount").unwrap();
        assert_eq!(amount, row.get::<i64>("whole").unwrap());
        assert_eq!(line.amount().cents(), amount);
        let today = Date::parse(TODAY).unwrap();
        assert_eq!(line.due_on(today), Some(Date::parse(&due_on).unwrap()));
        assert_eq!(row.get::<i64>("person").unwrap(), row.get::<i64>("debtor").unwrap());
        assert!(LinkToken::parse(&text("token")).is_some());
    }
}

/// The same seed makes the same slips, opened by the same links.
#[testkit::test]
async fn slips_of_a_demo_repeat_themselves() {
    let mut made = Vec::new();
    for _ in 0..2 {
        let database = Database::fresh(testkit::Engine::Sqlite).await;
        let db = load(&database, 40).await;
        let text = "SELECT s.title, s.barcode, s.created_at, k.token, k.expires_at FROM slips s
             JOIN document_links k ON k.tenant = s.tenant AND k.subject = s.code ORDER BY s.code";
        let rows = db.query(QueryWeight::Search, sql(text)).await.unwrap();
        let told = rows.iter().map(|row| {
            let number = |name| row.get::<i64>(name).unwrap();
            let text = |name| row.get::<String>(name).unwrap();
            (number("title"), text("barcode"), number("created_at"), text("token"), number("expires_at"))
        });
        made.push(told.collect::<Vec<_>>());
        db.close().await;
    }
    assert!(!made[0].is_empty());
    assert_eq!(made[0], made[1]);
}

/// Every month up to the last but one is closed, and its checkpoints are the sums of all that was booked until then.
async fn check_checkpoints(db: &Db) {
    let query = |text| db.query(QueryWeight::Search, sql(text));
    let lines = query("SELECT account, booked_on, debit, credit FROM ledger_lines").await.unwrap();
    let changes = query("SELECT number, closed_through FROM period_changes ORDER BY number").await.unwrap();
    let months: Vec<String> = changes.iter().map(|row| row.get("closed_through").unwrap()).collect();
    assert_eq!((months.len(), months[0].as_str()), (17, "2025-05"));
    assert_eq!(months.last().unwrap(), "2026-09");
    let stored = query("SELECT period_change, account, debit, credit FROM ledger_checkpoints").await.unwrap();
    for (number, month) in (1_i64..).zip(&months) {
        let mut sums: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        for line in &lines {
            if line.get::<String>("booked_on").unwrap()[..7] <= month[..] {
                let sum = sums.entry(line.get("account").unwrap()).or_default();
                sum.0 += line.get::<i64>("debit").unwrap();
                sum.1 += line.get::<i64>("credit").unwrap();
            }
        }
        let told: BTreeMap<i64, (i64, i64)> = stored
            .iter()
            .filter(|row| row.get::<i64>("period_change").unwrap() == number)
            .map(|row| (row.get("account").unwrap(), (row.get("debit").unwrap(), row.get("credit").unwrap())))
            .filter(|(_, sums)| *sums != (0, 0))
            .collect();
        assert_eq!(told, sums, "{month}");
    }
}

/// Most pay in time, some late; who is suspended owes; and there is something of everything.
#[testkit::test]
async fn members_of_a_demo_pay_as_members_do() {
    let database = Database::fresh(testkit::Engine::Sqlite).await;
    let db = load(&database, 700).await;
    let due = count(
        &db,
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 1 AND effective_due_on < '2026-10-01'",
    );
    let due = due.await;
    let share = |number: i64| number * 1_000 / due;
    let in_time =
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 1 AND effective_due_on < '2026-10-01'
         AND situation = 3 AND settled_on <= effective_due_on";
    let in_time = share(count(&db, in_time).await);
    assert!((820..930).contains(&in_time), "{in_time} of 1000 in time");
    let overdue = "SELECT COUNT(DISTINCT person) AS it FROM titles WHERE launch_kind = 1 AND situation = 2
         AND effective_due_on < '2026-11-14'";
    let overdue = count(&db, overdue).await * 1_000 / 700;
    assert!((50..120).contains(&overdue), "{overdue} of 1000 members are late");
    let old =
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 1 AND situation = 2 AND due_on < '2026-07-01'";
    assert_eq!(count(&db, old).await, 0, "nobody owes for more than four months");
    let older =
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 1 AND situation = 2 AND due_on < '2026-09-01'";
    assert!(count(&db, older).await > 5);
    // INADIMPLENTE and SUSPENSO owe something that is overdue, if they were ever charged.
    let suspended = "SELECT COUNT(*) AS it FROM benefits b WHERE b.situation IN (3, 4)
         AND EXISTS (SELECT 1 FROM title_benefits tb WHERE tb.tenant = b.tenant AND tb.benefit = b.code)
         AND NOT EXISTS (SELECT 1 FROM title_benefits tb JOIN titles t ON t.tenant = tb.tenant AND t.code = tb.title
             WHERE tb.tenant = b.tenant AND tb.benefit = b.code AND t.situation = 2
             AND t.effective_due_on < '2026-11-14')";
    assert_eq!(count(&db, suspended).await, 0);
    for text in [
        "SELECT COUNT(*) AS it FROM settlements WHERE fine > 0 AND interest > 0",
        "SELECT COUNT(*) AS it FROM settlements WHERE credit > 0",
        "SELECT COUNT(*) AS it FROM settlement_reversals",
        "SELECT COUNT(*) AS it FROM credit_receipts WHERE amount > 0 AND title IS NOT NULL",
        "SELECT COUNT(*) AS it FROM credit_receipts WHERE amount < 0",
        "SELECT COUNT(*) AS it FROM credit_receipt_reversals",
        "SELECT COUNT(*) AS it FROM titles WHERE situation = 4",
        "SELECT COUNT(*) AS it FROM titles WHERE situation = 2 AND open_amount < amount",
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 2 AND situation = 3",
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 2 AND situation = 2",
        "SELECT COUNT(*) AS it FROM titles WHERE launch_kind = 2 AND situation = 1",
        "SELECT COUNT(*) AS it FROM title_lines WHERE amount < 0",
        "SELECT COUNT(*) AS it FROM title_lines WHERE charge_item = 3",
        "SELECT COUNT(*) AS it FROM title_lines WHERE charge_item = 4",
    ] {
        assert!(count(&db, text).await > 0, "{text}");
    }
    db.close().await;
}
