//! The trigger of a title: who gets it, when, and in which order.

use crate::calls::{Calls, each, items};
use crate::finance::scene::{EXPENSE, SETTLE, TITLES, receipt, scene, title};
use crate::gestao::case_scene::{feed, outbox};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{World, both_engines, eight_at_once};

/// Three receivers here: one of everything that `todos` means, one of titles, and one of both; and one there.
async fn receivers(calls: &Calls) {
    for (token, entities) in [
        (&calls.administrator, json!(["todos"])),
        (&calls.administrator, json!(["titulo"])),
        (&calls.administrator, json!(["todos", "titulo"])),
    ] {
        let receiver = json!({"endereco": "https://erp.example.com/g", "entidades": entities});
        calls.saved(token, "/gestao/receptor", &receiver).await;
    }
    let there = calls.server().token("admin@ali.example").await;
    let receiver = json!({"endereco": "https://ali.example.com/g", "entidades": ["titulo"]});
    calls.saved(&there, "/gestao/receptor", &receiver).await;
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
}

/// Situation and settled value of what the receiver of titles gets, in order.
async fn told(calls: &Calls) -> Vec<(String, Value)> {
    let all = outbox(calls).await;
    let of = |receiver: i32| -> Vec<Value> {
        let mine = all.iter().filter(|(_, its)| *its == receiver);
        mine.map(|(body, _)| serde_json::from_str::<Value>(body).unwrap())
            .filter(|body| body["entidade"] == "[\"Título\"]")
            .collect()
    };
    assert_eq!(of(1), Vec::<Value>::new(), "`todos` means the five");
    assert_eq!(of(2), of(3));
    let codes: Vec<i64> = of(2).iter().map(|body| body["codHistorico"].as_i64().unwrap()).collect();
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
    let build = |body: &Value| {
        let title = &body["objeto"];
        (title["nomeSituacao"].as_str().unwrap().to_owned(), title["valorLiquidado"].clone())
    };
    of(2).iter().map(build).collect()
}

fn one(situation: &str, settled: f64) -> (String, Value) {
    (situation.to_owned(), serde_json::from_str(&settled.to_string()).unwrap())
}

#[both_engines]
async fn a_life_is_told_step_by_step_to_those_who_chose_titles(world: World) {
    let calls = scene(world).await;
    receivers(&calls).await;
    let made = calls.issue(json!({})).await;
    calls.settle(&made, 1.2).await;
    let paid = calls.settle(&made, 100.0).await;
    calls.reverse(&paid).await;
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true});
    let waiting = calls.issue_managed(waits).await.remove(0);
    calls.put_managed(&waiting, "/liberar", json!({})).await;
    calls.put_managed(&waiting, "/cancelar", json!({"motivo": "em dobro"})).await;
    // Nothing changes any more, and a due day is no situation.
    calls.put_managed(&waiting, "/cancelar", json!({"motivo": "em dobro"})).await;
    calls.put_managed(&made, "/vencimento", json!({"vencimento": "2027-01-10", "motivo": "pedido"})).await;
    let wanted = [
        one("ABERTO", 0.0),
        one("ABERTO", 1.2),
        one("LIQUIDADO", 101.2),
        one("ABERTO", 1.2),
        one("PENDENTE", 0.0),
        one("ABERTO", 0.0),
        one("CANCELADO", 0.0),
    ];
    assert_eq!(told(&calls).await, wanted);
    // The feed tells the same, and the earlier title of the other branch to those who see it.
    let fed = feed(&calls, &calls.operator, "Título").await;
    let pairs: Vec<(Value, Value)> =
        fed.iter().map(|one| (one["situacaoAnterior"].clone(), one["situacao"].clone())).collect();
    let situations = |before: Value, after: &str| (before, json!(after));
    let wanted = [
        situations(Value::Null, "ABERTO"),
        situations(json!("ABERTO"), "ABERTO"),
        situations(json!("ABERTO"), "LIQUIDADO"),
        situations(json!("LIQUIDADO"), "ABERTO"),
        situations(Value::Null, "PENDENTE"),
        situations(json!("PENDENTE"), "ABERTO"),
        situations(json!("ABERTO"), "CANCELADO"),
    ];
    assert_eq!(pairs, wanted);
    assert_eq!(feed(&calls, &calls.administrator, "Título").await.len(), wanted.len() + 1);
    let body = &fed[2]["gatilho"]["objeto"];
    let wanted = json!({"id": made["codTitulo"], "codPessoa": 1, "codLoja": fed[2]["codLoja"],
        "nomeLoja": body["nomeLoja"], "nomeSituacao": "LIQUIDADO", "corDestaque": "188038", "corinversa": "FFFFFF",
        "descricao": "Mensalidade", "tipo": "[\"Crédito\"]", "dataEmissao": "2026-11-14T00:00:00-03:00",
        "dataVencimento": "2026-12-10T00:00:00-03:00", "dataLiquidacao": "2026-11-14T00:00:00-03:00",
        "valor": 101.2, "valorLiquidado": 101.2, "codBeneficio": [1]});
    assert_eq!(*body, wanted);
}

