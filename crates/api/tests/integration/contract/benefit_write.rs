//! `POST /ext/beneficio` and `/veicular`: creating a benefit.

use crate::calls::{
    BENEFITS, CAR_PLAN, CLUB_PLAN, Calls, HEALTH_PLAN, INACTIVE_PLAN, MEMBERS, PLAN_THERE, SECOND_CAR_PLAN,
    VEHICLES, bare, car, cpf, each, health, told_about, with,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines};

#[both_engines]
async fn a_benefit_belongs_to_the_person_of_its_document_and_to_his_store(world: World) {
    let calls = Calls::on(world).await;
    let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "codLoja": 3});
    let person = calls.saved(&calls.integration, MEMBERS, &person).await;
    let saved =
        calls.saved(&calls.integration, BENEFITS, &health(1, json!({"cpfCnpj": bare(&cpf(1))}))).await;
    assert_eq!(saved["codPessoa"], person["codPessoa"]);
    let now = calls.now(&saved).await;
    assert_eq!((&now["codLoja"], &now["nomeLoja"]), (&json!(3), &json!("Filial Sul")), "the person's store");
    assert_eq!((&now["nomePessoa"], &now["cpfCnpj"]), (&json!("Ana"), &json!(cpf(1))));
    let elsewhere = calls.saved(&calls.integration, BENEFITS, &health(1, json!({"codLoja": 2}))).await;
    assert_eq!(calls.now(&elsewhere).await["codLoja"], 2, "or the one that was said");
}

#[both_engines]
async fn plan_and_document_are_needed_to_create(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for path in [BENEFITS, VEHICLES] {
        let told = calls.refused(path, &json!({"placa": "ABC1D23"})).await;
        assert!(told_about(&told, "cpfCnpj"), "{path}: {told}");
        let told = calls.refused(path, &json!({"cpfCnpj": cpf(1), "placa": "ABC1D23"})).await;
        assert!(told_about(&told, "codPlano"), "{path}: {told}");
        let told =
            calls.refused(path, &json!({"cpfCnpj": cpf(1), "codPlano": null, "placa": "ABC1D23"})).await;
        assert!(told_about(&told, "codPlano"), "{path}: {told}");
    }
    assert_eq!(calls.count("benefits").await, 0);
}

#[both_engines]
async fn a_document_of_nobody_is_refused(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    assert!(told_about(&calls.refused(BENEFITS, &health(2, json!({}))).await, "cpfCnpj"));
    assert!(told_about(&calls.refused(VEHICLES, &car(2, "ABC1D23", json!({}))).await, "cpfCnpj"));
    for wrong in ["111.111.111-11", "529.982.247-26", "123"] {
        let told = calls.refused(BENEFITS, &health(1, json!({"cpfCnpj": wrong}))).await;
        assert!(told_about(&told, "cpfCnpj"), "{told}");
    }
}

#[both_engines]
async fn the_type_is_that_of_the_plan(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (plan, kind, name) in [
        (HEALTH_PLAN, "SAUDE", "Saúde Família"),
        (CLUB_PLAN, "DIVERSOS", "Clube de Descontos"),
        (4, "CONSORCIO", "Consórcio 60 meses"),
        (5, "A24H", "Assistência Nacional"),
    ] {
        let saved = calls.health(1, json!({"codPlano": plan})).await;
        let now = calls.now(&saved).await;
        assert_eq!((&now["tipoBeneficio"], &now["veiculo"]), (&json!(kind), &Value::Null), "{plan}");
        assert_eq!(each(now["planos"].as_array().unwrap(), "nome"), [name]);
    }
    let saved = calls.car(1, "ABC1D23", json!({})).await;
    let now = calls.now(&saved).await;
    assert_eq!(now["tipoBeneficio"], "VEICULAR");
    assert_eq!(now["planos"], json!([{"codPlano": 1, "nome": "Proteção Ouro", "valor": 150.55}]));
}

#[both_engines]
async fn a_plan_on_the_wrong_path_is_refused_with_the_right_one(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for plan in [CAR_PLAN, SECOND_CAR_PLAN] {
        let told = calls.refused(BENEFITS, &health(1, json!({"codPlano": plan}))).await;
        assert!(told_about(&told, "codPlano") && told.contains("/ext/beneficio/veicular"), "{told}");
    }
    for plan in [HEALTH_PLAN, CLUB_PLAN, 4, 5] {
        let told = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codPlano": plan}))).await;
        assert!(told_about(&told, "codPlano") && told.contains("/ext/beneficio"), "{told}");
        assert!(!told.contains("/ext/beneficio/veicular"), "{told}");
    }
    assert_eq!(calls.count("benefits").await, 0);
}

