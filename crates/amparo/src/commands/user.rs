//! `amparo user`: the users of a base, also for an administrator who is locked out.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::users::{self, NewUser};
use app::{App, tenants};
use clap::ArgMatches;
use domain::{BranchCode, Role, Scope, TenantId};
use std::process::ExitCode;

pub async fn create(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let password = password(arguments)?;
    let app = super::open(settings).await?;
    let role = text(arguments, "role");
    let new = NewUser {
        tenant: tenant(&app, arguments).await?,
        name: text(arguments, "name"),
        email: text(arguments, "email"),
        role: wire::role_from(&role).unwrap_or(Role::Integration),
        branches: arguments.get_many("branch").into_iter().flatten().copied().map(BranchCode::new).collect(),
        password,
    };
    let code = users::create(&app, &new).await?;
    app.db.close().await;
    super::say(&format!("Usuário {code} criado na base {}, com o perfil {role}.", new.tenant));
    Ok(ExitCode::SUCCESS)
}

pub async fn list(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let app = super::open(settings).await?;
    let scope = Scope::whole(tenant(&app, arguments).await?);
    let users = users::list(&app, &scope).await?;
    app.db.close().await;
    if users.is_empty() {
        super::say("Nenhum usuário ainda; crie o primeiro com `amparo user create`.");
    }
    for user in users {
        let branches: Vec<String> = user.branches.iter().map(ToString::to_string).collect();
        let where_ = if user.role.has_every_branch() {
            "todas as lojas".to_owned()
        } else {
            format!("lojas {}", branches.join(", "))
        };
        let state = if user.active { "ativo" } else { "desativado" };
        let (code, role) = (user.code.get(), wire::role(user.role));
        super::say(&format!("{code:>6}  {:<32} {role:<13} {state:<10} {where_}  {}", user.email, user.name));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn disable(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let email = text(arguments, "email");
    let app = super::open(settings).await?;
    users::disable(&app, tenant(&app, arguments).await?, &email).await?;
    app.db.close().await;
    super::say(&format!("{email} foi desativado, e as sessões dele foram encerradas."));
    Ok(ExitCode::SUCCESS)
}

pub async fn reset(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let (email, password) = (text(arguments, "email"), password(arguments)?);
    let app = super::open(settings).await?;
    users::reset(&app, tenant(&app, arguments).await?, &email, &password).await?;
    app.db.close().await;
    super::say(&format!("{email} tem uma nova senha, e as sessões dele foram encerradas."));
    Ok(ExitCode::SUCCESS)
}

async fn tenant(app: &App, arguments: &ArgMatches) -> Result<TenantId, Fatal> {
    let named = arguments.get_one::<i32>("tenant").copied().map(TenantId::new);
    Ok(tenants::meant(app, named).await?.id)
}

fn text(arguments: &ArgMatches, name: &str) -> String {
    arguments.get_one::<String>(name).cloned().unwrap_or_default()
}

/// A password never stands on the command line, where every user of the machine could read it.
fn password(arguments: &ArgMatches) -> Result<String, Fatal> {
    if !arguments.get_flag("password-stdin") {
        return Err(Fatal::new("Dê a senha pela entrada padrão, com --password-stdin."));
    }
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| Fatal::new(format!("A senha não pôde ser lida da entrada padrão: {error}.")))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
