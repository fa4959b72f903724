//! Pages tell nothing by their length, and nothing of people by their address.

use crate::browser::Browser;
use testkit::{PASSWORD, Server, World, both_engines};

const COMPRESSED: (&str, &str) = ("Accept-Encoding", "gzip, br, deflate, zstd");

/// The secret of a second factor, as the page that offers it shows it: groups of letters and digits.
fn secret_on(page: &str) -> String {
    let texts = page.split(['<', '>']).map(str::trim);
    let is_key = |text: &&str| {
        text.len() > 30 && text.chars().all(|sign| sign == ' ' || sign.is_ascii_uppercase() || sign.is_ascii_digit())
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
