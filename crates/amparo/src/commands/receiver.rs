//! `amparo receiver`: who is told of changes of situation.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::receivers::{self, By, Registered, Wanted, Why};
use app::{App, Vault, collect};
use clap::ArgMatches;
use delivery::triggers::post::{Message, Poster};
use domain::{Entity, Moment, ReceiverAddress, ReceiverCode, Rejection};
use std::process::ExitCode;

pub async fn run(settings: &Settings, verb: &str, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let (app, vault) = super::open_with_vault(settings).await?;
    let by = By { tenant: super::meant(&app, arguments).await?, user: None };
    let code = || ReceiverCode::new(arguments.get_one::<i32>("code").copied().unwrap_or_default());
    let done = match verb {
        "add" => add(&app, &vault, by, arguments).await,
        "list" => list(&app, by).await,
        "test" => test(settings, &app, &vault, by, code()).await,
        "pause" => receivers::pause(&app, by, code(), true)
            .await
            .map(|one| super::say(&format!("O receptor {} está pausado; o que mudar espera por ele.", one.code)))
            .map_err(Fatal::from),
        "resume" => receivers::pause(&app, by, code(), false)
            .await
            .map(|one| super::say(&format!("O receptor {} volta a receber.", one.code)))
            .map_err(Fatal::from),
        "rotate" => receivers::rotate(&app, &vault, by, code())
            .await
            .map(|secret| {
                super::say(&format!(
                    "O novo segredo do receptor {}, que não será mostrado de novo:\n{}\nPor 24 horas o antigo também assina.",
                    code(),
                    secret.expose()
                ));
            })
            .map_err(Fatal::from),
        _ => Err(Fatal::new("Este comando não existe; veja `amparo receiver --help`.")),
    };
    app.db.close().await;
    done.map(|()| ExitCode::SUCCESS)
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
    let added = receivers::add(app, vault, by, Wanted { address, entities, headers, concurrency }).await?;
    super::say(&format!(
        "Receptor {} cadastrado na base {}. O segredo, que não será mostrado de novo:\n{}",
        added.code,
        by.tenant,
        added.secret.expose()
    ));
    Ok(())
}

async fn list(app: &App, by: By) -> Result<(), Fatal> {
    let all = receivers::all(app, by.tenant).await?;
    if all.is_empty() {
        super::say("Nenhum receptor ainda; cadastre o primeiro com `amparo receiver add`.");
    }
    for one in all {
        let entities: Vec<&str> = one.entities.iter().map(|entity| wire::entity_path(*entity)).collect();
        super::say(&format!(
            "{:>6}  {:<10} {}  [{}]  {}",
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
        (true, Some((_, Why::Gone))) => "sumiu",
        (true, Some((_, Why::Failing))) => "falhando",
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
    app: &App,
    vault: &Vault,
    by: By,
    code: ReceiverCode,
) -> Result<(), Fatal> {
    let receiver = receivers::find(app, by.tenant, code).await?;
    let keys = receivers::keys(app, vault, by.tenant, code).await?;
    let poster = Poster::new(settings.triggers.0.guard.clone())
        .map_err(|error| Fatal::new(format!("Os gatilhos não podem ser enviados: {error}.")))?;
    let entity = receiver.entities.first().copied().unwrap_or(Entity::Benefit);
    let now = app.now();
    let body = wire::trigger::sample(entity, now, &app::base::registers(app, by.tenant).await?.zone)
        .map_err(|error| Fatal::new(format!("{error}.")))?;
    let message = Message { id: &format!("msg_teste_{}", now.millis()), entity, body: &body, now };
    let told = match poster.post(&keys, &message, settings.triggers.0.timeout).await {
        Ok(answer) if answer.is_taken() => {
            format!("O receptor {code} aceitou o gatilho de exemplo ({}).", answer.status)
        }
        Ok(answer) => {
            return Err(Fatal::new(format!(
                "O receptor {code} respondeu {}, e só 200 a 204 contam: {}.",
                answer.status,
                answer.text.as_deref().unwrap_or("sem texto")
            )));
        }
        Err(why) => return Err(Fatal::new(format!("O receptor {code} não foi alcançado: {why}."))),
    };
    super::say(&told);
    Ok(())
}
