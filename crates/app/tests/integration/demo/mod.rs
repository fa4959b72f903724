//! The demonstration: the same rows on both engines, after however many interruptions; and everything it promises.

mod belongings;
mod benefits;
mod cases;
mod claims;
mod dependents;
mod sales;

use app::access::users;
use app::{App, Error};
use demo::{DemoLoadOptions, SampleGenerator};
use domain::{BenefitKind, Document, Entity, FieldKind, Rejection, Role, Scope, SellerKind, TenantId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use storage::{Db, FromColumn, QueryWeight, WriteLane, sql};
use testkit::{Database, Engine, StillClock, World, app_on, both_engines, dump, eight_at_once};

const HERE: TenantId = TenantId::new(1);

fn wanted(members: u32, seed: u64) -> DemoLoadOptions {
    DemoLoadOptions { members, seed, password: demo::PASSWORD.to_owned(), months: Some(1) }
}

async fn fresh(database: &Database) -> App {
    app_on(database.open().await, Arc::new(StillClock::default()), 1)
}

async fn load(app: &App, members: u32, seed: u64) -> demo::DemoLoadOutcome {
    demo::load_demo(app, &wanted(members, seed), &mut |_| {}).await.unwrap()
}

/// One column of a statement.
async fn column<T: FromColumn>(db: &Db, text: &'static str) -> Vec<T> {
    let rows = db.query(QueryWeight::Search, sql(text)).await.unwrap();
    rows.iter().map(|row| row.get("it").unwrap()).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<Rejection> {
    match result {
        Err(Error::Refused(problems)) => problems,
        other => panic!("not refused: {other:?}"),
    }
}

/// The rows without what belongs to the moment of loading: users, their salts and that they were made, and the tenant as
/// it is born.
fn lasting(dump: &str) -> String {
    let of_the_moment = [
        "tenants: ",
        "branches: 1 | 1 |",
        "situations: ",
        "users: ",
        "audit: ",
        "funnels: ",
        "stages: ",
        "claim_types: ",
        "inspection_types: ",
        "ticket_types: ",
        "protection_groups: ",
        "charge_items: ",
        "late_charge_rules: ",
        "title_types: ",
        "payment_forms: ",
        "money_accounts: ",
        "settlement_types: ",
        "charging_rules: ",
    ];
    let lines = dump.lines().filter(|line| !of_the_moment.iter().any(|start| line.starts_with(start)));
    lines.collect::<Vec<_>>().join("\n")
}

#[testkit::postgres_test]
async fn a_demo_of_one_seed_is_the_same_on_sqlite_and_on_postgres() {
    let mut dumps = Vec::new();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let database = Database::fresh(engine).await;
        let app = fresh(&database).await;
        load(&app, 2_321, 7).await;
        dumps.push(dump(&app.db).await);
        app.db.close().await;
    }
    assert!(dumps[0].lines().count() > 15_000);
    // The clock stands still and chance repeats itself, so even the password's hashes agree.
    assert!(dumps[0] == dumps[1], "the engines differ");
}

/// Money ends on the day of the load, and so do the marks of how far it is written.
fn without_money(lasting: &str) -> String {
    let of_money = testkit::APPEND_ONLY.into_iter().chain([
        "titles",
        "charging_runs",
        "charging_run_titles",
        "charged_months",
        "title_revisions",
        "document_links",
        "counters",
        "settings",
    ]);
    let of_money: Vec<String> = of_money.map(|table| format!("{table}: ")).collect();
    let title = Entity::Title.number().to_string();
    let is_title_history =
        |line: &str| line.starts_with("history: ") && line.split(" | ").nth(2) == Some(title.as_str());
    let is_of_money =
        |line: &str| of_money.iter().any(|start| line.starts_with(start)) || is_title_history(line);
    lasting.lines().filter(|line| !is_of_money(line)).collect::<Vec<_>>().join("\n")
}

#[both_engines]
async fn a_demo_depends_on_its_seed_and_but_for_money_on_no_clock(database: Database) {
    let app = fresh(&database).await;
    load(&app, 300, 7).await;
    let first = lasting(&dump(&app.db).await);
    let later = Database::fresh(database.engine).await;
    let clock = Arc::new(StillClock::default());
    clock.pass(Duration::from_hours(9600));
    let app = app_on(later.open().await, clock, 2);
    load(&app, 300, 7).await;
    let later = lasting(&dump(&app.db).await);
    assert!(later != first && without_money(&later) == without_money(&first));
    let other = Database::fresh(database.engine).await;
    let app = fresh(&other).await;
    load(&app, 300, 8).await;
    assert!(lasting(&dump(&app.db).await) != first);
}

/// Whoever loads is dropped after so many units; a unit that was begun is carried to its end all the same.
#[both_engines]
async fn a_demo_that_was_cut_off_goes_on_where_it_stopped(database: Database) {
    let whole = fresh(&database).await;
    load(&whole, 2_100, 3).await;
    let expected = dump(&whole.db).await;
    let cut = Database::fresh(database.engine).await;
    let app = fresh(&cut).await;
    for at in [0, 1_000, 2_000] {
        let running = app.clone();
        let (reached, stop) = tokio::sync::oneshot::channel();
        let mut reached = Some(reached);
        let task = tokio::spawn(async move {
            let mut tell = |there: u32| {
                if there >= at {
                    reached.take().map(|reached| reached.send(there));
                    if reached.is_none() {
                        std::panic::resume_unwind(Box::new("cut off"));
                    }
                }
            };
            demo::load_demo(&running, &wanted(2_100, 3), &mut tell).await
        });
        assert_eq!(stop.await.unwrap(), at);
        assert!(task.await.unwrap_err().is_panic());
        let begun = Rejection::DemoUnfinished { members: 2_100, seed: 3 };
        assert_eq!(refused(demo::load_demo(&app, &wanted(2_100, 4), &mut |_| {}).await), [begun]);
    }
    // `serve --demo` ends what was begun, whatever it would have begun itself.
    let ended = demo::fill_empty_database(&app, &wanted(1_000, 1), &mut |_| {}).await.unwrap().unwrap();
    assert_eq!(ended.members, 2_100);
    assert!(dump(&app.db).await == expected, "the rows differ");
}

#[both_engines]
async fn eight_that_load_one_demo_at_once_make_one(database: Database) {
    let alone = fresh(&database).await;
    load(&alone, 1_500, 5).await;
    let together = Database::fresh(database.engine).await;
    let app = fresh(&together).await;
    let results = eight_at_once(|_| {
        let app = app.clone();
        async move { demo::fill_empty_database(&app, &wanted(1_500, 5), &mut |_| {}).await }
    })
    .await;
    for result in results {
        assert!(result.unwrap().is_none_or(|loaded| loaded.members == 1_500));
    }
    assert_eq!(lasting(&dump(&app.db).await), lasting(&dump(&alone.db).await));
}

#[both_engines]
async fn a_demo_adds_nothing_to_a_database_that_holds_data(world: World) {
    let before = dump(world.db()).await;
    assert_eq!(
        refused(demo::load_demo(world.app(), &wanted(10, 1), &mut |_| {}).await),
        [Rejection::NotEmpty]
    );
    assert_eq!(demo::fill_empty_database(world.app(), &wanted(10, 1), &mut |_| {}).await.unwrap(), None);
    assert_eq!(dump(world.db()).await, before);
}

#[both_engines]
async fn a_demo_with_a_bad_password_begins_nothing(database: Database) {
    let app = fresh(&database).await;
    let short = DemoLoadOptions { password: "curta".to_owned(), ..wanted(10, 1) };
    assert!(matches!(
        refused(demo::load_demo(&app, &short, &mut |_| {}).await)[..],
        [Rejection::PasswordLength { .. }]
    ));
    assert!(storage::server::tenants::list_tenants(&app.db).await.unwrap().is_empty());
    assert_eq!(load(&app, 0, 1).await.members, 0);
    assert_eq!(
        refused(demo::load_demo(&app, &wanted(0, 1), &mut |_| {}).await),
        [Rejection::NotEmpty],
        "an empty demonstration is one too"
    );
}

#[both_engines]
async fn the_documents_of_a_demo_are_valid_and_nobody_shares_one(database: Database) {
    let app = fresh(&database).await;
    load(&app, 3_000, 11).await;
    for text in [
        "SELECT document AS it FROM people WHERE document IS NOT NULL",
        "SELECT document AS it FROM sellers",
        "SELECT document AS it FROM suppliers",
    ] {
        let found: Vec<String> = column(&app.db, text).await;
        assert!(found.iter().all(|text| Document::parse(text).unwrap().as_str() == text));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    }
    // The counter stands behind the last member, and his row is the one that his number makes.
    let last: Vec<i64> = column(&app.db, "SELECT last AS it FROM counters WHERE kind = 'person'").await;
    let most: Vec<i64> = column(&app.db, "SELECT MAX(code) AS it FROM people").await;
    let members: Vec<i64> = column(&app.db, "SELECT MAX(code) AS it FROM people WHERE is_member").await;
    assert_eq!((last[0], members[0]), (most[0], 3_000));
    let name: Vec<String> = column(&app.db, "SELECT name AS it FROM people WHERE code = 2321").await;
    assert_eq!(name[0], SampleGenerator::new(11, 3_000).generate_member(2_321).person.name);
}

#[both_engines]
async fn a_demo_has_every_register_that_it_promises(database: Database) {
    let app = fresh(&database).await;
    assert_eq!(load(&app, 50, 1).await.tenant, HERE);
    let db = &app.db;
    assert_eq!(
        storage::server::tenants::find_tenant(db, HERE).await.unwrap().unwrap().name,
        "Associação Demonstração"
    );
    assert_eq!(
        storage::registers::branches::list_visible_branches(db, &Scope::for_tenant(HERE))
            .await
            .unwrap()
            .len(),
        5
    );
    let plans = storage::registers::plans::list_plans(db, HERE).await.unwrap();
    assert!(BenefitKind::ALL.iter().all(|kind| plans.iter().any(|plan| plan.kind == *kind)));
    assert!(storage::registers::vehicle_types::list_vehicle_types(db, HERE).await.unwrap().len() >= 12);
    assert_eq!(
        storage::registers::due_days::list_active_due_days(db, HERE).await.unwrap(),
        [5, 10, 15, 20, 25, 30]
    );
    let situations = storage::registers::situations::list_situations(db, HERE).await.unwrap();
    assert!(Entity::SITUATED.iter().all(|entity| situations.iter().any(|one| one.entity == *entity)));
    let sellers: Vec<SellerKind> = column(db, "SELECT kind AS it FROM sellers").await;
    assert!(sellers.len() >= 30 && SellerKind::ALL.iter().all(|kind| sellers.contains(kind)));
    let suppliers: Vec<String> = column(db, "SELECT kind AS it FROM suppliers WHERE cep IS NOT NULL").await;
    assert!(suppliers.iter().collect::<BTreeSet<_>>().len() >= 5);
    for benefit in BenefitKind::ALL {
        let fields = sql("SELECT kind AS it FROM additional_fields WHERE tenant = $1 AND benefit_kind = $2")
            .arg(HERE)
            .arg(*benefit);
        let rows = db.query(QueryWeight::Search, fields).await.unwrap();
        let kinds: BTreeSet<FieldKind> = rows.iter().map(|row| row.get("it").unwrap()).collect();
        assert_eq!(kinds.len(), FieldKind::ALL.len(), "{benefit:?}");
    }
    let lists = "SELECT COUNT(*) AS it FROM additional_fields f JOIN additional_field_options o
         ON o.tenant = f.tenant AND o.field = f.code WHERE f.kind = 5 AND o.position = 1";
    assert_eq!(column::<i64>(db, lists).await, [5]);
    assert!(
        storage::server::versions::list_versions(db)
            .await
            .unwrap()
            .iter()
            .any(|(id, now)| *id == HERE && now.registers > 0)
    );
    let users = users::list_users(&app, &Scope::for_tenant(HERE)).await.unwrap();
    let roles: Vec<Role> = users.iter().map(|user| user.role).collect();
    assert_eq!(roles, [Role::Administrator, Role::Operator, Role::Integration]);
    assert_eq!(users[1].branches, [domain::BranchCode::new(2)]);
    let sold =
        "SELECT COUNT(*) AS it FROM people p JOIN sellers s ON s.tenant = p.tenant AND s.code = p.consultant
         WHERE s.kind = 1 AND s.branch = p.branch";
    assert!(column::<i64>(db, sold).await[0] > 30);
}

#[both_engines]
async fn the_users_of_a_demo_are_known_until_they_have_another_password(database: Database) {
    let app = fresh(&database).await;
    load(&app, 5, 1).await;
    let all = ["admin@demo.example", "operador@demo.example", "integracao@demo.example"];
    assert_eq!(demo::list_users_with_known_password(&app).await.unwrap(), all);
    users::reset_password(&app, HERE, all[0], "uma senha só minha").await.unwrap();
    users::disable_user(&app, HERE, all[1]).await.unwrap();
    assert_eq!(demo::list_users_with_known_password(&app).await.unwrap(), [all[2]]);
}

/// Somebody who registered a person between two parts of a load gets in nobody's way.
#[both_engines]
async fn a_demo_goes_on_behind_a_person_who_came_meanwhile(database: Database) {
    let app = fresh(&database).await;
    let running = app.clone();
    let cut = tokio::spawn(async move {
        let mut tell = |there| {
            if there > 0 {
                std::panic::resume_unwind(Box::new("cut off"))
            }
        };
        demo::load_demo(&running, &wanted(625, 1), &mut tell).await
    });
    assert!(cut.await.unwrap_err().is_panic());
    let unit = app.db.write(WriteLane::foreground(HERE), (), |tx, ()| {
        Box::pin(storage::server::counters::reserve_number(
            tx,
            HERE,
            storage::server::counters::Counter::Person,
        ))
    });
    assert_eq!(unit.await.map_err(Error::from).unwrap(), 251);
    load(&app, 625, 1).await;
    let codes: Vec<i64> =
        column(&app.db, "SELECT code AS it FROM people WHERE is_member ORDER BY code").await;
    assert_eq!((codes.len(), codes[250], codes[624]), (625, 252, 626));
}
