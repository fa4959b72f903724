//! Opens connections: to the first host of the address that accepts one, with the time limits of its use.

use super::failure::classify_failure;
use super::session::ServerSession;
use super::targets::{ConnectionTarget, build_targets};
use crate::engine::{DatabaseOptions, TransportProtection};
use crate::{Error, StatementWatch};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_postgres::config::{Host, LoadBalanceHosts};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Opens connections with a given statement time limit.
pub struct ServerConnector {
    targets: Vec<ConnectionTarget>,
    /// The target to try first for the next connection, if the targets share the load.
    next: Option<AtomicUsize>,
    settings: String,
    connect_timeout: Duration,
    /// How long to wait for a response: slightly longer than the server's own limits, to detect a frozen server.
    limit: Duration,
    watch: Option<StatementWatch>,
    generations: ConnectionGenerations,
    protection: Mutex<Option<TransportProtection>>,
}

/// A server that stops ends all its connections at once: those that end within this time are logged as one.
const ENDS_TOGETHER: Duration = Duration::from_secs(10);
/// How much longer than the server's own limit to wait for the server.
const SERVER_LIMIT_GRACE: Duration = Duration::from_secs(1);
/// How long until a dead peer is noticed.
const DEAD_PEER_TIMEOUT: Duration = Duration::from_secs(10);
/// The ALPN protocol for TLS without a preceding TLS request.
const PROTOCOL: &[u8] = b"postgresql";

/// Numbers the connections of a database, so that all open ones can be retired at once.
#[derive(Clone, Default)]
pub struct ConnectionGenerations {
    current: Arc<AtomicU64>,
    /// When the end of a connection was last logged.
    ended_at: Arc<Mutex<Option<Instant>>>,
}

impl ConnectionGenerations {
    fn current(&self) -> ConnectionGeneration {
        ConnectionGeneration { number: self.current.load(Ordering::Relaxed), all: self.clone() }
    }

    fn log_ended_connection(&self, cause: &Error) {
        let mut ended_at = self.ended_at.lock().unwrap_or_else(PoisonError::into_inner);
        if ended_at.is_some_and(|at| at.elapsed() < ENDS_TOGETHER) {
            tracing::debug!(%cause, "a database connection ended");
        } else {
            *ended_at = Some(Instant::now());
            tracing::warn!(%cause, "database connections ended");
        }
    }
}

/// The connections opened since the last time all were retired.
pub struct ConnectionGeneration {
    number: u64,
    all: ConnectionGenerations,
}

impl ConnectionGeneration {
    pub fn is_current(&self) -> bool {
        self.all.current.load(Ordering::Relaxed) == self.number
    }

    /// Retires these connections: they are not reused. Retiring twice does not affect connections opened in between.
    pub fn retire(&self) {
        let (now, next) = (self.number, self.number + 1);
        if self.all.current.compare_exchange(now, next, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::debug!("the database server refuses to write: every connection to it is replaced");
        }
    }
}

impl ServerConnector {
    pub fn new(
        config: &tokio_postgres::Config,
        options: &DatabaseOptions,
        statement: Duration,
        generations: &ConnectionGenerations,
    ) -> Result<ServerConnector, Error> {
        let mut config = config.clone();
        config
            .connect_timeout(options.connect_timeout)
            .tcp_user_timeout(DEAD_PEER_TIMEOUT)
            .keepalives_idle(DEAD_PEER_TIMEOUT);
        if config.get_application_name().is_none() {
            config.application_name("amparo");
        }
        let (millis, unit) = (statement.as_millis(), options.unit_timeout.as_millis());
        // The server's idle limit is longer than our unit time limit, so that a slow unit fails on its own and only a
        // frozen process loses its connection.
        let idle_timeout = unit + 1000;
        let settings = format!(
            "SET statement_timeout = {millis}; SET lock_timeout = {unit};
             SET idle_in_transaction_session_timeout = {idle_timeout}; SET standard_conforming_strings = on;
             SET default_transaction_isolation = 'read committed'; SET jit = off"
        );
        let roots = load_root_certificates(&config, options)?;
        let shares_load = config.get_load_balance_hosts() == LoadBalanceHosts::Random;
        Ok(ServerConnector {
            targets: build_targets(
                &config,
                &build_tls_connector(roots.clone(), &[])?,
                &build_tls_connector(roots, &[PROTOCOL])?,
            ),
            next: shares_load.then(AtomicUsize::default),
            settings,
            connect_timeout: options.connect_timeout,
            limit: statement.max(options.unit_timeout) + SERVER_LIMIT_GRACE,
            watch: options.watch.clone(),
            generations: generations.clone(),
            protection: Mutex::default(),
        })
    }

