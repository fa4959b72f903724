//! Pages tell nothing by their length, and nothing of people by their address.

use crate::safety::browser::Browser;
use domain::Cpf;
use testkit::{PASSWORD, Server, World, both_engines};

const COMPRESSED: (&str, &str) = ("Accept-Encoding", "gzip, br, deflate, zstd");

/// The secret of a second factor, as the page that offers it shows it: groups of letters and digits.
fn secret_on(page: &str) -> String {
    let texts = page.split(['<', '>']).map(str::trim);
    let is_key = |text: &&str| {
        text.len() > 30
            && text.chars().all(|sign| sign == ' ' || sign.is_ascii_uppercase() || sign.is_ascii_digit())
    };
    texts.filter(is_key).map(|text| text.replace(' ', "")).next().unwrap_or_else(|| panic!("a key on {page}"))
}

#[both_engines]
async fn the_length_of_a_page_says_nothing_of_the_secret_on_it(world: World) {
    let server = Server::start(world.app().clone()).await;
    let mut browser = Browser::signed_in(&server, &world.administrator.email).await;
    let begin = format!("acao=ligar&senha={}", PASSWORD.replace(' ', "+"));
    assert_eq!(browser.post("/console/conta/segundo-fator", &begin).await.status, 303);
    let page = browser.get("/console/conta/segundo-fator").await;
    let secret = secret_on(&page.body);
    let mut lengths = Vec::new();
    for guess in [&secret[..8], "0000ZZZZ", "98765432"] {
        let path = format!("/console/conta/segundo-fator?secret={guess}");
        let page = browser.send("GET", &path, &[COMPRESSED], "").await;
        assert_eq!((page.status, page.header("content-encoding")), (200, None), "{guess}");
        lengths.push(page.header("content-length").map_or(page.body.len(), |text| text.parse().unwrap()));
    }
    assert_eq!(lengths, [lengths[0]; 3], "a right guess is as long as a wrong one");
    for path in ["/console", "/console/associados?nome=ana"] {
        let page = browser.send("GET", path, &[COMPRESSED], "").await;
        assert_eq!((page.status, page.header("content-encoding")), (200, None), "{path}");
    }
    // What is the same for everybody still is compressed.
    let style = server.send("GET", "/console/console.css", &[("Accept-Encoding", "gzip")], b"").await;
    assert_eq!(style.head.header("content-encoding"), Some("gzip"));
    server.stop().await;
}

/// A member of the branch of the operator, by a number.
async fn member(server: &Server, token: &str, number: u8, name: &str) -> (String, String) {
    let cpf = Cpf::with_check_digits([1, 1, 1, 2, 2, 2, 3, 3, number]).unwrap().to_string();
    let body = format!(r#"{{"nomePessoa": "{name}", "cpfCnpj": "{cpf}", "codLoja": 2}}"#);
    let saved = server.write("/ext/associado", token, &body).await.json();
    (cpf, saved["codPessoa"].to_string())
}

#[both_engines]
async fn a_document_that_is_looked_for_stands_in_no_address(world: World) {
    let server = Server::start(world.processes()[0].clone()).await;
    let token = server.token(&world.operator.email).await;
    let (cpf, person) = member(&server, &token, 1, "Ana Prova").await;
    member(&server, &token, 2, "Beto Prova").await;
    let mut browser = Browser::signed_in(&server, &world.operator.email).await;
    // The forms are sent, and do not ask for an address.
    let page = browser.get("/console/associados").await;
    assert!(page.body.contains("method=\"post\" action=\"/console/busca\""), "{page:?}");
    assert!(page.body.contains("method=\"post\" action=\"/console/associados\""));
    let found = browser.post("/console/busca", &format!("q={cpf}")).await;
    let to = found.header("location").unwrap();
    assert!(found.status == 303 && to.ends_with(&format!("/console/associados/{person}")), "{found:?}");
    let nobody = browser.post("/console/busca", "q=529.982.247-25").await;
    assert!(nobody.status == 200 && nobody.body.contains("Nada foi encontrado"), "{nobody:?}");
    let listed = browser.post("/console/associados", &format!("nome=&cpf={cpf}&uf=")).await;
    assert!(listed.status == 200 && listed.body.contains("Ana Prova"), "{listed:?}");
    assert!(!listed.body.contains("Beto Prova"));
    // Everything else has an address to come back to.
    for (path, form) in [("/console/busca", "q=prova"), ("/console/associados", "nome=prova&cpf=&uf=")] {
        let sent = browser.post(path, form).await;
        let to = sent.header("location").unwrap().to_owned();
        assert!(sent.status == 303 && to.contains("=prova") && !to.contains("cpf"), "{sent:?}");
        let path = &to[to.find("/console").unwrap()..];
        let page = browser.get(path).await;
        assert!(page.body.contains("Ana Prova") && page.body.contains("Beto Prova"), "{page:?}");
    }
    server.stop().await;
}
