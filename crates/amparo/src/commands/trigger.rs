//! `amparo trigger`: lists the deliveries of a receiver and sends them again.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::idempotency::IdempotentWrite;
use app::triggers::receivers::TenantActor;
use app::triggers::{self, DeliveryWithAttempts, ReplaySelection};
use clap::ArgMatches;
use domain::{DeliveryState, HistoryCode, PeriodStart, ReceiverCode, TimeZone};
use std::process::ExitCode;
use wire::set_names::NamedSet;

fn read_receiver_code(arguments: &ArgMatches) -> ReceiverCode {
    ReceiverCode::new(arguments.get_one::<i32>("receiver").copied().unwrap_or_default())
}

pub async fn list_deliveries(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let state = arguments.get_one::<String>("state").and_then(|name| DeliveryState::from_name(name));
    let mut after = HistoryCode::new(arguments.get_one::<i32>("after").copied().unwrap_or_default());
    let zone = app::register_snapshot::load_registers(&app, tenant).await?.zone.clone();
    let mut any = false;
    loop {
        let page =
            triggers::list_deliveries(&app, tenant, read_receiver_code(arguments), state, after).await?;
        for entry in &page {
            print_delivery(entry, &zone);
        }
        any |= !page.is_empty();
        match page.last() {
            Some(last) if page.len() as i64 == domain::PAGE_SIZE => after = last.delivery.history,
            _ => break,
        }
    }
    if !any {
        super::print_line("Nenhuma entrega.");
    }
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}

fn print_delivery(entry: &DeliveryWithAttempts, zone: &TimeZone) {
    let delivery = &entry.delivery;
    super::print_line(&format!(
        "{:>8}  {:<9} {:<10} {:>7}  {} tentativas  {}",
        delivery.history.get(),
        wire::delivery_state(delivery.state),
        wire::entity_path(delivery.entity),
        delivery.record,
        delivery.tries,
        delivery.created_at.to_offset_iso(zone),
    ));
    for one in &entry.attempts {
        let status = one.status.map_or_else(|| "sem resposta".to_owned(), |status| status.to_string());
        let text = one.failure.as_deref().or(one.answer.as_deref()).unwrap_or("");
        super::print_line(&format!(
            "            {}  {status}  {} ms  {text}",
            one.tried_at.to_offset_iso(zone),
            one.millis
        ));
    }
}

pub async fn replay_deliveries(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let number = |name| arguments.get_one::<i32>(name).copied();
    let since = arguments.get_one::<String>("since");
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let what = match (number("from"), since) {
        (Some(first), None) => {
            let last = number("to").unwrap_or(first);
            ReplaySelection::HistoryRange(HistoryCode::new(first), HistoryCode::new(last))
        }
        (None, Some(since)) => {
            let since = PeriodStart::parse(since).map_err(app::Error::from)?;
            ReplaySelection::MissedSince(
                since.moment_in(&app::register_snapshot::load_registers(&app, tenant).await?.zone),
            )
        }
        _ => {
            return Err(FatalError::new(
                "Diga o que enviar de novo: --from CÓDIGO [--to CÓDIGO], ou --since DIA (ou momento).",
            ));
        }
    };
    let actor = TenantActor { tenant, user: None };
    let count = triggers::replay_deliveries(
        &app,
        actor,
        (read_receiver_code(arguments), what),
        IdempotentWrite::without_key(),
    )
    .await?
    .into_fresh()?;
    app.db.close().await;
    super::print_line(&match count {
        0 => "Não havia nada para enviar de novo.".to_owned(),
        1 => "Uma entrega volta à fila.".to_owned(),
        count => format!("{count} entregas voltam à fila."),
    });
    Ok(ExitCode::SUCCESS)
}
