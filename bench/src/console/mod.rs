//! `bench console`: how long every page of the console takes, for an administrator and for somebody with one branch. It drives
//! the real binary over loopback, enters by the form, and prints a table for docs/figures.md.

mod pages;

use crate::caller::{Answer, Caller};
use crate::server::Server;
use crate::times::{Times, ms};
use pages::{Asked, Codes};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

pub struct Plan {
    /// The binary that is measured.
    pub binary: String,
    /// Where the demonstration is; it is loaded into a file of its own where nothing is said.
    pub database: Option<String>,
    pub members: u64,
    /// How often each page is asked for.
    pub times: u64,
    pub only: Option<String>,
}

type Failure = Box<dyn std::error::Error>;

const PASSWORD: &str = "amparo-demo";
const USERS: [(&str, &str); 2] =
    [("admin@demo.example", "administrator"), ("operador@demo.example", "1 branch")];
/// What a page may take, in ms: on a demonstration of its own, and on a database of any size.
const LIMITS: [f64; 2] = [100.0, 300.0];

/// Somebody who entered.
struct Visitor {
    caller: Caller,
    address: String,
    cookie: String,
}

pub fn run(plan: &Plan) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let own = format!("sqlite:{}", folder.path().join("amparo.db").display());
    let url = plan.database.as_deref().unwrap_or(&own);
    if plan.database.is_none() {
        crate::members::load_demo(&plan.binary, url, plan.members)?;
    }
    let server = start(plan, url, folder.path())?;
    let limit = LIMITS[usize::from(plan.database.is_some())];
    let mut table = format!(
        "| page | who | p50 | p95 | slowest | size | at most {limit:.0} ms |\n|---|---|---:|---:|---:|---:|---|\n"
    );
    for (login, who) in USERS {
        let mut visitor = Visitor::enter(&server.address, login)?;
        let codes = Codes::draw(&mut visitor)?;
        for page in pages::all(&codes) {
            if plan.only.as_ref().is_none_or(|word| page.name.contains(word.as_str())) {
                measure(&mut visitor, &page, who, (plan.times, limit), &mut table)?;
            }
        }
    }
    println!("\n{table}");
    Ok(())
}

fn start(plan: &Plan, url: &str, folder: &Path) -> Result<Server, Failure> {
    let mut command = Command::new(&plan.binary);
    command.args(["serve", "--no-delivery", "--listen", "127.0.0.1:0", "--log-level", "off"]);
    command.args(["--database", url]);
    if storage::DatabaseAddress::parse(url)?.is_shared() {
        command.arg("--key-file").arg(folder.join("key"));
    }
    Server::start(&mut command)
}

fn measure(
    visitor: &mut Visitor,
    page: &Asked,
    who: &str,
    (times, limit): (u64, f64),
    table: &mut String,
) -> Result<(), Failure> {
    let (mut took, mut size) = (Times::default(), 0);
    for path in page.paths.iter().cycle().take(usize::try_from(times)?) {
        let answer = visitor.page(path)?;
        match answer.status {
            // A part of the console that this binary does not have, or does not show to him.
            403 | 404 if page.may_be_absent => return Ok(()),
            // A search that finds one thing opens it.
            200 | 303 => {}
            status => return Err(format!("{path}: {status} {}", answer.body).into()),
        }
        size = size.max(answer.body.len());
        took.0.push(answer.took);
    }
    let verdict = if ms(took.p(95.0)) <= limit { "reached" } else { "MISSED" };
    let line = format!(
        "| {} | {who} | {:.1} ms | {:.1} ms | {:.1} ms | {} KB | {verdict} |",
        page.name,
        ms(took.p(50.0)),
        ms(took.p(95.0)),
        ms(took.p(100.0)),
        size / 1024,
    );
    println!("{line}");
    let _ = writeln!(table, "{line}");
    Ok(())
}

impl Visitor {
    fn enter(address: &str, login: &str) -> Result<Visitor, Failure> {
        let mut caller = Caller::connect(address)?;
        let login = login.replace('@', "%40");
        let entered =
            caller.form("/console/entrar", &format!("usuario={login}&senha={PASSWORD}&para=/console"))?;
        let cookie =
            entered.cookie.ok_or_else(|| format!("no cookie: {} {}", entered.status, entered.body))?;
        Ok(Visitor { caller, address: address.to_owned(), cookie })
    }

    fn page(&mut self, path: &str) -> Result<Answer, Failure> {
        match self.caller.page(path, &self.cookie) {
            Ok(answer) => Ok(answer),
            // A connection that nobody used for a while is closed.
            Err(_) => {
                self.caller = Caller::connect(&self.address)?;
                Ok(self.caller.page(path, &self.cookie)?)
            }
        }
    }
}
