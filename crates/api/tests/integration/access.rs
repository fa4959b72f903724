//! Who gets in: over the whole route table, by login and by token, in every process.

use api::{AllowedCallers, list_operations};
use std::time::Duration;
use testkit::{PASSWORD, Reply, Server, Setup, World, both_engines, eight_at_once, until};

const HOUR: Duration = Duration::from_hours(1);

/// What needs no credential, by name: whoever adds to it does so on purpose.
const OPEN: [&str; 4] = [
    "GET /ext/beneficio/situacaoBeneficio",
    "GET /ext/beneficio/tipoVeiculo",
    "GET /ext/beneficio/vencimento",
    "POST /ext/beneficio/validacao",
];

fn named(access: impl Fn(AllowedCallers) -> bool) -> Vec<String> {
    let all = list_operations().iter().filter(|one| access(one.access));
    all.map(|one| format!("{} {}", one.method, one.path)).collect()
}

async fn called(server: &Server, operation: &str, headers: &[(&str, &str)]) -> Reply {
    let (method, path) = operation.split_once(' ').unwrap();
    // A code that names nothing: who is let in meets a 404, who is not a 401.
    let path: String = path
        .split('/')
        .map(|part| if part.starts_with('{') { "1" } else { part })
        .collect::<Vec<_>>()
        .join("/");
    server.call(method, &path, headers, "").await
}

#[test]
fn only_the_operations_of_the_list_are_open() {
    assert_eq!(named(|access| access == AllowedCallers::Open), OPEN);
    assert_eq!(
        named(|access| access == AllowedCallers::Login),
        ["POST /ext/autenticacao", "POST /gestao/sessao"]
    );
    assert_eq!(named(|access| access == AllowedCallers::AnyToken), ["DELETE /gestao/sessao"]);
}

#[both_engines]
async fn every_secured_operation_refuses_a_missing_malformed_expired_and_revoked_token(world: World) {
    let server = Server::start(world.app().clone()).await;
    let [expired, revoked, good] = [
        server.token(&world.operator.email).await,
        server.token(&world.operator.email).await,
        server.token(&world.operator.email).await,
    ];
    world.clock.pass((12 * HOUR).checked_sub(Duration::from_secs(1)).unwrap());
    assert_eq!(server.read("/ext/administracao/loja", &expired).await.status, 200, "a second before its end");
    world.clock.pass(Duration::from_secs(1));
    let fresh = server.token(&world.administrator.email).await;
    app::access::users::disable_user(world.app(), world.here, &world.operator.email).await.unwrap();
    let broken = format!("{}0", &fresh[..fresh.len() - 1]);
    let secured = named(|access| matches!(access, AllowedCallers::Roles(_) | AllowedCallers::AnyToken));
    assert!(!secured.is_empty());
    for operation in secured.iter().map(String::as_str).chain(["POST /ext/autenticacao"]) {
        called(&server, operation, &[]).await.refuses(401);
        let bad = [
            &expired,
            &revoked,
            &good,
            &broken,
            "",
            "x",
            "amp_1_2_3",
            "Bearer",
            "null",
            "é",
            &"a".repeat(5000),
        ];
        for token in bad {
            let answer = called(&server, operation, &[("Authorization", &format!("Bearer {token}"))]).await;
            answer.refuses(401);
            assert!(answer.header("www-authenticate").is_some(), "{operation}");
        }
        let twice =
            [("Authorization", format!("Bearer {fresh}")), ("Authorization", format!("Bearer {fresh}"))];
        called(&server, operation, &twice.each_ref().map(|(name, value)| (*name, value.as_str())))
            .await
            .refuses(401);
        called(&server, operation, &[("Authorization", &fresh)]).await.refuses(401);
        called(&server, operation, &[("Authorization", &testkit::basic("x", "y"))]).await.refuses(401);
    }
    server.stop().await;
}

