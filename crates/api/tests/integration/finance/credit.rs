//! A member's credit pays a title of its group, and comes back when that is reversed.

use crate::calls::Calls;
use crate::finance::early_discount::allow_discount;
use crate::finance::scene::{EXPENSE, FAR_MEMBER, MEMBER, SECOND_MEMBER, late_title, managed, parts, scene};
use domain::{Clock, TitleCode};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Reply, World, books, both_engines, eight_at_once};

async fn use_credit(calls: &Calls, title: &Value) -> Reply {
    calls.post(&calls.operator, &managed(title, "/usarCredito"), &json!({})).await
}

/// A title of 101.20 paid with so much more.
async fn overpay(calls: &Calls, more: Value, credit: f64) -> Value {
    let made = calls.issue(more).await;
    calls.settle(&made, 101.2 + credit).await
}

#[both_engines]
async fn credit_pays_a_part_or_all_and_no_money_moves(world: World) {
    let calls = scene(world).await;
    overpay(&calls, json!({}), 150.0).await;
    let first = calls.issue(json!({})).await;
    assert_eq!(calls.managed(&first).await["creditoDisponivel"], 150);
    let paid = use_credit(&calls, &first).await.json();
    assert_eq!(paid["situacao"], "LIQUIDADO");
    let fields = ["codTipoLiquidacao", "nomeTipoLiquidacao", "codConta", "codCaixa", "valor", "total"];
    let none = Value::Null;
    let wanted =
        [none.clone(), json!("Crédito do associado"), none.clone(), none, json!(101.2), json!(101.2)];
    assert_eq!(parts(&paid["liquidacoes"][0], fields), wanted);
    assert_eq!(calls.balance(MEMBER).await["credito"], 48.8);
    let second = calls.issue(json!({})).await;
    let part = use_credit(&calls, &second).await.json();
    assert_eq!(parts(&part, ["situacao", "valorAberto"]), [json!("ABERTO"), json!(52.4)]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    use_credit(&calls, &second).await.refuses(409);
    use_credit(&calls, &first).await.refuses(409);
    let listed = &calls.titles(&[("situacao", "Aberto")]).await[0];
    assert_eq!(listed["valorLiquidado"], 48.8);
    books::check(calls.world.db(), calls.world.here, "credit was used").await;
}

#[both_engines]
async fn a_reversal_gives_the_credit_back_and_used_credit_keeps_its_payment(world: World) {
    let calls = scene(world).await;
    let source = overpay(&calls, json!({}), 48.8).await;
    let made = calls.issue(json!({})).await;
    let part = use_credit(&calls, &made).await.json();
    calls.reverse(&source).await.refuses(409);
    let back = calls.reverse(&part).await.json();
    assert_eq!(parts(&back, ["situacao", "valorAberto"]), [json!("ABERTO"), json!(101.2)]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 48.8);
    assert_eq!(calls.reverse(&source).await.status, 200);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    books::check(calls.world.db(), calls.world.here, "all was taken back").await;
}

#[both_engines]
async fn credit_pays_late_charges_first_and_stays_in_its_group(world: World) {
    let calls = scene(world).await;
    overpay(&calls, json!({}), 20.0).await;
    let late = calls.saved(&calls.operator, "/ext/financeiro/titulo", &late_title()).await;
    let paid = use_credit(&calls, &late).await.json();
    let fields = ["valor", "multa", "juros", "total"];
    assert_eq!(parts(&paid["liquidacoes"][0], fields), [json!(17.41), json!(2.02), json!(0.57), json!(20)]);
    // The second member's car is of the second group, a title without a benefit of the first.
    let car = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": 3});
    overpay(&calls, car, 30.0).await;
    let other = calls.issue_managed(json!({"codPessoa": SECOND_MEMBER})).await.remove(0);
    assert_eq!(calls.managed(&other).await["creditoDisponivel"], 0);
    use_credit(&calls, &other).await.refuses(409);
    let debit =
        calls.issue_managed(json!({"codPessoa": SECOND_MEMBER, "codTipoTitulo": EXPENSE})).await.remove(0);
    use_credit(&calls, &debit).await.refuses(409);
    books::check(calls.world.db(), calls.world.here, "two groups").await;
}

#[both_engines]
async fn eight_at_once_use_a_credit_once(world: World) {
    let calls = Arc::new(scene(world).await);
    overpay(&calls, json!({}), 50.0).await;
    let made = calls.issue(json!({})).await;
    let attempt = |_| {
        let (calls, made) = (Arc::clone(&calls), made.clone());
        async move { use_credit(&calls, &made).await.status }
    };
    let mut statuses = eight_at_once(attempt).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [[200].as_slice(), &[409; 7]].concat());
    assert_eq!(calls.managed(&made).await["valorAberto"], 51.2);
    books::check(calls.world.db(), calls.world.here, "eight at once").await;
}

