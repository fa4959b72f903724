//! Money that no title takes: it becomes the person's credit, pays titles, goes back, and is taken back.

use crate::calls::{Calls, each, items, told_about, with};
use crate::finance::charging_scene::{in_branch, run_of, titles_of};
use crate::finance::scene::{
    CASH, FAR_MEMBER, MEMBER, SECOND_CAR, SECOND_MEMBER, charged_members, managed, parts, scene,
};
use serde_json::{Value, json};
use std::sync::Arc;
use storage::{QueryWeight, sql};
use testkit::{Reply, World, books, both_engines, eight_at_once};

const CREDIT: &str = "/gestao/financeiro/credito";
const REFUND: &str = "/gestao/financeiro/credito/devolver";

fn money(amount: f64, more: Value) -> Value {
    let usual = json!({"codPessoa": MEMBER, "valor": amount, "codTipoLiquidacao": CASH, "codGrupo": 1});
    with(usual, more)
}

async fn receive(calls: &Calls, amount: f64, more: Value) -> Value {
    calls.saved(&calls.operator, CREDIT, &money(amount, more)).await
}

/// The same by a caller who sees all branches.
async fn receive_anywhere(calls: &Calls, amount: f64, more: Value) -> Value {
    calls.saved(&calls.administrator, CREDIT, &money(amount, more)).await
}

/// What a refund by a caller who sees all branches is answered.
async fn refund_anywhere(calls: &Calls, amount: f64, more: Value) -> Reply {
    calls.post(&calls.administrator, REFUND, &money(amount, more)).await
}

async fn reverse(calls: &Calls, token: &str, credit: &Value) -> Reply {
    let path = format!("{CREDIT}/{}/estornar", credit["codCredito"]);
    calls.put(token, &path, &json!({"motivo": "não era desta pessoa"})).await
}

/// What a caller sees of a person's credit.
async fn list(calls: &Calls, token: &str, person: i32) -> Value {
    calls.read(token, CREDIT, &[("codPessoa", &person.to_string())]).await
}

async fn check(calls: &Calls, step: &str) {
    books::check(calls.world.db(), calls.world.here, step).await;
    books::check(calls.world.db(), calls.world.there, step).await;
}

#[both_engines]
async fn a_second_payment_of_a_settled_title_is_credit_that_pays_the_next(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let meant = json!({"codTitulo": made["codTitulo"], "observacao": "pagou duas vezes"});
    let open = calls.post(&calls.operator, CREDIT, &money(101.2, meant.clone())).await;
    assert!(told_about(open.refuses(409), "codTitulo"), "an open title takes it: {open:?}");
    calls.settle(&made, 101.2).await;
    let again = json!({"valorPago": 101.2, "codTipoLiquidacao": CASH});
    calls.post(&calls.operator, &managed(&made, "/receber"), &again).await.refuses(409);
    let credit = receive(&calls, 101.2, meant).await;
    let fields = ["codCredito", "tipo", "codPessoa", "codLoja", "codGrupo", "valor", "data", "codTitulo"];
    let wanted = [
        json!(1),
        json!("RECEBIDO"),
        json!(MEMBER),
        json!(2),
        json!(1),
        json!(101.2),
        json!("14/11/2026"),
        made["codTitulo"].clone(),
    ];
    assert_eq!(parts(&credit, fields), wanted);
    let fields = ["codTipoLiquidacao", "codContaFinanceira", "observacao", "codLiquidacao", "dataEstorno"];
    let wanted = [json!(CASH), json!(1), json!("pagou duas vezes"), Value::Null, Value::Null];
    assert_eq!(parts(&credit, fields), wanted);
    assert_eq!(calls.balance(MEMBER).await["credito"], 101.2);
    assert_eq!(calls.managed(&made).await["situacao"], "LIQUIDADO", "the title stays as it is");
    let next = calls.issue(json!({})).await;
    assert_eq!(calls.managed(&next).await["creditoDisponivel"], 101.2);
    let paid = calls.saved(&calls.operator, &managed(&next, "/usarCredito"), &json!({})).await;
    assert_eq!(paid["situacao"], "LIQUIDADO");
    let listed = list(&calls, &calls.operator, MEMBER).await;
    assert_eq!(parts(&listed, ["disponivel", "quantidade"]), [json!(0), json!(2)]);
    let rows = items(&listed);
    assert_eq!(each(&rows, "tipo"), ["USADO", "RECEBIDO"]);
    assert_eq!(rows[0]["codTitulo"], next["codTitulo"]);
    assert_eq!(rows[1], credit);
    check(&calls, "used").await;
}

