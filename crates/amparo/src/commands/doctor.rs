//! `amparo doctor`: is everything in order, and if not, what to do.

use crate::fatal::Fatal;
use crate::settings::Settings;
use app::{App, presence, server_key, tenants};
use std::path::Path;
use std::process::ExitCode;
use storage::{Address, Schema};
use tokio::net::TcpListener;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Fine,
    Notice,
    Fault,
}

struct Finding {
    verdict: Verdict,
    what: &'static str,
    text: String,
}

pub async fn run(settings: &Settings) -> Result<ExitCode, Fatal> {
    let mut findings = vec![variables()];
    match Address::parse(&settings.database) {
        Ok(address) => {
            findings.push(mail(settings, &address));
            database(settings, &address, &mut findings).await;
        }
        Err(error) => findings.push(fault("banco de dados", Fatal::from(error))),
    }
    for finding in &findings {
        let mark = match finding.verdict {
            Verdict::Fine => "ok     ",
            Verdict::Notice => "atenção",
            Verdict::Fault => "falha  ",
        };
        super::say(&format!("{mark}  {:<16} {}", finding.what, finding.text));
    }
    let healthy = findings.iter().all(|finding| finding.verdict != Verdict::Fault);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn fine(what: &'static str, text: impl Into<String>) -> Finding {
    Finding { verdict: Verdict::Fine, what, text: text.into() }
}

fn notice(what: &'static str, text: impl Into<String>) -> Finding {
    Finding { verdict: Verdict::Notice, what, text: text.into() }
}

fn fault(what: &'static str, error: impl Into<Fatal>) -> Finding {
    Finding { verdict: Verdict::Fault, what, text: error.into().sentence().to_owned() }
}

fn variables() -> Finding {
    let unknown = Settings::unknown_variables(std::env::vars().map(|(name, _)| name));
    if unknown.is_empty() {
        return fine("configuração", "lida; `amparo config` mostra os valores em vigor.");
    }
    notice("configuração", format!("variáveis que o Amparo não conhece: {}.", unknown.join(", ")))
}

fn mail(settings: &Settings, address: &Address) -> Finding {
    const WHAT: &str = "e-mail";
    let from = &settings.mail.from;
    match (&settings.mail.smtp, super::mail_folder(settings, address)) {
        (Some(smtp), _) => fine(WHAT, format!("sai por SMTP, pelo servidor {}, de {from}.", smtp.host())),
        (None, Ok(folder)) => notice(
            WHAT,
            format!(
                "sem um servidor de e-mail (--mail-smtp), cada mensagem vira um arquivo .eml em {}.",
                folder.display()
            ),
        ),
        (None, Err(error)) => fault(WHAT, error),
    }
}

/// Looks at everything that stands on the database; changes nothing.
async fn database(settings: &Settings, address: &Address, findings: &mut Vec<Finding>) {
    let (db, migrated) = match storage::open(address, &settings.storage.options(), Schema::Inspect).await {
        Ok(opened) => opened,
        Err(error) => return findings.push(fault("banco de dados", error)),
    };
    match db.describe().await {
        Ok(name) => findings.push(fine("banco de dados", format!("{name} em {address}."))),
        Err(error) => return findings.push(fault("banco de dados", app::Error::from(error))),
    }
    let newest = storage::newest_schema();
    if migrated.from != newest {
        let text =
            format!("versão {}, e este programa usa a {newest}; rode `amparo migrate`.", migrated.from);
        findings.push(Finding { verdict: Verdict::Fault, what: "esquema", text });
        return db.close().await;
    }
    findings.push(fine("esquema", format!("versão {newest}, a deste programa.")));
    let app = match super::app_on(db, &super::public_url(settings, "http", &settings.listen)) {
        Ok(app) => app,
        Err(error) => return findings.push(fault("senhas", error)),
    };
    let is_served = processes(&app, findings).await;
    key(settings, address, &app, findings).await;
    bases(&app, findings).await;
    findings.push(files(settings, address).await);
    findings.push(port(&settings.listen, is_served).await);
    app.db.close().await;
}

async fn processes(app: &App, findings: &mut Vec<Finding>) -> bool {
    let since = app.now().minus(presence::GONE_AFTER);
    match storage::processes::alive(&app.db, since).await {
        Ok(alive) if alive.is_empty() => {
            findings.push(fine("servidores", "nenhum no ar agora."));
            false
        }
        Ok(alive) => {
            let each = alive.iter().map(|one| format!("{} desde {}", one.version, one.started_at.to_iso()));
            findings.push(fine("servidores", format!("no ar: {}.", each.collect::<Vec<_>>().join("; "))));
            true
        }
        Err(error) => {
            findings.push(fault("servidores", app::Error::from(error)));
            false
        }
    }
}

async fn key(settings: &Settings, address: &Address, app: &App, findings: &mut Vec<Finding>) {
    const WHAT: &str = "chave";
    let path = match super::key_file(settings, address) {
        Ok(path) => path,
        Err(error) => return findings.push(fault(WHAT, error)),
    };
    findings.push(match server_key::inspect(app, &path).await {
        Ok(true) if readable_by_others(&path) => {
            notice(WHAT, format!("{0} pode ser lida por outros; rode `chmod 600 {0}`.", path.display()))
        }
        Ok(true) => fine(WHAT, format!("{} é a deste banco.", path.display())),
        Ok(false) => {
            notice(WHAT, format!("{} ainda não existe; o servidor a cria ao iniciar.", path.display()))
        }
        Err(error) => fault(WHAT, error),
    });
}

fn readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

async fn bases(app: &App, findings: &mut Vec<Finding>) {
    const WHAT: &str = "bases";
    let found = storage::tenants::all(&app.db).await;
    findings.push(match (found, tenants::default(&app.db).await) {
        (Ok(all), Ok(Some(default))) => fine(WHAT, format!("{}; a padrão é a {default}.", all.len())),
        (Ok(_), Ok(None)) => notice(WHAT, "nenhuma ainda; crie com `amparo tenant create --name NOME`."),
        (Err(error), _) | (_, Err(error)) => fault(WHAT, app::Error::from(error)),
    });
}

/// Writes, reads and removes something where files are kept.
async fn files(settings: &Settings, address: &Address) -> Finding {
    const WHAT: &str = "arquivos";
    let place = match super::file_place(settings, address) {
        Ok(place) => place,
        Err(error) => return fault(WHAT, error),
    };
    match super::probe_files(&place).await {
        Ok(()) => fine(WHAT, format!("gravados e lidos em {place:?}.")),
        Err(error) => fault(WHAT, error),
    }
}

async fn port(address: &str, is_served: bool) -> Finding {
    const WHAT: &str = "endereço";
    match TcpListener::bind(address).await {
        Ok(_) => fine(WHAT, format!("{address} está livre.")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && is_served => {
            fine(WHAT, format!("{address} está em uso, e há um servidor no ar."))
        }
        Err(error) => notice(WHAT, format!("não se pode atender em {address}: {error}.")),
    }
}
