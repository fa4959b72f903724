//! `amparo serve`: opens everything, serves until told to stop, closes everything.

use super::stop_signals::StopSignals;
use super::tls::ServerCertificate;
use super::{demo, migrate, scheduled_backup, tls};
use crate::fatal::FatalError;
use crate::measurement::{self, MeasuredServer};
use crate::settings::{ServerSettings, StoreKind};
use crate::system::{self, SystemClock};
use crate::telemetry;
use api::{HttpServer, ServerState, StopFlag};
use app::audit::access_log;
use app::audit::access_log_pace::AccessLogPacer;
use app::mail::MailDeliveryMethod;
use app::upkeep::database_life::{self, DatabaseLifeVerdict, DatabaseLifeWatch};
use app::upkeep::health::ServerEnvironment;
use app::upkeep::housekeeping::{self, RetentionPolicy};
use app::upkeep::presence;
use app::{App, RequestLimit, Vault, cache};
use delivery::mail::{self, MailTransport, OutboxMailer};
use delivery::triggers::{dispatch_handle::DispatchHandle, post::HttpPoster};
use domain::Clock;
use metrics_exporter_prometheus::PrometheusHandle;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use storage::{DatabaseAddress, DatabaseOptions, SchemaPolicy};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use vault::{KeyError, ProcessIdentity};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const DAY: Duration = Duration::from_hours(24);

/// Options of `serve` besides the settings.
#[derive(Clone, Copy)]
pub struct ServerOptions {
    pub demo: bool,
    pub delivers: bool,
}

