//! The executor beside the raw drivers: point reads, searches, durable units, on both engines.

mod ours;
mod raw_postgres;
mod raw_sqlite;
mod tables;
mod units;

pub use raw_postgres::connect;
pub use raw_sqlite::{Log, keep_log, open as connection};
pub use units::BATCH;

use crate::measure::{Goal, Rounds};
use crate::recorder;
use std::error::Error;
use std::time::Duration;
use storage::{DatabaseAddress, DatabaseOptions, Db, SchemaPolicy};
use tokio::runtime::Runtime;
use tokio_postgres::Config;

pub struct Plan {
    pub sqlite: bool,
    pub postgres: bool,
    /// Of a PostgreSQL server where a database may be created.
    pub address: Option<String>,
    pub rows: i64,
    pub span: Duration,
    pub rounds: u64,
    /// Only the measurements whose name contains this.
    pub only: Option<String>,
}

/// Of the raw driver, in percent.
const READS: f64 = 85.0;
/// Of hand-written batches, in percent.
const UNITS: f64 = 80.0;

const POINT: &str = "point read";
const RANGE: &str = "search, 100 rows";
const ONE: &str = "units, 1 tenant";
const FOUR: &str = "units, 4 tenants × 64";
const FEW: &str = "units, 4 tenants × 16";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub fn run(plan: &Plan) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut rounds = Rounds::new(plan.span, plan.rounds, plan.only.clone());
    recorder::install();
    if cfg!(debug_assertions) {
        println!("A debug build: these figures say nothing. Run it with --release.");
    }
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores, {} rows, {} callers, {} rounds", plan.rows, ours::CALLERS, plan.rounds);
    if plan.sqlite {
        sqlite(plan, &runtime, &mut rounds)?;
    }
    if plan.postgres {
        match &plan.address {
            Some(address) => postgres(plan, address, &runtime, &mut rounds)?,
            None => println!("postgres is left out: give --postgres URL or AMPARO_TEST_POSTGRES"),
        }
    }
    println!("\n{}", rounds.table());
    Ok(())
}

fn open(runtime: &Runtime, address: &DatabaseAddress, options: &DatabaseOptions) -> Result<Db> {
    let (db, _) = runtime.block_on(storage::open_database(address, options, SchemaPolicy::Migrate))?;
    println!("\n{}", runtime.block_on(db.describe_version())?);
    Ok(db)
}

fn sqlite(plan: &Plan, runtime: &Runtime, rounds: &mut Rounds) -> Result<()> {
    let goal = |name, baseline, target| Goal { name, engine: "sqlite", baseline, target };
    let folder = tempfile::tempdir()?;
    let options = DatabaseOptions::default();
    let path = folder.path().join("ours.db");
    let db = open(runtime, &DatabaseAddress::Sqlite(path.clone()), &options)?;
    if rounds.wants(POINT) || rounds.wants(RANGE) {
        raw_sqlite::fill(&path, plan.rows)?;
    }
    let threads = |count| raw_sqlite::Threads::open(&path, &options, count, plan.rows);
    if rounds.wants(POINT) {
        let tight = threads(options.readers)?.points();
        let asked = threads(options.readers)?.points_by_channel(runtime);
        let baselines = vec![
            (goal(POINT, "rusqlite, tight loops", Some(READS)), tight),
            (goal(POINT, "rusqlite behind a channel", None), asked),
        ];
        rounds.compare(ours::points(runtime, &db, plan.rows), baselines);
    }
    if rounds.wants(RANGE) {
        let tight = threads(options.readers)?.ranges();
        let baselines = vec![(goal(RANGE, "rusqlite, tight loops", Some(READS)), tight)];
        rounds.compare(ours::ranges(runtime, &db, plan.rows), baselines);
    }
    if rounds.wants(ONE) {
        // Files of their own, so that no side waits for another's lock or log.
        let batches = |name: &str, log| -> Result<_> {
            let path = folder.path().join(name);
            let (empty, _) = runtime.block_on(storage::open_database(
                &DatabaseAddress::Sqlite(path.clone()),
                &options,
                SchemaPolicy::Migrate,
            ))?;
            runtime.block_on(empty.close());
            Ok(raw_sqlite::batches(&path, &options, 1, log)?)
        };
        let (inline, aside) = (batches("inline.db", Log::Inline)?, batches("aside.db", Log::Aside)?);
        let baselines = vec![
            (goal(ONE, "batches of 32, one thread", Some(UNITS)), inline),
            (goal(ONE, "the same, log moved back aside", Some(UNITS)), aside),
        ];
        rounds.compare(ours::units(runtime, &db, ours::CALLERS, &[1]), baselines);
    }
    runtime.block_on(db.close());
    Ok(())
}

