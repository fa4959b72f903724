//! `POST /ext/financeiro/titulo`: what is needed, what is refused, and that a repeat books once.

use crate::calls::{Calls, bare, cpf, told_about};
use crate::finance::scene::{
    CAR, EXPENSE, FAR_CAR, FAR_MEMBER, MEMBER, MONTHLY, SECOND_CAR, SECOND_MEMBER, SHARING, TITLES, parts,
    scene, title,
};
use serde_json::{Value, json};
use testkit::{Reply, World, both_engines};

#[both_engines]
async fn what_is_required_is_asked_for_by_name(world: World) {
    let calls = scene(world).await;
    let before = calls.count("titles").await;
    for field in ["codBeneficio", "codPessoa", "codTipoTitulo", "valor"] {
        let mut body = title(json!({}));
        body.as_object_mut().unwrap().remove(field);
        assert!(told_about(&calls.refused(TITLES, &body).await, field), "{field}");
        for bad in [json!(null), json!("x"), json!({})] {
            let refused = calls.refused(TITLES, &title(json!({field: bad}))).await;
            assert!(told_about(&refused, field), "{field} {bad}: {refused}");
        }
    }
    let all = calls.refused(TITLES, &json!({})).await;
    assert_eq!(all.lines().count(), 4, "{all}");
    assert_eq!(calls.count("titles").await, before);
    assert_eq!(calls.count("ledger_entries").await, before);
}

#[both_engines]
async fn the_person_must_hold_the_benefit_and_be_in_sight(world: World) {
    let calls = scene(world).await;
    for (person, benefit, field) in [
        (SECOND_MEMBER, CAR, "codBeneficio"),
        (MEMBER, SECOND_CAR, "codBeneficio"),
        (MEMBER, FAR_CAR, "codBeneficio"),
        (MEMBER, 999, "codBeneficio"),
        (FAR_MEMBER, FAR_CAR, "codBeneficio"),
        (FAR_MEMBER, CAR, "codBeneficio"),
        (999, CAR, "codPessoa"),
    ] {
        let body = title(json!({"codPessoa": person, "codBeneficio": benefit}));
        let refused = calls.refused(TITLES, &body).await;
        assert!(told_about(&refused, field), "{body}: {refused}");
    }
    assert_eq!(calls.count("titles").await, 1, "the one of the other branch");
}

#[both_engines]
async fn a_type_says_what_kind_of_title_it_is(world: World) {
    let calls = scene(world).await;
    let credit = calls.issue(json!({})).await;
    assert_eq!(parts(&credit, ["tipoLancamento", "nomeTipoTitulo"]), ["CREDITO", "Mensalidade"]);
    let debit = calls.issue(json!({"codTipoTitulo": EXPENSE})).await;
    assert_eq!(parts(&debit, ["tipoLancamento", "situacao"]), ["DEBITO", "ABERTO"]);
    for code in [SHARING, 999, 0, -1] {
        let refused = calls.refused(TITLES, &title(json!({"codTipoTitulo": code}))).await;
        assert!(told_about(&refused, "codTipoTitulo"), "{code}: {refused}");
    }
    let off =
        calls.put(&calls.administrator, "/gestao/tipoTitulo/2", &json!({"versao": 1, "ativo": false})).await;
    assert_eq!(off.status, 200, "{off:?}");
    assert!(told_about(&calls.refused(TITLES, &title(json!({"codTipoTitulo": 2}))).await, "codTipoTitulo"));
}

#[both_engines]
async fn a_value_is_at_least_a_cent_of_two_decimals(world: World) {
    let calls = scene(world).await;
    for bad in [json!(0), json!(0.00), json!(0.001), json!(101.205), json!(-1), json!("abc")] {
        let refused = calls.refused(TITLES, &title(json!({"valor": bad}))).await;
        assert!(told_about(&refused, "valor"), "{bad}: {refused}");
    }
    for (sent, wanted) in [(json!(0.01), json!(0.01)), (json!(101.2), json!(101.2)), (json!(7), json!(7))] {
        assert_eq!(calls.issue(json!({"valor": sent})).await["valor"], wanted);
    }
}

