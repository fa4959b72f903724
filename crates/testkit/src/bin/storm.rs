//! Writes changes until it is killed, eight callers at once, and says on standard output each one that was answered:
//! `storm ADDRESS ROUND`. The other half is `tests/kills.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test tool fails loudly and speaks on standard output"
)]

use domain::{BranchCode, Entity, Moment, TenantId};
use std::io::Write;
use storage::history::{self, Change};
use storage::{Address, Lane, Options, Schema};

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let address = Address::parse(&arguments[1]).unwrap();
    let round: i32 = arguments[2].parse().unwrap();
    let (db, _) = storage::open(&address, &Options::default(), Schema::Migrate).await.unwrap();
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..8 {
        let db = db.clone();
        callers.spawn(async move {
            for number in 0..10_000 {
                let change = Change {
                    tenant: TenantId::new(7),
                    entity: Entity::Benefit,
                    record: round * 1_000_000 + caller * 100_000 + number,
                    branch: BranchCode::new(1),
                    from: None,
                    to: domain::SituationCode::new(1),
                    user: None,
                    reason: None,
                    origin: "teste",
                    at: Moment::from_millis(0),
                };
                let record = change.record;
                let unit = db.write(Lane::of(change.tenant), change, |tx, change| {
                    Box::pin(history::append(tx, change, &[1, 2], |code| {
                        format!("{{\"codHistorico\":{code}}}")
                    }))
                });
                let code = unit.await.unwrap();
                let mut out = std::io::stdout().lock();
                writeln!(out, "{record} {code}").unwrap();
                out.flush().unwrap();
            }
        });
    }
    callers.join_all().await;
}