#[both_engines]
async fn the_access_record_has_every_field_and_only_the_users_branches(world: World) {
    let server = Server::start(world.app().clone()).await;
    let entered = server.enter(&world.operator.email.to_uppercase(), PASSWORD).await;
    assert_eq!((entered.status, entered.header("content-type")), (200, Some("application/json")));
    assert_eq!(entered.header("cache-control"), Some("no-store"));
    let record = entered.json();
    let keys: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "authorizationToken",
        "authorizationType",
        "codClienteSistema",
        "nomeClienteSistema",
        "codUsuario",
        "nomeUsuario",
        "permissaoLoja",
        "plano",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(record["authorizationType"], "Bearer");
    assert_eq!(record["codClienteSistema"].as_i64(), Some(world.here.get().into()));
    assert_eq!(record["codUsuario"].as_i64(), Some(world.operator.code.get().into()));
    assert_eq!(record["permissaoLoja"].to_string(), r#"[{"codLoja":2,"nome":"Filial Norte"}]"#);
    let token = record["authorizationToken"].as_str().unwrap();
    assert!(token.starts_with("amp_") && token.len() >= 4 + 32, "{token}");
    let branches = server.read("/ext/administracao/loja", token).await;
    assert_eq!(branches.body, r#"[{"codigo":2,"id":2,"codLoja":2,"nome":"Filial Norte"}]"#);
    let everything = server.token(&world.administrator.email).await;
    let all = server.read("/ext/administracao/loja", &everything).await.json();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|one| one["nome"].as_str().unwrap()).collect();
    assert_eq!(names, ["Filial Norte", "Filial Sul", "Matriz"], "by name");
    server.stop().await;
}

#[both_engines]
async fn authentication_never_looks_at_body_content_type_or_accept(world: World) {
    let server = Server::start(world.app().clone()).await;
    let credential = testkit::basic(&world.operator.email, PASSWORD);
    for (kind, body) in [
        ("application/x-www-form-urlencoded", ""),
        ("application/x-www-form-urlencoded", "a=b"),
        ("text/xml", "<não é json"),
        ("application/json", "[]"),
        ("", ""),
    ] {
        let headers = [
            ("Authorization", credential.as_str()),
            ("Content-Type", kind),
            ("Accept", "image/png"),
            ("Idempotency-Key", "k"),
        ];
        let entered = server.call("POST", "/ext/autenticacao", &headers, body).await;
        assert_eq!(entered.status, 200, "{kind} {body}");
        assert_eq!(entered.header("idempotency-replayed"), None);
    }
    server.stop().await;
}

#[both_engines]
async fn a_repeated_correct_login_runs_no_second_argon2_and_gets_a_token_of_its_own(world: World) {
    let app = world.app().clone();
    let server = Server::start(app.clone()).await;
    let mut tokens = vec![server.token(&world.operator.email).await];
    // Every place is taken: whoever needs an Argon2 now waits in vain.
    let mut taken = vec![app.passwords.wait_for_turn(true).await.unwrap()];
    for _ in 0..2 {
        taken.push(app.passwords.wait_for_turn(false).await.unwrap());
    }
    for _ in 1..30 {
        tokens.push(server.token(&world.operator.email).await);
    }
    drop(taken);
    for token in &tokens {
        assert_eq!(server.read("/ext/administracao/loja", token).await.status, 200, "a login ends no other");
    }
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), 30);
    // What is remembered holds only as long as the password does.
    app::access::users::reset_password(
        world.app(),
        world.here,
        &world.operator.email,
        "outra senha bem longa",
    )
    .await
    .unwrap();
    server.enter(&world.operator.email, PASSWORD).await.refuses(401);
    assert_eq!(server.enter(&world.operator.email, "outra senha bem longa").await.status, 200);
    server.stop().await;
}

#[both_engines]
async fn a_token_that_was_ended_is_refused_on_every_process(world: World) {
    let mut servers = Vec::new();
    for app in world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
        servers.push(Server::start(app.clone()).await);
    }
    let (first, last) = (&servers[0], &servers[servers.len() - 1]);
    let token = first.token(&world.operator.email).await;
    let other = first.token(&world.administrator.email).await;
    for server in [first, last] {
        assert_eq!(server.read("/ext/administracao/loja", &token).await.status, 200);
    }
    let app = &world.processes()[0];
    app::access::users::end_sessions_by_email(app, world.here, &world.operator.email).await.unwrap();
    first.read("/ext/administracao/loja", &token).await.refuses(401);
    app::cache::refresh_versions(&world.processes()[servers.len() - 1]).await.unwrap();
    last.read("/ext/administracao/loja", &token).await.refuses(401);
    for server in &servers {
        assert_eq!(
            server.read("/ext/administracao/loja", &other).await.status,
            200,
            "nobody else is put out"
        );
    }
    for server in servers {
        server.stop().await;
    }
}

/// A server whose callers a trusted proxy names.
async fn behind_a_proxy(app: app::App) -> Server {
    let http = api::HttpOptions {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..api::HttpOptions::default()
    };
    Server::start_as(app, Setup { http, ..Setup::default() }).await
}

async fn enter_from(server: &Server, email: &str, address: &str, password: &str) -> Reply {
    let credential = testkit::basic(email, password);
    let headers = [("Authorization", credential.as_str()), ("X-Forwarded-For", address)];
    server.call("POST", "/ext/autenticacao", &headers, "").await
}