#[both_engines]
async fn a_limited_caller_neither_sees_nor_uses_credit_of_another_branch(world: World) {
    let calls = scene(world).await;
    let far = json!({"codTitulo": 1, "valorPago": 200, "codTipoLiquidacao": 1});
    calls.saved(&calls.administrator, "/ext/financeiro/titulo/liquidar", &far).await;
    calls.post(&calls.operator, "/gestao/financeiro/titulo/1/usarCredito", &json!({})).await.refuses(404);
    let own = json!({"codPessoa": FAR_MEMBER, "codTipoTitulo": 1, "valor": 10});
    let titles = calls.saved(&calls.administrator, "/gestao/financeiro/titulo", &own).await;
    let path = format!("/gestao/financeiro/titulo/{}/usarCredito", titles[0]["codTitulo"]);
    calls.post(&calls.operator, &path, &json!({})).await.refuses(404);
    assert_eq!(calls.saved(&calls.administrator, &path, &json!({})).await["situacao"], "LIQUIDADO");
}

async fn issue_three(calls: &Calls) -> Vec<TitleCode> {
    let mut codes = Vec::new();
    for _ in 0..3 {
        let made = calls.issue(json!({})).await;
        codes.push(TitleCode::new(i32::try_from(made["codTitulo"].as_i64().unwrap()).unwrap()));
    }
    codes
}

/// Uses the credits as a run does.
async fn use_credits(calls: &Calls, codes: &[TitleCode]) -> Vec<(TitleCode, i64)> {
    let registers =
        app::register_snapshot::load_registers(calls.world.app(), calls.world.here).await.unwrap();
    let (tenant, now) = (calls.world.here, calls.world.clock.now());
    let unit = calls.world.db().write(
        storage::WriteLane::foreground(tenant),
        (registers, codes.to_vec()),
        move |tx, (registers, codes)| {
            Box::pin(async move {
                let context = app::ActorContext {
                    tenant,
                    registers,
                    user: None,
                    operation: domain::AuditedOperation::UseCredit,
                    origin: "prova",
                    suppresses_triggers: false,
                    now,
                };
                finance::use_credits(tx, &context, &domain::Scope::for_tenant(tenant), codes).await
            })
        },
    );
    let used: Result<_, app::Error> = unit.await;
    books::check(calls.world.db(), tenant, "a run").await;
    used.unwrap()
}

#[both_engines]
async fn a_run_uses_the_credits_of_all_its_titles_in_order(world: World) {
    let calls = scene(world).await;
    overpay(&calls, json!({}), 150.0).await;
    let codes = issue_three(&calls).await;
    assert_eq!(use_credits(&calls, &codes).await, [(codes[0], 10_120), (codes[1], 4_880)]);
}

#[both_engines]
async fn a_run_uses_what_was_received_as_credit(world: World) {
    let calls = scene(world).await;
    let ahead = json!({"codPessoa": MEMBER, "valor": 150, "codTipoLiquidacao": 1, "codGrupo": 1});
    calls.saved(&calls.operator, "/gestao/financeiro/credito", &ahead).await;
    let codes = issue_three(&calls).await;
    assert_eq!(use_credits(&calls, &codes).await, [(codes[0], 10_120), (codes[1], 4_880)]);
}

#[both_engines]
async fn a_small_credit_does_not_cost_the_discount(world: World) {
    let calls = scene(world).await;
    overpay(&calls, json!({}), 98.0).await;
    allow_discount(&calls).await;
    let codes = issue_three(&calls).await;
    // The first costs 96.14, and 1.86 would only pay a part of the second.
    assert_eq!(use_credits(&calls, &codes).await, [(codes[0], 9_614)]);
}
