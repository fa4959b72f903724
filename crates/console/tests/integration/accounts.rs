//! The forms of sessions, passwords and the second factor, each sent as it is meant.

use crate::scene::{ConsoleScene, FORM};
use domain::{Clock, Moment};
use ring::hmac;
use std::sync::Arc;
use std::time::Duration;
use testkit::{
    Database, Engine, PASSWORD, PUBLIC_URL, Reply, Server, StillClock, World, app_on, both_engines, until,
};

/// The routes whose valid forms are sent here.
pub const ROUTES: [&str; 11] = [
    "/senha/esqueci",
    "/senha/nova/{codigo}",
    "/console/comecar/{codigo}",
    "/console/entrar",
    "/console/entrar/codigo",
    "/console/sair",
    "/console/tema",
    "/console/conta/senha",
    "/console/conta/sessoes",
    "/console/conta/segundo-fator",
    "/console/usuarios/{codigo}/segundo-fator",
];

const NEW_PASSWORD: &str = "uma frase bem minha";

fn find_cookie(reply: &Reply, name: &str) -> String {
    let start = format!("{name}=");
    let set = reply.headers.iter().find_map(|(_, value)| value.strip_prefix(&start));
    set.unwrap_or_else(|| panic!("{name} is not set: {reply:?}")).split(';').next().unwrap().to_owned()
}

fn encode_form(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// What an authenticator shows for a secret in base 32 (RFC 6238).
fn compute_code(secret: &str, now: Moment) -> String {
    let signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digits = secret.chars().map(|sign| signs.find(sign).unwrap());
    let bits: Vec<usize> = digits.flat_map(|five| (0..5).rev().map(move |bit| five >> bit & 1)).collect();
    let bytes = bits.chunks_exact(8).map(|eight| eight.iter().fold(0, |sum, bit| sum << 1 | bit));
    let secret: Vec<u8> = bytes.map(|byte| u8::try_from(byte).unwrap()).collect();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &secret);
    let tag = hmac::sign(&key, &(now.millis() / 30_000).to_be_bytes());
    let start = usize::from(tag.as_ref()[19] & 0x0f);
    let four: [u8; 4] = tag.as_ref()[start..start + 4].try_into().unwrap();
    format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000)
}

#[both_engines]
async fn a_second_factor_is_turned_on_asked_for_and_removed(world: World) {
    let scene = ConsoleScene::on(world).await;
    let (place, token) = ("/console/conta/segundo-fator", scene.operator.clone());
    let begun = scene.post(&token, place, &encode_form(&[("acao", "ligar"), ("senha", PASSWORD)])).await.head;
    assert_eq!((begun.status, begun.header("location")), (303, Some(place)), "{begun:?}");
    let page = scene.get(&token, place).await.head.body;
    let secret = page.split("secret=").nth(1).unwrap().split('&').next().unwrap();
    let code = compute_code(secret, scene.world.clock.now());
    let confirmed =
        scene.post(&token, place, &encode_form(&[("acao", "confirmar"), ("prova", &code)])).await.head;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    scene.world.clock.pass(Duration::from_secs(30));
    let email = scene.world.operator.email.as_str();
    let typed = encode_form(&[("usuario", email), ("senha", PASSWORD), ("para", "/console/conta")]);
    let asked = scene.post("", "/console/entrar", &typed).await.head;
    assert_eq!(asked.header("location"), Some("/console/entrar/codigo?para=%2Fconsole%2Fconta"), "{asked:?}");
    let pending = format!("__Host-amparo-meio={}", find_cookie(&asked, "__Host-amparo-meio"));
    let code = compute_code(secret, scene.world.clock.now());
    let headers = [("Cookie", pending.as_str()), ("Content-Type", FORM)];
    let wrong = scene.send("", "POST", "/console/entrar/codigo", &headers, b"codigo=000000").await.head;
    assert!(wrong.status == 401 && wrong.session().is_none(), "{wrong:?}");
    assert_eq!(scene.send("", "GET", "/console/entrar/codigo", &headers[..1], b"").await.head.status, 200);
    let typed = encode_form(&[("codigo", &code), ("para", "/console/conta")]);
    let entered = scene.send("", "POST", "/console/entrar/codigo", &headers, typed.as_bytes()).await.head;
    assert_eq!((entered.status, entered.header("location")), (303, Some("/console/conta")), "{entered:?}");
    assert_eq!(scene.get(&entered.session().unwrap(), "/console/conta").await.head.status, 200);
    let removed = scene.post(&scene.administrator, "/console/usuarios/2/segundo-fator", "").await.head;
    assert_eq!(removed.status, 303, "{removed:?}");
    assert!(!scene.read_database().await.contains("second_factors: "));
    scene.server.stop().await;
}

