//! A response body that keeps its connection busy until it was handed over. Bytes that the client has not yet received
//! after that are tracked by `stall.rs`.

use super::connections::ActiveRequestGuard;
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

pub struct AnswerBody {
    body: Body,
    _request: ActiveRequestGuard,
}

impl AnswerBody {
    pub fn new(body: Body, request: ActiveRequestGuard) -> AnswerBody {
        AnswerBody { body, _request: request }
    }
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
