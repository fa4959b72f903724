//! `bench triggers`: deliveries a second from a backlog, with 1, 10 and 100 receivers on loopback, beside a loop that posts
//! the same bytes over as many connections and writes one row for each by the raw driver, and beside one that only
//! posts; how long a change waits for its first attempt; and what a dead receiver costs the others. Everything runs in
//! this process, the receivers too.

mod bare;
pub mod base;
mod receivers;
mod waits;

use crate::executor::OwnDatabase;
use crate::measure::median;
use crate::times::ms;
use bare::Rows;
use base::{Base, Place};
use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Runtime;

pub struct Plan {
    pub sqlite: bool,
    pub postgres: bool,
    /// Of a PostgreSQL server where a database may be created.
    pub address: Option<String>,
    pub deliveries: u64,
    pub span: Duration,
    pub rounds: u64,
    pub only: Option<String>,
}

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Deliveries under way to one receiver at once: connections of the bare loop, too.
const AT_ONCE: i32 = 8;
/// Of the loop that also writes, in percent.
const GOAL: f64 = 50.0;
/// What the others keep of their pace beside a dead one, in percent.
const BESIDE_DEAD: f64 = 90.0;
const MEMBERS: u32 = 4_000;
const TIMEOUT: Duration = Duration::from_secs(15);
/// A dead one is noticed within the measurement.
const SHORT: Duration = Duration::from_secs(1);
const COUNTS: [(usize, &str); 3] = [(1, "1 receiver"), (10, "10 receivers"), (100, "100 receivers")];
const DEAD: &str = "1 of 10 dead";

pub fn run(plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    measure(plan).map_err(|error| -> Box<dyn std::error::Error> { error })
}

fn measure(plan: &Plan) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if cfg!(debug_assertions) {
        println!("A debug build: these figures say nothing. Run it with --release.");
    }
    let mut table = String::from(
        "| engine | measurement | only posts /s | posts and a row /s | posts and all rows /s | ours /s | of posts and a row | \
         of posts and all rows | of only posts | first attempt p50 | p99 |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (count, name) in COUNTS.into_iter().chain([(10, DEAD)]) {
        if plan.only.as_ref().is_some_and(|word| !name.contains(word.as_str())) {
            continue;
        }
        if plan.sqlite {
            let folder = tempfile::tempdir()?;
            let place = Place::Sqlite(folder.path().join("amparo.db"));
            one(plan, &runtime, ("sqlite", name, count), place, &mut table)?;
        }
        if plan.postgres {
            let Some(address) = &plan.address else {
                println!("postgres is left out: give --postgres URL or AMPARO_TEST_POSTGRES");
                continue;
            };
            let own = OwnDatabase::create(&runtime, address.parse()?).map_err(|error| error.to_string())?;
            let place = Place::Postgres(Box::new(own.config.clone()));
            one(plan, &runtime, ("postgres", name, count), place, &mut table)?;
        }
    }
    println!("\n{table}");
    Ok(())
}

type Case = (&'static str, &'static str, usize);

fn one(plan: &Plan, runtime: &Runtime, case: Case, place: Place, table: &mut String) -> Result<(), Failure> {
    runtime.block_on(async {
        let base = Base::make(place, MEMBERS, case.2).await?;
        let line = match case.1 {
            DEAD => beside_dead(plan, &base, case).await,
            _ => beside_bare(plan, &base, case).await,
        };
        base.app.db.close().await;
        let line = line?;
        println!("{line}");
        let _ = writeln!(table, "{line}");
        Ok(())
    })
}

async fn beside_bare(plan: &Plan, base: &Base, (engine, name, count): Case) -> Result<String, Failure> {
    let changes = plan.deliveries as usize / count;
    let total = (changes * count) as u64;
    let (mut posts, mut rows, mut all, mut ours) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    warm_up(base, changes, count).await?;
    for round in 0..plan.rounds {
        base.lay_up(changes, count).await?;
        posts.push(bare::posts(base, &base.body, total).await?);
        let number = 2 * round as i64;
        rows.push(bare::posts_with_rows(base, &base.body, total, (Rows::Attempt, number)).await?);
        all.push(bare::posts_with_rows(base, &base.body, total, (Rows::All, number + 1)).await?);
        ours.push(base.drain(total, count, TIMEOUT).await?);
    }
    let share = |of: &[f64]| median(ours.iter().zip(of).map(|(ours, raw)| 100.0 * ours / raw).collect());
    let waits = waits::measure(base, count, plan.span, TIMEOUT).await?;
    let (of_rows, of_all, of_posts) = (share(&rows), share(&all), share(&posts));
    let verdict = if of_rows >= GOAL { "reached" } else { "MISSED" };
    Ok(format!(
        "| {engine} | {name} | {:.0} | {:.0} | {:.0} | {:.0} | {of_rows:.0} % (goal {GOAL:.0} %: {verdict}) | {of_all:.0} % | \
         {of_posts:.0} % | {:.1} ms | {:.1} ms |",
        median(posts),
        median(rows),
        median(all),
        median(ours),
        ms(waits.p(50.0)),
        ms(waits.p(99.0)),
    ))
}

/// A first round that does not count.
async fn warm_up(base: &Base, changes: usize, receivers: usize) -> Result<(), Failure> {
    base.lay_up(changes, receivers).await?;
    base.look().await?;
    base.drain((changes * receivers) as u64, receivers, TIMEOUT).await.map(drop)
}

/// Nine receivers, by themselves and beside one that answers nothing.
async fn beside_dead(plan: &Plan, base: &Base, (engine, name, count): Case) -> Result<String, Failure> {
    let others = count - 1;
    let dead = &base.receivers[others];
    let changes = plan.deliveries as usize / others;
    let total = (changes * others) as u64;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    warm_up(base, changes, others).await?;
    for _ in 0..plan.rounds {
        base.lay_up(changes, others).await?;
        alone.push(base.drain(total, others, SHORT).await?);
        dead.is_dead.store(true, Ordering::Relaxed);
        base.lay_up(changes, count).await?;
        beside.push(base.drain(total, others, SHORT).await?);
        base.forget(count as i64).await?;
    }
    dead.is_dead.store(false, Ordering::Relaxed);
    let calm = waits::measure(base, others, plan.span, SHORT).await?;
    base.forget(count as i64).await?;
    dead.is_dead.store(true, Ordering::Relaxed);
    base.lay_up(changes, count).await?;
    base.drain(total, others, SHORT).await?;
    let busy = waits::measure(base, others, plan.span, SHORT).await?;
    let share = median(beside.iter().zip(&alone).map(|(beside, alone)| 100.0 * beside / alone).collect());
    let verdict = if share >= BESIDE_DEAD { "reached" } else { "MISSED" };
    Ok(format!(
        "| {engine} | {name}, the nine others | — | — | — | {:.0}, alone {:.0} | {share:.0} % of alone (goal {BESIDE_DEAD:.0} %: {verdict}) | — | — | \
         {:.1} ms, alone {:.1} ms | {:.1} ms, alone {:.1} ms |",
        median(beside),
        median(alone),
        ms(busy.p(50.0)),
        ms(calm.p(50.0)),
        ms(busy.p(99.0)),
        ms(calm.p(99.0)),
    ))
}
