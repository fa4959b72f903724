//! How requests are taken: paths, methods, headers, bodies, limits, and the order of refusals.

use api::HttpOptions;
use axum::Router;
use axum::routing::get;
use std::io::Read;
use std::time::Duration;
use testkit::{PASSWORD, Server, Setup, World, both_engines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const LOJA: &str = "/ext/administracao/loja";
const USUARIO: &str = "/gestao/usuario";

#[both_engines]
async fn doubled_and_trailing_slashes_and_the_prefix_reach_the_same_operation(world: World) {
    let http = HttpOptions { prefix: "/amparo".to_owned(), ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let token = server.token(&world.operator.email).await;
    let plain = server.read(LOJA, &token).await.body;
    for path in [
        "//ext/administracao/loja",
        "/ext//administracao///loja",
        "/ext/administracao/loja/",
        "/ext/administracao/loja//",
        "/amparo/ext/administracao/loja",
        "//amparo//ext/administracao/loja/?x=//",
    ] {
        let answer = server.read(path, &token).await;
        assert_eq!((answer.status, &answer.body), (200, &plain), "{path}");
    }
    for path in
        ["/um/outro/ext/administracao/loja", "/ext/administracao/lojas", "/EXT/administracao/loja", "/ext"]
    {
        server.read(path, &token).await.refuses(404);
    }
    let credential = testkit::basic(&world.operator.email, PASSWORD);
    let entered =
        server.call("POST", "/amparo//ext/autenticacao/", &[("Authorization", &credential)], "").await;
    assert_eq!(entered.status, 200);
    server.stop().await;
}

#[both_engines]
async fn any_name_before_ext_reaches_the_same_operation(world: World) {
    let http = HttpOptions { origins: vec!["https://app.example".to_owned()], ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let credential = testkit::basic(&world.operator.email, PASSWORD);
    let entered =
        server.call("POST", "/nome-api/ext/autenticacao", &[("Authorization", &credential)], "").await;
    assert_eq!(entered.status, 200, "{entered:?}");
    let token = server.token(&world.operator.email).await;
    let plain = server.read(LOJA, &token).await.body;
    for path in [
        "/nome-api/ext/administracao/loja",
        "/nome-api/ext/administracao/loja/",
        "//nome-api//ext//administracao/loja?x=/a/ext/b",
        "/API_v1.84~/ext/administracao/loja",
    ] {
        let answer = server.read(path, &token).await;
        assert_eq!((answer.status, &answer.body), (200, &plain), "{path}");
        server.call("GET", path, &[], "").await.refuses(401);
        server.call("DELETE", path, &[], "").await.refuses(405);
    }
    for path in [
        "/a/b/ext/administracao/loja",
        "/../ext/administracao/loja",
        "/%2e%2e/ext/administracao/loja",
        "/nome%2Dapi/ext/administracao/loja",
        "/nome-api/ext/nada",
        "/nome-api/ext",
        "/nome-api/gestao/usuario",
        "/nome-api/healthz",
    ] {
        server.read(path, &token).await.refuses(404);
    }
    // A preflight and the label of the metrics are those of the operation.
    let preflight = [("Origin", "https://app.example"), ("Access-Control-Request-Method", "PUT")];
    let told = server.call("OPTIONS", "/nome-api/ext/beneficio/1/cancelar", &preflight, "").await;
    assert_eq!((told.status, told.header("access-control-allow-methods")), (200, Some("PUT")), "{told:?}");
    let measures = server.get("/metrics").await;
    assert!(measures.contains("route=\"/ext/administracao/loja\""), "{measures}");
    assert!(!measures.contains("nome-api"), "{measures}");
    server.stop().await;
    let http = HttpOptions { accepts_any_ext_prefix: false, ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let token = server.token(&world.operator.email).await;
    server.read("/nome-api/ext/administracao/loja", &token).await.refuses(404);
    server.stop().await;
}

/// A name that the server uses itself is never taken for a prefix.
#[both_engines]
async fn no_path_of_the_server_is_a_name_before_ext(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = server.token(&world.operator.email).await;
    let operations = api::list_operations().iter().map(|operation| operation.path.to_owned());
    let pages = console::list_routes().into_iter().map(|route| route.path);
    let others =
        ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/documento"].map(str::to_owned);
    let own: std::collections::BTreeSet<String> = operations
        .chain(pages)
        .chain(others)
        .filter_map(|path| path.split('/').nth(1).filter(|part| !part.is_empty()).map(str::to_owned))
        .collect();
    assert!(own.contains("console") && own.contains("gestao"), "{own:?}");
    for segment in own {
        let answer = server.read(&format!("/{segment}/ext/administracao/loja"), &token).await;
        assert_ne!(answer.status, 200, "{segment}: {answer:?}");
    }
    server.stop().await;
}

#[both_engines]
async fn head_works_wherever_get_does_and_other_methods_are_told_which_are_allowed(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = format!("Bearer {}", server.token(&world.administrator.email).await);
    let receiver = r#"{"endereco": "https://erp.example", "entidades": ["todos"]}"#;
    assert_eq!(
        server.write("/gestao/receptor", token.trim_start_matches("Bearer "), receiver).await.status,
        200
    );
    for operation in api::list_operations().iter().filter(|one| one.method == "GET") {
        let path = match operation.path {
            "/ext/associado" => "/ext/associado?situacaoBeneficio=Todos",
            "/ext/beneficio" => "/ext/beneficio?sequencial=1",
            "/ext/beneficio/dependente" => "/ext/beneficio/dependente?nome=x",
            "/ext/financeiro/titulo" => "/ext/financeiro/titulo?tipo=Credito",
            "/gestao/financeiro/credito" => "/gestao/financeiro/credito?codPessoa=1",
            "/gestao/financeiro/razao" => "/gestao/financeiro/razao?codGrupo=1&conta=A_RECEBER",
            "/gestao/entrega" => "/gestao/entrega?codReceptor=1",
            "/gestao/exportacao/entrega" => "/gestao/exportacao/entrega?codReceptor=1",
            "/gestao/exportacao/instalacao" => "/gestao/exportacao/instalacao?codBeneficio=1",
            "/gestao/exportacao/cartaoCredito" => "/gestao/exportacao/cartaoCredito?codPessoa=1",
            "/gestao/instalacao" => "/gestao/instalacao?codBeneficio=1",
            "/gestao/cartaoCredito" => "/gestao/cartaoCredito?codPessoa=1",
            path => path,
        };
        // A code of something that is not there is answered alike, too.
        let unknown = match operation.path {
            "/gestao/financeiro/credito" => Some(400),
            _ => path.contains('{').then_some(404),
        };
        let parts: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        let path = &parts.join("/");
        let got = server.call("GET", path, &[("Authorization", &token)], "").await;
        let head = server.call("HEAD", path, &[("Authorization", &token)], "").await;
        assert!(got.status == 200 || Some(got.status) == unknown, "{}: {got:?}", operation.path);
        assert_eq!((head.status, head.body.as_str()), (got.status, ""), "{}", operation.path);
        // How long a file will be is not known when its first rows leave.
        let is_known = got.header("transfer-encoding").is_none();
        let length = is_known.then(|| got.body.len().to_string());
        assert_eq!(head.header("content-length"), length.as_deref(), "{}", operation.path);
        assert_eq!(head.header("content-type"), got.header("content-type"));
    }
    for (method, path, allowed) in [
        ("DELETE", LOJA, vec!["GET", "HEAD"]),
        ("POST", LOJA, vec!["GET", "HEAD"]),
        ("GET", "/ext/autenticacao", vec!["POST"]),
        ("OPTIONS", "/ext/autenticacao", vec!["POST"]),
        ("PUT", USUARIO, vec!["GET", "HEAD", "POST"]),
        ("QUALQUER", USUARIO, vec!["GET", "HEAD", "POST"]),
    ] {
        let refused = server.call(method, path, &[], "").await;
        refused.refuses(405);
        let mut told: Vec<&str> = refused.header("allow").unwrap().split(',').map(str::trim).collect();
        told.sort_unstable();
        assert_eq!(told, allowed, "{method} {path}");
    }
    server.stop().await;
}

#[both_engines]
async fn refusals_come_in_their_order(world: World) {
    let server = Server::start(world.app().clone()).await;
    let [operator, administrator] =
        [server.token(&world.operator.email).await, server.token(&world.administrator.email).await];
    let large = format!("{{\"nome\": \"{}\"}}", "a".repeat(1024 * 1024));
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let with = async |method: &str, path: &str, token: &str, body: &str, kind| {
        let bearer = format!("Bearer {token}");
        server.call(method, path, &[("Authorization", &bearer), kind], body).await
    };
    with("PUT", "/gestao/nada", "x", &large, form).await.refuses(404);
    with("PUT", USUARIO, "x", &large, form).await.refuses(405);
    with("POST", USUARIO, "x", &large, form).await.refuses(401);
    with("POST", USUARIO, &operator, &large, form).await.refuses(403);
    with("POST", USUARIO, &administrator, &large, form).await.refuses(413);
    with("POST", USUARIO, &administrator, "a=b", form).await.refuses(415);
    let json = ("Content-Type", "application/json");
    with("POST", USUARIO, &administrator, "a=b", json).await.refuses(400);
    // A form type over an empty body is what some programs send with everything.
    let empty = with("POST", USUARIO, &administrator, "", form).await;
    assert!(empty.refuses(400).contains("Falta o corpo"), "{empty:?}");
    server.stop().await;
}

#[both_engines]
async fn every_problem_of_a_body_is_told_at_once_and_nothing_of_it_is_stored(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = server.token(&world.administrator.email).await;
    let before = server.read(USUARIO, &token).await.body;
    let refused = server
        .write(USUARIO, &token, r#"{"nome": "", "email": "x", "perfil": "rei", "lojas": [1, "a", 2.5]}"#)
        .await;
    let lines: Vec<&str> = refused.refuses(400).lines().collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!(lines[0], "nome: informe um valor.");
    assert_eq!(lines[2], "perfil: \"rei\" não é um valor aceito; use administrador, operador ou integracao.");
    assert!(lines[3].starts_with("lojas[1]: ") && lines[4].starts_with("lojas[2]: "), "{lines:?}");
    let taken = |lojas: &str| {
        let email = &world.stranger.email;
        format!(r#"{{"nome": "Ana", "email": "{email}", "perfil": "operador", "lojas": {lojas}}}"#)
    };
    let many = format!(r#"{{"lojas": [{}]}}"#, vec!["\"\""; 1000].join(","));
    let endless = format!(r#"{{"lojas": [{}]}}"#, vec!["1"; 1001].join(","));
    for (status, body, lines) in [
        (
            400,
            r#"{"nome": "Ana", "email": "a@x.example", "perfil": "operador"}"#,
            &["lojas: informe ao menos uma loja"][..],
        ),
        (400, &taken("[8, 9]"), &["lojas: a loja 8 não existe", "lojas: a loja 9", "não está disponível"]),
        (409, &taken("[1]"), &["não está disponível"]),
        (400, r#"{"nome": "A\u0000na", "email": "a@x.example", "perfil": "administrador"}"#, &["nome: "]),
        (400, "[]", &["O corpo deve ser um objeto JSON"]),
        (400, "{", &["não é JSON válido"]),
        (400, &many, &["… e mais 903 problemas."]),
        (400, &endless, &["lojas: use no máximo 1000 itens."]),
    ] {
        let refused = server.write(USUARIO, &token, body).await;
        let told = refused.refuses(status);
        assert!(lines.iter().all(|line| told.contains(line)), "{refused:?}");
    }
    assert_eq!(server.read(USUARIO, &token).await.body, before);
    server.stop().await;
}

#[both_engines]
async fn a_user_is_created_seen_and_let_in_by_the_password_he_was_mailed(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = server.token(&world.administrator.email).await;
    let body = r#"{"nome": "Rui Sá", "email": "Rui@X.example", "perfil": "operador", "lojas": [3, 2, 3], "outro": 1}"#;
    let created = server.write(USUARIO, &token, body).await;
    assert_eq!(created.status, 200, "{created:?}");
    let code = created.json()["codUsuario"].as_i64().unwrap();
    assert_eq!(
        created.body,
        format!(
            r#"{{"codUsuario":{code},"nome":"Rui Sá","email":"rui@x.example","perfil":"operador","lojas":[2,3],"permissoesFinanceiras":[],"respostaAntigaPesquisa":false,"ativo":true,"versao":1}}"#
        )
    );
    let listed = server.read(USUARIO, &token).await.json();
    assert_eq!(listed["itens"].as_array().unwrap().last().unwrap(), &created.json(), "by name");
    assert!(!listed.to_string().contains("ali.example"), "nobody of the other base");
    let mail = world.last_mail_to("rui@x.example").await;
    let password = mail.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap();
    assert_eq!(server.enter("rui@x.example", password).await.status, 200);
    server.stop().await;
}

#[both_engines]
async fn the_same_key_and_body_get_the_first_answer_again(world: World) {
    let servers = [
        Server::start(world.processes()[0].clone()).await,
        Server::start(world.processes()[world.processes().len() - 1].clone()).await,
    ];
    let tokens = [
        servers[0].token(&world.administrator.email).await,
        servers[1].token(&world.administrator.email).await,
    ];
    let send = async |at: usize, key: &str, body: &str| {
        let bearer = format!("Bearer {}", tokens[at]);
        servers[at].call("POST", USUARIO, &[("Authorization", &bearer), ("Idempotency-Key", key)], body).await
    };
    let body = |name: &str| {
        format!(r#"{{"nome": "{name}", "email": "{name}@x.example", "perfil": "administrador"}}"#)
    };
    let first = send(0, "um", &body("ana")).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, None));
    for at in [0, 1] {
        let again = send(at, "um", &body("ana")).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.header("content-type"), Some("application/json"));
        send(at, "um", &body("bia")).await.refuses(422);
    }
    // A refusal by the operation is kept too, although what it refused would be taken by now.
    let refused = send(0, "dois", &body("ana")).await;
    refused.refuses(409);
    let again = send(1, "dois", &body("ana")).await;
    assert_eq!(again.refuses(409), refused.body);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let malformed = send(0, "tres", "{").await;
    malformed.refuses(400);
    assert_eq!(send(1, "tres", "{").await.header("idempotency-replayed"), Some("true"));
    // The key is of one user, and of one day.
    let mail = world.last_mail_to("ana@x.example").await;
    let password = mail.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap();
    let entered = servers[1].enter("ana@x.example", password).await.json();
    let other = format!("Bearer {}", entered["authorizationToken"].as_str().unwrap());
    let headers = [("Authorization", other.as_str()), ("Idempotency-Key", "um")];
    let hers = servers[1].call("POST", USUARIO, &headers, &body("outra")).await;
    assert_eq!((hers.status, hers.header("idempotency-replayed")), (200, None), "{hers:?}");
    world.clock.pass(Duration::from_hours(24));
    let token = servers[0].token(&world.administrator.email).await;
    let bearer = format!("Bearer {token}");
    let late = [("Authorization", bearer.as_str()), ("Idempotency-Key", "um")];
    servers[0].call("POST", USUARIO, &late, &body("ana")).await.refuses(409);
    let long = "k".repeat(256);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", long.as_str())];
    servers[0].call("POST", USUARIO, &headers, &body("cris")).await.refuses(400);
    for server in servers {
        server.stop().await;
    }
}

#[both_engines]
async fn eight_requests_with_one_key_at_once_do_the_work_once(world: World) {
    let mut servers = Vec::new();
    for app in world.processes() {
        servers.push(std::sync::Arc::new(Server::start(app.clone()).await));
    }
    let token = servers[0].token(&world.administrator.email).await;
    let answers = testkit::eight_at_once(|number| {
        let (server, bearer) = (servers[number % servers.len()].clone(), format!("Bearer {token}"));
        async move {
            let body = r#"{"nome": "Ana", "email": "ana@x.example", "perfil": "administrador"}"#;
            server.call("POST", USUARIO, &[("Authorization", &bearer), ("Idempotency-Key", "k")], body).await
        }
    })
    .await;
    let done: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert!(!done.is_empty() && done.iter().all(|answer| answer.body == done[0].body));
    assert_eq!(done.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count(), 1);
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(refused.refuses(409).contains("em andamento"));
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
}

#[both_engines]
async fn every_answer_carries_a_request_id_and_the_callers_own_where_he_sent_one(world: World) {
    let server = Server::start(world.app().clone()).await;
    let ids = async |given: &str, path: &str| {
        let answer = server.call("GET", path, &[("X-Request-Id", given)], "").await;
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(ids("meu-pedido-7", "/ext/beneficio/vencimento").await, "meu-pedido-7");
    assert_eq!(ids("meu-pedido-7", "/nada").await, "meu-pedido-7");
    let long = "x".repeat(129);
    for odd in ["com espaço", "", long.as_str()] {
        let given = ids(odd, "/nada").await;
        assert_eq!((given.len(), given.bytes().all(|byte| byte.is_ascii_hexdigit())), (16, true), "{given}");
    }
    assert_ne!(ids("", "/nada").await, ids("", "/nada").await);
    server.stop().await;
}

#[both_engines]
async fn a_panic_and_a_defect_are_plain_text_that_names_the_request_and_nothing_of_the_inside(world: World) {
    let pages =
        Router::new().route("/quebra", get(async || -> &'static str { panic!("segredo do interior") }));
    let server = Server::start_as(world.app().clone(), Setup { pages, ..Setup::default() }).await;
    let broken = server.call("GET", "/quebra", &[("X-Request-Id", "pedido-1")], "").await;
    assert!(broken.refuses(500).contains("pedido-1") && !broken.body.contains("segredo"), "{broken:?}");
    assert_eq!(broken.header("x-request-id"), Some("pedido-1"));
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"), "the others go on");
    server.stop().await;
}

#[both_engines]
async fn while_the_database_is_gone_operations_answer_503(world: World) {
    let app = world.app().clone();
    let server = Server::start(app.clone()).await;
    let token = server.token(&world.operator.email).await;
    app.db.close().await;
    assert!(server.read(LOJA, &token).await.refuses(503).contains("banco de dados"));
    server.enter(&world.operator.email, PASSWORD).await.refuses(503);
    server.call("GET", "/ext/beneficio/vencimento", &[], "").await.refuses(503);
    server.stop().await;
}

#[both_engines]
async fn answers_are_compressed_where_asked(world: World) {
    let server = Server::start(world.app().clone()).await;
    let plain = server.call("GET", "/ext/beneficio/situacaoBeneficio", &[], "").await;
    assert_eq!(plain.header("content-encoding"), None);
    let small = server.call("GET", "/healthz", &[("Accept-Encoding", "gzip, br")], "").await;
    assert_eq!((small.header("content-encoding"), small.body.as_str()), (None, "vivo\n"), "not worth it");
    let request = "GET /ext/beneficio/situacaoBeneficio HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let head_end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap().to_lowercase();
    assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
    let start = bytes.windows(2).position(|two| two == [0x1f, 0x8b]).unwrap();
    let mut text = String::new();
    let _ = flate2::read::GzDecoder::new(&bytes[start..]).take(100).read_to_string(&mut text);
    assert!(plain.body.starts_with(&text) && text.len() == 100, "{text}");
    server.stop().await;
}

#[both_engines]
async fn origins_are_told_only_where_they_are_configured(world: World) {
    let http = HttpOptions { origins: vec!["https://app.example".to_owned()], ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let ask = async |method: &str, origin: &str, extra: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> =
            [("Origin", origin)].into_iter().chain(extra.iter().copied()).collect();
        server.call(method, LOJA, &headers, "").await
    };
    let preflight =
        [("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "authorization")];
    let allowed = ask("OPTIONS", "https://app.example", &preflight).await;
    assert_eq!(allowed.status, 200, "{allowed:?}");
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(allowed.header("access-control-allow-headers").unwrap().contains("Authorization"));
    assert!(allowed.header("access-control-allow-methods").unwrap().contains("GET"));
    assert_eq!(allowed.header("access-control-allow-credentials"), None);
    let called = ask("GET", "https://app.example", &[]).await;
    called.refuses(401);
    assert_eq!(called.header("access-control-allow-origin"), Some("https://app.example"));
    for other in ["https://mau.example", "null", "https://app.example.mau.example"] {
        let refused = ask("OPTIONS", other, &preflight).await;
        refused.refuses(405);
        assert_eq!(refused.header("access-control-allow-origin"), None, "{other}");
    }
    ask("OPTIONS", "https://app.example", &[]).await.refuses(405);
    server.stop().await;
}

#[both_engines]
async fn a_preflight_names_the_methods_of_its_path(world: World) {
    let http = HttpOptions { origins: vec!["https://app.example".to_owned()], ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    for (path, methods) in [
        ("/ext/beneficio/1/cancelar", "PUT"),
        ("/ext/autenticacao", "POST"),
        ("/ext/associado", "GET, HEAD, POST"),
        ("/ext/crm/negocio/1", "GET, HEAD, PUT"),
        ("/nome-api/ext/crm/negocio/1/", "GET, HEAD, PUT"),
        (USUARIO, "GET, HEAD, POST"),
        ("/gestao/usuario/1", "GET, HEAD, PUT"),
        ("/openapi.json", "GET, HEAD"),
    ] {
        let preflight = [("Origin", "https://app.example"), ("Access-Control-Request-Method", "PUT")];
        let answer = server.call("OPTIONS", path, &preflight, "").await;
        assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{path}: {answer:?}");
        let mut told: Vec<&str> =
            answer.header("access-control-allow-methods").unwrap().split(", ").collect();
        told.sort_unstable();
        assert_eq!(told.join(", "), methods, "{path}");
        for header in ["Authorization", "Content-Type", "Idempotency-Key"] {
            assert!(answer.header("access-control-allow-headers").unwrap().contains(header), "{header}");
        }
    }
    let nowhere = [("Origin", "https://app.example"), ("Access-Control-Request-Method", "PUT")];
    server.call("OPTIONS", "/ext/nada", &nowhere, "").await.refuses(404);
    server.stop().await;
}

#[both_engines]
async fn a_body_that_dawdles_is_cut_off(world: World) {
    let http = HttpOptions { body_timeout: Duration::from_millis(50), ..HttpOptions::default() };
    let server = Server::start_as(world.app().clone(), Setup { http, ..Setup::default() }).await;
    let token = server.token(&world.administrator.email).await;
    let request = format!(
        "POST {USUARIO} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 100\r\n\r\n{{"
    );
    let answer = server.raw(&request).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    server.stop().await;
}

/// Whatever bytes come, the answer is a refusal in our words or the connection ends; the server goes on.
#[both_engines]
async fn odd_requests_do_not_disturb(world: World) {
    let server = Server::start(world.app().clone()).await;
    for odd in [
        "GET /ext/%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /ext/%ff%fe/..%2f..%2fetc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /docs/../../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /docs/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET http://outro.example/ext/administracao/loja HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \u{7f}\r\nConnection: close\r\n\r\n",
        "GET /ext/beneficio/vencimento HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
        "nada disso é http\r\n\r\n",
    ] {
        let answer = server.raw(odd).await;
        assert!(!answer.contains("HTTP/1.1 5") && !answer.contains("root:"), "{odd}: {answer}");
    }
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
    server.stop().await;
}

/// Who is refused over a large body still reads why, instead of a connection that breaks under him.
#[both_engines]
async fn a_refusal_of_a_large_body_arrives(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = server.token(&world.administrator.email).await;
    let body = "x".repeat(6 * 1024 * 1024);
    for (path, token, status) in [(USUARIO, token.as_str(), 413), (USUARIO, "nada", 401), ("/nada", "", 404)]
    {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        let answer = answer.strip_prefix("HTTP/1.1 100 Continue\r\n\r\n").unwrap_or(&answer);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
    }
    server.stop().await;
}

#[both_engines]
async fn one_address_cannot_take_every_connection(world: World) {
    let limits = api::ConnectionLimits { max_connections: 8, max_per_address: 3, ..Server::LIMITS };
    let server = Server::start_with(world.app().clone(), limits).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(tokio::net::TcpStream::connect(server.address).await.unwrap());
    }
    let mut fourth = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let mut nothing = Vec::new();
    let _ = fourth.read_to_end(&mut nothing).await;
    assert!(nothing.is_empty(), "it is closed at once");
    drop(held);
    testkit::until("there is room again", || async {
        let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        answer.starts_with("HTTP/1.1 200")
    })
    .await;
    server.stop().await;
}

#[both_engines]
async fn who_does_not_take_up_his_answer_loses_his_connection(world: World) {
    // More than the system's own buffers hold.
    let pages = Router::new().route("/longa", get(async || "x".repeat(64 * 1024 * 1024)));
    let http = HttpOptions { body_timeout: Duration::from_millis(200), ..HttpOptions::default() };
    let limits = api::ConnectionLimits { max_connections: 1, ..Server::LIMITS };
    let setup = Setup { http, pages, limits, ..Setup::default() };
    let server = Server::start_as(world.app().clone(), setup).await;
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /longa HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let next = server.get("/healthz").await;
    assert!(next.starts_with("HTTP/1.1 200"), "the one place is free again");
    server.stop().await;
}
