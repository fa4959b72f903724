//! `GET /gestao/historico`: every change of situation, to be pulled by cursor, with the trigger it causes.

use crate::calls::{BENEFITS, Calls, HISTORY, each, health, items, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use storage::{WriteLane, sql};
use testkit::{World, both_engines};

#[both_engines]
async fn the_first_situation_and_every_change_are_one_entry_each(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    calls.health(1, json!({"codBeneficio": saved["codBeneficio"], "ativo": true})).await;
    calls
        .health(1, json!({"codBeneficio": saved["codBeneficio"], "situacao": "ATIVO", "diaVencimento": 5}))
        .await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], r#"{"motivo": "Mudou"}"#).await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    let all = calls.history(&calls.operator).await;
    assert_eq!(each(&all, "codHistorico"), [json!(1), json!(2), json!(3)], "without gaps, from 1");
    assert_eq!(each(&all, "situacaoAnterior"), [Value::Null, json!("PENDENTE"), json!("ATIVO")]);
    assert_eq!(each(&all, "situacao"), ["PENDENTE", "ATIVO", "CANCELADO"]);
    assert_eq!(each(&all, "codSituacaoAnterior")[1..], each(&all, "codSituacao")[..2]);
    assert_eq!(each(&all, "codSituacaoAnterior")[0], Value::Null);
    assert_eq!(each(&all, "motivo"), [Value::Null, Value::Null, json!("Mudou")]);
    for one in &all {
        assert_eq!(one["codigo"], saved["codBeneficio"]);
        assert_eq!((&one["entidade"], &one["codLoja"]), (&json!("Benefício"), &json!(2)));
        assert_eq!(one["codUsuario"], calls.world.operator.code.get(), "who");
        assert_eq!(one["dataHistorico"], "2026-11-14T10:32:05-03:00", "when");
    }
}

#[both_engines]
async fn an_entry_carries_the_trigger_as_receivers_get_it(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let more = json!({"ativo": true, "marca": "FIAT", "modelo": "ARGO 1.0", "dataAdesao": "14/11/2026"});
    calls.car(1, "ABC1D23", more).await;
    calls.world.clock.pass(Duration::from_mins(1));
    calls.health(1, json!({"situacao": "INADIMPLENTE"})).await;
    let all = calls.history(&calls.operator).await;
    assert_eq!(
        all[0]["gatilho"],
        json!({"codHistorico": 1, "dataHistorico": "2026-11-14T10:32:05-03:00", "entidade": "[\"Benefício\"]",
            "objeto": {"id": 1, "codPessoa": 1, "codLoja": 2, "nomeLoja": "Filial Norte", "nomeSituacao": "ATIVO",
                "corDestaque": "188038", "corInversa": "FFFFFF", "descricao": "ABC1D23 - FIAT ARGO 1.0",
                "dataCadastro": "2026-11-14T10:32:05-03:00", "sequencial": 1, "tipoBeneficio": "[\"Veicular\"]",
                "dataAdesao": "2026-11-14T00:00:00-03:00"}})
    );
    let second = &all[1]["gatilho"];
    assert_eq!(second["dataHistorico"], "2026-11-14T10:33:05-03:00");
    assert_eq!(second["objeto"]["tipoBeneficio"], "[\"Saúde\"]");
    assert_eq!(second["objeto"]["descricao"], "Saúde Família", "without a plate, the plan's name");
    assert_eq!(second["objeto"]["nomeSituacao"], "INADIMPLENTE");
    assert_eq!(second["objeto"].get("dataAdesao"), Some(&Value::Null), "null, and never absent");
}

#[both_engines]
async fn the_kinds_of_benefit_are_told_in_triggers_by_their_long_names(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({})).await;
    for plan in [2, 3, 4, 5] {
        calls.health(1, json!({"codPlano": plan})).await;
    }
    let kinds: Vec<Value> = calls
        .history(&calls.operator)
        .await
        .iter()
        .map(|one| one["gatilho"]["objeto"]["tipoBeneficio"].clone())
        .collect();
    let names = ["Veicular", "Saúde", "Diversos", "Consórcio", "Assistência 24H"];
    assert_eq!(kinds, names.map(|name| json!(format!("[\"{name}\"]"))));
}