#[both_engines]
async fn a_cancelled_title_that_is_paid_anyway_leaves_a_credit(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let cancelled = calls.put_managed(&made, "/cancelar", json!({"motivo": "trocado por outro"})).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    receive(&calls, 101.2, json!({"codTitulo": made["codTitulo"]})).await;
    assert_eq!(calls.balance(MEMBER).await["credito"], 101.2);
    assert_eq!(calls.managed(&made).await["situacao"], "CANCELADO");
    // Of the title's group, though nobody named it.
    let car = json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR});
    let other = calls.issue(car).await;
    calls.settle(&other, 101.2).await;
    let meant = json!({"codPessoa": SECOND_MEMBER, "codTitulo": other["codTitulo"]});
    let wrong = calls.refused(CREDIT, &money(5.0, with(meant.clone(), json!({"codGrupo": 1})))).await;
    assert!(told_about(&wrong, "codGrupo"), "{wrong}");
    assert_eq!(receive(&calls, 5.0, with(meant, json!({"codGrupo": null}))).await["codGrupo"], 2);
    check(&calls, "cancelled").await;
}

#[both_engines]
async fn what_is_wrong_is_told_field_by_field(world: World) {
    let calls = scene(world).await;
    let others = calls.issue(json!({"codPessoa": SECOND_MEMBER, "codBeneficio": SECOND_CAR})).await;
    for (more, field) in [
        (json!({"valor": 0}), "valor"),
        (json!({"valor": -5}), "valor"),
        (json!({"codPessoa": 999}), "codPessoa"),
        (json!({"codPessoa": FAR_MEMBER}), "codPessoa"),
        (json!({"codPessoa": null}), "codPessoa"),
        (json!({"codTipoLiquidacao": 99}), "codTipoLiquidacao"),
        (json!({"codContaFinanceira": 99}), "codContaFinanceira"),
        (json!({"dataPagamento": "2026-11-15"}), "dataPagamento"),
        (json!({"dataPagamento": "1999-12-31"}), "dataPagamento"),
        (json!({"codLoja": 1}), "codLoja"),
        (json!({"codLoja": 77}), "codLoja"),
        (json!({"codGrupo": 9}), "codGrupo"),
    ] {
        for path in [CREDIT, REFUND] {
            let refused = calls.refused(path, &money(5.0, more.clone())).await;
            assert!(told_about(&refused, field), "{path} {more}: {refused}");
        }
    }
    // A title that is not there, of another branch, and of somebody else.
    for title in [json!(999), json!(1), others["codTitulo"].clone()] {
        let refused = calls.refused(CREDIT, &money(5.0, json!({"codTitulo": title}))).await;
        assert!(told_about(&refused, "codTitulo"), "{title}: {refused}");
    }
    // Nothing of this person is charged, so that nothing tells the group.
    let refused = calls.refused(CREDIT, &money(5.0, json!({"codGrupo": null}))).await;
    assert!(told_about(&refused, "codGrupo"), "{refused}");
    assert_eq!(calls.count("credit_receipts").await, 0);
    calls.get(&calls.operator, CREDIT, &[]).await.refuses(400);
    calls.get(&calls.operator, CREDIT, &[("codPessoa", "999")]).await.refuses(400);
    check(&calls, "refused").await;
}

