//! Sending again: one, a stretch, or what was missed since a day.

use crate::triggers::scene::{DAY, MINUTE, SECOND, Scene, settings};
use app::idempotency::IdempotentWrite;
use app::triggers::{self, LeaseHolder, PendingChangeQuery, ReplaySelection};
use delivery::triggers::dispatch_settings::DispatchSettings;
use domain::RetryPolicy;
use domain::{DeliveryState, HistoryCode, ReceiverCode};
use std::sync::Arc;
use storage::{QueryWeight, WriteLane, sql};
use testkit::{Reaction, Receiver, Taken, World, both_engines, until};
use tokio::sync::watch;

fn histories(receiver: &Receiver) -> Vec<i64> {
    receiver.taken().iter().map(Taken::history).collect()
}

async fn replay(scene: &Scene, code: ReceiverCode, what: ReplaySelection) -> u64 {
    let done =
        triggers::replay_deliveries(&scene.app, scene.by(), (code, what), IdempotentWrite::without_key())
            .await;
    done.unwrap().into_fresh().unwrap()
}

fn stretch(first: i32, last: i32) -> ReplaySelection {
    ReplaySelection::HistoryRange(HistoryCode::new(first), HistoryCode::new(last))
}

/// One that gives up at the first failure.
fn impatient() -> DispatchSettings {
    let (probe, pause_after) = (30 * SECOND, 5 * DAY);
    DispatchSettings { policy: Arc::new(RetryPolicy { waits: Vec::new(), probe, pause_after }), ..settings() }
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
    let nobody = triggers::replay_deliveries(
        &scene.app,
        scene.by(),
        (ReceiverCode::new(99), stretch(1, 1)),
        IdempotentWrite::without_key(),
    );
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
    assert_eq!(replay(&scene, code, ReplaySelection::MissedSince(since)).await, 1);
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver), [1, 2, 3, 2]);
    assert_eq!(replay(&scene, code, ReplaySelection::MissedSince(since)).await, 0);
    let states: Vec<_> = scene.deliveries(code).await.iter().map(|told| told.delivery.state).collect();
    use DeliveryState::{Delivered, Exhausted};
    assert_eq!(states, [Exhausted, Delivered, Delivered]);
    engine.stop(SECOND).await;
}

/// The newest is under way while an older one is asked for again, and fails; or its process dies.
#[both_engines]
async fn what_is_under_way_when_an_older_one_goes_again_goes_behind_it_whatever_comes_of_it(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    until("it is there", || async { receiver.count() == 1 }).await;
    all_ended(&scene, code).await;
    let (say, said) = watch::channel(false);
    receiver.answers(move |_| Reaction::When(said.clone(), 500));
    scene.office.set(benefit, 1, "SUSPENSO").await;
    until("it is under way", || async { receiver.count() == 2 }).await;
    receiver.answers(|_| Reaction::Status(204));
    replay(&scene, code, stretch(1, 1)).await;
    say.send_replace(true);
    until("the older one goes at once", || async { receiver.count() == 4 }).await;
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver), [1, 2, 1, 2]);
    engine.stop(MINUTE).await;
    // In the hands of a process that is gone, and older ones go again: whoever takes over begins with the oldest.
    scene.office.set(benefit, 1, "ATIVO").await;
    let holder = LeaseHolder { process: "gone".into(), place: "elsewhere".into(), lease: MINUTE };
    let held = triggers::lease_receivers(&scene.app, &holder, scene.world.here, [code].into()).await.unwrap();
    let room = PendingChangeQuery {
        receiver: code,
        lease: held[&code],
        after: HistoryCode::new(0),
        limit: 8,
        waited: 8,
    };
    let taken = triggers::fetch_ready_jobs(&scene.app, scene.world.here, vec![room]).await.unwrap();
    assert_eq!(taken.len(), 1);
    replay(&scene, code, stretch(1, 2)).await;
    let other = LeaseHolder { process: "other".into(), place: "here".into(), lease: MINUTE };
    let refused =
        triggers::lease_receivers(&scene.app, &other, scene.world.here, [code].into()).await.unwrap();
    assert!(refused.is_empty(), "it is still in somebody's hands");
    let engine = scene.engine().await;
    until("all three", || async { receiver.count() == 7 }).await;
    all_ended(&scene, code).await;
    assert_eq!(histories(&receiver)[4..], [1, 2, 3]);
    engine.stop(SECOND).await;
}

/// More than one unit makes pending: each is short, and waits behind people.
#[both_engines]
async fn a_great_many_go_again_in_short_units(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let count = 2 * triggers::REPLAYS_PER_BATCH as usize + 1;
    let unit = scene.world.db().write(WriteLane::foreground(scene.world.here), scene.world.here, move |tx, tenant| {
        Box::pin(async move {
            for code in 1..=count as i64 {
                let told = sql("INSERT INTO history (tenant, code, entity, record, branch, happened_at, to_situation, origin,
                         body) VALUES ($1, $2, 1, $2, 1, 0, 1, 'test', '{}')");
                tx.execute(told.arg(*tenant).arg(code)).await?;
                let row = sql("INSERT INTO deliveries (tenant, receiver, history_code, state, tries, ended_at)
                     VALUES ($1, 1, $2, 3, 1, 0)");
                tx.execute(row.arg(*tenant).arg(code)).await?;
            }
            Ok(())
        })
    });
    let written: Result<(), storage::Error> = unit.await;
    written.unwrap();
    assert_eq!(replay(&scene, code, stretch(1, 9999)).await, count as u64);
    let steps = sql(
        "SELECT arguments FROM audit WHERE tenant = $1 AND operation = 'POST /gestao/entrega/reenviar' ORDER BY code",
    );
    let steps = scene.world.db().query(QueryWeight::Search, steps.arg(scene.world.here)).await.unwrap();
    let told: Vec<String> = steps.iter().map(|row| row.get("arguments").unwrap()).collect();
    let each = |count: u64| format!("[\"{count}\"]");
    let full = each(triggers::REPLAYS_PER_BATCH as u64);
    assert_eq!(told, [full.clone(), full, each(1)]);
}

#[both_engines]
async fn a_later_change_waits_for_an_earlier_one_that_goes_again(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    until("it is there", || async { receiver.count() == 1 }).await;
    all_ended(&scene, code).await;
    // The newest is under way while the older ones are asked for again.
    let (say, said) = watch::channel(false);
    receiver.answers(move |_| Reaction::When(said.clone(), 204));
    scene.office.set(benefit, 1, "SUSPENSO").await;
    until("it is under way", || async { receiver.count() == 2 }).await;
    receiver.answers(|_| Reaction::Status(204));
    replay(&scene, code, stretch(1, 1)).await;
    scene.office.set(benefit, 1, "ATIVO").await;
    say.send_replace(true);
    until("all are there", || async { receiver.count() == 5 }).await;
    all_ended(&scene, code).await;
    // Whoever was overtaken goes again behind the older one, so that no receiver ends with an old situation.
    assert_eq!(histories(&receiver), [1, 2, 1, 2, 3]);
    assert_eq!(receiver.overlaps(), 0);
    engine.stop(SECOND).await;
}
