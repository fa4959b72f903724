//! The overview of money: each figure opens a list with the same sum, for everybody who may see it.

use crate::scene::ConsoleScene;
use std::time::Duration;
use testkit::{World, both_engines};

const OVERVIEW: &str = "/console/financeiro";

async fn read_page(scene: &ConsoleScene, token: &str, path: &str) -> String {
    let answer = scene.get(token, path).await.head;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body.replace('\u{a0}', " ").replace("&amp;", "&").replace("&#38;", "&")
}

/// The figures on top of the page: amount and link.
fn list_figures(page: &str) -> Vec<(String, String)> {
    let between = |text: &str, start: &str, end: &str| {
        let from = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}")).1;
        from.split_once(end).unwrap().0.trim().to_owned()
    };
    let figures = page.split("<a class=\"figure ").skip(1);
    figures.map(|text| (between(text, "<strong>", "</strong>"), between(text, "href=\"", "\""))).collect()
}

/// The links of the tables of a page into the list of titles, with the amounts that they stand on.
fn list_amount_links(page: &str) -> Vec<(String, String)> {
    let links = page.split("<a href=\"").skip(1).filter_map(|text| text.split_once("\">"));
    let of_titles = links.filter(|(link, _)| link.starts_with("/console/financeiro/titulos?"));
    let texts = of_titles.map(|(link, rest)| (rest.split('<').next().unwrap_or_default(), link));
    texts
        .filter(|(text, _)| text.contains("R$"))
        .map(|(text, link)| (text.to_owned(), link.to_owned()))
        .collect()
}

async fn assert_figures_open_their_titles(scene: &ConsoleScene, token: &str, path: &str, amounts: [&str; 4]) {
    let page = read_page(scene, token, path).await;
    let figures = list_figures(&page);
    let shown: Vec<&str> = figures.iter().map(|(amount, _)| amount.as_str()).collect();
    assert_eq!(shown, amounts, "{path}");
    for (amount, link) in figures.iter().chain(&list_amount_links(&page)) {
        let list = read_page(scene, token, link).await;
        let is_empty = list.contains("Nenhum título encontrado") && amount == "R$ 0,00";
        assert!(is_empty || list.contains(amount), "{path}: {amount} is not in {link}");
    }
}

#[both_engines]
async fn each_figure_opens_its_titles(world: World) {
    let scene = ConsoleScene::on(world).await;
    let nothing = "R$ 0,00";
    for (token, path, amounts) in [
        (&scene.administrator, OVERVIEW, ["R$ 180,00", nothing, "R$ 20,00", nothing]),
        (&scene.administrator, "/console/financeiro?codLoja=1", ["R$ 90,00", nothing, "R$ 10,00", nothing]),
        (&scene.administrator, "/console/financeiro?codLoja=77", [nothing; 4]),
        (&scene.operator, OVERVIEW, ["R$ 90,00", nothing, "R$ 10,00", nothing]),
        (&scene.operator, "/console/financeiro?codLoja=1", [nothing; 4]),
        (&scene.foreigner, OVERVIEW, ["R$ 270,00", nothing, "R$ 30,00", nothing]),
    ] {
        assert_figures_open_their_titles(&scene, token, path, amounts).await;
    }
    let page = read_page(&scene, &scene.administrator, OVERVIEW).await;
    assert!(page.contains("Nenhum título está vencido.") && page.contains("role=\"img\""), "{page}");
    scene.server.stop().await;
}

#[both_engines]
async fn what_is_late_is_shown_by_its_delay(world: World) {
    let scene = ConsoleScene::on(world).await;
    let nothing = "R$ 0,00";
    for (days, received_before) in [(45, "R$ 20,00"), (30, nothing), (60, nothing)] {
        scene.world.clock.pass(Duration::from_hours(24 * days));
        let admin = scene.server.console_token(&scene.world.administrator.email).await;
        assert_figures_open_their_titles(
            &scene,
            &admin,
            OVERVIEW,
            ["R$ 180,00", "R$ 180,00", nothing, received_before],
        )
        .await;
        let page = read_page(&scene, &admin, OVERVIEW).await;
        assert!(page.contains("dias · 2 títulos"), "{page}");
    }
    scene.server.stop().await;
}

#[both_engines]
async fn a_reversed_payment_was_not_received(world: World) {
    let scene = ConsoleScene::on(world).await;
    let reversed = scene
        .post(&scene.administrator, "/console/financeiro/titulos/1/estornar/1", "motivo=Cheque+devolvido")
        .await
        .head;
    assert_eq!(reversed.status, 303, "{reversed:?}");
    let amounts = ["R$ 190,00", "R$ 0,00", "R$ 10,00", "R$ 0,00"];
    assert_figures_open_their_titles(&scene, &scene.administrator, OVERVIEW, amounts).await;
    scene.server.stop().await;
}
