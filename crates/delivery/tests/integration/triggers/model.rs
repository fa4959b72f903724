//! Random changes by several people, receivers of every kind, and processes that die at any moment: whatever happens, what
//! arrived is what the history says, all of it, and in its order.

use crate::triggers::scene::{DAY, MINUTE, Office, SECOND, Scene, engine, settings};
use app::idempotency::IdempotentWrite;
use app::triggers::{self, DeliveryWithAttempts, ReplaySelection};
use delivery::triggers::dispatch_settings::DispatchSettings;
use domain::RetryPolicy;
use domain::{BenefitCode, DeliveryState, Moment, RandomSource, ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use storage::{DatabaseAddress, QueryWeight, SchemaPolicy, sql};
use testkit::{
    Engine, Reaction, Receiver, SeededChance, StillClock, Taken, World, app_on, both_engines, until,
};
use tokio::runtime::Runtime;

const RECORDS: usize = 6;
const PEOPLE: usize = 3;
const CHANGES: usize = 25;
const DEATHS: usize = 6;

/// A number below a limit.
fn below(chance: &SeededChance, limit: usize) -> usize {
    let mut bytes = [0; 8];
    chance.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % limit as u64).unwrap()
}

fn hurried() -> DispatchSettings {
    let waits = vec![SECOND; 12];
    let policy = RetryPolicy { waits, probe: Duration::from_millis(500), pause_after: 1000 * DAY };
    // The clock runs ten times as fast: a lease is a minute outside.
    let (timeout, lease) = (Duration::from_millis(200), 10 * MINUTE);
    DispatchSettings { timeout, lease, policy: Arc::new(policy), ..settings() }
}

/// A process that delivers, with a runtime of its own, so that it can die in the middle of anything.
struct Process(Option<Runtime>);

