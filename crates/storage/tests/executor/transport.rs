//! The way to a server: encrypted and verified, or refused, and never a password in clear.

use rustls_server::accept;
use std::sync::{Arc, Mutex};
use storage::{DatabaseAddress, DatabaseOptions, OpenError, SchemaPolicy, TransportProtection};
use testkit::{Database, Engine, until};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// What a client says first where it wants TLS.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F];

/// What a server was sent behind its question for the password, connection by connection.
type Heard = Arc<Mutex<Vec<Vec<u8>>>>;

/// A server without TLS that asks for the password in clear.
async fn asking_for_a_clear_password() -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = Heard::default();
    let ears = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let ears = Arc::clone(&ears);
            tokio::spawn(async move {
                let mut first = startup(&mut client).await;
                if first.as_deref() == Some(&TLS_REQUEST[4..]) {
                    client.write_all(b"N").await.unwrap();
                    first = startup(&mut client).await;
                }
                let mut rest = Vec::new();
                if first.is_some() {
                    client.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).await.unwrap();
                    let _ = client.read_to_end(&mut rest).await;
                }
                ears.lock().unwrap().push(rest);
            });
        }
    });
    (port, heard)
}

/// A message without a kind: the first of a connection. None where the client leaves instead.
async fn startup(client: &mut TcpStream) -> Option<Vec<u8>> {
    let length = client.read_u32().await.ok()? as usize;
    let mut body = vec![0; length - 4];
    client.read_exact(&mut body).await.ok()?;
    Some(body)
}

/// Every connection that the server saw has ended, and it was told nothing on any.
async fn heard_nothing(heard: &Heard) {
    until("the client has left", || async { !heard.lock().unwrap().is_empty() }).await;
    let heard = heard.lock().unwrap();
    assert!(heard.iter().all(Vec::is_empty), "{heard:?}");
}

mod no_password_leaves_in_clear {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        for mode in ["", "?sslmode=prefer", "?sslmode=disable"] {
            let (port, heard) = asking_for_a_clear_password().await;
            let address = format!("postgres://amparo:segredo-pg@127.0.0.1:{port}/amparo{mode}");
            let address = DatabaseAddress::parse(&address).unwrap();
            let refused =
                storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Inspect)
                    .await
                    .err();
            let Some(OpenError::Unreachable { cause, .. }) = refused else { panic!("{mode}: {refused:?}") };
            assert!(cause.contains("password in clear text"), "{mode}: {cause}");
            assert!(!cause.contains("segredo"), "{cause}");
            heard_nothing(&heard).await;
        }
    }
}

mod a_server_without_tls_is_refused_where_it_is_required {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let (port, heard) = asking_for_a_clear_password().await;
            let address = format!("postgres://amparo:segredo-pg@127.0.0.1:{port}/amparo?sslmode={mode}");
            let address = DatabaseAddress::parse(&address).unwrap();
            let refused =
                storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Inspect)
                    .await
                    .err();
            let Some(OpenError::Unreachable { cause, .. }) = refused else { panic!("{mode}: {refused:?}") };
            assert!(cause.contains("offers no TLS"), "{mode}: {cause}");
            heard_nothing(&heard).await;
        }
    }
}

/// A way to the test's server by TCP, with TLS or without.
async fn by_tcp(database: &Database, tls: Option<rustls_server::Identity>) -> String {
    let config: tokio_postgres::Config = database.address_text().parse().unwrap();
    let tokio_postgres::config::Host::Unix(folder) = &config.get_hosts()[0] else { panic!("a socket") };
    let socket = folder.join(".s.PGSQL.5432");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let (socket, tls) = (socket.clone(), tls.clone());
            tokio::spawn(async move {
                let mut first = [0; 8];
                near.read_exact(&mut first).await.unwrap();
                let far = UnixStream::connect(&socket).await.unwrap();
                match tls {
                    Some(tls) => {
                        assert_eq!(first, TLS_REQUEST, "nothing is said before TLS");
                        near.write_all(b"S").await.unwrap();
                        // A client that does not trust us leaves.
                        if let Ok(near) = accept(&tls, near).await {
                            pass_on(near, far, &[]).await;
                        }
                    }
                    None if first == TLS_REQUEST => {
                        near.write_all(b"N").await.unwrap();
                        pass_on(near, far, &[]).await;
                    }
                    None => pass_on(near, far, &first).await,
                }
            });
        }
    });
    format!("{port}/{}", config.get_dbname().unwrap())
}

