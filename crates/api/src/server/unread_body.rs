//! The unread rest of a request body. Closing the connection over it would reset it, and the sender would never see the
//! refusal; so part of it is read and discarded first.

use axum::body::Body;
use axum::http::{Request, header};
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tower_http::timeout::TimeoutBody;

/// How many bytes are discarded, and for how long.
const DRAINED_BYTES: usize = 8 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A body that stays accessible after its reader has dropped it.
struct RetainedBody {
    body: Arc<Mutex<Incoming>>,
    /// Whether reading has started.
    is_begun: Arc<AtomicBool>,
}

/// The unread rest of a body.
pub struct BodyRemainder {
    watched: Option<RetainedBody>,
    /// The sender waits for `100 Continue`, which reading the body sends.
    waits: bool,
}

/// Returns the request with a time limit on its body, and a handle to the unread rest.
pub fn retain_body(request: Request<Incoming>, timeout: Duration) -> (Request<Body>, BodyRemainder) {
    if request.body().is_end_stream() {
        return (request.map(|_| Body::empty()), BodyRemainder { watched: None, waits: false });
    }
    let waits = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let (body, is_begun) = (Arc::new(Mutex::new(body)), Arc::new(AtomicBool::new(false)));
    let watched = RetainedBody { body: Arc::clone(&body), is_begun: Arc::clone(&is_begun) };
    let unread = BodyRemainder { watched: Some(RetainedBody { body, is_begun }), waits };
    (Request::from_parts(parts, Body::new(TimeoutBody::new(timeout, watched))), unread)
}

impl RetainedBody {
    fn with_inner<T>(&self, look: impl FnOnce(Pin<&mut Incoming>) -> T) -> T {
        look(Pin::new(&mut *self.body.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl hyper::body::Body for RetainedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_begun.store(true, Ordering::Relaxed);
        self.with_inner(|body| body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.with_inner(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with_inner(|body| body.size_hint())
    }
}

impl BodyRemainder {
    pub async fn drain(self) {
        let Some(mut body) = self.watched else { return };
        // A sender that still waits for `100 Continue` gets the answer instead.
        if self.waits && !body.is_begun.load(Ordering::Relaxed) {
            return;
        }
        let read = async {
            let mut drained = 0;
            while drained < DRAINED_BYTES {
                let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
                let Some(Ok(frame)) = frame else { break };
                drained += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, read).await;
    }
}