#[both_engines]
async fn a_key_books_once_and_without_one_each_is_a_receipt(world: World) {
    let calls = Arc::new(scene(world).await);
    let send = |key: &'static str| {
        let calls = Arc::clone(&calls);
        async move {
            let bearer = format!("Bearer {}", calls.operator);
            let headers = [
                ("Authorization", bearer.as_str()),
                ("Content-Type", "application/json"),
                ("Idempotency-Key", key),
            ];
            calls.server().call("POST", CREDIT, &headers, &money(30.0, json!({})).to_string()).await
        }
    };
    let first = send("um").await;
    let again = send("um").await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")), "{again:?}");
    assert_eq!(first.body, again.body);
    assert_eq!(calls.count("credit_receipts").await, 1);
    assert_eq!(calls.balance(MEMBER).await["credito"], 30);
    // Of eight refunds of 10, three find a credit.
    let replies = eight_at_once(|_| {
        let calls = Arc::clone(&calls);
        async move { calls.post(&calls.operator, REFUND, &money(10.0, json!({}))).await.status }
    })
    .await;
    assert_eq!(replies.iter().filter(|status| **status == 200).count(), 3, "{replies:?}");
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    check(&calls, "eight at once").await;
}

#[both_engines]
async fn a_credit_goes_back_and_only_what_is_unused_is_taken_back(world: World) {
    let calls = scene(world).await;
    let received = receive(&calls, 50.0, json!({})).await;
    let refused = calls.refused(REFUND, &money(50.01, json!({}))).await;
    assert!(told_about(&refused, "valor") && refused.contains("50,00"), "{refused}");
    let refund = calls.saved(&calls.operator, REFUND, &money(20.0, json!({}))).await;
    assert_eq!(parts(&refund, ["codCredito", "tipo", "valor"]), [json!(2), json!("DEVOLVIDO"), json!(20)]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 30);
    let used = reverse(&calls, &calls.operator, &received).await;
    assert!(told_about(used.refuses(409), "codCredito"), "{used:?}");
    check(&calls, "paid back").await;
    let back = reverse(&calls, &calls.operator, &refund).await.json();
    assert_eq!(parts(&back, ["dataEstorno", "motivoEstorno"]), ["14/11/2026", "não era desta pessoa"]);
    assert_eq!(calls.balance(MEMBER).await["credito"], 50);
    reverse(&calls, &calls.operator, &refund).await.refuses(409);
    assert_eq!(reverse(&calls, &calls.operator, &received).await.status, 200);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    let listed = list(&calls, &calls.operator, MEMBER).await;
    assert_eq!(each(&items(&listed), "dataEstorno"), ["14/11/2026", "14/11/2026"]);
    reverse(&calls, &calls.operator, &json!({"codCredito": 99})).await.refuses(404);
    // What paid a title is used, too.
    let received = receive(&calls, 50.0, json!({})).await;
    let made = calls.issue(json!({})).await;
    let paid = calls.saved(&calls.operator, &managed(&made, "/usarCredito"), &json!({})).await;
    reverse(&calls, &calls.operator, &received).await.refuses(409);
    assert_eq!(calls.reverse(&paid).await.status, 200);
    assert_eq!(reverse(&calls, &calls.operator, &received).await.status, 200);
    check(&calls, "taken back").await;
}

#[both_engines]
async fn a_limited_caller_has_the_credit_of_their_branches_alone(world: World) {
    let calls = scene(world).await;
    let far = receive_anywhere(&calls, 40.0, json!({"codPessoa": FAR_MEMBER})).await;
    assert_eq!(far["codLoja"], 1, "the person's own");
    let person = FAR_MEMBER.to_string();
    calls.get(&calls.operator, CREDIT, &[("codPessoa", &person)]).await.refuses(400);
    reverse(&calls, &calls.operator, &far).await.refuses(404);
    reverse(&calls, &calls.stranger, &far).await.refuses(404);
    // The credit of a person of the operator's branch, of money that another branch received.
    let elsewhere = receive_anywhere(&calls, 40.0, json!({"codLoja": 1})).await;
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    let listed = list(&calls, &calls.operator, MEMBER).await;
    assert_eq!(parts(&listed, ["disponivel", "quantidade", "itens"]), [json!(0), json!(0), json!([])]);
    assert_eq!(list(&calls, &calls.administrator, MEMBER).await["disponivel"], 40);
    reverse(&calls, &calls.operator, &elsewhere).await.refuses(404);
    assert!(told_about(&calls.refused(REFUND, &money(5.0, json!({}))).await, "valor"));
    let made = calls.issue(json!({})).await;
    assert_eq!(calls.managed(&made).await["creditoDisponivel"], 0);
    let own = receive(&calls, 10.0, json!({})).await;
    assert_eq!(calls.managed(&made).await["creditoDisponivel"], 10);
    assert!(told_about(&calls.refused(REFUND, &money(10.01, json!({}))).await, "valor"));
    calls.saved(&calls.operator, REFUND, &money(10.0, json!({}))).await;
    // 40 are left, but none of them are of this branch.
    reverse(&calls, &calls.operator, &own).await.refuses(409);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    check(&calls, "two branches").await;
}

