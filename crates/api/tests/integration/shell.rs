//! The shell as a caller meets it: health, refusals in plain text, limits, and a stop that cuts nobody off.

use crate::calls::Calls;
use axum::Router;
use axum::routing::get;
use domain::TenantId;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use storage::{WriteLane, sql};
use testkit::{Database, Server, Setup, World, both_engines, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Notify;

#[both_engines]
async fn a_server_is_alive_and_ready_and_measures(world: World) {
    // All servers of the process are measured together: this path is nobody else's.
    let path = format!("/medida/{:?}", world.database.engine);
    let pages = Router::new().route(&path, get(async || "medida"));
    let server = Server::start_as(world.app().clone(), Setup { pages, ..Setup::default() }).await;
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200 OK"));
    assert!(server.get("/readyz").await.ends_with("pronto\n"));
    assert!(server.get(&path).await.ends_with("medida"));
    app::upkeep::presence::record_heartbeat(world.app(), "prova", "0").await.unwrap();
    let metrics = server.get("/metrics").await;
    let counted = format!("amparo_http_requests_total{{route=\"{path}\",method=\"GET\",status=\"200\"}} 1\n");
    assert!(metrics.contains(&counted), "{metrics}");
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
            let full = world.db().write(WriteLane::foreground(world.here), (), |tx, ()| {
                Box::pin(tx.fetch_all(sql("PRAGMA max_page_count = 1")))
            });
            full.await.unwrap();
        }
        testkit::Engine::Postgres => {
            let (_, name) = address.rsplit_once('/').unwrap();
            let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
            Database::statement(address, &demote).await;
            let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()";
            Database::statement(address, end).await;
            // Every connection that is shared by small reads is found ended, and replaced.
            for app in world.processes() {
                for _ in 0..16 {
                    let _ = app.db.ping().await;
                }
            }
        }
    }
}

