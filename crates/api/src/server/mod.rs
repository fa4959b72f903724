//! The accept loop. `axum::serve` limits neither the time for headers nor the number of connections, and has no TLS;
//! this has all three, and finishes running requests before it stops.

mod answer_body;
pub(crate) mod client;
mod connections;
pub(crate) mod cors;
pub(crate) mod host;
pub(crate) mod measure;
mod normalize_path;
pub(crate) mod request_log;
mod stall;
mod tls;
mod unread_body;

pub use request_log::{RequestLogMode, RequestLogOptions};
pub use tls::{ReloadableTls, TlsError};

use answer_body::AnswerBody;
use connections::{AdmissionOutcome, AdmittedConnection, ConnectionActivity, ConnectionLimiter};
use normalize_path::PathPrefixes;

use crate::RequestFailure;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::RepeatLimit;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ipnet::IpNet;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

/// How often to look for an idle connection while all slots are taken.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// `http.max_connections`.
    pub max_connections: usize,
    /// The limit per address, except for trusted proxies (`http.max_connections_per_address`).
    pub max_per_address: usize,
    /// The time limit for the headers, and for the TLS handshake before them (`http.header_timeout`).
    pub header_timeout: Duration,
    /// How long running requests may take to finish after the server was told to stop (`http.shutdown_timeout`).
    pub shutdown_timeout: Duration,
}

#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// A prefix before every path, such as `/amparo` (`http.path_prefix`); may be empty.
    pub prefix: String,
    /// Any single name may come before `/ext/` (`http.any_ext_prefix`).
    pub accepts_any_ext_prefix: bool,
    /// Proxies whose forwarding headers are believed (`http.trusted_proxies`).
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may call the API (`http.cors_origins`).
    pub origins: Vec<String>,
    /// Networks that may read the metrics without a token (`http.metrics_from`).
    pub metrics_from: Vec<IpNet>,
    /// If set, only callers with this token may read the metrics (`http.metrics_token`).
    pub metrics_token: Option<MetricsToken>,
    /// Callers come through a proxy on this machine, so a local connection says nothing about their address.
    pub is_behind_local_proxy: bool,
    /// How long a caller may take to send the body, and how long an answer may wait to be received
    /// (`http.body_timeout`).
    pub body_timeout: Duration,
    /// Sends HSTS: the server has a certificate that browsers trust.
    pub is_strict: bool,
    /// Which requests are logged (`http.log_requests`, `http.log_requests_per_second`).
    pub request_log: RequestLogOptions,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        let local = |net: &str| net.parse().expect("a network");
        HttpOptions {
            prefix: String::new(),
            accepts_any_ext_prefix: true,
            trusted_proxies: Vec::new(),
            origins: Vec::new(),
            metrics_from: vec![local("127.0.0.0/8"), local("::1/128")],
            metrics_token: None,
            is_behind_local_proxy: false,
            body_timeout: Duration::from_secs(30),
            is_strict: false,
            request_log: RequestLogOptions::default(),
        }
    }
}

/// The token for reading the metrics.
#[derive(Clone)]
pub struct MetricsToken(String);

impl MetricsToken {
    pub fn new(token: String) -> MetricsToken {
        MetricsToken(token)
    }

    /// Constant-time comparison.
    pub(crate) fn matches(&self, candidate: &str) -> bool {
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        digest(&self.0) == digest(candidate)
    }
}

/// Hides the token.
impl fmt::Debug for MetricsToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

/// What the accept loop serves, and its limits.
pub struct HttpServer {
    router: Router,
    http: Arc<HttpOptions>,
    limits: ConnectionLimits,
    tls: Option<ReloadableTls>,
    has_warned_of_proxy: AtomicBool,
    connections: Arc<ConnectionLimiter>,
}

impl HttpServer {
    pub fn new(
        router: Router,
        http: Arc<HttpOptions>,
        limits: ConnectionLimits,
        tls: Option<ReloadableTls>,
    ) -> HttpServer {
        HttpServer {
            router,
            http,
            limits,
            tls,
            has_warned_of_proxy: AtomicBool::new(false),
            connections: Arc::new(ConnectionLimiter::new(&limits)),
        }
    }
}

/// Serves until `stop` completes, then until running requests have finished. `false` if some had to be cut off.
pub async fn serve_http(listener: TcpListener, server: HttpServer, stop: impl Future<Output = ()>) -> bool {
    serve_http_until(listener, server, stop, std::future::pending()).await
}

