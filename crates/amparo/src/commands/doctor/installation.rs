//! How the process was started, and where it listens.

use super::CheckFinding;
use crate::commands::serve;
use crate::settings::ServerSettings;
use crate::system;
use tokio::net::TcpListener;

/// Unknown variables, and secrets that every user of the machine can read.
pub fn check_variables(settings: &ServerSettings) -> CheckFinding {
    const WHAT: &str = "configuração";
    let unknown = ServerSettings::list_unknown_variables(std::env::vars().map(|(name, _)| name));
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        return CheckFinding::warning(
            WHAT,
            format!("variáveis que o Amparo não conhece: {names}; corrija o nome ou apague-as."),
        );
    }
    if let Some((flag, variable)) = settings.list_exposed_secrets().first() {
        let text = format!(
            "--{flag} traz um segredo na linha de comando, que a lista de processos mostra a todos; use a variável {variable}."
        );
        return CheckFinding::warning(WHAT, text);
    }
    CheckFinding::ok(WHAT, "lida; `amparo config` mostra os valores em vigor.")
}

/// The limit of this process, which is that of the server if both are started the same way.
pub fn check_open_files(settings: &ServerSettings) -> CheckFinding {
    const WHAT: &str = "arquivos abertos";
    let needed = serve::count_needed_files(settings);
    match system::read_open_files_limit() {
        Some(limit) if limit < needed => CheckFinding::warning(
            WHAT,
            format!(
                "o limite é {limit}, e http.max_connections pede uns {needed}; aumente com `ulimit -n {needed}` ou, no \
                 systemd, LimitNOFILE={needed}."
            ),
        ),
        Some(limit) => CheckFinding::ok(WHAT, format!("o limite é {limit} (o servidor o usa inteiro).")),
        None => CheckFinding::ok(WHAT, "não há limite."),
    }
}

pub async fn check_port(address: &str, is_served: bool) -> CheckFinding {
    const WHAT: &str = "endereço";
    match TcpListener::bind(address).await {
        Ok(_) => CheckFinding::ok(WHAT, format!("{address} está livre.")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && is_served => {
            CheckFinding::ok(WHAT, format!("{address} está em uso, e há um servidor no ar."))
        }
        Err(error) => {
            let why = crate::fatal::describe_cause(&error.to_string());
            CheckFinding::warning(
                WHAT,
                format!("não se pode atender em {address}: {why}; veja quem o usa, ou mude `listen`."),
            )
        }
    }
}