pub async fn run_server(
    settings: &ServerSettings,
    server_options: ServerOptions,
) -> Result<ExitCode, FatalError> {
    let with_demo = server_options.demo;
    let signals = StopSignals::listen();
    prepare_process(settings);
    for name in ServerSettings::list_unknown_variables(std::env::vars().map(|(name, _)| name)) {
        tracing::warn!(name, "unknown environment variable");
    }
    let address = DatabaseAddress::parse(&settings.database)?;
    if !server_options.delivers && !address.is_shared() {
        tracing::warn!(
            "triggers are not delivered: with SQLite only this process can deliver them, and delivery is disabled"
        );
    }
    let key_file = super::resolve_key_file(settings, &address)?;
    let post = build_mailer(settings, &address)?;
    let files = super::open_file_store(settings, &address)?;
    super::probe_file_store(&files).await?;
    let scheduled_backup = scheduled_backup::prepare_scheduled_backup(settings)?;
    let _lock = storage::lock_for_server(&address)?;
    let listener = bind_listener(&settings.listen).await?;
    let is_open = !is_loopback(&listener);
    if with_demo && is_open {
        demo::refuse_known_password()?;
    }
    let at =
        listener.local_addr().map_err(|error| FatalError::new(format!("O endereço se perdeu: {error}.")))?;
    let handle = measurement::install_metrics()?;
    let certificate = tls::open_certificate(&settings.tls, &key_file, at.ip(), SystemClock.now())?;
    let watch = settings.storage.slow_statement.map(telemetry::watch_slow_statements);
    let options = DatabaseOptions { watch, ..settings.storage.options() };
    let (db, migrated) = storage::open_database(&address, &options, SchemaPolicy::Migrate).await?;
    let transport = db.describe_transport().await;
    tracing::info!(database = %address, tls = %transport, from = migrated.from, to = migrated.to, "database open");
    if db.transport_protection().is_exposed() {
        tracing::warn!(database = %address, "the database connection is not encrypted: sslmode=disable");
    }
    if migrated.from != migrated.to {
        super::print_line(&migrate::describe_migration(&migrated));
    }
    let scheme = if settings.tls.is_enabled() { "https" } else { "http" };
    let here = format!("{scheme}://{at}");
    let mut app = super::build_app(db, &super::resolve_public_url(settings, scheme, &at.to_string()))?;
    app.throttle = settings.access.throttle;
    app.idle_limit = settings.access.console_idle;
    app.files = files;
    app.import_mib = settings.http.import_mib;
    app.request_limit = Arc::new(RequestLimit::per_second(settings.http.user_requests_per_second));
    let poster = build_trigger_poster(settings)?;
    if server_options.delivers {
        app.message_sender = Arc::new(poster.clone());
    }
    let process = presence::generate_process_name(&app);
    let identity = ProcessIdentity { name: &process, version: VERSION };
    let vault = vault::check_server_key(app.key_context(), &key_file, identity).await?;
    app.vault = Some(vault.clone());
    let watch = DatabaseLifeWatch::new(address.mark_path());
    let found = database_life::check_database_life(&app, &watch).await?;
    release_abandoned_leases(&app, &address).await?;
    let data = address.folder().map(Path::to_owned);
    app.environment =
        Arc::new(ServerEnvironment { mail: describe_mail_transport(settings, &address)?, data });
    let demo_notice = if with_demo { Some(demo::fill_empty_database(&app).await?) } else { None };
    if is_open {
        demo::refuse_known_users(&app).await?;
    }
    signals.begin_serving();
    print_greeting(&app, &here, &address).await?;
    warn_of_restored_copy(found);
    if let Some(demo_notice) = demo_notice {
        super::print_line(&demo_notice);
    }

    let schedule = HousekeepingSchedule::from(settings);
    let import_interval = schedule.heartbeat;
    let mut background = JoinSet::new();
    let heartbeat = ProcessHeartbeat {
        process: process.clone(),
        watch: watch.clone(),
        every: schedule.heartbeat,
        vault: vault.clone(),
        key_file,
    };
    background.spawn(send_heartbeats(app.clone(), handle.clone(), heartbeat));
    background.spawn(run_housekeeping(app.clone(), schedule));
    background.spawn(seal_card_tokens(app.clone(), vault.clone()));
    background.spawn(mail::run_mail_delivery(app.clone(), post, settings.mail.interval));
    background.spawn(refresh_memory(app.clone(), settings.access.renew_interval));
    background.spawn(run_due_imports(app.clone(), import_interval));
    background.spawn(run_due_charging(app.clone(), import_interval));
    background.spawn(write_access_log(app.clone(), settings.access.audit_interval));
    if let Some(scheduled) = scheduled_backup {
        let every = settings.housekeeping.heartbeat;
        background.spawn(scheduled_backup::run_scheduled_backups(app.clone(), scheduled, every));
    }
    if let Some(certificate) = &certificate {
        background.spawn(renew_certificate(app.clone(), certificate.clone(), settings.tls.renew_interval));
    }
    let holder = super::build_lease_holder(settings, &process, &at.to_string());
    let triggers = server_options.delivers.then(|| {
        DispatchHandle::start(app.clone(), vault.clone(), holder, poster, settings.triggers.delivery.clone())
    });
    let http = Arc::new(settings.http.http.clone());
    let pages = console::build_router(app.clone(), vault.clone());
    let state = ServerState::new(app.clone(), vault, handle, Arc::clone(&http));
    let stopping = state.stopping.clone();
    let measured = describe_measured_server(settings, &address, &app, &stopping);
    measurement::start_sampling(&mut background, &measured, settings.housekeeping.heartbeat);
    let router = api::build_server_router(state, pages);
    let server = HttpServer::new(router, http, settings.http.limits, certificate.map(|one| one.tls));
    let drained = signals.wait_for_drain(&stopping, settings.http.drain);
    let shutdown_budget = ShutdownBudget::new(settings.http.limits.shutdown_timeout);
    let stop = async {
        drained.await;
        shutdown_budget.begin();
    };
    if !api::serve_http_until(listener, server, stop, signals.wait_for_insistence()).await {
        tracing::warn!("requests were aborted at shutdown");
    }
    if let Some(triggers) = triggers {
        stop_triggers(triggers, shutdown_budget.remaining(), &signals).await;
    }
    background.shutdown().await;
    if let Err(error) = access_log::flush_access_log(&app).await {
        tracing::error!(%error, "the last access log entries could not be written");
    }
    sign_off_process(&app, &process, &watch).await;
    app.db.close().await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Raises the process limits, and logs what the operator should know about how the process was started.
pub fn prepare_process(settings: &ServerSettings) {
    system::raise_open_files_limit();
    let needed = count_needed_files(settings);
    if let Some(limit) = system::read_open_files_limit().filter(|limit| *limit < needed) {
        tracing::warn!(
            limit,
            needed,
            "fewer open files are allowed than http.max_connections may need; raise LimitNOFILE or ulimit -n"
        );
    }
    for (flag, variable) in settings.list_exposed_secrets() {
        tracing::warn!(
            flag,
            variable,
            "a secret on the command line is visible in the process list; use the environment variable"
        );
    }
}

/// The connections of callers, plus a few hundred for the database, attachments and receivers.
pub fn count_needed_files(settings: &ServerSettings) -> u64 {
    const BESIDES: u64 = 256;
    u64::try_from(settings.http.limits.max_connections).unwrap_or(u64::MAX).saturating_add(BESIDES)
}

/// The total time for everything in progress to finish when the server stops.
struct ShutdownBudget {
    total: Duration,
    begun: OnceLock<Instant>,
}

impl ShutdownBudget {
    fn new(total: Duration) -> ShutdownBudget {
        ShutdownBudget { total, begun: OnceLock::new() }
    }

    fn begin(&self) {
        self.begun.get_or_init(Instant::now);
    }

    fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.begun.get().map_or(Duration::ZERO, Instant::elapsed))
    }
}

