//! What the members of a demonstration have, as it is kept: whatever `POST` would have asked of it, and everything that
//! follows from it.

use super::{HERE, column, fresh, load};
use demo::SampleGenerator;
use domain::{
    BenefitCode, BenefitKind, BranchCode, CardNumber, Chassis, MemberCriteria, PersonCode, Plate, Role,
    Scope, SituationCode, SituationKind, split_name_words,
};
use std::collections::{BTreeMap, BTreeSet};
use storage::search::members::{self, FoundBenefit, MemberSearch};
use storage::{Db, QueryWeight, Tx, sql};
use testkit::{Database, both_engines};

/// The benefits of a stretch of codes, by code.
async fn benefits(db: &Db, first: i32, last: i32) -> Vec<FoundBenefit> {
    let asked = (Scope::for_tenant(HERE), (first..=last).map(BenefitCode::new).collect::<Vec<_>>());
    let read =
        db.read(asked, |tx, (scope, codes)| Box::pin(members::list_benefits_by_code(tx, scope, codes)));
    read.await.unwrap()
}

async fn only(db: &Db, text: &'static str) -> i64 {
    column::<i64>(db, text).await[0]
}

#[both_engines]
async fn the_first_page_of_a_demo_shows_every_kind_in_force_with_one_plan(database: Database) {
    let app = fresh(&database).await;
    load(&app, 200, 1).await;
    let situations = storage::registers::situations::list_situations(&app.db, HERE).await.unwrap();
    let is_active = |code: SituationCode| {
        situations.iter().any(|one| one.code == code && one.kind == SituationKind::Active)
    };
    let page = benefits(&app.db, 1, 100).await;
    assert_eq!(page.len(), 100);
    for kind in BenefitKind::ALL {
        let mut of_kind = page.iter().filter(|found| found.benefit.kind == *kind);
        assert!(of_kind.any(|one| one.benefit.plans.len() == 1 && is_active(one.benefit.situation)));
    }
    let plates: Vec<&Plate> = page.iter().flat_map(|one| &one.benefit.vehicle.plate).collect();
    let old = plates.iter().filter(|plate| plate.as_str() != plate.comparison_key()).count();
    assert!(old > 5 && plates.len() - old > 5, "both forms: {old} of {}", plates.len());
    let lengths: BTreeSet<usize> = page.iter().flat_map(|one| &one.document).map(String::len).collect();
    assert_eq!(lengths, [11, 14].into(), "members of both natures");
    let filled = "SELECT COUNT(*) AS it FROM people WHERE email IS NOT NULL AND mobile IS NOT NULL
         AND cep IS NOT NULL AND mother IS NOT NULL AND civil_state IS NOT NULL";
    assert!(only(&app.db, filled).await > 130);
}

