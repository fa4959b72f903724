//! `POST /ext/beneficio` and `/veicular` with a `codBeneficio`: changing a benefit.

use crate::calls::{
    BENEFITS, CLUB_PLAN, Calls, HEALTH_PLAN, SECOND_CAR_PLAN, VEHICLES, car, cpf, each, health, told_about,
};
use serde_json::{Value, json};
use testkit::{World, both_engines};

/// A vehicle benefit with everything, as it is found.
async fn full(calls: &Calls) -> Value {
    calls.member(1).await;
    let more = json!({"chassi": "9BWZZZ377VT004251", "diaVencimento": 10, "codConsultor": 1, "codRepresentante": 2,
        "dataAdesao": "01/10/2026", "ativo": true, "marca": "FIAT", "modelo": "ARGO 1.0", "valorVeiculo": 78500.5,
        "combustivel": "FLEX", "categoria": "LEVE", "dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}]});
    let saved = calls.car(1, "ABC1D23", more).await;
    calls.now(&saved).await
}

#[both_engines]
async fn with_a_code_that_benefit_is_changed_and_what_is_absent_stays(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let body = json!({"codBeneficio": before["codBeneficio"], "cpfCnpj": cpf(1), "diaVencimento": 20});
    for path in [BENEFITS, VEHICLES] {
        let saved = calls.saved(&calls.operator, path, &body).await;
        for field in
            ["codBeneficio", "sequencial", "numeroCartaoDesconto", "codPessoa", "situacao", "tipoSituacao"]
        {
            assert_eq!(saved[field], before[field], "{path}: {field}");
        }
    }
    let mut wanted = before.clone();
    wanted["diaVencimento"] = json!(20);
    assert_eq!(calls.now(&before).await, wanted);
    assert_eq!(calls.count("benefits").await, 1);
}

#[both_engines]
async fn null_clears_and_an_empty_text_does_not(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let code = &before["codBeneficio"];
    let empty = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "dataAdesao": "", "marca": "", "numeroCartaoDesconto": "",
        "chassi": "", "combustivel": ""});
    calls.saved(&calls.operator, VEHICLES, &empty).await;
    assert_eq!(calls.now(&before).await, before);
    let cleared = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "dataAdesao": null, "marca": null, "codConsultor": null,
        "diaVencimento": null, "valorVeiculo": null, "chassi": null, "combustivel": null});
    calls.saved(&calls.operator, VEHICLES, &cleared).await;
    let now = calls.now(&before).await;
    for field in ["dataAdesao", "codConsultor", "nomeConsultor", "diaVencimento", "chassi"] {
        assert_eq!(now[field], Value::Null, "{field}");
    }
    for field in ["marca", "valorVeiculo", "chassi", "combustivel"] {
        assert_eq!(now["veiculo"][field], Value::Null, "{field}");
    }
    assert_eq!((&now["placa"], &now["veiculo"]["modelo"]), (&json!("ABC1D23"), &json!("ARGO 1.0")));
    assert_eq!(calls.found(&[("chassi", "9BWZZZ377VT004251")]).await.len(), 0);
}

#[both_engines]
async fn the_basic_path_changes_the_common_fields_of_a_benefit_of_any_type(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let body = json!({"codBeneficio": before["codBeneficio"], "cpfCnpj": cpf(1), "situacao": "INADIMPLENTE",
        "diaVencimento": 5, "codConsultor": null, "codPlano": 1, "marca": "FORD", "placa": "XYZ1A11"});
    calls.saved(&calls.operator, BENEFITS, &body).await;
    let now = calls.now(&before).await;
    assert_eq!((&now["situacao"], &now["diaVencimento"]), (&json!("INADIMPLENTE"), &json!(5)));
    assert_eq!(now["codConsultor"], Value::Null);
    assert_eq!(
        (&now["veiculo"], &now["placa"]),
        (&before["veiculo"], &before["placa"]),
        "unknown there, ignored"
    );
}