#[both_engines]
async fn a_plan_that_is_unknown_inactive_or_of_another_association_is_refused_alike(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for plan in [99, INACTIVE_PLAN, PLAN_THERE] {
        let told = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codPlano": plan}))).await;
        let unknown = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codPlano": 98}))).await;
        assert!(told_about(&told, "codPlano"), "{plan}: {told}");
        assert_eq!(told.replace(&plan.to_string(), "98"), unknown, "{plan}");
    }
}

#[both_engines]
async fn the_due_day_is_one_of_the_associations(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let told = calls.refused(BENEFITS, &health(1, json!({"diaVencimento": 31}))).await;
    assert_eq!(told.trim_end(), "diaVencimento: 31 não é um dia de vencimento; use 5, 10, 15, 20, 25 ou 30.");
    // 28 is a day of the other association.
    for day in [0, -5, 6, 28] {
        assert!(told_about(
            &calls.refused(BENEFITS, &health(1, json!({"diaVencimento": day}))).await,
            "diaVencimento"
        ));
    }
    for day in [5, 10, 15, 20, 25, 30] {
        let saved = calls.health(1, json!({"diaVencimento": day})).await;
        assert_eq!(calls.now(&saved).await["diaVencimento"], day);
    }
    let none = calls.health(1, json!({})).await;
    assert_eq!(calls.now(&none).await["diaVencimento"], Value::Null);
}

#[both_engines]
async fn sellers_of_a_benefit_are_checked_like_those_of_a_member(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({"codConsultor": 1, "codRepresentante": 2})).await;
    let now = calls.now(&saved).await;
    assert_eq!((&now["codConsultor"], &now["nomeConsultor"]), (&json!(1), &json!("Vendas 1")));
    assert_eq!((&now["codRepresentante"], &now["nomeRepresentante"]), (&json!(2), &json!("Vendas 2")));
    // A representative is no consultant; 3 is of another store, 4 has left, 99 was never there.
    for code in [2, 3, 4, 99] {
        let told = calls.refused(BENEFITS, &health(1, json!({"codConsultor": code}))).await;
        assert!(told_about(&told, "codConsultor"), "{code}: {told}");
    }
    let told = calls.refused(BENEFITS, &health(1, json!({"codRepresentante": 1, "codConsultor": 2}))).await;
    assert!(told_about(&told, "codConsultor") && told_about(&told, "codRepresentante"), "{told}");
}

#[both_engines]
async fn the_day_of_joining_comes_in_either_form(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for given in ["01/10/2026", "2026-10-01"] {
        let saved = calls.health(1, json!({"dataAdesao": given})).await;
        assert_eq!(calls.now(&saved).await["dataAdesao"], "01/10/2026");
    }
    for wrong in ["31/02/2026", "2026-02-31", "ontem"] {
        assert!(told_about(
            &calls.refused(BENEFITS, &health(1, json!({"dataAdesao": wrong}))).await,
            "dataAdesao"
        ));
    }
}

#[both_engines]
async fn what_is_active_from_the_start_has_joined_on_that_day(world: World) {
    let mut calls = Calls::on(world).await;
    calls.member(1).await;
    // Late in the evening it is the next day in UTC already.
    calls.world.clock.pass(Duration::from_hours(13));
    calls.operator = calls.server().token(&calls.world.operator.email).await;
    calls.administrator = calls.server().token(&calls.world.administrator.email).await;
    for (more, day) in [
        (json!({"ativo": true}), json!("14/11/2026")),
        (json!({"situacao": "ativo"}), json!("14/11/2026")),
        (json!({"ativo": true, "dataAdesao": null}), json!("14/11/2026")),
        (json!({"ativo": true, "dataAdesao": ""}), json!("14/11/2026")),
        (json!({"ativo": true, "dataAdesao": "01/10/2026"}), json!("01/10/2026")),
        (json!({"ativo": false}), Value::Null),
        (json!({"situacao": "INADIMPLENTE"}), Value::Null),
        (json!({}), Value::Null),
    ] {
        let saved = calls.health(1, more.clone()).await;
        assert_eq!(calls.now(&saved).await["dataAdesao"], day, "{more}");
    }
    let car = calls.car(1, "ABC1D23", json!({"ativo": true})).await;
    assert_eq!(calls.now(&car).await["dataAdesao"], "14/11/2026");
    // A day that is cleared later stays so, and to become active later says nothing of the day.
    let code = &car["codBeneficio"];
    let cleared = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "dataAdesao": null});
    let cleared = calls.saved(&calls.operator, VEHICLES, &cleared).await;
    assert_eq!(calls.now(&cleared).await["dataAdesao"], Value::Null);
    let pending = calls.car(1, "DEF4G56", json!({})).await;
    let activated = json!({"codBeneficio": pending["codBeneficio"], "cpfCnpj": cpf(1), "ativo": true});
    let activated = calls.saved(&calls.operator, VEHICLES, &activated).await;
    assert_eq!(calls.now(&activated).await["dataAdesao"], Value::Null);
}

