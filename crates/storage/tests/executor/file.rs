//! What is true of the embedded engine alone: its file, its log, its lock.

use crate::gate::{Gate, insert, mark, marks, queue, scratch};
use std::time::Duration;
use storage::{DatabaseOptions, Error, OpenError, SchemaPolicy, WriteLane, sql};
use testkit::{Database, Engine};

fn lane() -> WriteLane {
    WriteLane::foreground(domain::TenantId::new(7))
}

/// The database may end a transaction by itself when the disk is full: whatever was answered with success is there,
/// whatever was not is not, and the database goes on.
#[testkit::test]
async fn a_full_disk_loses_nothing_that_was_answered() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    let limit = db.write(lane(), (), |tx, ()| Box::pin(tx.fetch_all(sql("PRAGMA max_page_count = 200"))));
    limit.await.unwrap();
    let gate = Gate::close(&db, &database, lane()).await;
    let mut units = Vec::new();
    for number in 1..=20 {
        let db = &db;
        units.push((
            number,
            queue(async move {
                let bytes = if number % 5 == 0 { vec![7u8; 2_000_000] } else { vec![7u8; 10] };
                let unit = db.write(lane(), (number, bytes), |tx, (number, bytes)| {
                    Box::pin(async move {
                        insert(tx, *number).await?;
                        let big = sql("INSERT INTO kinds (number, bytes) VALUES ($1, $2)")
                            .arg(*number)
                            .arg(&bytes[..]);
                        tx.execute(big).await.map(drop)
                    })
                });
                unit.await
            }),
        ));
    }
    gate.open();
    let mut answered = Vec::new();
    let mut refused = 0;
    for (number, unit) in units {
        match unit.await {
            Ok(()) => answered.push(number),
            Err(
                Error::DatabaseFault { fault: domain::DatabaseFault::DiskFull, .. } | Error::Unavailable(_),
            ) => {
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused >= 4, "the large ones do not fit");
    assert_eq!(marks(&db).await, answered);
    mark(&db, lane(), 100).await.unwrap();
}

#[testkit::test]
async fn as_much_of_the_file_is_mapped_as_the_settings_say() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = database.open_with(&DatabaseOptions { mmap_mib: 1_048_576, ..DatabaseOptions::default() }).await;
    let mapped = db.query(storage::QueryWeight::Point, sql("PRAGMA mmap_size")).await.unwrap();
    assert_eq!(mapped[0].get::<i64>("mmap_size").unwrap(), 1 << 40);
    db.close().await;
}

/// A process that holds the lock for too long is not waited for without end.
#[testkit::test]
async fn a_write_waits_for_another_process_as_long_as_a_unit_may_take() {
    let database = Database::fresh(Engine::Sqlite).await;
    scratch(&database).await.close().await;
    let hasty = DatabaseOptions { unit_timeout: Duration::from_millis(20), ..testkit::options() };
    let db = database.open_with(&hasty).await;
    let other = rusqlite::Connection::open(database.folder().unwrap().join("amparo.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = mark(&db, lane(), 1).await;
    assert!(matches!(&refused, Err(Error::Unavailable(cause)) if cause.contains("locked")), "{refused:?}");
    other.execute_batch("COMMIT").unwrap();
    drop(other);
    db.close().await;
    let db = database.open().await;
    mark(&db, lane(), 2).await.unwrap();
    assert_eq!(marks(&db).await, [2]);
    db.close().await;
}

/// Another process that writes all the time leaves the lock free for moments only.
#[testkit::test]
async fn a_write_beside_a_busy_process_gets_its_turn() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    let path = database.folder().unwrap().join("amparo.db");
    let (report, reports) = std::sync::mpsc::channel();
    let busy = std::thread::spawn(move || {
        let other = rusqlite::Connection::open(path).unwrap();
        let mut last = 0;
        // Until nobody listens any more, also if the test has failed.
        while report.send(()).is_ok() {
            let written = other.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 WITH RECURSIVE n (i) AS (SELECT {last} UNION ALL SELECT i + 1 FROM n WHERE i < {last} + 20000)
                 INSERT INTO words (number, word) SELECT i, 'x' FROM n;
                 COMMIT"
            ));
            match written {
                Ok(()) => last += 20_001,
                Err(_) => drop(other.execute_batch("ROLLBACK")),
            }
        }
    });
    reports.iter().nth(1);
    for number in 1..=20 {
        mark(&db, lane(), number).await.unwrap();
    }
    drop(reports);
    busy.join().unwrap();
    assert_eq!(marks(&db).await, (1..=20).collect::<Vec<i64>>());
    db.close().await;
}

#[testkit::test]
async fn the_log_is_moved_back_while_people_write() {
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    let wal = database.folder().unwrap().join("amparo.db-wal");
    let mut number = 0i64;
    loop {
        number += 1;
        let unit = db.write(lane(), number, |tx, number| {
            let insert = sql("INSERT INTO kinds (number, bytes) VALUES ($1, $2)").arg(*number);
            Box::pin(tx.execute(insert.arg(&vec![1u8; 1 << 20][..])))
        });
        unit.await.unwrap();
        let log = (std::fs::metadata(&wal).unwrap().len() >> 20) as i64;
        if number >= 150 && log <= number / 2 {
            break;
        }
        // On a busy machine the thread that moves it back may be late.
        assert!(number < 400, "{number} MiB were written and the log has {log} MiB");
    }
    db.close().await;
}

