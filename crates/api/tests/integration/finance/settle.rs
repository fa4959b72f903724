//! `POST /ext/financeiro/titulo/liquidar`: parts, lateness, too much, and what happens at once.

use crate::calls::{Calls, each, told_about};
use crate::finance::scene::{
    CASH, EXPENSE, MEMBER, SETTLE, late_title, managed, parts, receipt, scene, title,
};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Reply, World, both_engines, eight_at_once};

const PARTS: [&str; 4] = ["valor", "multa", "juros", "total"];

fn last(title: &Value) -> &Value {
    title["liquidacoes"].as_array().unwrap().last().unwrap()
}

#[both_engines]
async fn a_part_keeps_the_title_open_and_the_rest_settles_it(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let part = calls.settle(&made, 0.01).await;
    assert_eq!(part["situacao"], "ABERTO");
    let part = calls.settle(&made, 100.0).await;
    assert_eq!(part["situacao"], "ABERTO");
    assert_eq!(parts(last(&part), PARTS), [json!(100), json!(0), json!(0), json!(100)]);
    assert_eq!(calls.managed(&made).await["valorAberto"], 1.19);
    let whole = calls.settle(&made, 1.19).await;
    assert_eq!(whole["situacao"], "LIQUIDADO");
    let listed = &calls.titles(&[("situacao", "Liquidado")]).await[0];
    assert_eq!(parts(listed, ["valorLiquidado", "dataLiquidacao"]), [json!(101.2), json!("14/11/2026")]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
}

#[both_engines]
async fn seventeen_days_late_a_fine_and_interest_are_paid_first(world: World) {
    let calls = scene(world).await;
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let due = calls.managed(&made).await;
    let fields = ["valorAberto", "multaDevida", "jurosDevidos", "valorDevido", "vencido"];
    assert_eq!(parts(&due, fields), [json!(101.2), json!(2.02), json!(0.57), json!(103.79), json!(true)]);
    let whole = calls.settle(&made, 103.79).await;
    assert_eq!(whole["situacao"], "LIQUIDADO");
    assert_eq!(parts(last(&whole), PARTS), [json!(101.2), json!(2.02), json!(0.57), json!(103.79)]);
    assert_eq!(calls.titles(&[]).await[0]["valorLiquidado"], 103.79);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    // A part pays interest, then the fine, then the value.
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let paid = calls.settle(&made, 0.40).await;
    assert_eq!(parts(last(&paid), PARTS), [json!(0), json!(0), json!(0.4), json!(0.4)]);
    let paid = calls.settle(&made, 2.00).await;
    assert_eq!(parts(last(&paid), PARTS), [json!(0), json!(1.83), json!(0.17), json!(2)]);
    let paid = calls.settle(&made, 1.19).await;
    assert_eq!(parts(last(&paid), PARTS), [json!(1), json!(0.19), json!(0), json!(1.19)]);
    assert_eq!(paid["situacao"], "ABERTO");
    assert_eq!(calls.managed(&made).await["valorDevido"], 100.2);
}

#[both_engines]
async fn exactly_the_value_settles_a_late_title(world: World) {
    let calls = scene(world).await;
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let paid = calls.settle(&made, 101.20).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(0), json!(0), json!(101.2)]);
    let due = calls.managed(&made).await;
    assert_eq!(parts(&due, ["valorDevido", "vencido"]), [json!(0), json!(false)]);
    let balance = calls.balance(MEMBER).await;
    assert_eq!(parts(&balance, ["emDia", "credito", "valorAberto"]), [json!(true), json!(0), json!(0)]);
    // A cent less does not, and pays the charges first.
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let paid = calls.settle(&made, 101.19).await;
    assert_eq!(paid["situacao"], "ABERTO");
    assert_eq!(parts(last(&paid), PARTS), [json!(98.6), json!(2.02), json!(0.57), json!(101.19)]);
    assert_eq!(calls.settle(&made, 2.60).await["situacao"], "LIQUIDADO");
}

#[both_engines]
async fn a_little_more_than_the_value_settles_a_late_title_too(world: World) {
    let calls = scene(world).await;
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let paid = calls.settle(&made, 102.0).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(0.23), json!(0.57), json!(102)]);
    let left = "/gestao/financeiro/lancamento";
    let left = crate::calls::items(&calls.read(&calls.operator, left, &[]).await);
    assert_eq!(left[0]["valor"], 1.79, "the rest of the fine waits for the next charge");
}

/// A cheque that paid a part in time is returned, after the rest was paid late.
#[both_engines]
async fn late_charges_that_wait_are_not_asked_for_again(world: World) {
    let calls = scene(world).await;
    let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let cheque = json!({"valorPago": 50, "codTipoLiquidacao": 1, "dataPagamento": "2026-10-28"});
    let part = calls.saved(&calls.operator, &managed(&made, "/receber"), &cheque).await;
    // 2 % and 17 days of 51.20 are left, which settles it.
    assert_eq!(calls.settle(&made, 51.20).await["situacao"], "LIQUIDADO");
    assert_eq!(calls.reverse(&part).await.status, 200);
    let due = calls.managed(&made).await;
    // 2.02 and 0.57 of all of it, less the 1.31 that wait for the next charge.
    assert_eq!(parts(&due, ["valorAberto", "valorDevido"]), [json!(50), json!(51.28)]);
}

