//! `GET /gestao/auditoria`: who read or changed what of whom.

use crate::calls::{AUDIT, BENEFITS, Calls, LIST, MEMBERS, cpf, each, health, items};
use serde_json::{Value, json};
use testkit::{World, both_engines};

/// What every process still holds back of reads is written.
async fn settle(calls: &Calls) {
    for app in calls.world.processes() {
        app::audit::access_log::flush_access_log(app).await.unwrap();
    }
}

pub async fn all(calls: &Calls, query: &[(&str, &str)]) -> Vec<Value> {
    settle(calls).await;
    let page = calls.read(&calls.administrator, AUDIT, query).await;
    assert_eq!(page["temMais"], false, "{page}");
    items(&page)
}

pub fn people(entry: &Value) -> Vec<Value> {
    each(entry["pessoas"].as_array().unwrap(), "codPessoa")
}

#[both_engines]
async fn a_change_is_audited_with_who_what_and_whom(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    let saved = calls.health(1, json!({})).await;
    calls.cancel(&calls.operator, &saved["codBeneficio"], "").await;
    let changes: Vec<Value> =
        all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "alteracao").collect();
    assert_eq!(changes.len(), 3, "{changes:?}");
    for change in &changes {
        assert_eq!(change["codUsuario"], calls.world.operator.code.get());
        assert_eq!(change["nomeUsuario"], "operador");
        assert_eq!(people(change), [json!(1)]);
        assert!(change["operacao"].as_str().is_some_and(|name| !name.is_empty()));
        assert!(change["dataHora"].as_str().unwrap().starts_with("2026-11-14T10:32:05"), "{change}");
    }
    let codes: Vec<i64> = each(&changes, "codAuditoria").iter().map(|code| code.as_i64().unwrap()).collect();
    assert!(codes.is_sorted(), "{codes:?}");
}

#[both_engines]
async fn a_refused_change_and_one_that_changes_nothing_leave_no_entry(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(1).await;
    calls.refused(BENEFITS, &health(1, json!({"diaVencimento": 31}))).await;
    let changes: Vec<Value> =
        all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "alteracao").collect();
    assert_eq!(changes.len(), 1, "{changes:?}");
}

#[both_engines]
async fn a_read_of_personal_data_is_audited_with_the_people_it_showed(world: World) {
    let calls = Calls::on(world).await;
    for number in 1..=3 {
        calls.member(number).await;
    }
    calls.car(2, "ABC1D23", json!({})).await;
    calls.rows(&[("nome", "pessoa 1")]).await;
    calls.found(&[("placa", "ABC1D23")]).await;
    calls.read(&calls.integration, LIST, &[]).await;
    calls.rows(&[("nome", "ninguem")]).await;
    let reads: Vec<Value> =
        all(&calls, &[]).await.into_iter().filter(|one| one["tipo"] == "leitura").collect();
    let mut shown: Vec<(Value, Value)> = reads
        .iter()
        .flat_map(|read| people(read).into_iter().map(|person| (read["codUsuario"].clone(), person)))
        .collect();
    shown.sort_by_key(|(user, person)| (user.as_i64(), person.as_i64()));
    let (operator, program) =
        (json!(calls.world.operator.code.get()), json!(calls.world.integration.code.get()));
    assert_eq!(shown, [(operator.clone(), json!(1)), (operator, json!(2)), (program, json!(2))], "{reads:?}");
    for read in &reads {
        let text = read.to_string();
        assert!(!text.contains("pessoa 1") && !text.contains("ABC1D23"), "never what was typed: {text}");
    }
}

#[both_engines]
async fn entries_are_narrowed_by_person_and_by_user_and_go_on_from_a_cursor(world: World) {
    let calls = Calls::on(world).await;
    calls.member(1).await;
    calls.member(2).await;
    let third = json!({"nomePessoa": "Ana", "cpfCnpj": cpf(3), "codLoja": 1});
    calls.saved(&calls.administrator, MEMBERS, &third).await;
    let of_one = all(&calls, &[("codPessoa", "1")]).await;
    assert_eq!(of_one.len(), 1);
    assert_eq!(people(&of_one[0]), [json!(1)]);
    let administrator = calls.world.administrator.code.to_string();
    let of_user = all(&calls, &[("codUsuario", &administrator)]).await;
    assert_eq!(each(&of_user, "codUsuario"), vec![json!(calls.world.administrator.code.get()); 2]);
    assert_eq!(each(&of_user, "tipo"), ["acesso", "alteracao"]);
    let everything = all(&calls, &[]).await;
    let first = everything[0]["codAuditoria"].to_string();
    assert_eq!(all(&calls, &[("apos", &first)]).await, everything[1..]);
    assert_eq!(all(&calls, &[("codPessoa", "99")]).await, Vec::<Value>::new());
}

#[both_engines]
async fn only_the_administrator_reads_the_audit_and_only_of_his_association(world: World) {
    let calls = Calls::on(world).await;
    let person = json!({"nomePessoa": "Ana Ali", "cpfCnpj": cpf(1)});
    calls.saved(&calls.stranger, MEMBERS, &person).await;
    for token in [&calls.operator, &calls.integration, &calls.stranger] {
        calls.get(token, AUDIT, &[]).await.refuses(403);
        calls.get(token, AUDIT, &[("apos", "x")]).await.refuses(403);
    }
    calls.server().call("GET", AUDIT, &[], "").await.refuses(401);
    let told = all(&calls, &[]).await;
    assert_eq!(each(&told, "tipo"), ["acesso"; 3], "those who entered here alone: {told:?}");
}