async fn pass_on(mut near: impl AsyncRead + AsyncWrite + Unpin, mut far: UnixStream, first: &[u8]) {
    far.write_all(first).await.unwrap();
    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
}

mod the_protection_in_use_is_told {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let protection = async |address: &str, options: &DatabaseOptions| {
            let address = DatabaseAddress::parse(address).unwrap();
            let (db, _) = storage::open_database(&address, options, SchemaPolicy::Inspect).await?;
            // What is cancelled takes the same way.
            db.ping().await.unwrap();
            let protection = db.transport_protection();
            db.close().await;
            Ok::<_, OpenError>(protection)
        };
        let options = DatabaseOptions::default();
        let socket = protection(database.address_text(), &options).await.unwrap();
        assert_eq!(socket, TransportProtection::Socket);
        let plain = by_tcp(&database, None).await;
        let loopback = protection(&format!("postgres://amparo@127.0.0.1:{plain}"), &options).await.unwrap();
        assert_eq!(loopback, TransportProtection::PlainLoopback);
        let chosen = format!("postgres://amparo@127.0.0.1:{plain}?sslmode=disable");
        assert_eq!(protection(&chosen, &options).await.unwrap(), TransportProtection::PlainByChoice);
        let (identity, authority) = rustls_server::identity("localhost");
        let encrypted = by_tcp(&database, Some(identity)).await;
        let trusting =
            DatabaseOptions { ca_file: Some(authority.path().to_owned()), ..DatabaseOptions::default() };
        for mode in ["", "?sslmode=require", "?sslmode=verify-ca", "?sslmode=verify-full"] {
            let address = format!("postgres://amparo@localhost:{encrypted}{mode}");
            assert_eq!(protection(&address, &trusting).await.unwrap(), TransportProtection::Tls, "{mode}");
            // Neither a name that is not in the certificate is trusted, nor an authority that nobody named.
            let other = format!("postgres://amparo@127.0.0.1:{encrypted}{mode}");
            assert!(protection(&other, &trusting).await.is_err(), "{mode}");
            assert!(protection(&address, &options).await.is_err(), "{mode}");
        }
    }
}

mod several_hosts_are_tried_in_their_order {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let database = Database::fresh(Engine::Postgres).await;
        let plain = by_tcp(&database, None).await;
        let (port, name) = plain.split_once('/').unwrap();
        let (trap, heard) = asking_for_a_clear_password().await;
        let hosts = format!("127.0.0.1:{trap},127.0.0.1:{port}");
        let address = format!("postgres://amparo:segredo-pg@{hosts}/{name}?target_session_attrs=read-write");
        let address = DatabaseAddress::parse(&address).unwrap();
        let (db, _) = storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Inspect)
            .await
            .unwrap();
        db.ping().await.unwrap();
        assert_eq!(db.transport_protection(), TransportProtection::PlainLoopback);
        heard_nothing(&heard).await;
        db.close().await;
    }
}

/// A server's side of TLS, with a certificate of its own authority.
mod rustls_server {
    use std::io::Write;
    use std::sync::Arc;
    use tokio::net::TcpStream;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    use tokio_rustls::server::TlsStream;

    pub type Identity = Arc<ServerConfig>;

    /// One for a host name, and the file of the authority that vouches for it.
    pub fn identity(host: &str) -> (Identity, tempfile::NamedTempFile) {
        let made = rcgen::generate_simple_self_signed([host.to_owned()]).unwrap();
        let mut authority = tempfile::NamedTempFile::new().unwrap();
        authority.write_all(made.cert.pem().as_bytes()).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        (Arc::new(config), authority)
    }

    pub async fn accept(identity: &Identity, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(Arc::clone(identity)).accept(stream).await
    }
}
