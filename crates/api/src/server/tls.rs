//! TLS certificate and key from files (`tls.cert_file`, `tls.key_file`), reloaded when they change: a renewed
//! certificate needs no restart.

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

/// The certificate files and the configuration loaded from them.
#[derive(Clone)]
pub struct ReloadableTls(Arc<CertificateFiles>);

struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<(FileTimestamps, Arc<ServerConfig>)>,
}

/// The modification times of the two files.
type FileTimestamps = [Option<SystemTime>; 2];

#[derive(Debug, thiserror::Error)]
#[error("{path}: {cause}")]
pub struct TlsError {
    pub path: PathBuf,
    pub cause: String,
}

impl ReloadableTls {
    pub fn from_files(certificate: &Path, key: &Path) -> Result<ReloadableTls, TlsError> {
        let stamp = [read_change_time(certificate), read_change_time(key)];
        let config = load_server_config(certificate, key)?;
        Ok(ReloadableTls(Arc::new(CertificateFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current: RwLock::new((stamp, config)),
        })))
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// Reloads the files if they changed, and returns whether they did. Unusable files leave the old configuration
    /// active.
    pub fn reload_if_changed(&self) -> Result<bool, TlsError> {
        let inner = &self.0;
        let stamp = [read_change_time(&inner.certificate), read_change_time(&inner.key)];
        if inner.current.read().unwrap_or_else(PoisonError::into_inner).0 == stamp {
            return Ok(false);
        }
        let config = load_server_config(&inner.certificate, &inner.key)?;
        *inner.current.write().unwrap_or_else(PoisonError::into_inner) = (stamp, config);
        Ok(true)
    }
}

fn read_change_time(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn load_server_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let build_error = |path: &Path, cause: &dyn std::fmt::Display| TlsError {
        path: path.to_owned(),
        cause: cause.to_string(),
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| build_error(certificate, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| build_error(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| build_error(certificate, &error))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| build_error(certificate, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
