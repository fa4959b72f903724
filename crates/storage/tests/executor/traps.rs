//! Every trap of two engines behind one executor, each with a test of its name.

use crate::gate::{self, Gate, mark, marks, queue, scratch};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use storage::history::situation_changes::{NewHistoryRow, insert_history_entry};
use storage::server::counters;
use storage::{DatabaseOptions, Db, Error, QueryWeight, Row, Tx, WriteLane, sql};
use testkit::{Database, Engine, both_engines};

const RECEIVERS: [domain::ReceiverCode; 1] = [domain::ReceiverCode::new(1)];

fn tenant() -> domain::TenantId {
    domain::TenantId::new(7)
}

fn lane() -> WriteLane {
    WriteLane::foreground(tenant())
}

#[both_engines]
async fn a_panic_costs_its_unit_alone(database: Database) {
    let db = scratch(&database).await;
    let gate = Gate::close(&db, &database, lane()).await;
    let before = queue(mark(&db, lane(), 1));
    let panicking = queue(async {
        let unit = db.write(lane(), (), |tx, ()| {
            Box::pin(async move {
                gate::insert(tx, 2).await?;
                panic!("boom");
            })
        });
        unit.await as Result<(), Error>
    });
    let after = queue(mark(&db, lane(), 3));
    gate.open();
    assert!(before.await.is_ok());
    assert!(matches!(panicking.await, Err(Error::Panicked(text)) if text == "boom"));
    assert!(after.await.is_ok());
    assert_eq!(marks(&db).await, [1, 3]);
}

#[both_engines]
async fn a_unit_that_awaits_something_foreign_is_rolled_back_and_refused(database: Database) {
    scratch(&database).await.close().await;
    let db = database
        .open_with(&DatabaseOptions { unit_timeout: Duration::from_secs(5), ..testkit::options() })
        .await;
    let foreign = db.write(lane(), (), |tx, ()| {
        Box::pin(async move {
            gate::insert(tx, 1).await?;
            std::future::pending::<()>().await;
            Ok::<_, Error>(())
        })
    });
    let refusal = foreign.await;
    match database.engine {
        Engine::Sqlite => assert!(matches!(refusal, Err(Error::Foreign)), "{refusal:?}"),
        Engine::Postgres => assert!(matches!(refusal, Err(Error::TooSlow)), "{refusal:?}"),
    }
    mark(&db, lane(), 2).await.unwrap();
    assert_eq!(marks(&db).await, [2]);
}

#[both_engines]
async fn a_failed_commit_fails_its_whole_batch(database: Database) {
    let db = scratch(&database).await;
    // Its statement is prepared by now: on a busy machine that alone would fill a batch.
    mark(&db, lane(), 0).await.unwrap();
    let mut kept = vec![0];
    for number in 1.. {
        assert!(number < 1000, "never in one batch");
        let gate = Gate::close(&db, &database, lane()).await;
        let innocent = queue(mark(&db, lane(), number));
        // Its reference is looked at only when the batch is committed, and leads nowhere.
        let orphan = queue(async {
            let unit = db.write(lane(), (), |tx, ()| {
                Box::pin(tx.execute(sql("INSERT INTO orphans (mark) VALUES ($1)").arg(999)))
            });
            unit.await
        });
        gate.open();
        let innocent = innocent.await;
        assert!(orphan.await.is_err());
        if innocent.is_err() {
            break;
        }
        // A batch ends after some time: on a busy machine each of the two may have had one of its own.
        kept.push(number);
    }
    assert_eq!(marks(&db).await, kept);
    mark(&db, lane(), 2000).await.unwrap();
    kept.push(2000);
    assert_eq!(marks(&db).await, kept);
}

#[both_engines]
async fn a_unit_whose_caller_has_gone_is_skipped_before_it_starts(database: Database) {
    let db = scratch(&database).await;
    let gate = Gate::close(&db, &database, lane()).await;
    let gone = queue(mark(&db, lane(), 1));
    let stays = queue(mark(&db, lane(), 2));
    drop(gone);
    gate.open();
    stays.await.unwrap();
    assert_eq!(marks(&db).await, [2]);
}

