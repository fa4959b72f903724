//! `bench access`: what entering costs, and what a flood of logins does to everybody else. It drives the real binary
//! over loopback, and prints what belongs together side by side from one run.

use crate::caller::{Caller, token_in};
use crate::server::Server;
use crate::times::{Times, ms};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub struct Plan {
    /// The binary that is measured.
    pub binary: String,
    /// Where its database is; a file of its own where nothing is said.
    pub database: Option<String>,
    pub span: Duration,
    pub rounds: u64,
}

type Failure = Box<dyn std::error::Error>;

const KNOWN: &str = "operador@demo.example";
const PASSWORD: &str = "amparo-demo";
const PATH: &str = "/ext/administracao/loja";
/// Calls a second while the flood comes and goes: a busy association, not a machine at its end.
const RATE: u64 = 400;
const READERS: u64 = 4;
const FLOODERS: usize = 32;
/// Pairs of failed logins that are compared.
const PAIRS: usize = 60;

pub fn run(plan: &Plan) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = start(plan, folder.path())?;
    let at = &server.address;
    let mut caller = Caller::connect(at)?;
    let entered = caller.login(KNOWN, PASSWORD)?;
    let token = token_in(&entered.body).ok_or_else(|| format!("no token: {}", entered.body))?;

    compare_failures(&mut caller)?;
    repeat_logins(at, plan.span)?;
    println!("\nother calls ({PATH}, {RATE}/s), with and without {FLOODERS} connections of wrong logins");
    println!(
        "{:<10} {:>9} {:>9} {:>9} {:>9}   {:>9} {:>10}",
        "", "p50", "p99", "p50 flood", "p99 flood", "p99 ratio", "logins/s"
    );
    let mut ratios = Vec::new();
    for round in 1..=plan.rounds {
        let calm = paced(at, &token, plan.span)?;
        let flood = Flood::begin(at);
        let busy = paced(at, &token, plan.span);
        let logins = flood.end() as f64 / plan.span.as_secs_f64();
        let busy = busy?;
        let ratio = ms(busy.p(99.0)) / ms(calm.p(99.0));
        ratios.push(ratio);
        println!(
            "{:<10} {:>7.2}ms {:>7.2}ms {:>7.2}ms {:>7.2}ms   {ratio:>9.2} {logins:>10.0}",
            format!("round {round}"),
            ms(calm.p(50.0)),
            ms(calm.p(99.0)),
            ms(busy.p(50.0)),
            ms(busy.p(99.0)),
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio of p99: {:.2} (at most 2)", ratios[ratios.len() / 2]);
    Ok(())
}

/// A known and an unknown user, in turns.
fn compare_failures(caller: &mut Caller) -> Result<(), Failure> {
    let (mut known, mut unknown) = (Times::default(), Times::default());
    for number in 0..PAIRS {
        let right_user = caller.login(KNOWN, &format!("errada {number} errada"))?;
        let no_user =
            caller.login(&format!("ninguem{number}@demo.example"), &format!("errada {number} errada"))?;
        if right_user.status != 401 || no_user.status != 401 || right_user.body != no_user.body {
            return Err(format!("unlike answers: {} {}", right_user.body, no_user.body).into());
        }
        known.0.push(right_user.took);
        unknown.0.push(no_user.took);
    }
    println!("failed logins, {PAIRS} of each in turns");
    for (name, times) in [("known user", &known), ("unknown user", &unknown)] {
        println!("{name:<14} p50 {:>7.2} ms   p90 {:>7.2} ms", ms(times.p(50.0)), ms(times.p(90.0)));
    }
    println!("ratio of p50: {:.3}", ms(known.p(50.0)) / ms(unknown.p(50.0)));
    Ok(())
}

/// The same correct login over and over, as chat programs do it.
fn repeat_logins(at: &str, span: Duration) -> Result<(), Failure> {
    let mut caller = Caller::connect(at)?;
    let (mut times, begun) = (Times::default(), Instant::now());
    while begun.elapsed() < span {
        let entered = caller.login(KNOWN, PASSWORD)?;
        if entered.status != 200 {
            return Err(format!("a correct login was refused: {}", entered.body).into());
        }
        times.0.push(entered.took);
    }
    let rate = times.0.len() as f64 / span.as_secs_f64();
    println!(
        "\nrepeated correct logins, one caller: {rate:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
        ms(times.p(50.0)),
        ms(times.p(99.0))
    );
    Ok(())
}

/// Calls at a steady rate from a few connections. Each is timed from when it was due, so that one that waited counts.
fn paced(at: &str, token: &str, span: Duration) -> Result<Times, Failure> {
    let times = Arc::new(Mutex::new(Times::default()));
    let pause = Duration::from_secs(READERS) / RATE as u32;
    let readers: Vec<JoinHandle<Result<(), std::io::Error>>> = (0..READERS)
        .map(|number| {
            let (times, token, mut caller) = (Arc::clone(&times), token.to_owned(), Caller::connect(at));
            std::thread::spawn(move || {
                let caller = caller.as_mut().map_err(|error| std::io::Error::other(error.to_string()))?;
                let begun = Instant::now() + pause * number as u32 / READERS as u32;
                let mut own = Vec::new();
                for call in 0.. {
                    let due = begun + pause * call;
                    if due > begun + span {
                        break;
                    }
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let answer = caller.read(PATH, &token)?;
                    if answer.status != 200 {
                        return Err(std::io::Error::other(answer.body));
                    }
                    own.push(due.elapsed());
                }
                times.lock().expect("no reader panics").0.extend(own);
                Ok(())
            })
        })
        .collect();
    for reader in readers {
        reader.join().map_err(|_| "a reader panicked")??;
    }
    Ok(Arc::into_inner(times).ok_or("a reader is left")?.into_inner().map_err(|_| "a reader panicked")?)
}

/// Wrong logins from many connections, as fast as they are answered.
struct Flood {
    stop: Arc<AtomicBool>,
    tried: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Flood {
    fn begin(at: &str) -> Flood {
        let (stop, tried) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let threads = (0..FLOODERS).map(|number| {
            let (stop, tried, at) = (Arc::clone(&stop), Arc::clone(&tried), at.to_owned());
            std::thread::spawn(move || {
                let Ok(mut caller) = Caller::connect(&at) else { return };
                while !stop.load(Ordering::Relaxed) {
                    if caller.login(&format!("alguem{number}@demo.example"), "errada errada").is_err() {
                        return;
                    }
                    tried.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let threads = threads.collect();
        Flood { stop, tried, threads }
    }

    fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let tried = self.tried.load(Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
        tried
    }
}

/// The real binary with the demonstration, and throttles that let the flood through to the hash.
fn start(plan: &Plan, folder: &Path) -> Result<Server, Failure> {
    let own = format!("sqlite:{}", folder.join("amparo.db").display());
    let mut command = Command::new(&plan.binary);
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "off"]);
    command.args(["--database", plan.database.as_deref().unwrap_or(&own)]);
    command.arg("--key-file").arg(folder.join("key"));
    command.args(["--access-account-failures", "1000000", "--access-address-failures", "1000000"]);
    Server::start(&mut command)
}
