//! What happened to the members of a demonstration, as it is kept.

use super::{HERE, column, fresh, load};
use domain::{ClaimCode, Scope, SituationKind};
use std::collections::BTreeSet;
use storage::Db;
use storage::cases::claims;
use testkit::{Database, both_engines};

async fn only(db: &Db, text: &'static str) -> i64 {
    column::<i64>(db, text).await[0]
}

#[both_engines]
async fn the_events_of_a_demo_belong_to_its_benefits_and_have_their_history(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_000, 3).await;
    let db = &app.db;
    let count = only(db, "SELECT COUNT(*) AS it FROM claims").await;
    assert!((60..160).contains(&count), "{count}");
    for kind in ["involved = 1", "involved = 2", "situation = 11", "situation = 7", "driver IS NOT NULL"] {
        let statement = storage::sql("SELECT COUNT(*) AS it FROM claims WHERE").append_text(kind);
        let rows = db.query(storage::QueryWeight::Search, statement).await.unwrap();
        assert!(rows[0].get::<i64>("it").unwrap() > 0, "{kind}");
    }
    let kinds: BTreeSet<i64> = column(db, "SELECT kind AS it FROM claims").await.into_iter().collect();
    assert_eq!(kinds, (1..=5).collect());
    for text in [
        "SELECT COUNT(*) AS it FROM claims c JOIN benefits b ON b.tenant = c.tenant AND b.code = c.benefit
         WHERE b.person <> c.person OR b.branch <> c.branch OR b.created_at > c.opened_at",
        "SELECT COUNT(*) AS it FROM claims WHERE benefit IS NULL OR protocol <> code",
        "SELECT COUNT(*) AS it FROM claims WHERE (closed_at IS NOT NULL) <> (situation >= 11)",
        "SELECT COUNT(*) AS it FROM claims c WHERE situation_since <> (SELECT h.happened_at FROM history h
         WHERE h.tenant = c.tenant AND h.entity = 2 AND h.record = c.code ORDER BY h.code DESC LIMIT 1)",
        "SELECT COUNT(*) AS it FROM claims c WHERE situation <> (SELECT h.to_situation FROM history h
         WHERE h.tenant = c.tenant AND h.entity = 2 AND h.record = c.code ORDER BY h.code DESC LIMIT 1)",
        "SELECT COUNT(*) AS it FROM claims c WHERE NOT EXISTS (SELECT 1 FROM users u
         WHERE u.tenant = c.tenant AND u.code = c.responsible) AND responsible IS NOT NULL",
    ] {
        assert_eq!(only(db, text).await, 0, "{text}");
    }
    assert_eq!(only(db, "SELECT COUNT(*) AS it FROM outbox").await, 0, "nobody is told of a demonstration");
    let situations = storage::registers::situations::list_situations(db, HERE).await.unwrap();
    let over = |code| situations.iter().any(|one| one.code == code && one.kind == SituationKind::Done);
    assert!(over(domain::SituationCode::new(11)), "the codes that the demonstration counts on");
}

#[both_engines]
async fn three_events_of_a_demo_lead_to_each_other_in_a_ring(database: Database) {
    let app = fresh(&database).await;
    load(&app, 50, 1).await;
    let related = claims::list_related_claims(&app.db, HERE, [1, 2, 3].map(ClaimCode::new)).await.unwrap();
    let ring = [(1, 2), (2, 3), (3, 1)].map(|(from, to)| (ClaimCode::new(from), ClaimCode::new(to)));
    assert_eq!(related, ring);
    let found =
        claims::list_claims_by_codes(&app.db, &Scope::for_tenant(HERE), [1, 2, 3].map(ClaimCode::new))
            .await
            .unwrap();
    assert_ne!(found[0].claim.vehicle, found[1].claim.vehicle, "a third party drives his own");
}
