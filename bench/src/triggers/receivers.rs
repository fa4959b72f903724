//! Receivers in this process: they take whatever comes, and one may be told to answer nothing.

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::net::TcpListener;

pub struct Receiver {
    pub address: SocketAddr,
    pub taken: AtomicU64,
    /// Whether it takes connections and messages, and never answers.
    pub is_dead: AtomicBool,
    /// When which record came, where somebody wants to know.
    pub arrivals: Mutex<Option<Vec<(i64, Instant)>>>,
}

impl Receiver {
    pub async fn listen() -> std::io::Result<Arc<Receiver>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let receiver = Arc::new(Receiver {
            address: listener.local_addr()?,
            taken: AtomicU64::new(0),
            is_dead: AtomicBool::new(false),
            arrivals: Mutex::new(None),
        });
        let own = Arc::clone(&receiver);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (own, _) = (Arc::clone(&own), stream.set_nodelay(true));
                let service = service_fn(move |request| Arc::clone(&own).take(request));
                let connection = hyper::server::conn::http1::Builder::new();
                tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
            }
        });
        Ok(receiver)
    }

    async fn take(
        self: Arc<Receiver>,
        request: Request<Incoming>,
    ) -> Result<Response<Empty<Bytes>>, Infallible> {
        let came = Instant::now();
        let body =
            request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        if self.is_dead.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if let Some(arrivals) = self.arrivals.lock().expect("nobody panics").as_mut() {
            arrivals.push((record(&body), came));
        }
        self.taken.fetch_add(1, Ordering::Relaxed);
        let mut answer = Response::new(Empty::new());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        Ok(answer)
    }
}

/// The number of the record that a message speaks of.
fn record(body: &[u8]) -> i64 {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let digits = text.split("\"id\":").nth(1).unwrap_or_default();
    let end = digits.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(0)
}
