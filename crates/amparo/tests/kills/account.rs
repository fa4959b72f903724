//! Every change accounted for: what was answered is in the history, what is in the history arrived, what arrived is in
//! the history, each record in its order.

use super::callers::Ledger;
use super::receiver::{Arrival, history_code, is_refused_always};
use super::{ATTEMPTS, all};
use std::collections::BTreeMap;
use storage::Db;

pub struct Counts {
    pub changes: usize,
    pub delivered: usize,
    pub exhausted: usize,
    pub arrivals: usize,
    /// Taken again, under the same `webhook-id`.
    pub duplicates: usize,
}

struct Change {
    record: i64,
    body: String,
    situation: String,
}

pub async fn check(db: &Db, ledger: &Ledger, arrivals: &[Arrival]) -> Counts {
    // The demonstration's own changes are nobody's to hear: what is told begins behind them.
    let rows = all(
        db,
        "SELECT h.code, h.record, h.body, s.name FROM history h
         JOIN situations s ON s.tenant = h.tenant AND s.code = h.to_situation
         WHERE h.tenant = 1 AND h.origin <> 'demonstração' ORDER BY h.code",
    )
    .await;
    let changes: BTreeMap<i64, Change> = rows
        .iter()
        .map(|row| {
            let (record, body) = (row.get("record").unwrap(), row.get("body").unwrap());
            (row.get("code").unwrap(), Change { record, body, situation: row.get("name").unwrap() })
        })
        .collect();
    answered_is_written(ledger, &changes);
    let mut by_change: BTreeMap<i64, Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        // Nothing is invented.
        let code = history_code(&arrival.id).unwrap_or_else(|| panic!("{}", arrival.id));
        let code = i64::try_from(code).unwrap();
        let change = changes.get(&code).unwrap_or_else(|| panic!("{} is in no history", arrival.id));
        assert_eq!(arrival.body, change.body.as_bytes(), "{}", arrival.id);
        assert_eq!(arrival.path, "/avisos/beneficio", "{}", arrival.id);
        assert!(arrival.is_signed, "{}", arrival.id);
        by_change.entry(code).or_default().push(arrival);
    }
    let (delivered, exhausted) = nothing_is_lost(db, &changes, &by_change).await;
    nothing_overtakes(&changes, &by_change);
    let taken = arrivals.iter().filter(|one| one.taken.is_some()).count();
    let once = by_change.values().filter(|all| all.iter().any(|one| one.taken.is_some())).count();
    Counts {
        changes: changes.len(),
        delivered,
        exhausted,
        arrivals: arrivals.len(),
        duplicates: taken - once,
    }
}

/// Each benefit went through what was answered, and through nothing else but what was being asked for.
fn answered_is_written(ledger: &Ledger, changes: &BTreeMap<i64, Change>) {
    let mut written: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
    for change in changes.values() {
        written.entry(change.record).or_default().push(&change.situation);
    }
    for (benefit, said) in &ledger.benefits {
        let written = written.get(benefit).map_or(&[][..], Vec::as_slice);
        let (answered, more) = written.split_at_checked(said.did.len()).unwrap_or((written, &[]));
        assert_eq!(answered, said.did, "benefit {benefit}");
        assert!(more.is_empty() || more == said.trying.as_slice(), "benefit {benefit}: {more:?}");
    }
}

/// Every change has its delivery, which arrived, or was refused as often as it takes.
async fn nothing_is_lost(
    db: &Db,
    changes: &BTreeMap<i64, Change>,
    by_change: &BTreeMap<i64, Vec<&Arrival>>,
) -> (usize, usize) {
    let rows =
        all(db, "SELECT history_code, state FROM deliveries WHERE receiver = 1 ORDER BY history_code").await;
    let states: BTreeMap<i64, i64> =
        rows.iter().map(|row| (row.get("history_code").unwrap(), row.get("state").unwrap())).collect();
    assert!(states.keys().eq(changes.keys()), "a delivery for each change, and for nothing else");
    let mut counts = (0, 0);
    for (code, state) in &states {
        let came = by_change.get(code).map_or(&[][..], Vec::as_slice);
        let taken = came.iter().filter(|one| one.taken.is_some()).count();
        let is_refused = is_refused_always(usize::try_from(*code).unwrap());
        if *state == 2 {
            assert!(taken > 0 && !is_refused, "{code} counts as delivered");
            counts.0 += 1;
        } else {
            assert_eq!(*state, 3, "{code} is pending");
            assert!(came.len() - taken >= ATTEMPTS, "{code} is given up after {} attempts", came.len());
            counts.1 += 1;
        }
    }
    let left = super::number(db, "SELECT COUNT(*) AS n FROM queues").await;
    assert_eq!(left, 0, "queues of which nothing is pending");
    counts
}

/// A change comes for the first time when the one before it has been taken, or refused for good.
fn nothing_overtakes(changes: &BTreeMap<i64, Change>, by_change: &BTreeMap<i64, Vec<&Arrival>>) {
    let mut ended: BTreeMap<i64, (i64, usize)> = BTreeMap::new();
    for (code, change) in changes {
        let came = &by_change[code];
        let first = came.iter().map(|one| one.came).min().unwrap();
        if let Some((before, end)) = ended.get(&change.record) {
            assert!(first > *end, "{code} of {} came before the end of {before}", change.record);
        }
        let taken = came.iter().filter_map(|one| one.taken).min();
        let refused = || came.iter().map(|one| one.came).nth(ATTEMPTS - 1).unwrap();
        ended.insert(change.record, (*code, taken.unwrap_or_else(refused)));
    }
}