impl Process {
    async fn start(address: DatabaseAddress, clock: Arc<StillClock>, place: String, seed: u64) -> Process {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let begun = runtime.spawn(async move {
            let db =
                storage::open_database(&address, &testkit::options(), SchemaPolicy::Migrate).await.unwrap().0;
            let app = app_on(db, clock, seed);
            engine(&app, &place, hurried()).await
        });
        // It goes on without anybody who could stop it.
        drop(begun.await.unwrap());
        Process(Some(runtime))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

/// The receivers, by what they are like.
async fn receivers(seed: u64) -> Vec<(&'static str, Receiver)> {
    let chance = SeededChance::new(seed + 1000);
    let lying = move |_: &Taken| match below(&chance, 14) {
        0..4 => Reaction::Status([200, 201, 202, 204][below(&chance, 4)]),
        4 => Reaction::With(429, "Retry-After: 1\r\n".to_owned(), String::new()),
        5 => Reaction::With(503, "Retry-After: Sat, 14 Nov 2026 13:32:15 GMT\r\n".to_owned(), String::new()),
        6 => Reaction::HangUp,
        7 => Reaction::Withheld(500),
        8 => Reaction::Silence,
        9 => Reaction::Endless(500),
        _ => Reaction::Status([205, 206, 299, 302, 400, 404, 500, 502][below(&chance, 8)]),
    };
    let mut turn = 0;
    let flapping = move |_: &Taken| {
        turn += 1;
        Reaction::Status(if turn / 15 % 2 == 0 { 500 } else { 200 })
    };
    let chance = SeededChance::new(seed + 2000);
    let slow = move |_: &Taken| Reaction::Late(Duration::from_millis(below(&chance, 20) as u64), 204);
    vec![
        ("good", Receiver::answering(200).await),
        ("slow", Receiver::start(slow).await),
        ("dead", Receiver::start(|_| Reaction::HangUp).await),
        ("lying", Receiver::start(lying).await),
        ("flapping", Receiver::start(flapping).await),
    ]
}

/// Changes situations at random; says how often it was a change.
async fn work(office: Office, codes: Vec<BenefitCode>, seed: u64) -> usize {
    let chance = SeededChance::new(seed);
    let mut changes = 0;
    for _ in 0..CHANGES {
        let at = below(&chance, codes.len());
        let situation = ["ATIVO", "SUSPENSO", "INADIMPLENTE", "PENDENTE"][below(&chance, 4)];
        changes += usize::from(office.set(codes[at], at + 1, situation).await);
    }
    changes
}

async fn is_done(scene: &Scene, code: ReceiverCode) -> bool {
    scene.deliveries(code).await.iter().all(|told| told.delivery.state != DeliveryState::Pending)
}

async fn history(scene: &Scene) -> BTreeMap<i64, String> {
    let all = sql("SELECT code, body FROM history WHERE tenant = $1").arg(scene.world.here);
    let rows = scene.world.db().query(QueryWeight::Search, all).await.unwrap();
    rows.iter().map(|row| (row.get("code").unwrap(), row.get("body").unwrap())).collect()
}

fn is_success(taken: &Taken) -> bool {
    taken.status.is_some_and(|status| (200..=204).contains(&status))
}

/// What arrived is what was so, under its own name, and in the order of its record where nothing was given up.
fn check(
    name: &str,
    receiver: &Receiver,
    history: &BTreeMap<i64, String>,
    told: &[DeliveryWithAttempts],
    tenant: TenantId,
) {
    assert_eq!(told.len(), history.len(), "{name}: one delivery for each change, no more and no less");
    let given_up: BTreeSet<i64> = told
        .iter()
        .filter(|one| one.delivery.state == DeliveryState::Exhausted)
        .map(|one| i64::from(one.delivery.history.get()))
        .collect();
    let mut arrived: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let mut successes = BTreeSet::new();
    for taken in receiver.taken() {
        let code = taken.history();
        assert_eq!(Some(&taken.body), history.get(&code), "{name}: the bytes of the history");
        let delivery = told.iter().find(|one| i64::from(one.delivery.history.get()) == code).unwrap();
        let id = triggers::build_message_id(tenant, &triggers::build_delivery_mark(&delivery.delivery));
        assert_eq!(taken.header("webhook-id"), id, "{name}");
        assert_eq!(taken.path, "/beneficio", "{name}");
        if is_success(&taken) && successes.insert(code) && !given_up.contains(&code) {
            arrived.entry(taken.record()).or_default().push(code);
        }
    }
    for (record, codes) in arrived {
        assert!(codes.is_sorted(), "{name}: {record} came as {codes:?}");
    }
    for one in told.iter().filter(|one| one.delivery.state == DeliveryState::Delivered) {
        assert!(successes.contains(&i64::from(one.delivery.history.get())), "{name}: {one:?} never arrived");
    }
}

#[both_engines]
async fn nothing_is_lost_invented_or_reordered_whatever_dies(world: World) {
    let (seed, is_shared) = (20_261_114, world.database.engine == Engine::Postgres);
    let scene = Scene::of(world).await;
    let all = receivers(seed).await;
    let mut codes = BTreeMap::new();
    for (name, receiver) in &all {
        codes.insert(*name, scene.add(receiver).await.0);
    }
    let (address, clock) = (scene.world.database.address(), Arc::clone(&scene.world.clock));
    let start = |place: usize, seed: u64| {
        Process::start(address.clone(), Arc::clone(&clock), format!("place {place}"), seed)
    };
    let mut processes = vec![start(0, 1).await];
    if is_shared {
        processes.push(start(1, 2).await);
    }
    // Time goes on by itself, ten times as fast as it does outside, however busy the machine is.
    let (stop, ticking) = (Arc::new(AtomicBool::new(false)), Arc::clone(&clock));
    let stopped = Arc::clone(&stop);
    let time = tokio::spawn(async move {
        let mut last = std::time::Instant::now();
        while !stopped.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let now = std::time::Instant::now();
            ticking.pass(10 * (now - last));
            last = now;
        }
    });
    let benefits = scene.office.benefits(RECORDS).await;
    let people: Vec<_> = (0..PEOPLE)
        .map(|number| {
            let app = scene.world.processes()[number % scene.world.processes().len()].clone();
            let office = Office { app, caller: Arc::clone(&scene.office.caller) };
            tokio::spawn(work(office, benefits.clone(), seed + number as u64))
        })
        .collect();
    let (_, good) = &all[0];
    let (_, dead) = &all[2];
    let chance = SeededChance::new(seed);
    for death in 0..DEATHS {
        let (seen, more) = (good.count(), 1 + below(&chance, 12));
        until("something goes on", || async {
            good.count() >= seen + more || people.iter().all(tokio::task::JoinHandle::is_finished)
        })
        .await;
        let which = below(&chance, processes.len());
        drop(processes.remove(which));
        let place = if is_shared { which } else { 0 };
        processes.insert(which, start(place, 10 + death as u64).await);
    }
    let mut changes = RECORDS;
    for person in people {
        changes += person.await.unwrap();
    }
    let history = history(&scene).await;
    assert_eq!(history.len(), changes, "every change is in the history, and nothing else");
    until("the good one has everything", || is_done(&scene, codes["good"])).await;
    let waiting = scene.deliveries(codes["dead"]).await;
    assert!(waiting.iter().all(|told| told.delivery.state != DeliveryState::Delivered));
    assert!(waiting.iter().any(|told| told.delivery.state == DeliveryState::Pending), "and waits for nobody");
    assert!(dead.count() > 0);
    for name in ["slow", "lying", "flapping"] {
        until(name, || is_done(&scene, codes[name])).await;
    }
    let tenant = scene.world.here;
    for (name, receiver) in &all {
        check(name, receiver, &history, &scene.deliveries(codes[name]).await, tenant);
    }
    // All are well again, and what was given up is sent again: then nothing is missing anywhere.
    for (name, receiver) in &all {
        receiver.answers(|_| Reaction::Status(204));
        until(name, || is_done(&scene, codes[name])).await;
        let missed = (codes[name], ReplaySelection::MissedSince(Moment::from_millis(0)));
        triggers::replay_deliveries(&scene.app, scene.by(), missed, IdempotentWrite::without_key())
            .await
            .unwrap();
        until(name, || is_done(&scene, codes[name])).await;
        let told = scene.deliveries(codes[name]).await;
        assert!(told.iter().all(|one| one.delivery.state == DeliveryState::Delivered), "{name}");
        let arrived: BTreeSet<i64> =
            receiver.taken().iter().filter(|taken| is_success(taken)).map(Taken::history).collect();
        assert!(arrived.iter().eq(history.keys()), "{name}: nothing is missing");
        println!("| {name} | {} changes | {} posts |", history.len(), receiver.count());
    }
    stop.store(true, Ordering::Relaxed);
    time.await.unwrap();
    drop(processes);
}
