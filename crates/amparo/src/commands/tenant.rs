//! `amparo tenant`: the tenants of this server.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::tenants::{self, NewTenantInput};
use clap::ArgMatches;
use std::process::ExitCode;

pub async fn create_tenant(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let text = |name: &str| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let new = NewTenantInput {
        name: text("name"),
        branch: text("branch"),
        time_zone: text("time-zone"),
        hosts: arguments.get_many::<String>("host").into_iter().flatten().cloned().collect(),
        make_default: arguments.get_flag("default"),
    };
    let app = super::open_app(settings).await?;
    let created = tenants::create_tenant(&app, &new).await?;
    app.db.close().await;
    let default = if created.is_default { ", a base padrão deste servidor" } else { "" };
    super::print_line(&format!("Base {} criada{default}, com a loja {}.", created.tenant, created.branch));
    Ok(ExitCode::SUCCESS)
}

/// `amparo tenant host add|remove|list`
pub async fn manage_tenant_hosts(
    settings: &ServerSettings,
    verb: &str,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let name = arguments.try_get_one::<String>("host").ok().flatten().cloned().unwrap_or_default();
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let done = match verb {
        "add" => tenants::hosts::add_host(&app, tenant, &name)
            .await
            .map(|host| format!("{} leva agora à base {tenant}.", host.as_str())),
        "remove" => tenants::hosts::remove_host(&app, tenant, &name)
            .await
            .map(|()| format!("{} já não leva à base {tenant}.", name.trim())),
        _ => tenants::hosts::list_hosts(&app, tenant).await.map(|all| match all.is_empty() {
            true => format!("Nenhum nome de servidor leva à base {tenant}."),
            false => all.join("\n"),
        }),
    };
    app.db.close().await;
    super::print_line(&done?);
    Ok(ExitCode::SUCCESS)
}

pub async fn list_tenants(settings: &ServerSettings) -> Result<ExitCode, FatalError> {
    let app = super::open_app(settings).await?;
    let all = storage::server::tenants::list_tenants(&app.db).await.map_err(app::Error::from)?;
    let default = tenants::find_default_tenant(&app.db).await.map_err(app::Error::from)?;
    app.db.close().await;
    if all.is_empty() {
        super::print_line("Nenhuma base ainda; crie a primeira com `amparo tenant create --name NOME`.");
    }
    for tenant in all {
        let mark = if Some(tenant.id) == default { "  (padrão)" } else { "" };
        super::print_line(&format!("{:>6}  {}{mark}", tenant.id.get(), tenant.name));
    }
    Ok(ExitCode::SUCCESS)
}
