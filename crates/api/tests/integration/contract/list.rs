//! `GET /ext/beneficio/lista`: all benefits, a hundred a page.

use crate::calls::{Calls, LIST, each, items, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines};

#[both_engines]
async fn an_empty_list_is_a_page_like_any_other(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let page = calls.get(&calls.operator, LIST, &[]).await;
    assert_eq!(page.body, r#"{"itens":[],"paginaAtual":1,"proximaPagina":false,"quantidade":0}"#);
    assert_eq!(page.header("content-type"), Some("application/json"));
}

#[both_engines]
async fn the_list_is_of_all_benefits_by_code_whatever_their_situation(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in [(1, "Zeca"), (2, "Ana")] {
        calls.member_with(number, json!({"nomePessoa": name})).await;
    }
    calls.health(1, json!({"ativo": false})).await;
    calls.car(2, "ABC1D23", json!({"ativo": true})).await;
    let third = calls.health(1, json!({})).await;
    assert_eq!(calls.cancel(&calls.operator, &third["codBeneficio"], "").await.status, 200);
    calls.health(1, json!({"codBeneficio": 1, "diaVencimento": 5})).await;
    let page = calls.read(&calls.operator, LIST, &[]).await;
    let list = items(&page);
    assert_eq!(each(&list, "codBeneficio"), [json!(1), json!(2), json!(3)]);
    assert_eq!(each(&list, "situacao"), ["INATIVO", "ATIVO", "CANCELADO"]);
    assert_eq!(page["quantidade"], 3);
}

#[both_engines]
async fn a_page_below_one_is_refused_and_one_past_the_end_is_empty(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({})).await;
    for wrong in ["0", "-1", "x", "1.5", "2147483648"] {
        let refused = calls.get(&calls.operator, LIST, &[("pagina", wrong)]).await;
        assert!(told_about(refused.refuses(400), "pagina"), "{wrong}: {refused:?}");
    }
    for past in [2, 1000, 2_147_483_647] {
        let page = calls.read(&calls.operator, LIST, &[("pagina", &past.to_string())]).await;
        assert_eq!(page, json!({"itens": [], "paginaAtual": past, "proximaPagina": false, "quantidade": 1}));
    }
    let first = calls.read(&calls.operator, LIST, &[]).await;
    assert_eq!(calls.read(&calls.operator, LIST, &[("pagina", "1")]).await, first);
    assert_eq!(calls.read(&calls.operator, LIST, &[("pagina", "")]).await, first, "as if not given");
    assert_eq!(calls.read(&calls.operator, LIST, &[("pagina", "1"), ("tamanho", "5")]).await, first);
}

#[both_engines]
async fn exactly_a_hundred_are_one_page(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for _ in 0..100 {
        calls.health(1, json!({})).await;
    }
    let page = calls.read(&calls.operator, LIST, &[]).await;
    assert_eq!((items(&page).len(), &page["proximaPagina"]), (100, &json!(false)));
    calls.health(1, json!({})).await;
    let page = calls.read(&calls.operator, LIST, &[]).await;
    assert_eq!(
        (items(&page).len(), &page["proximaPagina"], &page["quantidade"]),
        (100, &json!(true), &json!(101))
    );
    let last = calls.read(&calls.operator, LIST, &[("pagina", "2")]).await;
    assert_eq!(each(&items(&last), "codBeneficio"), [json!(101)]);
    assert_eq!((&last["proximaPagina"], &last["paginaAtual"]), (&json!(false), &json!(2)));
}

#[both_engines]
async fn head_answers_like_get_without_a_body(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    for path in [LIST, "/ext/associado?nome=ana", "/ext/beneficio?placa=ABC1D23"] {
        let head = calls.server().call("HEAD", path, &[("Authorization", &bearer)], "").await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        assert_eq!(head.header("content-type"), Some("application/json"));
    }
}

#[both_engines]
async fn lista_is_no_code_of_a_benefit(world: World) {
    let calls = Calls::on(world).await;
    for word in ["lista", "veicular", "abc", "1.5", "2147483648", "-"] {
        let reply = calls.server().put(&format!("/ext/beneficio/{word}/cancelar"), &calls.operator, "").await;
        reply.refuses(400);
    }
    let page: Value = calls.read(&calls.operator, LIST, &[]).await;
    assert_eq!(page["quantidade"], 0);
}
