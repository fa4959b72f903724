//! `bench members`: what a large association gets from the real binary. The search by a plate beside bare servers and
//! pgbench, searches by name, the list of all benefits, new benefits beside the same inserts by hand, and memory.

mod bare;
mod base;
mod by_hand;
mod list;
mod load;
mod names;
mod plates;
mod record;
mod writes;

pub use bare::{json as serve_json, sqlite as serve_sqlite};
pub use base::load as load_demo;

use crate::caller::{Answer, Caller, token_in};
use crate::measure::Rounds;
use crate::server::Server;
use base::Base;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use storage::DatabaseAddress;
use tokio::runtime::{Builder, Runtime};

pub struct Plan {
    /// The binary that is measured.
    pub binary: String,
    /// Where the demonstration is; it is loaded into a file of its own where nothing is said.
    pub database: Option<String>,
    pub members: u64,
    pub span: Duration,
    pub rounds: u64,
    pub only: Option<String>,
    /// Walk every page of the list.
    pub long: bool,
}

type Failure = Box<dyn std::error::Error>;

const ADMINISTRATOR: &str = "admin@demo.example";
const INTEGRATION: &str = "integracao@demo.example";
const OPERATOR: &str = "operador@demo.example";
const PASSWORD: &str = "amparo-demo";
/// Anonymous memory of the server, in MB.
const MEMORY: f64 = 300.0;

/// Everything that a measurement needs.
struct Measured<'m> {
    base: &'m Base,
    url: &'m str,
    server: &'m Server,
    /// The administrator is the first.
    users: Vec<User>,
    /// Of one thread: the load takes no more of the machine.
    load: &'m Runtime,
    folder: &'m Path,
}

/// Somebody with a token and a connection.
struct User {
    name: &'static str,
    token: String,
    address: String,
    caller: Caller,
}

pub fn run(plan: &Plan) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let own = format!("sqlite:{}", folder.path().join("amparo.db").display());
    let url = plan.database.as_deref().unwrap_or(&own);
    if plan.database.is_none() {
        base::load(&plan.binary, url, plan.members)?;
    }
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let mut rounds = Rounds::new(plan.span, plan.rounds, plan.only.clone());
    let with_plates = rounds.wants(plates::NAME) || rounds.wants(writes::NAME);
    let base = Base::open(&runtime, url, with_plates)?;
    if let DatabaseAddress::Postgres(config) = &base.address {
        // What the server would do by itself sooner or later, in the middle of a measurement.
        runtime.block_on(async {
            crate::executor::connect(config).await?.batch_execute("VACUUM ANALYZE").await
        })?;
    }
    drop(runtime);
    let server = start(plan, url, &base.address, folder.path())?;
    let load = Builder::new_current_thread().enable_all().build()?;
    let users = [(ADMINISTRATOR, "administrator"), (INTEGRATION, "5 branches"), (OPERATOR, "1 branch")];
    let users = users.map(|(login, name)| User::enter(&server.address, login, name));
    let users = users.into_iter().collect::<Result<Vec<User>, Failure>>()?;
    let measured = Measured { base: &base, url, server: &server, users, load: &load, folder: folder.path() };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let vehicles = if with_plates { format!("{} vehicles, ", base.taken.len()) } else { String::new() };
    println!(
        "{cores} cores, {vehicles}{} connections, {} rounds of {:?}",
        load::CONNECTIONS,
        plan.rounds,
        plan.span
    );
    report(plan, measured, &mut rounds)
}

fn report(plan: &Plan, mut measured: Measured<'_>, rounds: &mut Rounds) -> Result<(), Failure> {
    rounds.processes.push(measured.server.process());
    let (mut tables, mut memory) = (Vec::new(), Vec::new());
    let server = measured.server;
    let mut weigh = |when: &str| {
        let megabytes = server.anonymous_memory().unwrap_or(0.0);
        println!("anonymous memory after {when}: {megabytes:.0} MB");
        memory.push(megabytes);
    };
    if rounds.wants(plates::NAME) {
        plates::measure(&mut measured, rounds)?;
        weigh(plates::NAME);
    }
    if rounds.wants(names::NAME) {
        tables.push(names::measure(&mut measured.users, &measured.base.words)?);
        weigh(names::NAME);
    }
    if rounds.wants(list::NAME) {
        tables.push(list::measure(&mut measured.users, plan.long)?);
        weigh(list::NAME);
    }
    if rounds.wants(writes::NAME) {
        writes::measure(&measured, rounds)?;
        weigh(writes::NAME);
    }
    println!("\n{}", rounds.table());
    for table in tables {
        println!("{table}");
    }
    let most = memory.into_iter().fold(0.0, f64::max);
    let verdict = if most <= MEMORY { "reached" } else { "MISSED" };
    println!("anonymous memory, at most {MEMORY:.0} MB: {most:.0} MB {verdict}");
    Ok(())
}

fn start(plan: &Plan, url: &str, address: &DatabaseAddress, folder: &Path) -> Result<Server, Failure> {
    let mut command = Command::new(&plan.binary);
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "off", "--database", url]);
    if address.is_shared() {
        command.arg("--key-file").arg(folder.join("key"));
    }
    Server::start(&mut command)
}

impl User {
    fn enter(address: &str, login: &str, name: &'static str) -> Result<User, Failure> {
        let mut caller = Caller::connect(address)?;
        let entered = caller.login(login, PASSWORD)?;
        let token = token_in(&entered.body).ok_or_else(|| format!("no token: {}", entered.body))?;
        Ok(User { name, token, address: address.to_owned(), caller })
    }

    fn read(&mut self, path: &str) -> Result<Answer, Failure> {
        let answer = match self.caller.read(path, &self.token) {
            Ok(answer) => answer,
            // A connection that nobody used for a while is closed.
            Err(_) => {
                self.caller = Caller::connect(&self.address)?;
                self.caller.read(path, &self.token)?
            }
        };
        if answer.status == 200 { Ok(answer) } else { Err(format!("{path}: {}", answer.body).into()) }
    }

    fn page(&mut self, number: i64) -> Result<Answer, Failure> {
        self.read(&format!("/ext/beneficio/lista?pagina={number}"))
    }
}

impl Answer {
    /// How many items there are in all pages.
    fn total(&self) -> Result<i64, Failure> {
        let (_, behind) = self.body.rsplit_once("\"quantidade\":").ok_or("no page")?;
        Ok(behind.trim_end_matches('}').parse()?)
    }
}
