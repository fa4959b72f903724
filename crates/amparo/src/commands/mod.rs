//! One module for each command.

mod config;
mod demo;
mod doctor;
mod import;
mod listen;
mod migrate;
mod mirror;
mod receiver;
mod serve;
mod stop_signals;
mod tenant;
mod tls;
mod trigger;
mod user;
mod whole;
mod worker;

use crate::bucket;
use crate::cli;
use crate::fatal::Fatal;
use crate::settings::{FilePlace, FileSettings, Settings};
use crate::system::{SystemChance, SystemClock};
use crate::telemetry;
use app::files::Place;
use app::triggers::Holder;
use app::{App, Cost, Passwords, Vault};
use clap::ArgMatches;
use domain::TenantId;
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
    match path[..] {
        ["config"] => return config::run(&settings),
        ["openapi"] => {
            say(api::openapi_text());
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    telemetry::logs(&settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Fatal::new(format!("O programa não pôde iniciar: {error}.")))?;
    runtime.block_on(async {
        match path[..] {
            ["serve"] => {
                let asked = serve::Asked {
                    demo: arguments.get_flag("demo"),
                    delivers: !arguments.get_flag("no-delivery"),
                };
                serve::run(&settings, asked).await
            }
            ["worker"] => worker::run(&settings).await,
            ["receiver", verb] => receiver::run(&settings, verb, arguments).await,
            ["trigger", "list"] => trigger::list(&settings, arguments).await,
            ["trigger", "replay"] => trigger::replay(&settings, arguments).await,
            ["listen"] => listen::run(&settings, arguments).await,
            ["migrate"] => migrate::run(&settings).await,
            ["doctor"] => doctor::run(&settings, arguments.get_flag("json")).await,
            ["tenant", "create"] => tenant::create(&settings, arguments).await,
            ["tenant", "list"] => tenant::list(&settings).await,
            ["tenant", "host", verb] => tenant::host(&settings, verb, arguments).await,
            ["user", "create"] => user::create(&settings, arguments).await,
            ["user", "list"] => user::list(&settings, arguments).await,
            ["user", "disable"] => user::disable(&settings, arguments).await,
            ["user", "reset"] => user::reset(&settings, arguments).await,
            ["user", "logout"] => user::logout(&settings, arguments).await,
            ["user", "remove-second-factor"] => user::remove_second_factor(&settings, arguments).await,
            ["import"] => import::run(&settings, arguments).await,
            ["export"] => whole::export(&settings, arguments).await,
            ["bring"] => whole::bring(&settings, arguments).await,
            ["demo", "load"] => demo::load(&settings, arguments).await,
            ["mirror"] => mirror::run(&settings, arguments).await,
            _ => Err(Fatal::new("Este comando não existe; veja `amparo --help`.")),
        }
    })
}

/// What a command other than `serve` works with: an empty database is filled, an older one left to `migrate`.
async fn open(settings: &Settings) -> Result<App, Fatal> {
    let address = Address::parse(&settings.database)?;
    let (db, _) = storage::open(&address, &settings.storage.options(), Schema::Expect).await?;
    let scheme = if settings.tls.is_on() { "https" } else { "http" };
    app_on(db, &public_url(settings, scheme, &settings.listen))
}

fn app_on(db: Db, public_url: &str) -> Result<App, Fatal> {
    // Strangers get half of the machine at most: whoever floods the login leaves the rest to everybody else.
    let at_once = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
    let passwords = Passwords::new(Cost::OWASP, at_once, &SystemChance)?;
    let mut app = App::new(db, Arc::new(SystemClock), Arc::new(SystemChance), passwords);
    app.public_url = public_url.into();
    Ok(app)
}

/// What a command that handles secrets works with, beside a running server or before there is one.
async fn open_with_vault(settings: &Settings) -> Result<(App, Vault), Fatal> {
    let key_file = key_file(settings, &Address::parse(&settings.database)?)?;
    let app = open(settings).await?;
    let vault = app::server_key::for_command(&app, &key_file, env!("CARGO_PKG_VERSION")).await?;
    Ok((app, vault))
}

/// The base that a command means.
async fn meant(app: &App, arguments: &ArgMatches) -> Result<TenantId, Fatal> {
    let named = arguments.get_one::<i32>("tenant").copied().map(TenantId::new);
    Ok(app::tenants::meant(app, named).await?.id)
}

/// Who delivers here, as others see it.
fn holder(settings: &Settings, process: &str, place: &str) -> Holder {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let place = format!("{}/{place}", machine.trim());
    Holder { process: process.to_owned(), place, lease: settings.triggers.delivery.lease }
}

/// Where people find the server: what the settings say, else the address it listens on.
fn public_url(settings: &Settings, scheme: &str, listening: &str) -> String {
    settings.public_url.clone().unwrap_or_else(|| format!("{scheme}://{listening}"))
}

/// Where mails become files when there is no mail server.
fn mail_folder(settings: &Settings, address: &Address) -> Result<PathBuf, Fatal> {
    if let Some(folder) = &settings.mail.folder {
        return Ok(folder.clone());
    }
    Ok(data_folder(settings, address)?.join("mails"))
}

/// The folder beside the database or the key, for what the server keeps there.
fn data_folder(settings: &Settings, address: &Address) -> Result<PathBuf, Fatal> {
    match address.folder() {
        Some(folder) => Ok(folder.to_owned()),
        None => Ok(key_file(settings, address)?.parent().map(PathBuf::from).unwrap_or_default()),
    }
}

/// The folder of the files that people attach, where it is one.
fn attachments_folder(settings: &Settings, address: &Address) -> Result<Option<PathBuf>, Fatal> {
    let FileSettings { place, folder, .. } = &settings.files;
    match (place, folder) {
        (FilePlace::Bucket, _) => Ok(None),
        (FilePlace::Folder, Some(folder)) => Ok(Some(folder.clone())),
        (FilePlace::Folder, None) => Ok(Some(data_folder(settings, address)?.join("arquivos"))),
    }
}

/// Where the files that people attach are kept.
fn file_place(settings: &Settings, address: &Address) -> Result<Place, Fatal> {
    let FileSettings { bucket, limits, .. } = &settings.files;
    let opened = match attachments_folder(settings, address)? {
        Some(folder) => Place::folder(&folder, *limits),
        None => {
            if let Some(key) = bucket.missing() {
                return Err(Fatal::new(format!(
                    "Os arquivos ficam num bucket (files.place), e falta dizer {key}."
                )));
            }
            let store = bucket::open(bucket).map_err(|error| {
                Fatal::new(format!("O bucket dos arquivos não pôde ser aberto: {error}; confira files.s3_*."))
            })?;
            Place::bucket(store, &data_folder(settings, address)?.join("arquivos-a-caminho"), *limits)
        }
    };
    opened.map_err(|error| unusable(&error))
}

/// Refuses to start where files could not be kept.
async fn probe_files(place: &Place) -> Result<(), Fatal> {
    place.probe(&SystemChance).await.map_err(|error| unusable(&error))
}

fn unusable(error: &app::Error) -> Fatal {
    Fatal::new(format!(
        "O lugar dos arquivos anexados não pode ser usado: {}; confira a seção [files] da configuração.",
        crate::fatal::plainly(&error.to_string())
    ))
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