#[both_engines]
async fn the_benefits_of_a_demo_would_have_been_accepted(database: Database) {
    let app = fresh(&database).await;
    load(&app, 1_500, 2).await;
    let db = &app.db;
    let all = benefits(db, 1, 10_000).await;
    assert!((1_650..2_000).contains(&all.len()), "{}", all.len());
    let due_days = storage::registers::due_days::list_active_due_days(db, HERE).await.unwrap();
    let plans = storage::registers::plans::list_plans(db, HERE).await.unwrap();
    let types = storage::registers::vehicle_types::list_vehicle_types(db, HERE).await.unwrap();
    let mut cards = BTreeMap::new();
    for (number, found) in (1..).zip(&all) {
        let benefit = &found.benefit;
        assert_eq!((found.code.get(), benefit.sequence), (number, number));
        assert!(due_days.contains(&benefit.due_day.unwrap()));
        let (plan, _) = benefit.plans[0];
        assert!(plans.iter().any(|one| one.code == plan && one.kind == benefit.kind));
        let vehicle = &benefit.vehicle;
        assert_eq!(vehicle.chassis.is_some(), benefit.kind == BenefitKind::Vehicle);
        let of_type = types.iter().find(|one| Some(one.code) == vehicle.kind);
        assert_eq!(of_type.map(|one| one.category), vehicle.category);
        let card = benefit.card.clone().unwrap();
        assert_eq!(*cards.entry(card).or_insert(benefit.person), benefit.person, "nobody shares a card");
    }
    let of_dependents =
        sql("SELECT d.card, b.person FROM dependents d JOIN benefits b ON b.tenant = d.tenant
         AND b.code = d.benefit ORDER BY d.code");
    for row in db.query(QueryWeight::Search, of_dependents).await.unwrap() {
        let card = CardNumber::parse(&row.get::<String>("card").unwrap()).unwrap();
        let person = row.get("person").unwrap();
        assert_eq!(*cards.entry(card).or_insert(person), person, "nor does a dependent");
    }
    // As they are kept, not as they are read.
    let kept = sql("SELECT plate, chassis, card FROM benefits ORDER BY code");
    for row in db.query(QueryWeight::Search, kept).await.unwrap() {
        let text = |column| row.get::<Option<String>>(column).unwrap();
        assert!(text("plate").is_none_or(|text| Plate::parse(&text).unwrap().as_str() == text));
        assert!(text("chassis").is_none_or(|text| Chassis::parse(&text).unwrap().as_str() == text));
        assert!(text("card").is_none_or(|text| CardNumber::parse(&text).unwrap().as_str() == text));
    }
    let most = cards.keys().max().unwrap();
    assert_eq!(*most, CardNumber::generate(HERE, cards.len() as i32));
    assert_eq!(only(db, "SELECT last AS it FROM counters WHERE kind = 'card'").await, cards.len() as i64);
    for text in [
        "SELECT COUNT(*) AS it FROM benefits b JOIN sellers s ON s.tenant = b.tenant AND s.code = b.consultant
         WHERE s.kind <> 1 OR s.branch <> b.branch OR NOT s.active",
        "SELECT COUNT(*) AS it FROM benefits b JOIN sellers s ON s.tenant = b.tenant AND s.code = b.representative
         WHERE s.kind <> 2 OR s.branch <> b.branch OR NOT s.active",
        "SELECT COUNT(*) AS it FROM listing l JOIN sellers s ON s.tenant = l.tenant AND s.code = l.consultant
         WHERE s.branch <> l.branch",
        // One benefit at a time for a vehicle; 5 is INATIVO, 6 CANCELADO.
        "SELECT COUNT(*) AS it FROM (SELECT plate_key FROM listing WHERE plate_key IS NOT NULL AND situation < 5
         GROUP BY plate_key HAVING COUNT(*) > 1) AS twice",
        "SELECT COUNT(*) AS it FROM (SELECT chassis FROM listing WHERE chassis IS NOT NULL AND situation < 5
         GROUP BY chassis HAVING COUNT(*) > 1) AS twice",
    ] {
        assert_eq!(only(db, text).await, 0, "{text}");
    }
    let elsewhere = "SELECT COUNT(*) AS it FROM benefits b JOIN people p ON p.tenant = b.tenant
         AND p.code = b.person WHERE p.branch <> b.branch AND b.consultant IS NOT NULL";
    assert!(only(db, elsewhere).await > 10);
}

#[both_engines]
async fn the_plans_that_a_demo_shows_are_the_active_items(database: Database) {
    let app = fresh(&database).await;
    load(&app, 200, 4).await;
    let (scope, mut ended) = (Scope::for_tenant(HERE), 0);
    for code in (1..=only(&app.db, "SELECT COUNT(*) AS it FROM benefits").await as i32).map(BenefitCode::new)
    {
        let benefit = storage::benefits::find_benefit(&app.db, &scope, code).await.unwrap().unwrap();
        let items = storage::benefits::items::list_items(&app.db, HERE, code).await.unwrap();
        let active: Vec<_> =
            items.iter().filter(|item| item.active).map(|item| (item.plan, item.price)).collect();
        assert_eq!(benefit.plans, active);
        assert!(items[0].is_first && items[0].active);
        ended += items.iter().filter(|item| !item.active).count();
    }
    assert!(ended > 0);
    let astray =
        "SELECT COUNT(*) AS it FROM items i JOIN benefits b ON b.tenant = i.tenant AND b.code = i.benefit
         WHERE i.slot <> b.slot OR i.created_at <> b.created_at";
    assert_eq!(only(&app.db, astray).await, 0);
}

