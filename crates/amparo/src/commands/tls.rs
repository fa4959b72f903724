//! The server's TLS certificate: from files (`tls.cert_file`), or self-signed (`tls.self_signed`).

use crate::fatal::{FatalError, describe_cause};
use crate::measurement::convert_to_seconds;
use crate::settings::TlsSettings;
use api::{ReloadableTls, TlsError};
use domain::Moment;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use x509_cert::der::Decode;

/// The lifetime of a self-signed certificate, and how long before its end it is renewed.
const LIFE: Duration = Duration::from_hours(9528);
const BEFORE_END: Duration = Duration::from_hours(720);
/// Precedes the certificate in the self-signed file; PEM readers skip it.
const ENDS: &str = "Amparo: vale até ";

/// The active certificate, and how it is renewed.
#[derive(Clone)]
pub struct ServerCertificate {
    pub tls: ReloadableTls,
    path: PathBuf,
    self_signed: Option<SelfSignedCertificate>,
}

#[derive(Clone)]
struct SelfSignedCertificate {
    certificate: PathBuf,
    key: PathBuf,
    listen: IpAddr,
}

/// Opens the certificate of the settings; a self-signed one is stored beside the server's key.
pub fn open_certificate(
    settings: &TlsSettings,
    key_file: &Path,
    listen: IpAddr,
    now: Moment,
) -> Result<Option<ServerCertificate>, FatalError> {
    let TlsSettings { cert_file, key_file: tls_key, self_signed, .. } = settings;
    let (certificate, key, generated) = match (cert_file, tls_key, self_signed) {
        (None, None, false) => return Ok(None),
        (Some(certificate), Some(key), false) => (certificate.clone(), key.clone(), None),
        (None, None, true) => {
            let (certificate, key) = locate_self_signed_files(key_file);
            let generated = SelfSignedCertificate { certificate, key, listen };
            generated.create_if_needed(now)?;
            (generated.certificate.clone(), generated.key.clone(), Some(generated))
        }
        (_, _, true) => {
            return Err(FatalError::new(
                "Escolha entre o certificado dos arquivos (tls.cert_file e tls.key_file) e o do próprio servidor \
                 (--tls-self-signed); não use os dois.",
            ));
        }
        _ => return Err(FatalError::new("O TLS precisa dos dois arquivos: tls.cert_file e tls.key_file.")),
    };
    let tls = ReloadableTls::from_files(&certificate, &key)?;
    let opened = ServerCertificate { tls, path: certificate, self_signed: generated };
    opened.publish_expiry();
    Ok(Some(opened))
}

/// The paths of the self-signed certificate, beside the server's key.
pub fn locate_self_signed_files(key_file: &Path) -> (PathBuf, PathBuf) {
    (key_file.with_file_name("tls-cert.pem"), key_file.with_file_name("tls-key.pem"))
}

/// The expiry of the first certificate in a file, which is the server's own.
pub fn read_certificate_end(path: &Path) -> Result<Moment, FatalError> {
    let unusable = |cause: &dyn std::fmt::Display| {
        FatalError::new(format!("O certificado em {} não pôde ser lido: {cause}.", path.display()))
    };
    let der = CertificateDer::from_pem_file(path).map_err(|error| unusable(&error))?;
    let certificate = x509_cert::Certificate::from_der(&der).map_err(|error| unusable(&error))?;
    let end = certificate.tbs_certificate.validity.not_after.to_unix_duration();
    Ok(Moment::from_millis(0).plus(end))
}

impl ServerCertificate {
    /// Reloads changed files, or renews a self-signed certificate near its end.
    pub fn renew(&self, now: Moment) -> Result<bool, FatalError> {
        if let Some(generated) = &self.self_signed {
            generated.create_if_needed(now)?;
        }
        let is_changed = self.tls.reload_if_changed()?;
        if is_changed {
            self.publish_expiry();
        }
        Ok(is_changed)
    }

    /// Sets the metric from the file that was just loaded. Later files may be unusable, and then this one stays in use.
    fn publish_expiry(&self) {
        match read_certificate_end(&self.path) {
            Ok(end) => {
                metrics::gauge!("amparo_certificate_expiry_timestamp_seconds").set(convert_to_seconds(end));
            }
            Err(error) => {
                tracing::warn!(why = error.sentence(), "the expiry of the certificate could not be read");
            }
        }
    }
}

impl SelfSignedCertificate {
    fn create_if_needed(&self, now: Moment) -> Result<(), FatalError> {
        let there = std::fs::read_to_string(&self.certificate).unwrap_or_default();
        if self.key.exists() && is_long_valid(&there, now) {
            return Ok(());
        }
        create_self_signed(&self.certificate, &self.key, self.listen, now)?;
        tracing::info!(path = %self.certificate.display(), "certificate created");
        Ok(())
    }
}

/// Whether a self-signed certificate is not yet due for renewal.
fn is_long_valid(text: &str, now: Moment) -> bool {
    let end = text.lines().find_map(|line| line.strip_prefix(ENDS)?.trim().parse::<jiff::civil::Date>().ok());
    end.is_some_and(|end| convert_to_date(now.plus(BEFORE_END)) < end)
}

fn convert_to_date(moment: Moment) -> jiff::civil::Date {
    let at = jiff::Timestamp::from_millisecond(moment.millis()).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}

impl From<TlsError> for FatalError {
    fn from(error: TlsError) -> FatalError {
        FatalError::new(format!(
            "O certificado não pôde ser usado: {}: {}; confira os arquivos de TLS.",
            error.path.display(),
            describe_cause(&error.cause)
        ))
    }
}

fn create_self_signed(certificate: &Path, key: &Path, listen: IpAddr, now: Moment) -> Result<(), FatalError> {
    let failed = |error: &dyn std::fmt::Display| {
        FatalError::new(format!("O certificado não pôde ser criado: {error}."))
    };
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
    let day = |date: jiff::civil::Date| {
        rcgen::date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    let end = convert_to_date(now.plus(LIFE));
    params.not_before = day(convert_to_date(now.minus(Duration::from_hours(24))));
    params.not_after = day(end);
    let pair = rcgen::KeyPair::generate().map_err(|error| failed(&error))?;
    let signed = params.self_signed(&pair).map_err(|error| failed(&error))?;
    write_private_file(key, &pair.serialize_pem()).map_err(|error| failed(&error))?;
    write_private_file(certificate, &format!("{ENDS}{end}\n{}", signed.pem())).map_err(|error| failed(&error))
}

/// Written atomically, and readable by its owner only.
fn write_private_file(path: &Path, text: &str) -> std::io::Result<()> {
    let fresh = path.with_extension("pem.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_of_our_own_is_made_again_a_month_before_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        let generated = SelfSignedCertificate {
            certificate: certificate.clone(),
            key,
            listen: IpAddr::from([192, 0, 2, 1]),
        };
        let start = Moment::from_millis(1_794_663_125_000);
        let days = |count: u64| Duration::from_secs(count * 24 * 3600);
        let at = |moment: Moment| {
            generated.create_if_needed(moment).unwrap();
            std::fs::read_to_string(&certificate).unwrap()
        };
        let first = at(start);
        assert!(ReloadableTls::from_files(&certificate, &generated.key).is_ok(), "{first}");
        assert_eq!(
            convert_to_date(read_certificate_end(&certificate).unwrap()),
            convert_to_date(start.plus(LIFE))
        );
        assert_eq!(at(start.plus(days(366))), first);
        assert_ne!(at(start.plus(days(368))), first);
        assert!(!is_long_valid("", start) && !is_long_valid("Amparo: vale até ontem", start));
    }
}