#[both_engines]
async fn what_is_optional_may_be_null_and_a_vehicle_is_ignored(world: World) {
    let calls = scene(world).await;
    let bare = calls.issue(json!({})).await;
    let nulls = json!({"descricao": null, "vencimento": null, "dataEmissao": null, "observacao": null,
        "codVeiculo": null});
    let mut with_nulls = calls.issue(nulls).await;
    with_nulls["codTitulo"] = bare["codTitulo"].clone();
    assert_eq!(with_nulls, bare);
    assert_eq!(parts(&bare, ["descricao", "observacao"]), [json!("Mensalidade"), json!(null)]);
    for vehicle in [json!(77), json!("ABC1D23"), json!([1]), json!({"a": 1})] {
        let mut made = calls.issue(json!({"codVeiculo": vehicle})).await;
        made["codTitulo"] = bare["codTitulo"].clone();
        assert_eq!(made, bare);
    }
}

async fn send(calls: &Calls, key: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {}", calls.operator);
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
    calls.server().call("POST", TITLES, &headers, &body.to_string()).await
}

#[both_engines]
async fn a_repeated_key_issues_and_books_once(world: World) {
    let calls = scene(world).await;
    let before = calls.count("ledger_entries").await;
    let first = send(&calls, "um", &title(json!({}))).await;
    assert_eq!(first.status, 200, "{first:?}");
    for _ in 0..3 {
        let again = send(&calls, "um", &title(json!({}))).await;
        assert_eq!((again.header("idempotency-replayed"), &again.body), (Some("true"), &first.body));
    }
    assert_eq!(send(&calls, "um", &title(json!({"valor": 5}))).await.status, 422);
    assert_eq!(calls.count("ledger_entries").await, before + 1);
    assert_eq!(calls.titles(&[]).await.len(), 1);
    // Without a key, or with another, it is another title.
    calls.issue(json!({})).await;
    assert_eq!(send(&calls, "dois", &title(json!({}))).await.status, 200);
    assert_eq!(calls.titles(&[]).await.len(), 3);
}

#[both_engines]
async fn a_title_belongs_to_the_branch_and_group_of_its_benefit(world: World) {
    let calls = scene(world).await;
    // The person is of branch 2, this benefit of branch 3.
    let body = json!({"codPlano": 1, "cpfCnpj": cpf(1), "placa": "GHI7J89", "codLoja": 3});
    let benefit = calls.saved(&calls.integration, "/ext/beneficio/veicular", &body).await;
    let body = title(json!({"codBeneficio": benefit["codBeneficio"]}));
    assert!(told_about(&calls.refused(TITLES, &body).await, "codBeneficio"));
    let made = calls.saved(&calls.integration, TITLES, &body).await;
    assert_eq!(parts(&made, ["codLoja", "nomeLoja"]), [json!(3), json!("Filial Sul")]);
    calls.get(&calls.operator, &format!("{TITLES}/{}", made["codTitulo"]), &[]).await.refuses(404);
    assert_eq!(calls.titles(&[("cpfCnpj", &bare(&cpf(1)))]).await, Vec::<Value>::new());
    // Benefits of two groups or branches make no title together.
    let both = json!({"codPlano": 6, "cpfCnpj": cpf(1), "placa": "KLM0N12"});
    let other_group = calls.saved(&calls.operator, "/ext/beneficio/veicular", &both).await;
    for other in [&other_group["codBeneficio"], &benefit["codBeneficio"]] {
        let body = json!({"codPessoa": MEMBER, "codTipoTitulo": MONTHLY, "valor": 10, "codBeneficios": [CAR, other]});
        let refused = calls.post(&calls.administrator, "/gestao/financeiro/titulo", &body).await;
        assert!(told_about(refused.refuses(400), "codBeneficio"), "{refused:?}");
    }
}
