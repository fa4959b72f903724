//! `amparo receiver`: who is told of changes of situation.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::once::Once;
use app::receivers::{self, By, Registered, Wanted, Why};
use app::triggers;
use app::{App, Vault, collect};
use clap::ArgMatches;
use domain::{Entity, Moment, ReceiverAddress, ReceiverCode, Rejection};
use std::process::ExitCode;
use std::sync::Arc;

pub async fn run(settings: &Settings, verb: &str, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let (mut app, vault) = super::open_with_vault(settings).await?;
    let by = By { tenant: super::meant(&app, arguments).await?, user: None };
    let code = || ReceiverCode::new(arguments.get_one::<i32>("code").copied().unwrap_or_default());
    let done = match verb {
        "add" => add(&app, &vault, by, arguments).await,
        "list" => list(&app, &vault, by).await,
        "test" => test(settings, &mut app, &vault, by, code()).await,
        "pause" => pause(&app, &vault, by, code(), true).await,
        "resume" => pause(&app, &vault, by, code(), false).await,
        "rotate" => rotate(&app, &vault, by, code()).await,
        _ => Err(Fatal::new("Este comando não existe; veja `amparo receiver --help`.")),
    };
    app.db.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn pause(app: &App, vault: &Vault, by: By, code: ReceiverCode, paused: bool) -> Result<(), Fatal> {
    receivers::pause(app, vault, by, (code, paused, None), Once::each_time()).await?;
    super::say(&match paused {
        true => format!("O receptor {code} está pausado; o que mudar espera por ele."),
        false => format!("O receptor {code} volta a receber."),
    });
    Ok(())
}

async fn rotate(app: &App, vault: &Vault, by: By, code: ReceiverCode) -> Result<(), Fatal> {
    let secret = receivers::rotate(app, vault, by, (code, None), Once::each_time()).await?.now()?;
    super::say(&format!(
        "O novo segredo do receptor {code}, que não será mostrado de novo:\n{}\nPor 24 horas o antigo também assina.",
        secret.expose()
    ));
    Ok(())
}

async fn add(app: &App, vault: &Vault, by: By, arguments: &ArgMatches) -> Result<(), Fatal> {
    let texts = |name| arguments.get_many::<String>(name).into_iter().flatten();
    let mut problems = Vec::new();
    let url = arguments.get_one::<String>("url").cloned().unwrap_or_default();
    let address = collect(&mut problems, ReceiverAddress::parse(&url));
    let entities = match texts("entity").any(|name| name == "todos") {
        true => Entity::ALL.to_vec(),
        false => texts("entity").filter_map(|name| wire::entity_from(name)).collect(),
    };
    let mut headers = Vec::new();
    for text in texts("header") {
        match text.split_once(':') {
            Some((name, value)) => headers.push((name.trim().to_owned(), value.trim().to_owned())),
            None => problems.push(Rejection::BadHeader(text.clone())),
        }
    }
    let concurrency = arguments.get_one::<i32>("concurrency").copied().unwrap_or(receivers::AT_ONCE);
    let (Some(address), []) = (address, &problems[..]) else {
        return Err(app::Error::Refused(problems).into());
    };
    let added =
        receivers::add(app, vault, by, Wanted { address, entities, headers, concurrency }, Once::each_time())
            .await?
            .now()?;
    super::say(&format!(
        "Receptor {} cadastrado na base {}. O segredo, que não será mostrado de novo:\n{}",
        added.code,
        by.tenant,
        added.secret.expose()
    ));
    Ok(())
}

async fn list(app: &App, vault: &Vault, by: By) -> Result<(), Fatal> {
    let all = receivers::all(app, vault, by.tenant).await?;
    if all.is_empty() {
        super::say("Nenhum receptor ainda; cadastre o primeiro com `amparo receiver add`.");
    }
    for one in all.into_iter().map(|told| told.receiver) {
        let entities: Vec<&str> = one.entities.iter().map(|entity| wire::entity_path(*entity)).collect();
        super::say(&format!(
            "{:>6}  {:<16} {}  [{}]  {}",
            one.code.get(),
            state(&one),
            one.address,
            entities.join(", "),
            fares(&one, app.now())
        ));
    }
    Ok(())
}

fn state(one: &Registered) -> &'static str {
    match (one.active, one.paused) {
        (false, _) => "retirado",
        (true, Some((_, Why::ByHand))) => "pausado",
        (true, Some((_, Why::Gone))) => "pausado (410)",
        (true, Some((_, Why::Failing))) => "pausado (falhas)",
        (true, None) => "ativo",
    }
}

fn fares(one: &Registered, now: Moment) -> String {
    match (one.health.failures, one.health.succeeded_at) {
        (0, None) => "nada enviado ainda".to_owned(),
        (0, Some(at)) => format!("última entrega há {} s", now.since(at).as_secs()),
        (failures, _) => format!("{failures} falhas seguidas"),
    }
}

/// A message that speaks of nobody, to see whether the receiver takes it.
async fn test(
    settings: &Settings,
    app: &mut App,
    vault: &Vault,
    by: By,
    code: ReceiverCode,
) -> Result<(), Fatal> {
    app.post = Arc::new(super::serve::poster(settings)?);
    match triggers::try_out(app, vault, by, (code, None), Once::each_time()).await?.now()? {
        Ok(answer) if answer.is_taken() => {
            super::say(&format!("O receptor {code} aceitou o gatilho de exemplo ({}).", answer.status));
            Ok(())
        }
        Ok(answer) => Err(Fatal::new(format!(
            "O receptor {code} respondeu {}, e só 200 a 204 contam: {}.",
            answer.status,
            answer.text.as_deref().unwrap_or("sem texto")
        ))),
        Err(why) => Err(Fatal::new(format!("O receptor {code} não foi alcançado: {why}."))),
    }
}