/// Two connections that close at the same time each find the other's lock, and neither moves the log back.
#[testkit::test]
async fn a_closed_database_is_one_file_and_its_activity_another() {
    let database = Database::fresh(Engine::Sqlite).await;
    scratch(&database).await.close().await;
    for number in 1..=20 {
        let db = database.open_with(&DatabaseOptions { readers: 16, ..testkit::options() }).await;
        mark(&db, lane(), number).await.unwrap();
        db.close().await;
        let files = std::fs::read_dir(database.folder().unwrap()).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["amparo.db", "amparo.db.activity"], "after closing it {number} times");
    }
}

#[testkit::test]
async fn a_second_server_is_refused_and_a_command_is_welcome() {
    let database = Database::fresh(Engine::Sqlite).await;
    let address = database.address();
    let held = storage::lock_for_server(&address).unwrap();
    let server = scratch(&database).await;
    assert!(matches!(storage::lock_for_server(&address), Err(OpenError::InUse(_))));
    let (command, _) =
        storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Expect).await.unwrap();
    let (one, other) = tokio::join!(mark(&server, lane(), 1), mark(&command, lane(), 2));
    one.unwrap();
    other.unwrap();
    assert_eq!(marks(&server).await, [1, 2]);
    command.close().await;
    drop(held);
    assert!(storage::lock_for_server(&address).is_ok());
}

/// Any number of commands may import at a time, and a server finds out that one does.
#[testkit::test]
async fn a_server_knows_whether_a_command_imports_beside_it() {
    let database = Database::fresh(Engine::Sqlite).await;
    let address = database.address();
    let is_alone = || storage::lock_out_imports(&address).unwrap().is_some();
    assert!(is_alone());
    let one = storage::lock_for_import(&address).unwrap();
    let other = storage::lock_for_import(&address).unwrap();
    assert!(!is_alone());
    drop(one);
    assert!(!is_alone(), "the other is still there");
    drop(other);
    assert!(is_alone());
    let server = storage::lock_out_imports(&address).unwrap();
    assert!(server.is_some() && !is_alone(), "one server at a time");
    assert!(storage::lock_for_server(&address).is_ok(), "the lock of servers is another one");
}

#[testkit::test]
async fn what_is_no_database_or_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        storage::DatabaseAddress::parse(&format!("sqlite:{}", folder.path().join(name).display())).unwrap()
    };
    std::fs::write(folder.path().join("text.db"), "this is no database, however long it may be".repeat(100))
        .unwrap();
    let options = DatabaseOptions::default();
    let opened = storage::open_database(&at("text.db"), &options, SchemaPolicy::Migrate).await.err();
    assert!(matches!(opened, Some(OpenError::Unreachable { .. })), "{opened:?}");
    let absent = storage::open_database(&at("absent.db"), &options, SchemaPolicy::Inspect).await.err();
    assert!(matches!(absent, Some(OpenError::Absent(_))), "{absent:?}");
    assert!(!folder.path().join("absent.db").exists(), "looking creates nothing");
}

fn holds(database: &Database, text: &str) -> bool {
    let files = std::fs::read_dir(database.folder().unwrap()).unwrap();
    let mut all = files.map(|file| std::fs::read(file.unwrap().path()).unwrap_or_default());
    all.any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
}

/// The bodies of mails carry passwords and links: erased, they are not to be found in the file either, neither a short one
/// nor one that takes pages of its own.
#[testkit::test]
async fn what_was_erased_is_not_in_the_file() {
    const ERASED: [&str; 2] = ["senha tk8ge-rvj9h", "senha zq4wm-2hxpd"];
    const KEPT: &str = "senha que fica";
    let database = Database::fresh(Engine::Sqlite).await;
    let db = scratch(&database).await;
    let bodies = [ERASED[0].to_owned(), ERASED[1].repeat(2000), KEPT.to_owned()];
    for (number, body) in (1i64..).zip(bodies) {
        let unit = db.write(lane(), (number, body), |tx, (number, body)| {
            let insert = sql("INSERT INTO kinds (number, bytes) VALUES ($1, $2)").arg(*number);
            Box::pin(tx.execute(insert.arg(body.as_bytes())))
        });
        unit.await.unwrap();
    }
    db.close().await;
    assert!(ERASED.into_iter().all(|text| holds(&database, text)), "they are there before");
    let db = database.open().await;
    let erase = "UPDATE kinds SET bytes = NULL WHERE number < 3";
    db.write(lane(), (), |tx, ()| Box::pin(tx.execute(sql(erase)))).await.unwrap();
    db.close().await;
    for text in ERASED {
        assert!(!holds(&database, text), "{text}");
    }
    assert!(holds(&database, KEPT));
}