#[both_engines]
async fn what_is_too_much_is_the_members_credit(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let paid = calls.settle(&made, 150.0).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(0), json!(0), json!(101.2)]);
    assert_eq!(calls.titles(&[]).await[0]["valorLiquidado"], 101.2);
    let wanted = json!({"emDia": true, "titulosAbertos": 0, "valorAberto": 0, "titulosVencidos": 0,
        "valorVencido": 0, "credito": 48.8});
    assert_eq!(calls.balance(MEMBER).await, wanted);
    let late = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    calls.issue(json!({"valor": 10})).await;
    let wanted = json!({"emDia": false, "titulosAbertos": 2, "valorAberto": 111.2, "titulosVencidos": 1,
        "valorVencido": 101.2, "credito": 48.8});
    assert_eq!(calls.balance(MEMBER).await, wanted);
    calls.settle(&late, 104.0).await;
    assert_eq!(calls.balance(MEMBER).await["credito"], 49.01, "beyond fine and interest, too");
    assert_eq!(calls.balance(2).await["credito"], 0);
    // What the association owes it does not overpay.
    let debit = calls.issue(json!({"codTipoTitulo": EXPENSE})).await;
    let refused = calls.refused(SETTLE, &receipt(&debit, 101.21)).await;
    assert!(told_about(&refused, "valorPago"), "{refused}");
    assert_eq!(calls.settle(&debit, 101.20).await["situacao"], "LIQUIDADO");
}

#[both_engines]
async fn a_title_that_is_not_open_takes_nothing(world: World) {
    let calls = scene(world).await;
    let settled = calls.issue(json!({})).await;
    calls.settle(&settled, 101.20).await;
    let cancelled = calls.issue(json!({})).await;
    calls.put_managed(&cancelled, "/cancelar", json!({"motivo": "em dobro"})).await;
    let waits = json!({"codTipoTitulo": EXPENSE, "aguardarLiberacao": true});
    let waiting = calls.issue_managed(waits).await.remove(0);
    let before = calls.count("ledger_entries").await;
    for one in [&settled, &cancelled, &waiting] {
        for amount in [0.01, 101.20, 500.0] {
            calls.post(&calls.operator, SETTLE, &receipt(one, amount)).await.refuses(409);
            let body = json!({"valorPago": amount, "codTipoLiquidacao": 1});
            calls.post(&calls.operator, &managed(one, "/receber"), &body).await.refuses(409);
        }
    }
    assert_eq!(calls.count("ledger_entries").await, before);
    assert_eq!(calls.count("settlements").await, 1);
}

#[both_engines]
async fn a_receipt_is_refused_by_name(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    for (field, bad) in [
        ("valorPago", json!(0)),
        ("valorPago", json!(1.005)),
        ("valorPago", json!(-1)),
        ("valorPago", json!(null)),
        ("codTipoLiquidacao", json!(999)),
        ("codTipoLiquidacao", json!(null)),
        ("codTitulo", json!(null)),
        ("codTitulo", json!("x")),
    ] {
        let mut body = receipt(&made, 10.0);
        body[field] = bad;
        let refused = calls.refused(SETTLE, &body).await;
        assert!(told_about(&refused, field), "{body}: {refused}");
    }
    // Of the desk there is also a day and an account.
    for (field, bad) in [
        ("dataPagamento", json!("2026-11-15")),
        ("dataPagamento", json!("2026-11-13")),
        ("codContaFinanceira", json!(999)),
    ] {
        let mut body = json!({"valorPago": 10, "codTipoLiquidacao": 1});
        body[field] = bad;
        let refused = calls.refused(&managed(&made, "/receber"), &body).await;
        assert!(told_about(&refused, field), "{body}: {refused}");
    }
    let body = json!({"valorPago": 10, "codTipoLiquidacao": 1, "observacao": null, "codContaFinanceira": 2});
    let paid = calls.saved(&calls.operator, &managed(&made, "/receber"), &body).await;
    assert_eq!(parts(last(&paid), ["codConta", "codCaixa"]), [json!(2), json!(null)]);
    assert_eq!(calls.count("settlements").await, 1);
}

