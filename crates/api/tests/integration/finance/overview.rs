//! `GET /gestao/financeiro/resumo`: what is open, late and received.

use crate::finance::scene::{late_title, scene};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const OVERVIEW: &str = "/gestao/financeiro/resumo";

#[both_engines]
async fn the_overview_sums_what_the_caller_sees(world: World) {
    let calls = scene(world).await;
    calls.saved(&calls.operator, crate::finance::scene::TITLES, &late_title()).await;
    let paid = calls.issue(json!({})).await;
    calls.settle(&paid, 41.2).await;
    let seen = calls.read(&calls.operator, OVERVIEW, &[]).await;
    assert_eq!(seen["dia"], "14/11/2026");
    assert_eq!(seen["aVencer"], json!({"quantidade": 1, "valor": 60}), "{seen}");
    assert_eq!(seen["vencidos"], json!({"quantidade": 1, "valor": 101.2}));
    assert_eq!(seen["faixas"][0], json!({"deDias": 1, "ateDias": 30, "quantidade": 1, "valor": 101.2}));
    assert_eq!(seen["faixas"][3], json!({"deDias": 91, "ateDias": null, "quantidade": 0, "valor": 0}));
    assert_eq!((&seen["recebidoNoMes"], &seen["recebidoNoMesAnterior"]), (&json!(41.2), &json!(0)));
    let last = &seen["meses"].as_array().unwrap()[11];
    assert_eq!(last["mes"], "11/2026");
    let all = calls.read(&calls.administrator, OVERVIEW, &[]).await;
    assert_eq!(all["aVencer"]["quantidade"], 2, "the other branch has a title, too");
    let far = calls.read(&calls.administrator, OVERVIEW, &[("codLoja", "1")]).await;
    assert_eq!((&far["aVencer"]["quantidade"], &far["vencidos"]["quantidade"]), (&json!(1), &json!(0)));
    for (caller, branch) in [(&calls.operator, "1"), (&calls.administrator, "99")] {
        let refused = calls.get(caller, OVERVIEW, &[("codLoja", branch)]).await;
        refused.refuses(400);
    }
    let there = calls.read(&calls.stranger, OVERVIEW, &[]).await;
    assert_ne!(there["aVencer"], Value::Null);
    assert_eq!(there["vencidos"]["quantidade"], 0);
}
