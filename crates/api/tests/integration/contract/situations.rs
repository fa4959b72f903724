//! In which situation a benefit is, and what moves it there.

use crate::calls::{BENEFITS, Calls, each, health, told_about};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, both_engines, until};

#[both_engines]
async fn without_situation_or_flag_a_new_benefit_is_pending(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    assert_eq!((&saved["situacao"], &saved["tipoSituacao"]), (&json!("PENDENTE"), &json!("PENDENTE")));
    assert_eq!(calls.now(&saved).await["dataAtivacao"], Value::Null);
}

#[both_engines]
async fn a_situation_is_named_without_regard_to_case_and_comes_out_in_capitals(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (given, name, kind) in [
        ("ativo", "ATIVO", "ATIVO"),
        ("Pendente", "PENDENTE", "PENDENTE"),
        ("INADIMPLENTE", "INADIMPLENTE", "SUSPENSO"),
        ("inadimplênte", "INADIMPLENTE", "SUSPENSO"),
        ("suspenso", "SUSPENSO", "SUSPENSO"),
        ("InAtIvO", "INATIVO", "INATIVO"),
    ] {
        let saved = calls.health(1, json!({"situacao": given})).await;
        assert_eq!((&saved["situacao"], &saved["tipoSituacao"]), (&json!(name), &json!(kind)), "{given}");
    }
    for unknown in ["QUALQUER", "Todos", "ABERTO"] {
        let told = calls.refused(BENEFITS, &health(1, json!({"situacao": unknown}))).await;
        assert!(told_about(&told, "situacao"), "{unknown}: {told}");
    }
}

#[both_engines]
async fn a_situation_that_the_association_renamed_is_found_without_its_accents_and_written_in_capitals(
    world: World,
) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.world.rename_situation(calls.world.here, "INADIMPLENTE", "Em cobrança").await;
    until("the new name is known everywhere", || async {
        calls.post(&calls.operator, BENEFITS, &health(1, json!({"situacao": "em cobranca"}))).await.status
            == 200
            && calls
                .post(&calls.operator, BENEFITS, &health(1, json!({"situacao": "EM COBRANÇA"})))
                .await
                .status
                == 200
    })
    .await;
    let rows = calls.rows(&[("situacaoBeneficio", "Em Cobranca")]).await;
    assert!(rows.len() >= 2, "{rows:?}");
    assert!(each(&rows, "situacao").iter().all(|name| name == "EM COBRANÇA"), "{rows:?}");
    assert!(each(&rows, "tipoSituacao").iter().all(|kind| kind == "SUSPENSO"));
    assert_eq!(calls.rows(&[("situacaoBeneficio", "INADIMPLENTE")]).await.len(), 0);
}

#[both_engines]
async fn the_flag_picks_the_default_active_or_inactive_situation(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (flag, name) in [(true, "ATIVO"), (false, "INATIVO")] {
        let saved = calls.health(1, json!({"ativo": flag})).await;
        assert_eq!((&saved["situacao"], &saved["tipoSituacao"]), (&json!(name), &json!(name)));
    }
}

#[both_engines]
async fn situation_and_flag_may_both_come_where_they_agree(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (name, flag) in [("ATIVO", true), ("PENDENTE", false), ("INADIMPLENTE", false), ("INATIVO", false)] {
        let saved = calls.health(1, json!({"situacao": name, "ativo": flag})).await;
        assert_eq!(saved["situacao"], name, "the name decides");
    }
    for (name, flag) in [("ATIVO", false), ("PENDENTE", true), ("INADIMPLENTE", true), ("INATIVO", true)] {
        let told = calls.refused(BENEFITS, &health(1, json!({"situacao": name, "ativo": flag}))).await;
        assert!(told_about(&told, "ativo") || told_about(&told, "situacao"), "{name} {flag}: {told}");
    }
}

