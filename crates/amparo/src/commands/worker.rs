//! `amparo worker`: only delivers triggers, beside servers that run with `--no-delivery`. It shows its state at
//! `triggers.worker_listen`.

use super::serve::{
    ProcessHeartbeat, bind_listener, build_trigger_poster, describe_measured_server, prepare_process,
    send_heartbeats, sign_off_process, stop_triggers,
};
use super::stop_signals::StopSignals;
use crate::fatal::FatalError;
use crate::measurement;
use crate::settings::ServerSettings;
use api::{HttpServer, ServerState};
use app::upkeep::database_life::{self, DatabaseLifeWatch};
use app::upkeep::presence;
use delivery::triggers::dispatch_handle::DispatchHandle;
use std::process::ExitCode;
use std::sync::Arc;
use storage::DatabaseAddress;
use tokio::task::JoinSet;
use vault::ProcessIdentity;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub async fn run_worker(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    let signals = StopSignals::listen();
    prepare_process(settings);
    let address = DatabaseAddress::parse(&settings.database)?;
    if !address.is_shared() {
        return Err(FatalError::new(
            "Com o SQLite um só processo atende e entrega; use `amparo serve`, ou o PostgreSQL para dividir o trabalho.",
        ));
    }
    let key_file = super::resolve_key_file(settings, &address)?;
    let listener = match &settings.triggers.worker_listen {
        Some(address) => Some(bind_listener(address).await?),
        None => None,
    };
    let handle = measurement::install_metrics()?;
    let app = super::open_app(settings).await?;
    let process = presence::generate_process_name(&app);
    let identity = ProcessIdentity { name: &process, version: VERSION };
    let vault = vault::check_server_key(app.key_context(), &key_file, identity).await?;
    let watch = DatabaseLifeWatch::new(address.mark_path());
    database_life::check_database_life(&app, &watch).await?;
    signals.begin_serving();
    let interval = settings.housekeeping.heartbeat;
    let mut background = JoinSet::new();
    let heartbeat = ProcessHeartbeat {
        process: process.clone(),
        watch: watch.clone(),
        every: interval,
        vault: vault.clone(),
        key_file,
    };
    background.spawn(send_heartbeats(app.clone(), handle.clone(), heartbeat));
    let http = Arc::new(settings.http.http.clone());
    let state = ServerState::new(app.clone(), vault.clone(), handle, Arc::clone(&http));
    let stopping = state.stopping.clone();
    let measured = describe_measured_server(settings, &address, &app, &stopping);
    measurement::start_sampling(&mut background, &measured, interval);
    let at = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    // The listening address is unique, so a previous holder with the same address is gone.
    let place = at.map_or_else(|| process.clone(), |at| at.to_string());
    let holder = super::build_lease_holder(settings, &process, &place);
    let delivery = settings.triggers.delivery.clone();
    let triggers =
        DispatchHandle::start(app.clone(), vault, holder, build_trigger_poster(settings)?, delivery);
    super::print_line(&format!("Amparo {VERSION} entregando gatilhos"));
    if let (Some(listener), Some(at)) = (listener, at) {
        let router = api::build_monitoring_router(state);
        let server = HttpServer::new(router, http, settings.http.limits, None);
        background.spawn(async move {
            api::serve_http(listener, server, std::future::pending()).await;
        });
        super::print_line(&format!("Estado e medidas em http://{at}/readyz e http://{at}/metrics"));
        background.spawn({
            let signals = signals.clone();
            async move {
                signals.wait_for_stop().await;
                stopping.set();
            }
        });
    }
    signals.wait_for_stop().await;
    stop_triggers(triggers, settings.http.limits.shutdown_timeout, &signals).await;
    background.shutdown().await;
    sign_off_process(&app, &process, &watch).await;
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}
