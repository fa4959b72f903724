//! The real server killed again and again in the middle of its work: of changing situations and telling of them, and of
//! booking money. On PostgreSQL two servers share the work, and one goes on while the other is killed.
//! `AMPARO_TEST_KILLS` sets how often (20, and more in `./test --long`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and this one prints a table"
)]

mod account;
mod accountants;
mod callers;
mod credits;
mod receiver;
mod servers;

use accountants::Accountants;
use callers::{Callers, bearer, call};
use domain::finance::ChargingRunState;
use domain::{SigningSecret, TenantId};
use receiver::Receiver;
use servers::Servers;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use storage::{Db, QueryWeight, Row, Statement, WriteLane, sql};
use testkit::{Database, Engine, SeededChance, basic, books, both_engines, until};
use tokio::sync::watch;

const HERE: TenantId = TenantId::new(1);
/// Far beyond any test: 2100.
const NEVER: i64 = 4_102_444_800_000;

/// How long an attempt may take, and after how many of them a message is exhausted.
const TIMEOUT: Duration = Duration::from_secs(1);
const ATTEMPTS: usize = 7;
const SETTINGS: [(&str, &str); 9] = [
    ("AMPARO_STORAGE_CONNECT_TIMEOUT", "60s"),
    ("AMPARO_STORAGE_POINT_TIMEOUT", "60s"),
    ("AMPARO_STORAGE_UNIT_TIMEOUT", "60s"),
    ("AMPARO_TRIGGERS_ALLOWED_HOSTS", "127.0.0.1"),
    ("AMPARO_TRIGGERS_RETRIES", "20ms,20ms,20ms,20ms,20ms,20ms"),
    ("AMPARO_TRIGGERS_INTERVAL", "20ms"),
    ("AMPARO_TRIGGERS_TIMEOUT", "1s"),
    ("AMPARO_TRIGGERS_LEASE", "3s"),
    ("AMPARO_TRIGGERS_PROBE_INTERVAL", "20ms"),
];

/// The binary, in a folder of its own and with nobody else's settings.
struct Amparo {
    database: Database,
    folder: tempfile::TempDir,
}

impl Amparo {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amparo"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AMPARO_")) {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).args(arguments).envs(SETTINGS);
        command.args(["--database", self.database.address_text(), "--key-file", "chave"]);
        command
    }

    fn said(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A server, at this place if it is free.
    fn serve(&self, place: &str) -> Server {
        self.started(place).or_else(|| self.started("127.0.0.1:0")).expect("a server starts")
    }

    fn started(&self, place: &str) -> Option<Server> {
        let mut command = self.command(&["serve", "--listen", place, "--log-level", "error"]);
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut server = Server { child, address: String::new() };
        let mut lines = BufReader::new(server.child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("http://"))?;
        server.address = line.rsplit_once("http://").unwrap().1.to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Some(server)
    }
}

struct Server {
    child: Child,
    address: String,
}

/// Not politely; a test that fails leaves no server behind either.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How often servers are killed.
fn count_kills() -> usize {
    std::env::var("AMPARO_TEST_KILLS").map_or(20, |text| text.parse().unwrap())
}

/// Every change is told, in the order of its record, with the bytes of its history, and nothing else ever is.
#[both_engines]
async fn every_change_is_told_whatever_kill_9_hits(database: Database) {
    let (engine, kills) = (database.engine, count_kills());
    let amparo = Amparo { database, folder: tempfile::tempdir().unwrap() };
    amparo.said(&["demo", "load", "--members", "20", "--seed", "1"]);
    // Answers and arrivals: whatever happens counts, and a server is killed when enough has.
    let events = watch::Sender::new(0);
    let receiver = Receiver::listen(events.clone()).await;
    let url = format!("http://{}/avisos", receiver.address);
    let added = amparo.said(&["receiver", "add", "--url", &url, "--entity", "todos"]);
    let secret = added.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap();
    receiver.knows(SigningSecret::from_stored(secret.to_owned()));

    let mut servers = Servers::start(&amparo, events.clone());
    let token = enter(servers.first_address()).await;
    let callers = Callers::begin(&servers, &token, &receiver, events);
    let chance = SeededChance::new(6);
    for _ in 0..kills {
        let killed = servers.kill_some(&chance, 150).await;
        servers.start_again(killed);
    }
    let ledger = callers.end().await;
    let db = amparo.database.open().await;
    drained(&db, &receiver).await;
    drop(servers);
    let counts = account::check(&db, &ledger, &receiver.arrivals()).await;
    println!(
        "| {engine:?} | {kills} kills | {} answered | {} changes | {} delivered | {} exhausted | {} arrivals | \
         {} duplicates | 0 lost | 0 invented | 0 reordered |",
        ledger.answered(),
        counts.changes,
        counts.delivered,
        counts.exhausted,
        counts.arrivals,
        counts.duplicates
    );
    db.close().await;
}