#[both_engines]
async fn a_refund_is_of_the_branch_that_has_the_credit(world: World) {
    let calls = scene(world).await;
    receive_anywhere(&calls, 40.0, json!({"codLoja": 1})).await;
    // The person is of branch 2.
    let refund = refund_anywhere(&calls, 10.0, json!({})).await.json();
    assert_eq!(parts(&refund, ["codLoja", "valor"]), [json!(1), json!(10)]);
    let none = refund_anywhere(&calls, 5.0, json!({"codLoja": 2})).await;
    assert!(told_about(none.refuses(400), "valor"), "{none:?}");
    let second = receive_anywhere(&calls, 20.0, json!({"codLoja": 2})).await;
    let unnamed = refund_anywhere(&calls, 5.0, json!({})).await;
    assert!(told_about(unnamed.refuses(400), "codLoja"), "{unnamed:?}");
    let above = refund_anywhere(&calls, 20.01, json!({"codLoja": 2})).await;
    assert!(told_about(above.refuses(400), "valor") && above.body.contains("20,00"), "{above:?}");
    let all = refund_anywhere(&calls, 20.0, json!({"codLoja": 2})).await;
    assert_eq!(all.status, 200, "{all:?}");
    // The credit that is left is of the other branch.
    reverse(&calls, &calls.administrator, &second).await.refuses(409);
    assert_eq!(refund_anywhere(&calls, 30.0, json!({})).await.json()["codLoja"], 1);
    let nothing = refund_anywhere(&calls, 0.01, json!({})).await;
    assert!(told_about(nothing.refuses(400), "valor"), "{nothing:?}");
    check(&calls, "refunds of two branches").await;
}

#[both_engines]
async fn a_payment_whose_credit_was_used_is_kept_whatever_another_branch_has(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    let overpaid = calls.settle(&made, 151.2).await;
    let next = calls.issue(json!({})).await;
    let used = calls.saved(&calls.operator, &managed(&next, "/usarCredito"), &json!({})).await;
    receive_anywhere(&calls, 60.0, json!({"codLoja": 1})).await;
    let settlement = &overpaid["liquidacoes"][0]["codLiquidacao"];
    let path = format!("/gestao/financeiro/liquidacao/{settlement}/estornar");
    let reason = json!({"motivo": "cheque devolvido"});
    for token in [&calls.operator, &calls.administrator] {
        let refused = calls.put(token, &path, &reason).await;
        assert!(told_about(refused.refuses(409), "codLiquidacao"), "{refused:?}");
    }
    assert_eq!(calls.reverse(&used).await.status, 200);
    assert_eq!(calls.put(&calls.operator, &path, &reason).await.status, 200);
    assert_eq!(list(&calls, &calls.administrator, MEMBER).await["disponivel"], 60);
    check(&calls, "a payment with a credit").await;
}

