//! A developer's tool that measures: `bench executor` sets our executor beside the raw drivers, `bench access` what
//! entering costs and what a flood of logins does to others; each in one run.
//! The figures say something only in a release build.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool prints what it measured")]

mod access;
mod executor;
mod measure;
mod recorder;

use clap::{Arg, ArgMatches, Command, value_parser};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let matches = command().get_matches();
    let result = match matches.subcommand() {
        Some(("executor", given)) => executor::run(&plan(given)),
        Some(("access", given)) => access::run(&access_plan(given)),
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
        .arg(
            Arg::new("engine")
                .long("engine")
                .value_parser(["sqlite", "postgres", "both"])
                .default_value("both")
                .help("Which engines to measure"),
        )
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_parser(value_parser!(i64).range(1_000..=5_000_000))
                .default_value("100000")
                .help("Rows of the table that is read"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_parser(value_parser!(u64).range(1..=60))
                .default_value("2")
                .help("How long each side runs in each round"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_parser(value_parser!(u64).range(1..=99))
                .default_value("5")
                .help("How often the sides take turns"),
        )
        .arg(
            Arg::new("only")
                .long("only")
                .value_name("WORD")
                .help("Only the measurements whose name contains the word"),
        )
        .arg(Arg::new("postgres").long("postgres").value_name("URL").help(
            "A PostgreSQL server where a database may be created, and is dropped at the end [env: AMPARO_TEST_POSTGRES]",
        ));
    let access = Command::new("access")
        .about("What entering costs, and what a flood of logins does to others")
        .arg(
            Arg::new("binary")
                .long("binary")
                .default_value("target/release/amparo")
                .help("The binary to measure"),
        )
        .arg(
            Arg::new("database")
                .long("database")
                .value_name("URL")
                .help("An empty database; else a file of its own"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_parser(value_parser!(u64).range(1..=60))
                .default_value("5")
                .help("How long each side runs in each round"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_parser(value_parser!(u64).range(1..=99))
                .default_value("5")
                .help("How often the sides take turns"),
        );
    Command::new("bench")
        .about("Measures Amparo")
        .subcommand_required(true)
        .subcommand(executor)
        .subcommand(access)
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
