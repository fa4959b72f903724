//! `kill -9` in the middle of writing, again and again: every answered write is there, whole, and nothing else is half
//! there. `AMPARO_TEST_KILLS` sets how often (20, and more in `./test --long`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and this one prints a table"
)]

use domain::Chance;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use storage::{Db, Row, Weight, sql};
use testkit::{Database, SeededChance, both_engines};

#[both_engines]
async fn every_answered_write_survives_kill_9(database: Database) {
    let kills = std::env::var("AMPARO_TEST_KILLS").map_or(20, |text| text.parse().unwrap());
    let chance = SeededChance::new(9);
    let mut answered = BTreeMap::new();
    for round in 1..=kills {
        let mut byte = [0; 2];
        chance.fill(&mut byte);
        let patience = usize::from(u16::from_be_bytes(byte) % 300);
        answered.extend(storm(&database, round, patience));
    }
    let db = database.open().await;
    let stored = stored(&db).await;
    for (code, record) in &answered {
        assert_eq!(stored.get(code), Some(record), "the answered change {code}");
    }
    let codes: Vec<i64> = stored.keys().copied().collect();
    assert_eq!(codes, (1..=codes.len() as i64).collect::<Vec<_>>(), "codes without gaps");
    assert_eq!(
        number(&db, "SELECT last AS n FROM counters WHERE tenant = 7 AND kind = 'history'").await,
        codes.len() as i64
    );
    assert_eq!(
        number(&db, "SELECT COUNT(*) AS n FROM outbox").await,
        2 * codes.len() as i64,
        "two deliveries each"
    );
    let whole = "SELECT COUNT(*) AS n FROM history h WHERE h.tenant = 7
         AND 2 = (SELECT COUNT(*) FROM outbox o WHERE o.tenant = 7 AND o.receiver IN (1, 2) AND o.history_code = h.code)";
    assert_eq!(number(&db, whole).await, codes.len() as i64);
    assert!(answered.len() >= usize::try_from(kills).unwrap(), "the storm wrote something");
    println!(
        "| {:?} | {kills} kills | {} answered | {} stored | 0 lost |",
        database.engine,
        answered.len(),
        codes.len()
    );
    db.close().await;
}

/// Lets a process write until so many answers have come, and kills it. What it still managed to say counts too.
fn storm(database: &Database, round: i32, patience: usize) -> Vec<(i64, i64)> {
    let mut process = Command::new(env!("CARGO_BIN_EXE_storm"))
        .args([database.address_text(), &round.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answered = Vec::new();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    for (number, line) in lines.map_while(Result::ok).enumerate() {
        if number == patience {
            process.kill().unwrap();
        }
        // The last line may have been cut short by the kill.
        if let Some((record, code)) = line.split_once(' ')
            && let (Ok(record), Ok(code)) = (record.parse(), code.parse())
        {
            answered.push((code, record));
        }
    }
    process.wait().unwrap();
    answered
}

async fn stored(db: &Db) -> BTreeMap<i64, i64> {
    let rows = db
        .query(Weight::Search, sql("SELECT code, record FROM history WHERE tenant = 7 ORDER BY code"))
        .await;
    let pair = |row: &Row| (row.get("code").unwrap(), row.get("record").unwrap());
    rows.unwrap().iter().map(pair).collect()
}

async fn number(db: &Db, text: &'static str) -> i64 {
    db.query(Weight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
}