/// What was asked for is booked once, and the books are right.
#[both_engines]
async fn money_is_booked_once_whatever_kill_9_hits(database: Database) {
    let (engine, kills) = (database.engine, count_kills());
    let amparo = Amparo { database, folder: tempfile::tempdir().unwrap() };
    amparo.said(&["demo", "load", "--members", "120", "--months", "2", "--seed", "1"]);
    let events = watch::Sender::new(0);
    let mut servers = Servers::start(&amparo, events.clone());
    let token = log_in(servers.first_address()).await;
    let db = amparo.database.open().await;
    let accountants = Accountants::begin(&servers, &token, &events);
    let chance = SeededChance::new(23);
    for _ in 0..kills {
        let killed = servers.kill_some(&chance, 400).await;
        change_charging_leases(&db, engine).await;
        servers.start_again(killed);
    }
    let work = accountants.end().await;
    drop(servers);
    work.check(&db).await;
    println!("| {engine:?} | {kills} kills | {work} | 0 lost | 0 booked twice |");
    db.close().await;
}

/// On a file, the next server goes on with what the killed one was charging, however long that was leased. On a server
/// database it would wait for half a minute; a server that is still at work loses its lease, too.
async fn change_charging_leases(db: &Db, engine: Engine) {
    let end = if engine == Engine::Sqlite { NEVER } else { 0 };
    let leased = "UPDATE charging_runs SET leased_until = $2 WHERE tenant = $1 AND leased_until > 0";
    run_statement(db, sql(leased).arg(HERE).arg(end)).await;
}

async fn run_statement(db: &Db, statement: Statement) {
    let unit = db.write(WriteLane::background(HERE), statement, |tx, statement| {
        Box::pin(tx.execute_batch(vec![statement.clone()]))
    });
    let done: Result<_, storage::Error> = unit.await;
    done.unwrap();
}

/// A run that is waited for would not end here: it is leased for longer than any test.
#[testkit::test]
async fn the_next_server_on_a_file_goes_on_with_a_run_at_once() {
    let database = Database::fresh(Engine::Sqlite).await;
    let amparo = Amparo { database, folder: tempfile::tempdir().unwrap() };
    amparo.said(&["demo", "load", "--members", "60", "--months", "2", "--seed", "1"]);
    let db = amparo.database.open().await;
    let prepared = sql("SELECT code FROM charging_runs WHERE tenant = $1 AND state = $2");
    let prepared = asked(&db, prepared.arg(HERE).arg(ChargingRunState::Preparing)).await;
    let code: i64 = prepared[0].get("code").unwrap();
    let db = &db;
    let is_in = |state: ChargingRunState| async move {
        let statement = sql("SELECT state FROM charging_runs WHERE tenant = $1 AND code = $2");
        let rows = asked(db, statement.arg(HERE).arg(code)).await;
        rows[0].get::<ChargingRunState>("state").unwrap() == state
    };
    let server = amparo.serve("127.0.0.1:0");
    until("the preview is made", || is_in(ChargingRunState::Prepared)).await;
    drop(server);
    // As if the run had been approved, and the server killed as soon as it had leased it.
    let leased =
        "UPDATE charging_runs SET state = $3, issued_on = prepared_on, position = 0, leased_until = $4,
         fence = fence + 1 WHERE tenant = $1 AND code = $2";
    run_statement(db, sql(leased).arg(HERE).arg(code).arg(ChargingRunState::Issuing).arg(NEVER)).await;
    let next = amparo.serve("127.0.0.1:0");
    until("the run is issued", || is_in(ChargingRunState::Issued)).await;
    drop(next);
    books::check(db, HERE, "issued by the next server").await;
    db.close().await;
}

async fn log_in(address: &str) -> String {
    let login = format!("Authorization: {}\r\n", basic("admin@demo.example", "amparo-demo"));
    let (status, body) = call(address, "POST /ext/autenticacao", &login, "").await.unwrap();
    assert_eq!(status, 200, "{body}");
    body.split("\"authorizationToken\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// A token, and somebody whose benefits change.
async fn enter(address: &str) -> String {
    let token = log_in(address).await;
    let holder =
        format!(r#"{{"nomePessoa":"Ana da Tempestade","cpfCnpj":"{}","codLoja":1}}"#, callers::DOCUMENT);
    let (status, body) = call(address, "POST /ext/associado", &bearer(&token), &holder).await.unwrap();
    assert_eq!(status, 200, "{body}");
    token
}

/// Waits until nothing is pending, for as long as anything moves.
async fn drained(db: &Db, receiver: &Receiver) {
    let (mut last, mut moved) = ((0, 0), Instant::now());
    loop {
        let now = (number(db, "SELECT COUNT(*) AS n FROM outbox").await, receiver.count());
        if now.0 == 0 {
            return;
        }
        if now != last {
            (last, moved) = (now, Instant::now());
        }
        assert!(moved.elapsed().as_secs() < 60, "{} are pending, and nothing moves", now.0);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
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

type Shared<T> = Arc<std::sync::Mutex<T>>;
