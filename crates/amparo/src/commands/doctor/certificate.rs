//! The TLS certificate: whether it can be used, and for how long.

use super::CheckFinding;
use crate::commands::{resolve_key_file, tls};
use crate::settings::ServerSettings;
use crate::system::SystemClock;
use api::ReloadableTls;
use domain::Clock;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use storage::DatabaseAddress;

const WHAT: &str = "certificado";
const DAY: Duration = Duration::from_hours(24);
/// Below this remaining time, it should be renewed.
const SOON: Duration = Duration::from_hours(720);

pub fn check_certificate(settings: &ServerSettings, address: &DatabaseAddress) -> CheckFinding {
    let tls = &settings.tls;
    match (&tls.cert_file, &tls.key_file, tls.self_signed) {
        (None, None, false) => check_plain_listener(settings),
        (Some(certificate), Some(key), false) => check_certificate_files(certificate, key, false),
        (None, None, true) => match locate_own_files(settings, address) {
            Ok((certificate, _)) if !certificate.exists() => {
                CheckFinding::ok(WHAT, "o servidor faz o seu ao iniciar (tls.self_signed).")
            }
            Ok((certificate, key)) => check_certificate_files(&certificate, &key, true),
            Err(finding) => finding,
        },
        _ => CheckFinding::fault(WHAT, "diga tls.cert_file e tls.key_file, os dois, ou só tls.self_signed."),
    }
}

fn locate_own_files(
    settings: &ServerSettings,
    address: &DatabaseAddress,
) -> Result<(PathBuf, PathBuf), CheckFinding> {
    let key_file =
        resolve_key_file(settings, address).map_err(|error| CheckFinding::from_error(WHAT, error))?;
    Ok(tls::locate_self_signed_files(&key_file))
}

fn check_plain_listener(settings: &ServerSettings) -> CheckFinding {
    let is_local = match settings.listen.parse::<SocketAddr>() {
        Ok(at) => at.ip().to_canonical().is_loopback(),
        Err(_) => settings.listen.rsplit_once(':').is_some_and(|(host, _)| {
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|at| at.is_loopback())
        }),
    };
    if is_local {
        return CheckFinding::ok(WHAT, "nenhum: o servidor só atende esta máquina, sem TLS.");
    }
    CheckFinding::warning(
        WHAT,
        format!(
            "o servidor atende em {} sem TLS, e as senhas passam abertas pela rede; use tls.cert_file e tls.key_file, ou um \
             proxy com HTTPS na frente.",
            settings.listen
        ),
    )
}

fn check_certificate_files(certificate: &Path, key: &Path, is_own: bool) -> CheckFinding {
    if let Err(error) = ReloadableTls::from_files(certificate, key) {
        return CheckFinding::from_error(WHAT, error);
    }
    let ends = match tls::read_certificate_end(certificate) {
        Ok(ends) => ends,
        Err(error) => return CheckFinding::from_error(WHAT, error),
    };
    let (now, place) = (SystemClock.now(), certificate.display());
    let day = &ends.to_iso()[..10];
    if ends <= now {
        return CheckFinding::fault(WHAT, format!("o de {place} venceu em {day}; renove-o."));
    }
    let days = ends.duration_since(now).as_secs() / DAY.as_secs();
    if ends < now.plus(SOON) && !is_own {
        return CheckFinding::warning(
            WHAT,
            format!("o de {place} vence em {day}, daqui a {days} dias; renove-o."),
        );
    }
    CheckFinding::ok(WHAT, format!("o de {place} vale até {day}, e a chave é a dele."))
}
