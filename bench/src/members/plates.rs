//! `GET /ext/associado?placa=`: the server beside bare ones over the same load, and beside pgbench.

use super::base::{Base, Plate};
use super::load::{self, Requests};
use super::{Failure, Measured, User, bare};
use crate::executor::connect;
use crate::measure::{Goal, Keys, Rounds, Side};
use crate::server::Server;
use domain::PAGE_SIZE;
use futures_util::{SinkExt, pin_mut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use storage::DatabaseAddress;
use tokio::runtime::Runtime;
use tokio_postgres::Config;
use tokio_postgres::types::private::BytesMut;

pub const NAME: &str = "plate search";

/// Of the same JSON without a database, of the driver behind axum, and of pgbench; in percent.
const OF_JSON: f64 = 45.0;
const OF_DRIVER: f64 = 60.0;
const OF_PGBENCH: f64 = 75.0;
/// With so many clients pgbench does best on two cores.
const CLIENTS: &str = "4";
/// Answers that are compared, byte by byte.
const COMPARED: usize = 200;

pub fn measure(measured: &mut Measured<'_>, rounds: &mut Rounds) -> Result<(), Failure> {
    let (base, folder) = (measured.base, measured.folder);
    let user = &mut measured.users[0];
    let answer = folder.join("answer.json");
    std::fs::write(&answer, typical(base, user)?)?;
    let json = Server::start(own()?.arg("bare-json").arg(&answer))?;
    rounds.processes.push(json.process());
    let (load, token) = (measured.load, user.token.clone());
    let asking = |at: &str| ask(load, at, &token, &base.plates);
    let goal = |engine, baseline, target| Goal { name: NAME, engine, baseline, target };
    match &base.address {
        DatabaseAddress::Sqlite(_) => {
            let url = base.address.to_string();
            let driver = Server::start(own()?.args(["bare-sqlite", &url]))?;
            rounds.processes.push(driver.process());
            compare(base, user, &driver)?;
            let baselines = vec![
                (goal("sqlite", "axum, the same JSON", Some(OF_JSON)), asking(&json.address)),
                (goal("sqlite", "axum with rusqlite", Some(OF_DRIVER)), asking(&driver.address)),
            ];
            rounds.compare(asking(&measured.server.address), baselines);
        }
        DatabaseAddress::Postgres(config) => {
            let script = folder.join("plate.sql");
            measured.load.block_on(keep_plates(config, &base.plates))?;
            std::fs::write(&script, pgbench_text(base))?;
            let baselines = vec![
                (goal("postgres", "axum, the same JSON", None), asking(&json.address)),
                (goal("postgres", "pgbench", Some(OF_PGBENCH)), pgbench(measured.url, script)),
            ];
            rounds.compare(asking(&measured.server.address), baselines);
            measured
                .load
                .block_on(async { connect(config).await?.batch_execute("DROP TABLE bench_plates").await })?;
        }
    }
    // The bare servers end here.
    rounds.processes.truncate(1);
    Ok(())
}

/// This program again, for one of its bare servers.
fn own() -> Result<Command, std::io::Error> {
    std::env::current_exe().map(Command::new)
}

/// An answer of middling length.
fn typical(base: &Base, user: &mut User) -> Result<String, Failure> {
    let mut bodies = Vec::new();
    for plate in &base.plates[..COMPARED] {
        bodies.push(user.read(&path(plate))?.body);
    }
    // A plate may have had a benefit before the one in force: those are two items.
    bodies.retain(|body| body.contains("\"quantidade\":1}"));
    bodies.sort_by_key(String::len);
    let middle = bodies.len() / 2;
    let shortest = bodies.first().map_or(0, String::len);
    let longest = bodies.last().map_or(0, String::len);
    let typical = bodies.into_iter().nth(middle).ok_or("no plate is found")?;
    println!("answers of {shortest} to {longest} bytes, in the middle {}", typical.len());
    Ok(typical)
}

/// What the driver alone answers is what the server answers, or the comparison means nothing.
fn compare(base: &Base, user: &mut User, bare: &Server) -> Result<(), Failure> {
    let mut caller = crate::caller::Caller::connect(&bare.address)?;
    for plate in &base.plates[..COMPARED] {
        let (ours, other) = (user.read(&path(plate))?.body, caller.read(&path(plate), "")?.body);
        if ours != other {
            return Err(format!("unlike answers:\n{ours}\n{other}").into());
        }
    }
    Ok(())
}

fn path(plate: &Plate) -> String {
    format!("/ext/associado?placa={}", String::from_utf8_lossy(plate))
}

/// One request, in which only the plate changes.
struct ByPlate {
    text: Vec<u8>,
    place: usize,
    plates: Arc<[Plate]>,
    keys: Keys,
}

impl Requests for ByPlate {
    fn next(&mut self) -> &[u8] {
        let number = self.keys.next(self.plates.len() as i64) as usize - 1;
        self.text[self.place..self.place + 7].copy_from_slice(&self.plates[number]);
        &self.text
    }
}

fn ask<'s>(runtime: &'s Runtime, address: &str, token: &str, plates: &Arc<[Plate]>) -> Side<'s> {
    let (address, plates) = (address.to_owned(), Arc::clone(plates));
    let before = "GET /ext/associado?placa=";
    let text = format!("{before}ABC1D23 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    Box::new(move |span| {
        load::run(runtime, &address, span, |number| ByPlate {
            text: text.clone().into_bytes(),
            place: before.len(),
            plates: Arc::clone(&plates),
            keys: Keys::new(number),
        })
    })
}

