//! Runs a command beside a throw-away PostgreSQL server, for tests on both engines:
//! `with-postgres [--durable] cargo test`.
#![allow(clippy::unwrap_used, reason = "a test tool fails loudly")]

extern crate amparo_testkit as testkit;

use std::process::{Command, ExitCode};
use testkit::Cluster;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let durable = arguments.first().is_some_and(|first| first == "--durable");
    if durable {
        arguments.remove(0);
    }
    let (program, rest) = arguments.split_first().expect("a command to run");
    let cluster = Cluster::start(durable);
    tokio::runtime::Runtime::new().unwrap().block_on(testkit::make_templates(&cluster));
    let status =
        Command::new(program).args(rest).env("AMPARO_TEST_POSTGRES", cluster.address()).status().unwrap();
    ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}
