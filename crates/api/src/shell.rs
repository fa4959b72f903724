//! The accept loop. `axum::serve` has no limit on how long a caller may take over his headers nor on how many come at
//! once; this has both, and ends what is under way before it stops.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub max_connections: usize,
    /// How long a caller may take to send his headers.
    pub header_timeout: Duration,
    /// How long requests under way may take to end once the server was asked to stop.
    pub shutdown_timeout: Duration,
}

/// Serves until `stop` is ready, then until what is under way has ended. `false` where some had to be cut off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> bool {
    let places = Arc::new(Semaphore::new(limits.max_connections));
    let graceful = GracefulShutdown::new();
    // HTTP/1 alone: telling the versions apart by their first bytes has no time limit.
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout);
    let mut stop = std::pin::pin!(stop);
    loop {
        // A place first: who comes when all are taken waits in the system's queue.
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place.expect("the places are never closed"),
            () = &mut stop => break,
        };
        let stream = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    tokio::time::timeout(limits.shutdown_timeout, graceful.shutdown()).await.is_ok()
}

/// The next connection. Running out of file handles passes; it is waited for, not a reason to end.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