#[both_engines]
async fn a_unit_that_has_begun_is_never_left_half_way(database: Database) {
    let db = scratch(&database).await;
    let gate = Gate::close_marking(&db, &database, lane(), 1).await;
    // The gate's own unit is under way; whoever asked for it goes now.
    gate.abandon().open();
    mark(&db, lane(), 2).await.unwrap();
    assert_eq!(marks(&db).await, [1, 2]);
}

#[both_engines]
async fn background_units_queue_behind_people(database: Database) {
    let db = scratch(&database).await;
    let gate = Gate::close(&db, &database, lane()).await;
    let background: Vec<_> = (10..14).map(|n| queue(mark(&db, WriteLane::background(tenant()), n))).collect();
    let people: Vec<_> = (1..5).map(|n| queue(mark(&db, lane(), n))).collect();
    gate.open();
    for unit in people.into_iter().chain(background) {
        unit.await.unwrap();
    }
    assert_eq!(gate::order(&db).await, [1, 2, 3, 4, 10, 11, 12, 13]);
}

#[both_engines]
async fn a_refused_unit_leaves_nothing_and_harms_nobody(database: Database) {
    let db = scratch(&database).await;
    mark(&db, lane(), 1).await.unwrap();
    let again = mark(&db, lane(), 1).await;
    assert!(matches!(again, Err(Error::Conflict(_))), "{again:?}");
    let half = db.write(lane(), (), |tx, ()| {
        Box::pin(async move {
            gate::insert(tx, 2).await?;
            gate::insert(tx, 1).await
        })
    });
    assert!(matches!(half.await, Err(Error::Conflict(_))));
    assert_eq!(marks(&db).await, [1]);
}

/// A unit that drops a statement half way must not pass for one that did everything it meant to.
#[both_engines]
async fn a_statement_that_was_cut_off_fails_its_unit(database: Database) {
    let db = scratch(&database).await;
    let cuts = db.write(lane(), (), |tx, ()| {
        Box::pin(async move {
            gate::insert(tx, 1).await?;
            {
                let statement = std::pin::pin!(gate::insert(tx, 2));
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                let _ = statement.poll(&mut context);
            }
            Ok::<_, Error>(())
        })
    });
    let answer = cuts.await;
    match database.engine {
        // It cannot be cut off there: it has ended when it was polled once.
        Engine::Sqlite => assert!(answer.is_ok(), "{answer:?}"),
        Engine::Postgres => assert!(matches!(answer, Err(Error::Broken(_))), "{answer:?}"),
    }
    let expected: &[i64] = if answer.is_ok() { &[1, 2] } else { &[] };
    assert_eq!(marks(&db).await, expected);
    mark(&db, lane(), 3).await.unwrap();
}