/// pgbench draws numbers, so the plates stand in a table.
async fn keep_plates(config: &Config, plates: &[Plate]) -> Result<(), tokio_postgres::Error> {
    let client = connect(config).await?;
    let create = "DROP TABLE IF EXISTS bench_plates;
         CREATE UNLOGGED TABLE bench_plates (n BIGINT PRIMARY KEY, plate TEXT COLLATE \"C\" NOT NULL)";
    client.batch_execute(create).await?;
    let sink = client.copy_in::<_, BytesMut>("COPY bench_plates FROM STDIN").await?;
    pin_mut!(sink);
    for (number, plate) in (1..).zip(plates) {
        let line = format!("{number}\t{}\n", String::from_utf8_lossy(plate));
        sink.send(line.as_bytes().into()).await?;
    }
    sink.finish().await?;
    client.batch_execute("VACUUM ANALYZE bench_plates").await
}

/// The statement that the server sends, with a plate drawn beside it: a look at a small table, some microseconds.
fn pgbench_text(base: &Base) -> String {
    let statement = bare::by_plate(base.tenant, "");
    let text = statement
        .text()
        .replace("$4", ":skip")
        .replace("$3", ":page")
        .replace("$2", "(SELECT plate FROM bench_plates WHERE n = :n)")
        .replace("$1", ":tenant");
    format!(
        "\\set n random(1, {})\n\\set tenant {}\n\\set page {}\n\\set skip 0\n{text};\n",
        base.plates.len(),
        base.tenant,
        PAGE_SIZE
    )
}

fn pgbench(url: &str, script: PathBuf) -> Side<'static> {
    let url = url.to_owned();
    Box::new(move |span| run_pgbench(&url, &script, span).unwrap_or_else(|error| panic!("pgbench: {error}")))
}

fn run_pgbench(url: &str, script: &Path, span: Duration) -> Result<f64, Failure> {
    let mut command = Command::new(program()?);
    command.args(["-n", "-M", "prepared", "-c", CLIENTS, "-T", &span.as_secs().max(1).to_string(), "-f"]);
    let output = command.arg(script).arg(url).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// Debian keeps the programs of a server out of PATH; the newest is taken.
fn program() -> Result<PathBuf, Failure> {
    let mut found = Vec::new();
    for version in std::fs::read_dir("/usr/lib/postgresql")? {
        let path = version?.path().join("bin/pgbench");
        found.extend(path.exists().then_some(path));
    }
    found.sort();
    found.pop().ok_or_else(|| "pgbench is not installed".into())
}
