//! `amparo worker`: delivers triggers and nothing else, beside servers that run with `--no-delivery`.

use super::serve::{asked_to_stop, measure_triggers, poster, terminations};
use crate::fatal::Fatal;
use crate::settings::Settings;
use app::{presence, server_key};
use delivery::triggers::Triggers;
use std::process::ExitCode;
use storage::Address;
use tokio::task::JoinSet;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub async fn run(settings: &Settings) -> Result<ExitCode, Fatal> {
    let terminate = terminations();
    let address = Address::parse(&settings.database)?;
    if !address.is_shared() {
        return Err(Fatal::new(
            "Com o SQLite um só processo atende e entrega; use `amparo serve`, ou o PostgreSQL para dividir o trabalho.",
        ));
    }
    let key_file = super::key_file(settings, &address)?;
    let app = super::open(settings).await?;
    let process = presence::name(&app);
    let vault = server_key::check(&app, &key_file, &process, VERSION).await?;
    let heartbeat = settings.housekeeping.heartbeat;
    let mut background = JoinSet::new();
    let beats = (app.clone(), process.clone());
    background.spawn(async move {
        let mut ticks = tokio::time::interval(heartbeat);
        loop {
            ticks.tick().await;
            if let Err(error) = presence::beat(&beats.0, &beats.1, VERSION).await {
                tracing::warn!(%error, "no sign of life could be given");
            }
        }
    });
    background.spawn(measure_triggers(app.clone(), heartbeat));
    let holder = super::holder(settings, &process, &process);
    let triggers =
        Triggers::start(app.clone(), vault, holder, poster(settings)?, settings.triggers.0.clone());
    super::say(&format!("Amparo {VERSION} entregando gatilhos"));
    asked_to_stop(terminate, None).await;
    triggers.stop(settings.http.limits.shutdown_timeout).await;
    background.shutdown().await;
    if let Err(error) = presence::leave(&app, &process).await {
        tracing::warn!(%error, "could not sign off");
    }
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}
