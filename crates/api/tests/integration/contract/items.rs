//! `/ext/beneficio/{codBeneficio}/itens`: the plans that a benefit has and had.

use crate::calls::{
    BENEFITS, CAR_PLAN, CLUB_PLAN, Calls, HEALTH_PLAN, INACTIVE_PLAN, MEMBERS, PLAN_THERE, SECOND_CAR_PLAN,
    address, array, cpf, each, of, told_about,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::{World, both_engines, eight_at_once};

async fn listed(calls: &Calls, benefit: &Value) -> Vec<Value> {
    array(&calls.read(&calls.operator, &of(benefit, "itens"), &[]).await)
}

#[both_engines]
async fn all_items_come_by_name_also_those_it_no_longer_has(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({})).await;
    let replaced =
        json!({"codBeneficio": car["codBeneficio"], "cpfCnpj": cpf(1), "codPlano": SECOND_CAR_PLAN});
    calls.saved(&calls.operator, BENEFITS, &replaced).await;
    let added = calls.saved(&calls.operator, &of(&car, "itens"), &json!({"codPlano": CLUB_PLAN})).await;
    let items = listed(&calls, &car).await;
    assert_eq!(each(&items, "nome"), ["Clube de Descontos", "Proteção Ouro", "Proteção Prata"]);
    assert_eq!(each(&items, "ativo"), [json!(true), json!(false), json!(true)]);
    assert_eq!(each(&items, "codItem"), [json!(3), json!(1), json!(2)]);
    assert_eq!(items[0], added, "the new item is answered as it is listed");
    // Replaced once more, the first plan is the one that changes; what was added stays.
    let replaced = json!({"codBeneficio": car["codBeneficio"], "cpfCnpj": cpf(1), "codPlano": CAR_PLAN});
    calls.saved(&calls.operator, BENEFITS, &replaced).await;
    let plans = array(&calls.now(&car).await["planos"]);
    assert_eq!(each(&plans, "codPlano"), [json!(CLUB_PLAN), json!(CAR_PLAN)]);
    let items = listed(&calls, &car).await;
    assert_eq!(each(&items, "codItem"), [json!(3), json!(1), json!(4), json!(2)], "by name, then code");
}

#[both_engines]
async fn any_active_plan_of_any_type_may_be_added(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    for (plan, kind) in [(1, "VEICULAR"), (3, "DIVERSOS"), (4, "CONSORCIO"), (5, "A24H"), (6, "VEICULAR")] {
        let item = calls.saved(&calls.operator, &of(&health, "itens"), &json!({"codPlano": plan})).await;
        assert_eq!((&item["codPlano"], &item["tipoBeneficio"]), (&json!(plan), &json!(kind)));
    }
    let now = calls.now(&health).await;
    assert_eq!(now["tipoBeneficio"], "SAUDE", "its kind stays");
    assert_eq!(array(&now["planos"]).len(), 6);
}

#[both_engines]
async fn price_and_day_are_taken_from_the_plan_and_the_calendar_where_they_are_absent(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    // Three in the morning in UTC is the evening before here.
    calls.world.clock.pass(Duration::from_hours(13));
    let calls = Calls::on(calls.world).await;
    let health = calls.health(1, json!({})).await;
    let add = async |body: Value| calls.saved(&calls.operator, &of(&health, "itens"), &body).await;
    let item = add(json!({"codPlano": CLUB_PLAN})).await;
    assert_eq!((item["valor"].to_string().as_str(), &item["dataInclusao"]), ("19.9", &json!("14/11/2026")));
    let item =
        add(json!({"codPlano": CAR_PLAN, "valor": 100.05, "dataInclusao": "2026-10-02", "outro": 1})).await;
    assert_eq!((item["valor"].to_string().as_str(), &item["dataInclusao"]), ("100.05", &json!("02/10/2026")));
    let item = add(json!({"codPlano": 5, "valor": null, "dataInclusao": ""})).await;
    assert_eq!((item["valor"].to_string().as_str(), &item["dataInclusao"]), ("29.5", &json!("14/11/2026")));
    let item = add(json!({"codPlano": 4, "valor": 0})).await;
    assert_eq!(item["valor"].to_string(), "0");
    let plans = array(&calls.now(&health).await["planos"]);
    assert_eq!(
        each(&plans, "valor").iter().map(Value::to_string).collect::<Vec<_>>(),
        ["29.5", "19.9", "0", "100.05", "299"]
    );
}

#[both_engines]
async fn a_plan_that_is_already_active_there_is_a_conflict(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    let path = of(&health, "itens");
    let refused = calls.post(&calls.operator, &path, &json!({"codPlano": HEALTH_PLAN})).await;
    assert!(told_about(refused.refuses(409), "codPlano"), "{refused:?}");
    calls.saved(&calls.operator, &path, &json!({"codPlano": CLUB_PLAN})).await;
    calls.post(&calls.operator, &path, &json!({"codPlano": CLUB_PLAN, "valor": 1})).await.refuses(409);
    assert_eq!(listed(&calls, &health).await.len(), 2);
    // One that it no longer has may come again.
    let car = calls.car(1, "ABC1D23", json!({})).await;
    let replaced =
        json!({"codBeneficio": car["codBeneficio"], "cpfCnpj": cpf(1), "codPlano": SECOND_CAR_PLAN});
    calls.saved(&calls.operator, BENEFITS, &replaced).await;
    calls.saved(&calls.operator, &of(&car, "itens"), &json!({"codPlano": CAR_PLAN})).await;
    assert_eq!(each(&listed(&calls, &car).await, "ativo"), [json!(false), json!(true), json!(true)]);
}

