//! The console's door through HTTP: what opens a page, what the management takes, and how a session ends.

use crate::phone;

use app::access::{second_factor, sessions};
use domain::Clock;
use serde_json::json;
use std::time::Duration;
use testkit::{Reply, Server, World, both_engines};

const MINUTE: Duration = Duration::from_mins(1);
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

async fn open(server: &Server, path: &str, token: &str, more: &[(&str, &str)]) -> Reply {
    let cookie = format!("__Host-amparo={token}");
    server.call("GET", path, &[&[("Cookie", cookie.as_str())][..], more].concat(), "").await
}

fn leads_to(reply: &Reply) -> &str {
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.header("location").unwrap()
}

async fn demand(server: &Server, token: &str, roles: serde_json::Value) {
    let version = server.read("/gestao/base", token).await.json()["versao"].clone();
    let body = json!({"versao": version, "segundoFatorObrigatorio": roles});
    let reply = server.put("/gestao/base", token, &body.to_string()).await;
    assert_eq!((reply.status, &reply.json()["segundoFatorObrigatorio"]), (200, &roles), "{reply:?}");
}

#[both_engines]
async fn a_programs_token_is_no_session_of_the_console(world: World) {
    let server = Server::start(world.app().clone()).await;
    let program = server.token(&world.administrator.email).await;
    assert!(leads_to(&open(&server, "/console", &program, &[]).await).starts_with("/console/entrar"));
    let console = server.console_token(&world.administrator.email).await;
    assert_eq!(open(&server, "/console", &console, &[]).await.status, 200);
    assert_eq!(server.read("/gestao/base", &program).await.status, 200, "without a factor it reaches all");
    server.stop().await;
}

#[both_engines]
async fn a_demanded_factor_is_set_up_before_anything_else(world: World) {
    let server = Server::start(world.processes()[0].clone()).await;
    let administrator = server.token(&world.administrator.email).await;
    let refused = json!({"versao": 1, "segundoFatorObrigatorio": ["integracao"]}).to_string();
    server.put("/gestao/base", &administrator, &refused).await.refuses(400);
    demand(&server, &administrator, json!(["operador"])).await;
    let console = server.console_token(&world.operator.email).await;
    for path in ["/console", "/console/associados", "/console/conta", "/console/conta/sessoes"] {
        let reply = open(&server, path, &console, &[]).await;
        assert!(
            reply.status == 405 || leads_to(&reply) == "/console/conta/segundo-fator",
            "{path}: {reply:?}"
        );
    }
    let page = open(&server, "/console/conta/segundo-fator", &console, &[]).await;
    assert!(page.status == 200 && page.body.contains("exige o segundo fator"), "{page:?}");
    let program = server.token(&world.operator.email).await;
    let told = server.read("/gestao/negocio", &program).await;
    assert!(told.refuses(403).contains("exige o segundo fator"), "{told:?}");
    server.read("/gestao/negocio", &console).await.refuses(403);
    assert_eq!(server.read("/ext/administracao/loja", &program).await.status, 200);
    let integration = server.token(&world.integration.email).await;
    assert_eq!(server.read("/ext/administracao/loja", &integration).await.status, 200);
    assert_eq!(server.read("/gestao/base", &administrator).await.status, 200, "nothing is demanded of them");
    demand(&server, &administrator, json!([])).await;
    assert_eq!(open(&server, "/console", &console, &[]).await.status, 200, "at once");
    server.stop().await;
}

#[both_engines]
async fn a_session_that_nobody_uses_ends_and_a_script_does_not_use_it(world: World) {
    let app = world.processes()[0].clone();
    let limit = app.idle_limit.unwrap();
    let server = Server::start(app.clone()).await;
    let token = server.console_token(&world.operator.email).await;
    for _ in 0..4 {
        app::cache::refresh_versions(&app).await.unwrap();
        world.clock.pass(limit.checked_sub(MINUTE).unwrap());
        assert_eq!(open(&server, "/console", &token, &[]).await.status, 200, "who works goes on");
    }
    world.clock.pass(limit.checked_sub(MINUTE).unwrap());
    assert_eq!(open(&server, "/console", &token, &[("X-Passivo", "1")]).await.status, 200);
    world.clock.pass(MINUTE);
    assert!(leads_to(&open(&server, "/console", &token, &[]).await).starts_with("/console/entrar"));
    let program = server.token(&world.operator.email).await;
    world.clock.pass(limit * 2);
    assert_eq!(server.read("/ext/administracao/loja", &program).await.status, 200, "programs wait");
    server.stop().await;
}

