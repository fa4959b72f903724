//! The whole server in this process, on a port that the system chose.

use api::{ConnectionLimits, HttpOptions, HttpServer, ReloadableTls, ServerState, StopFlag};
use app::App;
use axum::Router;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub struct Server {
    pub address: SocketAddr,
    pub stopping: StopFlag,
    stop: oneshot::Sender<()>,
    served: JoinHandle<bool>,
}

/// How a server is set up where a test wants it otherwise.
pub struct Setup {
    pub limits: ConnectionLimits,
    pub http: HttpOptions,
    pub tls: Option<ReloadableTls>,
    /// Pages beside the console's.
    pub pages: Router,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { limits: Server::LIMITS, http: HttpOptions::default(), tls: None, pages: Router::new() }
    }
}

impl Server {
    /// A busy machine reaches none of them.
    pub const LIMITS: ConnectionLimits = ConnectionLimits {
        max_connections: 64,
        max_per_address: 64,
        header_timeout: Duration::from_mins(1),
        shutdown_timeout: Duration::from_mins(1),
    };

    pub async fn start(app: App) -> Server {
        Server::start_with(app, Server::LIMITS).await
    }

    pub async fn start_with(app: App, limits: ConnectionLimits) -> Server {
        Server::start_as(app, Setup { limits, ..Setup::default() }).await
    }

    pub async fn start_as(app: App, Setup { limits, http, tls, pages }: Setup) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let vault = app::Vault::new(&crate::SERVER_KEY).unwrap();
        let pages = console::build_router(app.clone(), vault.clone()).merge(pages);
        let http = Arc::new(http);
        let state = ServerState::new(app, vault, recorder(), Arc::clone(&http));
        let stopping = state.stopping.clone();
        let shell = HttpServer::new(api::build_server_router(state, pages), http, limits, tls);
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(async move {
            let asked = async move { drop(stopped.await) };
            api::serve_http(listener, shell, asked).await
        });
        Server { address, stopping, stop, served }
    }

    /// Asks it to stop; says whether everything under way could end.
    pub async fn stop(self) -> bool {
        let _ = self.stop.send(());
        self.served.await.unwrap()
    }

    /// Sends these bytes and reads the answer to its end.
    pub async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// Status line, headers and body of a plain GET.
    pub async fn get(&self, path: &str) -> String {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await
    }

    /// Status line, headers and body of a form that a browser sends.
    pub async fn post_form(&self, path: &str, form: &str) -> String {
        let kind = "application/x-www-form-urlencoded";
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n\
             Content-Length: {}\r\n\r\n{form}",
            form.len()
        ))
        .await
    }
}

/// One recorder for the process: the servers of all its tests share it, so what it shows is nobody's alone.
fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(|| PrometheusBuilder::new().install_recorder().unwrap()).clone()
}
