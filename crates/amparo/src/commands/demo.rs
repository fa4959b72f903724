//! `amparo demo load` and `serve --demo`: an association that does not exist, and the password that everybody knows.

use crate::fatal::Fatal;
use crate::settings::{DEMO_PASSWORD_VARIABLE, Settings};
use app::demo::{self, ADMINISTRATOR, Demo, Loaded, PASSWORD};
use app::{App, presence};
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
use storage::Address;

/// What `serve --demo` fills an empty database with.
const MEMBERS: u32 = 1000;
const SEED: u64 = 1;

pub async fn load(settings: &Settings, arguments: &ArgMatches) -> Result<ExitCode, Fatal> {
    let demo = Demo {
        members: arguments.get_one("members").copied().unwrap_or(MEMBERS),
        seed: arguments.get_one("seed").copied().unwrap_or(SEED),
        password: password(),
    };
    let app = super::open(settings).await?;
    refuse_under_servers(settings, &app, &demo.password).await?;
    let bar = bar(demo.members);
    let loaded = demo::load(&app, &demo, &mut |there| bar.set_position(there.into())).await;
    bar.finish_and_clear();
    let Loaded { tenant, members } = loaded?;
    let words = login(&app).await?;
    app.db.close().await;
    super::say(&format!("Demonstração carregada na base {tenant}, com {members} associados.\n{words}"));
    Ok(ExitCode::SUCCESS)
}

/// Fills an empty database; gives the words that tell how to enter.
pub async fn fill(app: &App) -> Result<String, Fatal> {
    let bar = bar(MEMBERS);
    let demo = Demo { members: MEMBERS, seed: SEED, password: password() };
    let mut tell = |there: u32| {
        // Another load that was cut off may have been larger.
        bar.set_length(bar.length().unwrap_or(0).max(there.into()));
        bar.set_position(there.into());
    };
    let filled = demo::fill(app, &demo, &mut tell).await;
    bar.finish_and_clear();
    Ok(match filled? {
        Some(Loaded { members, .. }) => {
            format!("Demonstração com {members} associados. {}", login(app).await?)
        }
        None if demo::with_known_password(app).await?.contains(&ADMINISTRATOR) => {
            format!(
                "O banco de dados já tinha dados e ficou como estava. Entre com {ADMINISTRATOR} e a senha {PASSWORD}."
            )
        }
        None => "O banco de dados já tinha dados e ficou como estava.".to_owned(),
    })
}

/// Who may be reached by others is not given the password that everybody knows.
async fn refuse_under_servers(settings: &Settings, app: &App, password: &str) -> Result<(), Fatal> {
    let since = app.now().minus(presence::GONE_AFTER);
    let alive = storage::processes::alive(&app.db, since).await.map_err(app::Error::from)?;
    if password != PASSWORD || alive.is_empty() {
        return Ok(());
    }
    // One that was killed still looks alive for a while; where a server holds a lock, the lock knows better.
    let address = Address::parse(&settings.database)?;
    if !address.is_shared() && storage::lock_for_server(&address).is_ok() {
        return Ok(());
    }
    Err(Fatal::new(format!(
        "Há um servidor no ar com este banco de dados, e a demonstração teria a senha que todos conhecem: pare o servidor, \
         ou dê outra senha pela variável {DEMO_PASSWORD_VARIABLE}."
    )))
}

/// A demonstration that others reach needs a password of its own.
pub fn refuse_known_password() -> Result<(), Fatal> {
    if password() != PASSWORD {
        return Ok(());
    }
    Err(Fatal::new(format!(
        "Fora desta máquina, a demonstração não atende com a senha que todos conhecem: dê outra pela variável \
         {DEMO_PASSWORD_VARIABLE}, ou use --listen 127.0.0.1:8080."
    )))
}

/// Nor does any server that others reach, while a user of the demonstration still has that password.
pub async fn refuse_known_users(app: &App) -> Result<(), Fatal> {
    let known = demo::with_known_password(app).await?;
    if known.is_empty() {
        return Ok(());
    }
    let resets: Vec<String> =
        known.iter().map(|email| format!("`amparo user reset --email {email} --password-stdin`")).collect();
    Err(Fatal::new(format!(
        "Neste banco de dados a demonstração ainda tem a senha que todos conhecem, e por isso só atende em 127.0.0.1; \
         troque-a com {}.",
        resets.join(", ")
    )))
}

/// An empty variable counts as not given, as everywhere.
fn password() -> String {
    std::env::var(DEMO_PASSWORD_VARIABLE)
        .ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| PASSWORD.to_owned())
}

/// How to enter. A password that somebody chose, now or when a load was begun, is not repeated on the screen.
async fn login(app: &App) -> Result<String, Fatal> {
    Ok(match demo::with_known_password(app).await?.contains(&ADMINISTRATOR) {
        true => format!("Entre com {ADMINISTRATOR} e a senha {PASSWORD}."),
        false => format!("Entre com {ADMINISTRATOR} e a senha dada pela variável {DEMO_PASSWORD_VARIABLE}."),
    })
}

/// On standard error, and only where that is a terminal.
fn bar(members: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos} de {len} associados, faltam {eta}");
    ProgressBar::new(members.into()).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
