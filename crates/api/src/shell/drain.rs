//! The rest of a body that nobody read. Where the connection is closed over it, the sender gets a reset and never sees why
//! he was refused; so some of it is read and thrown away first.

use axum::body::Body;
use axum::http::{Request, header};
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tower_http::timeout::TimeoutBody;

/// How much is read for nothing, and for how long.
const MOST: usize = 8 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(2);

/// A body that stays within reach after whoever was given it has dropped it.
struct Watched(Arc<Mutex<Incoming>>);

/// What is left of it.
pub struct Rest(Option<Arc<Mutex<Incoming>>>);

/// The request with a body that may not dawdle, and what will be left of it.
pub fn watched(request: Request<Incoming>, patience: Duration) -> (Request<Body>, Rest) {
    if request.body().is_end_stream() {
        return (request.map(|_| Body::empty()), Rest(None));
    }
    // Who waits to be told to go on is told the answer instead.
    let waits = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let body = Arc::new(Mutex::new(body));
    let rest = Rest((!waits).then(|| Arc::clone(&body)));
    (Request::from_parts(parts, Body::new(TimeoutBody::new(patience, Watched(body)))), rest)
}

impl Watched {
    fn inner<T>(&self, look: impl FnOnce(Pin<&mut Incoming>) -> T) -> T {
        look(Pin::new(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl hyper::body::Body for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.inner(|body| body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.inner(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.inner(|body| body.size_hint())
    }
}

impl Rest {
    pub async fn drain(self) {
        let Some(body) = self.0 else { return };
        let mut body = Watched(body);
        let read = async {
            let mut seen = 0;
            while seen < MOST {
                let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
                let Some(Ok(frame)) = frame else { break };
                seen += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        let _ = tokio::time::timeout(LONGEST, read).await;
    }
}