#[both_engines]
async fn becoming_overdue_a_refusal_and_a_repetition_tell_nothing(world: World) {
    let mut calls = scene(world).await;
    receivers(&calls).await;
    let made = calls.issue(json!({})).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "uma vez"),
    ];
    let body = receipt(&made, 1.0).to_string();
    for _ in 0..3 {
        let reply = calls.server().call("POST", SETTLE, &headers, &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    calls.refused(SETTLE, &receipt(&made, 0.0)).await;
    calls.refused(TITLES, &title(json!({"valor": 0}))).await;
    calls.pass_days(60).await;
    assert_eq!(calls.managed(&made).await["vencido"], true);
    assert_eq!(told(&calls).await, [one("ABERTO", 0.0), one("ABERTO", 1.0)]);
    // The other association's title was told to its own receiver alone.
    calls.saved(&calls.stranger, TITLES, &title(json!({}))).await;
    assert_eq!(told(&calls).await.len(), 2);
}

#[both_engines]
async fn eight_at_once_are_told_once_each_in_the_order_of_their_codes(world: World) {
    let calls = Arc::new(scene(world).await);
    receivers(&calls).await;
    let made = calls.issue(json!({})).await;
    let pay = |_| {
        let (calls, body) = (Arc::clone(&calls), receipt(&made, 1.0));
        async move { calls.post(&calls.operator, SETTLE, &body).await }
    };
    let replies = eight_at_once(pay).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    let settled: Vec<Value> = told(&calls).await.into_iter().map(|(_, settled)| settled).collect();
    assert_eq!(settled, (0..=8).map(Value::from).collect::<Vec<_>>());
    let page = calls.read(&calls.administrator, "/gestao/historico", &[]).await;
    let codes: Vec<i64> =
        each(&items(&page), "codHistorico").iter().map(|code| code.as_i64().unwrap()).collect();
    assert_eq!(codes, (1..=i64::try_from(codes.len()).unwrap()).collect::<Vec<_>>(), "no gap");
}

#[both_engines]
async fn without_the_right_to_see_money_the_feed_has_no_titles(world: World) {
    let calls = scene(world).await;
    calls.issue(json!({})).await;
    let path = format!("/gestao/usuario/{}", calls.world.operator.code);
    let version = calls.read(&calls.administrator, &path, &[]).await["versao"].clone();
    let body = json!({"versao": version, "permissoesFinanceiras": []});
    assert_eq!(calls.put(&calls.administrator, &path, &body).await.status, 200);
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
    calls.get(&calls.operator, "/gestao/historico", &[("entidade", "Título")]).await.refuses(403);
    let page = calls.read(&calls.operator, "/gestao/historico", &[]).await;
    assert!(!each(&items(&page), "entidade").contains(&json!("Título")), "{page}");
}
