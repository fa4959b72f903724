//! Connections to receivers. Resolves the host name, checks every resolved address, and connects only to a checked
//! address, so that DNS rebinding has no effect.

use super::address_guard::AddressGuard;
use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

#[derive(Clone)]
pub struct GuardedConnector {
    guard: Arc<AddressGuard>,
    tls: TlsConnector,
    names: NameResolver,
}

type HostLookup = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// Concurrent DNS lookups. A system lookup blocks its thread until the name server answers, even after the caller gave
/// up, and the thread pool is shared.
const CONCURRENT_LOOKUPS: usize = 32;

#[derive(Clone)]
struct NameResolver {
    permits: Arc<Semaphore>,
    lookup: HostLookup,
}

impl NameResolver {
    fn from_system() -> NameResolver {
        let lookup = |host: &str, port: u16| Ok((host, port).to_socket_addrs()?.collect());
        NameResolver { permits: Arc::new(Semaphore::new(CONCURRENT_LOOKUPS)), lookup }
    }

    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?;
        let (host, lookup) = (host.to_owned(), self.lookup);
        let resolving = tokio::task::spawn_blocking(move || {
            let found = lookup(&host, port);
            drop(permit);
            found
        });
        resolving.await.map_err(io::Error::other)?
    }
}

/// Why a connection was refused, in words for the delivery log.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionRefusal {
    /// The same message for an unknown name and for an internal one: a different message would reveal internal host
    /// names to users who register receivers.
    #[error(
        "{0} não existe ou é de uma rede interna, que só se alcança com a permissão de quem cuida do servidor (triggers.allowed_hosts)"
    )]
    Unreachable(String),
    #[error("o certificado de {0} não pôde ser conferido: {1}")]
    Certificate(String, String),
}

impl GuardedConnector {
    pub fn new(guard: Arc<AddressGuard>) -> Result<GuardedConnector, rustls::Error> {
        let mut roots = rustls::RootCertStore::empty();
        // The system's root certificates, so that an association's own certificate authority works too.
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(GuardedConnector {
            guard,
            tls: TlsConnector::from(Arc::new(config)),
            names: NameResolver::from_system(),
        })
    }

    #[boxed::future]
    pub async fn connect(self, uri: Uri) -> io::Result<TokioIo<ReceiverStream>> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let stream = self.open_stream(&host, port).await?;
        stream.set_nodelay(true)?;
        if !is_tls {
            return Ok(TokioIo::new(ReceiverStream::Plain(stream)));
        }
        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
        let stream =
            self.tls.connect(name, stream).await.map_err(|error| explain_certificate_error(&host, error))?;
        Ok(TokioIo::new(ReceiverStream::Tls(Box::new(stream))))
    }

    async fn open_stream(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let found = self.names.resolve(host, port).await;
        let found = found.map_err(|error| {
            tracing::debug!(host, %error, "a name was not found");
            io::Error::other(ConnectionRefusal::Unreachable(host.to_owned()))
        })?;
        tracing::debug!(host, ?found, "a name was looked up");
        let mut last = io::Error::other(ConnectionRefusal::Unreachable(host.to_owned()));
        for address in found.into_iter().filter(|address| self.guard.is_allowed(host, *address)) {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Rewrites the error only if the certificate caused it.
fn explain_certificate_error(host: &str, error: io::Error) -> io::Error {
    use rustls::CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, UnknownIssuer,
    };
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(cause)) = inner else { return error };
    let explanation = match cause {
        Expired | ExpiredContext { .. } => "está vencido".to_owned(),
        NotValidForName | NotValidForNameContext { .. } => "é de outro nome".to_owned(),
        UnknownIssuer => "não é de uma autoridade conhecida".to_owned(),
        other => format!("{other:?}"),
    };
    io::Error::other(ConnectionRefusal::Certificate(host.to_owned(), explanation))
}

impl tower::Service<Uri> for GuardedConnector {
    type Response = TokioIo<ReceiverStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<ReceiverStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

/// A plain or TLS stream.
pub enum ReceiverStream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for ReceiverStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for ReceiverStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ReceiverStream::Plain(stream) => Pin::new(stream).poll_read(context, into),
            ReceiverStream::Tls(stream) => Pin::new(stream).poll_read(context, into),
        }
    }
}

impl AsyncWrite for ReceiverStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            ReceiverStream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            ReceiverStream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ReceiverStream::Plain(stream) => Pin::new(stream).poll_flush(context),
            ReceiverStream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ReceiverStream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            ReceiverStream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Condvar, Mutex};

    /// Users who register receivers must not learn from a test which internal names exist.
    #[tokio::test]
    async fn a_name_inside_is_refused_as_one_that_is_not_there() {
        let connector = GuardedConnector::new(Arc::default()).unwrap();
        let lookups: [HostLookup; 3] = [
            |_, _| Err(io::Error::other("no such name")),
            |_, _| Ok(Vec::new()),
            |_, port| Ok(vec![SocketAddr::new([10, 0, 0, 7].into(), port)]),
        ];
        let mut refusals = Vec::new();
        for lookup in lookups {
            let names = NameResolver { lookup, ..NameResolver::from_system() };
            let refused =
                GuardedConnector { names, ..connector.clone() }.open_stream("banco.interno", 80).await;
            refusals.push(refused.unwrap_err().to_string());
        }
        assert!(refusals[0].contains("banco.interno"), "{refusals:?}");
        assert_eq!((&refusals[0], &refusals[0]), (&refusals[1], &refusals[2]));
    }

    static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
    /// Whether the name server has begun to answer.
    static ANSWERS: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

    fn silent(_: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        let (answers, condvar) = &ANSWERS;
        let guard = answers.lock().unwrap();
        drop(condvar.wait_while(guard, |answers| !*answers).unwrap());
        Ok(vec![SocketAddr::new([192, 0, 2, 1].into(), port)])
    }

    /// Lookups whose callers gave up still hold their threads.
    #[tokio::test]
    async fn a_silent_name_server_holds_few_threads_and_an_address_needs_none() {
        let names = NameResolver { lookup: silent, ..NameResolver::from_system() };
        let resolve_host = |host: String| {
            let names = names.clone();
            async move { names.resolve(&host, 80).await }
        };
        let mut given_up = Vec::new();
        for number in 0..3 * CONCURRENT_LOOKUPS {
            given_up.push(tokio::spawn(resolve_host(format!("{number}.example"))));
        }
        while UNDER_WAY.load(Ordering::SeqCst) < CONCURRENT_LOOKUPS {
            tokio::task::yield_now().await;
        }
        given_up.iter().for_each(tokio::task::JoinHandle::abort);
        for one in given_up {
            assert!(one.await.unwrap_err().is_cancelled());
        }
        let last = tokio::spawn(resolve_host("last.example".to_owned()));
        tokio::task::yield_now().await;
        assert_eq!(UNDER_WAY.load(Ordering::SeqCst), CONCURRENT_LOOKUPS, "not one more");
        assert_eq!(names.resolve("::1", 80).await.unwrap(), ["[::1]:80".parse().unwrap()]);
        let (answers, condvar) = &ANSWERS;
        *answers.lock().unwrap() = true;
        condvar.notify_all();
        assert_eq!(last.await.unwrap().unwrap(), ["192.0.2.1:80".parse().unwrap()]);
    }
}
