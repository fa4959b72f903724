//! `GET /ext/beneficio`: one benefit parameter, and what else narrows.

use crate::calls::{BENEFITS, Calls, bare, cpf, each, told_about};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const CHASSIS: &str = "9BWZZZ377VT004251";

#[both_engines]
async fn a_benefit_parameter_is_needed(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({})).await;
    let document = cpf(1);
    let insufficient: [&[(&str, &str)]; 8] = [
        &[],
        &[("cpf", &document)],
        &[("cnpj", &document)],
        &[("situacaoBeneficio", "PENDENTE")],
        &[("situacaoBeneficio", "Todos")],
        &[("codPlano", "2")],
        &[("cpf", &document), ("situacaoBeneficio", "Todos"), ("codPlano", "2")],
        &[("placa", ""), ("chassi", ""), ("sequencial", ""), ("numeroCartaoDesconto", "")],
    ];
    for query in insufficient {
        let refused = calls.get(&calls.operator, BENEFITS, query).await;
        let told = refused.refuses(400);
        for field in ["placa", "chassi", "sequencial", "numeroCartaoDesconto"] {
            assert!(told.contains(field), "{query:?}: {field} in {told}");
        }
    }
}

#[both_engines]
async fn each_benefit_parameter_suffices_and_the_answer_is_a_bare_array(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.car(1, "XYZ1A11", json!({})).await;
    let saved = calls.car(1, "ABC1D23", json!({"chassi": CHASSIS})).await;
    let (sequence, card) =
        (saved["sequencial"].to_string(), saved["numeroCartaoDesconto"].as_str().unwrap().to_owned());
    let sufficient: [(&str, &str); 4] = [
        ("placa", "ABC1D23"),
        ("chassi", CHASSIS),
        ("sequencial", &sequence),
        ("numeroCartaoDesconto", &card),
    ];
    for one in sufficient {
        assert_eq!(
            each(&calls.found(&[one]).await, "codBeneficio"),
            [saved["codBeneficio"].clone()],
            "{one:?}"
        );
    }
    for nothing in [
        ("placa", "ABC1D24"),
        ("chassi", "X"),
        ("sequencial", "99"),
        ("numeroCartaoDesconto", "9999999999999"),
    ] {
        assert_eq!(calls.read(&calls.operator, BENEFITS, &[nothing]).await, json!([]), "{nothing:?}");
    }
}

#[both_engines]
async fn the_other_parameters_narrow(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let saved = calls.car(1, "ABC1D23", json!({"chassi": CHASSIS, "ativo": true})).await;
    let (document, other, sequence) = (bare(&cpf(1)), cpf(2), saved["sequencial"].to_string());
    for (name, holds, fails) in [
        ("cpf", document.as_str(), other.as_str()),
        ("cnpj", document.as_str(), other.as_str()),
        ("cpf", document.as_str(), "111.111.111-11"),
        ("chassi", "9bwzzz377vt004251", "X"),
        ("sequencial", &sequence, "99"),
        ("situacaoBeneficio", "ativo", "PENDENTE"),
        ("situacaoBeneficio", "Todos", "Não existe"),
        ("codPlano", "1", "2"),
    ] {
        assert_eq!(calls.found(&[("placa", "ABC1D23"), (name, holds)]).await.len(), 1, "{name}={holds}");
        assert_eq!(calls.found(&[("placa", "ABC1D23"), (name, fails)]).await.len(), 0, "{name}={fails}");
    }
    assert_eq!(calls.found(&[("placa", "ABC1D23"), ("semSentido", "x")]).await.len(), 1);
}

#[both_engines]
async fn either_form_of_a_plate_finds_the_vehicle(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (plate, forms) in [
        ("ABC1D23", ["ABC1D23", "abc-1d23", "ABC1323", "abc-1323"]),
        ("XYZ1034", ["XYZ1034", "xyz 1034", "XYZ1A34", "xyz1a34"]),
        ("QWE1K55", ["QWE1K55", "qwe1k55", "QWE-1K55", " QWE1K55 "]),
    ] {
        calls.car(1, plate, json!({})).await;
        for form in forms {
            assert_eq!(each(&calls.found(&[("placa", form)]).await, "placa"), [plate], "{form}");
            assert_eq!(each(&calls.rows(&[("placa", form)]).await, "placa"), [plate], "{form} among members");
        }
    }
    for wrong in ["ABC", "%", "ABC1?23", "ABC1D2"] {
        assert_eq!(calls.found(&[("placa", wrong)]).await.len(), 0, "{wrong}");
        assert_eq!(calls.rows(&[("placa", wrong)]).await.len(), 0, "{wrong}");
    }
}

#[both_engines]
async fn limits_of_the_benefit_parameters_are_told_by_name(world: World) {
    let calls = Calls::on(world).await;
    for (name, value) in [
        ("chassi", "123456789012345678901"),
        ("sequencial", "-1"),
        ("sequencial", "2147483648"),
        ("sequencial", "x"),
        ("sequencial", "1.0"),
        ("codPlano", "-1"),
        ("codPlano", "2147483648"),
        ("numeroCartaoDesconto", "123"),
        ("numeroCartaoDesconto", "12345678901234"),
        ("numeroCartaoDesconto", "1234  56 7 890 123"),
        ("numeroCartaoDesconto", "12 3456 7 890 123"),
        ("numeroCartaoDesconto", "1234.56.7.890.123"),
    ] {
        let refused = calls.get(&calls.operator, BENEFITS, &[("placa", "ABC1D23"), (name, value)]).await;
        assert!(told_about(refused.refuses(400), name), "{name}={value}: {refused:?}");
    }
    for (name, value) in [
        ("chassi", "12345678901234567890"),
        ("sequencial", "0"),
        ("sequencial", "2147483647"),
        ("codPlano", "0"),
        ("codPlano", "2147483647"),
    ] {
        assert_eq!(calls.found(&[("placa", "ABC1D23"), (name, value)]).await.len(), 0, "{name}={value}");
    }
}

#[both_engines]
async fn a_card_number_is_found_with_blanks_behind_any_of_its_groups(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.health(1, json!({"numeroCartaoDesconto": "1234 56 7 890 123"})).await;
    for form in ["1234 56 7 890 123", "1234567890123", "123456 7890123", "1234 567 890123", "1234567890 123"]
    {
        assert_eq!(calls.found(&[("numeroCartaoDesconto", form)]).await.len(), 1, "{form}");
    }
}

#[both_engines]
async fn several_benefits_come_by_name_then_code(world: World) {
    let calls = Calls::on(world).await;
    for (number, name) in [(1, "Zeca"), (2, "ana"), (3, "Érica")] {
        calls.member_with(number, json!({"nomePessoa": name})).await;
    }
    for number in [1, 2, 3, 2] {
        let saved = calls.car(number, "ABC1D23", json!({})).await;
        assert_eq!(calls.cancel(&calls.operator, &saved["codBeneficio"], "").await.status, 200);
    }
    let found = calls.found(&[("placa", "ABC1D23")]).await;
    let order: Vec<(Value, Value)> =
        found.iter().map(|one| (one["nomePessoa"].clone(), one["codBeneficio"].clone())).collect();
    let wanted = [("ana", 2), ("ana", 4), ("Érica", 3), ("Zeca", 1)];
    assert_eq!(order, wanted.map(|(name, code)| (json!(name), json!(code))));
}
