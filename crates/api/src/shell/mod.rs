//! The accept loop. `axum::serve` has no limit on how long a caller may take over his headers nor on how many come at
//! once, and takes no TLS; this has all three, and ends what is under way before it stops.

pub(crate) mod client;
pub(crate) mod cors;
mod drain;
pub(crate) mod measure;
mod shares;
mod stall;
mod tidy;
mod tls;

pub use tls::{Tls, TlsError};

use shares::Shares;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub max_connections: usize,
    /// How many of them one address may have, unless it is a proxy that we trust.
    pub max_per_address: usize,
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
    /// How long a caller may take over the body of his request, and how long he may not take up our answer.
    pub body_timeout: Duration,
    /// The largest file that is taken to be imported.
    pub import_mib: u64,
    /// Browsers are told to come by TLS alone: there is a certificate that they know.
    pub is_strict: bool,
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
            import_mib: 64,
            is_strict: false,
        }
    }
}

/// What the loop serves, and how.
pub struct Shell {
    router: Router,
    http: Arc<Http>,
    limits: Limits,
    tls: Option<Tls>,
    told_of_proxy: AtomicBool,
    shares: Arc<Shares>,
}

impl Shell {
    pub fn new(router: Router, http: Arc<Http>, limits: Limits, tls: Option<Tls>) -> Shell {
        Shell { router, http, limits, tls, told_of_proxy: AtomicBool::new(false), shares: Arc::default() }
    }
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
        // Whoever has his share already is let go at once: nobody alone takes every place.
        let Some(share) = shell.shares.take(&shell, peer.ip()) else { continue };
        let (shell, watcher) = (Arc::clone(&shell), graceful.watcher());
        tokio::spawn(async move {
            converse(&shell, stream, peer, watcher).await;
            drop((place, share));
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
        let shell = Arc::clone(shell);
        let (mut request, rest) = drain::watched(request, shell.http.body_timeout);
        let is_bare_prefix = !shell.http.prefix.is_empty() && request.uri().path() == shell.http.prefix;
        tidy::tidy(request.uri_mut(), &shell.http.prefix);
        let origin = client::origin(peer.ip(), request.headers(), &shell.http.trusted_proxies);
        if origin.is_disputed && !shell.told_of_proxy.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                proxy = %origin.address,
                "a proxy that is not trusted names its callers: all of them count as one; see http.trusted_proxies"
            );
        }
        request.extensions_mut().insert(origin);
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(origin.address, peer.port())));
        async move {
            if is_bare_prefix {
                return Ok(to_slash(&shell.http.prefix));
            }
            let response = shell.router.clone().oneshot(request).await;
            // Who dawdled over his body is not waited for a second time.
            if !response.as_ref().is_ok_and(|response| response.status() == StatusCode::REQUEST_TIMEOUT) {
                rest.drain().await;
            }
            response
        }
    });
    let stream = TokioIo::new(stall::Impatient::new(stream, shell.http.body_timeout));
    if let Err(error) = watcher.watch(builder.serve_connection(stream, service)).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The page at the prefix refers to others beside it, and that needs the slash at its end.
fn to_slash(prefix: &str) -> Response {
    let last = prefix.rsplit('/').next().unwrap_or_default();
    let place = HeaderValue::try_from(format!("{last}/")).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
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
