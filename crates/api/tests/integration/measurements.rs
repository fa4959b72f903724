//! Who may read the measurements: those on this machine that no proxy stands for, and those with the token.

use api::HttpOptions;
use testkit::{Server, Setup, World, both_engines};

#[both_engines]
async fn measurements_are_for_those_who_may_read_them(world: World) {
    let http = HttpOptions { metrics_from: vec!["192.0.2.0/24".parse().unwrap()], ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    server.call("GET", "/metrics", &[("X-Forwarded-For", "192.0.2.1")], "").await.refuses(404);
    server.stop().await;
}

#[both_engines]
async fn an_untold_proxy_does_not_open_the_measurements(world: World) {
    let server = Server::start(world.app().clone()).await;
    assert_eq!(server.call("GET", "/metrics", &[], "").await.status, 200);
    for trace in ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"] {
        server.call("GET", "/metrics", &[(trace, "203.0.113.9")], "").await.refuses(404);
    }
    server.stop().await;
}

/// A proxy on this machine that adds no header makes everybody look local.
#[both_engines]
async fn a_proxy_on_this_machine_that_adds_nothing_does_not_open_the_measurements(world: World) {
    let server = Server::start(world.app().clone()).await;
    for host in ["localhost", "127.0.0.1:8080", "[::1]:8080"] {
        assert_eq!(server.call("GET", "/metrics", &[("Host", host)], "").await.status, 200, "{host}");
    }
    for host in ["amparo.example", "10.0.0.5:8080", ""] {
        server.call("GET", "/metrics", &[("Host", host)], "").await.refuses(404);
    }
    let old = server.raw("GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").await;
    assert!(old.contains(" 404 "), "{old}");
    server.stop().await;

    let behind = HttpOptions { is_behind_local_proxy: true, ..HttpOptions::default() };
    let told_of = HttpOptions { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..behind.clone() };
    for (http, status) in [(behind, 404), (told_of, 200)] {
        let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
        assert_eq!(server.call("GET", "/metrics", &[], "").await.status, status);
        let through = server.call("GET", "/metrics", &[("X-Forwarded-For", "203.0.113.9")], "").await;
        through.refuses(404);
        server.stop().await;
    }
}

#[both_engines]
async fn a_token_opens_the_measurements_from_anywhere_and_nothing_else_does(world: World) {
    let token = Some(api::MetricsToken::new("um-token-longo".to_owned()));
    let http = HttpOptions { metrics_token: token, is_behind_local_proxy: true, ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let shown = [("Authorization", "Bearer um-token-longo"), ("Host", "amparo.example")];
    assert_eq!(server.call("GET", "/metrics", &shown, "").await.status, 200);
    for other in ["Bearer outro", "Bearer ", "um-token-longo"] {
        server.call("GET", "/metrics", &[("Authorization", other)], "").await.refuses(404);
    }
    server.call("GET", "/metrics", &[], "").await.refuses(404);
    server.stop().await;
}
