//! `PUT /ext/beneficio/{codBeneficio}/dadosAdicionais`.

use crate::calls::{AUDIT, BENEFITS, Calls, FIELD_THERE, MEMBERS, cpf, each, items, of, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Reply, World, both_engines};

async fn put(calls: &Calls, token: &str, benefit: &Value, body: &Value) -> Reply {
    calls.put(token, &of(benefit, "dadosAdicionais"), body).await
}

#[both_engines]
async fn fields_by_themselves_are_written_cleared_and_answered_whole(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({"dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}]})).await;
    calls.world.clock.pass(Duration::from_hours(48));
    let calls = Calls::on(calls.world).await;
    let body = json!([{"nome": "POSSUI RASTREADOR", "valor": true}, {"codCampo": 2, "valor": "12.50"},
        {"codCampo": 5, "valor": "trabalho"}, {"codCampo": 3, "valor": "2026-11-14"}]);
    let answer = put(&calls, &calls.operator, &car, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let wanted = json!([
        {"codCampo": 1, "nome": "Apelido", "valor": "Azulão"},
        {"codCampo": 4, "nome": "Possui rastreador", "valor": "true"},
        {"codCampo": 2, "nome": "Quilometragem", "valor": "12.50"},
        {"codCampo": 3, "nome": "Última vistoria", "valor": "14/11/2026"},
        {"codCampo": 5, "nome": "Uso do veículo", "valor": "Trabalho"}]);
    assert_eq!(answer.json(), wanted);
    assert_eq!(calls.now(&car).await["dadosAdicionais"], wanted);
    assert_eq!(each(&calls.rows(&[("placa", "ABC1D23")]).await, "dataAtualizacao"), ["16/11/2026"]);
    let body = json!([{"codCampo": 1, "valor": null}, {"codCampo": 3, "valor": null},
        {"codCampo": 4, "valor": null}, {"codCampo": 5}, {"codCampo": 2, "valor": ""}]);
    let answer = put(&calls, &calls.operator, &car, &body).await.json();
    assert_eq!(each(answer.as_array().unwrap(), "codCampo"), [json!(2), json!(5)], "only null clears");
    let body = json!([{"codCampo": 2, "valor": null}, {"codCampo": 5, "valor": null}]);
    assert_eq!(put(&calls, &calls.operator, &car, &body).await.body, "[]");
}

#[both_engines]
async fn all_of_the_array_is_stored_or_none_and_each_problem_names_its_place(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({})).await;
    let body = json!([{"codCampo": 1, "valor": "Novo"}, {"codCampo": 2, "valor": "x"}, {"codCampo": 6, "valor": "y"},
        {"codCampo": FIELD_THERE, "valor": "z"}, {"valor": "w"}, {"codCampo": 1, "valor": "mais de dez letras"},
        {"codCampo": 5, "valor": "Frete"}, {"codCampo": 8, "valor": "antigo"}]);
    let told = put(&calls, &calls.operator, &car, &body).await.refuses(400).to_owned();
    for at in 1..=7 {
        assert!(told.contains(&format!("dadosAdicionais[{at}].")), "{at} in {told}");
    }
    assert!(!told.contains("dadosAdicionais[0]") && told.contains("Particular"), "{told}");
    // What cannot be read comes with what does not fit.
    let body = json!([{"codCampo": "x", "nome": "Apelido", "valor": 1}, {"codCampo": 2, "valor": []}, {"codCampo": 99, "valor": 1}]);
    let told = put(&calls, &calls.operator, &car, &body).await.refuses(400).to_owned();
    for field in ["dadosAdicionais[0].codCampo", "dadosAdicionais[1].valor", "dadosAdicionais[2].codCampo"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    assert_eq!(calls.now(&car).await["dadosAdicionais"], json!([]));
}

#[both_engines]
async fn a_body_that_is_no_array_is_refused(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({})).await;
    for body in ["", "{", "{}", "null", "\"x\"", "[1]", r#"{"dadosAdicionais": []}"#] {
        let path = of(&car, "dadosAdicionais");
        calls.server().put(&path, &calls.operator, body).await.refuses(400);
    }
    assert_eq!(calls.server().put(&of(&car, "dadosAdicionais"), &calls.operator, "[]").await.body, "[]");
}

#[both_engines]
async fn fields_that_are_there_already_change_nothing_and_are_noted_as_seen(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let given = json!([{"codCampo": 1, "valor": "Azulão"}]);
    let car = calls.car(1, "ABC1D23", json!({"dadosAdicionais": given})).await;
    calls.world.clock.pass(Duration::from_hours(48));
    let calls = Calls::on(calls.world).await;
    for body in [json!([]), given, json!([{"codCampo": 1}, {"codCampo": 2, "valor": null}])] {
        assert_eq!(put(&calls, &calls.operator, &car, &body).await.status, 200);
    }
    assert_eq!(each(&calls.rows(&[("placa", "ABC1D23")]).await, "dataAtualizacao"), ["14/11/2026"]);
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
    let entries = items(&calls.read(&calls.administrator, AUDIT, &[("codPessoa", "1")]).await);
    let own: Vec<&Value> = entries
        .iter()
        .filter(|one| one["operacao"].as_str().unwrap().ends_with("/dadosAdicionais"))
        .collect();
    assert!(!own.is_empty() && own.iter().all(|one| one["tipo"] == "leitura"), "{entries:?}");
    put(&calls, &calls.operator, &car, &json!([{"codCampo": 1, "valor": "Outro"}])).await;
    let entries = items(&calls.read(&calls.administrator, AUDIT, &[("codPessoa", "1")]).await);
    assert_eq!(entries.last().unwrap()["tipo"], "alteracao");
    assert!(!entries.last().unwrap().to_string().contains("Outro"), "never a value");
}

#[both_engines]
async fn a_cancelled_benefit_takes_no_field(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let car = calls.car(1, "ABC1D23", json!({})).await;
    calls.cancel(&calls.operator, &car["codBeneficio"], "").await;
    let refused = put(&calls, &calls.operator, &car, &json!([{"codCampo": 1, "valor": "x"}])).await;
    assert!(told_about(refused.refuses(409), "codBeneficio"), "{refused:?}");
    // What was sent is judged before the state that it meets.
    put(&calls, &calls.operator, &car, &json!([{"codCampo": 99, "valor": "x"}])).await.refuses(400);
}

#[both_engines]
async fn fields_out_of_reach_answer_like_those_of_an_unknown_benefit(world: World) {
    let calls = Calls::on(world).await;
    let person = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(1), "codLoja": 1});
    calls.saved(&calls.administrator, MEMBERS, &person).await;
    let body = json!({"codPlano": 2, "cpfCnpj": cpf(1)});
    let far = calls.saved(&calls.administrator, BENEFITS, &body).await;
    let nowhere = json!({"codBeneficio": 99});
    for token in [&calls.operator, &calls.integration, &calls.stranger] {
        for body in [json!([]), json!([{"codCampo": 1, "valor": "Quarto Ali"}]), json!([{"codCampo": 77}])] {
            let (refused, unknown) =
                (put(&calls, token, &far, &body).await, put(&calls, token, &nowhere, &body).await);
            let same = unknown.body.replace("99", "1");
            assert_eq!((refused.status, &refused.body), (unknown.status, &same));
            assert!(refused.status >= 400, "{refused:?}");
        }
    }
    assert_eq!(calls.now(&far).await["dadosAdicionais"], json!([]));
}

#[both_engines]
async fn what_no_benefit_takes_is_told_before_an_unknown_code(world: World) {
    let calls = Calls::on(world).await;
    let nowhere = json!({"codBeneficio": 99});
    // 1 is a text of vehicles, 6 of health benefits; nobody has 99, and 2 takes no letters anywhere.
    let taken = json!([{"codCampo": 1, "valor": "x"}, {"codCampo": 6, "valor": "x"}]);
    put(&calls, &calls.operator, &nowhere, &taken).await.refuses(404);
    let body = json!([{"codCampo": 99, "valor": 1}, {"codCampo": 2, "valor": "x"}, {"valor": 1}]);
    let told = put(&calls, &calls.operator, &nowhere, &body).await.refuses(400).to_owned();
    for field in ["dadosAdicionais[0].codCampo", "dadosAdicionais[1].valor", "dadosAdicionais[2].codCampo"] {
        assert!(told_about(&told, field), "{field} in {told}");
    }
    calls.put(&calls.operator, "/ext/beneficio/x/dadosAdicionais", &json!([])).await.refuses(400);
}
