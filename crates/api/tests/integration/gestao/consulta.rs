//! `/gestao/consulta`: what appointments have of their own.

use crate::calls::told_about;
use crate::gestao::case_scene::{
    CLINIC, DOCTOR, DOCTOR_WHO_LEFT, HEALTH, MEMBER, SECOND_CLINIC, SECOND_MEMBER, SECOND_SPECIALTY,
    SPECIALTY, outbox, scene,
};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const APPOINTMENTS: &str = "/gestao/consulta";

#[both_engines]
async fn an_appointment_with_everything_byte_for_byte(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example", "entidades": ["consulta"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    calls.dependent(&json!({"codBeneficio": HEALTH}), json!({})).await;
    let body = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": HEALTH, "codDependente": 1, "codMedico": DOCTOR,
        "dataConsulta": "2026-11-20T17:30:00Z", "observacao": "Levar exames.",
        "codResponsavel": calls.world.operator.code.get()});
    let opened = calls.post(&calls.operator, APPOINTMENTS, &body).await;
    assert_eq!(opened.body, include_str!("golden/consulta.json").trim_end());
    assert_eq!(calls.get(&calls.operator, "/gestao/consulta/1", &[]).await.body, opened.body);
    let sent = outbox(&calls).await;
    assert_eq!(sent, [(include_str!("golden/gatilho_consulta.json").trim_end().to_owned(), 1)]);
}

#[both_engines]
async fn a_doctor_brings_his_specialty_and_clinic_and_a_clinic_its_address(world: World) {
    let calls = scene(world).await;
    let path = "/gestao/consulta/1";
    let own = json!({"codPessoa": MEMBER, "codMedico": DOCTOR, "codEspecialidade": SECOND_SPECIALTY});
    let opened = calls.saved(&calls.operator, APPOINTMENTS, &own).await;
    assert_eq!(
        (&opened["codEspecialidade"], &opened["clinica"]),
        (&json!(SECOND_SPECIALTY), &json!("Vida Plena"))
    );
    assert_eq!(opened["endereco"], "Avenida Paulista, 1578, Bela Vista, São Paulo, SP");
    // Another clinic has another address, until somebody says where it is.
    let moved =
        calls.put(&calls.operator, path, &json!({"versao": 1, "codClinica": SECOND_CLINIC})).await.json();
    assert_eq!(
        (&moved["clinica"], &moved["endereco"]),
        (&json!("Boa Saúde"), &json!("Rua Augusta, 10, Santos, SP"))
    );
    let own = calls.put(&calls.operator, path, &json!({"versao": 2, "endereco": "Sala 3"})).await.json();
    assert_eq!(own["endereco"], "Sala 3");
    let kept = calls.put(&calls.operator, path, &json!({"versao": 3, "codClinica": CLINIC})).await.json();
    assert_eq!(kept["endereco"], "Sala 3");
    let alone = json!({"codPessoa": MEMBER, "codEspecialidade": SPECIALTY, "endereco": "Em casa"});
    let alone = calls.saved(&calls.operator, APPOINTMENTS, &alone).await;
    assert_eq!(
        (&alone["especialidade"], &alone["codMedico"], &alone["endereco"]),
        (&json!("Cardiologia"), &Value::Null, &json!("Em casa"))
    );
    let bad = json!({"codPessoa": MEMBER, "codMedico": DOCTOR_WHO_LEFT, "codClinica": 4000, "codEspecialidade": 4000,
        "dataConsulta": "20/11/2026"});
    let told = calls.refused(APPOINTMENTS, &bad).await;
    for field in ["codMedico", "codClinica", "codEspecialidade", "dataConsulta"] {
        assert!(told_about(&told, field), "{field}: {told}");
    }
}

#[both_engines]
async fn who_goes_is_a_dependent_of_the_benefit(world: World) {
    let calls = scene(world).await;
    calls.dependent(&json!({"codBeneficio": HEALTH}), json!({})).await;
    let body = json!({"codPessoa": SECOND_MEMBER, "codDependente": 1});
    assert!(told_about(&calls.refused(APPOINTMENTS, &body).await, "codDependente"), "of no benefit");
    let body = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": HEALTH, "codDependente": 2});
    assert!(told_about(&calls.refused(APPOINTMENTS, &body).await, "codDependente"), "of nobody");
    let body = json!({"codPessoa": MEMBER, "codBeneficio": 1, "codDependente": 1});
    assert!(told_about(&calls.refused(APPOINTMENTS, &body).await, "codDependente"), "of another benefit");
    let body = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": HEALTH, "codDependente": 1});
    assert_eq!(calls.saved(&calls.operator, APPOINTMENTS, &body).await["dependente"], "João Souza");
    // Without the benefit he is nobody's.
    let refused =
        calls.put(&calls.operator, "/gestao/consulta/1", &json!({"versao": 1, "codBeneficio": null})).await;
    assert!(told_about(refused.refuses(400), "codDependente"), "{refused:?}");
    let himself = json!({"versao": 1, "codDependente": null, "codBeneficio": null});
    let himself = calls.put(&calls.operator, "/gestao/consulta/1", &himself).await.json();
    assert_eq!((&himself["dependente"], &himself["codBeneficio"]), (&Value::Null, &Value::Null));
}