/// A run of all branches pays a title with the credit of another one.
#[both_engines]
async fn what_comes_after_a_use_across_branches_is_unused(world: World) {
    let calls = charged_members(world).await;
    let far = receive_anywhere(&calls, 50.0, json!({"codLoja": 1})).await;
    calls.issue_run(in_branch(run_of("2026-12"), 2)).await;
    assert_eq!(list(&calls, &calls.administrator, MEMBER).await["disponivel"], 0, "the title took it");
    let own = receive(&calls, 60.0, json!({})).await;
    assert_eq!(calls.balance(MEMBER).await["credito"], 60);
    // The 60 that are there are not what the other branch received.
    let used = reverse(&calls, &calls.administrator, &far).await;
    assert!(told_about(used.refuses(409), "codCredito"), "{used:?}");
    let none = refund_anywhere(&calls, 5.0, json!({"codLoja": 1})).await;
    assert!(told_about(none.refuses(400), "valor"), "{none:?}");
    let refund = refund_anywhere(&calls, 5.0, json!({})).await.json();
    assert_eq!(refund["codLoja"], 2);
    assert_eq!(reverse(&calls, &calls.operator, &refund).await.status, 200);
    assert_eq!(reverse(&calls, &calls.operator, &own).await.status, 200);
    let made = calls.issue(json!({})).await;
    let overpaid = calls.settle(&made, 121.2).await;
    assert_eq!(calls.reverse(&overpaid).await.status, 200, "a payment that left a credit, too");
    check(&calls, "used across branches").await;
    // What is taken back of the title is credit of the branch that it came of.
    let charged = titles_of(&calls, MEMBER).await.remove(0);
    assert_eq!(calls.reverse(&calls.managed(&charged).await).await.status, 200);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    assert_eq!(reverse(&calls, &calls.administrator, &far).await.status, 200);
    check(&calls, "nothing is left").await;
}

#[both_engines]
async fn a_refund_is_not_dated_before_the_credit_was_there(world: World) {
    let calls = scene(world).await;
    let on = |day: &str| json!({"dataPagamento": day});
    receive(&calls, 50.0, on("2026-11-10")).await;
    let taken_back = receive(&calls, 70.0, on("2026-11-08")).await;
    receive(&calls, 30.0, on("2026-11-12")).await;
    assert_eq!(reverse(&calls, &calls.operator, &taken_back).await.status, 200);
    for (amount, day, first) in [(10.0, "2026-11-09", "10/11/2026"), (60.0, "2026-11-11", "12/11/2026")] {
        let refused = calls.refused(REFUND, &money(amount, on(day))).await;
        assert!(told_about(&refused, "dataPagamento") && refused.contains(first), "{refused}");
    }
    calls.saved(&calls.operator, REFUND, &money(50.0, on("2026-11-11"))).await;
    let gone = calls.refused(REFUND, &money(10.0, on("2026-11-11"))).await;
    assert!(told_about(&gone, "dataPagamento") && gone.contains("12/11/2026"), "{gone}");
    calls.saved(&calls.operator, REFUND, &money(30.0, on("2026-11-12"))).await;
    check(&calls, "refunds of earlier days").await;
}

#[both_engines]
async fn the_same_payment_is_received_again_only_if_that_is_confirmed(world: World) {
    let calls = scene(world).await;
    let made = calls.issue(json!({})).await;
    calls.settle(&made, 101.2).await;
    let meant = json!({"codTitulo": made["codTitulo"], "codGrupo": null});
    let first = receive(&calls, 101.2, meant.clone()).await;
    let again = calls.post(&calls.operator, CREDIT, &money(101.2, meant.clone())).await;
    let told = again.refuses(409);
    assert!(told_about(told, "confirmarRepetido") && told.contains("o crédito 1 "), "{told}");
    // Each of these is another payment.
    for more in [
        json!({"valor": 101.19}),
        json!({"dataPagamento": "2026-11-13"}),
        json!({"codTitulo": null, "codGrupo": 1}),
        json!({"confirmarRepetido": true}),
    ] {
        receive(&calls, 101.2, with(meant.clone(), more)).await;
    }
    assert_eq!(calls.count("credit_receipts").await, 5);
    // What was taken back, or is of another branch, is no earlier payment.
    let advance = receive(&calls, 7.0, json!({})).await;
    calls.post(&calls.operator, CREDIT, &money(7.0, json!({}))).await.refuses(409);
    assert_eq!(reverse(&calls, &calls.operator, &advance).await.status, 200);
    receive(&calls, 7.0, json!({})).await;
    receive_anywhere(&calls, 8.0, json!({"codLoja": 1})).await;
    receive(&calls, 8.0, json!({})).await;
    assert_eq!(first["codCredito"], 1);
    check(&calls, "the same payment").await;
}

