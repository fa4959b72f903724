//! What the association itself does with a title: cancel, take back, move, release, divide.

use crate::calls::{each, items, told_about};
use crate::finance::scene::{CAR, EXPENSE, MANAGED, MEMBER, SECOND_MEMBER, managed, parts, scene};
use serde_json::{Value, json};
use storage::{QueryWeight, sql};
use testkit::{World, both_engines};

#[both_engines]
async fn a_cancelled_title_stays_so_and_doing_it_again_changes_nothing(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let reason = json!({"motivo": "cobrado em dobro"});
    calls.put_managed(&made, "/cancelar", json!({})).await.refuses(400);
    let first = calls.put_managed(&made, "/cancelar", reason.clone()).await;
    assert_eq!(first.status, 200, "{first:?}");
    let fields = ["situacao", "dataCancelamento", "motivoCancelamento", "valorAberto", "valorDevido"];
    let wanted = [json!("CANCELADO"), json!("14/11/2026"), json!("cobrado em dobro"), json!(0), json!(0)];
    assert_eq!(parts(&first.json(), fields), wanted);
    let booked = calls.count("ledger_entries").await;
    let again = calls.put_managed(&made, "/cancelar", json!({"motivo": "outro motivo"})).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(calls.count("ledger_entries").await, booked);
    assert_eq!(calls.balance(MEMBER).await["titulosAbertos"], 0);
    let due = json!({"vencimento": "2027-01-10", "motivo": "pedido"});
    calls.put_managed(&made, "/vencimento", due).await.refuses(409);
}

#[both_engines]
async fn a_title_with_a_settlement_in_force_is_not_cancelled(world: World) {
    let calls = scene(world).await;
    let reason = json!({"motivo": "cobrado em dobro"});
    let part = calls.issue(json!({})).await;
    let paid = calls.settle(&part, 10.0).await;
    calls.put_managed(&part, "/cancelar", reason.clone()).await.refuses(409);
    let whole = calls.issue(json!({})).await;
    calls.settle(&whole, 101.20).await;
    calls.put_managed(&whole, "/cancelar", reason.clone()).await.refuses(409);
    assert_eq!(calls.reverse(&paid).await.status, 200);
    let cancelled = calls.put_managed(&part, "/cancelar", reason).await;
    assert_eq!(cancelled.json()["situacao"], "CANCELADO", "{cancelled:?}");
    assert_eq!(calls.managed(&part).await["liquidacoes"].as_array().unwrap().len(), 1);
}

#[both_engines]
async fn a_settlement_is_taken_back_once(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let paid = calls.settle(&made, 101.20).await;
    let path = format!("/gestao/financeiro/liquidacao/{}/estornar", paid["liquidacoes"][0]["codLiquidacao"]);
    calls.put(&calls.operator, &path, &json!({})).await.refuses(400);
    let stranger = calls.put(&calls.stranger, &path, &json!({"motivo": "não é meu"})).await;
    stranger.refuses(404);
    let first = calls.reverse(&paid).await;
    assert_eq!(parts(&first.json(), ["situacao", "valorAberto"]), [json!("ABERTO"), json!(101.2)]);
    calls.reverse(&paid).await.refuses(409);
    calls
        .put(&calls.operator, "/gestao/financeiro/liquidacao/999/estornar", &json!({"motivo": "x y z"}))
        .await
        .refuses(404);
    // It is owed again, and can be paid again.
    assert_eq!(calls.settle(&made, 101.20).await["situacao"], "LIQUIDADO");
    let far = json!({"codTitulo": 1, "valorPago": 5, "codTipoLiquidacao": 1});
    let far = calls.saved(&calls.administrator, "/ext/financeiro/titulo/liquidar", &far).await;
    calls.reverse(&far).await.refuses(404);
}

