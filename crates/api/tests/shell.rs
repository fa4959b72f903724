//! The shell as a caller meets it: health, refusals in plain text, limits, and a stop that cuts nobody off.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use std::time::Duration;
use testkit::{Server, World, both_engines, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[both_engines]
async fn a_server_is_alive_and_ready_and_measures(world: World) {
    let server = Server::start(world.app().clone()).await;
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200 OK"));
    assert!(server.get("/readyz").await.ends_with("pronto\n"));
    app::presence::beat(world.app(), "prova", "0").await.unwrap();
    let metrics = server.get("/metrics").await;
    assert!(
        metrics.contains("amparo_http_requests_total{route=\"/healthz\",method=\"GET\",status=\"200\"} 1"),
        "{metrics}"
    );
    assert!(metrics.contains("amparo_unit_seconds"), "{metrics}");
    assert!(server.get("/").await.contains("Amparo está no ar"));
    assert!(server.stop().await);
}

#[both_engines]
async fn a_server_whose_database_is_gone_is_alive_but_not_ready(world: World) {
    let app = world.app().clone();
    app.db.close().await;
    let server = Server::start(app).await;
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200 OK"));
    let answer = server.get("/readyz").await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("content-type: text/plain; charset=utf-8"), "{answer}");
    server.stop().await;
}

#[both_engines]
async fn refusals_of_the_shell_are_plain_text_in_portuguese(world: World) {
    let server = Server::start(world.app().clone()).await;
    let unknown = server.get("/nada?cpf=123").await;
    assert!(unknown.starts_with("HTTP/1.1 404"), "{unknown}");
    assert!(
        unknown.contains("content-type: text/plain; charset=utf-8") && unknown.contains("não existe"),
        "{unknown}"
    );
    let method = server.raw("DELETE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(method.starts_with("HTTP/1.1 405"), "{method}");
    assert!(method.to_lowercase().contains("allow: get,head") && method.contains("não aceita"), "{method}");
    let metrics = server.get("/metrics").await;
    assert!(!metrics.contains("nada") && !metrics.contains("cpf"), "a path is never written down: {metrics}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_dawdles_over_his_headers_is_cut_off() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let limits = api::Limits { header_timeout: Duration::from_millis(50), ..Server::LIMITS };
    let server = Server::start_with(world.app().clone(), limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost:").await.unwrap();
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut undecided = TcpStream::connect(server.address).await.unwrap();
    undecided.write_all(b"PRI * HT").await.unwrap();
    for stream in [&mut stream, &mut silent, &mut undecided] {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_all_places_are_taken_the_next_caller_waits_for_one() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let limits = api::Limits { max_connections: 1, ..Server::LIMITS };
    let server = Server::start_with(world.app().clone(), limits).await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    first.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut byte = [0];
    first.read_exact(&mut byte).await.unwrap();
    let second = tokio::spawn({
        let address = server.address;
        async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        }
    });
    assert!(!second.is_finished());
    drop(first);
    assert!(second.await.unwrap().starts_with("HTTP/1.1 200"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_idle_connections_and_takes_no_new_ones() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let server = Server::start(world.app().clone()).await;
    let address = server.address;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut byte = [0];
    idle.read_exact(&mut byte).await.unwrap();
    assert!(server.stop().await, "nothing had to be cut off");
    until("the port is closed", || async { TcpStream::connect(address).await.is_err() }).await;
}