#[both_engines]
async fn integration_code_and_note_are_taken_and_what_is_unknown_ignored(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let more =
        json!({"codigoIntegracao": 42, "observacao": "Indicado.\nLigar.", "campoDesconhecido": {"x": [1]}});
    calls.health(1, more).await;
    let again = json!({"codigoIntegracao": "42", "observacao": "", "diaVencimento": null});
    let second = calls.health(1, again).await;
    assert_eq!(second["codBeneficio"], 2, "an integration code is no key");
}

#[both_engines]
async fn codes_and_sequence_numbers_count_from_one_in_each_association(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let here: Vec<Value> = vec![calls.health(1, json!({})).await, calls.health(1, json!({})).await];
    assert_eq!(
        (each(&here, "codBeneficio"), each(&here, "sequencial")),
        (vec![json!(1), json!(2)], vec![json!(1), json!(2)])
    );
    let person = json!({"nomePessoa": "Ana Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, MEMBERS, &person).await;
    // There, plan 1 is a health plan.
    let there = calls.saved(&calls.stranger, BENEFITS, &health(1, json!({"codPlano": 1}))).await;
    assert_eq!((&there["codBeneficio"], &there["sequencial"]), (&json!(1), &json!(1)));
    let third = calls.health(1, json!({})).await;
    assert!(third["codBeneficio"].as_i64().unwrap() > 2 && third["sequencial"].as_i64().unwrap() > 2);
}

#[both_engines]
async fn nothing_of_a_refused_benefit_is_stored(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({})).await;
    let before = calls.read(&calls.administrator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await;
    let history = calls.history(&calls.administrator).await;
    calls.refused(BENEFITS, &health(1, json!({"diaVencimento": 31}))).await;
    let wrong = json!({"dadosAdicionais": [{"codCampo": 1, "valor": "bom"}, {"codCampo": 99, "valor": "x"}]});
    calls.refused(VEHICLES, &car(1, "XYZ1A11", wrong)).await;
    calls.post(&calls.operator, VEHICLES, &car(1, "ABC1D23", json!({}))).await.refuses(409);
    assert_eq!(calls.read(&calls.administrator, MEMBERS, &[("situacaoBeneficio", "Todos")]).await, before);
    assert_eq!(calls.history(&calls.administrator).await, history);
    assert_eq!(calls.count("benefits").await, 1);
}

#[both_engines]
async fn the_same_key_gets_the_same_answer_and_makes_one_benefit(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let bearer = format!("Bearer {}", calls.operator);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "um")];
    let send =
        async |path: &str, body: &Value| calls.server().call("POST", path, &headers, &body.to_string()).await;
    let body = car(1, "ABC1D23", json!({}));
    let (first, again) = (send(VEHICLES, &body).await, send(VEHICLES, &body).await);
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, None), "{first:?}");
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")), "{again:?}");
    assert_eq!(again.body, first.body);
    send(VEHICLES, &with(body.clone(), json!({"placa": "XYZ1A11"}))).await.refuses(422);
    assert_eq!(send(BENEFITS, &health(1, json!({}))).await.status, 200, "a key belongs to a path");
    assert_eq!(calls.count("benefits").await, 2);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "dois")];
    let refused = calls.server().call("POST", VEHICLES, &headers, &body.to_string()).await;
    let replayed = calls.server().call("POST", VEHICLES, &headers, &body.to_string()).await;
    assert_eq!(refused.refuses(409), replayed.refuses(409), "a refusal is kept too");
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
}
