//! The sales board of a demonstration.

use super::{HERE, column, fresh, load};
use domain::{DealState, FunnelCode, StageCode};
use std::collections::BTreeSet;
use storage::{QueryWeight, sql};
use testkit::{Database, both_engines};

#[both_engines]
async fn the_board_of_a_demo_has_deals_in_every_stage_and_situation(database: Database) {
    let app = fresh(&database).await;
    load(&app, 60, 3).await;
    let registers = app::register_snapshot::load_registers(&app, HERE).await.unwrap();
    assert_eq!(registers.funnels.len(), 2);
    let first = registers.funnel(FunnelCode::new(1)).unwrap();
    let rows = app
        .db
        .query(QueryWeight::Search, sql("SELECT stage, situation FROM deals ORDER BY code"))
        .await
        .unwrap();
    let found: BTreeSet<(StageCode, DealState)> =
        rows.iter().map(|row| (row.get("stage").unwrap(), row.get("situation").unwrap())).collect();
    for stage in &first.stages {
        for state in DealState::ALL {
            assert!(found.contains(&(stage.code, *state)), "{} {state:?}", stage.name);
        }
    }
    let count = async |text| column::<i64>(&app.db, text).await[0];
    assert_eq!(count("SELECT COUNT(*) AS it FROM leads WHERE active").await, 40);
    assert!(count("SELECT COUNT(*) AS it FROM deals WHERE plate IS NOT NULL").await > 5);
    let sharing =
        "SELECT COUNT(*) AS it FROM deal_dependents x JOIN deals d ON d.tenant = x.tenant AND d.code = x.deal
         WHERE d.benefit_kind = 1";
    assert!(count(sharing).await > 5);
    assert_eq!(count(sharing).await, count("SELECT COUNT(*) AS it FROM deal_dependents").await);
}

/// What no operation would have written is not there.
#[both_engines]
async fn the_deals_of_a_demo_would_have_been_accepted(database: Database) {
    let app = fresh(&database).await;
    load(&app, 21_000, 5).await;
    let count = async |text| column::<i64>(&app.db, text).await[0];
    assert_eq!(count("SELECT COUNT(*) AS it FROM leads").await, 1_050);
    for none in [
        "SELECT COUNT(*) AS it FROM leads l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
         WHERE NOT p.is_member AND (p.name <> l.name OR p.branch <> l.branch)",
        "SELECT COUNT(*) AS it FROM leads l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
         WHERE p.is_member AND p.document <> l.document",
        "SELECT COUNT(*) AS it FROM people p WHERE NOT p.is_member AND EXISTS
         (SELECT 1 FROM listing l WHERE l.tenant = p.tenant AND l.person = p.code)",
        "SELECT COUNT(*) AS it FROM deals d JOIN stages s ON s.tenant = d.tenant AND s.code = d.stage
         WHERE s.funnel <> d.funnel",
        "SELECT COUNT(*) AS it FROM deals WHERE (lost_because IS NULL) <> (situation <> 3)",
        "SELECT COUNT(*) AS it FROM deals d WHERE NOT EXISTS (SELECT 1 FROM deal_moves m
         WHERE m.tenant = d.tenant AND m.deal = d.code AND m.stage = d.stage AND m.situation = d.situation)",
        "SELECT COUNT(*) AS it FROM deals d LEFT JOIN users u ON u.tenant = d.tenant AND u.code = d.responsible
         WHERE u.code IS NULL",
        "SELECT COUNT(*) AS it FROM leads WHERE document IS NULL AND email IS NULL AND mobile IS NULL
         AND landline IS NULL",
    ] {
        assert_eq!(count(none).await, 0, "{none}");
    }
    for (counter, most) in [
        ("lead", "SELECT MAX(code) AS it FROM leads"),
        ("deal", "SELECT MAX(code) AS it FROM deals"),
        ("deal_sequence", "SELECT MAX(sequence) AS it FROM deals"),
        ("deal_dependent", "SELECT MAX(code) AS it FROM deal_dependents"),
    ] {
        let last = sql("SELECT last AS it FROM counters WHERE tenant = 1 AND kind = $1").arg(counter);
        let last: i64 = app.db.query(QueryWeight::Point, last).await.unwrap()[0].get("it").unwrap();
        assert_eq!(last, count(most).await, "{counter}");
    }
}
