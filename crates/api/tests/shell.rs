//! The shell as a caller meets it: health, refusals in plain text, limits, and a stop that cuts nobody off.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use domain::TenantId;
use std::time::Duration;
use storage::{Lane, sql};
use testkit::{Database, Server, World, both_engines, until};
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

/// Makes the database refuse to write, as far as the next write can tell.
async fn refuse_writes(world: &World) {
    let address = world.database.address_text();
    match world.database.engine {
        testkit::Engine::Sqlite => {
            let full = world
                .db()
                .write(Lane::of(world.here), (), |tx, ()| Box::pin(tx.all(sql("PRAGMA max_page_count = 1"))));
            full.await.unwrap();
        }
        testkit::Engine::Postgres => {
            let (_, name) = address.rsplit_once('/').unwrap();
            let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
            Database::statement(address, &demote).await;
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()";
            Database::statement(address, end).await;
        }
    }
}

async fn accept_writes(world: &World) {
    let address = world.database.address_text();
    match world.database.engine {
        testkit::Engine::Sqlite => {
            let room = world.db().write(Lane::of(world.here), (), |tx, ()| {
                Box::pin(tx.all(sql("PRAGMA max_page_count = 1000000")))
            });
            room.await.unwrap();
        }
        testkit::Engine::Postgres => {
            let (server, name) = address.rsplit_once('/').unwrap();
            let promote = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
            Database::statement(&format!("{server}/postgres"), &promote).await;
        }
    }
}

/// A write that needs room.
async fn write_something_large(app: &app::App) -> Result<(), storage::Error> {
    let unit = app.db.write(Lane::of(TenantId::SERVER), "x".repeat(2_000_000), |tx, text| {
        let large =
            sql("INSERT INTO processes (process, version, started_at, seen_at) VALUES ('large', $1, 0, 0)");
        let large = large.arg(text.as_str());
        Box::pin(async move { tx.execute(large).await.map(drop) })
    });
    unit.await
}

#[both_engines]
async fn a_server_whose_database_refuses_to_write_is_not_ready_until_it_does_not(world: World) {
    let app = world.processes()[0].clone();
    let server = Server::start(app.clone()).await;
    assert!(server.get("/readyz").await.starts_with("HTTP/1.1 200"));
    refuse_writes(&world).await;
    // What a real write meets is known at once.
    assert!(write_something_large(&app).await.is_err());
    let answer = server.get("/readyz").await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("text/plain; charset=utf-8"), "{answer}");
    let why = match world.database.engine {
        testkit::Engine::Sqlite => "está cheio",
        testkit::Engine::Postgres => "só aceita leituras",
    };
    assert!(answer.contains(why) && !answer.contains("tente de novo"), "{answer}");
    assert!(server.get("/metrics").await.contains("amparo_database_writable 0"));
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
    accept_writes(&world).await;
    // The sign of life tells that it works again.
    until("it is ready again", || async {
        let _ = app::presence::beat(&app, "prova", "0").await;
        server.get("/readyz").await.starts_with("HTTP/1.1 200")
    })
    .await;
    assert!(server.get("/metrics").await.contains("amparo_database_writable 1"));
    server.stop().await;
}

mod a_caller_of_a_database_that_is_read_only_is_told_so_with_503 {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn postgres() {
        let world = World::hostile(testkit::Engine::Postgres).await;
        let server = Server::start(world.processes()[0].clone()).await;
        refuse_writes(&world).await;
        let basic = testkit::basic(&world.operator.email, testkit::PASSWORD);
        let login = format!(
            "POST /ext/autenticacao HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {basic}\r\nContent-Length: 0\r\n\r\n"
        );
        let answer = server.raw(&login).await;
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("só aceita leituras"), "{answer}");
        accept_writes(&world).await;
        until("the caller is served", || async { server.raw(&login).await.starts_with("HTTP/1.1 200") })
            .await;
        server.stop().await;
    }
}

/// A write that hangs, as behind a standby that has frozen: nothing fails, and nothing is confirmed.
#[both_engines]
async fn a_write_that_nobody_confirms_is_not_ready(world: World) {
    let server = Server::start(world.app().clone()).await;
    world.processes().iter().for_each(|app| app.db.report_unconfirmed_write());
    let answer = server.get("/readyz").await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("não confirma"), "{answer}");
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
