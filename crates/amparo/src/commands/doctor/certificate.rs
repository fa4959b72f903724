//! TLS towards callers: the certificate can be used, and for how long.

use super::Finding;
use crate::commands::{key_file, tls};
use crate::settings::Settings;
use crate::system::SystemClock;
use api::Tls;
use domain::Clock;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use storage::Address;

const WHAT: &str = "certificado";
const DAY: Duration = Duration::from_secs(24 * 3600);
/// From here on somebody should renew it.
const SOON: Duration = Duration::from_secs(30 * 24 * 3600);

pub fn check(settings: &Settings, address: &Address) -> Finding {
    let tls = &settings.tls;
    match (&tls.cert_file, &tls.key_file, tls.self_signed) {
        (None, None, false) => without_tls(settings),
        (Some(certificate), Some(key), false) => of_files(certificate, key, false),
        (None, None, true) => match own_files(settings, address) {
            Ok((certificate, _)) if !certificate.exists() => {
                Finding::fine(WHAT, "o servidor faz o seu ao iniciar (tls.self_signed).")
            }
            Ok((certificate, key)) => of_files(&certificate, &key, true),
            Err(finding) => finding,
        },
        _ => Finding::fault(WHAT, "diga tls.cert_file e tls.key_file, os dois, ou só tls.self_signed."),
    }
}

fn own_files(settings: &Settings, address: &Address) -> Result<(PathBuf, PathBuf), Finding> {
    let key_file = key_file(settings, address).map_err(|error| Finding::failed(WHAT, error))?;
    Ok(tls::own_files(&key_file))
}

fn without_tls(settings: &Settings) -> Finding {
    let is_local = match settings.listen.parse::<SocketAddr>() {
        Ok(at) => at.ip().to_canonical().is_loopback(),
        Err(_) => settings.listen.rsplit_once(':').is_some_and(|(host, _)| {
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|at| at.is_loopback())
        }),
    };
    if is_local {
        return Finding::fine(WHAT, "nenhum: o servidor só atende esta máquina, sem TLS.");
    }
    Finding::warning(
        WHAT,
        format!(
            "o servidor atende em {} sem TLS, e as senhas passam abertas pela rede; use tls.cert_file e tls.key_file, ou um \
             proxy com HTTPS na frente.",
            settings.listen
        ),
    )
}

fn of_files(certificate: &Path, key: &Path, is_own: bool) -> Finding {
    if let Err(error) = Tls::from_files(certificate, key) {
        return Finding::failed(WHAT, error);
    }
    let ends = match tls::certificate_end(certificate) {
        Ok(ends) => ends,
        Err(error) => return Finding::failed(WHAT, error),
    };
    let (now, place) = (SystemClock.now(), certificate.display());
    let day = &ends.to_iso()[..10];
    if ends <= now {
        return Finding::fault(WHAT, format!("o de {place} venceu em {day}; renove-o."));
    }
    let days = ends.since(now).as_secs() / DAY.as_secs();
    if ends < now.plus(SOON) && !is_own {
        return Finding::warning(
            WHAT,
            format!("o de {place} vence em {day}, daqui a {days} dias; renove-o."),
        );
    }
    Finding::fine(WHAT, format!("o de {place} vale até {day}, e a chave é a dele."))
}
