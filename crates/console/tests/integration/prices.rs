//! Prices on the console: where the price of a plan comes from, discounts of a benefit, and agreed prices that move to
//! the price table.

use crate::scene::ConsoleScene;
use testkit::{World, both_engines};

const BENEFIT: &str = "/console/beneficios/1";
const AGREED: &str = "/console/financeiro/valores-combinados";

/// A page with plain spaces inside amounts.
async fn read_page(scene: &ConsoleScene, path: &str) -> String {
    let answer = scene.get(&scene.administrator, path).await.head;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body.replace('\u{a0}', " ")
}

async fn store(scene: &ConsoleScene, path: &str, form: &str) {
    let answer = scene.post(&scene.administrator, path, form).await.head;
    assert_eq!(answer.status, 303, "{path} {form}: {answer:?}");
    assert!(!scene.is_refusal(&scene.administrator, &answer).await, "{path} {form}: {answer:?}");
}

fn assert_shows(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text} is not shown in {page}");
    }
}

/// The value of a hidden input.
fn read_hidden<'p>(page: &'p str, name: &str) -> &'p str {
    let after = page.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
    after.split('"').next().unwrap()
}

#[both_engines]
async fn a_plan_costs_what_was_agreed_or_what_the_table_says(world: World) {
    let scene = ConsoleScene::on(world).await;
    assert_shows(&read_page(&scene, BENEFIT).await, &["do plano"]);
    let typed = "codPlano=2&validoDesde=01/11/2026&valor=123,45";
    store(&scene, "/console/cadastros/tabelaPreco/novo", typed).await;
    assert_shows(&read_page(&scene, BENEFIT).await, &["R$ 123,45", "da tabela"]);
    store(&scene, &format!("{BENEFIT}/itens/1"), "valor=77,70").await;
    assert_shows(&read_page(&scene, BENEFIT).await, &["R$ 77,70", "combinado", "Usar a tabela de preços"]);
    store(&scene, &format!("{BENEFIT}/itens/1"), "combinado=false").await;
    let page = read_page(&scene, BENEFIT).await;
    assert_shows(&page, &["R$ 123,45", "da tabela"]);
    assert!(!page.contains("Usar a tabela de preços"), "{page}");
    scene.server.stop().await;
}

#[both_engines]
async fn a_discount_is_granted_and_ended_on_the_page_of_the_benefit(world: World) {
    let scene = ConsoleScene::on(world).await;
    store(&scene, "/console/cadastros/desconto/novo", "nome=Fidelidade&valor=15,00&natureza=ADMINISTRACAO")
        .await;
    let form = "codDesconto=3&desdeMes=12/2026&motivo=Dez+anos+de+casa";
    store(&scene, &format!("{BENEFIT}/descontos"), form).await;
    let page = read_page(&scene, BENEFIT).await;
    assert_shows(&page, &["Fidelidade", "R$ 15,00", "Dez anos de casa", "sem fim"]);
    let again = scene.post(&scene.administrator, &format!("{BENEFIT}/descontos"), form).await.head;
    assert!(scene.is_refusal(&scene.administrator, &again).await, "{again:?}");
    store(&scene, &format!("{BENEFIT}/descontos/3/encerrar"), "ateMes=02/2027&motivo=Mudou+de+plano").await;
    assert_shows(&read_page(&scene, BENEFIT).await, &["Encerrado: Mudou de plano"]);
    // Only the operator's own benefits.
    let far = scene.post(&scene.operator, "/console/beneficios/2/descontos", form).await.head;
    assert_eq!(far.status, 404, "{far:?}");
    scene.server.stop().await;
}

#[both_engines]
async fn agreed_prices_move_as_they_were_shown(world: World) {
    let scene = ConsoleScene::on(world).await;
    store(&scene, &format!("{BENEFIT}/itens/1"), "valor=77,70").await;
    store(&scene, "/console/cadastros/tabelaPreco/novo", "codPlano=2&validoDesde=01/11/2026&valor=100,00")
        .await;
    let page = read_page(&scene, &format!("{AGREED}?codPlano=2")).await;
    assert_shows(&page, &["R$ 77,70", "R$ 100,00", "+R$ 22,30", "Levar à tabela de preços"]);
    let names = ["envio", "codPlano", "codLoja", "quantidade", "total", "totalTabela"];
    let form: Vec<String> = names.map(|name| format!("{name}={}", read_hidden(&page, name))).into();
    let form = form.join("&");
    assert!(form.contains("quantidade=1&total=77.7&totalTabela=100"), "{form}");
    // The value changes before the form arrives.
    store(&scene, &format!("{BENEFIT}/itens/1"), "valor=80,00").await;
    let answer = scene.post(&scene.administrator, AGREED, &form).await.head;
    assert!(scene.is_refusal(&scene.administrator, &answer).await, "{answer:?}");
    store(&scene, &format!("{BENEFIT}/itens/1"), "valor=77,70").await;
    store(&scene, AGREED, &form).await;
    let page = read_page(&scene, &format!("{AGREED}?codPlano=2")).await;
    assert_shows(&page, &["Nenhum valor combinado pode ir à tabela."]);
    let refused = scene.get(&scene.operator, AGREED).await.head;
    assert_eq!(refused.status, 403, "{refused:?}");
    scene.server.stop().await;
}
