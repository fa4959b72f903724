//! `amparo serve`: opens everything, serves until asked to stop, closes everything.

use super::migrate;
use crate::fatal::Fatal;
use crate::settings::Settings;
use crate::telemetry;
use api::{Limits, State, Stopping};
use app::housekeeping::{self, Retention};
use app::{App, presence, server_key};
use metrics_exporter_prometheus::PrometheusHandle;
use std::process::ExitCode;
use std::time::Duration;
use storage::{Address, Schema};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const DAY: Duration = Duration::from_secs(24 * 3600);

pub async fn run(settings: &Settings) -> Result<ExitCode, Fatal> {
    for name in Settings::unknown_variables(std::env::vars().map(|(name, _)| name)) {
        tracing::warn!(name, "unknown environment variable");
    }
    let address = Address::parse(&settings.database)?;
    let key_file = super::key_file(settings, &address)?;
    let _lock = storage::lock_for_server(&address)?;
    let listener = listen(&settings.listen).await?;
    let handle = telemetry::metrics()?;
    let (db, migrated) = storage::open(&address, &settings.storage.options(), Schema::Migrate).await?;
    tracing::info!(database = %address, from = migrated.from, to = migrated.to, "database open");
    if migrated.from != migrated.to {
        super::say(&migrate::told(&migrated));
    }
    let app = super::app_on(db);
    server_key::check(&app, &key_file).await?;
    let process = presence::name(&app);
    presence::beat(&app, &process, VERSION).await?;
    greet(&app, &listener, &address).await?;

    let (ask, asked) = watch::channel(());
    let background =
        tokio::spawn(background(app.clone(), process.clone(), handle.clone(), settings.into(), asked));
    let stopping = Stopping::default();
    let state = State { app: app.clone(), metrics: handle, stopping: stopping.clone() };
    let limits = Limits {
        max_connections: settings.http.max_connections,
        header_timeout: settings.http.header_timeout,
        shutdown_timeout: settings.http.shutdown_timeout,
    };
    let complete =
        api::serve(listener, api::router(state, console::router()), limits, asked_to_stop(stopping)).await;
    if !complete {
        tracing::warn!("some requests were cut off");
    }
    drop(ask);
    let _ = background.await;
    if let Err(error) = presence::leave(&app, &process).await {
        tracing::warn!(%error, "could not sign off");
    }
    app.db.close().await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

async fn listen(address: &str) -> Result<TcpListener, Fatal> {
    TcpListener::bind(address).await.map_err(|error| {
        Fatal::new(match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!("O endereço {address} já está em uso; pare o outro programa ou escolha outro com --listen.")
            }
            _ => format!("Não foi possível atender em {address}: {error}; use algo como --listen 127.0.0.1:8080."),
        })
    })
}

/// Says where the server is, and what to do first where it is empty.
async fn greet(app: &App, listener: &TcpListener, database: &Address) -> Result<(), Fatal> {
    let at = listener.local_addr().map_err(|error| Fatal::new(format!("O endereço se perdeu: {error}.")))?;
    super::say(&format!("Amparo {VERSION} atendendo em http://{at}"));
    if app::tenants::default(&app.db).await.map_err(app::Error::from)?.is_none() {
        // A password is not repeated on the screen: a shared database is named by the variable.
        let (on, where_) = match database.is_shared() {
            true => (String::new(), " (com a mesma variável AMPARO_DATABASE deste servidor)"),
            false => (format!(" --database {database}"), ""),
        };
        super::say(&format!(
            "Este servidor ainda está vazio. Crie a base e o administrador, em outro terminal{where_}:\n  \
             amparo tenant create --name \"Minha Associação\"{on}\n  \
             amparo user create --email voce@exemplo.com.br --name \"Seu Nome\" --role administrador --password-stdin{on}",
        ));
    }
    Ok(())
}

/// Ready when the system asks the process to end.
async fn asked_to_stop(stopping: Stopping) {
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
    tracing::info!("asked to stop");
    stopping.set();
}

struct Rhythm {
    heartbeat: Duration,
    retention: Retention,
}

impl From<&Settings> for Rhythm {
    fn from(settings: &Settings) -> Rhythm {
        let keep = &settings.housekeeping;
        Rhythm {
            heartbeat: keep.heartbeat,
            retention: Retention {
                interval: keep.interval,
                tokens: DAY * keep.tokens_days,
                idempotency_keys: DAY * keep.idempotency_days,
                mail_bodies: DAY * keep.mail_body_days,
                attempts: DAY * keep.attempts_days,
            },
        }
    }
}

/// What returns: the sign of life, housekeeping when it is due, the upkeep of the measurements.
async fn background(
    app: App,
    process: String,
    metrics: PrometheusHandle,
    rhythm: Rhythm,
    mut asked: watch::Receiver<()>,
) {
    let mut ticks = tokio::time::interval(rhythm.heartbeat);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = asked.changed() => return,
        }
        metrics.run_upkeep();
        if let Err(error) = presence::beat(&app, &process, VERSION).await {
            tracing::warn!(%error, "no sign of life could be given");
        }
        match housekeeping::run_if_due(&app, &rhythm.retention).await {
            Ok(Some(rows)) => tracing::info!(rows, "housekeeping done"),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "housekeeping failed; it is tried again"),
        }
    }
}
