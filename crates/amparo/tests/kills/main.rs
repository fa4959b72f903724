//! The real server killed in the middle of changing situations and telling of them, again and again: every change is
//! told, in the order of its record, with the bytes of its history, and nothing else ever is. On PostgreSQL two servers
//! share the work, and one goes on while the other is killed. `AMPARO_TEST_KILLS` sets how often (20, and more in
//! `./test --long`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and this one prints a table"
)]

mod account;
mod callers;
mod receiver;

use callers::{Callers, call};
use domain::{RandomSource, SigningSecret};
use receiver::Receiver;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use storage::{Db, QueryWeight, Row, sql};
use testkit::{Database, Engine, SeededChance, basic, both_engines};
use tokio::sync::watch;

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
/// A server is killed after so many answers and arrivals at most.
const PATIENCE: u16 = 150;

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

#[both_engines]
async fn every_change_is_told_whatever_kill_9_hits(database: Database) {
    let kills: usize = std::env::var("AMPARO_TEST_KILLS").map_or(20, |text| text.parse().unwrap());
    let engine = database.engine;
    let amparo = Amparo { database, folder: tempfile::tempdir().unwrap() };
    amparo.said(&["demo", "load", "--members", "20", "--seed", "1"]);
    // Answers and arrivals: whatever happens counts, and a server is killed when enough has.
    let events = watch::Sender::new(0);
    let receiver = Receiver::listen(events.clone()).await;
    let url = format!("http://{}/avisos", receiver.address);
    let added = amparo.said(&["receiver", "add", "--url", &url, "--entity", "todos"]);
    let secret = added.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap();
    receiver.knows(SigningSecret::from_stored(secret.to_owned()));

    let count = if engine == Engine::Postgres { 2 } else { 1 };
    let mut servers: Vec<Server> = (0..count).map(|_| amparo.serve("127.0.0.1:0")).collect();
    let token = enter(&servers[0].address).await;
    let addresses = servers.iter().map(|server| watch::Sender::new(server.address.clone())).collect();
    let callers = Callers::begin(addresses, &token, &receiver, events.clone());
    let chance = SeededChance::new(6);
    for _ in 0..kills {
        let mut bytes = [0; 3];
        chance.fill(&mut bytes);
        let until = *events.borrow() + u64::from(u16::from_be_bytes([bytes[0], bytes[1]]) % PATIENCE);
        events.subscribe().wait_for(|count| *count >= until).await.unwrap();
        let which = usize::from(bytes[2]) % count;
        // Now and then all of them at once.
        let hit = if bytes[2] >= 200 { 0..count } else { which..which + 1 };
        for server in &mut servers[hit.clone()] {
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        }
        for which in hit {
            let place = servers[which].address.clone();
            servers[which] = amparo.serve(&place);
            callers.found(which, &servers[which].address);
        }
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

/// A token, and somebody whose benefits change.
async fn enter(address: &str) -> String {
    let login = format!("Authorization: {}\r\n", basic("admin@demo.example", "amparo-demo"));
    let (status, body) = call(address, "POST /ext/autenticacao", &login, "").await.unwrap();
    assert_eq!(status, 200, "{body}");
    let token = body.split("\"authorizationToken\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let holder =
        format!(r#"{{"nomePessoa":"Ana da Tempestade","cpfCnpj":"{}","codLoja":1}}"#, callers::DOCUMENT);
    let (status, body) =
        call(address, "POST /ext/associado", &callers::bearer(&token), &holder).await.unwrap();
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
    db.query(QueryWeight::Search, sql(text)).await.unwrap()
}

async fn number(db: &Db, text: &'static str) -> i64 {
    all(db, text).await[0].get("n").unwrap()
}

type Shared<T> = Arc<std::sync::Mutex<T>>;