#[both_engines]
async fn a_title_tells_its_lines_and_why_a_payment_was_taken_back(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({"descricao": "Novembro"})).await;
    let late = json!({"valorPago": 150, "codTipoLiquidacao": 1, "observacao": "no balcão"});
    let paid = calls.saved(&calls.operator, &managed(&made, "/receber"), &late).await;
    let line = json!({"codItemCobranca": 1, "nome": "Taxa de administração", "natureza": "ADMINISTRACAO",
        "codBeneficio": CAR, "valor": 101.2, "desconto": 0, "origemValor": null, "codPreco": null,
        "descricao": null});
    assert_eq!(paid["linhas"], json!([line]));
    let mut payment = json!({"codLiquidacao": 1, "credito": 48.8, "encargosRestantes": 0,
        "observacao": "no balcão", "dataEstorno": null, "motivoEstorno": null});
    assert_eq!(paid["pagamentos"], json!([payment]));
    let open = calls.reverse(&paid).await.json();
    payment["dataEstorno"] = json!("14/11/2026");
    payment["motivoEstorno"] = json!("cheque devolvido");
    assert_eq!(open["pagamentos"], json!([payment]));
    assert_eq!(calls.managed(&made).await, open);
}

#[both_engines]
async fn a_new_due_day_keeps_the_first_and_its_history(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-10-28"})).await;
    assert_eq!(calls.managed(&made).await["vencido"], true);
    let moved = json!({"vencimento": "2026-12-24", "motivo": "pedido do associado"});
    let after = calls.put_managed(&made, "/vencimento", moved.clone()).await.json();
    let fields = ["dataVencimento", "dataVencimentoOriginal", "vencido", "multaDevida", "jurosDevidos"];
    let wanted = [json!("24/12/2026"), json!("28/10/2026"), json!(false), json!(0), json!(0)];
    assert_eq!(parts(&after, fields), wanted);
    // The same day again is no change.
    assert_eq!(calls.put_managed(&made, "/vencimento", moved).await.json(), after);
    let again = json!({"vencimento": "02/11/2026", "motivo": "engano"});
    let after = calls.put_managed(&made, "/vencimento", again).await.json();
    assert_eq!(parts(&after, ["dataVencimento", "dataVencimentoOriginal"]), ["02/11/2026", "28/10/2026"]);
    // 2 November is a holiday, so the title is 11 days late.
    assert_eq!(parts(&after, ["multaDevida", "jurosDevidos"]), [json!(2.02), json!(0.37)]);
    let early =
        calls.put_managed(&made, "/vencimento", json!({"vencimento": "2026-09-30", "motivo": "x"})).await;
    assert!(told_about(early.refuses(400), "vencimento"), "{early:?}");
    let query = sql(
        "SELECT before, after FROM field_changes WHERE subject = 'title' AND tenant = $1 ORDER BY number",
    );
    let rows = calls.world.db().query(QueryWeight::Search, query.arg(calls.world.here)).await.unwrap();
    let changes: Vec<[String; 2]> =
        rows.iter().map(|row| ["before", "after"].map(|name| row.get(name).unwrap())).collect();
    // The first move waived what was due until today, the second nothing.
    let wanted = [
        ["28/10/2026", "24/12/2026"],
        ["R$ 2,02", "R$ 0,00"],
        ["R$ 0,57", "R$ 0,00"],
        ["24/12/2026", "02/11/2026"],
    ];
    assert_eq!(changes, wanted);
    calls.settle(&made, 101.20).await;
    let late = json!({"vencimento": "2027-01-10", "motivo": "pedido"});
    calls.put_managed(&made, "/vencimento", late).await.refuses(409);
}

