//! `amparo user`: the users of a base, also for an administrator who is locked out.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::users::{self, Initial, NewUser};
use app::{App, collect, presence};
use clap::ArgMatches;
use domain::{BranchCode, Email, Field, Name, Password, Role, Scope};
use std::io::IsTerminal;
use std::process::ExitCode;
use storage::Address;

pub async fn create(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let given = password(arguments)?;
    let role = wire::role_from(&text(arguments, "role")).unwrap_or(Role::Integration);
    let branches: Vec<BranchCode> =
        arguments.get_many("branch").into_iter().flatten().copied().map(BranchCode::new).collect();
    let mut problems = Vec::new();
    let name = collect(&mut problems, Name::parse(Field::Name, &text(arguments, "name")));
    let email = collect(&mut problems, Email::parse(&text(arguments, "email")));
    let password = match given {
        Some(line) => collect(&mut problems, Password::parse(&line)).map(Initial::Chosen),
        None => Some(Initial::Mailed),
    };
    collect(&mut problems, users::check_branches(role, &branches));
    let (Some(name), Some(email), Some(password), []) = (name, email, password, &problems[..]) else {
        return Err(app::Error::Refused(problems).into());
    };
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let sent = match password {
        Initial::Mailed => format!("; {}", sent_to(settings, &app, email.as_str()).await?),
        Initial::Chosen(_) => String::new(),
    };
    let new = NewUser { tenant, name, email, role, branches, password };
    let user = users::create(&app, new).await?;
    app.db.close().await;
    super::say(&format!(
        "Usuário {} criado na base {tenant}, com o perfil {}{sent}.",
        user.code,
        wire::role(role)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Where a mailed password went, for whoever must find it.
async fn sent_to(settings: &Settings, app: &App, email: &str) -> Result<String, Fatal> {
    let since = app.now().minus(presence::GONE_AFTER);
    let alive = storage::processes::alive(&app.db, since).await.map_err(app::Error::from)?;
    let when = if alive.is_empty() { " (o e-mail sai quando o servidor estiver no ar)" } else { "" };
    let address = Address::parse(&settings.database)?;
    let how = match (&settings.mail.smtp, super::mail_folder(settings, &address)) {
        (None, Ok(folder)) => format!(", num arquivo .eml em {}", folder.display()),
        _ => String::new(),
    };
    Ok(format!("a senha foi enviada para {email}{how}{when}"))
}

pub async fn list(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let app = super::open(settings).await?;
    let scope = Scope::whole(super::meant(&app, arguments).await?);
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
    users::disable(&app, super::meant(&app, arguments).await?, &email).await?;
    app.db.close().await;
    super::say(&format!("{email} foi desativado, e as sessões dele foram encerradas."));
    Ok(ExitCode::SUCCESS)
}

pub async fn reset(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let (email, password) = (text(arguments, "email"), password(arguments)?);
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let told = match password {
        Some(password) => {
            users::reset(&app, tenant, &email, &password).await?;
            format!("{email} tem uma nova senha, e as sessões dele foram encerradas.")
        }
        None => {
            users::resend_password(&app, tenant, &email).await?;
            let sent = sent_to(settings, &app, &email).await?;
            format!("{email} tem uma nova senha, e as sessões dele foram encerradas; {sent}.")
        }
    };
    app.db.close().await;
    super::say(&told);
    Ok(ExitCode::SUCCESS)
}

pub async fn logout(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let email = text(arguments, "email");
    let app = super::open(settings).await?;
    users::end_sessions(&app, super::meant(&app, arguments).await?, &email).await?;
    app.db.close().await;
    super::say(&format!("As sessões de {email} foram encerradas; a senha continua a mesma."));
    Ok(ExitCode::SUCCESS)
}

pub async fn remove_second_factor(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let email = text(arguments, "email");
    let app = super::open(settings).await?;
    let tenant = super::meant(&app, arguments).await?;
    let had = app::second_factor::remove_by_email(&app, tenant, &email).await?;
    app.db.close().await;
    super::say(&match had {
        true => format!("{email} entra agora só com a senha; o segundo fator foi retirado."),
        false => format!("{email} não tem um segundo fator; nada mudou."),
    });
    Ok(ExitCode::SUCCESS)
}

fn text(arguments: &ArgMatches, name: &str) -> String {
    arguments.get_one::<String>(name).cloned().unwrap_or_default()
}

/// A password never stands on the command line, where every user of the machine could read it. `None`: it is mailed.
fn password(arguments: &ArgMatches) -> Result<Option<String>, Fatal> {
    if !arguments.get_flag("password-stdin") {
        return Ok(None);
    }
    let mut line = String::new();
    let read = match std::io::stdin().is_terminal() {
        // Typed, it does not show on the screen.
        true => rpassword::prompt_password("Digite a senha e tecle Enter: ").map(|typed| line = typed),
        false => std::io::stdin().read_line(&mut line).map(drop),
    };
    read.map_err(|error| Fatal::new(format!("A senha não pôde ser lida da entrada padrão: {error}.")))?;
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}