/// Where a row of the searches is counted.
type Place = (i64, i64, i64, i64);

#[both_engines]
async fn a_demo_counts_every_row_of_its_searches(database: Database) {
    let app = fresh(&database).await;
    load(&app, 2_600, 6).await;
    let rows = sql("SELECT slot, branch, benefit, situation FROM listing ORDER BY slot");
    let mut expected: BTreeMap<Place, i64> = BTreeMap::new();
    let mut slots = Vec::new();
    for row in app.db.query(QueryWeight::Search, rows).await.unwrap() {
        let (slot, branch): (i64, i64) = (row.get("slot").unwrap(), row.get("branch").unwrap());
        let (benefit, situation): (Option<i64>, i64) =
            (row.get("benefit").unwrap(), row.get("situation").unwrap());
        assert_eq!(benefit.is_none(), situation == 0);
        slots.push(slot);
        let places =
            [(1, Some(slot), branch, situation), (3, benefit, branch, situation), (5, benefit, 0, 0)];
        for (ordering, at, branch, situation) in places {
            for (ordering, size) in [(ordering, 1_000), (ordering + 1, 32_000)] {
                if let Some(at) = at {
                    *expected.entry((ordering, branch, situation, at / size)).or_default() += 1;
                }
            }
        }
    }
    assert_eq!(slots, (1..=slots.len() as i64).collect::<Vec<_>>());
    let counted = sql("SELECT ordering, branch, situation, block, rows FROM listing_tally");
    let found: BTreeMap<Place, i64> = app
        .db
        .query(QueryWeight::Search, counted)
        .await
        .unwrap()
        .iter()
        .map(|row| {
            let place = ["ordering", "branch", "situation", "block"].map(|name| row.get(name).unwrap());
            ((place[0], place[1], place[2], place[3]), row.get("rows").unwrap())
        })
        .collect();
    assert_eq!(found, expected);
    // A member without benefits has one row, each other one for each of his benefits, in their order.
    let people = "SELECT COUNT(*) AS it FROM people p WHERE p.is_member AND NOT EXISTS
         (SELECT 1 FROM listing l WHERE l.tenant = p.tenant AND l.person = p.code)";
    let astray = "SELECT COUNT(*) AS it FROM listing l LEFT JOIN benefits b
         ON b.tenant = l.tenant AND b.code = l.benefit AND b.slot = l.slot AND b.person = l.person
         AND b.situation = l.situation AND b.branch = l.branch WHERE l.benefit IS NOT NULL AND b.code IS NULL";
    let beside = "SELECT COUNT(*) AS it FROM listing l JOIN benefits b ON b.tenant = l.tenant
         AND b.person = l.person WHERE l.benefit IS NULL";
    let benefits =
        "SELECT COUNT(*) - (SELECT COUNT(*) FROM benefits) AS it FROM listing WHERE benefit IS NOT NULL";
    for text in [people, astray, beside, benefits] {
        assert_eq!(only(&app.db, text).await, 0, "{text}");
    }
}

async fn led_by_words(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &MemberCriteria,
) -> Result<Vec<i32>, storage::Error> {
    let search = MemberSearch::prepare(tx, scope, criteria).await?.expect("words lead");
    search.list_slots(tx, 0, 0).await
}

