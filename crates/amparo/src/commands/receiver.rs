//! `amparo receiver`: the receivers of situation-change triggers.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::idempotency::IdempotentWrite;
use app::triggers;
use app::triggers::receivers::{self, PauseReason, RequestedReceiver, StoredReceiver, TenantActor};
use app::{App, Vault, collect_problem};
use clap::ArgMatches;
use domain::{Entity, Moment, ReceiverAddress, ReceiverCode, Rejection};
use std::process::ExitCode;
use std::sync::Arc;

pub async fn run_receiver_command(
    settings: &ServerSettings,
    verb: &str,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let (mut app, vault) = super::open_app_with_vault(settings).await?;
    let actor = TenantActor { tenant: super::resolve_tenant(&app, arguments).await?, user: None };
    let code = || ReceiverCode::new(arguments.get_one::<i32>("code").copied().unwrap_or_default());
    let done = match verb {
        "add" => add_receiver(&app, &vault, actor, arguments).await,
        "list" => list_receivers(&app, &vault, actor).await,
        "test" => test_receiver(settings, &mut app, &vault, actor, code()).await,
        "pause" => set_receiver_paused(&app, &vault, actor, code(), true).await,
        "resume" => set_receiver_paused(&app, &vault, actor, code(), false).await,
        "rotate" => rotate_receiver_secret(&app, &vault, actor, code()).await,
        _ => Err(FatalError::new("Este comando não existe; veja `amparo receiver --help`.")),
    };
    app.db.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn set_receiver_paused(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    code: ReceiverCode,
    paused: bool,
) -> Result<(), FatalError> {
    receivers::pause_or_resume_receiver(
        app,
        vault,
        actor,
        (code, paused, None),
        IdempotentWrite::without_key(),
    )
    .await?;
    super::print_line(&match paused {
        true => format!("O receptor {code} está pausado; o que mudar espera por ele."),
        false => format!("O receptor {code} volta a receber."),
    });
    Ok(())
}

async fn rotate_receiver_secret(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    code: ReceiverCode,
) -> Result<(), FatalError> {
    let secret = receivers::rotate_secret(app, vault, actor, (code, None), IdempotentWrite::without_key())
        .await?
        .into_fresh()?;
    super::print_line(&format!(
        "O novo segredo do receptor {code}, que não será mostrado de novo:\n{}\nPor 24 horas o antigo também assina.",
        secret.expose()
    ));
    Ok(())
}

async fn add_receiver(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    arguments: &ArgMatches,
) -> Result<(), FatalError> {
    let texts = |name| arguments.get_many::<String>(name).into_iter().flatten();
    let mut problems = Vec::new();
    let url = arguments.get_one::<String>("url").cloned().unwrap_or_default();
    let address = collect_problem(&mut problems, ReceiverAddress::parse(&url));
    let entities = texts("entity").flat_map(|name| match wire::parse_entity_path(name) {
        Some(entity) => vec![entity],
        None if name == "todos" => Entity::SITUATED.to_vec(),
        None => Vec::new(),
    });
    let entities = entities.collect();
    let mut headers = Vec::new();
    for text in texts("header") {
        match text.split_once(':') {
            Some((name, value)) => headers.push((name.trim().to_owned(), value.trim().to_owned())),
            None => problems.push(Rejection::BadHeader(text.clone())),
        }
    }
    let concurrency =
        arguments.get_one::<i32>("concurrency").copied().unwrap_or(receivers::DEFAULT_CONCURRENCY);
    let (Some(address), []) = (address, &problems[..]) else {
        return Err(app::Error::Refused(problems).into());
    };
    let added = receivers::create_receiver(
        app,
        vault,
        actor,
        RequestedReceiver { address, entities, headers, concurrency },
        IdempotentWrite::without_key(),
    )
    .await?
    .into_fresh()?;
    super::print_line(&format!(
        "Receptor {} cadastrado na base {}. O segredo, que não será mostrado de novo:\n{}",
        added.code,
        actor.tenant,
        added.secret.expose()
    ));
    Ok(())
}

async fn list_receivers(app: &App, vault: &Vault, actor: TenantActor) -> Result<(), FatalError> {
    let all = receivers::list_receivers(app, vault, actor.tenant).await?;
    if all.is_empty() {
        super::print_line("Nenhum receptor ainda; cadastre o primeiro com `amparo receiver add`.");
    }
    for one in all.into_iter().map(|redacted| redacted.receiver) {
        let entities: Vec<&str> = one.entities.iter().map(|entity| wire::entity_path(*entity)).collect();
        super::print_line(&format!(
            "{:>6}  {:<16} {}  [{}]  {}",
            one.code.get(),
            describe_receiver_state(&one),
            one.address,
            entities.join(", "),
            describe_receiver_health(&one, app.now())
        ));
    }
    Ok(())
}

fn describe_receiver_state(one: &StoredReceiver) -> &'static str {
    match (one.active, one.paused) {
        (false, _) => "retirado",
        (true, Some((_, PauseReason::ByHand))) => "pausado",
        (true, Some((_, PauseReason::Gone))) => "pausado (410)",
        (true, Some((_, PauseReason::Failing))) => "pausado (falhas)",
        (true, None) => "ativo",
    }
}

fn describe_receiver_health(one: &StoredReceiver, now: Moment) -> String {
    match (one.health.failures, one.health.succeeded_at) {
        (0, None) => "nada enviado ainda".to_owned(),
        (0, Some(at)) => format!("última entrega há {} s", now.duration_since(at).as_secs()),
        (failures, _) => format!("{failures} falhas seguidas"),
    }
}

/// Sends a sample trigger without real data, to check that the receiver accepts it.
async fn test_receiver(
    settings: &ServerSettings,
    app: &mut App,
    vault: &Vault,
    actor: TenantActor,
    code: ReceiverCode,
) -> Result<(), FatalError> {
    app.message_sender = Arc::new(super::serve::build_trigger_poster(settings)?);
    match triggers::send_test_message(app, vault, actor, (code, None), IdempotentWrite::without_key())
        .await?
        .into_fresh()?
    {
        Ok(answer) if answer.is_accepted() => {
            super::print_line(&format!(
                "O receptor {code} aceitou o gatilho de exemplo ({}).",
                answer.status
            ));
            Ok(())
        }
        Ok(answer) => Err(FatalError::new(format!(
            "O receptor {code} respondeu {}, e só 200 a 204 contam: {}.",
            answer.status,
            answer.text.as_deref().unwrap_or("sem texto")
        ))),
        Err(why) => Err(FatalError::new(format!("O receptor {code} não foi alcançado: {why}."))),
    }
}
