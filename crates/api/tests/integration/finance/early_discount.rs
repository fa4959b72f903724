//! The discount of those who pay some days before the due day.

use crate::calls::Calls;
use crate::finance::scene::{MEMBER, managed, parts, scene};
use serde_json::{Value, json};
use testkit::{World, books, both_engines};

const PARTS: [&str; 3] = ["valor", "desconto", "total"];

/// Titles of the monthly type get 5 % off until six days before, of what their nature charges.
pub async fn allow_discount(calls: &Calls) {
    let rule = json!({"versao": 1, "descontoPontualidade": 5, "diasDesconto": 6});
    let changed = calls.put(&calls.administrator, "/gestao/regraEncargos/1", &rule).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    for app in calls.world.processes() {
        app::cache::refresh_versions(app).await.unwrap();
    }
}

fn last(title: &Value) -> &Value {
    title["liquidacoes"].as_array().unwrap().last().unwrap()
}

#[both_engines]
async fn the_discounted_value_settles_a_title_in_time(world: World) {
    let calls = scene(world).await;
    let before = calls.issue(json!({})).await;
    allow_discount(&calls).await;
    assert_eq!(calls.managed(&before).await["dataLimiteDesconto"], Value::Null, "issued before the rule");
    let made = calls.issue(json!({})).await;
    let due = calls.managed(&made).await;
    let fields = ["descontoPontualidade", "dataLimiteDesconto", "valorDevido", "valorAberto"];
    // Six days before 10 December is a Friday.
    assert_eq!(parts(&due, fields), [json!(5.06), json!("04/12/2026"), json!(96.14), json!(101.2)]);
    let paid = calls.settle(&made, 96.14).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(5.06), json!(96.14)]);
    assert_eq!(calls.titles(&[("situacao", "Liquidado")]).await[0]["valorLiquidado"], 96.14);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    books::check(calls.world.db(), calls.world.here, "discounted").await;
    let back = calls.reverse(&paid).await.json();
    assert_eq!(parts(&back, ["valorAberto", "valorDevido"]), [json!(101.2), json!(96.14)]);
    // What is beyond the discounted value was not due, and is credit.
    let paid = calls.settle(&made, 101.2).await;
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(5.06), json!(96.14)]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 5.06);
    books::check(calls.world.db(), calls.world.here, "paid in full").await;
}

#[both_engines]
async fn a_part_or_a_day_too_late_has_no_discount(world: World) {
    let mut calls = scene(world).await;
    allow_discount(&calls).await;
    let part = calls.issue(json!({})).await;
    let paid = calls.settle(&part, 96.13).await;
    assert_eq!(parts(last(&paid), PARTS), [json!(96.13), json!(0), json!(96.13)]);
    assert_eq!(
        parts(&calls.managed(&part).await, ["descontoPontualidade", "valorDevido"]),
        [json!(0), json!(5.07)]
    );
    let made = calls.issue(json!({})).await;
    calls.pass_days(20).await;
    assert_eq!(calls.managed(&made).await["valorDevido"], 96.14, "the last day");
    calls.pass_days(1).await;
    let due = calls.managed(&made).await;
    assert_eq!(parts(&due, ["descontoPontualidade", "valorDevido"]), [json!(0), json!(101.2)]);
    // The day on which it was paid decides, not today.
    let paid_before = json!({"valorPago": 96.14, "codTipoLiquidacao": 1, "dataPagamento": "2026-12-04"});
    let paid = calls.saved(&calls.operator, &managed(&made, "/receber"), &paid_before).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    books::check(calls.world.db(), calls.world.here, "a part").await;
}

#[both_engines]
async fn another_due_day_moves_the_last_day_and_credit_gets_the_discount_too(world: World) {
    let calls = scene(world).await;
    allow_discount(&calls).await;
    let first = calls.issue(json!({})).await;
    calls.settle(&first, 200.0).await;
    let made = calls.issue(json!({})).await;
    // Six days before 19 December is a Sunday.
    calls.put_managed(&made, "/vencimento", json!({"vencimento": "2026-12-19", "motivo": "pedido"})).await;
    assert_eq!(calls.managed(&made).await["dataLimiteDesconto"], "14/12/2026");
    let paid = calls.post(&calls.operator, &managed(&made, "/usarCredito"), &json!({})).await.json();
    assert_eq!(parts(last(&paid), PARTS), [json!(101.2), json!(5.06), json!(96.14)]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 7.72);
    books::check(calls.world.db(), calls.world.here, "credit with discount").await;
}

#[both_engines]
async fn a_later_due_day_does_not_bring_a_lost_discount_back(world: World) {
    let mut calls = scene(world).await;
    allow_discount(&calls).await;
    let made = calls.issue(json!({})).await;
    let later = |day: &str| json!({"vencimento": day, "motivo": "pedido"});
    // On its last day it moves with the due day.
    calls.pass_days(20).await;
    let moved = calls.put_managed(&made, "/vencimento", later("2026-12-21")).await.json();
    assert_eq!(parts(&moved, ["dataLimiteDesconto", "valorDevido"]), [json!("15/12/2026"), json!(96.14)]);
    calls.pass_days(12).await;
    let moved = calls.put_managed(&made, "/vencimento", later("2027-01-20")).await.json();
    let fields = ["dataLimiteDesconto", "descontoPontualidade", "valorDevido"];
    assert_eq!(parts(&moved, fields), [json!("15/12/2026"), json!(0), json!(101.2)]);
    // Nor does it lie after the due day.
    let moved = calls.put_managed(&made, "/vencimento", later("2026-12-10")).await.json();
    assert_eq!(parts(&moved, [fields[0], fields[1]]), [json!("10/12/2026"), json!(0)]);
    books::check(calls.world.db(), calls.world.here, "moved").await;
}

#[both_engines]
async fn a_due_day_that_is_put_back_in_time_brings_its_discount_back(world: World) {
    let mut calls = scene(world).await;
    allow_discount(&calls).await;
    let made = calls.issue(json!({})).await;
    let due = |day: &str| json!({"vencimento": day, "motivo": "digitado errado"});
    // Six days before 20 November is today, a Saturday.
    let moved = calls.put_managed(&made, "/vencimento", due("2026-11-20")).await.json();
    assert_eq!(moved["dataLimiteDesconto"], "16/11/2026");
    calls.pass_days(3).await;
    assert_eq!(calls.managed(&made).await["descontoPontualidade"], 0);
    let back = calls.put_managed(&made, "/vencimento", due("2026-12-10")).await.json();
    let fields = ["dataLimiteDesconto", "descontoPontualidade", "valorDevido"];
    assert_eq!(parts(&back, fields), [json!("04/12/2026"), json!(5.06), json!(96.14)]);
    books::check(calls.world.db(), calls.world.here, "put back").await;
}
