//! What tests stand on: a fresh database on either engine, a clock that stands still, chance that repeats itself, the
//! whole server in process, and a world that is hostile unless a test says otherwise.
//!
//! `#[testkit::both_engines] async fn rule(world: World)` makes two tests, `rule::sqlite` and `rule::postgres`. The
//! second needs a server, and is left out where there is none: `./test` starts one for the whole run, and so does
//! `cargo run -p testkit --bin with-postgres -- cargo test -p X`.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test tool fails loudly")]

pub mod books;
mod client;
mod cluster;
mod database;
mod dump;
mod limit;
mod money;
pub mod pictures;
mod receiver;
mod registers;
mod server;
mod smtp;
mod still;
mod work;
mod world;

/// The key of every server in tests.
pub const SERVER_KEY: [u8; 32] = [7; 32];

pub use client::{Reply, Whole, basic};
pub use cluster::Cluster;
pub use database::{Database, Engine, has_server, make_templates, options};
pub use dump::{dump, dump_table, tables};
pub use money::{APPEND_ONLY, Debtor, insert_money_rows};
pub use receiver::{Reaction, Receiver, Taken};
pub use server::{Server, Setup};
pub use smtp::{Mail, RecordingMailServer, parts};
pub use still::{SeededChance, StillClock};
pub use testkit_macros::{both_engines, postgres_test, test};
pub use work::{Load, Recorder, Work};
pub use world::{Caller, PASSWORD, PUBLIC_URL, World, app_on};

use std::future::Future;

/// What a test asks for by naming it as its argument.
pub trait Fixture: Send + Sized + 'static {
    fn make(engine: Engine) -> impl Future<Output = Self> + Send;
}

/// Runs a test on an engine, with what it asked for.
pub fn run<F: Fixture, T: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    engine: Engine,
    body: fn(F) -> T,
) {
    if engine == Engine::Sqlite || has_server() {
        run_alone(name, async move {
            // On a worker, as the server's work is.
            if let Err(error) = tokio::spawn(async move { body(F::make(engine).await).await }).await {
                std::panic::resume_unwind(error.into_panic());
            }
        });
    }
}

/// Runs a test with a runtime like the server's. When it has ended, so has everything that it began.
pub fn run_alone(name: &'static str, body: impl Future<Output = ()>) {
    let _limit = limit::Limit::start(name);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(body);
}

/// Does the same thing eight times at once, each caller with its number.
pub async fn eight_at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    mut act: impl FnMut(usize) -> F,
) -> Vec<T> {
    let callers: Vec<_> = (0..8).map(|number| tokio::spawn(act(number))).collect();
    let mut results = Vec::new();
    for caller in callers {
        results.push(caller.await.unwrap());
    }
    results
}

/// Waits until a condition holds; fails after a minute.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let begun = std::time::Instant::now();
    while !holds().await {
        assert!(begun.elapsed().as_secs() < 60, "waited in vain: {what}");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