#[both_engines]
async fn every_row_of_a_demo_is_found_by_its_words(database: Database) {
    let app = fresh(&database).await;
    load(&app, 600, 8).await;
    let mut expected: BTreeMap<(String, i64), Vec<i32>> = BTreeMap::new();
    let rows = sql("SELECT l.slot, l.branch, p.name FROM listing l JOIN people p
         ON p.tenant = l.tenant AND p.code = l.person ORDER BY l.slot");
    for row in app.db.query(QueryWeight::Search, rows).await.unwrap() {
        let (slot, branch): (i32, i64) = (row.get("slot").unwrap(), row.get("branch").unwrap());
        for word in split_name_words(&row.get::<String>("name").unwrap()) {
            expected.entry((word, branch)).or_default().push(slot);
        }
    }
    for ((word, branch), slots) in expected.into_iter().filter(|(_, slots)| slots.len() < 100) {
        let scope = Scope::for_role(HERE, Role::Operator, [BranchCode::new(branch as i32)]);
        let criteria = MemberCriteria { words: vec![word.clone()], ..MemberCriteria::default() };
        let read = app
            .db
            .read((scope, criteria), |tx, (scope, criteria)| Box::pin(led_by_words(tx, scope, criteria)));
        let found = read.await.unwrap();
        // The beginning of a word finds longer ones too.
        assert!(found.len() == 100 || slots.iter().all(|slot| found.contains(slot)), "{word} {branch}");
    }
    let known = SampleGenerator::new(8, 600).generate_member(321).person;
    let criteria = MemberCriteria { words: split_name_words(&known.name), ..MemberCriteria::default() };
    let read = app.db.read(criteria, |tx, criteria| {
        Box::pin(async move {
            let scope = Scope::for_tenant(HERE);
            let slots = led_by_words(tx, &scope, criteria).await?;
            members::list_rows_of_slots(tx, &scope, &slots).await
        })
    });
    assert!(read.await.unwrap().iter().any(|found| found.person.code == PersonCode::new(321)));
}

#[both_engines]
async fn the_history_of_a_demo_has_no_gaps_and_is_told_to_nobody(database: Database) {
    let app = fresh(&database).await;
    load(&app, 2_300, 9).await;
    let db = &app.db;
    let rows =
        sql("SELECT h.code, h.record, h.branch, h.body, h.happened_at, h.to_situation, b.branch AS kept,
             b.created_at, b.situation FROM history h
         JOIN benefits b ON b.tenant = h.tenant AND b.code = h.record WHERE h.entity = 1 ORDER BY h.code");
    let rows = db.query(QueryWeight::Search, rows).await.unwrap();
    for (number, row) in (1i64..).zip(&rows) {
        let get = |name: &'static str| row.get::<i64>(name).unwrap();
        assert_eq!(get("record"), number);
        assert_eq!([get("branch"), get("happened_at")], [get("kept"), get("created_at")]);
        assert_eq!(get("to_situation"), get("situation"));
        let body: String = row.get("body").unwrap();
        assert!(body.starts_with(&format!("{{\"codHistorico\":{},", get("code"))), "{body}");
        assert!(body.contains(&format!("\"objeto\":{{\"id\":{number},")), "{body}");
    }
    let codes: Vec<i64> = column(db, "SELECT code AS it FROM history ORDER BY code").await;
    assert_eq!(codes, (1..=codes.len() as i64).collect::<Vec<_>>(), "benefits and events, without a gap");
    for (text, expected) in [
        ("SELECT COUNT(*) AS it FROM benefits", rows.len() as i64),
        ("SELECT last AS it FROM counters WHERE kind = 'history'", codes.len() as i64),
        ("SELECT COUNT(*) AS it FROM history WHERE origin <> 'demonstração'", 0),
        ("SELECT COUNT(*) AS it FROM history WHERE entity = 1 AND from_situation IS NOT NULL", 0),
        (
            "SELECT COUNT(*) AS it FROM history WHERE entity <> 6 AND (user_code IS NOT NULL OR reason IS NOT NULL)",
            0,
        ),
        ("SELECT COUNT(*) AS it FROM outbox", 0),
    ] {
        assert_eq!(only(db, text).await, expected, "{text}");
    }
    let bodies = "SELECT body AS it FROM history WHERE code = 1";
    let body = column::<String>(db, bodies).await.remove(0);
    let first = SampleGenerator::new(9, 2_300).generate_member(1).benefits.remove(0).benefit;
    let plate = first.vehicle.plate.map_or_else(|| "Proteção".to_owned(), |plate| plate.to_string());
    assert!(body.contains(&format!("\"descricao\":\"{plate}")), "{body}");
    assert!(body.contains("\"nomeSituacao\":\"ATIVO\"") && body.contains("[\\\"Veicular\\\"]"), "{body}");
}
