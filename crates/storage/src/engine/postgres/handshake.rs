//! The start of a connection: negotiates encryption and prevents passwords from being sent in clear.
//!
//! The driver supports neither. With "direct" negotiation it passes the raw stream to its TLS connector, so this
//! connector sends the TLS request itself. It returns an encrypted stream, or a plain one that is watched until the
//! server has accepted the credentials.

use super::password_guard::PasswordGuard;
use crate::engine::TransportProtection;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptionMode {
    /// A Unix socket: servers offer no TLS there.
    Unavailable,
    /// Disabled by the address.
    Declined,
    /// If the server offers it.
    Preferred,
    Required,
    /// From the first byte, without a TLS request.
    Immediate,
}

/// The TLS request: its length, and a reserved protocol version.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F];
const TLS_GRANTED: u8 = b'S';

#[derive(Clone)]
pub struct ServerHandshake {
    tls: MakeRustlsConnect,
    encryption: EncryptionMode,
    /// The server offered no TLS, and it was not required.
    fell_back: Arc<AtomicBool>,
}

impl ServerHandshake {
    pub fn new(tls: MakeRustlsConnect, encryption: EncryptionMode) -> ServerHandshake {
        ServerHandshake { tls, encryption, fell_back: Arc::default() }
    }

    /// The protection of the most recent connection.
    pub fn protection(&self) -> TransportProtection {
        match self.encryption {
            EncryptionMode::Unavailable => TransportProtection::Socket,
            EncryptionMode::Declined => TransportProtection::PlainByChoice,
            EncryptionMode::Preferred if self.fell_back.load(Ordering::Relaxed) => {
                TransportProtection::PlainLoopback
            }
            EncryptionMode::Preferred | EncryptionMode::Required | EncryptionMode::Immediate => {
                TransportProtection::Tls
            }
        }
    }
}

type RustlsConnect = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
type RustlsStream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

impl MakeTlsConnect<Socket> for ServerHandshake {
    type Stream = ServerStream;
    type TlsConnect = HostHandshake;
    type Error = Infallible;

    fn make_tls_connect(&mut self, host: &str) -> Result<HostHandshake, Infallible> {
        let tls = MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, host)?;
        Ok(HostHandshake { tls, encryption: self.encryption, fell_back: Arc::clone(&self.fell_back) })
    }
}

pub struct HostHandshake {
    tls: RustlsConnect,
    encryption: EncryptionMode,
    fell_back: Arc<AtomicBool>,
}

impl HostHandshake {
    async fn run(self, mut socket: Socket) -> io::Result<ServerStream> {
        let is_encrypted = match self.encryption {
            EncryptionMode::Unavailable | EncryptionMode::Declined => false,
            EncryptionMode::Immediate => true,
            EncryptionMode::Required | EncryptionMode::Preferred => request_tls(&mut socket).await?,
        };
        if !is_encrypted && self.encryption == EncryptionMode::Required {
            return Err(io::Error::other("the server offers no TLS"));
        }
        self.fell_back.store(!is_encrypted, Ordering::Relaxed);
        match is_encrypted {
            true => Ok(ServerStream::Encrypted(Box::new(self.tls.connect(socket).await?))),
            false => Ok(ServerStream::Plain(PasswordGuard::new(socket))),
        }
    }
}

/// Whether the server accepts TLS. Reads exactly one byte: the next ones belong to the TLS handshake.
async fn request_tls(socket: &mut Socket) -> io::Result<bool> {
    socket.write_all(&TLS_REQUEST).await?;
    socket.flush().await?;
    Ok(socket.read_u8().await? == TLS_GRANTED)
}

impl TlsConnect<Socket> for HostHandshake {
    type Stream = ServerStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<ServerStream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(self.run(socket))
    }
}

pub enum ServerStream {
    Encrypted(Box<RustlsStream>),
    Plain(PasswordGuard<Socket>),
}

impl TlsStream for ServerStream {
    fn channel_binding(&self) -> ChannelBinding {
        match self {
            ServerStream::Encrypted(stream) => stream.channel_binding(),
            ServerStream::Plain(_) => ChannelBinding::none(),
        }
    }
}

impl AsyncRead for ServerStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ServerStream::Encrypted(stream) => Pin::new(stream).poll_read(context, into),
            ServerStream::Plain(stream) => Pin::new(stream).poll_read(context, into),
        }
    }
}

impl AsyncWrite for ServerStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            ServerStream::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
            ServerStream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ServerStream::Encrypted(stream) => Pin::new(stream).poll_flush(context),
            ServerStream::Plain(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ServerStream::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
            ServerStream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
