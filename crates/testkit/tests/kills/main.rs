//! `kill -9` in the middle of writing, again and again: every answered write is there, whole, and nothing else is half
//! there. `AMPARO_TEST_KILLS` sets how often (20, and more in `./test --long`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and this one prints a table"
)]

mod ledger;
mod whole;

extern crate amparo_testkit as testkit;

use app::members::search;
use app::{App, access};
use demo::DemoLoadOptions;
use domain::{Entity, RandomSource, ReceiverCode, TenantId};
use ledger::Ledger;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use storage::server::versions;
use storage::triggers::receivers;
use storage::triggers::receivers::NewReceiverRow;
use storage::{Db, Error, QueryWeight, Row, Statement, WriteLane, sql};
use testkit::{Database, SeededChance, StillClock, app_on, both_engines};

const HERE: TenantId = TenantId::new(1);

/// An association with a few members, and with somebody who is told of changes.
async fn found(database: &Database) -> App {
    let app = app_on(database.open().await, Arc::new(StillClock::default()), 0);
    let few = DemoLoadOptions { members: 20, seed: 1, password: demo::PASSWORD.to_owned(), months: Some(2) };
    demo::load_demo(&app, &few, &mut |_| {}).await.unwrap();
    let unit = app.db.write(WriteLane::foreground(HERE), app.now(), |tx, now| {
        Box::pin(async move {
            // Nobody listens there, and the guard lets nobody through to it.
            let nobody = NewReceiverRow {
                code: ReceiverCode::new(1),
                address: "http://127.0.0.1:9",
                entities: &[Entity::Benefit],
                concurrency: 1,
            };
            receivers::insert_receiver(tx, HERE, &nobody, *now).await?;
            versions::raise_registers_version(tx, HERE).await.map(drop)
        })
    });
    unit.await.map_err(|error: Error| error).unwrap();
    app
}

#[both_engines]
async fn every_answered_write_survives_kill_9(database: Database) {
    let kills = std::env::var("AMPARO_TEST_KILLS").map_or(20, |text| text.parse().unwrap());
    let app = found(&database).await;
    let before =
        number(&app.db, "SELECT last AS n FROM counters WHERE tenant = 1 AND kind = 'history'").await;
    app.db.close().await;
    let chance = SeededChance::new(9);
    let mut ledger = Ledger::default();
    for round in 1..=kills {
        let mut byte = [0; 2];
        chance.fill(&mut byte);
        let patience = usize::from(u16::from_be_bytes(byte) % 300);
        storm(&database, round, patience, &mut ledger);
    }
    let app = app_on(database.open().await, Arc::new(StillClock::default()), 0);
    // A server ends what was under way a moment after its caller has gone; a write waits its turn behind that.
    let unit = app
        .db
        .write(WriteLane::foreground(HERE), (), |tx, ()| Box::pin(tx.fetch_all(sql("SELECT 1 AS one"))));
    unit.await.map_err(|error: Error| error).unwrap();
    whole::nothing_is_half_there(&app.db, before).await;
    let stored = ledger.compare(&app.db).await;
    ledger.find_everybody(&app).await;
    assert!(ledger.answered >= usize::try_from(kills).unwrap(), "the storm wrote something");
    println!(
        "| {:?} | {kills} kills | {} answered | {stored} stored | 0 lost |",
        database.engine, ledger.answered
    );
    app.db.close().await;
}

/// Lets a process write until so many lines have come, and kills it. What it still managed to say counts too.
fn storm(database: &Database, round: i32, patience: usize, ledger: &mut Ledger) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_storm"))
        .args([database.address_text(), &round.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut came = 0;
    for line in lines.map_while(Result::ok) {
        if came == patience {
            process.kill().unwrap();
        }
        came += 1;
        ledger.write(&line);
    }
    process.wait().unwrap();
    assert!(came >= patience, "the storm of round {round} ended by itself");
}

async fn all(db: &Db, text: &'static str) -> Vec<Row> {
    asked(db, sql(text)).await
}

async fn asked(db: &Db, statement: Statement) -> Vec<Row> {
    db.query(QueryWeight::Search, statement).await.unwrap()
}

async fn number(db: &Db, text: &'static str) -> i64 {
    all(db, text).await[0].get("n").unwrap()
}