/// A unit that takes too long is refused by itself: those before it in its batch are kept, and it is not run twice.
#[both_engines]
async fn a_slow_unit_costs_nobody_of_its_batch_anything_but_time(database: Database) {
    scratch(&database).await.close().await;
    let db = database
        .open_with(&DatabaseOptions { unit_timeout: Duration::from_secs(3), ..testkit::options() })
        .await;
    let runs = Arc::new(AtomicUsize::new(0));
    let gate = Gate::close(&db, &database, lane()).await;
    let before = queue(mark(&db, lane(), 1));
    let slow = queue(async {
        let unit = db.write(lane(), Arc::clone(&runs), |tx, runs| {
            Box::pin(async move {
                runs.fetch_add(1, Ordering::SeqCst);
                gate::insert(tx, 2).await?;
                let endless = sql("INSERT INTO words (number, word)
                     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000)
                     SELECT COUNT(*), 'x' FROM n");
                tx.execute(endless).await
            })
        });
        unit.await
    });
    let after = queue(mark(&db, lane(), 3));
    gate.open();
    let refused = slow.await;
    assert!(matches!(refused, Err(Error::TooSlow)), "{refused:?}");
    assert!(before.await.is_ok() && after.await.is_ok());
    assert_eq!(marks(&db).await, [1, 3]);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// Whoever stops waiting for a search frees what it used: here more callers give up than searches can run at once.
#[both_engines]
async fn a_search_for_nobody_is_ended(database: Database) {
    scratch(&database).await.close().await;
    let hour = Duration::from_hours(1);
    let db = database.open_with(&DatabaseOptions { search_timeout: hour, ..testkit::options() }).await;
    for _ in 0..12 {
        let endless =
            sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000)
             SELECT COUNT(*) AS n FROM n");
        // An impatient caller.
        let search = db.query(QueryWeight::Search, endless);
        assert!(tokio::time::timeout(Duration::from_millis(30), search).await.is_err());
    }
    // Far sooner than the hour that one search may take.
    let found = db.query(QueryWeight::Search, sql("SELECT mark FROM marks"));
    assert!(tokio::time::timeout(Duration::from_mins(1), found).await.unwrap().is_ok());
}

/// Units that were cut off by the length of a batch go back to their own place: people still come first.
#[both_engines]
async fn long_background_units_do_not_overtake_people(database: Database) {
    let db = scratch(&database).await;
    let held = Arc::new(gate::Barrier::new(&database));
    let slowly = |rank: WriteLane, number: i64| {
        let (db, waits) = (&db, (number == 11).then(|| Arc::clone(&held)));
        async move {
            let unit = db.write(rank, (number, waits), |tx, (number, waits)| {
                Box::pin(async move {
                    if let Some(held) = waits {
                        held.arrive_and_wait().await;
                    }
                    let busy =
                        sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                         SELECT COUNT(*) AS n FROM n");
                    tx.fetch_all(busy).await?;
                    gate::insert(tx, *number).await
                })
            });
            unit.await
        }
    };
    let gate = Gate::close(&db, &database, lane()).await;
    let background: Vec<_> = (10..16).map(|n| queue(slowly(WriteLane::background(tenant()), n))).collect();
    let person = queue(slowly(lane(), 1));
    gate.open();
    held.arrived().await;
    let late = queue(mark(&db, lane(), 2));
    // Longer than a batch may work.
    tokio::time::sleep(Duration::from_millis(50)).await;
    held.open();
    person.await.unwrap();
    late.await.unwrap();
    for unit in background {
        unit.await.unwrap();
    }
    let order = gate::order(&db).await;
    assert_eq!(order[0], 1);
    // Behind the two that ran before it came, and on a slow machine one whose patience has ended.
    assert!(order.iter().position(|mark| *mark == 2) <= Some(4), "{order:?}");
}

/// A batch of which one unit fails after it wrote, one is refused before it wrote, and the others are kept. A busy machine
/// may part the batch, and then nothing need run twice; so it is tried until the batch stayed whole.
#[both_engines]
async fn a_unit_that_fails_after_it_wrote_takes_nobody_of_its_batch_with_it(database: Database) {
    let db = scratch(&database).await;
    for round in 0.. {
        assert!(round < 20, "the batch was never run again");
        if a_failing_batch(&db, &database, round).await == 2 {
            break;
        }
    }
}

