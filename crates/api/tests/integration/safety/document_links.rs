//! `GET /documento/{token}`, which needs no credential: what it tells whom, and that guessing ends.

use crate::calls::{AUDIT, Calls, MEMBERS, cpf};
use app::audit::access_log::flush_access_log;
use domain::{LinkPurpose, LinkToken, PersonCode, TenantId};
use links::{DocumentLink, LinkedSubject, create_link, insert_links};
use serde_json::json;
use std::time::Duration;
use storage::WriteLane;
use testkit::{Reply, Server, Setup, World, both_engines};

const HOUR: Duration = Duration::from_hours(1);

/// A slip that is not there, so that its link leads to nothing.
fn subject(tenant: TenantId, person: i32) -> LinkedSubject {
    LinkedSubject { tenant, purpose: LinkPurpose::Slip, code: 4711, person: Some(PersonCode::new(person)) }
}

fn link(world: &World, subject: LinkedSubject, lifetime: Duration) -> DocumentLink {
    let now = world.app().now();
    create_link(world.app(), subject, now.plus(lifetime), (None, now))
}

async fn store(world: &World, link: DocumentLink) {
    let lane = WriteLane::foreground(link.token.tenant());
    let stored = world
        .db()
        .write(lane, link, |tx, link| Box::pin(async move { tx.execute_batch(insert_links([link])).await }));
    stored.await.unwrap();
}

/// A server whose callers a proxy names, with narrow limits.
async fn behind_a_proxy(world: &World) -> Server {
    let mut app = world.processes()[0].clone();
    (app.throttle.link_misses, app.throttle.link_openings) = (8, 20);
    let http = api::HttpOptions {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..api::HttpOptions::default()
    };
    Server::start_as(app, Setup { http, ..Setup::default() }).await
}

async fn open(server: &Server, method: &str, token: &str, address: &str) -> Reply {
    let headers = [("X-Forwarded-For", address), ("X-Request-Id", "p")];
    let mut reply = server.call(method, &format!("/documento/{token}"), &headers, "").await;
    reply.headers.retain(|(name, _)| name != "date");
    reply
}

fn is_private(reply: &Reply) {
    for (name, value) in [
        ("cache-control", "private, no-store"),
        ("x-robots-tag", "noindex, nofollow, noarchive"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{reply:?}");
    }
    assert_eq!(reply.header("set-cookie"), None, "{reply:?}");
}

#[both_engines]
async fn a_link_that_opens_nothing_says_the_same_whatever_the_reason(world: World) {
    let server = behind_a_proxy(&world).await;
    let expired = link(&world, subject(world.here, 1), HOUR);
    store(&world, expired.clone()).await;
    world.clock.pass(HOUR);
    let mut revoked = link(&world, subject(world.there, 1), HOUR);
    revoked.revoked_at = Some(world.app().now());
    store(&world, revoked.clone()).await;
    let unknown = LinkToken::draw(world.here, &*world.app().random_source);
    let gone = open(&server, "GET", unknown.as_str(), "203.0.113.1").await;
    assert_eq!((gone.status, gone.header("content-type")), (404, Some("text/html; charset=utf-8")));
    is_private(&gone);
    for text in
        ["lang=\"pt-BR\"", "width=device-width", "Este link não vale mais", "Peça outro à associação."]
    {
        assert!(gone.body.contains(text), "{text}: {gone:?}");
    }
    assert!(!gone.body.contains("<script") && !gone.body.contains("<!--"), "{gone:?}");
    let long = "k".repeat(5_000);
    let cut = &expired.token.as_str()[..30];
    for token in [
        expired.token.as_str(),
        revoked.token.as_str(),
        "nada",
        "1-",
        "%00",
        "%ff",
        "..%2f..%2fetc",
        "1-%27%20OR%201=1",
        cut,
        &long,
    ] {
        let reply = open(&server, "GET", token, "203.0.113.1").await;
        assert_eq!(format!("{reply:?}"), format!("{gone:?}"), "{token}");
    }
    let head = open(&server, "HEAD", expired.token.as_str(), "203.0.113.1").await;
    assert_eq!((head.status, head.body.as_str()), (404, ""));
    assert_eq!(head.header("content-length"), gone.header("content-length"));
    is_private(&head);
    assert_eq!(open(&server, "POST", expired.token.as_str(), "203.0.113.1").await.status, 405);
    assert_eq!(open(&server, "GET", "", "203.0.113.1").await.status, 404);
    server.stop().await;
}

#[both_engines]
async fn who_guesses_is_told_how_long_to_wait(world: World) {
    let server = behind_a_proxy(&world).await;
    let guess = || LinkToken::draw(world.here, &*world.app().random_source);
    for _ in 0..8 {
        assert_eq!(open(&server, "GET", guess().as_str(), "203.0.113.1").await.status, 404);
    }
    for method in ["GET", "HEAD"] {
        let reply = open(&server, method, guess().as_str(), "203.0.113.1").await;
        assert_eq!((reply.status, reply.header("retry-after")), (429, Some("900")), "{reply:?}");
        is_private(&reply);
        assert!(method == "HEAD" || reply.body.contains("abra o link de novo em 15 minutos"), "{reply:?}");
    }
    assert_eq!(open(&server, "GET", guess().as_str(), "203.0.113.2").await.status, 404, "another address");
    let measures = server.get("/metrics").await;
    assert!(measures.contains("route=\"/documento/{token}\""), "{measures}");
    assert!(!measures.contains("/documento/1-"), "{measures}");
    server.stop().await;
}

#[both_engines]
async fn the_audit_tells_who_opened_a_link_and_from_where(world: World) {
    let calls = Calls::on(world).await;
    let ana = json!({"nomePessoa": "Ana Aqui", "cpfCnpj": cpf(1), "codLoja": 1});
    let person = calls.saved(&calls.administrator, MEMBERS, &ana).await["codPessoa"].as_i64().unwrap();
    let world = &calls.world;
    let opened = link(world, subject(world.here, i32::try_from(person).unwrap()), HOUR);
    store(world, opened.clone()).await;
    let server = behind_a_proxy(world).await;
    open(&server, "GET", opened.token.as_str(), "203.0.113.9").await;
    for process in world.processes() {
        flush_access_log(process).await.unwrap();
    }
    let code = person.to_string();
    let page = calls.get(&calls.administrator, AUDIT, &[("codPessoa", &code)]).await.json();
    let entries = page["itens"].as_array().unwrap();
    let opening = entries.iter().find(|one| one["operacao"] == "GET /documento/{token}").unwrap();
    assert_eq!((&opening["tipo"], &opening["endereco"]), (&json!("leitura"), &json!("203.0.113.9")));
    assert_eq!((&opening["codUsuario"], &opening["pessoas"][0]["codPessoa"]), (&json!(null), &json!(person)));
    server.stop().await;
}
