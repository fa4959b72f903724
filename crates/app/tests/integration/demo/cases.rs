//! Inspections, tickets and appointments of a demonstration, as they are kept.

use super::{fresh, load};
use storage::{Db, QueryWeight, sql};
use testkit::{Database, both_engines};

async fn count(db: &Db, text: &str) -> i64 {
    let rows =
        db.query(QueryWeight::Search, sql("SELECT COUNT(*) AS it FROM").append_text(text)).await.unwrap();
    rows[0].get("it").unwrap()
}

#[both_engines]
async fn what_is_worked_on_in_a_demo_belongs_to_its_benefits_and_has_its_history(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_000, 3).await;
    let db = &app.db;
    for (table, entity, open, over) in [
        ("inspections", 3, 13, "15, 16, 17"),
        ("tickets", 4, 18, "21, 22"),
        ("appointments", 5, 23, "25, 26, 27"),
    ] {
        let all = count(db, table).await;
        // Of what the association has no types there is nothing.
        let types = format!("{}_types", table.trim_end_matches('s'));
        if table != "appointments" && count(db, &types).await == 0 {
            assert_eq!(all, 0, "{table}");
            continue;
        }
        assert!((40..400).contains(&all), "{table}: {all}");
        for some in [
            format!("situation = {open}"),
            format!("situation IN ({over})"),
            "responsible IS NULL".to_owned(),
        ] {
            assert!(count(db, &format!("{table} WHERE {some}")).await > 0, "{table} {some}");
        }
        let last = format!(
            "(SELECT h.code FROM history h WHERE h.tenant = c.tenant AND h.entity = {entity} AND h.record = c.code
              ORDER BY h.code DESC LIMIT 1)"
        );
        for none in [
            format!(
                "{table} c JOIN benefits b ON b.tenant = c.tenant AND b.code = c.benefit
                 WHERE b.person <> c.person OR b.branch <> c.branch OR b.created_at > c.opened_at"
            ),
            format!("{table} WHERE benefit IS NULL OR protocol <> code OR situation_since < opened_at"),
            format!("{table} WHERE (closed_at IS NOT NULL) <> (situation IN ({over}))"),
            format!(
                "{table} c JOIN history h ON h.tenant = c.tenant AND h.code = {last}
                 WHERE h.to_situation <> c.situation OR h.happened_at <> c.situation_since"
            ),
            format!("{table} c WHERE NOT EXISTS {last}"),
        ] {
            assert_eq!(count(db, &none).await, 0, "{none}");
        }
    }
    assert_eq!(count(db, "outbox").await, 0, "nobody is told of a demonstration");
    let doctors = "appointments c JOIN doctors d ON d.tenant = c.tenant AND d.code = c.doctor WHERE d.clinic = c.clinic";
    assert!(count(db, "doctors").await == 0 || count(db, doctors).await > 0);
    assert!(count(db, "appointments WHERE dependent IS NOT NULL").await > 0);
    assert_eq!(
        count(
            db,
            "appointments c WHERE dependent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM dependents d
             WHERE d.tenant = c.tenant AND d.code = c.dependent AND d.benefit = c.benefit)"
        )
        .await,
        0
    );
    let looked_at = count(db, "inspections WHERE checklist LIKE '%\"fits\":true%'").await;
    assert!(looked_at > 0 || count(db, "inspections").await == 0);
}
