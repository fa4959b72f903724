//! TLS from files: what is shown is what lies there, also after it was renewed under a running server.

use api::ReloadableTls;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use testkit::{Engine, Server, Setup, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Writes a fresh certificate for `localhost`; gives what a caller must trust to see it.
fn certify(folder: &Path) -> RootCertStore {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    roots
}

async fn call(server: &Server, roots: &RootCertStore) -> std::io::Result<String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots.clone()).with_no_client_auth();
    let stream = TcpStream::connect(server.address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut answer = String::new();
    // Whether the other side says goodbye before it closes is not what is asked here.
    let _ = stream.read_to_string(&mut answer).await;
    Ok(answer)
}

#[testkit::test]
async fn a_renewed_certificate_is_shown_without_a_restart_and_a_broken_one_never() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let old = certify(folder.path());
    let tls = ReloadableTls::from_files(&path("cert.pem"), &path("key.pem")).unwrap();
    let world = World::hostile(Engine::Sqlite).await;
    let setup = Setup { tls: Some(tls.clone()), ..Setup::default() };
    let server = Server::start_as(world.app().clone(), setup).await;
    assert!(call(&server, &old).await.unwrap().starts_with("HTTP/1.1 200"));
    assert!(!tls.reload_if_changed().unwrap(), "nothing changed");

    let new = certify(folder.path());
    testkit::until("the change shows", || async { tls.reload_if_changed().unwrap() }).await;
    assert!(call(&server, &new).await.unwrap().starts_with("HTTP/1.1 200"));
    assert!(call(&server, &old).await.is_err());

    std::fs::write(path("key.pem"), "isto não é uma chave").unwrap();
    assert!(tls.reload_if_changed().is_err());
    assert!(call(&server, &new).await.unwrap().starts_with("HTTP/1.1 200"), "the old one stays in force");
    // Somebody who says nothing, and somebody who does not speak TLS, keep nobody else out.
    let silent = TcpStream::connect(server.address).await.unwrap();
    assert!(!server.get("/healthz").await.contains("200 OK"));
    assert!(call(&server, &new).await.unwrap().starts_with("HTTP/1.1 200"));
    // A server that stops would wait for it.
    drop(silent);
    server.stop().await;
}