/// Waits for triggers being sent, unless a second signal arrives. The rest is delivered later, under the same id.
pub async fn stop_triggers(triggers: DispatchHandle, timeout: Duration, signals: &StopSignals) {
    tokio::select! {
        () = triggers.stop(timeout) => {}
        () = signals.wait_for_insistence() => {}
    }
}

/// The HTTP client for triggers, within the limits of the settings.
pub fn build_trigger_poster(settings: &ServerSettings) -> Result<HttpPoster, FatalError> {
    let triggers = &settings.triggers.delivery;
    HttpPoster::new(triggers.guard.clone(), triggers.timeout)
        .map_err(|error| FatalError::new(format!("Os gatilhos não podem ser enviados: {error}.")))
}

/// Releases the work that a killed server had leased, so that it goes on at once. A server that is alone on its database
/// knows that no other works on it; on a shared database the leases are waited for.
async fn release_abandoned_leases(app: &App, address: &DatabaseAddress) -> Result<(), FatalError> {
    if address.is_shared() {
        return Ok(());
    }
    let runs = finance::charging::release_all_runs(app).await?;
    let imports = match storage::lock_out_imports(address)? {
        Some(_lock) => exchange::import::release_all_imports(app).await?,
        None => 0,
    };
    if runs + imports > 0 {
        tracing::info!(runs, imports, "the work of a server that is gone is taken over");
    }
    Ok(())
}

/// Encrypts tokens that older versions stored in plain text, once at startup; housekeeping continues with the rest.
async fn seal_card_tokens(app: App, vault: Vault) {
    match app::members::credit_cards::seal_all_clear_tokens(&app, &vault).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "tokens of credit cards were sealed"),
        Err(error) => tracing::warn!(%error, "tokens of credit cards could not be sealed yet"),
    }
}

/// What the sampled metrics are taken of.
pub fn describe_measured_server(
    settings: &ServerSettings,
    address: &DatabaseAddress,
    app: &App,
    stopping: &StopFlag,
) -> MeasuredServer {
    let attachments = super::resolve_attachments_folder(settings, address).ok().flatten();
    let backups = settings.backup.folder.clone().filter(|_| settings.backup.place == StoreKind::Folder);
    let folders = [
        ("database", address.folder().map(Path::to_owned)),
        ("attachments", attachments),
        ("backups", backups),
    ];
    MeasuredServer {
        app: app.clone(),
        stopping: stopping.clone(),
        database_file: address.file_path().map(Path::to_owned),
        folders: folders.into_iter().filter_map(|(place, folder)| Some((place, folder?))).collect(),
    }
}

pub async fn bind_listener(address: &str) -> Result<TcpListener, FatalError> {
    TcpListener::bind(address).await.map_err(|error| {
        FatalError::new(match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!("O endereço {address} já está em uso; pare o outro programa ou escolha outro com --listen.")
            }
            _ => format!("Não foi possível atender em {address}: {error}; use algo como --listen 127.0.0.1:8080."),
        })
    })
}

