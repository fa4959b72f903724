//! Vehicles: what is told of one, and that a plate or chassis is protected once at a time.

use crate::calls::{Calls, VEHICLE_TYPE_THERE, VEHICLES, car, cpf, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const CHASSIS: &str = "9BWZZZ377VT004251";

#[both_engines]
async fn plate_or_chassis_is_needed(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for body in [json!({}), json!({"placa": "", "chassi": ""}), json!({"placa": null})] {
        let mut whole = json!({"codPlano": 1, "cpfCnpj": cpf(1)});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let told = calls.refused(VEHICLES, &whole).await;
        assert!(told.contains("placa") && told.contains("chassi"), "{told}");
    }
    let by_chassis = json!({"codPlano": 1, "cpfCnpj": cpf(1), "chassi": CHASSIS.to_lowercase()});
    let saved = calls.saved(&calls.operator, VEHICLES, &by_chassis).await;
    let now = calls.now(&saved).await;
    assert_eq!((&now["placa"], &now["chassi"]), (&Value::Null, &json!(CHASSIS)));
}

#[both_engines]
async fn the_vehicle_comes_back_as_it_came(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let vehicle = json!({"anoFabricacao": 2025, "anoModelo": 2026, "numeroPortas": 4, "categoria": "LEVE",
        "chassi": CHASSIS, "combustivel": "FLEX", "cor": "Prata", "marca": "FIAT", "modelo": "ARGO 1.0",
        "renavam": "01234567890", "valorParticipacao": 3000, "valorProtegido": 75000.5, "valorVeiculo": 78500.99});
    let mut more = vehicle.clone();
    more.as_object_mut()
        .unwrap()
        .extend(json!({"codTipoVeiculo": 1, "codigoFipe": "001509-1"}).as_object().unwrap().clone());
    let saved = calls.car(1, "ABC1D23", more).await;
    let now = calls.now(&saved).await["veiculo"].clone();
    for (field, value) in vehicle.as_object().unwrap() {
        assert_eq!(&now[field], value, "{field}");
    }
    assert_eq!((&now["placa"], &now["tipoVeiculo"]), (&json!("ABC1D23"), &json!("Automóvel de passeio")));
}

#[both_engines]
async fn categories_and_fuels_are_the_fixed_sets_and_others_are_refused_with_the_list(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let sets = [
        ("categoria", "BICICLETA CAMINHAO LEVE MOTOCICLETA PICKUP UTILITARIO ONIBUS OUTRO"),
        ("combustivel", "GASOLINA ETANOL FLEX DIESEL GNV ELETRICO OUTRO"),
    ];
    let mut plates = (10..).map(|number| format!("ABC1D{number}"));
    for (field, values) in sets {
        for value in values.split(' ') {
            let saved = calls.car(1, &plates.next().unwrap(), json!({field: value})).await;
            assert_eq!(calls.now(&saved).await["veiculo"][field], value);
        }
        for other in ["Leve", "gasolina", "Caminhão", "NAVE", "x"] {
            let told = calls.refused(VEHICLES, &car(1, "XYZ1A11", json!({field: other}))).await;
            assert!(told_about(&told, field), "{told}");
            assert!(
                values.split(' ').all(|value| told.contains(value)),
                "{field} lists what is allowed: {told}"
            );
        }
    }
}

#[both_engines]
async fn a_vehicle_type_is_an_active_one_of_the_association(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    // 2 is no longer used here, though there it is; 3 exists only there.
    for kind in [2, VEHICLE_TYPE_THERE, 99] {
        let told = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codTipoVeiculo": kind}))).await;
        let unknown = calls.refused(VEHICLES, &car(1, "ABC1D23", json!({"codTipoVeiculo": 98}))).await;
        assert!(told_about(&told, "codTipoVeiculo"), "{kind}: {told}");
        assert_eq!(told.replace(&format!(" {kind} "), " 98 "), unknown, "{kind}");
    }
}

#[both_engines]
async fn plates_come_in_either_form_and_any_dress(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (given, kept) in
        [("ABC1234", "ABC1234"), ("abd-1234", "ABD1234"), ("abe1d23", "ABE1D23"), (" abf 1d23 ", "ABF1D23")]
    {
        let saved = calls.car(1, given, json!({})).await;
        let now = calls.now(&saved).await;
        assert_eq!((&now["placa"], &now["veiculo"]["placa"]), (&json!(kept), &json!(kept)));
    }
    for wrong in ["ABC123", "1234ABC", "ABC12345", "AB-1234", "ÁBC1234", "ABC1DD3"] {
        assert!(told_about(&calls.refused(VEHICLES, &car(1, wrong, json!({}))).await, "placa"), "{wrong}");
    }
}

#[both_engines]
async fn a_chassis_has_at_most_twenty_characters(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let long = json!({"chassi": "1".repeat(21)});
    assert!(told_about(&calls.refused(VEHICLES, &car(1, "ABC1D23", long)).await, "chassi"));
    let saved = calls.car(1, "ABC1D23", json!({"chassi": "1".repeat(20)})).await;
    assert_eq!(calls.now(&saved).await["chassi"], "1".repeat(20));
}

#[both_engines]
async fn a_plate_or_chassis_has_one_living_benefit_at_a_time(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    calls.car(1, "ABC1D23", json!({"chassi": CHASSIS})).await;
    for plate in ["ABC1D23", "abc-1d23", "ABC1323"] {
        for number in [1, 2] {
            let refused = calls.post(&calls.operator, VEHICLES, &car(number, plate, json!({}))).await;
            let told = refused.refuses(409);
            assert!(told_about(told, "placa"), "{told}");
        }
    }
    let body = json!({"codPlano": 1, "cpfCnpj": cpf(2), "chassi": CHASSIS.to_lowercase()});
    assert!(told_about(calls.post(&calls.operator, VEHICLES, &body).await.refuses(409), "chassi"));
    let both = car(2, "ABC1D23", json!({"chassi": CHASSIS}));
    let told = calls.post(&calls.operator, VEHICLES, &both).await;
    assert!(
        told_about(told.refuses(409), "placa") && told_about(&told.body, "chassi"),
        "all at once: {told:?}"
    );
    assert_eq!(calls.count("benefits").await, 1);
}

#[both_engines]
async fn the_other_association_may_protect_the_same_plate(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({"chassi": CHASSIS})).await;
    let person = json!({"nomePessoa": "Ana Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, "/ext/associado", &person).await;
    // There, plan 2 is a vehicle plan.
    let body = car(1, "ABC1D23", json!({"codPlano": 2, "chassi": CHASSIS}));
    calls.saved(&calls.stranger, VEHICLES, &body).await;
}

#[both_engines]
async fn only_inactive_and_cancelled_set_a_plate_free(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let first = calls.car(1, "ABC1D23", json!({})).await;
    let code = &first["codBeneficio"];
    let change = async |more: Value| {
        let mut body = json!({"codBeneficio": code, "cpfCnpj": cpf(1)});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        calls.post(&calls.operator, VEHICLES, &body).await
    };
    for name in ["ATIVO", "PENDENTE", "INADIMPLENTE", "SUSPENSO"] {
        assert_eq!(change(json!({"situacao": name})).await.status, 200);
        calls.post(&calls.operator, VEHICLES, &car(2, "ABC1D23", json!({}))).await.refuses(409);
    }
    assert_eq!(change(json!({"situacao": "INATIVO"})).await.status, 200);
    let second = calls.car(2, "ABC1323", json!({})).await;
    for back in [json!({"ativo": true}), json!({"situacao": "PENDENTE"})] {
        let refused = change(back).await;
        assert!(told_about(refused.refuses(409), "placa"), "it is taken now: {refused:?}");
    }
    assert_eq!(calls.now(&first).await["situacao"], "INATIVO");
    assert_eq!(calls.cancel(&calls.operator, &second["codBeneficio"], "").await.status, 200);
    assert_eq!(change(json!({"ativo": true})).await.status, 200, "a cancelled one sets it free");
    calls.post(&calls.operator, VEHICLES, &car(2, "ABC1D23", json!({}))).await.refuses(409);
}

#[both_engines]
async fn a_benefit_that_is_born_inactive_takes_no_plate(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({})).await;
    let old = calls.car(1, "ABC1D23", json!({"ativo": false})).await;
    assert_eq!(old["situacao"], "INATIVO");
    assert_eq!(calls.found(&[("placa", "ABC1D23")]).await.len(), 2);
}

#[both_engines]
async fn a_plate_changed_into_one_that_is_taken_is_a_conflict(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "ABC1D23", json!({})).await;
    let second = calls.car(1, "XYZ1A11", json!({})).await;
    let body = json!({"codBeneficio": second["codBeneficio"], "cpfCnpj": cpf(1), "placa": "ABC1323"});
    assert!(told_about(calls.post(&calls.operator, VEHICLES, &body).await.refuses(409), "placa"));
    let own = json!({"codBeneficio": second["codBeneficio"], "cpfCnpj": cpf(1), "placa": "XYZ1011"});
    assert_eq!(
        calls.post(&calls.operator, VEHICLES, &own).await.status,
        200,
        "its own plate in the other form"
    );
}
