//! Closes connections whose peer stops receiving the answer for `http.body_timeout`, so that they do not hold a slot.

use super::connections::ConnectionActivity;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream with a time limit on stalled writes.
pub struct StallTimeoutStream<S> {
    stream: S,
    stall_timeout: Duration,
    /// Runs while a write is pending.
    waiting: Option<Pin<Box<Sleep>>>,
    /// Records from the first write to the end of the flush that an answer is leaving: more of it may wait above this
    /// stream between two writes.
    activity: Arc<ConnectionActivity>,
}

impl<S> StallTimeoutStream<S> {
    pub fn new(
        stream: S,
        stall_timeout: Duration,
        activity: Arc<ConnectionActivity>,
    ) -> StallTimeoutStream<S> {
        StallTimeoutStream { stream, stall_timeout, waiting: None, activity }
    }

    fn check_progress<T>(&mut self, context: &mut Context<'_>, wrote: Poll<Result<T>>) -> Poll<Result<T>> {
        if wrote.is_ready() {
            self.waiting = None;
            return wrote;
        }
        let until = Instant::now() + self.stall_timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => {
                Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the answer is not taken up")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.activity.set_sending(true);
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_progress(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.activity.set_sending(true);
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.check_progress(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.activity.set_sending(flushed.is_pending());
        self.check_progress(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.activity.set_sending(shut.is_pending());
        self.check_progress(context, shut)
    }
}
