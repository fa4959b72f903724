//! The certificate that the server shows: from files, or one that it makes for itself.

use crate::fatal::Fatal;
use crate::settings::TlsSettings;
use api::{Tls, TlsError};
use domain::Moment;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a certificate of our own lasts, and how old it may be when the server starts.
const LIFE: Duration = Duration::from_secs(397 * 24 * 3600);
const FRESH: Duration = Duration::from_secs(300 * 24 * 3600);

/// What the settings ask for; a certificate of our own lies beside the server's key.
pub fn open(
    settings: &TlsSettings,
    key_file: &Path,
    listen: IpAddr,
    now: Moment,
) -> Result<Option<Tls>, Fatal> {
    let TlsSettings { cert_file, key_file: tls_key, self_signed, .. } = settings;
    let (certificate, key) = match (cert_file, tls_key, self_signed) {
        (None, None, false) => return Ok(None),
        (Some(certificate), Some(key), false) => (certificate.clone(), key.clone()),
        (None, None, true) => own(key_file, listen, now)?,
        (_, _, true) => {
            return Err(Fatal::new(
                "Escolha entre o certificado dos arquivos (tls.cert_file e tls.key_file) e o do próprio servidor \
                 (--tls-self-signed); não use os dois.",
            ));
        }
        _ => return Err(Fatal::new("O TLS precisa dos dois arquivos: tls.cert_file e tls.key_file.")),
    };
    Tls::from_files(&certificate, &key).map(Some).map_err(Fatal::from)
}

impl From<TlsError> for Fatal {
    fn from(error: TlsError) -> Fatal {
        Fatal::new(format!(
            "O certificado não pôde ser usado: {}: {}; confira os arquivos de TLS.",
            error.path.display(),
            error.cause
        ))
    }
}

/// The certificate that the server made for itself, made anew where there is none or it grows old.
fn own(key_file: &Path, listen: IpAddr, now: Moment) -> Result<(PathBuf, PathBuf), Fatal> {
    let (certificate, key) =
        (key_file.with_file_name("tls-cert.pem"), key_file.with_file_name("tls-key.pem"));
    let written = std::fs::metadata(&certificate).and_then(|file| file.modified()).ok();
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let age = written.map(|at| now.since(Moment::from_millis(i64::try_from(at.as_millis()).unwrap_or(0))));
    if !(key.exists() && age.is_some_and(|age| age < FRESH)) {
        make(&certificate, &key, listen, now)?;
        tracing::info!(path = %certificate.display(), "certificate created");
    }
    Ok((certificate, key))
}

fn make(certificate: &Path, key: &Path, listen: IpAddr, now: Moment) -> Result<(), Fatal> {
    let failed =
        |error: &dyn std::fmt::Display| Fatal::new(format!("O certificado não pôde ser criado: {error}."));
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !listen.is_unspecified() && !listen.is_loopback() {
        names.push(listen.to_string());
    }
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        names.push(host.trim().to_owned());
    }
    if let Some(folder) = certificate.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let mut params = rcgen::CertificateParams::new(names).map_err(|error| failed(&error))?;
    params.distinguished_name.push(rcgen::DnType::CommonName, "Amparo");
    let day = |moment: Moment| {
        let date = jiff::Timestamp::from_millisecond(moment.millis()).unwrap_or_default();
        let date = date.to_zoned(jiff::tz::TimeZone::UTC).date();
        rcgen::date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    params.not_before = day(now.minus(Duration::from_secs(24 * 3600)));
    params.not_after = day(now.plus(LIFE));
    let pair = rcgen::KeyPair::generate().map_err(|error| failed(&error))?;
    let signed = params.self_signed(&pair).map_err(|error| failed(&error))?;
    write(key, &pair.serialize_pem()).map_err(|error| failed(&error))?;
    write(certificate, &signed.pem()).map_err(|error| failed(&error))
}

/// Written whole or not at all, and read by its owner alone.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let fresh = path.with_extension("pem.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
}