/// The mail transport.
fn build_mailer(settings: &ServerSettings, database: &DatabaseAddress) -> Result<OutboxMailer, FatalError> {
    let transport = match &settings.mail.smtp {
        Some(smtp) => MailTransport::Smtp(smtp.clone()),
        None => MailTransport::Folder(super::resolve_mail_folder(settings, database)?),
    };
    Ok(OutboxMailer { sender: settings.mail.from.clone(), transport })
}

/// The mail transport as a text for the operator.
fn describe_mail_transport(
    settings: &ServerSettings,
    database: &DatabaseAddress,
) -> Result<MailDeliveryMethod, FatalError> {
    Ok(match &settings.mail.smtp {
        Some(smtp) => {
            MailDeliveryMethod::Smtp { host: smtp.host().to_owned(), from: settings.mail.from.to_string() }
        }
        None => MailDeliveryMethod::Folder(super::resolve_mail_folder(settings, database)?),
    })
}

/// Whether only this machine can reach the listener. In doubt, others can.
fn is_loopback(listener: &TcpListener) -> bool {
    listener.local_addr().is_ok_and(|at| at.ip().to_canonical().is_loopback())
}

/// Prints the server's address, and the first steps if it is empty.
async fn print_greeting(app: &App, here: &str, database: &DatabaseAddress) -> Result<(), FatalError> {
    super::print_line(&format!("Amparo {VERSION} atendendo em {here}"));
    super::print_line(&format!("Documentação da API em {here}/docs"));
    if let Some(code) = app::tenants::setup::issue_setup_code(app).await? {
        let address = app.public_url.as_ref();
        super::print_line(&format!(
            "Este servidor ainda está vazio. Para começar, abra no navegador:\n  {address}/console/comecar/{code}"
        ));
    }
    if app::tenants::find_default_tenant(&app.db).await.map_err(app::Error::from)?.is_none() {
        // A password is not printed: a shared database is referred to by the variable.
        let (on, where_) = match database.is_shared() {
            true => (String::new(), " (com a mesma variável AMPARO_DATABASE deste servidor)"),
            false => (format!(" --database {database}"), ""),
        };
        super::print_line(&format!(
            "Ou, sem navegador, em outro terminal{where_}:\n  \
             amparo tenant create --name \"Minha Associação\"{on}\n  \
             amparo user create --email voce@exemplo.com.br --name \"Seu Nome\" --role administrador --password-stdin{on}",
        ));
    }
    Ok(())
}

struct HousekeepingSchedule {
    heartbeat: Duration,
    retention: RetentionPolicy,
}

impl From<&ServerSettings> for HousekeepingSchedule {
    fn from(settings: &ServerSettings) -> HousekeepingSchedule {
        let keep = &settings.housekeeping;
        HousekeepingSchedule {
            heartbeat: keep.heartbeat,
            retention: RetentionPolicy {
                interval: keep.interval,
                tokens: DAY * keep.tokens_days,
                idempotency_keys: DAY * keep.idempotency_days,
                mail_bodies: DAY * keep.mail_body_days,
                attempts: DAY * keep.attempts_days,
                login_failures: settings.access.throttle.window,
                removed_files: DAY * keep.removed_files_days,
            },
        }
    }
}

/// Warns that the database is a restored copy, and what that implies.
fn warn_of_restored_copy(found: DatabaseLifeVerdict) {
    if matches!(found, DatabaseLifeVerdict::RestoredCopy(_)) {
        super::print_line(
            "Atenção: o banco de dados voltou a um estado anterior (uma cópia foi posta no lugar). Todas as sessões foram \
             encerradas; quem lê o histórico ou recebe gatilhos fica sabendo.",
        );
    }
}

/// The delay before a failed heartbeat is repeated.
const BEAT_AGAIN: Duration = Duration::from_secs(2);

/// The process that sends heartbeats, and the interval.
pub struct ProcessHeartbeat {
    pub process: String,
    pub watch: DatabaseLifeWatch,
    pub every: Duration,
    pub vault: Vault,
    pub key_file: PathBuf,
}

