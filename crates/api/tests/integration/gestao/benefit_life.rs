//! `/gestao/beneficio`: a benefit whole, changed, moved through its situations and back from being cancelled.

use crate::calls::{Calls, each, items, told_about};
use serde_json::{Value, json};
use storage::server::versions;
use storage::{WriteLane, sql};
use testkit::{World, both_engines};

pub fn benefit(saved: &Value, what: &str) -> String {
    format!("/gestao/beneficio/{}{what}", saved["codBeneficio"])
}

#[both_engines]
async fn a_benefit_is_shown_and_changed_whole(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({"marca": "FIAT", "diaVencimento": 10})).await;
    let (by, path) = (&calls.operator, benefit(&car, ""));
    let told = calls.read(by, &path, &[]).await;
    assert_eq!(
        (&told["nomePessoa"], &told["veiculo"]["placa"], &told["versao"]),
        (&json!("Pessoa 1"), &json!("ABC1D23"), &json!(1))
    );
    assert_eq!(
        (&told["itens"][0]["codPlano"], &told["situacao"], &told["codSituacao"]),
        (&json!(1), &json!("PENDENTE"), &json!(2))
    );
    assert!(told_about(calls.put(by, &path, &json!({"observacao": "x"})).await.refuses(400), "versao"));
    let body = json!({"versao": 1, "placa": "XYZ9A87", "cor": "Azul", "codPlano": 6, "diaVencimento": null, "observacao": "Nova",
        "codTipoVeiculo": 1, "codigoFipe": "001", "dadosAdicionais": [{"codCampo": 1, "valor": "Trovão"}], "situacao": "ATIVO"});
    let reply = calls.put(by, &path, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let told = reply.json();
    assert_eq!(
        (&told["veiculo"]["placa"], &told["veiculo"]["marca"], &told["codigoFipe"]),
        (&json!("XYZ9A87"), &json!("FIAT"), &json!("001"))
    );
    assert_eq!(
        (&told["diaVencimento"], &told["observacao"], &told["versao"]),
        (&Value::Null, &json!("Nova"), &json!(2))
    );
    assert_eq!(
        (&told["dadosAdicionais"][0]["valor"], &told["situacao"]),
        (&json!("Trovão"), &json!("PENDENTE"))
    );
    assert_eq!(each(told["itens"].as_array().unwrap(), "ativo"), [json!(false), json!(true)]);
    assert_eq!(calls.read(by, &path, &[]).await, told);
    assert_eq!(calls.found(&[("placa", "XYZ9A87")]).await[0]["codBeneficio"], car["codBeneficio"]);
    let history = items(&calls.read(by, &benefit(&car, "/historico"), &[]).await);
    let of = |field: &str| {
        history.iter().find(|one| one["campo"] == field).unwrap_or_else(|| panic!("{field}: {history:?}"))
    };
    assert_eq!((&of("placa")["antes"], &of("placa")["depois"]), (&json!("ABC1D23"), &json!("XYZ9A87")));
    assert_eq!((&of("planos")["antes"], &of("planos")["depois"]), (&json!("1 (150.55)"), &json!("6 (89.9)")));
    assert_eq!(
        (&of("situacao")["tipo"], &of("situacao")["depois"]),
        (&json!("situacao"), &json!("PENDENTE"))
    );
    let refused = calls.put(by, &path, &json!({"versao": 1, "cor": "Preto"})).await;
    let lines: Vec<&str> = refused.refuses(409).lines().collect();
    assert_eq!(lines[1..], ["cor: enviado \"Preto\"; agora \"Azul\"."]);
    for (token, status) in [(&calls.stranger, 404), (&calls.integration, 403)] {
        calls.get(token, &path, &[]).await.refuses(status);
        calls.put(token, &path, &json!({"versao": 2, "cor": "Preto"})).await.refuses(status);
        calls.put(token, &benefit(&car, "/situacao"), &json!({"situacao": "ATIVO"})).await.refuses(status);
        calls.get(token, &benefit(&car, "/historico"), &[]).await.refuses(status);
    }
}

