//! `amparo user`: the users of a tenant, also for an administrator who is locked out.

use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use app::access::users::{self, InitialPassword, NewUserInput};
use app::{App, collect_problem};
use clap::ArgMatches;
use domain::{BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Role, Scope};
use std::io::IsTerminal;
use std::process::ExitCode;
use storage::DatabaseAddress;

pub async fn create_user(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let typed = read_password(arguments)?;
    let role = wire::parse_role(&read_text_argument(arguments, "role")).unwrap_or(Role::Integration);
    let branches: Vec<BranchCode> =
        arguments.get_many("branch").into_iter().flatten().copied().map(BranchCode::new).collect();
    let mut problems = Vec::new();
    let name = collect_problem(
        &mut problems,
        DisplayName::parse(InputField::Name, &read_text_argument(arguments, "name")),
    );
    let email = collect_problem(&mut problems, Email::parse(&read_text_argument(arguments, "email")));
    let password = match typed {
        Some(line) => collect_problem(&mut problems, Password::parse(&line)).map(InitialPassword::Chosen),
        None => Some(InitialPassword::Mailed),
    };
    collect_problem(&mut problems, users::check_branches(role, &branches));
    let (Some(name), Some(email), Some(password), []) = (name, email, password, &problems[..]) else {
        return Err(app::Error::Refused(problems).into());
    };
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let mail_notice = match password {
        InitialPassword::Mailed => {
            format!("; {}", describe_password_mail(settings, &app, email.as_str()).await?)
        }
        InitialPassword::Chosen(_) => String::new(),
    };
    let money_rights = MoneyRights::for_new_user(role);
    let new = NewUserInput {
        tenant,
        name,
        email,
        role,
        branches,
        money_rights,
        gets_old_search_answer: false,
        password,
    };
    let user = users::create_user(&app, new).await?;
    app.db.close().await;
    super::print_line(&format!(
        "Usuário {} criado na base {tenant}, com o perfil {}{mail_notice}.",
        user.code,
        wire::role(role)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Where a mailed password went, so that the operator can find it.
async fn describe_password_mail(
    settings: &ServerSettings,
    app: &App,
    email: &str,
) -> Result<String, FatalError> {
    let since = app.now().minus(storage::server::processes::GONE_AFTER);
    let alive =
        storage::server::processes::list_live_processes(&app.db, since).await.map_err(app::Error::from)?;
    let when = if alive.is_empty() { " (o e-mail sai quando o servidor estiver no ar)" } else { "" };
    let address = DatabaseAddress::parse(&settings.database)?;
    let how = match (&settings.mail.smtp, super::resolve_mail_folder(settings, &address)) {
        (None, Ok(folder)) => format!(", num arquivo .eml em {}", folder.display()),
        _ => String::new(),
    };
    Ok(format!("a senha foi enviada para {email}{how}{when}"))
}

pub async fn list_users(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let app = super::open_app(settings).await?;
    let scope = Scope::for_tenant(super::resolve_tenant(&app, arguments).await?);
    let users = users::list_users(&app, &scope).await?;
    app.db.close().await;
    if users.is_empty() {
        super::print_line("Nenhum usuário ainda; crie o primeiro com `amparo user create`.");
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
        super::print_line(&format!(
            "{code:>6}  {:<32} {role:<13} {state:<10} {where_}  {}",
            user.email, user.name
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn disable_user(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let email = read_text_argument(arguments, "email");
    let app = super::open_app(settings).await?;
    users::disable_user(&app, super::resolve_tenant(&app, arguments).await?, &email).await?;
    app.db.close().await;
    super::print_line(&format!("{email} foi desativado, e as sessões dele foram encerradas."));
    Ok(ExitCode::SUCCESS)
}

pub async fn reset_password(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let (email, password) = (read_text_argument(arguments, "email"), read_password(arguments)?);
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let message = match password {
        Some(password) => {
            users::reset_password(&app, tenant, &email, &password).await?;
            format!("{email} tem uma nova senha, e as sessões dele foram encerradas.")
        }
        None => {
            users::resend_password(&app, tenant, &email).await?;
            let mail_notice = describe_password_mail(settings, &app, &email).await?;
            format!("{email} tem uma nova senha, e as sessões dele foram encerradas; {mail_notice}.")
        }
    };
    app.db.close().await;
    super::print_line(&message);
    Ok(ExitCode::SUCCESS)
}

pub async fn end_user_sessions(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let email = read_text_argument(arguments, "email");
    let app = super::open_app(settings).await?;
    users::end_sessions_by_email(&app, super::resolve_tenant(&app, arguments).await?, &email).await?;
    app.db.close().await;
    super::print_line(&format!("As sessões de {email} foram encerradas; a senha continua a mesma."));
    Ok(ExitCode::SUCCESS)
}

pub async fn remove_second_factor(
    settings: &ServerSettings,
    arguments: &ArgMatches,
) -> Result<ExitCode, FatalError> {
    let email = read_text_argument(arguments, "email");
    let app = super::open_app(settings).await?;
    let tenant = super::resolve_tenant(&app, arguments).await?;
    let had_factor = app::access::second_factor::remove_factor_by_email(&app, tenant, &email).await?;
    app.db.close().await;
    super::print_line(&match had_factor {
        true => format!("{email} entra agora só com a senha; o segundo fator foi retirado."),
        false => format!("{email} não tem um segundo fator; nada mudou."),
    });
    Ok(ExitCode::SUCCESS)
}

fn read_text_argument(arguments: &ArgMatches, name: &str) -> String {
    arguments.get_one::<String>(name).cloned().unwrap_or_default()
}

/// Never taken from the command line, where every user of the machine could read it. `None`: it is mailed.
fn read_password(arguments: &ArgMatches) -> Result<Option<String>, FatalError> {
    if !arguments.get_flag("password-stdin") {
        return Ok(None);
    }
    let mut line = String::new();
    let read = match std::io::stdin().is_terminal() {
        // Typed input is not echoed.
        true => rpassword::prompt_password("Digite a senha e tecle Enter: ").map(|typed| line = typed),
        false => std::io::stdin().read_line(&mut line).map(drop),
    };
    read.map_err(|error| FatalError::new(format!("A senha não pôde ser lida da entrada padrão: {error}.")))?;
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}
