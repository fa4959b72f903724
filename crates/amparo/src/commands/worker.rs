//! `amparo worker`: delivers triggers and nothing else, beside servers that run with `--no-delivery`.

use super::serve::{
    Heartbeat, heartbeat, listen, measure_triggers, poster, prepare_process, sign_off, stop_triggers,
};
use super::stop_signals::StopSignals;
use crate::fatal::Fatal;
use crate::settings::Settings;
use crate::telemetry;
use api::{Shell, State};
use app::life::{self, Watch};
use app::{presence, server_key};
use delivery::triggers::Triggers;
use std::process::ExitCode;
use std::sync::Arc;
use storage::Address;
use tokio::task::JoinSet;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub async fn run(settings: &Settings) -> Result<ExitCode, Fatal> {
    let signals = StopSignals::listen();
    prepare_process(settings);
    let address = Address::parse(&settings.database)?;
    if !address.is_shared() {
        return Err(Fatal::new(
            "Com o SQLite um só processo atende e entrega; use `amparo serve`, ou o PostgreSQL para dividir o trabalho.",
        ));
    }
    let key_file = super::key_file(settings, &address)?;
    let listener = match &settings.triggers.worker_listen {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let handle = telemetry::metrics()?;
    let app = super::open(settings).await?;
    let process = presence::name(&app);
    let vault = server_key::check(&app, &key_file, &process, VERSION).await?;
    let watch = Watch { mark: address.mark() };
    life::check(&app, &watch).await?;
    signals.begin_serving();
    let rhythm = settings.housekeeping.heartbeat;
    let mut background = JoinSet::new();
    let beat = Heartbeat { process: process.clone(), watch: watch.clone(), every: rhythm };
    background.spawn(heartbeat(app.clone(), handle.clone(), beat));
    background.spawn(measure_triggers(app.clone(), rhythm));
    let at = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    // Nobody else can be where it listens: who was there before is gone.
    let place = at.map_or_else(|| process.clone(), |at| at.to_string());
    let holder = super::holder(settings, &process, &place);
    let delivery = settings.triggers.delivery.clone();
    let triggers = Triggers::start(app.clone(), vault.clone(), holder, poster(settings)?, delivery);
    super::say(&format!("Amparo {VERSION} entregando gatilhos"));
    if let (Some(listener), Some(at)) = (listener, at) {
        let http = Arc::new(settings.http.http.clone());
        let state = State::new(app.clone(), vault, handle, Arc::clone(&http));
        let stopping = state.stopping.clone();
        let router = api::watched(state);
        let shell = Shell::new(router, http, settings.http.limits, None);
        background.spawn(async move {
            api::serve(listener, shell, std::future::pending()).await;
        });
        super::say(&format!("Estado e medidas em http://{at}/readyz e http://{at}/metrics"));
        background.spawn({
            let signals = signals.clone();
            async move {
                signals.asked().await;
                stopping.set();
            }
        });
    }
    signals.asked().await;
    stop_triggers(triggers, settings.http.limits.shutdown_timeout, &signals).await;
    background.shutdown().await;
    sign_off(&app, &process, &watch).await;
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}
