//! The accept loop. `axum::serve` has no limit on how long a caller may take over his headers nor on how many come at
//! once, and takes no TLS; this has all three, and ends what is under way before it stops.

pub(crate) mod client;
pub(crate) mod cors;
pub(crate) mod measure;
mod tidy;
mod tls;

pub use tls::{Tls, TlsError};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub max_connections: usize,
    /// How long a caller may take to send his headers, and to agree on TLS before that.
    pub header_timeout: Duration,
    /// How long requests under way may take to end once the server was asked to stop.
    pub shutdown_timeout: Duration,
}

/// How requests are taken.
#[derive(Clone, Debug)]
pub struct Http {
    /// Stands before every path on some servers: `/amparo`, or nothing.
    pub prefix: String,
    /// Proxies whose word on the caller's address is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may call.
    pub origins: Vec<String>,
    /// From where the measurements may be read.
    pub metrics_from: Vec<IpNet>,
    /// How long a caller may take over the body of his request.
    pub body_timeout: Duration,
}

impl Default for Http {
    fn default() -> Http {
        let local = |net: &str| net.parse().expect("a network");
        Http {
            prefix: String::new(),
            trusted_proxies: Vec::new(),
            origins: Vec::new(),
            metrics_from: vec![local("127.0.0.0/8"), local("::1/128")],
            body_timeout: Duration::from_secs(30),
        }
    }
}

/// What the loop serves, and how.
pub struct Shell {
    pub router: Router,
    pub http: Arc<Http>,
    pub limits: Limits,
    pub tls: Option<Tls>,
}

/// Serves until `stop` is ready, then until what is under way has ended. `false` where some had to be cut off.
pub async fn serve(listener: TcpListener, shell: Shell, stop: impl Future<Output = ()>) -> bool {
    let places = Arc::new(Semaphore::new(shell.limits.max_connections));
    let graceful = GracefulShutdown::new();
    let shell = Arc::new(shell);
    let mut stop = std::pin::pin!(stop);
    loop {
        // A place first: who comes when all are taken waits in the system's queue.
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place.expect("the places are never closed"),
            () = &mut stop => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let (shell, watcher) = (Arc::clone(&shell), graceful.watcher());
        tokio::spawn(async move {
            converse(&shell, stream, peer, watcher).await;
            drop(place);
        });
    }
    drop(listener);
    tokio::time::timeout(shell.limits.shutdown_timeout, graceful.shutdown()).await.is_ok()
}

async fn converse(shell: &Arc<Shell>, stream: TcpStream, peer: SocketAddr, watcher: Watcher) {
    let Some(tls) = &shell.tls else { return speak(shell, stream, peer, watcher).await };
    let handshake = TlsAcceptor::from(tls.config()).accept(stream);
    match tokio::time::timeout(shell.limits.header_timeout, handshake).await {
        Ok(Ok(stream)) => speak(shell, stream, peer, watcher).await,
        Ok(Err(error)) => tracing::debug!(%error, "no agreement on tls"),
        Err(_) => tracing::debug!("no agreement on tls in time"),
    }
}

async fn speak<S>(shell: &Arc<Shell>, stream: S, peer: SocketAddr, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // HTTP/1 alone: telling the versions apart by their first bytes has no time limit.
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(shell.limits.header_timeout);
    let service = service_fn(|request: Request<Incoming>| {
        let (shell, mut request) = (Arc::clone(shell), request.map(Body::new));
        tidy::tidy(request.uri_mut(), &shell.http.prefix);
        let caller = client::address(peer.ip(), request.headers(), &shell.http.trusted_proxies);
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(caller, peer.port())));
        async move { shell.router.clone().oneshot(request).await }
    });
    if let Err(error) = watcher.watch(builder.serve_connection(TokioIo::new(stream), service)).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The next connection. Running out of file handles passes; it is waited for, not a reason to end.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
