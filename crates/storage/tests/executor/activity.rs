//! The file of activity beside an embedded database: how it comes to be, and what happens if it is not the right one.

use domain::{DatabaseFault, TenantId};
use std::os::unix::fs::PermissionsExt;
use storage::{Db, Error, QueryWeight, SchemaPolicy, Statement, WriteLane, sql};
use testkit::{Database, Engine};

const TENANT: TenantId = TenantId::new(7);

async fn run(db: &Db, statements: Vec<Statement>) {
    let lane = WriteLane::foreground(TENANT);
    let unit = db.write(lane, statements, |tx, statements| {
        Box::pin(async move { tx.execute_batch(statements.clone()).await })
    });
    unit.await.unwrap();
}

fn insert_access(code: i32, block: i32) -> Statement {
    sql("INSERT INTO sightings (tenant, code, block, happened_at, user_code, operation, people)
         VALUES ($1, $2, $3, 1000, NULL, 'GET /ext/associado', $4)")
    .arg(TENANT)
    .arg(code)
    .arg(block)
    .arg(&[0u8, 1, 0, 0, 0, 0][..])
}

/// The codes and blocks of all accesses.
async fn accesses(db: &Db) -> Vec<(i32, i32)> {
    let rows = db.query(QueryWeight::Search, sql("SELECT code, block FROM sightings ORDER BY tenant, code"));
    rows.await.unwrap().iter().map(|row| (row.get("code").unwrap(), row.get("block").unwrap())).collect()
}

async fn count_audit(db: &Db, last: i32) {
    let counter = sql("INSERT INTO counters (tenant, kind, last) VALUES ($1, 'audit', $2)
         ON CONFLICT (tenant, kind) DO UPDATE SET last = excluded.last");
    run(db, vec![counter.arg(TENANT).arg(last)]).await;
}

async fn next_access_code(db: &Db) -> i32 {
    let next = db.activity().unwrap().write(WriteLane::foreground(TENANT), (), |tx, ()| {
        let counter = storage::server::counters::Counter::Access;
        Box::pin(storage::server::counters::reserve_number(tx, TENANT, counter))
    });
    next.await.unwrap()
}

/// Why there is no access log.
fn unusable_activity(db: &Db) -> Option<String> {
    match db.activity() {
        Err(Error::DatabaseFault { fault: DatabaseFault::NoAccessLog, cause }) => Some(cause),
        _ => None,
    }
}

fn activity_file(database: &Database) -> std::path::PathBuf {
    database.folder().unwrap().join("amparo.db.activity")
}

/// As an earlier version left it: accesses in the database, and no file of activity.
async fn return_to_earlier_version(database: &Database, db: Db, rows: impl Iterator<Item = (i32, i32)>) {
    let mut statements = vec![sql("DELETE FROM settings WHERE name = 'activity_file'")];
    statements.extend(rows.map(|(code, block)| insert_access(code, block)));
    run(&db, statements).await;
    db.close().await;
    std::fs::remove_file(activity_file(database)).unwrap();
}

#[testkit::test]
async fn accesses_of_an_earlier_version_move_under_their_codes_and_count_on() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = database.open().await;
    count_audit(&db, 6_000).await;
    let expected: Vec<(i32, i32)> = (1..=2_500).map(|number| (number * 2, number % 5)).collect();
    return_to_earlier_version(&database, db, expected.iter().copied()).await;

    // A command does not move them: a server of the earlier version may be running.
    let options = testkit::options();
    let (command, _) =
        storage::open_database(&database.address(), &options, SchemaPolicy::Expect).await.unwrap();
    assert!(command.separate_activity().is_none());
    assert_eq!(accesses(command.activity().unwrap()).await.len(), 2_500);
    command.close().await;
    assert!(!activity_file(&database).exists());

    let db = database.open().await;
    assert_eq!(accesses(db.separate_activity().unwrap()).await, expected);
    assert_eq!(accesses(&db).await, []);
    assert_eq!(next_access_code(&db).await, 6_001, "cursors given out before still hold");
    let mode = std::fs::metadata(activity_file(&database)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    db.close().await;
}

#[testkit::test]
async fn what_an_interruption_left_in_both_is_there_once_and_nothing_is_lost() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = database.open().await;
    count_audit(&db, 20).await;
    // Copied and not yet deleted (1, 2), not yet copied (3), and an earlier version's own use of a code (4).
    run(&db, vec![insert_access(1, 1), insert_access(2, 2), insert_access(3, 3), insert_access(4, 99)]).await;
    let activity = db.separate_activity().unwrap();
    run(activity, vec![insert_access(1, 1), insert_access(2, 2), insert_access(4, 4)]).await;
    db.close().await;
    let db = database.open().await;
    assert_eq!(accesses(&db).await, []);
    assert_eq!(
        accesses(db.separate_activity().unwrap()).await,
        [(1, 1), (2, 2), (3, 3), (4, 4), (21, 99)],
        "under a new code where its own is taken"
    );
    db.close().await;
}

#[testkit::test]
async fn the_file_of_another_database_is_not_used_and_all_else_works() {
    let (database, other) = (Database::fresh(Engine::Sqlite).await, Database::fresh(Engine::Sqlite).await);
    database.open().await.close().await;
    other.open().await.close().await;
    std::fs::copy(activity_file(&other), activity_file(&database)).unwrap();
    for schema in [SchemaPolicy::Migrate, SchemaPolicy::Expect, SchemaPolicy::Inspect] {
        let opened = storage::open_database(&database.address(), &testkit::options(), schema).await;
        let (db, _) = opened.unwrap();
        assert!(unusable_activity(&db).unwrap().contains("another database"));
        assert_eq!(db.write_fault(), Some(DatabaseFault::NoAccessLog), "the server is not ready");
        count_audit(&db, 1).await;
        db.close().await;
    }
    // A new database beside a file that is left of another.
    std::fs::remove_file(database.folder().unwrap().join("amparo.db")).unwrap();
    let db = database.open().await;
    assert!(unusable_activity(&db).is_some());
    db.close().await;
}

#[testkit::test]
async fn a_missing_file_is_told_to_who_looks_and_begun_again_by_a_server() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = database.open().await;
    count_audit(&db, 50).await;
    db.close().await;
    std::fs::remove_file(activity_file(&database)).unwrap();
    let looked =
        storage::open_database(&database.address(), &testkit::options(), SchemaPolicy::Inspect).await;
    let (db, _) = looked.unwrap();
    assert!(unusable_activity(&db).is_some());
    db.close().await;
    assert!(!activity_file(&database).exists(), "looking creates nothing");
    let db = database.open().await;
    assert_eq!(next_access_code(&db).await, 51);
    db.close().await;
}

/// Two servers that start at once (one of them is refused later by the lock) agree on one file.
#[testkit::test]
async fn two_that_start_at_once_agree_on_the_file() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = database.open().await;
    count_audit(&db, 100).await;
    let expected: Vec<(i32, i32)> = (1..=50).map(|code| (code, code)).collect();
    return_to_earlier_version(&database, db, expected.iter().copied()).await;
    let address = database.address();
    let opening = || {
        let address = address.clone();
        tokio::spawn(async move {
            storage::open_database(&address, &testkit::options(), SchemaPolicy::Migrate).await.unwrap().0
        })
    };
    let (one, other) = (opening(), opening());
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    assert_eq!(accesses(one.separate_activity().unwrap()).await, expected);
    assert_eq!(accesses(other.separate_activity().unwrap()).await, expected);
    assert_eq!(accesses(&one).await, []);
    one.close().await;
    other.close().await;
}