/// Sends the heartbeat, checks that the database and its key are still the same, and maintains the metrics.
pub async fn send_heartbeats(app: App, metrics: PrometheusHandle, heartbeat: ProcessHeartbeat) {
    // Told once, not with every heartbeat.
    let mut key_problem = None;
    loop {
        metrics.run_upkeep();
        let outcome = async {
            presence::record_heartbeat(&app, &heartbeat.process, VERSION).await?;
            database_life::continue_database_life(&app, &heartbeat.watch).await
        };
        let outcome = outcome.await;
        if let Err(error) = &outcome {
            storage::warn_unless_outage!(error, "heartbeat could not be written");
        }
        let ProcessHeartbeat { process, vault, key_file, .. } = &heartbeat;
        let taken = vault::take_new_key(app.key_context(), vault, key_file, process).await;
        // What the heartbeat tells of the database is not told again.
        let problem = match taken {
            Ok(()) | Err(KeyError::Storage(_)) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = problem.as_ref().filter(|_| problem != key_problem) {
            tracing::error!(%error, "the key file cannot follow the server key");
        }
        key_problem = problem;
        // The heartbeat also shows whether writes work, so a recovery is noticed quickly.
        let pause = if outcome.is_ok() { heartbeat.every } else { heartbeat.every.min(BEAT_AGAIN) };
        tokio::time::sleep(pause).await;
    }
}

/// Writes the last heartbeat of this process and the last mark of the database.
pub async fn sign_off_process(app: &App, process: &str, watch: &DatabaseLifeWatch) {
    let left = async {
        database_life::continue_database_life(app, watch).await?;
        Ok::<_, app::Error>(storage::server::processes::unregister_process(&app.db, process).await?)
    };
    if let Err(error) = left.await {
        tracing::warn!(%error, "the process could not be unregistered");
    }
}

/// Runs housekeeping when due. It works in short units, so it can be interrupted anywhere.
async fn run_housekeeping(app: App, schedule: HousekeepingSchedule) {
    let mut ticks = build_ticker(schedule.heartbeat);
    loop {
        ticks.tick().await;
        match housekeeping::run_if_due(&app, &schedule.retention).await {
            Ok(Some(rows)) => tracing::info!(rows, "housekeeping done"),
            Ok(None) => {}
            Err(error) => storage::warn_unless_outage!(error, "housekeeping failed; it will be retried"),
        }
    }
}

/// Runs imports: at once if started in this process, else after the interval. It works in short units, so it can be
/// interrupted anywhere.
async fn run_due_imports(app: App, every: Duration) {
    loop {
        match exchange::import::run_due_imports(&app).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => storage::warn_unless_outage!(error, "import failed; it will be retried"),
        }
        let _ = tokio::time::timeout(every, app.import_wakeup.notified()).await;
    }
}

/// Works on charging runs: at once if begun in this process, else after the interval. It works in short units, so it can
/// be interrupted anywhere.
async fn run_due_charging(app: App, every: Duration) {
    loop {
        match finance::charging::run_due_charging(&app).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => storage::warn_unless_outage!(error, "charging failed; it will be retried"),
        }
        let _ = tokio::time::timeout(every, app.charging_wakeup.notified()).await;
    }
}

/// Refreshes the cache from changes of other processes.
async fn refresh_memory(app: App, every: Duration) {
    let mut ticks = build_ticker(every);
    loop {
        ticks.tick().await;
        if let Err(error) = cache::refresh_versions(&app).await {
            storage::warn_unless_outage!(error, "changes made by other processes could not be checked");
        }
    }
}

/// Writes the log of viewed records, after the answers were sent.
async fn write_access_log(app: App, every: Duration) {
    let (mut ticks, mut pace) = (build_ticker(every), AccessLogPacer::default());
    loop {
        ticks.tick().await;
        if let Err(error) = pace.flush_when_due(&app).await {
            storage::warn_unless_outage!(
                error,
                "access log entries could not be written; they are kept and retried"
            );
        }
    }
}

/// Reloads a renewed certificate without a restart, every `tls.renew_interval`.
async fn renew_certificate(app: App, certificate: ServerCertificate, every: Duration) {
    let mut ticks = build_ticker(every);
    loop {
        ticks.tick().await;
        match certificate.renew(app.now()) {
            Ok(true) => tracing::info!("certificate renewed"),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(
                    why = error.sentence(),
                    "the new certificate cannot be used; the old one stays"
                );
            }
        }
    }
}

fn build_ticker(every: Duration) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    ticks
}