#[both_engines]
async fn too_many_failures_by_account_are_told_to_wait_but_never_lock_the_owner_out(world: World) {
    let mut app = world.app().clone();
    app.throttle.by_account = 3;
    let server = behind_a_proxy(app).await;
    let from = async |address: &str, password: &str| {
        enter_from(&server, &world.operator.email, address, password).await
    };
    assert_eq!(from("192.0.2.1", PASSWORD).await.status, 200, "the owner's place");
    for _ in 0..3 {
        from("203.0.113.7", "errada errada").await.refuses(401);
    }
    let refused = from("203.0.113.8", "errada errada").await;
    assert!(refused.refuses(429).contains("15 minutos"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("900"));
    from("203.0.113.9", "certa ou errada").await.refuses(429);
    // The owner, from where he is known, may even be wrong.
    from("192.0.2.1", "dedo errado aqui").await.refuses(401);
    assert_eq!(from("192.0.2.1", PASSWORD).await.status, 200);
    // An account that does not exist is counted just the same.
    for _ in 0..3 {
        server.enter("ninguem@aqui.example", "errada errada").await.refuses(401);
    }
    server.enter("ninguem@aqui.example", "errada errada").await.refuses(429);
    // Nobody's place is known for ever.
    world.clock.pass(Duration::from_mins(15));
    from("203.0.113.7", "errada errada").await.refuses(401);
    world.clock.pass(31 * 24 * HOUR);
    for _ in 0..3 {
        from("203.0.113.7", "errada errada").await.refuses(401);
    }
    from("192.0.2.1", PASSWORD).await.refuses(429);
    server.stop().await;
}

#[both_engines]
async fn too_many_failures_by_address_bind_it_for_every_account_in_every_process(world: World) {
    let mut servers = Vec::new();
    for app in world.processes() {
        let mut app = app.clone();
        app.throttle.by_address = 4;
        servers.push(Server::start(app).await);
    }
    let (first, last) = (&servers[0], &servers[servers.len() - 1]);
    for number in 0..4 {
        let server = if number % 2 == 0 { first } else { last };
        server.enter(&format!("pessoa{number}@aqui.example"), "errada errada").await.refuses(401);
    }
    for server in [first, last] {
        server.enter("pessoa9@aqui.example", "errada errada").await.refuses(429);
        server.enter(&world.operator.email, PASSWORD).await.refuses(429);
    }
    for server in servers {
        server.stop().await;
    }
}

#[both_engines]
async fn eight_who_try_at_once_get_no_more_tries_than_one(world: World) {
    let mut app = world.app().clone();
    app.throttle.by_account = 2;
    // Two are hashed at once, so two more may be under way when the limit is reached.
    let tried = eight_at_once(|_| {
        let (app, email) = (app.clone(), world.operator.email.clone());
        async move {
            let address = std::net::IpAddr::from([192, 0, 2, 1]).into();
            app::access::log_in_program(&app, &email, "errada errada", address).await.unwrap_err()
        }
    })
    .await;
    let wrong = tried.iter().filter(|error| matches!(error, app::Error::Credential)).count();
    assert!((2..=3).contains(&wrong), "{tried:?}");
}

#[both_engines]
async fn open_lists_are_of_the_tokens_base_then_of_the_hosts_then_of_the_default(world: World) {
    let app = world.app().clone();
    let new = app::tenants::NewTenantInput {
        name: "Terceira".to_owned(),
        branch: "Matriz".to_owned(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: vec!["terceira.example".to_owned()],
        make_default: false,
    };
    let third = app::tenants::create_tenant(&app, &new).await.unwrap().tenant;
    world.rename_situation(world.here, "ATIVO", "ATIVO AQUI").await;
    world.rename_situation(world.there, "ATIVO", "ATIVO ALI").await;
    world.rename_situation(third, "ATIVO", "ATIVO TERCEIRA").await;
    let server = Server::start(app).await;
    let path = "/ext/beneficio/situacaoBeneficio";
    let seen = async |headers: &[(&str, &str)]| {
        let reply = server.call("GET", path, headers, "").await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()[0]["nome"].as_str().unwrap().to_owned()
    };
    let stranger = format!("Bearer {}", server.token(&world.stranger.email).await);
    assert_eq!(seen(&[]).await, "ATIVO AQUI");
    assert_eq!(seen(&[("Host", "Terceira.example:8080")]).await, "ATIVO TERCEIRA");
    assert_eq!(seen(&[("Host", "outra.example")]).await, "ATIVO AQUI");
    assert_eq!(seen(&[("Authorization", &stranger), ("Host", "terceira.example")]).await, "ATIVO ALI");
    assert_eq!(seen(&[("Authorization", "Basic eDp5")]).await, "ATIVO AQUI", "another scheme is ignored");
    server.call("GET", path, &[("Authorization", "Bearer nada")], "").await.refuses(401);
    server.stop().await;
}

#[both_engines]
async fn a_change_of_a_register_is_seen_once_the_versions_are_looked_at(world: World) {
    let app = world.app().clone();
    app::cache::refresh_versions(&app).await.unwrap();
    let server = Server::start(app.clone()).await;
    let has = async |name: &str| server.get("/ext/beneficio/situacaoBeneficio").await.contains(name);
    assert!(has("INADIMPLENTE").await);
    world.rename_situation(world.here, "INADIMPLENTE", "EM ATRASO").await;
    until("the change is seen", || async {
        app::cache::refresh_versions(&app).await.unwrap();
        has("EM ATRASO").await
    })
    .await;
    server.stop().await;
}

/// A remembered login helps whoever was right, where he was right: not somebody elsewhere who tries passwords.
#[both_engines]
async fn a_remembered_login_lets_no_blocked_address_guess_on(world: World) {
    let mut app = world.app().clone();
    app.throttle.by_address = 3;
    let server = behind_a_proxy(app).await;
    let from = async |address: &str, password: &str| {
        enter_from(&server, &world.operator.email, address, password).await
    };
    for _ in 0..2 {
        assert_eq!(from("192.0.2.1", PASSWORD).await.status, 200, "the owner, remembered");
    }
    for number in 0..3 {
        from("203.0.113.7", &format!("tentativa {number}")).await.refuses(401);
    }
    from("203.0.113.7", PASSWORD).await.refuses(429);
    for _ in 0..3 {
        from("192.0.2.1", "dedo errado aqui").await.refuses(401);
    }
    from("192.0.2.1", PASSWORD).await.refuses(429);
    server.stop().await;
}

#[both_engines]
async fn a_failure_counts_even_if_the_caller_hangs_up(world: World) {
    let app = world.app().clone();
    let address: domain::CallerAddress = std::net::IpAddr::from([192, 0, 2, 1]).into();
    for number in 0..20 {
        let password = format!("tentativa {number}");
        let attempt = app::access::log_in_program(&app, &world.operator.email, &password, address);
        // Polled once and dropped: what hyper does when the connection closes.
        let _ = tokio::time::timeout(Duration::ZERO, attempt).await;
    }
    let counted = storage::sql("SELECT failures FROM login_failures WHERE subject = 'address 192.0.2.1'");
    until("what was begun is counted", || async {
        let rows = app.db.query(storage::QueryWeight::Point, counted.clone()).await.unwrap();
        rows.first().is_some_and(|row| row.get::<i64>("failures").unwrap() >= 10)
    })
    .await;
}

#[both_engines]
async fn a_flood_of_strangers_keeps_no_owner_out(world: World) {
    let app = world.app().clone();
    let home: domain::CallerAddress = std::net::IpAddr::from([192, 0, 2, 1]).into();
    app::access::log_in_program(&app, &world.operator.email, PASSWORD, home).await.unwrap();
    // Every place for strangers is taken, for as long as this is held.
    let _taken = [
        app.passwords.wait_for_turn(false).await.unwrap(),
        app.passwords.wait_for_turn(false).await.unwrap(),
    ];
    let wrong = app::access::log_in_program(&app, &world.operator.email, "dedo errado aqui", home).await;
    assert!(matches!(wrong, Err(app::Error::Credential)), "{wrong:?}");
}

#[both_engines]
async fn a_user_who_asks_too_often_waits_and_no_other(world: World) {
    const PATH: &str = "/ext/administracao/loja";
    let limit = std::sync::Arc::new(app::RequestLimit::per_second(1));
    let server = Server::start(app::App { request_limit: limit, ..world.app().clone() }).await;
    let [first, second] =
        [server.token(&world.operator.email).await, server.token(&world.operator.email).await];
    let other = server.token(&world.administrator.email).await;
    for number in 0..60 {
        let token = if number % 2 == 0 { &first } else { &second };
        assert_eq!(server.read(PATH, token).await.status, 200, "{number}");
    }
    for token in [&first, &second] {
        let refused = server.read(PATH, token).await;
        assert!(refused.refuses(429).contains("pedidos demais"), "{refused:?}");
        assert_eq!(refused.header("retry-after"), Some("1"), "{refused:?}");
    }
    assert_eq!(server.read(PATH, &other).await.status, 200);
    world.clock.pass(Duration::from_secs(1));
    assert_eq!(server.read(PATH, &first).await.status, 200);
    assert_eq!(server.read(PATH, &first).await.status, 429);
}