#[both_engines]
async fn the_vehicle_path_changes_the_vehicle(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let body = json!({"codBeneficio": before["codBeneficio"], "cpfCnpj": cpf(1), "placa": "xyz-1a11", "cor": "Prata",
        "anoModelo": 2027, "valorProtegido": 1.05});
    calls.saved(&calls.operator, VEHICLES, &body).await;
    let now = calls.now(&before).await;
    assert_eq!((&now["placa"], &now["veiculo"]["placa"]), (&json!("XYZ1A11"), &json!("XYZ1A11")));
    assert_eq!((&now["veiculo"]["cor"], &now["veiculo"]["anoModelo"]), (&json!("Prata"), &json!(2027)));
    assert_eq!(now["veiculo"]["valorProtegido"].to_string(), "1.05");
    assert_eq!(now["veiculo"]["marca"], "FIAT", "absent stays");
    assert_eq!(calls.found(&[("placa", "ABC1D23")]).await.len(), 0);
    assert_eq!(calls.rows(&[("placa", "XYZ1A11")]).await.len(), 1);
}

#[both_engines]
async fn the_vehicle_path_refuses_a_benefit_that_has_no_vehicle(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let body = json!({"codBeneficio": saved["codBeneficio"], "cpfCnpj": cpf(1), "placa": "ABC1D23"});
    calls.refused(VEHICLES, &body).await;
    assert_eq!(calls.now(&saved).await["veiculo"], Value::Null);
}

#[both_engines]
async fn a_vehicle_keeps_plate_or_chassis(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let code = &before["codBeneficio"];
    let both = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "placa": null, "chassi": null});
    calls.refused(VEHICLES, &both).await;
    assert_eq!(calls.now(&before).await, before);
    let one = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "placa": null});
    calls.saved(&calls.operator, VEHICLES, &one).await;
    assert_eq!(calls.now(&before).await["placa"], Value::Null);
}

#[both_engines]
async fn the_document_of_a_change_is_the_holders(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    calls.member(2).await;
    let body = json!({"codBeneficio": before["codBeneficio"], "diaVencimento": 5});
    assert!(told_about(&calls.refused(BENEFITS, &body).await, "cpfCnpj"), "it is required here too");
    for other in [cpf(2), cpf(3)] {
        let body = json!({"codBeneficio": before["codBeneficio"], "cpfCnpj": other, "diaVencimento": 5});
        for path in [BENEFITS, VEHICLES] {
            assert!(told_about(&calls.refused(path, &body).await, "cpfCnpj"), "{other}");
        }
    }
    assert_eq!(calls.now(&before).await, before);
}

#[both_engines]
async fn the_plan_it_has_changes_nothing_and_another_replaces_it(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let code = &before["codBeneficio"];
    let same = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "codPlano": 1});
    calls.saved(&calls.operator, BENEFITS, &same).await;
    assert_eq!(calls.now(&before).await, before);
    let other = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "codPlano": SECOND_CAR_PLAN});
    calls.saved(&calls.operator, VEHICLES, &other).await;
    let now = calls.now(&before).await;
    assert_eq!(now["planos"], json!([{"codPlano": 6, "nome": "Proteção Prata", "valor": 89.9}]));
    assert_eq!(calls.rows(&[("nome", "pessoa"), ("codPlano", "6")]).await.len(), 1);
    assert_eq!(calls.rows(&[("nome", "pessoa"), ("codPlano", "1")]).await.len(), 0);
    for unknown in [7, 8, 99] {
        let body = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "codPlano": unknown});
        assert!(told_about(&calls.refused(BENEFITS, &body).await, "codPlano"), "{unknown}");
    }
    assert_eq!(calls.history(&calls.operator).await.len(), 1, "a plan is no situation");
}