#[both_engines]
async fn a_session_begins_is_changed_and_ends(world: World) {
    let scene = ConsoleScene::on(world).await;
    let email = scene.world.operator.email.as_str();
    let typed = encode_form(&[("usuario", email), ("senha", PASSWORD), ("para", "https://evil.example")]);
    let entered = scene.post("", "/console/entrar", &typed).await.head;
    assert_eq!((entered.status, entered.header("location")), (303, Some("/console")), "{entered:?}");
    let other = entered.session().unwrap();
    let dark = scene.post("", "/console/tema", "tema=escuro&para=/console/conta").await.head;
    assert_eq!((dark.status, dark.header("location")), (303, Some("/console/conta")));
    assert_eq!(find_cookie(&dark, "amparo-tema"), "escuro");
    // A session is ended from another one of the same person.
    let page = scene.get(&scene.operator, "/console/conta").await.head.body;
    let sessions: Vec<&str> = page.split("name=\"sessao\" value=\"").skip(1).collect();
    for session in &sessions {
        let id = session.split('"').next().unwrap();
        let ended = scene.post(&scene.operator, "/console/conta/sessoes", &format!("sessao={id}")).await.head;
        assert_eq!((ended.status, ended.header("location")), (303, Some("/console/conta")), "{ended:?}");
    }
    assert_eq!(scene.get(&other, "/console/conta").await.head.status, 303, "{} sessions", sessions.len());
    assert_eq!(scene.get(&scene.operator, "/console/conta").await.head.status, 200);
    let typed = encode_form(&[("atual", PASSWORD), ("senha", NEW_PASSWORD), ("repetida", NEW_PASSWORD)]);
    let changed = scene.post(&scene.operator, "/console/conta/senha", &typed).await.head;
    assert_eq!((changed.status, changed.header("location")), (303, Some("/console")), "{changed:?}");
    assert_eq!(
        scene.get(&scene.operator, "/console/conta").await.head.status,
        303,
        "the old session has ended"
    );
    let token = changed.session().unwrap();
    let left = scene.post(&token, "/console/sair", "").await.head;
    assert_eq!((left.status, left.header("location")), (303, Some("/console/entrar")), "{left:?}");
    assert_eq!(scene.get(&token, "/console/conta").await.head.status, 303);
    assert_eq!(scene.server.enter(email, NEW_PASSWORD).await.status, 200);
    scene.server.stop().await;
}

#[both_engines]
async fn a_forgotten_password_is_replaced_by_a_mailed_link(world: World) {
    let scene = ConsoleScene::on(world).await;
    let email = scene.world.operator.email.as_str();
    let asked = scene.post("", "/senha/esqueci", &encode_form(&[("email", email)])).await.head;
    assert_eq!(asked.status, 200, "{asked:?}");
    until("the link is mailed", || async { scene.read_database().await.contains("/senha/nova/") }).await;
    let mail = scene.world.last_mail_to(email).await;
    let link = mail.lines().find_map(|line| line.strip_prefix(PUBLIC_URL)).unwrap().to_owned();
    assert_eq!(scene.get("", &link).await.head.status, 200, "{link}");
    let typed = encode_form(&[("senha", NEW_PASSWORD), ("repetida", NEW_PASSWORD)]);
    assert_eq!(scene.post("", &link, &typed).await.head.status, 200);
    assert_eq!(scene.server.enter(email, NEW_PASSWORD).await.status, 200);
    assert_eq!(scene.post("", &link, &typed).await.head.status, 410, "it is good once");
    scene.server.stop().await;
}

#[testkit::test]
async fn an_empty_server_is_set_up_by_its_link() {
    let database = Database::fresh(Engine::Sqlite).await;
    let app = app_on(database.open().await, Arc::new(StillClock::default()), 1);
    let server = Server::start(app.clone()).await;
    let code = app::tenants::setup::issue_setup_code(&app).await.unwrap().unwrap();
    let path = format!("/console/comecar/{code}");
    assert_eq!(server.call("GET", &path, &[], "").await.status, 200);
    let typed = encode_form(&[
        ("associacao", "Boa Vida"),
        ("loja", "Matriz"),
        ("nome", "Ana Souza"),
        ("email", "ana@exemplo.com.br"),
        ("senha", NEW_PASSWORD),
        ("repetida", NEW_PASSWORD),
    ]);
    let refused = server.call("POST", &path, &[("Content-Type", FORM)], "").await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let made = server.call("POST", &path, &[("Content-Type", FORM)], &typed).await;
    assert_eq!((made.status, made.header("location")), (303, Some("/console")), "{made:?}");
    assert_eq!(server.enter("ana@exemplo.com.br", NEW_PASSWORD).await.status, 200);
    server.stop().await;
}
