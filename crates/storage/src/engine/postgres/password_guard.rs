//! A plain stream that never sends a password in clear: if the server requests one, the connection is closed before
//! the driver sees the request. Challenges (MD5, SCRAM) pass.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub struct PasswordGuard<S> {
    stream: S,
    /// `None` once the server has accepted the credentials.
    watch: Option<AuthenticationWatch>,
}

impl<S> PasswordGuard<S> {
    pub fn new(stream: S) -> PasswordGuard<S> {
        PasswordGuard { stream, watch: Some(AuthenticationWatch::default()) }
    }
}

/// Parses the server's messages: one byte type, four bytes length (including itself), then the body.
#[derive(Default)]
struct AuthenticationWatch {
    head: Vec<u8>,
    /// Bytes left of a message whose header has been read.
    rest: usize,
}

const AUTHENTICATION: u8 = b'R';
const ACCEPTED: [u8; 4] = [0, 0, 0, 0];
const CLEAR_PASSWORD: [u8; 4] = [0, 0, 0, 3];

impl AuthenticationWatch {
    /// Inspects incoming bytes in pieces of any size. Returns whether authentication is complete.
    fn inspect(&mut self, mut bytes: &[u8]) -> io::Result<bool> {
        while let Some((first, others)) = bytes.split_first() {
            if self.rest > 0 {
                let skipped = self.rest.min(bytes.len());
                self.rest -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head.push(*first);
            bytes = others;
            if self.judge_head()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn judge_head(&mut self) -> io::Result<bool> {
        let Some((kind, length)) = self
            .head
            .split_first_chunk::<5>()
            .map(|([kind, a, b, c, d], _)| (*kind, u32::from_be_bytes([*a, *b, *c, *d]) as usize))
        else {
            return Ok(false);
        };
        let known = if kind == AUTHENTICATION { 8 } else { 4 };
        if self.head.len() < known + 1 {
            return Ok(false);
        }
        self.rest = length.checked_sub(known).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "the server sent a message shorter than its head")
        })?;
        let code = self.head.get(5..9).map(<[u8]>::to_vec);
        self.head.clear();
        match code.as_deref() {
            Some(code) if code == CLEAR_PASSWORD => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the server asks for the password in clear text over a connection that is not encrypted",
            )),
            Some(code) => Ok(code == ACCEPTED),
            None => Ok(false),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PasswordGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, into);
        if let Some(watch) = &mut self.watch
            && matches!(read, Poll::Ready(Ok(())))
            && watch.inspect(&into.filled()[before..])?
        {
            self.watch = None;
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PasswordGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    /// The result of the watch for bytes that arrive in pieces of a given size.
    fn watched(bytes: &[u8], piece: usize) -> io::Result<bool> {
        let mut watch = AuthenticationWatch::default();
        for chunk in bytes.chunks(piece) {
            if watch.inspect(chunk)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[test]
    fn a_question_for_the_password_in_clear_is_seen_in_whatever_pieces_it_comes() {
        let notice = message(b'N', b"SNOTICE\0Mhello R\0\0\0\x08\0\0\0\x03\0\0");
        let clear = message(b'R', &[0, 0, 0, 3]);
        let challenge = message(b'R', &[0, 0, 0, 5, 1, 2, 3, 4]);
        let scram = message(b'R', b"\0\0\0\x0ASCRAM-SHA-256\0\0");
        let accepted = message(b'R', &[0, 0, 0, 0]);
        for piece in 1..40 {
            let asks = [&notice[..], &clear].concat();
            assert!(watched(&asks, piece).is_err(), "{piece}");
            let asks_late = [&scram[..], &clear].concat();
            assert!(watched(&asks_late, piece).is_err(), "{piece}");
            for fair in [&challenge, &scram] {
                assert!(!watched(&[&notice[..], fair].concat(), piece).unwrap(), "{piece}");
                assert!(watched(&[&notice[..], fair, &accepted, &clear].concat(), piece).unwrap(), "{piece}");
            }
        }
        assert!(watched(&[b'R', 0, 0, 0, 7, 0, 0, 0, 3], 9).is_err(), "a length that cannot be");
        assert!(watched(&[b'N', 0, 0, 0, 3], 1).is_err());
    }
}
