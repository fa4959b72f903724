//! `POST /ext/financeiro/titulo`: what is needed, what is refused, and that a repeat books once.

use crate::calls::{Calls, bare, cpf, told_about};
use crate::finance::scene::{
    CAR, EXPENSE, FAR_CAR, FAR_MEMBER, MANAGED, MEMBER, MONTHLY, SECOND_CAR, SECOND_MEMBER, SHARING, TITLES,
    parts, scene, title,
};
use serde_json::{Value, json};
use std::time::Duration;
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

/// A number as it is written, to the last digit.
fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[both_engines]
async fn an_amount_comes_as_programs_write_it_and_is_never_guessed(world: World) {
    let calls = scene(world).await;
    for (sent, wanted) in [
        (number("129.90000000000001"), json!(129.9)),
        (number("129.89999999999998"), json!(129.9)),
        (number("129.9000"), json!(129.9)),
        (json!("129.9"), json!(129.9)),
        (json!("129,90"), json!(129.9)),
        (json!("1.299,90"), json!(1299.9)),
    ] {
        assert_eq!(calls.issue(json!({"valor": sent.clone()})).await["valor"], wanted, "{sent}");
        let desk = json!({"codPessoa": MEMBER, "codTipoTitulo": MONTHLY, "valor": sent.clone()});
        let at_desk = calls.post(&calls.operator, MANAGED, &desk).await;
        let is_plain = [number("129.9000"), json!("129.9")].contains(&sent);
        assert_eq!(at_desk.status, if is_plain { 200 } else { 400 }, "{sent}: {at_desk:?}");
    }
    for bad in [json!("1,299"), json!("1.299"), json!("129,905"), number("129.90002"), json!("R$ 129,90")] {
        let refused = calls.refused(TITLES, &title(json!({"valor": bad.clone()}))).await;
        assert!(told_about(&refused, "valor"), "{bad}: {refused}");
    }
}

#[both_engines]
async fn a_day_may_have_a_time_which_does_not_count(world: World) {
    let calls = scene(world).await;
    for (issued, due) in [
        ("2026-11-10T00:00:00", "2026-12-24T00:00:00"),
        ("2026-11-10T00:00:00Z", "2026-12-24T00:00:00.000Z"),
        ("2026-11-10T23:59:59.999-03:00", "24/12/2026 00:00"),
    ] {
        let made = calls.issue(json!({"dataEmissao": issued, "vencimento": due})).await;
        assert_eq!(parts(&made, ["dataEmissao", "dataVencimento"]), ["10/11/2026", "24/12/2026"], "{issued}");
    }
    for bad in ["2026-02-30T00:00:00", "2026-12-24T25:00:00", "2026-12-24T"] {
        let refused = calls.refused(TITLES, &title(json!({"vencimento": bad}))).await;
        assert!(told_about(&refused, "vencimento"), "{bad}: {refused}");
    }
}

#[both_engines]
async fn tomorrow_in_utc_is_today_in_the_evening(world: World) {
    let calls = scene(world).await;
    let tomorrow = json!({"dataEmissao": "2026-11-15"});
    let refused = calls.refused(TITLES, &title(tomorrow.clone())).await;
    assert!(told_about(&refused, "dataEmissao"), "{refused}");
    // 21:32 here, and the 15th in UTC.
    calls.world.clock.pass(Duration::from_hours(11));
    let made = calls.issue(tomorrow).await;
    assert_eq!(parts(&made, ["dataEmissao", "dataLancamento"]), ["14/11/2026", "14/11/2026"]);
    let refused = calls.refused(TITLES, &title(json!({"dataEmissao": "2026-11-16"}))).await;
    assert!(told_about(&refused, "dataEmissao"), "{refused}");
}

#[both_engines]
async fn a_description_is_one_line_whatever_is_sent(world: World) {
    let calls = scene(world).await;
    let longest = "ã".repeat(500);
    for (sent, wanted) in [
        (json!(42), "42"),
        (json!("Mensalidade\r\nde novembro\n"), "Mensalidade de novembro"),
        (json!(longest), longest.as_str()),
    ] {
        assert_eq!(calls.issue(json!({"descricao": sent})).await["descricao"], wanted);
    }
    let made = calls.issue(json!({"observacao": 7})).await;
    assert_eq!(made["observacao"], "7");
    for bad in [json!("x".repeat(501)), json!("a\u{7}b"), json!(["a"]), json!(true)] {
        let refused = calls.refused(TITLES, &title(json!({"descricao": bad}))).await;
        assert!(told_about(&refused, "descricao"), "{refused}");
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
