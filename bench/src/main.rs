//! A developer's tool that measures: `bench executor` sets our executor beside the raw drivers, `bench access` what
//! entering costs and what a flood of logins does to others, `bench members` what a large association gets, `bench triggers`
//! how fast changes are told, `bench console` how long its pages take, `bench import` how fast a sheet comes in,
//! `bench charging` how fast a month is charged; each in one run. The figures say something only in a release build.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool prints what it measured")]

mod access;
mod caller;
mod charging;
mod console;
mod executor;
mod import;
mod measure;
mod members;
mod recorder;
mod server;
mod times;
mod triggers;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The same as the server's, so that what is set beside it has no other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let matches = command().get_matches();
    let place = |given: &ArgMatches| given.get_one::<String>("place").cloned().unwrap_or_default();
    let result = match matches.subcommand() {
        Some(("executor", given)) => executor::run(&plan(given)),
        Some(("access", given)) => access::run(&access_plan(given)),
        Some(("members", given)) => members::run(&members_plan(given)),
        Some(("triggers", given)) => triggers::run(&triggers_plan(given)),
        Some(("console", given)) => console::run(&console_plan(given)),
        Some(("import", given)) => import::run(&import_plan(given)),
        Some(("charging", given)) => {
            let members = given.get_one::<u32>("members").copied().unwrap_or(1);
            charging::run(&charging::Plan { members })
        }
        Some(("bare-json", given)) => members::serve_json(Path::new(&place(given))),
        Some(("bare-sqlite", given)) => members::serve_sqlite(&place(given)),
        _ => Ok(()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let executor = Command::new("executor")
        .about("Ratios of the storage executor to the raw drivers")
        .arg(engine())
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_parser(value_parser!(i64).range(1_000..=5_000_000))
                .default_value("100000")
                .help("Rows of the table that is read"),
        )
        .args([seconds("2"), rounds(), only(), postgres()]);
    let triggers = Command::new("triggers")
        .about("How fast changes are told, beside a loop that only posts and one that also writes it down")
        .args([engine(), seconds("3"), rounds(), only(), postgres()])
        .arg(
            Arg::new("deliveries")
                .long("deliveries")
                .value_parser(value_parser!(u64).range(1_000..=1_000_000))
                .default_value("40000")
                .help("Deliveries of each side in each round"),
        );
    let access = Command::new("access")
        .about("What entering costs, and what a flood of logins does to others")
        .args([binary(), database("An empty database; else a file of its own"), seconds("5"), rounds()]);
    let members = Command::new("members")
        .about("What a large association gets: searches, the list of benefits, new benefits, memory")
        .args([binary(), seconds("3"), rounds(), only()])
        .arg(database(
            "A database that holds the demonstration, and grows; else it is loaded into a file of its own",
        ))
        .arg(
            Arg::new("members")
                .long("members")
                .value_parser(value_parser!(u64).range(1_000..=5_000_000))
                .default_value("1000000")
                .help("Members of a demonstration that is loaded"),
        )
        .arg(Arg::new("long").long("long").action(ArgAction::SetTrue).help("Walk every page of the list"));
    let console = Command::new("console")
        .about(
            "How long every page of the console takes, for an administrator and for somebody with one branch",
        )
        .args([binary(), only()])
        .arg(database(
            "A database that holds the demonstration; else a small one is loaded into a file of its own",
        ))
        .arg(
            Arg::new("members")
                .long("members")
                .value_parser(value_parser!(u64).range(1_000..=5_000_000))
                .default_value("2000")
                .help("Members of a demonstration that is loaded"),
        )
        .arg(
            Arg::new("times")
                .long("times")
                .value_parser(value_parser!(u64).range(1..=10_000))
                .default_value("100")
                .help("How often each page is asked for"),
        );
    let import = Command::new("import")
        .about("How many rows a second `amparo import` brings in: members, new, again, and taken back")
        .args([binary(), database("An empty database; else a file of its own")])
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_parser(value_parser!(u64).range(1_000..=500_000))
                .default_value("200000")
                .help("Members in the file"),
        );
    let charging =
        Command::new("charging").about("How fast a month is charged on SQLite: preview, issue, undo").arg(
            Arg::new("members")
                .long("members")
                .value_parser(value_parser!(u32).range(100..=1_000_000))
                .default_value("75000")
                .help("Members of a demonstration that is loaded"),
        );
    // The servers that the members' one is compared with, for processes of this program alone.
    let bare = |name: &'static str| Command::new(name).hide(true).arg(Arg::new("place").required(true));
    Command::new("bench").about("Measures Amparo").subcommand_required(true).subcommands([
        executor,
        access,
        members,
        triggers,
        console,
        import,
        charging,
        bare("bare-json"),
        bare("bare-sqlite"),
    ])
}

