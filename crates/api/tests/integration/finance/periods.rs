//! Months that are closed: what is no longer booked in them, and how they are opened again.

use crate::calls::{Calls, each, told_about};
use crate::finance::scene::{
    CLOSE, MANAGED, MEMBER, PERIODS, REOPEN, TITLES, late_title, managed, parts, scene, title,
};
use serde_json::{Value, json};
use storage::{QueryWeight, sql};
use testkit::{World, both_engines};

/// Booked day, day of the fact and kind of each entry of a title.
async fn booked(calls: &Calls, title: &Value) -> Vec<(String, String, i64)> {
    let query = sql(
        "SELECT booked_on, happened_on, kind FROM ledger_entries WHERE tenant = $1 AND title = $2 ORDER BY code",
    );
    let query = query.arg(calls.world.here).arg(title["codTitulo"].as_i64().unwrap());
    let rows = calls.world.db().query(QueryWeight::Search, query).await.unwrap();
    rows.iter()
        .map(|row| (row.get("booked_on").unwrap(), row.get("happened_on").unwrap(), row.get("kind").unwrap()))
        .collect()
}

fn entry(booked_on: &str, happened_on: &str, kind: i64) -> (String, String, i64) {
    (booked_on.to_owned(), happened_on.to_owned(), kind)
}

#[both_engines]
async fn a_month_that_is_over_is_closed_once(world: World) {
    let mut calls = scene(world).await;
    let fields = ["fechadoAte", "proximo", "alteracoes"];
    let before = calls.read(&calls.operator, PERIODS, &[]).await;
    assert_eq!(parts(&before, fields), [json!(null), json!("10/2026"), json!([])]);
    for running in ["11/2026", "12/2026", "01/2027"] {
        let refused = calls.post(&calls.administrator, CLOSE, &json!({"mes": running})).await;
        assert!(told_about(refused.refuses(409), "mes"), "{refused:?}");
    }
    for bad in [json!("13/2026"), json!("outubro"), json!(null), json!(10)] {
        let refused = calls.post(&calls.administrator, CLOSE, &json!({"mes": bad})).await;
        assert!(told_about(refused.refuses(400), "mes"), "{refused:?}");
    }
    let closed = calls.close("09/2026").await;
    assert_eq!(parts(&closed, ["fechadoAte", "proximo"]), ["09/2026", "10/2026"]);
    let closed = calls.close("2026-10").await;
    assert_eq!(parts(&closed, ["fechadoAte", "proximo"]), [json!("10/2026"), json!(null)]);
    assert_eq!(calls.read(&calls.operator, PERIODS, &[]).await, closed);
    for again in ["10/2026", "09/2026", "01/2020"] {
        let refused = calls.post(&calls.administrator, CLOSE, &json!({"mes": again})).await;
        assert!(told_about(refused.refuses(409), "mes"), "{refused:?}");
    }
    let changes: Vec<Value> = closed["alteracoes"].as_array().unwrap().clone();
    assert_eq!(each(&changes, "fechadoAte"), ["10/2026", "09/2026"]);
    assert_eq!(each(&changes, "fechamento"), [true, true]);
    assert_eq!(each(&changes, "codUsuario"), [1, 1]);
    // There nothing is closed.
    assert_eq!(calls.read(&calls.stranger, PERIODS, &[]).await["fechadoAte"], Value::Null);
    calls.pass_days(17).await;
    assert_eq!(calls.read(&calls.operator, PERIODS, &[]).await["proximo"], "11/2026");
    assert_eq!(calls.close("11/2026").await["fechadoAte"], "11/2026");
}

#[both_engines]
async fn nothing_is_issued_in_a_closed_month(world: World) {
    let calls = scene(world).await;
    calls.close("10/2026").await;
    for day in ["2026-10-31", "2026-10-01", "2020-01-01"] {
        let body = title(json!({"dataEmissao": day}));
        let refused = calls.post(&calls.operator, TITLES, &body).await;
        assert!(told_about(refused.refuses(409), "dataEmissao"), "{refused:?}");
        let body = json!({"codPessoa": MEMBER, "codTipoTitulo": 1, "valor": 5, "dataEmissao": day});
        let refused = calls.post(&calls.operator, MANAGED, &body).await;
        assert!(told_about(refused.refuses(409), "dataEmissao"), "{refused:?}");
    }
    calls.issue(json!({"dataEmissao": "2026-11-01"})).await;
    calls.saved(&calls.stranger, TITLES, &title(json!({"dataEmissao": "2026-10-31"}))).await;
    assert_eq!(calls.count("titles").await, 2);
}

