//! Trackers and where they are installed.

use crate::calls::{Calls, array, items, told_about, with};
use crate::gestao::registers::member_with_vehicle;
use serde_json::{Value, json};
use testkit::{World, both_engines};

const INSTALLATIONS: &str = "/gestao/instalacao";

async fn tracker(calls: &Calls, serial: &str) -> Value {
    let body = json!({"numeroSerie": serial, "imei": format!("35{serial}"), "modelo": "RS-4G", "fabricante": "Sinal", "codFornecedor": 1});
    calls.saved(&calls.administrator, "/gestao/rastreador", &body).await["codRastreador"].clone()
}

#[both_engines]
async fn a_tracker_is_on_one_vehicle_at_a_time(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    member_with_vehicle(&calls).await;
    let second = calls.car(1, "XYZ1A23", json!({})).await["codBeneficio"].clone();
    let code = tracker(&calls, "A1").await;
    let first = calls.saved(by, INSTALLATIONS, &json!({"codBeneficio": 1, "codRastreador": code})).await;
    assert_eq!(
        (&first["numeroSerie"], &first["imei"], &first["modelo"]),
        (&json!("A1"), &json!("35A1"), &json!("RS-4G"))
    );
    assert_eq!((&first["fabricante"], &first["codFornecedor"]), (&json!("Sinal"), &json!(1)));
    assert_eq!((&first["dataInstalacao"], &first["dataRemocao"]), (&json!("14/11/2026"), &Value::Null));
    let shown = array(&calls.read(by, "/ext/beneficio/1/equipamentos", &[]).await);
    assert_eq!((shown.len(), &shown[0]["numeroSerie"]), (1, &json!("A1")));
    let other = json!({"codBeneficio": second, "codRastreador": code});
    let refused = calls.post(by, INSTALLATIONS, &other).await;
    assert!(told_about(refused.refuses(409), "codRastreador"), "{refused:?}");
    let retired =
        calls.put(by, &format!("/gestao/rastreador/{code}"), &json!({"ativo": false, "versao": 1})).await;
    assert!(told_about(retired.refuses(409), "ativo"), "{retired:?}");
    // What is known of the tracker is known of its installation.
    let renamed =
        calls.put(by, &format!("/gestao/rastreador/{code}"), &json!({"modelo": "RS-5G", "versao": 1})).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    let at = format!("{INSTALLATIONS}/{}", first["codInstalacao"]);
    let now = calls.read(by, &at, &[]).await;
    assert_eq!((&now["modelo"], &now["versao"]), (&json!("RS-5G"), &json!(2)));
    // Once removed it is free, and comes back only where it is free.
    let removed = calls.put(by, &at, &json!({"dataRemocao": "2026-11-14", "versao": 2})).await.json();
    assert_eq!((&removed["ativo"], &removed["dataRemocao"]), (&json!(false), &json!("14/11/2026")));
    calls.saved(by, INSTALLATIONS, &other).await;
    let back = calls.put(by, &at, &json!({"ativo": true, "versao": 3})).await;
    assert!(told_about(back.refuses(409), "codRastreador"), "{back:?}");
    let all = items(&calls.read(by, INSTALLATIONS, &[("codRastreador", &code.to_string())]).await);
    assert_eq!(all.len(), 2);
}

#[both_engines]
async fn an_installation_is_of_a_vehicle_and_says_what_was_installed_and_when(world: World) {
    let calls = Calls::on(world).await;
    let by = &calls.administrator;
    member_with_vehicle(&calls).await;
    let health = calls.health(1, json!({})).await["codBeneficio"].clone();
    let body = |more: Value| with(json!({"codBeneficio": 1, "numeroSerie": "B 2"}), more);
    for (more, field) in [
        (json!({"codBeneficio": health}), "codBeneficio"),
        (json!({"codBeneficio": 99}), "codBeneficio"),
        (json!({"numeroSerie": null}), "numeroSerie"),
        (json!({"codRastreador": 99}), "codRastreador"),
        (json!({"dataInstalacao": "14/11/2026", "dataRemocao": "13/11/2026"}), "dataRemocao"),
        (json!({"dataInstalacao": "31/02/2026"}), "dataInstalacao"),
    ] {
        let refused = calls.post(by, INSTALLATIONS, &body(more)).await;
        assert!(told_about(refused.refuses(400), field), "{field}: {refused:?}");
    }
    let saved = calls.saved(by, INSTALLATIONS, &body(json!({"dataInstalacao": "2026-01-05"}))).await;
    assert_eq!((&saved["numeroSerie"], &saved["dataInstalacao"]), (&json!("B2"), &json!("05/01/2026")));
    let at = format!("{INSTALLATIONS}/{}", saved["codInstalacao"]);
    let retired = calls.put(by, &at, &json!({"ativo": false, "versao": 1})).await.json();
    assert_eq!(retired["dataRemocao"], "14/11/2026", "today, where nobody says when");
    let back = calls.put(by, &at, &json!({"ativo": true, "versao": 2})).await.json();
    assert_eq!((&back["ativo"], &back["dataRemocao"]), (&json!(true), &Value::Null));
    let refused = calls.get(by, INSTALLATIONS, &[]).await;
    assert!(told_about(refused.refuses(400), "codBeneficio"), "{refused:?}");
    // Who looked at whose vehicle is kept.
    calls.get(&calls.operator, &at, &[]).await;
    let told = calls.audited("1").await;
    assert!(
        told.iter().any(|one| one.to_string().contains("GET /gestao/instalacao/{codInstalacao}")),
        "{told:?}"
    );
    assert!(told.iter().any(|one| one.to_string().contains("POST /gestao/instalacao")), "{told:?}");
}