#[both_engines]
async fn leaving_clears_what_the_browser_keeps(world: World) {
    let server = Server::start(world.app().clone()).await;
    let token = server.console_token(&world.operator.email).await;
    let cookie = format!("__Host-amparo={token}");
    let left = server.call("POST", "/console/sair", &[("Cookie", &cookie), FORM], "").await;
    assert_eq!(left.header("clear-site-data"), Some("\"storage\""));
    assert!(leads_to(&open(&server, "/console", &token, &[]).await).starts_with("/console/entrar"));
    server.stop().await;
}

#[both_engines]
async fn a_program_ends_its_own_token_whatever_it_reaches(world: World) {
    let server = Server::start(world.processes()[0].clone()).await;
    let administrator = server.token(&world.administrator.email).await;
    demand(&server, &administrator, json!(["operador"])).await;
    for email in [&world.operator.email, &world.integration.email] {
        let [ended, other] = [server.token(email).await, server.token(email).await];
        let bearer = format!("Bearer {ended}");
        let reply = server.call("DELETE", "/gestao/sessao", &[("Authorization", &bearer)], "").await;
        assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"encerrada":true}"#));
        server.read("/ext/administracao/loja", &ended).await.refuses(401);
        assert_eq!(server.read("/ext/administracao/loja", &other).await.status, 200, "others go on");
    }
    server.stop().await;
}

/// Also what is told of a program's own way in with a code.
#[both_engines]
async fn a_token_given_with_a_code_reaches_the_management(world: World) {
    let app = &world.processes()[0];
    let server = Server::start(app.clone()).await;
    let console = server.console_token(&world.administrator.email).await;
    let visitor = sessions::load_console_user(app, &console).await.unwrap();
    let from = std::net::IpAddr::from([127, 0, 0, 1]).into();
    assert!(second_factor::begin_enrolment(app, &visitor, testkit::PASSWORD, from).await.unwrap());
    let secret = second_factor::find_enrolment_secret(app, &visitor).await.unwrap().unwrap().text;
    let now = phone::code(&secret, world.clock.now());
    let recovery = second_factor::confirm_enrolment(app, &visitor, &now).await.unwrap().unwrap();
    let basic = testkit::basic(&world.administrator.email, testkit::PASSWORD);
    let enter = async |headers: &[(&str, &str)]| server.call("POST", "/gestao/sessao", headers, "").await;
    enter(&[("Authorization", &basic)]).await.refuses(403);
    enter(&[("Authorization", &basic), ("X-Codigo", "000000")]).await.refuses(401);
    let entered = enter(&[("Authorization", &basic), ("X-Codigo", &recovery[0])]).await;
    let token = entered.json()["authorizationToken"].as_str().unwrap().to_owned();
    assert_eq!(server.read("/gestao/base", &token).await.status, 200);
    enter(&[("Authorization", &basic), ("X-Codigo", &recovery[0])]).await.refuses(401);
    let by_password = server.token(&world.administrator.email).await;
    assert!(server.read("/gestao/base", &by_password).await.refuses(403).contains("segundo fator"));
    let audit = server.read("/gestao/auditoria", &token).await.json();
    let told = |detail: &str, result: &str| {
        let mut all = audit["itens"].as_array().unwrap().iter();
        all.any(|one| {
            one["detalhe"].as_str().is_some_and(|text| text.ends_with(detail))
                && one["resultado"] == result
                && one["endereco"] == "127.0.0.1"
        })
    };
    assert!(told("usou um código de recuperação", "sucesso"), "{audit}");
    assert!(told("teve um código recusado", "falha"), "{audit}");
    assert!(told("entrou pela API com o segundo fator", "sucesso"), "{audit}");
    server.stop().await;
}
