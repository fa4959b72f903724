//! How the process was started, and where it listens.

use super::Finding;
use crate::commands::serve;
use crate::settings::Settings;
use crate::system;
use tokio::net::TcpListener;

/// Variables that are no settings, and secrets that everybody on the machine can read.
pub fn check_variables(settings: &Settings) -> Finding {
    const WHAT: &str = "configuração";
    let unknown = Settings::unknown_variables(std::env::vars().map(|(name, _)| name));
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        return Finding::warning(
            WHAT,
            format!("variáveis que o Amparo não conhece: {names}; corrija o nome ou apague-as."),
        );
    }
    if let Some((flag, variable)) = settings.secrets_on_command_line().first() {
        let text = format!(
            "--{flag} traz um segredo na linha de comando, que a lista de processos mostra a todos; use a variável {variable}."
        );
        return Finding::warning(WHAT, text);
    }
    Finding::fine(WHAT, "lida; `amparo config` mostra os valores em vigor.")
}

/// The limit of this process, which is that of the server where both are started alike.
pub fn check_open_files(settings: &Settings) -> Finding {
    const WHAT: &str = "arquivos abertos";
    let needed = serve::files_needed(settings);
    match system::open_files_limit() {
        Some(limit) if limit < needed => Finding::warning(
            WHAT,
            format!(
                "o limite é {limit}, e http.max_connections pede uns {needed}; aumente com `ulimit -n {needed}` ou, no \
                 systemd, LimitNOFILE={needed}."
            ),
        ),
        Some(limit) => Finding::fine(WHAT, format!("o limite é {limit} (o servidor o usa inteiro).")),
        None => Finding::fine(WHAT, "não há limite."),
    }
}

pub async fn check_port(address: &str, is_served: bool) -> Finding {
    const WHAT: &str = "endereço";
    match TcpListener::bind(address).await {
        Ok(_) => Finding::fine(WHAT, format!("{address} está livre.")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && is_served => {
            Finding::fine(WHAT, format!("{address} está em uso, e há um servidor no ar."))
        }
        Err(error) => {
            let why = crate::fatal::plainly(&error.to_string());
            Finding::warning(
                WHAT,
                format!("não se pode atender em {address}: {why}; veja quem o usa, ou mude `listen`."),
            )
        }
    }
}