/// Says how often the refused unit ran.
async fn a_failing_batch(db: &Db, database: &Database, round: i64) -> usize {
    let number = |of_round: i64| 10 * round + of_round;
    mark(db, lane(), number(1)).await.unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let gate = Gate::close(db, database, lane()).await;
    let kept = queue(mark(db, lane(), number(2)));
    let refused = queue(async {
        let unit = db.write(lane(), Arc::clone(&runs), |tx, runs| {
            Box::pin(async move {
                runs.fetch_add(1, Ordering::SeqCst);
                let seen = gate::count(tx).await?;
                Err::<(), Error>(Error::Broken(format!("{seen} seen")))
            })
        });
        unit.await
    });
    let fails = queue(async {
        let unit = db.write(lane(), (number(3), number(1)), |tx, (new, taken)| {
            Box::pin(async move {
                gate::insert(tx, *new).await?;
                gate::insert(tx, *taken).await
            })
        });
        unit.await
    });
    let last = queue(mark(db, lane(), number(4)));
    gate.open();
    assert!(kept.await.is_ok() && last.await.is_ok());
    let seen = format!("{} seen", 3 * round + 2);
    assert!(matches!(refused.await, Err(Error::Broken(text)) if text == seen), "it saw what came before it");
    assert!(matches!(fails.await, Err(Error::Conflict(_))));
    let order = gate::order(db).await;
    assert_eq!(order[order.len() - 3..], [number(1), number(2), number(4)]);
    runs.load(Ordering::SeqCst)
}

#[both_engines]
async fn after_a_failed_statement_a_unit_cannot_go_on(database: Database) {
    let db = scratch(&database).await;
    mark(&db, lane(), 1).await.unwrap();
    let swallows = db.write(lane(), (), |tx, ()| {
        Box::pin(async move {
            let _ = gate::insert(tx, 1).await;
            assert!(matches!(gate::insert(tx, 2).await, Err(Error::Broken(_))));
            Ok::<_, Error>(())
        })
    });
    assert!(matches!(swallows.await, Err(Error::Broken(_))));
    assert_eq!(marks(&db).await, [1]);
}

#[both_engines]
async fn after_a_failed_statement_nothing_that_was_foreseen_is_told(database: Database) {
    let db = scratch(&database).await;
    let swallows = db.write(lane(), (), |tx, ()| {
        Box::pin(async move {
            let known = || sql("SELECT mark FROM marks ORDER BY mark");
            tx.prefetch(vec![known()]).await?;
            let _ = tx.fetch_all(sql("SELECT mark FROM nowhere")).await;
            assert!(matches!(tx.fetch_all(known()).await, Err(Error::Broken(_))));
            Ok::<_, Error>(())
        })
    });
    assert!(matches!(swallows.await, Err(Error::Broken(_))));
}

#[both_engines]
async fn a_read_sees_one_snapshot(database: Database) {
    let db = scratch(&database).await;
    mark(&db, lane(), 1).await.unwrap();
    let gate = Arc::new(gate::Barrier::new(&database));
    let reader = {
        let (db, gate) = (db.clone(), Arc::clone(&gate));
        tokio::spawn(async move {
            let read = db.read(gate, |tx, gate| {
                Box::pin(async move {
                    let before = gate::count(tx).await?;
                    gate.arrive_and_wait().await;
                    Ok::<_, Error>((before, gate::count(tx).await?))
                })
            });
            read.await
        })
    };
    gate.arrived().await;
    mark(&db, lane(), 2).await.unwrap();
    gate.open();
    assert_eq!(reader.await.unwrap().unwrap(), (1, 1));
    assert_eq!(marks(&db).await, [1, 2]);
}

#[both_engines]
async fn a_read_cannot_write(database: Database) {
    let db = scratch(&database).await;
    let written = db.read((), |tx, ()| Box::pin(gate::insert(tx, 1))).await;
    assert!(written.is_err());
    assert!(db.query(QueryWeight::Search, sql("SELECT mark FROM marks")).await.unwrap().is_empty());
}

