//! Checks of the database and what it holds.

use super::CheckFinding;
use crate::commands::resolve_key_file;
use crate::fatal::describe_cause;
use crate::settings::ServerSettings;
use app::upkeep::checkup;
use app::{App, tenants};
use domain::Moment;
use std::time::Duration;
use storage::{DatabaseAddress, Db, TransportProtection};
use vault::KeyFileState;

/// The time limit of the integrity check, which reads every page of a large file.
pub const LONGEST_LOOK: Duration = Duration::from_mins(1);
/// A larger clock difference causes duplicate trigger deliveries.
const CLOCKS_DIFFER: Duration = Duration::from_secs(5);
/// A process that missed this many heartbeats counts as gone.
const BEATS_MISSED: u32 = 3;

/// The encryption of the connection to a database server; a database file has none.
pub async fn check_transport(db: &Db) -> Option<CheckFinding> {
    const WHAT: &str = "conexão";
    let text = match db.transport_protection() {
        TransportProtection::File => return None,
        TransportProtection::Socket => "por um soquete desta máquina.".to_owned(),
        TransportProtection::Tls => {
            let version = db.describe_transport().await;
            format!("cifrada ({version}), com o certificado e o nome do servidor conferidos.")
        }
        TransportProtection::PlainLoopback => "sem TLS, dentro desta máquina.".to_owned(),
        TransportProtection::PlainByChoice => {
            return Some(CheckFinding::warning(
                WHAT,
                "sem TLS (sslmode=disable): a senha e os dados passam abertos pela rede; tire sslmode=disable do endereço e \
                 ligue o TLS no servidor de banco de dados.",
            ));
        }
    };
    Some(CheckFinding::ok(WHAT, text))
}

/// Makes a durable write that leaves nothing behind.
pub async fn check_writing(app: &App) -> CheckFinding {
    const WHAT: &str = "gravação";
    match checkup::probe_write(app).await {
        Ok(()) => CheckFinding::ok(WHAT, "o banco de dados grava."),
        Err(error) => {
            let why = describe_cause(&error.to_string());
            let text = format!(
                "o banco de dados não grava: {why}; confira o espaço em disco, as permissões e, no PostgreSQL, se o endereço é \
                 o do servidor que aceita gravações. Até que grave, nada se altera."
            );
            CheckFinding::fault(WHAT, text)
        }
    }
}

pub async fn check_pages(app: &App) -> CheckFinding {
    const WHAT: &str = "leitura";
    match app.db.find_damage().await {
        Ok(problems) if problems.is_empty() => CheckFinding::ok(WHAT, "o banco de dados se lê por inteiro."),
        Ok(problems) => {
            let first = problems.first().map(|text| text.replace(char::is_control, " ")).unwrap_or_default();
            let text = format!(
                "o banco de dados está danificado ({first}); pare o servidor, guarde uma cópia dos arquivos como estão e volte \
                 à sua última cópia de segurança."
            );
            CheckFinding::fault(WHAT, text)
        }
        Err(storage::Error::TooSlow) => CheckFinding::warning(
            WHAT,
            format!(
                "o banco é grande, e a conferência das páginas parou depois de {} s sem achar nada; para ir até o fim, rode \
                 `sqlite3 ARQUIVO 'PRAGMA quick_check'` numa cópia.",
                LONGEST_LOOK.as_secs()
            ),
        ),
        Err(error) => CheckFinding::fault(
            WHAT,
            format!(
                "o banco de dados não se deixa ler: {}; volte à sua última cópia.",
                describe_cause(&error.to_string())
            ),
        ),
    }
}

/// The log of accesses: without it, nothing personal is shown.
pub async fn check_activity(app: &App) -> CheckFinding {
    const WHAT: &str = "acessos";
    let found = match app.db.activity() {
        Ok(activity) => activity.ping().await,
        Err(error) => Err(error),
    };
    match found {
        Ok(()) => CheckFinding::ok(WHAT, "quem vê os dados de quem fica gravado."),
        Err(error) => CheckFinding::fault(
            WHAT,
            format!(
                "o registro de acessos a dados pessoais não abre: {}; confira o arquivo `.activity` ao lado do banco e as suas \
                 permissões, ou devolva o da sua cópia. Até lá, o que mostra dados pessoais responde 503.",
                describe_cause(&error.to_string())
            ),
        ),
    }
}

pub async fn check_durability(app: &App) -> CheckFinding {
    const WHAT: &str = "durabilidade";
    match app.db.weak_durability_settings().await {
        Ok(weak) if weak.is_empty() => {
            CheckFinding::ok(WHAT, "o que foi gravado resiste a uma queda de energia.")
        }
        Ok(weak) => CheckFinding::warning(
            WHAT,
            format!(
                "o servidor de banco de dados está com {} desligado, e pode perder o que já gravou; ligue no postgresql.conf.",
                weak.join(", ")
            ),
        ),
        Err(error) => CheckFinding::from_error(WHAT, app::Error::from(error)),
    }
}

