//! What undoing a run keeps, cancels and gives back.

use crate::calls::Calls;
use crate::finance::charging_scene::{reason_of, run_of, titles_of};
use crate::finance::scene::{CAR, MEMBER, TITLES, charged_members, late_title};
use domain::finance::NotChargedReason;
use finance::charging;
use serde_json::{Value, json};
use testkit::{World, both_engines};

#[both_engines]
async fn undoing_keeps_what_was_paid_and_frees_the_rest(world: World) {
    let calls = charged_members(world).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let paid = titles_of(&calls, MEMBER).await[0].clone();
    calls.settle(&paid, 50.0).await;
    let undone = calls.undo(issued.run.code).await;
    let counts = undone.run.counts;
    assert_eq!((counts.kept, counts.cancelled), (1, counts.titles - 1));
    let kept = charging::list_kept_titles(calls.world.app(), &*calls.boss().await, issued.run.code, 0).await;
    assert_eq!(json!(kept.unwrap().titles[0].get()), paid["codTitulo"]);
    let again = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(again.run.counts.titles, counts.cancelled);
    assert_eq!(reason_of(&calls, again.run.code, CAR).await, Some(NotChargedReason::AlreadyCharged));
}

/// A credit of the member, from a title of November that was paid with too much.
async fn bring_credit(calls: &Calls, credit: f64) -> Value {
    let source = calls.issue(json!({"vencimento": "2026-11-20"})).await;
    calls.settle(&source, 101.2 + credit).await
}

#[both_engines]
async fn undoing_gives_back_the_credit_that_the_run_used(world: World) {
    for (credit, situation) in [(200.0, "LIQUIDADO"), (50.0, "ABERTO")] {
        let calls = charged_members(World::hostile(world.database.engine).await).await;
        bring_credit(&calls, credit).await;
        let issued = calls.issue_run(run_of("2026-12")).await;
        let title = titles_of(&calls, MEMBER).await.pop().unwrap();
        assert_eq!(calls.managed(&title).await["situacao"], situation);
        let undone = calls.undo(issued.run.code).await;
        let counts = undone.run.counts;
        assert_eq!((counts.kept, counts.cancelled), (0, counts.titles), "no money came");
        assert_eq!(calls.managed(&title).await["situacao"], "CANCELADO");
        assert_eq!(calls.balance(MEMBER).await["credito"], credit);
        let again = calls.issue_run(run_of("2026-12")).await;
        assert_eq!(again.run.counts.titles, counts.titles);
        assert_eq!(
            calls.managed(&titles_of(&calls, MEMBER).await.pop().unwrap()).await["situacao"],
            situation
        );
    }
}

/// Part of it came as money: it stays as it is.
#[both_engines]
async fn a_title_that_credit_and_money_paid_is_kept(world: World) {
    let calls = charged_members(world).await;
    bring_credit(&calls, 50.0).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let title = titles_of(&calls, MEMBER).await.pop().unwrap();
    calls.settle(&title, 10.0).await;
    let undone = calls.undo(issued.run.code).await;
    assert_eq!(undone.run.counts.kept, 1);
    assert_eq!(calls.balance(MEMBER).await["credito"], 0);
    assert_eq!(calls.managed(&title).await["valorAberto"], json!(90.55));
}

/// The fine of a late title went into the run's title; meanwhile the payment was taken back and made again.
#[both_engines]
async fn late_charges_are_owed_once_after_a_second_payment_and_an_undo(world: World) {
    let calls = charged_members(world).await;
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    let paid = calls.settle(&late, 101.2).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    let with_fine = titles_of(&calls, MEMBER).await.pop().unwrap()["valor"].clone();
    assert_eq!(calls.reverse(&paid).await.status, 200);
    calls.settle(&late, 101.2).await;
    calls.undo(issued.run.code).await;
    let again = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(titles_of(&calls, MEMBER).await.pop().unwrap()["valor"], with_fine, "it waited again");
    // With the late title open again, its fine is due with that one alone.
    let paid = calls.managed(&late).await;
    assert_eq!(calls.reverse(&paid).await.status, 200);
    calls.undo(again.run.code).await;
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(titles_of(&calls, MEMBER).await.pop().unwrap()["valor"], json!(150.55));
}

/// Its late charges waited for the next run, and fall away with it.
#[both_engines]
async fn late_charges_do_not_outlive_their_title(world: World) {
    let calls = charged_members(world).await;
    let late = calls.saved(&calls.operator, TITLES, &late_title()).await;
    let paid = calls.settle(&late, 101.2).await;
    let issued = calls.issue_run(run_of("2026-12")).await;
    assert_eq!(calls.reverse(&paid).await.status, 200);
    let paid = calls.settle(&late, 101.2).await;
    calls.undo(issued.run.code).await;
    assert_eq!(calls.reverse(&paid).await.status, 200);
    let reply = calls.put_managed(&late, "/cancelar", json!({"motivo": "cobrado por engano"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    calls.issue_run(run_of("2026-12")).await;
    assert_eq!(titles_of(&calls, MEMBER).await.pop().unwrap()["valor"], json!(150.55));
}