#[both_engines]
async fn a_plan_of_another_kind_without_vehicle_replaces_too(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({"codPlano": HEALTH_PLAN})).await;
    calls.health(1, json!({"codBeneficio": saved["codBeneficio"], "codPlano": HEALTH_PLAN})).await;
    let reply = calls
        .post(
            &calls.operator,
            BENEFITS,
            &health(1, json!({"codBeneficio": saved["codBeneficio"], "codPlano": CLUB_PLAN})),
        )
        .await;
    let now = calls.now(&saved).await;
    // Whether a plan may change a benefit's type is left open; what it may not do is make the two disagree.
    match reply.status {
        200 => assert_eq!(
            (&now["planos"][0]["codPlano"], &now["tipoBeneficio"]),
            (&json!(CLUB_PLAN), &json!("DIVERSOS"))
        ),
        _ => {
            assert!(told_about(reply.refuses(400), "codPlano"));
            assert_eq!(
                (&now["planos"][0]["codPlano"], &now["tipoBeneficio"]),
                (&json!(HEALTH_PLAN), &json!("SAUDE"))
            );
        }
    }
}

#[both_engines]
async fn a_cancelled_benefit_cannot_be_changed(world: World) {
    let calls = Calls::on(world).await;
    let saved = full(&calls).await;
    assert_eq!(calls.cancel(&calls.operator, &saved["codBeneficio"], "").await.status, 200);
    let before = calls.now(&saved).await;
    for more in [json!({"ativo": true}), json!({"diaVencimento": 5}), json!({"situacao": "ATIVO"}), json!({})]
    {
        let mut body = json!({"codBeneficio": saved["codBeneficio"], "cpfCnpj": cpf(1)});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        for path in [BENEFITS, VEHICLES] {
            calls.post(&calls.operator, path, &body).await.refuses(409);
        }
    }
    assert_eq!(calls.now(&saved).await, before);
}

#[both_engines]
async fn a_code_in_the_body_that_does_not_exist_is_bad_input(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for path in [BENEFITS, VEHICLES] {
        for code in [json!(99), json!(0), json!(-1), json!(2_147_483_648_i64), json!("x")] {
            let body = json!({"codBeneficio": code, "cpfCnpj": cpf(1), "diaVencimento": 5});
            let told = calls.refused(path, &body).await;
            assert!(told_about(&told, "codBeneficio"), "{path} {code}: {told}");
        }
    }
    let told =
        calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codTipoVeiculo": 99, "codLoja": 99}))).await;
    assert!(told_about(&told, "codTipoVeiculo") && told_about(&told, "codLoja"), "{told}");
}

#[both_engines]
async fn a_store_in_a_change_moves_the_benefit_where_the_caller_has_both(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let body = health(1, json!({"codBeneficio": saved["codBeneficio"], "codLoja": 3}));
    assert!(told_about(&calls.refused(BENEFITS, &body).await, "codLoja"));
    calls.saved(&calls.integration, BENEFITS, &body).await;
    assert_eq!(calls.now(&saved).await["nomeLoja"], "Filial Sul");
    assert_eq!(calls.rows(&[("nome", "pessoa")]).await.len(), 0, "the row is of the benefit's store");
    let told = calls
        .refused(BENEFITS, &health(1, json!({"codBeneficio": saved["codBeneficio"], "codLoja": 2})))
        .await;
    assert!(told_about(&told, "codBeneficio"), "out of reach, as if it were not there: {told}");
}

#[both_engines]
async fn what_changes_nothing_answers_the_same_and_leaves_no_trace(world: World) {
    let calls = Calls::on(world).await;
    let before = full(&calls).await;
    let body = json!({"codBeneficio": before["codBeneficio"], "cpfCnpj": cpf(1), "situacao": "ativo", "ativo": true,
        "diaVencimento": 10, "placa": "ABC1D23", "codPlano": 1});
    calls.world.clock.pass(std::time::Duration::from_hours(1));
    calls.saved(&calls.operator, VEHICLES, &body).await;
    assert_eq!(calls.now(&before).await, before);
    assert_eq!(each(&calls.history(&calls.operator).await, "situacao"), ["ATIVO"]);
}
