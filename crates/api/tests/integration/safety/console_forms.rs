//! No other site sends a form of the console, and no cookie that somebody else planted offers one.

use crate::safety::browser::{Browser, FORM, set_cookie};
use testkit::{Server, World, both_engines};

/// Every path of the console that takes something.
fn posting_paths() -> Vec<String> {
    let posting = console::list_routes().into_iter().filter(|route| route.method == "POST");
    posting.map(|route| route.path).collect()
}

/// With a code, a register or whatever the path asks for.
fn filled(path: &str) -> String {
    let fill = |part: &str| match part {
        "{registro}" => "planos".to_owned(),
        part if part.starts_with('{') => "1".to_owned(),
        part => part.to_owned(),
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

#[both_engines]
async fn no_form_of_the_console_is_taken_from_another_site(world: World) {
    let server = Server::start(world.app().clone()).await;
    let mut browser = Browser::signed_in(&server, &world.administrator.email).await;
    let paths = posting_paths();
    assert!(paths.len() > 80, "{paths:?}");
    assert!(paths.iter().any(|path| path == "/console/filtros/{codigo}/apagar"), "{paths:?}");
    for path in paths.iter().map(|path| filled(path)) {
        for foreign in [
            &[("Origin", "https://evil.example"), ("Content-Type", "text/plain")][..],
            &[("Sec-Fetch-Site", "cross-site"), FORM],
            &[("Sec-Fetch-Site", "same-site"), ("Origin", "http://localhost"), FORM],
        ] {
            let reply = browser.send("POST", &path, foreign, "a=b").await;
            assert!(reply.refuses(403).contains("outro site"), "{path} {foreign:?}: {reply:?}");
        }
    }
    assert_eq!(browser.get("/console").await.status, 200, "still signed in");
    server.stop().await;
}

#[both_engines]
async fn a_foreign_site_does_not_delete_a_saved_filter(world: World) {
    let server = Server::start(world.app().clone()).await;
    let mut browser = Browser::signed_in(&server, &world.operator.email).await;
    let saved = browser.post("/console/filtros", "lista=associados&nome=De+casa&consulta=uf%3DSP").await;
    assert_eq!(saved.status, 303, "{saved:?}");
    let foreign = [("Origin", "https://evil.example"), ("Content-Type", "text/plain")];
    browser.send("POST", "/console/filtros/1/apagar", &foreign, "").await.refuses(403);
    assert!(browser.get("/console/associados").await.body.contains("De casa"));
    let own = browser.post("/console/filtros/1/apagar", "").await;
    assert_eq!(own.status, 303, "{own:?}");
    assert!(!browser.get("/console/associados").await.body.contains("filtros/1/apagar"));
    server.stop().await;
}

const NOTICE: &str = "__Host-amparo-aviso";

#[both_engines]
async fn a_notice_and_its_undo_are_shown_to_the_session_that_they_were_made_for(world: World) {
    let server = Server::start(world.processes()[0].clone()).await;
    let mut browser = Browser::signed_in(&server, &world.operator.email).await;
    browser.post("/console/filtros", "lista=associados&nome=De+casa&consulta=uf%3DSP").await;
    let deleted = browser.post("/console/filtros/1/apagar", "").await;
    let cookie = set_cookie(&deleted, NOTICE).unwrap().to_owned();
    for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("casa"), "nobody reads it on the way: {cookie}");
    let sealed = browser.cookies[NOTICE].clone();
    // Another process with the server's key opens it.
    let last = Server::start(world.processes()[world.processes().len() - 1].clone()).await;
    let cookies = browser.cookies.clone();
    let page = Browser { server: &last, cookies }.get("/console/associados").await;
    assert!(page.body.contains("apagado.") && page.body.contains("Desfazer"), "{page:?}");
    assert!(page.body.contains("action=\"/console/filtros\""));
    // It was said once.
    browser.get("/console/associados").await;
    assert!(!browser.cookies.contains_key(NOTICE));
    assert!(!browser.get("/console/associados").await.body.contains("Desfazer"));
    // Another session of the same person shows nothing of it.
    let mut other = Browser::signed_in(&server, &world.operator.email).await;
    other.cookies.insert(NOTICE.to_owned(), sealed);
    let page = other.get("/console/associados").await;
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("apagado.") && !page.body.contains("Desfazer"), "{page:?}");
    last.stop().await;
    server.stop().await;
}

#[both_engines]
async fn a_planted_cookie_offers_nothing(world: World) {
    let server = Server::start(world.app().clone()).await;
    let mut browser = Browser::signed_in(&server, &world.administrator.email).await;
    let action = "%2Fconsole%2Fusuarios%2Fnovo%3Fnome%3DSuporte%26email%3Dintruso%2540evil.example";
    for name in ["amparo-aviso", "amparo-desfazer", NOTICE] {
        for value in [action, "Clique+em+Desfazer", "texto=Clique&destino=/console/usuarios/novo"] {
            browser.cookies.insert(name.to_owned(), value.to_owned());
        }
    }
    let page = browser.get("/console").await;
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("Clique") && !page.body.contains("Desfazer"), "{page:?}");
    assert!(!page.body.contains("intruso"));
    server.stop().await;
}
