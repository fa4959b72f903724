//! `PUT /ext/beneficio/{codBeneficio}/cancelar`.

use crate::calls::{BENEFITS, Calls, cpf, each, health};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines, until};

#[both_engines]
async fn cancelling_moves_to_the_cancelled_situation_and_keeps_all_data(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let more = json!({"diaVencimento": 10, "codConsultor": 1, "ativo": true, "dataAdesao": "01/10/2026", "marca": "FIAT",
        "dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}]});
    let saved = calls.car(1, "ABC1D23", more).await;
    let before = calls.now(&saved).await;
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    let cancelled = calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    let mut wanted = saved.clone();
    wanted["situacao"] = json!("CANCELADO");
    wanted["tipoSituacao"] = json!("CANCELADO");
    assert_eq!(cancelled.json(), wanted, "it answers the benefit as saving does");
    let mut wanted = before;
    wanted["situacao"] = json!("CANCELADO");
    wanted["tipoSituacao"] = json!("CANCELADO");
    wanted["corDestaque"] = json!("C5221F");
    wanted["corInversa"] = json!("FFFFFF");
    wanted["dataCancelamento"] = json!("15/11/2026");
    assert_eq!(calls.now(&saved).await, wanted);
    let rows = calls.rows(&[("placa", "ABC1D23"), ("situacaoBeneficio", "cancelado")]).await;
    assert_eq!(each(&rows, "dataAtualizacao"), ["15/11/2026"]);
}

#[both_engines]
async fn cancelling_takes_nothing_an_empty_object_an_empty_array_or_a_reason(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for body in ["", "{}", "[]", r#"{"motivo": "Vendeu o carro"}"#, r#"{"motivo": null}"#, r#"{"outro": 1}"#]
    {
        let saved = calls.health(1, json!({})).await;
        let cancelled = calls.cancel(&calls.operator, &saved["codBeneficio"], body).await;
        assert_eq!((cancelled.status, &cancelled.json()["situacao"]), (200, &json!("CANCELADO")), "{body}");
    }
    let reasons: Vec<Value> = calls.history(&calls.operator).await;
    let reasons: Vec<Value> = reasons.into_iter().filter(|one| one["situacao"] == "CANCELADO").collect();
    let said = json!("Vendeu o carro");
    assert_eq!(each(&reasons, "motivo").iter().filter(|reason| **reason == said).count(), 1);
    let saved = calls.health(1, json!({})).await;
    let bearer = format!("Bearer {}", calls.operator);
    let path = format!("/ext/beneficio/{}/cancelar", saved["codBeneficio"]);
    let form = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(
        calls.server().call("PUT", &path, &form, "").await.status,
        200,
        "the type of nothing does not matter"
    );
}

#[both_engines]
async fn a_body_that_is_no_json_is_refused_and_cancels_nothing(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    for body in ["{", "motivo=x", "\"texto\"", "5"] {
        calls.cancel(&calls.operator, &saved["codBeneficio"], body).await.refuses(400);
    }
    assert_eq!(calls.now(&saved).await["situacao"], "PENDENTE");
}

#[both_engines]
async fn cancelling_again_answers_the_same_without_a_second_change(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let first = calls.cancel(&calls.operator, &saved["codBeneficio"], "{}").await;
    let (before, history) = (calls.now(&saved).await, calls.history(&calls.operator).await);
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    for body in ["", "{}", r#"{"motivo": "De novo"}"#] {
        let again = calls.cancel(&calls.operator, &saved["codBeneficio"], body).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
    }
    assert_eq!(calls.now(&saved).await, before);
    assert_eq!(calls.history(&calls.operator).await, history);
    assert_eq!(history.len(), 2);
}

#[both_engines]
async fn a_code_in_the_path_that_does_not_exist_is_not_found(world: World) {
    let calls = Calls::on(world).await;
    for code in [json!(1), json!(0), json!(-1), json!(2_147_483_647)] {
        calls.cancel(&calls.operator, &code, "").await.refuses(404);
    }
    for code in [json!(2_147_483_648_i64), json!(1.5), json!(-2_147_483_649_i64)] {
        calls.cancel(&calls.operator, &code, "").await.refuses(400);
    }
}

#[both_engines]
async fn other_methods_are_told_what_is_allowed(world: World) {
    let calls = Calls::on(world).await;
    let bearer = format!("Bearer {}", calls.operator);
    for method in ["GET", "POST", "DELETE", "PATCH"] {
        let reply =
            calls.server().call(method, "/ext/beneficio/1/cancelar", &[("Authorization", &bearer)], "").await;
        reply.refuses(405);
        assert_eq!(reply.header("allow"), Some("PUT"), "{method}");
    }
}

#[both_engines]
async fn the_interface_leads_into_cancelled_but_not_out(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let code = &saved["codBeneficio"];
    let body = health(1, json!({"codBeneficio": code, "situacao": "cancelado"}));
    let moved = calls.saved(&calls.operator, BENEFITS, &body).await;
    assert_eq!(moved["tipoSituacao"], "CANCELADO");
    assert_eq!(calls.now(&saved).await["dataCancelamento"], "14/11/2026", "whichever way it came there");
    for back in [json!({"ativo": true}), json!({"situacao": "ATIVO"}), json!({"situacao": "INATIVO"})] {
        let mut body = json!({"codBeneficio": code, "cpfCnpj": cpf(1)});
        body.as_object_mut().unwrap().extend(back.as_object().unwrap().clone());
        calls.post(&calls.operator, BENEFITS, &body).await.refuses(409);
    }
    assert_eq!(calls.cancel(&calls.operator, code, "").await.json(), moved);
}

#[both_engines]
async fn a_cancellation_is_done_once_under_one_key(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "um")];
    let path = format!("/ext/beneficio/{}/cancelar", saved["codBeneficio"]);
    let first = calls.server().call("PUT", &path, &headers, "{}").await;
    let again = calls.server().call("PUT", &path, &headers, "{}").await;
    assert_eq!((first.status, again.status, &first.body), (200, 200, &again.body));
    assert_eq!(first.header("idempotency-replayed"), None);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    calls.server().call("PUT", &path, &headers, r#"{"motivo": "x"}"#).await.refuses(422);
}

#[both_engines]
async fn cancelling_picks_the_default_of_its_type_whatever_the_association_calls_it(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.world.rename_situation(calls.world.here, "CANCELADO", "Encerrado").await;
    until("the new name is known everywhere", || async {
        let mut known = true;
        for _ in calls.world.processes() {
            let saved = calls.health(1, json!({})).await;
            let cancelled = calls.cancel(&calls.operator, &saved["codBeneficio"], "").await.json();
            assert_eq!(cancelled["tipoSituacao"], "CANCELADO");
            known &= cancelled["situacao"] == "ENCERRADO";
        }
        known
    })
    .await;
}
