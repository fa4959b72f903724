//! `amparo demo load` and `serve --demo`: a fictitious association with a publicly known password.

use crate::fatal::FatalError;
use crate::settings::{DEMO_PASSWORD_VARIABLE, ServerSettings};
use app::App;
use clap::ArgMatches;
use demo::{ADMINISTRATOR, DemoLoadOptions, DemoLoadOutcome, PASSWORD};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
use storage::DatabaseAddress;

/// How many members `serve --demo` loads into an empty database.
const MEMBERS: u32 = 1000;
const SEED: u64 = 1;

pub async fn load_demo(settings: &ServerSettings, arguments: &ArgMatches) -> Result<ExitCode, FatalError> {
    let demo = DemoLoadOptions {
        members: arguments.get_one("members").copied().unwrap_or(MEMBERS),
        seed: arguments.get_one("seed").copied().unwrap_or(SEED),
        password: read_demo_password(),
        months: arguments.get_one("months").copied(),
    };
    let app = super::open_app(settings).await?;
    refuse_under_servers(settings, &app, &demo.password).await?;
    let bar = build_progress_bar(demo.members);
    let loaded = demo::load_demo(&app, &demo, &mut |there| bar.set_position(there.into())).await;
    bar.finish_and_clear();
    let DemoLoadOutcome { tenant, members } = loaded?;
    let words = describe_login(&app).await?;
    app.db.close().await;
    super::print_line(&format!(
        "Demonstração carregada na base {tenant}, com {members} associados.\n{words}"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Fills an empty database, and returns the text that explains how to sign in.
pub async fn fill_empty_database(app: &App) -> Result<String, FatalError> {
    let bar = build_progress_bar(MEMBERS);
    let demo = DemoLoadOptions { members: MEMBERS, seed: SEED, password: read_demo_password(), months: None };
    let mut report_progress = |there: u32| {
        // An interrupted earlier load may have been larger.
        bar.set_length(bar.length().unwrap_or(0).max(there.into()));
        bar.set_position(there.into());
    };
    let filled = demo::fill_empty_database(app, &demo, &mut report_progress).await;
    bar.finish_and_clear();
    Ok(match filled? {
        Some(DemoLoadOutcome { members, .. }) => {
            format!("Demonstração com {members} associados. {}", describe_login(app).await?)
        }
        None if demo::list_users_with_known_password(app).await?.contains(&ADMINISTRATOR) => {
            format!(
                "O banco de dados já tinha dados e ficou como estava. Entre com {ADMINISTRATOR} e a senha {PASSWORD}."
            )
        }
        None => "O banco de dados já tinha dados e ficou como estava.".to_owned(),
    })
}

/// Refuses the publicly known password while a server is running on this database.
async fn refuse_under_servers(
    settings: &ServerSettings,
    app: &App,
    password: &str,
) -> Result<(), FatalError> {
    let since = app.now().minus(storage::server::processes::GONE_AFTER);
    let alive =
        storage::server::processes::list_live_processes(&app.db, since).await.map_err(app::Error::from)?;
    if password != PASSWORD || alive.is_empty() {
        return Ok(());
    }
    // A killed server still looks alive for a while; a server that holds a file lock is detected by the lock.
    let address = DatabaseAddress::parse(&settings.database)?;
    if !address.is_shared() && storage::lock_for_server(&address).is_ok() {
        return Ok(());
    }
    Err(FatalError::new(format!(
        "Há um servidor no ar com este banco de dados, e a demonstração teria a senha que todos conhecem: pare o servidor, \
         ou dê outra senha pela variável {DEMO_PASSWORD_VARIABLE}."
    )))
}

/// A demo that others can reach needs its own password.
pub fn refuse_known_password() -> Result<(), FatalError> {
    if read_demo_password() != PASSWORD {
        return Ok(());
    }
    Err(FatalError::new(format!(
        "Fora desta máquina, a demonstração não atende com a senha que todos conhecem: dê outra pela variável \
         {DEMO_PASSWORD_VARIABLE}, ou use --listen 127.0.0.1:8080."
    )))
}

/// Refuses to start a server that others can reach while a demo user still has the known password.
pub async fn refuse_known_users(app: &App) -> Result<(), FatalError> {
    let known = demo::list_users_with_known_password(app).await?;
    if known.is_empty() {
        return Ok(());
    }
    let resets: Vec<String> =
        known.iter().map(|email| format!("`amparo user reset --email {email} --password-stdin`")).collect();
    Err(FatalError::new(format!(
        "Neste banco de dados a demonstração ainda tem a senha que todos conhecem, e por isso só atende em 127.0.0.1; \
         troque-a com {}.",
        resets.join(", ")
    )))
}

/// An empty variable counts as not set, as everywhere.
fn read_demo_password() -> String {
    std::env::var(DEMO_PASSWORD_VARIABLE)
        .ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| PASSWORD.to_owned())
}

/// How to sign in. A password chosen by the operator, now or when the load began, is not printed.
async fn describe_login(app: &App) -> Result<String, FatalError> {
    Ok(match demo::list_users_with_known_password(app).await?.contains(&ADMINISTRATOR) {
        true => format!("Entre com {ADMINISTRATOR} e a senha {PASSWORD}."),
        false => format!("Entre com {ADMINISTRATOR} e a senha dada pela variável {DEMO_PASSWORD_VARIABLE}."),
    })
}

/// On standard error, and only at a terminal.
fn build_progress_bar(members: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos} de {len} associados, faltam {eta}");
    ProgressBar::new(members.into()).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
