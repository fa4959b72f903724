//! The commands, one module each, and what they share.

mod archive;
mod backup;
mod config;
mod demo;
mod doctor;
mod import;
mod key;
mod listen;
mod migrate;
mod mirror;
mod output;
mod receiver;
mod scheduled_backup;
mod serve;
mod stop_signals;
mod tenant;
mod tls;
mod trigger;
mod user;
mod worker;

use crate::bucket;
use crate::cli;
use crate::fatal::FatalError;
use crate::settings::{AttachmentSettings, BucketSettings, ServerSettings, StoreKind};
use crate::system::{SystemClock, SystemRandomSource};
use crate::telemetry;
use app::attachments::FileStore;
use app::triggers::LeaseHolder;
use app::upkeep::presence;
use app::{App, HashCost, PasswordHasher, Vault};
use clap::ArgMatches;
use domain::TenantId;
use object_store::ObjectStore;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use storage::{DatabaseAddress, Db, SchemaPolicy};
use vault::ProcessIdentity;

/// How long calls to the system that are under way may take when a command ends.
const LAST_CALLS: Duration = Duration::from_secs(1);

pub fn run_command(matches: &ArgMatches) -> Result<ExitCode, FatalError> {
    let (path, arguments) = cli::find_innermost_command(matches);
    let settings = ServerSettings::load(arguments, |name| std::env::var(name).ok())
        .map_err(|error| FatalError::new(error.to_string()))?;
    match path[..] {
        ["config"] => return config::show_config(&settings),
        ["openapi"] => {
            print_line(api::openapi_text());
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    telemetry::start_logging(&settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| FatalError::new(format!("O programa não pôde iniciar: {error}.")))?;
    let outcome = runtime.block_on(async {
        match path[..] {
            ["serve"] => {
                let options = serve::ServerOptions {
                    demo: arguments.get_flag("demo"),
                    delivers: !arguments.get_flag("no-delivery"),
                };
                serve::run_server(&settings, options).await
            }
            ["worker"] => worker::run_worker(&settings).await,
            ["receiver", verb] => receiver::run_receiver_command(&settings, verb, arguments).await,
            ["trigger", "list"] => trigger::list_deliveries(&settings, arguments).await,
            ["trigger", "replay"] => trigger::replay_deliveries(&settings, arguments).await,
            ["listen"] => listen::run_test_receiver(&settings, arguments).await,
            ["migrate"] => migrate::migrate_database(&settings).await,
            ["doctor"] => doctor::run_doctor(&settings, arguments.get_flag("json")).await,
            ["tenant", "create"] => tenant::create_tenant(&settings, arguments).await,
            ["tenant", "list"] => tenant::list_tenants(&settings).await,
            ["tenant", "host", verb] => tenant::manage_tenant_hosts(&settings, verb, arguments).await,
            ["user", "create"] => user::create_user(&settings, arguments).await,
            ["user", "list"] => user::list_users(&settings, arguments).await,
            ["user", "disable"] => user::disable_user(&settings, arguments).await,
            ["user", "reset"] => user::reset_password(&settings, arguments).await,
            ["user", "logout"] => user::end_user_sessions(&settings, arguments).await,
            ["user", "remove-second-factor"] => user::remove_second_factor(&settings, arguments).await,
            ["import"] => import::run_import(&settings, arguments).await,
            ["export"] => archive::export_archive(&settings, arguments).await,
            ["bring"] => archive::restore_archive(&settings, arguments).await,
            ["backup", "create"] => backup::create_backup(&settings, arguments).await,
            ["backup", "list"] => backup::list_backups(&settings, arguments).await,
            ["backup", "verify"] => backup::verify_backup(&settings, arguments).await,
            ["backup", "restore"] => backup::restore_backup(&settings, arguments).await,
            ["key", "rotate"] => key::rotate_key(&settings).await,
            ["key", "replace"] => key::replace_lost_key(&settings, arguments).await,
            ["demo", "load"] => demo::load_demo(&settings, arguments).await,
            ["mirror"] => mirror::run_mirror(&settings, arguments).await,
            _ => Err(FatalError::new("Este comando não existe; veja `amparo --help`.")),
        }
    });
    // A call to a disk that no longer answers must not hold the end up.
    runtime.shutdown_timeout(LAST_CALLS);
    outcome
}

/// Opens the app for commands other than `serve`: an empty database gets its schema, an older one is left to `migrate`.
async fn open_app(settings: &ServerSettings) -> Result<App, FatalError> {
    let address = DatabaseAddress::parse(&settings.database)?;
    let (db, _) = storage::open_database(&address, &settings.storage.options(), SchemaPolicy::Expect).await?;
    let scheme = if settings.tls.is_enabled() { "https" } else { "http" };
    build_app(db, &resolve_public_url(settings, scheme, &settings.listen))
}

fn build_app(db: Db, public_url: &str) -> Result<App, FatalError> {
    // Password checks use half of the cores at most, so that a flood of sign-ins leaves the rest to other requests.
    let at_once = std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
    let passwords = PasswordHasher::new(HashCost::OWASP, at_once, &SystemRandomSource)?;
    let mut app = App::new(db, Arc::new(SystemClock), Arc::new(SystemRandomSource), passwords);
    app.public_url = public_url.into();
    Ok(app)
}

/// Opens the app for commands that handle secrets, with or without a running server.
async fn open_app_with_vault(settings: &ServerSettings) -> Result<(App, Vault), FatalError> {
    let key_file = resolve_key_file(settings, &DatabaseAddress::parse(&settings.database)?)?;
    let app = open_app(settings).await?;
    let vault = open_vault(&app, &key_file).await?;
    Ok((app, vault))
}

async fn open_vault(app: &App, key_file: &Path) -> Result<Vault, FatalError> {
    let name = presence::generate_process_name(app);
    let process = ProcessIdentity { name: &name, version: env!("CARGO_PKG_VERSION") };
    Ok(vault::open_vault_for_command(app.key_context(), key_file, process).await?)
}

/// The tenant that the command's arguments select.
async fn resolve_tenant(app: &App, arguments: &ArgMatches) -> Result<TenantId, FatalError> {
    let named = arguments.get_one::<i32>("tenant").copied().map(TenantId::new);
    Ok(app::tenants::resolve_tenant(app, named).await?.id)
}

/// The identity under which this process holds delivery leases.
fn build_lease_holder(settings: &ServerSettings, process: &str, place: &str) -> LeaseHolder {
    let place = format!("{}/{place}", presence::read_machine_name());
    LeaseHolder { process: process.to_owned(), place, lease: settings.triggers.delivery.lease }
}

/// The public URL: from the settings, else the address the server listens on.
fn resolve_public_url(settings: &ServerSettings, scheme: &str, listening: &str) -> String {
    settings.public_url.clone().unwrap_or_else(|| format!("{scheme}://{listening}"))
}

/// The folder for mails as files, used without a mail server.
fn resolve_mail_folder(settings: &ServerSettings, address: &DatabaseAddress) -> Result<PathBuf, FatalError> {
    if let Some(folder) = &settings.mail.folder {
        return Ok(folder.clone());
    }
    Ok(resolve_data_folder(settings, address)?.join("mails"))
}

/// The folder of the database or of the key, for files the server stores beside it.
fn resolve_data_folder(settings: &ServerSettings, address: &DatabaseAddress) -> Result<PathBuf, FatalError> {
    match address.folder() {
        Some(folder) => Ok(folder.to_owned()),
        None => Ok(resolve_key_file(settings, address)?.parent().map(PathBuf::from).unwrap_or_default()),
    }
}

/// The folder of attachments, if they are stored in a folder.
fn resolve_attachments_folder(
    settings: &ServerSettings,
    address: &DatabaseAddress,
) -> Result<Option<PathBuf>, FatalError> {
    let AttachmentSettings { place, folder, .. } = &settings.files;
    match (place, folder) {
        (StoreKind::Bucket, _) => Ok(None),
        (StoreKind::Folder, Some(folder)) => Ok(Some(folder.clone())),
        (StoreKind::Folder, None) => Ok(Some(resolve_data_folder(settings, address)?.join("arquivos"))),
    }
}

fn open_file_store(settings: &ServerSettings, address: &DatabaseAddress) -> Result<FileStore, FatalError> {
    let AttachmentSettings { bucket, limits, .. } = &settings.files;
    let opened = match resolve_attachments_folder(settings, address)? {
        Some(folder) => FileStore::open_folder(&folder, *limits),
        None => FileStore::open_bucket(
            open_bucket_store(bucket, "Os arquivos ficam")?,
            &resolve_data_folder(settings, address)?.join("arquivos-a-caminho"),
            *limits,
        ),
    };
    opened.map_err(|error| build_file_store_error(&error))
}

/// Opens a bucket; `what` begins the sentence that says what is missing.
fn open_bucket_store(bucket: &BucketSettings, what: &str) -> Result<Arc<dyn ObjectStore>, FatalError> {
    if let Some(key) = bucket.find_missing_key() {
        return Err(FatalError::new(format!("{what} num bucket, e falta dizer {key}.")));
    }
    bucket::open_bucket(bucket).map_err(|error| {
        FatalError::new(format!(
            "O bucket {} não pôde ser aberto: {error}; confira as chaves s3_*.",
            bucket.name
        ))
    })
}

/// Refuses to start if files could not be stored.
async fn probe_file_store(place: &FileStore) -> Result<(), FatalError> {
    place.probe(&SystemRandomSource).await.map_err(|error| build_file_store_error(&error))
}

fn build_file_store_error(error: &app::Error) -> FatalError {
    FatalError::new(format!(
        "O lugar dos arquivos anexados não pode ser usado: {}; confira a seção [files] da configuração.",
        crate::fatal::describe_cause(&error.to_string())
    ))
}

/// The path of the server's key.
fn resolve_key_file(settings: &ServerSettings, address: &DatabaseAddress) -> Result<PathBuf, FatalError> {
    let beside = || address.folder().map(|folder| folder.join("amparo.key"));
    settings.key_file.clone().or_else(beside).ok_or_else(|| {
        FatalError::new(
            "Com o PostgreSQL, diga onde fica a chave do servidor: --key-file ARQUIVO ou AMPARO_KEY_FILE.",
        )
    })
}

/// Prints a line. A closed standard output is not an error.
fn print_line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