#[both_engines]
async fn the_group_is_that_of_what_is_charged_or_has_the_credit(world: World) {
    let calls = charged_members(world).await;
    let unnamed = |person: i32| json!({"codPessoa": person, "codGrupo": null});
    assert_eq!(receive(&calls, 30.0, unnamed(MEMBER)).await["codGrupo"], 1);
    assert_eq!(receive(&calls, 30.0, unnamed(SECOND_MEMBER)).await["codGrupo"], 2);
    let refund = calls.saved(&calls.operator, REFUND, &money(10.0, unnamed(SECOND_MEMBER))).await;
    assert_eq!(refund["codGrupo"], 2);
    receive(&calls, 20.0, json!({"codGrupo": 2})).await;
    let refused = calls.refused(REFUND, &money(5.0, unnamed(MEMBER))).await;
    assert!(told_about(&refused, "codGrupo"), "{refused}");
    calls.saved(&calls.operator, REFUND, &money(20.0, json!({"codGrupo": 2}))).await;
    let refund = calls.saved(&calls.operator, REFUND, &money(5.0, unnamed(MEMBER))).await;
    assert_eq!(refund["codGrupo"], 1);
    check(&calls, "two groups").await;
}

/// Booked day, day of the fact and kind of the entries of credit.
async fn booked(calls: &Calls) -> Vec<(String, String, i64)> {
    let query = sql("SELECT booked_on, happened_on, kind FROM ledger_entries
         WHERE tenant = $1 AND kind IN (6, 7, 8) ORDER BY code")
    .arg(calls.world.here);
    let rows = calls.world.db().query(QueryWeight::Search, query).await.unwrap();
    rows.iter()
        .map(|row| (row.get("booked_on").unwrap(), row.get("happened_on").unwrap(), row.get("kind").unwrap()))
        .collect()
}

#[both_engines]
async fn a_closed_month_moves_the_booking_and_keeps_the_day(world: World) {
    let calls = scene(world).await;
    calls.close("10/2026").await;
    let received = receive(&calls, 50.0, json!({"dataPagamento": "2026-10-20"})).await;
    assert_eq!(received["data"], "20/10/2026");
    let back = json!({"dataPagamento": "2026-10-21"});
    let refund = calls.saved(&calls.operator, REFUND, &money(5.0, back)).await;
    assert_eq!(reverse(&calls, &calls.operator, &refund).await.status, 200);
    let wanted =
        [("2026-11-01", "2026-10-20", 6), ("2026-11-01", "2026-10-21", 7), ("2026-11-14", "2026-11-14", 8)];
    let wanted = wanted.map(|(booked, happened, kind)| (booked.to_owned(), happened.to_owned(), kind));
    assert_eq!(booked(&calls).await, wanted);
    check(&calls, "closed month").await;
}

#[both_engines]
async fn what_is_done_with_a_credit_is_audited(world: World) {
    let calls = scene(world).await;
    let received = receive(&calls, 50.0, json!({})).await;
    calls.saved(&calls.operator, REFUND, &money(20.0, json!({}))).await;
    let refund = json!({"codCredito": 2});
    assert_eq!(reverse(&calls, &calls.operator, &refund).await.status, 200);
    assert_eq!(reverse(&calls, &calls.operator, &received).await.status, 200);
    let told = calls.audited(&MEMBER.to_string()).await;
    let details: Vec<&str> = told.iter().filter_map(|one| one["detalhe"].as_str()).collect();
    for text in
        ["crédito 1 recebido: R$ 50,00", "crédito 2 devolvido: R$ 20,00", "crédito 1 estornado: não era"]
    {
        assert_eq!(details.iter().filter(|one| one.starts_with(text)).count(), 1, "{text}: {details:?}");
    }
}
