//! What is told by one who no longer holds a receiver, or who does not know what happened to its messages meanwhile.

use crate::triggers::scene::{MINUTE, SECOND, Scene, WAITS};
use app::idempotency::IdempotentWrite;
use app::triggers::{
    self, DeliveryJob, DeliveryOutcome, DeliveryVerdict, LeaseHolder, PendingChangeQuery, PendingPosition,
    ReplaySelection,
};
use domain::RetryPolicy;
use domain::{DeliveryState, HistoryCode, ReceiverCode};
use std::sync::Arc;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Receiver, World, both_engines};

fn holder(process: &str) -> LeaseHolder {
    LeaseHolder { process: process.to_owned(), place: process.to_owned(), lease: MINUTE }
}

/// Leases the receiver and takes everything that is pending in hand.
async fn take(scene: &Scene, holder: &LeaseHolder, receiver: ReceiverCode) -> Vec<DeliveryJob> {
    let tenant = scene.world.here;
    let leased = triggers::lease_receivers(&scene.app, holder, tenant, [receiver].into()).await.unwrap();
    let Some(lease) = leased.get(&receiver).copied() else { return Vec::new() };
    let room = PendingChangeQuery { receiver, lease, after: HistoryCode::new(0), limit: 8, waited: 8 };
    let found = triggers::fetch_ready_jobs(&scene.app, tenant, vec![room]).await.unwrap();
    let ready = found.into_iter().filter(|(_, place)| *place != PendingPosition::BehindRetry);
    ready.map(|(job, _)| job).collect()
}

async fn conclude(
    scene: &Scene,
    holder: &LeaseHolder,
    waits: &[Duration],
    job: &DeliveryJob,
    verdict: DeliveryVerdict,
) {
    let policy = RetryPolicy { waits: waits.to_vec(), probe: 30 * SECOND, pause_after: 1000 * MINUTE };
    let outcome = DeliveryOutcome {
        job: job.clone(),
        verdict,
        tried_at: scene.now(),
        took: Duration::from_millis(3),
        status: Some(if verdict == DeliveryVerdict::Delivered { 204 } else { 500 }),
        answer: None,
        failure: None,
        retry_after: None,
    };
    let by = (holder, &Arc::new(policy));
    triggers::record_outcomes(&scene.app, by, scene.world.here, vec![outcome]).await.unwrap();
}

async fn count(scene: &Scene, text: &'static str) -> i64 {
    scene.world.db().query(QueryWeight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
}

async fn states(scene: &Scene, code: ReceiverCode) -> Vec<(DeliveryState, i32, usize)> {
    let all = scene.deliveries(code).await;
    all.iter().map(|told| (told.delivery.state, told.delivery.tries, told.attempts.len())).collect()
}

/// The first stalls past its lease with an answer in hand; the second takes over, and each tells what he knows.
#[both_engines]
async fn two_who_had_one_message_in_hand_end_it_once(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let (first, second) = (holder("first"), holder("second"));
    use DeliveryState::{Delivered, Exhausted, Pending};
    // What each tells, in which order, and what is to come of it.
    let cases = [
        ([("first", DeliveryVerdict::Delivered), ("second", DeliveryVerdict::Delivered)], (Delivered, 1, 2)),
        ([("second", DeliveryVerdict::Delivered), ("first", DeliveryVerdict::Delivered)], (Delivered, 1, 2)),
        ([("first", DeliveryVerdict::Failed), ("second", DeliveryVerdict::Delivered)], (Delivered, 1, 2)),
        ([("second", DeliveryVerdict::Delivered), ("first", DeliveryVerdict::Failed)], (Delivered, 1, 2)),
        ([("first", DeliveryVerdict::Failed), ("second", DeliveryVerdict::Failed)], (Exhausted, 1, 2)),
        ([("second", DeliveryVerdict::Failed), ("first", DeliveryVerdict::Delivered)], (Delivered, 1, 2)),
    ];
    let mut expected = Vec::new();
    for (number, (told, wanted)) in cases.into_iter().enumerate() {
        scene.office.benefit(number + 1).await;
        let early = take(&scene, &first, code).await.pop().unwrap();
        assert!(take(&scene, &second, code).await.is_empty(), "it is somebody else's");
        scene.pass(2 * MINUTE);
        let late = take(&scene, &second, code).await.pop().unwrap();
        assert_eq!((early.history, early.lease == late.lease), (late.history, false));
        for (who, verdict) in told {
            let (by, job) = if who == "first" { (&first, &early) } else { (&second, &late) };
            conclude(&scene, by, &[], job, verdict).await;
        }
        expected.push(wanted);
        assert_eq!(states(&scene, code).await, expected, "{told:?}");
        assert_eq!(count(&scene, "SELECT COUNT(*) AS n FROM queues").await, 0, "{told:?}");
        scene.pass(2 * MINUTE);
    }
    // Who comes back and finds it still pending leaves it to whoever holds it.
    scene.office.benefit(9).await;
    let early = take(&scene, &first, code).await.pop().unwrap();
    scene.pass(2 * MINUTE);
    let late = take(&scene, &second, code).await.pop().unwrap();
    conclude(&scene, &first, &WAITS, &early, DeliveryVerdict::Failed).await;
    assert_eq!(states(&scene, code).await.pop(), Some((Pending, 0, 1)), "he judges nothing");
    conclude(&scene, &second, &WAITS, &late, DeliveryVerdict::Failed).await;
    assert_eq!(states(&scene, code).await.pop(), Some((Pending, 1, 2)));
    assert_eq!(count(&scene, "SELECT COUNT(*) AS n FROM queues").await, 1);
}

/// The holder himself, whose last attempt fails when another has long ended the message and let go.
#[both_engines]
async fn the_last_failure_of_what_was_ended_meanwhile_changes_nothing(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let (first, second) = (holder("first"), holder("second"));
    scene.office.benefit(1).await;
    let early = take(&scene, &first, code).await.pop().unwrap();
    scene.pass(2 * MINUTE);
    let late = take(&scene, &second, code).await.pop().unwrap();
    conclude(&scene, &second, &[], &late, DeliveryVerdict::Delivered).await;
    triggers::release_receivers(&scene.app, &second, scene.world.here, [code].into()).await.unwrap();
    assert!(take(&scene, &first, code).await.is_empty(), "nothing is pending");
    conclude(&scene, &first, &[], &early, DeliveryVerdict::Failed).await;
    assert_eq!(states(&scene, code).await, [(DeliveryState::Delivered, 1, 2)]);
    // What goes again while it fails for the last time is still to go, and so is what was behind it.
    let benefit = scene.office.benefit(2).await;
    let last = take(&scene, &first, code).await.pop().unwrap();
    conclude(&scene, &first, &[], &last, DeliveryVerdict::Delivered).await;
    scene.office.set(benefit, 2, "SUSPENSO").await;
    let newer = take(&scene, &first, code).await.pop().unwrap();
    let again = ReplaySelection::HistoryRange(last.history, last.history);
    triggers::replay_deliveries(&scene.app, scene.by(), (code, again), IdempotentWrite::without_key())
        .await
        .unwrap();
    conclude(&scene, &first, &[], &newer, DeliveryVerdict::Failed).await;
    let left = take(&scene, &first, code).await;
    assert_eq!(left.iter().map(|job| job.history).collect::<Vec<_>>(), [last.history]);
}
