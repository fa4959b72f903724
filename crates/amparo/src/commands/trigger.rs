//! `amparo trigger`: what was sent to a receiver, and sending again.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::once::Once;
use app::receivers::By;
use app::triggers::{self, Replay, Told};
use clap::ArgMatches;
use domain::{DeliveryState, HistoryCode, ReceiverCode, Since, TimeZone};
use std::process::ExitCode;
use wire::names::Named;

fn receiver(arguments: &ArgMatches) -> ReceiverCode {
    ReceiverCode::new(arguments.get_one::<i32>("receiver").copied().unwrap_or_default())
}

pub async fn list(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let state = arguments.get_one::<String>("state").and_then(|name| DeliveryState::from_name(name));
    let mut after = HistoryCode::new(arguments.get_one::<i32>("after").copied().unwrap_or_default());
    let zone = app::base::registers(&app, tenant).await?.zone.clone();
    let mut any = false;
    loop {
        let page = triggers::page(&app, tenant, receiver(arguments), state, after).await?;
        for told in &page {
            say(told, &zone);
        }
        any |= !page.is_empty();
        match page.last() {
            Some(last) if page.len() as i64 == triggers::PAGE => after = last.delivery.history,
            _ => break,
        }
    }
    if !any {
        super::say("Nenhuma entrega.");
    }
    app.db.close().await;
    Ok(ExitCode::SUCCESS)
}

fn say(told: &Told, zone: &TimeZone) {
    let delivery = &told.delivery;
    super::say(&format!(
        "{:>8}  {:<9} {:<10} {:>7}  {} tentativas  {}",
        delivery.history.get(),
        wire::delivery_state(delivery.state),
        wire::entity_path(delivery.entity),
        delivery.record,
        delivery.tries,
        delivery.created_at.to_offset_iso(zone),
    ));
    for one in &told.attempts {
        let status = one.status.map_or_else(|| "sem resposta".to_owned(), |status| status.to_string());
        let text = one.failure.as_deref().or(one.answer.as_deref()).unwrap_or("");
        super::say(&format!(
            "            {}  {status}  {} ms  {text}",
            one.tried_at.to_offset_iso(zone),
            one.millis
        ));
    }
}

pub async fn replay(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let number = |name| arguments.get_one::<i32>(name).copied();
    let since = arguments.get_one::<String>("since");
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let what = match (number("from"), since) {
        (Some(from), None) => {
            let to = number("to").unwrap_or(from);
            Replay::Stretch(HistoryCode::new(from), HistoryCode::new(to))
        }
        (None, Some(since)) => {
            let since = Since::parse(since).map_err(app::Error::from)?;
            Replay::MissedSince(since.moment_in(&app::base::registers(&app, tenant).await?.zone))
        }
        _ => {
            return Err(Fatal::new(
                "Diga o que enviar de novo: --from CÓDIGO [--to CÓDIGO], ou --since DIA (ou momento).",
            ));
        }
    };
    let by = By { tenant, user: None };
    let count = triggers::replay(&app, by, (receiver(arguments), what), Once::each_time()).await?.now()?;
    app.db.close().await;
    super::say(&match count {
        0 => "Não havia nada para enviar de novo.".to_owned(),
        1 => "Uma entrega volta à fila.".to_owned(),
        count => format!("{count} entregas voltam à fila."),
    });
    Ok(ExitCode::SUCCESS)
}