#[both_engines]
async fn a_debit_that_waits_is_booked_when_it_is_released(world: World) {
    let calls = scene(world).await;
    let before = calls.count("ledger_entries").await;
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true, "vencimento": "2026-12-10"});
    let made = calls.issue_managed(waits.clone()).await.remove(0);
    assert_eq!(parts(&made, ["situacao", "dataLancamento"]), [json!("PENDENTE"), json!(null)]);
    assert_eq!(calls.count("ledger_entries").await, before);
    let released = calls.put_managed(&made, "/liberar", json!({"motivo": "conferido"})).await;
    assert_eq!(released.status, 200, "{released:?}");
    assert_eq!(parts(&released.json(), ["situacao", "dataLancamento"]), ["ABERTO", "14/11/2026"]);
    assert_eq!(calls.count("ledger_entries").await, before + 1);
    calls.put_managed(&made, "/liberar", json!({})).await.refuses(409);
    assert_eq!(calls.settle(&made, 101.20).await["situacao"], "LIQUIDADO");
    // One that nobody releases may be cancelled, and was never in the books.
    let other = calls.issue_managed(waits).await.remove(0);
    let booked = calls.count("ledger_entries").await;
    assert_eq!(calls.put_managed(&other, "/cancelar", json!({"motivo": "engano"})).await.status, 200);
    assert_eq!(calls.count("ledger_entries").await, booked);
    // A credit never waits.
    let credit = calls.issue_managed(json!({"aguardarLiberacao": true})).await.remove(0);
    assert_eq!(credit["situacao"], "ABERTO");
    calls.put_managed(&credit, "/liberar", json!({})).await.refuses(409);
}

#[both_engines]
async fn instalments_divide_a_value_without_losing_a_cent(world: World) {
    let calls = scene(world).await;
    let three = json!({"valor": 100, "parcelas": 3, "codBeneficios": [CAR], "vencimento": "2026-11-30"});
    let made = calls.issue_managed(three).await;
    let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
    assert_eq!(each(&made, "valor").iter().map(cents).sum::<i64>(), 10_000);
    assert_eq!(each(&made, "dataVencimento"), ["30/11/2026", "30/12/2026", "30/01/2027"]);
    assert_eq!(each(&made, "parcela"), [1, 2, 3]);
    assert_eq!(each(&made, "parcelas"), [3, 3, 3]);
    let more = json!({"valor": 0.02, "parcelas": 3, "codPessoa": MEMBER, "codTipoTitulo": 1});
    assert!(told_about(&calls.refused(MANAGED, &more).await, "parcelas"));
    // Without a benefit a title is of the person's branch.
    let plain = calls.issue_managed(json!({"codPessoa": SECOND_MEMBER})).await.remove(0);
    assert_eq!(
        parts(&plain, ["codLoja", "beneficios", "dataVencimento"]),
        [json!(2), json!([]), json!("23/11/2026")]
    );
    let far = json!({"codPessoa": 3, "codTipoTitulo": 1, "valor": 1});
    assert!(told_about(&calls.refused(MANAGED, &far).await, "codPessoa"));
}

#[both_engines]
async fn what_is_done_with_a_title_is_audited(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let paid = calls.settle(&made, 10.0).await;
    calls.reverse(&paid).await;
    calls
        .put_managed(&made, "/vencimento", json!({"vencimento": "2027-01-10", "motivo": "pedido dele"}))
        .await;
    calls.put_managed(&made, "/cancelar", json!({"motivo": "cobrado em dobro"})).await;
    let path = managed(&made, "/receber");
    calls.post(&calls.operator, &path, &json!({"valorPago": 5, "codTipoLiquidacao": 1})).await.refuses(409);
    let told = calls.audited("1").await;
    let details: Vec<String> =
        told.iter().filter_map(|one| one["detalhe"].as_str().map(str::to_owned)).collect();
    for word in ["cobrado em dobro", "pedido dele", "cheque devolvido"] {
        assert_eq!(details.iter().filter(|text| text.contains(word)).count(), 1, "{word}: {details:?}");
    }
    let there = calls.read(&calls.administrator, "/gestao/auditoria", &[]).await;
    assert!(items(&there).iter().all(|one| !one["detalhe"].to_string().contains("Ali")), "{there}");
}
