//! `amparo tenant`: the associations on this server.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::tenants::{self, NewTenant};
use clap::ArgMatches;
use std::process::ExitCode;

pub async fn create(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let text = |name: &str| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let new = NewTenant {
        name: text("name"),
        branch: text("branch"),
        time_zone: text("time-zone"),
        hosts: arguments.get_many::<String>("host").into_iter().flatten().cloned().collect(),
        make_default: arguments.get_flag("default"),
    };
    let app = super::open(settings).await?;
    let created = tenants::create(&app, &new).await?;
    app.db.close().await;
    let default = if created.is_default { ", a base padrão deste servidor" } else { "" };
    super::say(&format!("Base {} criada{default}, com a loja {}.", created.tenant, created.branch));
    Ok(ExitCode::SUCCESS)
}

/// `amparo tenant host add|remove|list`
pub async fn host(settings: &Settings, verb: &str, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let given = arguments.try_get_one::<String>("host").ok().flatten().cloned().unwrap_or_default();
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let done = match verb {
        "add" => tenants::hosts::add(&app, tenant, &given)
            .await
            .map(|host| format!("{} leva agora à base {tenant}.", host.as_str())),
        "remove" => tenants::hosts::remove(&app, tenant, &given)
            .await
            .map(|()| format!("{} já não leva à base {tenant}.", given.trim())),
        _ => tenants::hosts::list(&app, tenant).await.map(|all| match all.is_empty() {
            true => format!("Nenhum nome de servidor leva à base {tenant}."),
            false => all.join("\n"),
        }),
    };
    app.db.close().await;
    super::say(&done?);
    Ok(ExitCode::SUCCESS)
}

pub async fn list(settings: &Settings) -> Result<ExitCode, Fatal> {
    let app = super::open(settings).await?;
    let all = storage::tenants::all(&app.db).await.map_err(app::Error::from)?;
    let default = tenants::default(&app.db).await.map_err(app::Error::from)?;
    app.db.close().await;
    if all.is_empty() {
        super::say("Nenhuma base ainda; crie a primeira com `amparo tenant create --name NOME`.");
    }
    for tenant in all {
        let mark = if Some(tenant.id) == default { "  (padrão)" } else { "" };
        super::say(&format!("{:>6}  {}{mark}", tenant.id.get(), tenant.name));
    }
    Ok(ExitCode::SUCCESS)
}