fn engine() -> Arg {
    Arg::new("engine")
        .long("engine")
        .value_parser(["sqlite", "postgres", "both"])
        .default_value("both")
        .help("Which engines to measure")
}

fn postgres() -> Arg {
    Arg::new("postgres").long("postgres").value_name("URL").help(
        "A PostgreSQL server where a database may be created, and is dropped at the end [env: AMPARO_TEST_POSTGRES]",
    )
}

fn binary() -> Arg {
    Arg::new("binary").long("binary").default_value("target/dist/amparo").help("The binary to measure")
}

fn database(help: &'static str) -> Arg {
    Arg::new("database").long("database").value_name("URL").help(help)
}

fn seconds(default: &'static str) -> Arg {
    Arg::new("seconds")
        .long("seconds")
        .value_parser(value_parser!(u64).range(1..=60))
        .default_value(default)
        .help("How long each side runs in each round")
}

fn rounds() -> Arg {
    Arg::new("rounds")
        .long("rounds")
        .value_parser(value_parser!(u64).range(1..=99))
        .default_value("5")
        .help("How often the sides take turns")
}

fn only() -> Arg {
    Arg::new("only")
        .long("only")
        .value_name("WORD")
        .help("Only the measurements whose name contains the word")
}

fn access_plan(given: &ArgMatches) -> access::Plan {
    let number = |name: &str| given.get_one::<u64>(name).copied().unwrap_or(1);
    access::Plan {
        binary: given.get_one::<String>("binary").cloned().unwrap_or_default(),
        database: given.get_one::<String>("database").cloned(),
        span: Duration::from_secs(number("seconds")),
        rounds: number("rounds"),
    }
}

fn members_plan(given: &ArgMatches) -> members::Plan {
    let text = |name: &str| given.get_one::<String>(name).cloned();
    let number = |name: &str| given.get_one::<u64>(name).copied().unwrap_or(1);
    members::Plan {
        binary: text("binary").unwrap_or_default(),
        database: text("database"),
        members: number("members"),
        span: Duration::from_secs(number("seconds")),
        rounds: number("rounds"),
        only: text("only"),
        long: given.get_flag("long"),
    }
}

fn console_plan(given: &ArgMatches) -> console::Plan {
    let text = |name: &str| given.get_one::<String>(name).cloned();
    let number = |name: &str| given.get_one::<u64>(name).copied().unwrap_or(1);
    console::Plan {
        binary: text("binary").unwrap_or_default(),
        database: text("database"),
        members: number("members"),
        times: number("times"),
        only: text("only"),
    }
}

fn import_plan(given: &ArgMatches) -> import::Plan {
    import::Plan {
        binary: given.get_one::<String>("binary").cloned().unwrap_or_default(),
        database: given.get_one::<String>("database").cloned(),
        rows: given.get_one::<u64>("rows").copied().unwrap_or(1),
    }
}

fn triggers_plan(given: &ArgMatches) -> triggers::Plan {
    let text = |name: &str| given.get_one::<String>(name).cloned();
    let number = |name: &str| given.get_one::<u64>(name).copied().unwrap_or(1);
    let engine = text("engine").unwrap_or_default();
    triggers::Plan {
        sqlite: engine != "postgres",
        postgres: engine != "sqlite",
        address: text("postgres").or_else(|| std::env::var("AMPARO_TEST_POSTGRES").ok()),
        deliveries: number("deliveries"),
        span: Duration::from_secs(number("seconds")),
        rounds: number("rounds"),
        only: text("only"),
    }
}

fn plan(given: &ArgMatches) -> executor::Plan {
    let text = |name: &str| given.get_one::<String>(name).cloned();
    let engine = text("engine").unwrap_or_default();
    executor::Plan {
        sqlite: engine != "postgres",
        postgres: engine != "sqlite",
        address: text("postgres").or_else(|| std::env::var("AMPARO_TEST_POSTGRES").ok()),
        rows: given.get_one::<i64>("rows").copied().expect("rows have a default"),
        span: Duration::from_secs(given.get_one::<u64>("seconds").copied().expect("seconds have a default")),
        rounds: given.get_one::<u64>("rounds").copied().expect("rounds have a default"),
        only: text("only"),
    }
}