async fn accept_writes(world: &World) {
    let address = world.database.address_text();
    match world.database.engine {
        testkit::Engine::Sqlite => {
            let room = world.db().write(WriteLane::foreground(world.here), (), |tx, ()| {
                Box::pin(tx.fetch_all(sql("PRAGMA max_page_count = 1000000")))
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
    let unit = app.db.write(WriteLane::foreground(TenantId::SERVER), "x".repeat(2_000_000), |tx, text| {
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
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
    accept_writes(&world).await;
    // The sign of life tells that it works again.
    until("it is ready again", || async {
        let _ = app::upkeep::presence::record_heartbeat(&app, "prova", "0").await;
        server.get("/readyz").await.starts_with("HTTP/1.1 200")
    })
    .await;
    server.stop().await;
}

/// The file of the access log is damaged: nothing personal is shown, and what was written before is not lost.
#[testkit::test]
async fn without_its_access_log_a_server_shows_nothing_personal() {
    let calls = Calls::on(World::hostile(testkit::Engine::Sqlite).await).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", serde_json::json!({})).await;
    let world = calls.world;
    for app in world.processes() {
        app.db.close().await;
    }
    let file = world.database.folder().unwrap().join("amparo.db.activity");
    std::fs::write(&file, "not a database").unwrap();
    let app = app::App { db: world.database.open().await, ..world.processes()[0].clone() };
    let server = Server::start(app.clone()).await;
    let entered = server.enter(&world.administrator.email, testkit::PASSWORD).await;
    let token = entered.json()["authorizationToken"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let get = async |path: &str| server.send("GET", path, &[("Authorization", &bearer)], b"").await;
    for path in
        ["/ext/beneficio/lista", "/ext/associado?placa=ABC1D23", "/gestao/auditoria", "/gestao/historico"]
    {
        let refused = get(path).await;
        assert_eq!(refused.head.status, 503, "{path}");
        let text = String::from_utf8_lossy(&refused.bytes);
        assert!(text.contains("registro de acessos a dados pessoais"), "{path}: {text}");
    }
    assert_eq!(get("/gestao/plano").await.head.status, 200, "no person is in it");
    let answer = server.get("/readyz").await;
    assert!(
        answer.starts_with("HTTP/1.1 503") && answer.contains("registro de acessos a dados pessoais"),
        "{answer}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), b"not a database", "it is left as it is");
    server.stop().await;
    app.db.close().await;
}

mod a_caller_of_a_database_that_is_read_only_is_told_so_with_503 {
    use super::*;

    #[testkit::postgres_test]
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

#[testkit::test]
async fn who_dawdles_over_his_headers_is_cut_off() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let limits = api::ConnectionLimits { header_timeout: Duration::from_millis(50), ..Server::LIMITS };
    let server = Server::start_with(world.app().clone(), limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // On a busy machine the one or the other is cut off before it has said so much.
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost:").await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut undecided = TcpStream::connect(server.address).await.unwrap();
    let _ = undecided.write_all(b"PRI * HT").await;
    for stream in [&mut stream, &mut silent, &mut undecided] {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    }
    server.stop().await;
}

#[testkit::test]
async fn when_all_places_are_taken_the_next_caller_waits_for_one() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let (pages, begun, go_on) = held_page();
    let limits = api::ConnectionLimits { max_connections: 1, ..Server::LIMITS };
    let setup = Setup { limits, pages, ..Setup::default() };
    let server = Server::start_as(world.app().clone(), setup).await;
    let address = server.address;
    let first = tokio::spawn(async move { ask_from(1, address, "/demorada").await });
    begun.notified().await;
    let second = tokio::spawn(async move { ask_from(1, address, "/healthz").await });
    assert!(!second.is_finished());
    go_on.notify_one();
    assert!(first.await.unwrap().ends_with("enfim"));
    assert!(second.await.unwrap().starts_with("HTTP/1.1 200"));
    server.stop().await;
}

#[testkit::test]
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

/// A connection from another address of this machine: 127.0.0.`last`.
async fn connect_from(last: u8, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0)).unwrap();
    socket.connect(to).await.unwrap()
}

async fn ask_from(last: u8, to: SocketAddr, path: &str) -> String {
    let mut stream = connect_from(last, to).await;
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A page that is answered when the test says so.
fn held_page() -> (Router, Arc<Notify>, Arc<Notify>) {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let page = get(move || async move {
        tell.notify_one();
        wait.notified().await;
        "enfim"
    });
    (Router::new().route("/demorada", page), begun, go_on)
}

/// Nothing is given up by itself here: what is free again was taken from somebody.
const PATIENT: Duration = Duration::from_hours(1);

#[testkit::test]
async fn addresses_that_hold_every_connection_do_not_lock_out_another() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let limits = api::ConnectionLimits {
        max_connections: 4,
        max_per_address: 2,
        header_timeout: PATIENT,
        ..Server::LIMITS
    };
    let server = Server::start_with(world.app().clone(), limits).await;
    let mut held = Vec::new();
    for last in [1, 1, 2, 2] {
        held.push(connect_from(last, server.address).await);
    }
    // One of them has begun a request, and one has been answered and keeps the connection.
    held[0].write_all(b"GET /healthz HTTP/1.1\r\nHost:").await.unwrap();
    held[2].write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    held[2].read_exact(&mut [0]).await.unwrap();
    for _ in 0..3 {
        assert!(ask_from(3, server.address, "/healthz").await.starts_with("HTTP/1.1 200"));
    }
    assert!(ask_from(4, server.address, "/readyz").await.starts_with("HTTP/1.1 200"));
    drop(held);
    server.stop().await;
}

#[testkit::test]
async fn a_request_under_way_is_never_closed_to_make_room() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let (pages, begun, go_on) = held_page();
    let limits = api::ConnectionLimits {
        max_connections: 2,
        max_per_address: 2,
        header_timeout: PATIENT,
        ..Server::LIMITS
    };
    let setup = Setup { limits, pages, ..Setup::default() };
    let server = Server::start_as(world.app().clone(), setup).await;
    let address = server.address;
    let busy = tokio::spawn(async move { ask_from(1, address, "/demorada").await });
    begun.notified().await;
    let mut idle = connect_from(1, address).await;
    assert!(ask_from(2, address, "/healthz").await.starts_with("HTTP/1.1 200"));
    let mut nothing = Vec::new();
    let _ = idle.read_to_end(&mut nothing).await;
    assert!(nothing.is_empty(), "the idle one made room");
    go_on.notify_one();
    let answer = busy.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("enfim"), "{answer}");
    server.stop().await;
}

#[testkit::test]
async fn an_answer_that_is_still_leaving_is_never_cut_to_make_room() {
    // More than the system's own buffers hold.
    const LENGTH: usize = 32 * 1024 * 1024;
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let pages = Router::new().route("/longa", get(async || "x".repeat(LENGTH)));
    let limits = api::ConnectionLimits { max_connections: 1, ..Server::LIMITS };
    let http = api::HttpOptions { body_timeout: PATIENT, ..api::HttpOptions::default() };
    let setup = Setup { limits, http, pages, ..Setup::default() };
    let server = Server::start_as(world.app().clone(), setup).await;
    let address = server.address;
    let mut first = connect_from(1, address).await;
    first.write_all(b"GET /longa HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    first.read_exact(&mut [0]).await.unwrap();
    let second = tokio::spawn(async move { ask_from(2, address, "/healthz").await });
    // The newcomer has looked for a place by now, more than once.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut rest = Vec::new();
    first.read_to_end(&mut rest).await.unwrap();
    assert!(rest.len() > LENGTH, "all of it came: {}", rest.len());
    assert!(second.await.unwrap().starts_with("HTTP/1.1 200"));
    server.stop().await;
}

#[testkit::test]
async fn a_request_names_its_host_once() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let server = Server::start(world.app().clone()).await;
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a/b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a.example:8080\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
        ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n", 400),
    ] {
        let answer = server.raw(&format!("{head}Connection: close\r\n\r\n")).await;
        let line = answer.lines().next().unwrap_or_default();
        assert!(line.contains(&status.to_string()), "{head}: {answer}");
        assert!(status == 200 || answer.contains("cabeçalho Host"), "{answer}");
    }
    server.stop().await;
}

#[testkit::test]
async fn a_stalled_upload_does_not_hold_the_stop_longer_than_its_limit() {
    let world = World::hostile(testkit::Engine::Sqlite).await;
    let limits = api::ConnectionLimits { shutdown_timeout: Duration::from_millis(100), ..Server::LIMITS };
    let http = api::HttpOptions { body_timeout: PATIENT, ..api::HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { limits, http, ..Setup::default() }).await;
    let token = server.token(&world.administrator.email).await;
    let mut stalled = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /gestao/usuario HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n"
    );
    stalled.write_all(head.as_bytes()).await.unwrap();
    // It is being read.
    stalled.read_exact(&mut [0]).await.unwrap();
    assert!(!server.stop().await, "it had to be cut off");
    let mut rest = Vec::new();
    let _ = stalled.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("HTTP/1.1 2"), "it is over");
}