#[both_engines]
async fn a_payment_of_a_closed_month_is_booked_on_the_first_open_day(world: World) {
    let calls = scene(world).await;
    let made = calls.saved(&calls.operator, TITLES, &late_title()).await;
    calls.close("10/2026").await;
    let body = json!({"valorPago": 101.2, "codTipoLiquidacao": 1, "dataPagamento": "2026-10-28"});
    let paid = calls.saved(&calls.operator, &managed(&made, "/receber"), &body).await;
    // The day of the payment decides: it was in time.
    assert_eq!(paid["situacao"], "LIQUIDADO");
    let one = &paid["liquidacoes"][0];
    let fields = ["dataLiquidacao", "multa", "juros", "total"];
    assert_eq!(parts(one, fields), [json!("28/10/2026"), json!(0), json!(0), json!(101.2)]);
    let wanted = [entry("2026-10-01", "2026-10-01", 1), entry("2026-11-01", "2026-10-28", 3)];
    assert_eq!(booked(&calls, &made).await, wanted);
    // What is taken back is taken back today.
    assert_eq!(calls.reverse(&paid).await.status, 200);
    assert_eq!(booked(&calls, &made).await[2], entry("2026-11-14", "2026-11-14", 4));
    let reply = calls.put_managed(&made, "/cancelar", json!({"motivo": "em dobro"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(booked(&calls, &made).await[3], entry("2026-11-14", "2026-11-14", 2));
    assert_eq!(booked(&calls, &made).await[..2], wanted);
}

#[both_engines]
async fn a_reopened_month_takes_bookings_and_needs_a_reason(world: World) {
    let calls = scene(world).await;
    let by = &calls.administrator;
    calls.post(by, REOPEN, &json!({"motivo": "nada fechado"})).await.refuses(409);
    calls.close("08/2026").await;
    calls.close("10/2026").await;
    let refused = calls.post(by, REOPEN, &json!({})).await;
    assert!(told_about(refused.refuses(400), "motivo"), "{refused:?}");
    let reopened = calls.saved(by, REOPEN, &json!({"motivo": "faltou uma nota"})).await;
    assert_eq!(parts(&reopened, ["fechadoAte", "proximo"]), ["08/2026", "10/2026"]);
    let change = &reopened["alteracoes"][0];
    let fields = ["fechamento", "fechadoAte", "motivo", "codUsuario"];
    assert_eq!(parts(change, fields), [json!(false), json!("08/2026"), json!("faltou uma nota"), json!(1)]);
    calls.issue(json!({"dataEmissao": "2026-09-01"})).await;
    calls.post(&calls.operator, TITLES, &title(json!({"dataEmissao": "2026-08-31"}))).await.refuses(409);
    assert_eq!(calls.close("09/2026").await["fechadoAte"], "09/2026");
    for wanted in [json!("08/2026"), json!(null)] {
        let reopened = calls.saved(by, REOPEN, &json!({"motivo": "faltou outra"})).await;
        assert_eq!(reopened["fechadoAte"], wanted);
    }
    calls.post(by, REOPEN, &json!({"motivo": "nada fechado"})).await.refuses(409);
    calls.issue(json!({"dataEmissao": "2026-08-31"})).await;
}

#[both_engines]
async fn a_credit_is_the_same_whatever_is_closed(world: World) {
    let calls = scene(world).await;
    for (issued, paid, amount) in [
        ("2026-08-03", "2026-08-05", 110.0),
        ("2026-09-01", "2026-10-02", 500.0),
        ("2026-11-02", "2026-11-10", 102.2),
    ] {
        let due = json!({"dataEmissao": issued, "vencimento": "2026-12-10"});
        let made = calls.issue(due).await;
        let body = json!({"valorPago": amount, "codTipoLiquidacao": 1, "dataPagamento": paid});
        calls.saved(&calls.operator, &managed(&made, "/receber"), &body).await;
    }
    let wanted = json!(408.6);
    assert_eq!(calls.balance(MEMBER).await["credito"], wanted);
    for month in ["08/2026", "09/2026", "10/2026"] {
        calls.close(month).await;
        assert_eq!(calls.balance(MEMBER).await["credito"], wanted, "{month}");
    }
    for _ in 0..3 {
        calls.saved(&calls.administrator, REOPEN, &json!({"motivo": "prova de conta"})).await;
        assert_eq!(calls.balance(MEMBER).await["credito"], wanted);
    }
}