#[both_engines]
async fn a_trigger_says_what_was_so_when_it_happened(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.car(1, "ABC1D23", json!({"marca": "FIAT", "modelo": "ARGO"})).await;
    let before = calls.history(&calls.operator).await[0].clone();
    let body =
        json!({"codBeneficio": saved["codBeneficio"], "cpfCnpj": crate::calls::cpf(1), "placa": "XYZ1A11"});
    calls.saved(&calls.operator, "/ext/beneficio/veicular", &body).await;
    calls.world.rename_situation(calls.world.here, "PENDENTE", "Aguardando").await;
    assert_eq!(calls.history(&calls.operator).await[0]["gatilho"], before["gatilho"]);
    assert_eq!(calls.history(&calls.operator).await.len(), 1, "neither is a change of situation");
}

#[both_engines]
async fn the_feed_goes_on_from_a_cursor_a_hundred_at_a_time(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for _ in 0..130 {
        calls.health(1, json!({})).await;
    }
    let first = calls.read(&calls.operator, HISTORY, &[]).await;
    assert_eq!((items(&first).len(), &first["temMais"]), (100, &json!(true)));
    let after = text(&first["proximo"]);
    let second = calls.read(&calls.operator, HISTORY, &[("apos", &after)]).await;
    assert_eq!((items(&second).len(), &second["temMais"]), (30, &json!(false)));
    let codes: Vec<Value> =
        items(&first).iter().chain(&items(&second)).map(|one| one["codHistorico"].clone()).collect();
    assert_eq!(codes, (1..=130).map(|code| json!(code)).collect::<Vec<_>>());
    let end = text(&second["proximo"]);
    let nothing = calls.read(&calls.operator, HISTORY, &[("apos", &end)]).await;
    assert_eq!((items(&nothing).len(), &nothing["temMais"]), (0, &json!(false)));
    assert_eq!(text(&nothing["proximo"]), end, "to go on from when there is more");
    calls.health(1, json!({})).await;
    let more = calls.read(&calls.operator, HISTORY, &[("apos", &end)]).await;
    assert_eq!(each(&items(&more), "codHistorico"), [json!(131)]);
}

#[both_engines]
async fn the_feed_is_narrowed_by_entity(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({})).await;
    for (name, count) in [
        ("Benefício", 1),
        ("beneficio", 1),
        ("BENEFÍCIO", 1),
        ("", 1),
        ("Evento", 0),
        ("Vistoria", 0),
        ("Help Desk", 0),
        ("help desk", 0),
        ("Consulta", 0),
    ] {
        let page = calls.read(&calls.operator, HISTORY, &[("entidade", name)]).await;
        assert_eq!(items(&page).len(), count, "{name}");
    }
    let refused = calls.get(&calls.operator, HISTORY, &[("entidade", "Outra")]).await;
    let told = refused.refuses(400);
    assert!(told_about(told, "entidade"), "{told}");
    for name in ["Benefício", "Evento", "Vistoria", "Help Desk", "Consulta"] {
        assert!(told.contains(name), "{name} in {told}");
    }
    for wrong in ["x", "-1", "1.5", "1-2", "2147483648"] {
        let refused = calls.get(&calls.operator, HISTORY, &[("apos", wrong)]).await;
        assert!(told_about(refused.refuses(400), "apos"), "{wrong}");
    }
}