#[both_engines]
async fn a_point_query_never_waits_behind_searches(database: Database) {
    let db = scratch(&database).await;
    let gates: Vec<_> = (0..16).map(|_| Arc::new(gate::Barrier::new(&database))).collect();
    let mut readers = Vec::new();
    for gate in &gates {
        let (db, gate) = (db.clone(), Arc::clone(gate));
        readers.push(tokio::spawn(async move {
            let read = db.read(gate, |_, gate| {
                Box::pin(async move {
                    gate.arrive_and_wait().await;
                    Ok::<_, Error>(())
                })
            });
            read.await
        }));
    }
    let readers_at_once = testkit::options().readers;
    testkit::until("every reader has a search", || async {
        gates.iter().filter(|gate| gate.has_arrived()).count() == readers_at_once
    })
    .await;
    db.ping().await.unwrap();
    // One that takes too long for the caller's own thread.
    let long = sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
         SELECT COUNT(*) AS n FROM n");
    assert_eq!(db.query(QueryWeight::Point, long).await.unwrap().len(), 1);
    gates.iter().for_each(|gate| gate.open());
    for reader in readers {
        reader.await.unwrap().unwrap();
    }
}

#[both_engines]
async fn a_search_that_takes_too_long_is_ended(database: Database) {
    let options = DatabaseOptions { search_timeout: Duration::from_millis(50), ..testkit::options() };
    let db = database.open_with(&options).await;
    let endless = sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000)
         SELECT COUNT(*) AS n FROM n");
    let ended = db.query(QueryWeight::Search, endless).await;
    assert!(matches!(ended, Err(Error::TooSlow)), "{ended:?}");
    db.ping().await.unwrap();
}

/// Whoever waited for a search has gone once he has its answer, and that ends nothing that comes later.
#[both_engines]
async fn a_long_read_behind_a_search_is_not_ended(database: Database) {
    let db = database.open().await;
    for _ in 0..8 {
        db.query(QueryWeight::Search, sql("SELECT 1 AS one")).await.unwrap();
        let long = db.read((), |tx, ()| {
            Box::pin(tx.fetch_all(sql(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
                 SELECT COUNT(*) AS n FROM n",
            )))
        });
        let rows: Result<Vec<Row>, Error> = long.await;
        assert_eq!(rows.unwrap()[0].get::<i64>("n").unwrap(), 50_000);
    }
}

#[both_engines]
async fn parameters_are_numbered_not_named(database: Database) {
    let db = database.open().await;
    let swapped = sql("SELECT CAST($2 AS BIGINT) AS second, CAST($1 AS BIGINT) AS first").arg(1).arg(2);
    let row = &db.query(QueryWeight::Point, swapped).await.unwrap()[0];
    assert_eq!((row.get::<i64>("first").unwrap(), row.get::<i64>("second").unwrap()), (1, 2));
}

#[both_engines]
async fn a_sum_is_cast_and_text_compares_by_its_bytes(database: Database) {
    let db = scratch(&database).await;
    for (number, text) in ["b", "B", "a", "ã", "Z"].into_iter().enumerate() {
        let input = (number as i64, text);
        let unit = db.write(lane(), input, |tx, (number, text)| {
            Box::pin(
                tx.execute(sql("INSERT INTO words (number, word) VALUES ($1, $2)").arg(*number).arg(*text)),
            )
        });
        unit.await.unwrap();
    }
    let sum = sql("SELECT CAST(SUM(number) AS BIGINT) AS total FROM words");
    assert_eq!(db.query(QueryWeight::Search, sum).await.unwrap()[0].get::<i64>("total").unwrap(), 10);
    let words = db.query(QueryWeight::Search, sql("SELECT word FROM words ORDER BY word")).await.unwrap();
    let words: Vec<String> = words.iter().map(|row| row.get("word").unwrap()).collect();
    assert_eq!(words, ["B", "Z", "a", "b", "ã"]);
}

#[both_engines]
async fn text_with_nul_is_refused(database: Database) {
    let db = scratch(&database).await;
    let found =
        db.query(QueryWeight::Point, sql("SELECT number FROM words WHERE word = $1").arg("a\0b")).await;
    assert!(matches!(found, Err(Error::Broken(_))), "{found:?}");
    let written = db.write(lane(), (), |tx, ()| {
        Box::pin(tx.execute(sql("INSERT INTO words (number, word) VALUES (1, $1)").arg("a\0b")))
    });
    assert!(matches!(written.await, Err(Error::Broken(_))));
}

