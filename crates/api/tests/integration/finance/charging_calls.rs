//! The charging run through HTTP: preview, approval, issue, undo, and who may do what. The functions have tests of their
//! own; here it is about the shapes, the rights and the scopes.

use crate::calls::{Calls, array, items};
use crate::finance::scene::{MANAGED, MEMBER, charged_members};
use serde_json::{Value, json};
use testkit::{World, both_engines};

const RUNS: &str = "/gestao/financeiro/cobranca";

/// The server does what waits in the background.
async fn work_off(calls: &Calls) {
    while finance::charging::run_due_charging(&calls.world.processes()[0]).await.unwrap() {}
}

/// A run of December that is ready to be approved.
async fn prepare(calls: &Calls, token: &str, more: Value) -> Value {
    let mut body = json!({"mes": "12/2026"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let begun = calls.saved(token, RUNS, &body).await;
    assert_eq!(begun["situacao"], "PREPARANDO", "{begun}");
    work_off(calls).await;
    calls.read(token, &format!("{RUNS}/{}", begun["codCobranca"]), &[]).await
}

fn path(run: &Value, what: &str) -> String {
    format!("{RUNS}/{}{what}", run["codCobranca"])
}

/// Cents of a number of a record.
fn cents(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 100.0).round() as i64
}

fn sum(list: &[Value], name: &str) -> i64 {
    list.iter().map(|one| cents(&one[name])).sum()
}

#[both_engines]
async fn a_month_is_previewed_approved_issued_and_undone(world: World) {
    let calls = charged_members(world).await;
    let by = calls.administrator.clone();
    let run = prepare(&calls, &by, json!({})).await;
    assert_eq!((&run["situacao"], &run["mes"]), (&json!("PREPARADA"), &json!("12/2026")), "{run}");
    let listed = items(&calls.read(&by, &path(&run, "/beneficio"), &[]).await);
    assert_eq!(json!(listed.len()), run["beneficios"], "{run}");
    let [charged, others]: [Vec<Value>; 2] = {
        let (charged, others) = listed.into_iter().partition(|one| one["motivo"].is_null());
        [charged, others]
    };
    assert!(!charged.is_empty() && !others.is_empty(), "{run}");
    assert_eq!(json!(charged.len()), run["cobrados"]);
    assert_eq!(cents(&run["valor"]), sum(&charged, "valor"));
    let items_of_run = array(&run["itens"]);
    assert_eq!(cents(&run["valor"]), sum(&items_of_run, "valor") - sum(&items_of_run, "desconto"));
    for one in &charged {
        let lines = array(&one["linhas"]);
        assert_eq!(cents(&one["valor"]), sum(&lines, "valor") - sum(&lines, "desconto"), "{one}");
    }
    let counted: i64 = array(&run["motivos"]).iter().map(|one| one["quantidade"].as_i64().unwrap()).sum();
    assert_eq!(counted, others.len() as i64);
    for (query, number) in [("true", charged.len()), ("false", others.len())] {
        let found = calls.read(&by, &path(&run, "/beneficio"), &[("cobrado", query)]).await;
        assert_eq!(found["quantidade"], json!(number), "{found}");
    }
    let reason = others[0]["motivo"].as_str().unwrap();
    let found = calls.read(&by, &path(&run, "/beneficio"), &[("motivo", reason)]).await;
    assert!(items(&found).iter().all(|one| one["motivo"] == reason), "{found}");

    calls.put(&by, &path(&run, "/desfazer"), &json!({"motivo": "cedo demais"})).await.refuses(409);
    let approved = calls.put(&by, &path(&run, "/aprovar"), &json!({})).await;
    assert_eq!((approved.status, &approved.json()["situacao"]), (200, &json!("EMITINDO")), "{approved:?}");
    work_off(&calls).await;
    let issued = calls.read(&by, &path(&run, ""), &[]).await;
    assert_eq!(
        (&issued["situacao"], &issued["valorTitulos"]),
        (&json!("EMITIDA"), &run["valor"]),
        "{issued}"
    );
    let one = &items(&calls.read(&by, &path(&run, "/beneficio"), &[("cobrado", "true")]).await)[0];
    let title = calls.read(&by, &format!("{MANAGED}/{}", one["codTitulo"]), &[]).await;
    assert_eq!(title["situacao"], "ABERTO", "{title}");
    for what in ["/aprovar", "/descartar"] {
        calls.put(&by, &path(&run, what), &json!({})).await.refuses(409);
    }

    calls.put(&by, &path(&run, "/desfazer"), &json!({})).await.refuses(400);
    let undoing = calls.put(&by, &path(&run, "/desfazer"), &json!({"motivo": "preço errado"})).await;
    assert_eq!((undoing.status, &undoing.json()["situacao"]), (200, &json!("DESFAZENDO")), "{undoing:?}");
    work_off(&calls).await;
    let undone = calls.read(&by, &path(&run, ""), &[]).await;
    assert_eq!((&undone["situacao"], &undone["motivo"]), (&json!("DESFEITA"), &json!("preço errado")));
    assert_eq!(undone["titulosCancelados"], issued["titulos"], "{undone}");
    let again = prepare(&calls, &by, json!({})).await;
    assert_eq!(again["cobrados"], run["cobrados"], "{again}");
    let discarded = calls.put(&by, &path(&again, "/descartar"), &json!({})).await;
    assert_eq!(discarded.json()["situacao"], "DESCARTADA", "{discarded:?}");
    let all = calls.read(&by, RUNS, &[]).await;
    let codes: Vec<&Value> = all.as_array().unwrap().iter().map(|one| &one["codCobranca"]).collect();
    assert_eq!(codes, [&again["codCobranca"], &run["codCobranca"]]);
    assert_eq!(calls.read(&by, RUNS, &[("mes", "11/2026")]).await, json!([]));
}

#[both_engines]
async fn a_run_is_of_those_who_see_its_branch(world: World) {
    let calls = charged_members(world).await;
    let whole = prepare(&calls, &calls.administrator, json!({})).await;
    // A user of one branch names it, and sees neither the run of all branches nor another association's.
    calls.post(&calls.operator, RUNS, &json!({"mes": "12/2026"})).await.refuses(400);
    calls.post(&calls.operator, RUNS, &json!({"mes": "12/2026", "codLoja": 1})).await.refuses(400);
    calls.get(&calls.operator, &path(&whole, ""), &[]).await.refuses(404);
    let there = calls.server().token("admin@ali.example").await;
    calls.get(&there, &path(&whole, ""), &[]).await.refuses(404);
    let own = prepare(&calls, &calls.operator, json!({"codLoja": 2})).await;
    assert!(own["beneficios"].as_i64() < whole["beneficios"].as_i64(), "{own}");
    let listed = items(&calls.read(&calls.operator, &path(&own, "/beneficio"), &[]).await);
    assert!(listed.iter().all(|one| one["codLoja"] == 2), "{listed:?}");
    assert!(listed.iter().any(|one| one["codPessoa"] == MEMBER), "{listed:?}");
    // Approving is a right of its own.
    calls.put(&calls.operator, &path(&own, "/aprovar"), &json!({})).await.refuses(403);
    calls.put(&calls.operator, &path(&own, "/desfazer"), &json!({"motivo": "engano"})).await.refuses(403);
    for what in ["/aprovar", "/descartar"] {
        calls.put(&there, &path(&own, what), &json!({})).await.refuses(404);
    }
    let discarded = calls.put(&calls.operator, &path(&own, "/descartar"), &json!({})).await;
    assert_eq!(discarded.status, 200, "{discarded:?}");
}

#[both_engines]
async fn what_cannot_be_charged_is_refused_at_its_field(world: World) {
    let calls = charged_members(world).await;
    for (body, field) in [
        (json!({}), "mes"),
        (json!({"mes": "13/2026"}), "mes"),
        (json!({"mes": "12/2036"}), "mes"),
        (json!({"mes": "01/0001"}), "mes"),
        (json!({"mes": "12/2026", "parcelas": 13}), "parcelas"),
        (json!({"mes": "12/2026", "codLoja": 99}), "codLoja"),
        (json!({"mes": "12/2026", "codGrupo": 99}), "codGrupo"),
        (json!({"mes": "12/2026", "diaVencimento": 32}), "diaVencimento"),
    ] {
        let refused = calls.post(&calls.administrator, RUNS, &body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert!(refused.body.contains(field), "{body}: {refused:?}");
    }
    assert_eq!(calls.count("charging_runs").await, 0);
}

#[both_engines]
async fn titles_that_stay_after_an_undo_are_listed(world: World) {
    let calls = charged_members(world).await;
    let by = calls.administrator.clone();
    let run = prepare(&calls, &by, json!({})).await;
    assert_eq!(calls.put(&by, &path(&run, "/aprovar"), &json!({})).await.status, 200);
    work_off(&calls).await;
    let paid = calls.titles(&[("codPessoa", &MEMBER.to_string())]).await[0].clone();
    calls.settle(&paid, 10.0).await;
    assert_eq!(calls.put(&by, &path(&run, "/desfazer"), &json!({"motivo": "conferência"})).await.status, 200);
    work_off(&calls).await;
    let kept = calls.read(&by, &path(&run, "/mantido"), &[]).await;
    assert_eq!(items(&kept), [json!({"codTitulo": paid["codTitulo"]})]);
    assert_eq!(kept["quantidade"], 1);
    assert_eq!(
        items(&calls.read(&by, &path(&run, "/mantido"), &[("pagina", "2")]).await),
        Vec::<Value>::new()
    );
    calls.get(&calls.stranger, &path(&run, "/mantido"), &[]).await.refuses(404);
}