#[both_engines]
async fn the_feed_shows_a_caller_his_stores_alone_and_every_role_may_read_it(world: World) {
    let calls = Calls::on(world).await;
    for (number, store) in [(1, 1), (2, 2), (3, 3), (4, 2)] {
        let person = json!({"nomePessoa": "Ana", "cpfCnpj": crate::calls::cpf(number), "codLoja": store});
        calls.saved(&calls.administrator, "/ext/associado", &person).await;
        calls.saved(&calls.administrator, BENEFITS, &health(number, json!({}))).await;
    }
    let stores = async |token: &str| each(&calls.history(token).await, "codLoja");
    assert_eq!(stores(&calls.administrator).await, [json!(1), json!(2), json!(3), json!(2)]);
    assert_eq!(stores(&calls.operator).await, [json!(2), json!(2)]);
    assert_eq!(stores(&calls.integration).await, [json!(2), json!(3), json!(2)]);
    assert_eq!(stores(&calls.stranger).await, Vec::<Value>::new());
    calls.server().call("GET", HISTORY, &[], "").await.refuses(401);
}

fn text(cursor: &Value) -> String {
    cursor.as_str().unwrap().to_owned()
}

/// Rewinds the base to its first changes, as an older copy that is put back.
async fn put_back(calls: &Calls, last: i64) {
    let input = (calls.world.here, last);
    let unit =
        calls.world.db().write(WriteLane::foreground(calls.world.here), input, |tx, (tenant, last)| {
            Box::pin(async move {
                for text in [
                    "DELETE FROM outbox WHERE tenant = $1 AND history_code > $2",
                    "DELETE FROM history WHERE tenant = $1 AND code > $2",
                    "UPDATE counters SET last = $2 WHERE tenant = $1 AND kind = 'history'",
                ] {
                    tx.execute(sql(text).arg(*tenant).arg(*last)).await?;
                }
                Ok::<_, storage::Error>(())
            })
        });
    unit.await.unwrap();
}

#[both_engines]
async fn a_reader_of_a_base_that_was_put_back_is_told_so(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for _ in 0..3 {
        calls.health(1, json!({})).await;
    }
    let early = text(&calls.read(&calls.operator, HISTORY, &[]).await["proximo"]);
    calls.health(1, json!({})).await;
    let late = text(&calls.read(&calls.operator, HISTORY, &[]).await["proximo"]);
    assert!(early.starts_with("3-") && late.starts_with("4-"), "{early} {late}");

    put_back(&calls, 3).await;
    let told = async |after: &str| {
        let refused = calls.get(&calls.operator, HISTORY, &[("apos", after)]).await;
        let told = refused.refuses(409).to_owned();
        assert!(told_about(&told, "apos") && told.contains("estado anterior"), "{told}");
        assert!(told.contains("desde o começo"), "{told}");
    };
    told(&late).await;
    // A bare number beyond what there is says as much.
    told("4").await;

    // The code is given again, to something else.
    calls.world.clock.pass(Duration::from_mins(1));
    calls.health(1, json!({})).await;
    told(&late).await;
    for has_record_queue in [&*early, "3"] {
        let page = calls.read(&calls.operator, HISTORY, &[("apos", has_record_queue)]).await;
        assert_eq!(each(&items(&page), "codHistorico"), [json!(4)], "{has_record_queue}");
        assert_ne!(text(&page["proximo"]), late);
    }
    for (all, count) in [("0", 4), ("1", 3), ("4", 0)] {
        let page = calls.read(&calls.operator, HISTORY, &[("apos", all)]).await;
        assert_eq!(items(&page).len(), count, "{all}");
    }
}

/// A program that counts by itself gets the whole cursor with its first answer.
#[both_engines]
async fn a_bare_number_becomes_a_cursor(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({})).await;
    let nothing = calls.read(&calls.operator, HISTORY, &[("apos", "1")]).await;
    let whole = calls.read(&calls.operator, HISTORY, &[]).await;
    assert_eq!((items(&nothing).len(), &nothing["proximo"]), (0, &whole["proximo"]));
    let stranger = calls.read(&calls.stranger, HISTORY, &[]).await;
    assert_eq!(stranger["proximo"], "0", "before the first");
}
