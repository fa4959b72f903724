//! A clock that ran a day ahead and was put right silences nobody.

use crate::triggers::scene::{DAY, MINUTE, SECOND, Scene};
use app::triggers::{self, LeaseHolder};
use storage::server::processes;
use storage::triggers::queues;
use testkit::{Reaction, Receiver, World, both_engines, until};

#[both_engines]
async fn what_failed_while_the_clock_ran_ahead_goes_on_by_its_schedule_when_it_is_right(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    scene.pass(DAY);
    // So many that it is only probed.
    for number in 1..=25 {
        scene.office.benefit(number).await;
    }
    until("it is left alone", || async { scene.receiver(code).await.health.not_before.is_some() }).await;
    scene.world.clock.turn_back(DAY);
    let now = scene.now();
    until("its waits are those of the right time", || async {
        let health = scene.receiver(code).await.health;
        health.not_before.is_none_or(|at| at <= now.plus(MINUTE)) && health.tried_at <= Some(now)
    })
    .await;
    until("what waits is as old as it is", || async {
        queues::load_outbox_backlog(&scene.app.db).await.unwrap().oldest.is_some_and(|at| at <= now)
    })
    .await;
    receiver.answers(|_| Reaction::Status(204));
    scene.pass(MINUTE);
    scene.office.benefit(26).await;
    until("everything arrives", || async {
        let all = scene.deliveries(code).await;
        all.len() == 26 && all.iter().all(|one| one.delivery.state == domain::DeliveryState::Delivered)
    })
    .await;
    engine.stop(SECOND).await;
}

/// In the hands of a process that died while the clock ran ahead.
#[both_engines]
async fn a_lease_and_a_process_of_tomorrow_end_today(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    scene.office.benefit(1).await;
    scene.pass(DAY);
    app::upkeep::presence::record_heartbeat(&scene.app, "gone", "0").await.unwrap();
    let holder = LeaseHolder { process: "gone".into(), place: "elsewhere".into(), lease: MINUTE };
    triggers::lease_receivers(&scene.app, &holder, scene.world.here, [code].into()).await.unwrap();
    scene.world.clock.turn_back(DAY);
    let engine = scene.engine().await;
    until("it is not believed to live tomorrow", || async {
        let alive = processes::list_live_processes(&scene.app.db, scene.now()).await.unwrap();
        alive.iter().all(|one| one.seen_at <= scene.now())
    })
    .await;
    scene.pass(MINUTE + SECOND);
    until("somebody else delivers", || async { receiver.count() == 1 }).await;
    engine.stop(SECOND).await;
}