    /// How long connecting may take: every host may use up its timeout.
    pub fn connect_timeout(&self) -> Duration {
        let hosts = u32::try_from(self.targets.len()).unwrap_or(u32::MAX);
        self.connect_timeout.saturating_mul(hosts).saturating_add(SERVER_LIMIT_GRACE)
    }

    /// The protection of the most recent connection.
    pub fn last_protection(&self) -> Option<TransportProtection> {
        *self.protection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries the hosts in order; returns the last failure.
    #[boxed::future]
    pub async fn connect(&self) -> Result<ServerSession, Error> {
        let first = self.next.as_ref().map_or(0, |next| next.fetch_add(1, Ordering::Relaxed));
        let count = self.targets.len();
        let mut last = Error::Unavailable("the address names no host".to_owned());
        for step in 0..count {
            let target = &self.targets[first.wrapping_add(step) % count];
            let connecting = tokio::time::timeout(self.connect_timeout, self.connect_to(target));
            match connecting.await {
                Ok(Ok(session)) => {
                    let protection = Some(session.protection());
                    *self.protection.lock().unwrap_or_else(PoisonError::into_inner) = protection;
                    return Ok(session);
                }
                Ok(Err(error)) => last = error,
                Err(_) => last = Error::Unavailable("no answer from the database server".to_owned()),
            }
        }
        Err(last)
    }

    async fn connect_to(&self, target: &ConnectionTarget) -> Result<ServerSession, Error> {
        let to_error = |error: &tokio_postgres::Error| classify_failure(error).error;
        // Read first, so that a retirement during the connect includes this connection.
        let generation = self.generations.current();
        let handshake = target.handshake.clone();
        let (client, connection) =
            target.config.connect(handshake.clone()).await.map_err(|e| to_error(&e))?;
        let generations = self.generations.clone();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                generations.log_ended_connection(&classify_failure(&error).error);
            }
        });
        client.batch_execute(&self.settings).await.map_err(|e| to_error(&e))?;
        Ok(ServerSession::new(client, handshake, self.limit, (generation, self.watch.clone())))
    }
}

/// The certificate authorities of the machine plus the operator's own. Loading those of the machine is the slowest
/// part of opening a database, so it is skipped for local sockets.
fn load_root_certificates(
    config: &tokio_postgres::Config,
    options: &DatabaseOptions,
) -> Result<rustls::RootCertStore, Error> {
    let unreadable = |what: String| Error::Unavailable(format!("certificate authority: {what}"));
    let mut roots = rustls::RootCertStore::empty();
    if config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_))) {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if let Some(path) = &options.ca_file {
        use rustls::pki_types::{CertificateDer, pem::PemObject};
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.to_string()))? {
            let certificate = certificate.map_err(|e| unreadable(e.to_string()))?;
            roots.add(certificate).map_err(|e| unreadable(e.to_string()))?;
        }
    }
    Ok(roots)
}

fn build_tls_connector(
    roots: rustls::RootCertStore,
    protocols: &[&[u8]],
) -> Result<MakeRustlsConnect, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Unavailable(format!("TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(MakeRustlsConnect::new(config))
}