#[both_engines]
async fn an_account_that_nobody_sent_is_told_of_its_settlement_type(world: World) {
    let calls = scene(world).await;
    let by = &calls.administrator;
    let made = calls.issue(json!({})).await;
    let account = json!({"nome": "Caixa das motos", "tipo": "CAIXA", "codGrupo": 2});
    let account = calls.saved(by, "/gestao/contaFinanceira", &account).await["codContaFinanceira"].clone();
    let kind = json!({"nome": "Dinheiro das motos", "codContaFinanceira": account});
    let kind = calls.saved(by, "/gestao/tipoLiquidacao", &kind).await["codTipoLiquidacao"].clone();
    let body = json!({"codTitulo": made["codTitulo"], "valorPago": 10, "codTipoLiquidacao": kind});
    let desk = json!({"valorPago": 10, "codTipoLiquidacao": CASH, "codContaFinanceira": account});
    for told in ["outro grupo", "em uso"] {
        let refused = calls.refused(SETTLE, &body).await;
        assert!(told_about(&refused, "codTipoLiquidacao") && refused.contains(told), "{refused}");
        assert!(!refused.contains("codContaFinanceira"), "{refused}");
        let refused = calls.refused(&managed(&made, "/receber"), &desk).await;
        assert!(told_about(&refused, "codContaFinanceira"), "{refused}");
        let retired = json!({"versao": 1, "ativo": false});
        calls.put(by, &format!("/gestao/contaFinanceira/{account}"), &retired).await;
    }
    assert_eq!(calls.count("settlements").await, 0);
}

#[both_engines]
async fn an_amount_paid_comes_as_programs_write_it(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let mut body = receipt(&made, 0.0);
    for bad in [json!("1,299"), json!("101,205")] {
        body["valorPago"] = bad;
        assert!(told_about(&calls.refused(SETTLE, &body).await, "valorPago"), "{body}");
    }
    body["valorPago"] = json!("101,20");
    body["observacao"] = json!(7);
    assert_eq!(calls.saved(&calls.operator, SETTLE, &body).await["situacao"], "LIQUIDADO");
}

async fn send(calls: &Calls, key: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {}", calls.operator);
    let headers =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
    calls.server().call("POST", SETTLE, &headers, &body.to_string()).await
}

#[both_engines]
async fn eight_at_once_with_one_key_are_one_receipt(world: World) {
    let calls = Arc::new(scene(world).await);
    let made = calls.issue(json!({})).await;
    let replies = eight_at_once(|_| {
        let (calls, body) = (Arc::clone(&calls), receipt(&made, 60.0));
        async move { send(&calls, "recibo", &body).await }
    })
    .await;
    // Who comes while the first is under way is asked to come again, and then told the same.
    let again = send(&calls, "recibo", &receipt(&made, 60.0)).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")), "{again:?}");
    for reply in &replies {
        match reply.status {
            200 => assert_eq!(reply.body, again.body),
            _ => assert!(reply.refuses(409).starts_with("Idempotency-Key: "), "{reply:?}"),
        }
    }
    assert_eq!(calls.count("settlements").await, 1);
    assert_eq!(calls.managed(&made).await["valorAberto"], 41.2);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
}

#[both_engines]
async fn without_a_key_each_is_a_receipt_of_its_own(world: World) {
    let calls = Arc::new(scene(world).await);
    let made = calls.issue(json!({})).await;
    let replies = eight_at_once(|_| {
        let (calls, body) = (Arc::clone(&calls), receipt(&made, 20.0));
        async move { calls.post(&calls.operator, SETTLE, &body).await }
    })
    .await;
    // Five leave 1.20, the sixth pays 18.80 too much, and nothing is open for the others.
    let taken = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!((taken, replies.iter().filter(|reply| reply.status == 409).count()), (6, 2), "{replies:?}");
    let now = calls.managed(&made).await;
    assert_eq!(parts(&now, ["situacao", "valorAberto"]), [json!("LIQUIDADO"), json!(0)]);
    let mut all: Vec<Value> = now["liquidacoes"].as_array().unwrap().clone();
    assert_eq!(all.pop().unwrap()["valor"], 1.2);
    assert_eq!(each(&all, "valor"), vec![json!(20); 5]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 18.8);
}

#[both_engines]
async fn a_weekend_or_holiday_due_day_moves_to_the_next_bank_day(world: World) {
    let calls = scene(world).await;
    // Monday 12 October is a holiday, so Saturday 10 is paid in time until Tuesday 13.
    let due = title(json!({"dataEmissao": "2026-10-01", "vencimento": "2026-10-10"}));
    for (paid, charges) in [("2026-10-13", 0.0), ("2026-10-14", 2.05)] {
        let made = calls.saved(&calls.operator, "/ext/financeiro/titulo", &due).await;
        let body = json!({"valorPago": 101.20 + charges, "codTipoLiquidacao": 1, "dataPagamento": paid});
        let settled = calls.saved(&calls.operator, &managed(&made, "/receber"), &body).await;
        assert_eq!(parts(&settled, ["situacao", "dataVencimento"]), ["LIQUIDADO", "10/10/2026"]);
        assert_eq!(last(&settled)["valor"], 101.2, "{settled}");
        assert_eq!(last(&settled)["multa"], if charges > 0.0 { json!(2.02) } else { json!(0) });
    }
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
}
