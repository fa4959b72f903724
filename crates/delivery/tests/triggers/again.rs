//! Sending again: one, a stretch, or what was missed since a day.

use crate::scene::{DAY, SECOND, Scene, settings};
use app::once::Once;
use app::triggers::{self, Policy, Replay};
use delivery::triggers::Settings;
use domain::{DeliveryState, HistoryCode, ReceiverCode};
use std::sync::Arc;
use std::time::Duration;
use testkit::{Reaction, Receiver, Taken, World, both_engines, until};

fn histories(receiver: &Receiver) -> Vec<i64> {
    receiver.taken().iter().map(Taken::history).collect()
}

async fn replay(scene: &Scene, code: ReceiverCode, what: Replay) -> u64 {
    let done = triggers::replay(&scene.app, scene.by(), (code, what), Once::each_time()).await;
    done.unwrap().now().unwrap()
}

fn stretch(first: i32, last: i32) -> Replay {
    Replay::Stretch(HistoryCode::new(first), HistoryCode::new(last))
}

/// One that gives up at the first failure.
fn impatient() -> Settings {
    let (probe, pause_after) = (30 * SECOND, 5 * DAY);
    Settings { policy: Arc::new(Policy { waits: Vec::new(), probe, pause_after }), ..settings() }
}

async fn all_ended(scene: &Scene, code: ReceiverCode) {
    until("nothing is pending", || async {
        scene.deliveries(code).await.iter().all(|told| told.delivery.state != DeliveryState::Pending)
    })
    .await;
}

#[both_engines]
async fn one_or_a_stretch_goes_again_under_its_id_and_in_the_order_of_its_record(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    for situation in ["SUSPENSO", "ATIVO", "INADIMPLENTE"] {
        scene.office.set(benefit, 1, situation).await;
    }
    until("all four are there", || async { receiver.count() == 4 }).await;
    all_ended(&scene, code).await;
    assert_eq!(replay(&scene, code, stretch(2, 2)).await, 1);
    until("one again", || async { receiver.count() == 5 }).await;
    all_ended(&scene, code).await;
    assert_eq!(replay(&scene, code, stretch(2, 9)).await, 3);
    until("three again", || async { receiver.count() == 8 }).await;
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver), [1, 2, 3, 4, 2, 2, 3, 4]);
    let taken = receiver.taken();
    for again in [4, 5] {
        assert_eq!(taken[again].body, taken[1].body);
        assert_eq!(taken[again].header("webhook-id"), taken[1].header("webhook-id"));
    }
    let second = &scene.deliveries(code).await[1];
    assert_eq!(
        (second.attempts.len(), second.delivery.tries),
        (3, 1),
        "all are kept, these are counted anew"
    );
    assert_eq!(replay(&scene, code, stretch(9, 20)).await, 0);
    let nobody =
        triggers::replay(&scene.app, scene.by(), (ReceiverCode::new(99), stretch(1, 1)), Once::each_time());
    assert!(nobody.await.is_err());
    engine.stop(SECOND).await;
}

#[both_engines]
async fn what_was_missed_since_a_day_goes_again_and_nothing_else(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine_with(impatient()).await;
    scene.office.benefit(1).await;
    all_ended(&scene, code).await;
    scene.pass(DAY);
    let since = scene.now();
    scene.office.benefit(2).await;
    all_ended(&scene, code).await;
    receiver.answers(|_| Reaction::Status(200));
    scene.office.benefit(3).await;
    all_ended(&scene, code).await;
    assert_eq!(replay(&scene, code, Replay::MissedSince(since)).await, 1);
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver), [1, 2, 3, 2]);
    assert_eq!(replay(&scene, code, Replay::MissedSince(since)).await, 0);
    let states: Vec<_> = scene.deliveries(code).await.iter().map(|told| told.delivery.state).collect();
    use DeliveryState::{Delivered, Exhausted};
    assert_eq!(states, [Exhausted, Delivered, Delivered]);
    engine.stop(SECOND).await;
}

/// More than one unit makes pending.
#[both_engines]
async fn a_great_many_go_again_in_steps_and_a_later_change_waits_for_the_earlier(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    until("it is there", || async { receiver.count() == 1 }).await;
    all_ended(&scene, code).await;
    // The newest is under way while the older ones are asked for again.
    receiver.answers(|_| Reaction::Late(Duration::from_millis(50), 204));
    scene.office.set(benefit, 1, "SUSPENSO").await;
    until("it is under way", || async { receiver.count() == 2 }).await;
    replay(&scene, code, stretch(1, 1)).await;
    scene.office.set(benefit, 1, "ATIVO").await;
    until("all are there", || async { receiver.count() == 4 }).await;
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver), [1, 2, 1, 3]);
    assert_eq!(receiver.overlaps(), 0);
    engine.stop(SECOND).await;
}