#[both_engines]
async fn an_unknown_plan_is_bad_input_and_an_unknown_benefit_is_not_found(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    for plan in [INACTIVE_PLAN, PLAN_THERE, 99] {
        let told = calls.refused(&of(&health, "itens"), &json!({"codPlano": plan})).await;
        assert!(told_about(&told, "codPlano"), "{plan}: {told}");
        // What was sent is judged before the code in the path.
        calls.post(&calls.operator, "/ext/beneficio/99/itens", &json!({"codPlano": plan})).await.refuses(400);
    }
    let good = json!({"codPlano": CLUB_PLAN});
    calls.post(&calls.operator, "/ext/beneficio/99/itens", &good).await.refuses(404);
    calls.get(&calls.operator, "/ext/beneficio/99/itens", &[]).await.refuses(404);
    calls.post(&calls.operator, "/ext/beneficio/x/itens", &good).await.refuses(400);
    calls.get(&calls.operator, "/ext/beneficio/2147483648/itens", &[]).await.refuses(400);
    assert_eq!(listed(&calls, &health).await.len(), 1);
}

#[both_engines]
async fn a_cancelled_benefit_takes_no_item(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    calls.cancel(&calls.operator, &health["codBeneficio"], "").await;
    let refused = calls.post(&calls.operator, &of(&health, "itens"), &json!({"codPlano": CLUB_PLAN})).await;
    assert!(told_about(refused.refuses(409), "codBeneficio"), "{refused:?}");
    assert_eq!(listed(&calls, &health).await.len(), 1);
}

#[both_engines]
async fn an_item_shows_in_the_searches_and_moves_the_day_of_the_last_change(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    calls.world.clock.pass(Duration::from_hours(48));
    let calls = Calls::on(calls.world).await;
    let asked = [("situacaoBeneficio", "Todos"), ("codPlano", "3")];
    assert_eq!(calls.rows(&asked).await.len(), 0);
    let history = calls.history(&calls.operator).await;
    calls.saved(&calls.operator, &of(&health, "itens"), &json!({"codPlano": CLUB_PLAN})).await;
    let rows = calls.rows(&asked).await;
    assert_eq!(each(&rows, "codBeneficio"), [health["codBeneficio"].clone()]);
    assert_eq!(each(&rows, "dataAtualizacao"), ["16/11/2026"]);
    assert_eq!(rows[0]["planos"], calls.now(&health).await["planos"]);
    assert_eq!(calls.rows(&[("nome", "pessoa"), ("dataAtualizacao", "16/11/2026")]).await.len(), 1);
    assert_eq!(calls.history(&calls.operator).await, history, "no situation changed");
}

#[both_engines]
async fn all_problems_of_an_item_come_at_once(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    let body = json!({"codPlano": 99, "valor": -1, "dataInclusao": "31/02/2026"});
    let told = calls.refused(&of(&health, "itens"), &body).await;
    for field in ["codPlano", "valor", "dataInclusao"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    for body in [json!({}), json!({"codPlano": null}), json!({"codPlano": "x"}), json!([])] {
        calls.refused(&of(&health, "itens"), &body).await;
    }
}

#[both_engines]
async fn one_key_makes_one_item(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "item-1"),
    ];
    let path = of(&health, "itens");
    let first = calls.server().call("POST", &path, &headers, r#"{"codPlano": 3}"#).await;
    let again = calls.server().call("POST", &path, &headers, r#"{"codPlano": 3}"#).await;
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(listed(&calls, &health).await.len(), 2);
}

#[both_engines]
async fn eight_at_once_that_add_one_plan_make_one_item(world: World) {
    let calls = Arc::new(Calls::on(world).await);
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    let answers = eight_at_once(|_| {
        let (calls, path) = (Arc::clone(&calls), of(&health, "itens"));
        async move { calls.post(&calls.operator, &path, &json!({"codPlano": CLUB_PLAN})).await }
    })
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 7, "{answers:?}");
    assert_eq!(listed(&calls, &health).await.len(), 2);
}

#[both_engines]
async fn items_out_of_reach_answer_like_those_of_an_unknown_benefit(world: World) {
    let calls = Calls::on(world).await;
    let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "codLoja": 1});
    calls.saved(&calls.administrator, MEMBERS, &person).await;
    let body = json!({"codPlano": HEALTH_PLAN, "cpfCnpj": cpf(1)});
    let far = calls.saved(&calls.administrator, BENEFITS, &body).await;
    for token in [&calls.operator, &calls.integration, &calls.stranger] {
        let unknown = calls.get(token, &address("/ext/beneficio/99/itens", &[]), &[]).await;
        let refused = calls.get(token, &of(&far, "itens"), &[]).await;
        assert_eq!(refused.refuses(404), unknown.refuses(404).replace("99", "1"));
        let body = json!({"codPlano": CLUB_PLAN});
        let refused = calls.post(token, &of(&far, "itens"), &body).await;
        assert_eq!(refused.refuses(404), unknown.refuses(404).replace("99", "1"));
    }
    assert_eq!(array(&calls.read(&calls.administrator, &of(&far, "itens"), &[]).await).len(), 1);
}