/// Like [`serve_http`]; once `insisted` completes, running requests are no longer waited for.
pub async fn serve_http_until(
    listener: TcpListener,
    server: HttpServer,
    stop: impl Future<Output = ()>,
    insisted: impl Future<Output = ()>,
) -> bool {
    let graceful = GracefulShutdown::new();
    let server = Arc::new(server);
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept_connection(&listener) => accepted,
            () = &mut stop => break,
        };
        let place = tokio::select! {
            place = wait_for_admission(&server, peer) => place,
            () = &mut stop => break,
        };
        // A connection over its address's limit is dropped at once.
        let Some(place) = place else { continue };
        let (server, watcher) = (Arc::clone(&server), graceful.watcher());
        tokio::spawn(async move {
            let activity = Arc::clone(&place.activity);
            tokio::select! {
                biased;
                () = serve_connection(&server, stream, peer, &activity, watcher) => {}
                () = activity.wait_for_close() => tracing::debug!("a connection was closed to free capacity or to stop"),
            }
            drop(place);
        });
    }
    drop(listener);
    let ended = tokio::select! {
        ended = tokio::time::timeout(server.limits.shutdown_timeout, graceful.shutdown()) => ended.is_ok(),
        () = insisted => false,
    };
    if !ended {
        server.connections.close_all();
    }
    ended
}

/// Waits for a slot while all are busy. `None` if the address has reached its limit.
async fn wait_for_admission(server: &HttpServer, peer: SocketAddr) -> Option<AdmittedConnection> {
    loop {
        match server.connections.admit(&server.limits, &server.http, peer.ip()) {
            AdmissionOutcome::Admitted(place) => return Some(place),
            AdmissionOutcome::Refused => {
                metrics::counter!("amparo_http_connections_refused_total").increment(1);
                return None;
            }
            AdmissionOutcome::Full => {
                // A connection that becomes idle sends no notification, so this polls.
                let _ = tokio::time::timeout(LOOK_AGAIN, server.connections.wait_for_release()).await;
            }
        }
    }
}

async fn serve_connection(
    server: &Arc<HttpServer>,
    stream: TcpStream,
    peer: SocketAddr,
    activity: &Arc<ConnectionActivity>,
    watcher: Watcher,
) {
    let Some(tls) = &server.tls else { return serve_stream(server, stream, peer, activity, watcher).await };
    let handshake = TlsAcceptor::from(tls.config()).accept(stream);
    match tokio::time::timeout(server.limits.header_timeout, handshake).await {
        Ok(Ok(stream)) => serve_stream(server, stream, peer, activity, watcher).await,
        Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
        Err(_) => tracing::debug!("TLS handshake timed out"),
    }
}

async fn serve_stream<S>(
    server: &Arc<HttpServer>,
    stream: S,
    peer: SocketAddr,
    activity: &Arc<ConnectionActivity>,
    watcher: Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // HTTP/1 only: hyper's protocol detection has no time limit.
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(server.limits.header_timeout);
    let service = service_fn(|request: Request<Incoming>| {
        let (server, activity) = (Arc::clone(server), Arc::clone(activity));
        async move {
            // The connection is about to be closed: the request has not run and will not.
            let Some(under_way) = activity.begin_request() else { return std::future::pending().await };
            let response = answer_request(&server, request, peer).await;
            Ok::<_, Infallible>(response.map(|body| AnswerBody::new(body, under_way)))
        }
    });
    let stream = stall::StallTimeoutStream::new(stream, server.http.body_timeout, Arc::clone(activity));
    let stream = TokioIo::new(stream);
    if let Err(error) = watcher.watch(builder.serve_connection(stream, service)).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn answer_request(server: &HttpServer, request: Request<Incoming>, peer: SocketAddr) -> Response {
    let (mut request, unread) = unread_body::retain_body(request, server.http.body_timeout);
    let is_bare_prefix = !server.http.prefix.is_empty() && request.uri().path() == server.http.prefix;
    let prefixes =
        PathPrefixes { configured: &server.http.prefix, any_before_ext: server.http.accepts_any_ext_prefix };
    normalize_path::normalize_uri(request.uri_mut(), prefixes);
    let origin = client::resolve_origin(peer.ip(), request.headers(), &server.http.trusted_proxies);
    if origin.is_disputed && !server.has_warned_of_proxy.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            proxy = %origin.address,
            "a proxy that is not trusted sends client addresses: its clients count as one; see http.trusted_proxies"
        );
    }
    request.extensions_mut().insert(origin);
    request.extensions_mut().insert(ConnectInfo(SocketAddr::new(origin.address, peer.port())));
    if is_bare_prefix {
        return redirect_to_slash(&server.http.prefix);
    }
    let response = if host::has_valid_host(request.version(), request.headers()) {
        let Ok(response) = server.router.clone().oneshot(request).await;
        response
    } else {
        RequestFailure::BadHost.into_response()
    };
    // A sender whose body was already too slow gets no more time.
    if response.status() != StatusCode::REQUEST_TIMEOUT {
        unread.drain().await;
    }
    response
}

/// Relative links on the page at the prefix need the trailing slash.
fn redirect_to_slash(prefix: &str) -> Response {
    let last = prefix.rsplit('/').next().unwrap_or_default();
    let place = HeaderValue::try_from(format!("{last}/")).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

static ACCEPT_FAILURES_LOGGED: RepeatLimit = RepeatLimit::new();

/// The next connection. Running out of file handles is temporary, so it waits instead of ending.
async fn accept_connection(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                if let Some(left_out) = ACCEPT_FAILURES_LOGGED.take_turn(Instant::now()) {
                    tracing::warn!(%error, left_out, "cannot accept connections");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
