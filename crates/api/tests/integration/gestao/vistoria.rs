//! `/gestao/vistoria`: what inspections have of their own.

use crate::calls::{array, told_about};
use crate::gestao::case_scene::{CAR, INACTIVE_INSPECTION_TYPE, INSPECTION_TYPE, MEMBER, outbox, scene};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const INSPECTIONS: &str = "/gestao/vistoria";

#[both_engines]
async fn an_inspection_with_everything_byte_for_byte(world: World) {
    let calls = scene(world).await;
    let receiver = json!({"endereco": "https://erp.example", "entidades": ["vistoria"]});
    calls.saved(&calls.administrator, "/gestao/receptor", &receiver).await;
    let body = json!({"codPessoa": MEMBER, "codBeneficio": CAR, "codTipoVistoria": INSPECTION_TYPE, "vistoriador": "Ana Prado",
        "dataPrevista": "20/11/2026 14:30", "local": "Oficina Boa Rota", "observacao": "Levar o documento.",
        "codResponsavel": calls.world.operator.code.get()});
    let opened = calls.post(&calls.operator, INSPECTIONS, &body).await;
    assert_eq!(opened.body, include_str!("golden/vistoria.json").trim_end());
    assert_eq!(calls.get(&calls.operator, "/gestao/vistoria/1", &[]).await.body, opened.body);
    let sent = outbox(&calls).await;
    assert_eq!(sent, [(include_str!("golden/gatilho_vistoria.json").trim_end().to_owned(), 1)]);
}

#[both_engines]
async fn the_checklist_comes_from_the_type_and_is_filled_in(world: World) {
    let calls = scene(world).await;
    let body = json!({"codPessoa": MEMBER, "codTipoVistoria": INSPECTION_TYPE});
    let opened = calls.saved(&calls.operator, INSPECTIONS, &body).await;
    let unseen = |item: &str| json!({"item": item, "conforme": null, "observacao": null});
    assert_eq!(opened["checklist"], json!([unseen("Pneus"), unseen("Vidros")]));
    let seen = json!([{"item": "Pneus", "conforme": true, "observacao": "Meia vida."}, {"item": "Motor", "conforme": false}]);
    let changed = calls
        .put(&calls.operator, "/gestao/vistoria/1", &json!({"versao": 1, "checklist": seen}))
        .await
        .json();
    assert_eq!(
        changed["checklist"][0],
        json!({"item": "Pneus", "conforme": true, "observacao": "Meia vida."})
    );
    assert_eq!(changed["checklist"][1]["conforme"], false);
    let told = array(&calls.read(&calls.operator, "/gestao/vistoria/1/historico", &[]).await["itens"]);
    assert_eq!(told[1]["antes"], "Pneus: não visto; Vidros: não visto");
    assert_eq!(told[1]["depois"], "Pneus: conforme (Meia vida.); Motor: não conforme");
    let own = json!({"codPessoa": MEMBER, "codTipoVistoria": INSPECTION_TYPE, "checklist": []});
    assert_eq!(calls.saved(&calls.operator, INSPECTIONS, &own).await["checklist"], json!([]));
    let bad = json!({"codPessoa": MEMBER, "codTipoVistoria": INACTIVE_INSPECTION_TYPE, "dataPrevista": "amanhã",
        "checklist": [{"conforme": true}]});
    let told = calls.refused(INSPECTIONS, &bad).await;
    for field in ["codTipoVistoria", "dataPrevista", "checklist[0].item"] {
        assert!(told_about(&told, field), "{field}: {told}");
    }
    // The type is no longer used; what has it keeps it.
    let text = format!(
        "UPDATE inspection_types SET active = FALSE WHERE tenant = {} AND code = {INSPECTION_TYPE}",
        calls.world.here
    );
    crate::gestao::case_scene::set_register(&calls, &text).await;
    let change = json!({"versao": 2, "codTipoVistoria": INSPECTION_TYPE, "local": "Sede"});
    assert_eq!(calls.put(&calls.operator, "/gestao/vistoria/1", &change).await.json()["local"], "Sede");
    let cleared = json!({"versao": 3, "dataPrevista": null, "checklist": null});
    let cleared = calls.put(&calls.operator, "/gestao/vistoria/1", &cleared).await.json();
    assert_eq!((&cleared["dataPrevista"], &cleared["checklist"]), (&Value::Null, &json!([])));
}