#[both_engines]
async fn what_speaks_against_a_change_of_a_benefit_is_told(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({"ativo": true})).await;
    let other = calls.car(1, "DEF1A11", json!({"ativo": true})).await;
    let health = calls.health(1, json!({})).await;
    let by = &calls.operator;
    let bad = json!({"versao": 1, "codPlano": 2, "codLoja": 3, "diaVencimento": 31, "codConsultor": 3, "placa": null,
        "dadosAdicionais": [{"codCampo": 6, "valor": "x"}]});
    let refused = calls.put(by, &benefit(&car, ""), &bad).await;
    let told = refused.refuses(400);
    for field in
        ["codPlano", "codLoja", "diaVencimento", "codConsultor", "placa", "dadosAdicionais[0].codCampo"]
    {
        assert!(told_about(told, field), "{field}: {told}");
    }
    let refused = calls.put(by, &benefit(&health, ""), &json!({"versao": 1, "placa": "AAA1A11"})).await;
    assert!(told_about(refused.refuses(400), "placa"), "{refused:?}");
    let refused = calls.put(by, &benefit(&car, ""), &json!({"versao": 1, "placa": "def-1a11"})).await;
    assert!(refused.refuses(409).contains(&other["codBeneficio"].to_string()), "{refused:?}");
    calls.put(by, "/gestao/beneficio/999", &json!({"versao": 1})).await.refuses(404);
    calls.put(by, "/gestao/beneficio/x", &json!({})).await.refuses(400);
}

#[both_engines]
async fn a_cancelled_benefit_comes_back_with_a_reason_unless_its_vehicle_is_taken(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let car = calls.car(1, "ABC1D23", json!({"ativo": true})).await;
    let (by, path) = (&calls.operator, benefit(&car, "/situacao"));
    let changes = calls.history(&calls.administrator).await.len();
    let refused = calls.put(by, &path, &json!({"situacao": "cancelado"})).await;
    assert!(told_about(refused.refuses(400), "motivo"), "{refused:?}");
    let cancelled = calls.put(by, &path, &json!({"situacao": "cancelado", "motivo": "Pediu"})).await.json();
    assert_eq!(
        (&cancelled["situacao"], &cancelled["dataCancelamento"].is_string()),
        (&json!("CANCELADO"), &true)
    );
    let again = calls.put(by, &path, &json!({"codSituacao": 6, "motivo": "Pediu"})).await.json();
    assert_eq!(again, cancelled, "no change");
    let refused = calls.put(by, &path, &json!({"codSituacao": 1})).await;
    assert!(told_about(refused.refuses(400), "motivo"), "{refused:?}");
    let rival = calls.car(2, "ABC-1323", json!({"ativo": true})).await;
    let refused = calls.put(by, &path, &json!({"codSituacao": 1, "motivo": "Voltou"})).await;
    assert!(refused.refuses(409).contains(&rival["codBeneficio"].to_string()), "{refused:?}");
    calls.cancel(by, &rival["codBeneficio"], "").await;
    let back = calls
        .put(by, &path, &json!({"codSituacao": 1, "situacao": "Ativo", "motivo": "Voltou", "versao": 2}))
        .await;
    let back = back.json();
    assert_eq!(
        (&back["situacao"], &back["dataCancelamento"], &back["versao"]),
        (&json!("ATIVO"), &Value::Null, &json!(3))
    );
    let history = calls.history(&calls.administrator).await;
    assert_eq!(history.len(), changes + 4, "each change once, and the rival's two");
    let last = history.last().unwrap();
    assert_eq!(
        (&last["motivo"], &last["situacaoAnterior"], &last["situacao"]),
        (&json!("Voltou"), &json!("CANCELADO"), &json!("ATIVO"))
    );
    assert_eq!(last["gatilho"]["objeto"]["id"], car["codBeneficio"]);
    for bad in [
        json!({}),
        json!({"situacao": "SUMIU"}),
        json!({"codSituacao": 99}),
        json!({"codSituacao": 7, "motivo": "de outra entidade"}),
        json!({"codSituacao": 1, "situacao": "INATIVO"}),
    ] {
        calls.put(by, &path, &bad).await.refuses(400);
    }
    calls.put(by, &path, &json!({"situacao": "SUSPENSO", "versao": 1})).await.refuses(409);
    calls.put(by, "/gestao/beneficio/999/situacao", &json!({"situacao": "ATIVO"})).await.refuses(404);
}