/// Compares the clock with those of the database server and of the other processes.
pub async fn check_clocks(app: &App) -> CheckFinding {
    const WHAT: &str = "relógio";
    let apart = |one: Moment, other: Moment| one.duration_since(other).max(other.duration_since(one));
    let before = app.now();
    let there = match app.db.clock().await {
        Ok(there) => there,
        Err(error) => return CheckFinding::from_error(WHAT, app::Error::from(error)),
    };
    // The answer took time: any moment between the question and now counts as equal.
    let now = app.now();
    if let Some(there) = there.filter(|there| *there < before || *there > now) {
        let differ = apart(there, before).min(apart(there, now));
        if differ > CLOCKS_DIFFER {
            let text = format!(
                "o desta máquina e o do servidor de banco de dados diferem em {} s; acerte os dois (NTP).",
                differ.as_secs()
            );
            return CheckFinding::warning(WHAT, text);
        }
    }
    match storage::server::processes::list_live_processes(&app.db, now.plus(CLOCKS_DIFFER)).await {
        Ok(ahead) if ahead.is_empty() => CheckFinding::ok(WHAT, format!("{} (UTC).", now.to_iso())),
        Ok(ahead) => CheckFinding::warning(
            WHAT,
            format!(
                "{} processos têm o relógio adiantado em relação a este; acerte os das máquinas (NTP).",
                ahead.len()
            ),
        ),
        Err(error) => CheckFinding::from_error(WHAT, app::Error::from(error)),
    }
}

/// The processes that serve this database, and whether there is one.
pub async fn check_processes(
    settings: &ServerSettings,
    address: &DatabaseAddress,
    app: &App,
) -> (CheckFinding, bool) {
    const WHAT: &str = "servidores";
    let now = app.now();
    let since = now
        .minus((settings.housekeeping.heartbeat * BEATS_MISSED).min(storage::server::processes::GONE_AFTER));
    let mut alive = match storage::server::processes::list_live_processes(&app.db, since).await {
        Ok(alive) => alive,
        Err(error) => return (CheckFinding::from_error(WHAT, app::Error::from(error)), false),
    };
    // A database file has one server, which holds its lock; a killed server no longer does.
    if !address.is_shared() && storage::lock_for_server(address).is_ok() {
        alive.clear();
    }
    if alive.is_empty() {
        return (CheckFinding::ok(WHAT, "nenhum no ar agora."), false);
    }
    if !address.is_shared() {
        alive.drain(..alive.len() - 1);
    }
    let each = alive.iter().map(|one| {
        let silent = now.duration_since(one.seen_at).as_secs();
        format!("{} desde {} (último sinal há {silent} s)", one.version, one.started_at.to_iso())
    });
    (CheckFinding::ok(WHAT, format!("no ar: {}.", each.collect::<Vec<_>>().join("; "))), true)
}

pub async fn check_key(settings: &ServerSettings, address: &DatabaseAddress, app: &App) -> CheckFinding {
    const WHAT: &str = "chave";
    let path = match resolve_key_file(settings, address) {
        Ok(path) => path,
        Err(error) => return CheckFinding::from_error(WHAT, error),
    };
    match vault::inspect_server_key(app.key_context(), &path).await {
        Ok(KeyFileState::Present) => CheckFinding::ok(WHAT, format!("{} é a deste banco.", path.display())),
        Ok(KeyFileState::RotationUnfinished) => CheckFinding::warning(
            WHAT,
            format!("a troca da chave em {} não terminou; repita `amparo key rotate`.", path.display()),
        ),
        Ok(KeyFileState::Absent) => CheckFinding::warning(
            WHAT,
            format!("{} ainda não existe; o servidor a cria ao iniciar.", path.display()),
        ),
        Err(error) => CheckFinding::from_error(WHAT, error),
    }
}

pub async fn check_tenants(app: &App) -> CheckFinding {
    const WHAT: &str = "bases";
    let found = storage::server::tenants::list_tenants(&app.db).await;
    match (found, tenants::find_default_tenant(&app.db).await) {
        (Ok(all), Ok(Some(default))) => {
            CheckFinding::ok(WHAT, format!("{}; a padrão é a {default}.", all.len()))
        }
        (Ok(_), Ok(None)) => {
            CheckFinding::warning(WHAT, "nenhuma ainda; crie com `amparo tenant create --name NOME`.")
        }
        (Err(error), _) | (_, Err(error)) => CheckFinding::from_error(WHAT, app::Error::from(error)),
    }
}

pub async fn check_partial_restore(app: &App) -> Option<CheckFinding> {
    const WHAT: &str = "base trazida";
    match app::upkeep::unfinished_restore::find_unfinished_restore(app).await {
        Ok(None) => None,
        Ok(Some(tenant)) => Some(CheckFinding::warning(
            WHAT,
            format!(
                "a base {tenant} está sendo trazida, ou ficou pela metade; repita o mesmo `amparo bring` até o fim, ou \
                 descarte-a com `amparo bring --discard`."
            ),
        )),
        Err(error) => Some(CheckFinding::from_error(WHAT, error)),
    }
}