#[both_engines]
async fn a_unit_that_the_database_rolled_back_for_a_passing_reason_runs_again(database: Database) {
    if database.engine == Engine::Sqlite {
        // One writer: there is nobody to be in a deadlock with.
        return;
    }
    let db = scratch(&database).await;
    for number in [1, 2] {
        mark(&db, lane(), number).await.unwrap();
    }
    let met = Arc::new(tokio::sync::Barrier::new(2));
    let runs = Arc::new(AtomicUsize::new(0));
    let crossing = |tenant: i32, first: i64, second: i64| {
        let (db, input) = (db.clone(), (Arc::clone(&met), Arc::clone(&runs), first, second));
        tokio::spawn(async move {
            let unit = db.write(
                WriteLane::foreground(domain::TenantId::new(tenant)),
                input,
                |tx, (met, runs, first, second)| {
                    Box::pin(async move {
                        let run = runs.fetch_add(1, Ordering::SeqCst);
                        touch(tx, *first).await?;
                        if run < 2 {
                            met.wait().await;
                        }
                        touch(tx, *second).await
                    })
                },
            );
            unit.await
        })
    };
    let (one, other) = (crossing(1, 1, 2), crossing(2, 2, 1));
    assert!(one.await.unwrap().is_ok());
    assert!(other.await.unwrap().is_ok());
    assert!(runs.load(Ordering::SeqCst) >= 3, "one of the two ran again");
}

async fn touch(tx: &mut Tx, mark: i64) -> Result<u64, Error> {
    tx.execute(sql("UPDATE marks SET touched = touched + 1 WHERE mark = $1").arg(mark)).await
}

/// Eight callers in each of two processes: no code twice, no gap, and codes in the order in which they came to be.
#[both_engines]
async fn codes_have_no_gaps_and_are_in_commit_order_over_two_processes(database: Database) {
    let first = scratch(&database).await;
    let second = database.open().await;
    let mut callers = Vec::new();
    for caller in 0..16 {
        let db = if caller % 2 == 0 { first.clone() } else { second.clone() };
        callers.push(tokio::spawn(async move {
            let mut codes = Vec::new();
            for _ in 0..25 {
                codes.push(change(&db, caller).await.unwrap());
            }
            codes
        }));
    }
    let mut all = Vec::new();
    for caller in callers {
        let codes = caller.await.unwrap();
        assert!(codes.is_sorted(), "a later answer has a later code");
        all.extend(codes);
    }
    all.sort_unstable();
    assert_eq!(all, (1..=400).collect::<Vec<i32>>());
}

async fn change(db: &Db, record: i32) -> Result<i32, Error> {
    let change = NewHistoryRow {
        tenant: tenant(),
        entity: domain::Entity::Benefit,
        record,
        branch: domain::BranchCode::new(1),
        from: None,
        to: domain::SituationCode::new(1),
        user: None,
        reason: None,
        origin: "teste",
        at: domain::Moment::from_millis(0),
    };
    let unit = db.write(lane(), change, |tx, change| {
        Box::pin(async move {
            let code = counters::reserve_number(tx, change.tenant, counters::Counter::History).await?;
            let body = format!("{{\"codHistorico\":{code}}}");
            let entry = insert_history_entry(change, domain::HistoryCode::new(code), &RECEIVERS, body);
            tx.execute_batch(entry).await?;
            Ok(code)
        })
    });
    unit.await
}

#[both_engines]
async fn a_closed_database_says_so(database: Database) {
    let db = scratch(&database).await;
    let last = queue(mark(&db, lane(), 1));
    db.close().await;
    assert!(last.await.is_ok(), "what was queued is served");
    assert!(matches!(mark(&db, lane(), 2).await, Err(Error::Unavailable(_))));
    assert!(matches!(db.ping().await, Err(Error::Unavailable(_))));
}