#[both_engines]
async fn a_situation_leads_only_where_the_association_lets_it(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({"ativo": true})).await;
    let unit =
        calls.world.db().write(WriteLane::foreground(calls.world.here), calls.world.here, |tx, tenant| {
            Box::pin(async move {
                // ATIVO leads to SUSPENSO alone.
                let only = sql("INSERT INTO situation_moves (tenant, situation, next) VALUES ($1, 1, 4)");
                tx.execute(only.arg(*tenant)).await?;
                versions::raise_registers_version(tx, *tenant).await
            })
        });
    let raised: Result<_, storage::Error> = unit.await;
    raised.unwrap();
    let (by, path) = (&calls.operator, benefit(&health, "/situacao"));
    let refused = calls.put(by, &path, &json!({"situacao": "INATIVO"})).await;
    assert!(refused.refuses(409).contains("SUSPENSO"), "{refused:?}");
    let moved = calls.put(by, &path, &json!({"situacao": "SUSPENSO"})).await;
    assert_eq!(moved.json()["situacao"], "SUSPENSO");
    assert_eq!(calls.put(by, &path, &json!({"situacao": "INATIVO"})).await.json()["situacao"], "INATIVO");
}

#[both_engines]
async fn a_plan_is_taken_from_a_benefit_which_keeps_at_least_one(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let health = calls.health(1, json!({})).await;
    let added =
        calls.saved(&calls.operator, &crate::calls::of(&health, "itens"), &json!({"codPlano": 3})).await;
    let by = &calls.operator;
    let item = |code: &Value| benefit(&health, &format!("/itens/{code}"));
    let first = calls.read(by, &benefit(&health, ""), &[]).await["itens"][0]["codItem"].clone();
    let cheaper = calls.put(by, &item(&added["codItem"]), &json!({"valor": 9.9})).await.json();
    assert_eq!(cheaper["itens"][1]["valor"], 9.9);
    let gone = calls.put(by, &item(&first), &json!({"ativo": false, "versao": 3})).await.json();
    assert_eq!(each(gone["itens"].as_array().unwrap(), "ativo"), [json!(false), json!(true)]);
    assert_eq!(each(calls.now(&health).await["planos"].as_array().unwrap(), "codPlano"), [json!(3)]);
    let refused = calls.put(by, &item(&added["codItem"]), &json!({"ativo": false})).await;
    assert!(told_about(refused.refuses(409), "ativo"), "{refused:?}");
    calls.saved(by, &crate::calls::of(&health, "itens"), &json!({"codPlano": 2})).await;
    let refused = calls.put(by, &item(&first), &json!({"ativo": true})).await;
    assert!(told_about(refused.refuses(409), "codPlano"), "it has the plan already: {refused:?}");
    assert!(told_about(calls.put(by, &item(&json!(99)), &json!({})).await.refuses(404), "codItem"));
    calls.put(by, &item(&first), &json!({"valor": 1, "versao": 1})).await.refuses(409);
    calls.put(&calls.stranger, &item(&first), &json!({"ativo": true})).await.refuses(404);
    let history = items(&calls.read(by, &benefit(&health, "/historico"), &[]).await);
    assert!(history.iter().any(|one| one["campo"] == "planos" && one["depois"] == "3 (9.9)"), "{history:?}");
}

#[both_engines]
async fn a_new_benefit_leaves_no_changes_of_fields(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({})).await;
    assert_eq!(calls.count("field_changes").await, 0);
    calls.member_with(1, json!({"nomeMae": "Ana"})).await;
    assert_eq!(calls.count("field_changes").await, 1);
    calls.member_with(1, json!({"nomeMae": "Ana"})).await;
    assert_eq!(calls.count("field_changes").await, 1);
}
