//! One module for each command.

mod config;
mod demo;
mod doctor;
mod migrate;
mod serve;
mod tenant;
mod user;

use crate::cli;
use crate::fatal::Fatal;
use crate::settings::Settings;
use crate::system::{SystemChance, SystemClock};
use crate::telemetry;
use app::{App, Passwords};
use clap::ArgMatches;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use storage::{Address, Db, Schema};

/// Runs the command that was asked for.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Fatal> {
    let (path, arguments) = cli::asked(matches);
    let settings = Settings::load(arguments, |name| std::env::var(name).ok())
        .map_err(|error| Fatal::new(error.to_string()))?;
    if path == ["config"] {
        return config::run(&settings);
    }
    telemetry::logs(&settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Fatal::new(format!("O programa não pôde iniciar: {error}.")))?;
    runtime.block_on(async {
        match path[..] {
            ["serve"] => serve::run(&settings, arguments.get_flag("demo")).await,
            ["migrate"] => migrate::run(&settings).await,
            ["doctor"] => doctor::run(&settings).await,
            ["tenant", "create"] => tenant::create(&settings, arguments).await,
            ["tenant", "list"] => tenant::list(&settings).await,
            ["user", "create"] => user::create(&settings, arguments).await,
            ["user", "list"] => user::list(&settings, arguments).await,
            ["user", "disable"] => user::disable(&settings, arguments).await,
            ["user", "reset"] => user::reset(&settings, arguments).await,
            ["demo", "load"] => demo::load(&settings, arguments).await,
            _ => Err(Fatal::new("Este comando não existe; veja `amparo --help`.")),
        }
    })
}

/// What a command other than `serve` works with: an empty database is filled, an older one left to `migrate`.
async fn open(settings: &Settings) -> Result<App, Fatal> {
    let address = Address::parse(&settings.database)?;
    let (db, _) = storage::open(&address, &settings.storage.options(), Schema::Expect).await?;
    Ok(app_on(db))
}

fn app_on(db: Db) -> App {
    App { db, clock: Arc::new(SystemClock), chance: Arc::new(SystemChance), passwords: Passwords::OWASP }
}

/// Where the server's key is.
fn key_file(settings: &Settings, address: &Address) -> Result<PathBuf, Fatal> {
    let beside = || address.folder().map(|folder| folder.join("amparo.key"));
    settings.key_file.clone().or_else(beside).ok_or_else(|| {
        Fatal::new(
            "Com o PostgreSQL, diga onde fica a chave do servidor: --key-file ARQUIVO ou AMPARO_KEY_FILE.",
        )
    })
}

/// Says something to whoever asked. A reader that has gone is no reason to fail.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
