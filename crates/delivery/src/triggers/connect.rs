//! Connections to receivers. The name is looked up here, every address that it leads to is judged, and only one that was
//! judged is connected to: a name that answers differently the next time changes nothing.

use super::guard::Guard;
use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

#[derive(Clone)]
pub struct Connector {
    guard: Arc<Guard>,
    tls: TlsConnector,
}

/// Why no connection came about, for those who look at a delivery.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("o endereço {0} é de uma rede interna; veja triggers.allowed_hosts")]
    Inside(String),
    #[error("o nome {0} não leva a nenhum endereço")]
    Nowhere(String),
}

impl Connector {
    pub fn new(guard: Arc<Guard>) -> Result<Connector, rustls::Error> {
        let mut roots = rustls::RootCertStore::empty();
        // What the system trusts, so that an association's own authority counts too.
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Connector { guard, tls: TlsConnector::from(Arc::new(config)) })
    }

    async fn connect(self, uri: Uri) -> io::Result<TokioIo<Wire>> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let stream = self.reach(&host, port).await?;
        stream.set_nodelay(true)?;
        if !is_tls {
            return Ok(TokioIo::new(Wire::Plain(stream)));
        }
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        let stream = self.tls.connect(name, stream).await?;
        Ok(TokioIo::new(Wire::Tls(Box::new(stream))))
    }

    async fn reach(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
        let mut last = match found.first() {
            None => io::Error::other(Refused::Nowhere(host.to_owned())),
            Some(_) => io::Error::other(Refused::Inside(host.to_owned())),
        };
        for address in found.into_iter().filter(|address| self.guard.allows(host, address.ip())) {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl tower::Service<Uri> for Connector {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Wire>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

/// A connection, in the clear or not.
pub enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_read(context, into),
            Wire::Tls(stream) => Pin::new(stream).poll_read(context, into),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Wire::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_flush(context),
            Wire::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Wire::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
