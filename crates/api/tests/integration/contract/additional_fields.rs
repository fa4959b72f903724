//! `dadosAdicionais` of a benefit: which field, which value, all or none.

use crate::calls::{BENEFITS, Calls, FIELD_THERE, VEHICLES, array, car, cpf, health, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines};

async fn fields(calls: &Calls, benefit: &Value) -> Vec<(i64, String)> {
    let all = array(&calls.now(benefit).await["dadosAdicionais"]);
    let mut all: Vec<(i64, String)> = all
        .iter()
        .map(|field| (field["codCampo"].as_i64().unwrap(), field["valor"].as_str().unwrap().to_owned()))
        .collect();
    all.sort();
    all
}

fn pairs(all: &[(i64, &str)]) -> Vec<(i64, String)> {
    all.iter().map(|(code, value)| (*code, (*value).to_owned())).collect()
}

#[both_engines]
async fn a_field_is_named_by_code_or_by_name_and_its_value_comes_back_as_text(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let given = json!({"dadosAdicionais": [
        {"codCampo": 1, "valor": "Azulão"}, {"nome": "quilometragem", "valor": 12000},
        {"nome": "ULTIMA VISTORIA", "valor": "2026-10-01"}, {"codCampo": 4, "valor": true},
        {"codCampo": 5, "nome": "Uso do veículo", "valor": "Particular"}]});
    let saved = calls.car(1, "ABC1D23", given).await;
    let now = calls.now(&saved).await;
    let shown = json!([
        {"codCampo": 1, "nome": "Apelido", "valor": "Azulão"},
        {"codCampo": 4, "nome": "Possui rastreador", "valor": "true"},
        {"codCampo": 2, "nome": "Quilometragem", "valor": "12000"},
        {"codCampo": 3, "nome": "Última vistoria", "valor": "01/10/2026"},
        {"codCampo": 5, "nome": "Uso do veículo", "valor": "Particular"}]);
    assert_eq!(now["dadosAdicionais"], shown, "by name, then code");
    let row = calls.rows(&[("nome", "pessoa")]).await.remove(0);
    assert_eq!(row["dadosAdicionais"], shown, "the same in the member search");
}

#[both_engines]
async fn values_are_checked_against_the_fields_type_options_and_length(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (code, wrong) in [
        (1, json!("onze letras")),
        (2, json!("doze")),
        (2, json!(true)),
        (3, json!("31/02/2026")),
        (3, json!("ontem")),
        (4, json!("talvez")),
        (5, json!("Passeio")),
    ] {
        let more = json!({"dadosAdicionais": [{"codCampo": code, "valor": wrong}]});
        let told = calls.refused(VEHICLES, &car(1, "ABC1D23", more)).await;
        assert!(told.starts_with("dadosAdicionais[0]"), "{code} {wrong}: {told}");
    }
    let more = json!({"dadosAdicionais": [{"codCampo": 5, "valor": "Passeio"}]});
    let told = calls.refused(VEHICLES, &car(1, "ABC1D23", more)).await;
    assert!(told.contains("Particular") && told.contains("Trabalho"), "what is allowed: {told}");
    let ten = json!({"dadosAdicionais": [{"codCampo": 1, "valor": "dez letras"}, {"codCampo": 2, "valor": "12.5"}]});
    let saved = calls.car(1, "ABC1D23", ten).await;
    assert_eq!(fields(&calls, &saved).await, pairs(&[(1, "dez letras"), (2, "12.5")]));
}

#[both_engines]
async fn a_field_must_be_an_active_one_of_this_kind_of_benefit(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    // 6 is of health benefits, 8 is no longer used, 9 only the other association has.
    for which in [
        json!({"codCampo": 6}),
        json!({"codCampo": 8}),
        json!({"codCampo": FIELD_THERE}),
        json!({"codCampo": 99}),
        json!({"nome": "Médico de confiança"}),
        json!({"nome": "Campo só Ali"}),
        json!({"nome": "Nada disso"}),
        json!({}),
    ] {
        let mut field = which.clone();
        field["valor"] = json!("x");
        let told = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"dadosAdicionais": [field]}))).await;
        assert!(told.starts_with("dadosAdicionais[0]"), "{which}: {told}");
    }
    let health_field = json!({"dadosAdicionais": [{"codCampo": 6, "valor": "Dra. Lia"}]});
    let saved = calls.health(1, health_field).await;
    assert_eq!(fields(&calls, &saved).await, pairs(&[(6, "Dra. Lia")]));
}

#[both_engines]
async fn named_fields_are_written_the_others_stay_and_null_clears(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let first = json!({"dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}, {"codCampo": 2, "valor": 5}]});
    let saved = calls.car(1, "ABC1D23", first).await;
    let change = async |given: Value| {
        let body =
            json!({"codBeneficio": saved["codBeneficio"], "cpfCnpj": cpf(1), "dadosAdicionais": given});
        calls.saved(&calls.operator, BENEFITS, &body).await;
        fields(&calls, &saved).await
    };
    assert_eq!(change(json!([{"codCampo": 2, "valor": 6}])).await, pairs(&[(1, "Azulão"), (2, "6")]));
    assert_eq!(change(json!([])).await, pairs(&[(1, "Azulão"), (2, "6")]));
    assert_eq!(change(json!([{"codCampo": 1, "valor": null}])).await, pairs(&[(2, "6")]));
    let added = json!([{"nome": "apelido", "valor": "Zé"}, {"codCampo": 4, "valor": false}]);
    assert_eq!(change(added).await, pairs(&[(1, "Zé"), (2, "6"), (4, "false")]));
}

#[both_engines]
async fn all_of_the_fields_are_stored_or_none(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved =
        calls.car(1, "ABC1D23", json!({"dadosAdicionais": [{"codCampo": 1, "valor": "Azulão"}]})).await;
    let body = json!({"codBeneficio": saved["codBeneficio"], "cpfCnpj": cpf(1), "diaVencimento": 5, "dadosAdicionais": [
        {"codCampo": 1, "valor": "Novo"}, {"codCampo": 2, "valor": "x"}, {"codCampo": 99, "valor": 1}]});
    let told = calls.refused(BENEFITS, &body).await;
    assert!(told.contains("dadosAdicionais[1]") && told.contains("dadosAdicionais[2]"), "{told}");
    assert_eq!(fields(&calls, &saved).await, pairs(&[(1, "Azulão")]));
    assert_eq!(calls.now(&saved).await["diaVencimento"], Value::Null);
}

#[both_engines]
async fn a_required_field_that_is_absent_is_no_reason_to_refuse(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.car(1, "ABC1D23", json!({})).await;
    assert_eq!(calls.now(&saved).await["dadosAdicionais"], json!([]));
    let told = calls.refused(BENEFITS, &health(1, json!({"dadosAdicionais": {"codCampo": 6}}))).await;
    assert!(told_about(&told, "dadosAdicionais"), "an object is no array: {told}");
}