fn postgres(plan: &Plan, address: &str, runtime: &Runtime, rounds: &mut Rounds) -> Result<()> {
    let goal = |name, baseline, target| Goal { name, engine: "postgres", baseline, target };
    let server: Config = address.parse()?;
    let own = OwnDatabase::create(runtime, server)?;
    let config = &own.config;
    let options = DatabaseOptions::default();
    let db = open(runtime, &DatabaseAddress::Postgres(Box::new(config.clone())), &options)?;
    if rounds.wants(POINT) || rounds.wants(RANGE) {
        runtime.block_on(raw_postgres::fill(config, plan.rows))?;
    }
    if rounds.wants(POINT) {
        let shared = runtime.block_on(raw_postgres::Shared::points(config, options.points, plan.rows))?;
        let baselines =
            vec![(goal(POINT, "tokio-postgres, pipelined", Some(READS)), shared.read_points(runtime))];
        rounds.compare(ours::points(runtime, &db, plan.rows), baselines);
    }
    if rounds.wants(RANGE) {
        let shared = || runtime.block_on(raw_postgres::Shared::ranges(config, options.readers, plan.rows));
        let alone = goal(RANGE, "tokio-postgres, one at a time", Some(READS));
        let pipelined = goal(RANGE, "tokio-postgres, pipelined", None);
        let baselines =
            vec![(alone, shared()?.read_ranges_alone(runtime)), (pipelined, shared()?.read_ranges(runtime))];
        rounds.compare(ours::ranges(runtime, &db, plan.rows), baselines);
    }
    // The raw side writes for tenants of its own: it does not know the executor's locks.
    if rounds.wants(ONE) {
        let batches = raw_postgres::batches(runtime, config, &[11])?;
        let baselines = vec![(goal(ONE, "batches of 32, one connection", Some(UNITS)), batches)];
        rounds.compare(ours::units(runtime, &db, ours::CALLERS, &[1]), baselines);
    }
    if rounds.wants(FOUR) {
        // As many callers for each tenant, so that batches can fill.
        let batches = raw_postgres::batches(runtime, config, &[11, 12, 13, 14])?;
        let baselines = vec![(goal(FOUR, "batches of 32, four connections", Some(UNITS)), batches)];
        rounds.compare(ours::units(runtime, &db, 4 * ours::CALLERS, &[1, 2, 3, 4]), baselines);
    }
    if rounds.wants(FEW) {
        let batches = raw_postgres::batches(runtime, config, &[11, 12, 13, 14])?;
        let baselines = vec![(goal(FEW, "batches of 32, four connections", None), batches)];
        rounds.compare(ours::units(runtime, &db, ours::CALLERS, &[1, 2, 3, 4]), baselines);
    }
    runtime.block_on(db.close());
    Ok(())
}

/// A database that is there for this run only.
pub struct OwnDatabase<'r> {
    runtime: &'r Runtime,
    server: Config,
    name: String,
    pub config: Config,
}

impl OwnDatabase<'_> {
    pub fn create(runtime: &Runtime, server: Config) -> Result<OwnDatabase<'_>> {
        let name = format!("amparo_bench_{}", std::process::id());
        let mut config = server.clone();
        config.dbname(&name);
        let own = OwnDatabase { runtime, server, name, config };
        own.run(&format!("CREATE DATABASE {}", own.name))?;
        Ok(own)
    }

    fn run(&self, text: &str) -> std::result::Result<(), tokio_postgres::Error> {
        self.runtime.block_on(async { connect(&self.server).await?.batch_execute(text).await })
    }
}

impl Drop for OwnDatabase<'_> {
    fn drop(&mut self) {
        // Connections of ours may still be on their way out.
        if let Err(error) = self.run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)) {
            eprintln!("bench: the database {} is left behind: {error}", self.name);
        }
    }
}
