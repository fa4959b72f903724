//! Situations: one default for each type of each entity, the types of their entity, where they lead and how long they last.

use crate::calls::{Calls, items, told_about, with};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const SITUATIONS: &str = "/gestao/situacao";

fn situation(name: &str, more: Value) -> Value {
    with(json!({"entidade": "evento", "nome": name, "tipo": "ANDAMENTO", "corDestaque": "F9AB00"}), more)
}

/// The names of the defaults of a type.
async fn defaults(calls: &Calls, entity: &str, kind: &str) -> Vec<Value> {
    let page = calls.read(&calls.administrator, SITUATIONS, &[("entidade", entity), ("tipo", kind)]).await;
    items(&page).into_iter().filter(|one| one["padrao"] == true).map(|one| one["nome"].clone()).collect()
}

#[both_engines]
async fn a_new_default_takes_the_place_of_the_old_one(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    assert_eq!(defaults(&calls, "evento", "ANDAMENTO").await, ["EM ANÁLISE"]);
    let saved = calls.saved(by, SITUATIONS, &situation("Triagem", json!({"padrao": true}))).await;
    assert_eq!(saved["corInversa"], "000000");
    assert_eq!(defaults(&calls, "evento", "ANDAMENTO").await, ["Triagem"]);
    assert_eq!(
        defaults(&calls, "vistoria", "ANDAMENTO").await,
        ["EM ANDAMENTO"],
        "of the others nothing changed"
    );
    let at = format!("{SITUATIONS}/{}", saved["codSituacao"]);
    for (body, field) in [(json!({"padrao": false}), "padrao"), (json!({"ativo": false}), "ativo")] {
        let refused = calls.put(by, &at, &with(body, json!({"versao": 1}))).await;
        assert!(told_about(refused.refuses(409), field), "{refused:?}");
    }
    let old = calls.read(by, &format!("{SITUATIONS}/8"), &[]).await;
    assert_eq!(
        (&old["nome"], &old["padrao"], &old["versao"]),
        (&json!("EM ANÁLISE"), &json!(false), &json!(2))
    );
    let back = calls.put(by, &format!("{SITUATIONS}/8"), &json!({"padrao": true, "versao": 2})).await;
    assert_eq!(back.status, 200, "{back:?}");
    assert_eq!(calls.put(by, &at, &json!({"ativo": false, "versao": 2})).await.status, 200);
    let inactive = calls.put(by, &at, &json!({"padrao": true, "versao": 3})).await;
    assert!(told_about(inactive.refuses(409), "padrao"), "{inactive:?}");
    assert_eq!(defaults(&calls, "evento", "ANDAMENTO").await, ["EM ANÁLISE"]);
}

#[both_engines]
async fn a_bare_flag_picks_the_new_default_at_once(world: World) {
    let calls = Calls::on(world).await;
    let vigente = json!({"entidade": "beneficio", "nome": "Vigente", "tipo": "ATIVO", "corDestaque": "188038", "padrao": true});
    calls.saved(&calls.administrator, SITUATIONS, &vigente).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({"ativo": true})).await;
    assert_eq!((&saved["situacao"], &saved["tipoSituacao"]), (&json!("VIGENTE"), &json!("ATIVO")));
}

#[both_engines]
async fn each_entity_has_its_types_and_leads_to_its_own(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    for (entity, kind) in [("evento", "ATIVO"), ("beneficio", "ABERTO"), ("consulta", "SUSPENSO")] {
        let bad = situation("Outra", json!({"entidade": entity, "tipo": kind}));
        let refused = calls.post(by, SITUATIONS, &bad).await;
        assert!(told_about(refused.refuses(400), "tipo"), "{refused:?}");
    }
    // 1 is a benefit's, 99 is nobody's.
    let bad = situation("Outra", json!({"proximas": [9, 1, 99], "prazoHoras": 0}));
    let refused = calls.post(by, SITUATIONS, &bad).await;
    let told = refused.refuses(400);
    assert!(
        told_about(told, "proximas[1]") && told_about(told, "proximas[2]") && told_about(told, "prazoHoras"),
        "{told}"
    );
    assert!(!told_about(told, "proximas[0]"), "{told}");
    let good = situation("Triagem", json!({"proximas": [11, 9, 9], "prazoHoras": 72, "ordem": 3}));
    let saved = calls.saved(by, SITUATIONS, &good).await;
    assert_eq!(
        (&saved["proximas"], &saved["prazoHoras"], &saved["ordem"]),
        (&json!([9, 11]), &json!(72), &json!(3))
    );
    let code = saved["codSituacao"].as_i64().unwrap();
    let registers =
        app::register_snapshot::load_registers(calls.world.app(), calls.world.here).await.unwrap();
    let code_of = |code: i64| domain::SituationCode::new(i32::try_from(code).unwrap());
    assert_eq!(registers.situation(code_of(code)).unwrap().limit_hours, Some(72));
    assert!(
        registers.may_change_situation(code_of(code), code_of(9))
            && !registers.may_change_situation(code_of(code), code_of(8))
    );
    assert!(registers.may_change_situation(code_of(8), code_of(code)), "all until someone restricts");
    let at = format!("{SITUATIONS}/{code}");
    let opened = calls.put(by, &at, &json!({"proximas": [], "prazoHoras": null, "versao": 1})).await.json();
    assert_eq!((&opened["proximas"], &opened["prazoHoras"]), (&json!([]), &Value::Null));
    let registers =
        app::register_snapshot::load_registers(calls.world.app(), calls.world.here).await.unwrap();
    assert!(registers.may_change_situation(code_of(code), code_of(8)));
}
