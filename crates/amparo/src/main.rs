//! The binary: command line, settings, wiring, telemetry, shutdown, and nothing else.

mod bucket;
mod cli;
mod commands;
mod fatal;
mod measurement;
mod settings;
mod system;
mod telemetry;

use clap::error::ErrorKind;
use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// A request makes some hundred small allocations on different threads; with the system allocator they take an eighth
/// of its cost.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    system::protect_memory();
    let matches = match cli::build_command_line().try_get_matches() {
        Ok(matches) => matches,
        Err(error)
            if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            // Help or version: clap chooses the output stream.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
        Err(error) => return report_failure(&cli::describe_cli_error(&error), 2),
    };
    match commands::run_command(&matches) {
        Ok(code) => code,
        Err(fatal) => report_failure(fatal.sentence(), 1),
    }
}

fn report_failure(sentence: &str, code: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{sentence}");
    ExitCode::from(code)
}
