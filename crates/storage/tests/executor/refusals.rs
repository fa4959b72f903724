//! A database that refuses to write: told as such, and used again as soon as it takes writes.

use crate::gate::{mark, marks, scratch};
use domain::DatabaseFault;
use storage::{Error, QueryWeight, WriteLane, sql};
use testkit::{Database, Engine, both_engines, until};

fn lane() -> WriteLane {
    WriteLane::foreground(domain::TenantId::new(7))
}

mod a_server_that_was_demoted_is_left_as_soon_as_another_takes_writes {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let db = scratch(&database).await;
        mark(&db, lane(), 1).await.unwrap();
        assert_eq!(db.write_fault(), None);
        let address = database.address_text();
        let (server, name) = address.rsplit_once('/').unwrap();
        let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        Database::statement(address, &demote).await;
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        Database::statement(address, others).await;
        // Whatever state the connections were in, no write is a defect of ours from here on.
        let refused = mark(&db, lane(), 2).await;
        let read_only = |answer: &Result<(), Error>| {
            matches!(answer, Err(Error::DatabaseFault { fault: DatabaseFault::ReadOnly, .. }))
        };
        assert!(read_only(&refused), "{refused:?}");
        assert_eq!(db.write_fault(), Some(DatabaseFault::ReadOnly));
        assert_eq!(marks(&db).await, [1], "reading goes on");
        let promote = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
        Database::statement(&format!("{server}/postgres"), &promote).await;
        // The connections that were opened meanwhile would refuse for ever: they are replaced.
        until("a write succeeds", || async { mark(&db, lane(), 3).await.is_ok() }).await;
        assert_eq!(db.write_fault(), None);
        assert_eq!(marks(&db).await, [1, 3]);
        db.close().await;
    }
}

mod rights_that_were_taken_away_are_no_defect {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let db = scratch(&database).await;
        let unit = db.write(lane(), (), |tx, ()| {
            Box::pin(async move {
                tx.execute(sql("SET LOCAL ROLE pg_monitor")).await?;
                crate::gate::insert(tx, 1).await
            })
        });
        let refused = unit.await;
        let is_permission =
            matches!(refused, Err(Error::DatabaseFault { fault: DatabaseFault::NoPermission, .. }));
        assert!(is_permission, "{refused:?}");
        assert_eq!(db.write_fault(), Some(DatabaseFault::NoPermission));
        mark(&db, lane(), 2).await.unwrap();
        assert_eq!(db.write_fault(), Some(DatabaseFault::NoPermission), "another table may well be open");
        db.close().await;
    }
}

/// A read that writes is refused alike by both engines, and is no fault of the database.
#[both_engines]
async fn a_read_that_writes_is_refused_and_says_nothing_of_the_database(database: Database) {
    let db = scratch(&database).await;
    let read = db.read((), |tx, ()| Box::pin(crate::gate::insert(tx, 1)));
    let refused: Result<(), Error> = read.await;
    assert!(matches!(refused, Err(Error::ReadOnlyTransaction(_))), "{refused:?}");
    assert_eq!(db.write_fault(), None);
    assert_eq!(marks(&db).await, [] as [i64; 0]);
    db.close().await;
}

#[testkit::test]
async fn a_full_disk_is_known_until_there_is_room() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    let pages = async |most: &'static str| {
        let limit = db.write(lane(), most, |tx, most| Box::pin(tx.fetch_all(sql(most))));
        limit.await.unwrap();
    };
    pages("PRAGMA max_page_count = 1").await;
    let large = db.write(lane(), (), |tx, ()| {
        let large = sql("INSERT INTO kinds (number, bytes) VALUES (1, $1)").arg(&vec![7u8; 2_000_000][..]);
        Box::pin(async move { tx.execute(large).await.map(drop) })
    });
    let refused: Result<(), Error> = large.await;
    assert!(
        matches!(refused, Err(Error::DatabaseFault { fault: DatabaseFault::DiskFull, .. })),
        "{refused:?}"
    );
    assert_eq!(db.write_fault(), Some(DatabaseFault::DiskFull));
    db.ping().await.unwrap();
    assert_eq!(db.write_fault(), Some(DatabaseFault::DiskFull), "a read proves nothing");
    pages("PRAGMA max_page_count = 1000000").await;
    mark(&db, lane(), 1).await.unwrap();
    assert_eq!(db.write_fault(), None);
    db.close().await;
}

/// Pages overwritten behind the server's back.
#[testkit::test]
async fn damaged_pages_are_told_as_damage() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    mark(&db, lane(), 1).await.unwrap();
    db.close().await;
    let path = database.folder().unwrap().join("amparo.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let number = |text: &str| -> usize {
        let number: i64 = connection.query_row(text, [], |row| row.get(0)).unwrap();
        usize::try_from(number).unwrap()
    };
    let size = number("PRAGMA page_size");
    let page = number("SELECT rootpage FROM sqlite_schema WHERE name = 'marks'");
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(page - 1) * size..page * size].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let db = database.open().await;
    let read =
        db.query(QueryWeight::Search, sql("SELECT mark, place, touched FROM marks WHERE touched = 0")).await;
    assert!(matches!(read, Err(Error::DatabaseFault { fault: DatabaseFault::Damaged, .. })), "{read:?}");
    assert_eq!(db.write_fault(), Some(DatabaseFault::Damaged));
    db.close().await;
}