#[both_engines]
async fn a_change_of_situation_moves_the_benefit(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    let change = async |more: Value| {
        let mut body = json!({"codBeneficio": saved["codBeneficio"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        calls.saved(&calls.operator, BENEFITS, &health(1, body)).await["situacao"].clone()
    };
    assert_eq!(change(json!({"ativo": true})).await, "ATIVO");
    assert_eq!(change(json!({"situacao": "inadimplente"})).await, "INADIMPLENTE");
    assert_eq!(change(json!({"ativo": true})).await, "ATIVO");
    assert_eq!(change(json!({"ativo": false})).await, "INATIVO");
    assert_eq!(change(json!({"diaVencimento": 5})).await, "INATIVO", "absent stays");
    assert_eq!(change(json!({"situacao": ""})).await, "INATIVO", "an empty text is as if not given");
    let names = each(&calls.history(&calls.operator).await, "situacao");
    assert_eq!(names, ["PENDENTE", "ATIVO", "INADIMPLENTE", "ATIVO", "INATIVO"]);
}

#[both_engines]
async fn a_flag_that_the_present_type_satisfies_changes_nothing(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    for (name, flag) in [
        ("ATIVO", true),
        ("PENDENTE", false),
        ("INADIMPLENTE", false),
        ("SUSPENSO", false),
        ("INATIVO", false),
    ] {
        let saved = calls.health(1, json!({"situacao": name})).await;
        let before = calls.history(&calls.operator).await.len();
        let body = json!({"codBeneficio": saved["codBeneficio"], "ativo": flag});
        assert_eq!(calls.health(1, body).await, saved, "{name} {flag}");
        assert_eq!(calls.history(&calls.operator).await.len(), before, "no change, no history: {name}");
    }
}

#[both_engines]
async fn the_day_of_activation_is_that_on_which_it_became_active(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let active = calls.health(1, json!({"ativo": true})).await;
    let pending = calls.health(1, json!({})).await;
    assert_eq!(calls.now(&active).await["dataAtivacao"], "14/11/2026");
    assert_eq!(calls.now(&pending).await["dataAtivacao"], Value::Null);
    calls.world.clock.pass(Duration::from_hours(24));
    let calls = Calls::on(calls.world).await;
    calls.health(1, json!({"codBeneficio": pending["codBeneficio"], "ativo": true})).await;
    let now = calls.now(&pending).await;
    assert_eq!((&now["dataAtivacao"], &now["dataCadastro"]), (&json!("15/11/2026"), &json!("14/11/2026")));
    let rows = calls.rows(&[("nome", "pessoa")]).await;
    assert_eq!(each(&rows, "dataAtivacao"), ["14/11/2026", "15/11/2026"]);
}

#[both_engines]
async fn colours_are_those_of_the_situation_and_a_text_on_them_can_be_read(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let listed = calls.server().read("/ext/beneficio/situacaoBeneficio", &calls.operator).await.json();
    for situation in listed.as_array().unwrap().iter().filter(|one| one["tipo"] != "CANCELADO") {
        let saved = calls.health(1, json!({"situacao": situation["nome"]})).await;
        let now = calls.now(&saved).await;
        assert_eq!(now["tipoSituacao"], situation["tipo"]);
        for colour in ["corDestaque", "corInversa"] {
            assert_eq!(now[colour], situation[colour]);
            let text = now[colour].as_str().unwrap();
            assert!(text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
        }
        let (back, front) = (light(&now["corDestaque"]), light(&now["corInversa"]));
        let contrast = (back.max(front) + 0.05) / (back.min(front) + 0.05);
        assert!(contrast >= 4.5, "{now}: {contrast}");
    }
}

/// Relative luminance, as the guidelines for accessible pages define it.
fn light(colour: &Value) -> f64 {
    let number = u32::from_str_radix(colour.as_str().unwrap(), 16).unwrap();
    let part = |shift: u32| {
        let share = f64::from((number >> shift) & 0xFF) / 255.0;
        if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}
