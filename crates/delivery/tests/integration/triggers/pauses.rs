//! Receivers that fail: probed, paused, and let go on again.

use crate::triggers::scene::{DAY, HOUR, SECOND, Scene, settings};
use app::triggers::receivers::PauseReason;
use delivery::triggers::dispatch_settings::DispatchSettings;
use domain::RetryPolicy;
use domain::{DeliveryState, ReceiverAddress};
use std::sync::Arc;
use std::time::Duration;
use storage::triggers::queues::{self, OutboxBacklog};
use testkit::{Reaction, Receiver, World, both_engines, until};
use tokio::sync::watch;

#[both_engines]
async fn a_receiver_that_is_gone_for_good_is_paused_and_the_administrators_are_told(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(410).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    until("it is paused", || async { scene.receiver(code).await.paused.is_some() }).await;
    assert_eq!(scene.receiver(code).await.paused, Some((scene.now(), PauseReason::Gone)));
    let mails = scene.mails().await;
    let [(recipient, text)] = &mails[..] else { panic!("one administrator: {mails:?}") };
    assert_eq!(*recipient, scene.world.administrator.email);
    assert!(text.contains(&receiver.url) && text.contains("410"), "{text}");
    // What changes meanwhile waits, and is sent when it goes on: at once, whatever it waited for.
    scene.office.set(benefit, 1, "SUSPENSO").await;
    scene.pass(HOUR);
    assert!(!scene.is_due().await);
    receiver.answers(|_| Reaction::Status(200));
    scene.pause(code, false).await;
    until("what waited is sent", || async { receiver.count() == 3 }).await;
    let taken: Vec<i64> = receiver.taken().iter().map(testkit::Taken::history).collect();
    assert_eq!(taken, [1, 1, 2]);
    assert_eq!(scene.receiver(code).await.health.failures, 0);
    engine.stop(SECOND).await;
}

/// What is in hand and waits for a place belongs to nobody yet: it is looked at again before it goes.
#[both_engines]
async fn what_waits_for_a_place_does_not_go_to_one_that_is_paused_retired_or_moved_meanwhile(world: World) {
    let scene = Scene::of(world).await;
    let (old, new) = (Receiver::answering(204).await, Receiver::answering(204).await);
    let (code, _) = scene.add_with(&old.url, Vec::new(), 2).await;
    // It learns that it answers fast, so that more is in hand than it has places.
    let engine = scene.engine().await;
    scene.office.benefits(12).await;
    until("it is fast", || async { old.count() == 12 && engine.in_flight_count() == 0 }).await;
    for (turn, what) in ["paused", "retired", "moved"].into_iter().enumerate() {
        let before = old.count();
        let (say, said) = watch::channel(false);
        old.answers(move |_| Reaction::When(said.clone(), 204));
        for number in 0..8 {
            scene.office.benefit(100 + 10 * turn + number).await;
        }
        until("some wait for a place", || async {
            old.count() == before + 2 && engine.in_flight_count() > 2
        })
        .await;
        match what {
            "paused" => scene.pause(code, true).await,
            "retired" => scene.change(code, |changes| changes.active = Some(false)).await,
            _ => {
                let there = ReceiverAddress::parse(&new.url).unwrap();
                scene.change(code, |changes| changes.address = Some(there)).await;
            }
        }
        // For a moment it is believed to be what it was when somebody last looked.
        tokio::time::sleep(SECOND / 10).await;
        say.send_replace(true);
        until("nothing is in hand", || async { engine.in_flight_count() == 0 }).await;
        assert_eq!(old.count(), before + 2, "{what}");
        old.answers(|_| Reaction::Status(204));
        match what {
            "paused" => scene.pause(code, false).await,
            "retired" => scene.change(code, |changes| changes.active = Some(true)).await,
            _ => {}
        }
        let all = before + 8;
        until("all are there", || async { old.count() + new.count() == all }).await;
        assert_eq!(new.count(), if what == "moved" { 6 } else { 0 });
    }
    engine.stop(SECOND).await;
}

#[both_engines]
async fn that_messages_are_given_up_is_told_once_a_day(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let policy = RetryPolicy { waits: Vec::new(), probe: SECOND, pause_after: 5 * DAY };
    let engine = scene.engine_with(DispatchSettings { policy: Arc::new(policy), ..settings() }).await;
    scene.office.benefits(3).await;
    scene.tried(code, 3).await;
    let mails = scene.mails().await;
    let to: Vec<&String> = mails.iter().map(|(to, _)| to).collect();
    assert_eq!(to, [&scene.world.administrator.email], "one of them, once");
    assert!(mails[0].1.contains("trigger list --receiver 1 --state esgotada"), "{mails:?}");
    scene.pass(DAY);
    scene.office.benefit(4).await;
    scene.tried(code, 4).await;
    assert_eq!(scene.mails().await.len(), 2);
    assert!(scene.deliveries(code).await.iter().all(|told| told.delivery.state == DeliveryState::Exhausted));
    engine.stop(SECOND).await;
}

/// Whatever becomes of a receiver while something is on its way there, its places stay as many as they are.
#[both_engines]
async fn a_changed_receiver_has_no_more_places_than_it_had(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::start(|_| Reaction::Late(SECOND / 20, 204)).await;
    let (code, _) = scene.add_with(&receiver.url, Vec::new(), 1).await;
    let engine = scene.engine().await;
    scene.office.benefits(8).await;
    for turn in 0..5 {
        until("the next is under way", || async { receiver.count() > turn }).await;
        match turn % 2 {
            0 => {
                let headers = vec![("X-Turno".to_owned(), turn.to_string())];
                scene.change(code, |changes| changes.headers = Some(headers)).await;
            }
            _ => {
                scene.pause(code, true).await;
                scene.pause(code, false).await;
            }
        }
    }
    until("all are there", || async { receiver.count() == 8 && engine.in_flight_count() == 0 }).await;
    assert_eq!(receiver.most_at_once(), 1);
    engine.stop(SECOND).await;
}

#[both_engines]
async fn what_waits_is_counted_for_those_in_use_alone(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (first, _) = scene.add(&receiver).await;
    let (second, _) = scene.add(&receiver).await;
    let waiting = || async { queues::load_outbox_backlog(scene.world.db()).await.unwrap() };
    assert_eq!(waiting().await, OutboxBacklog::default());
    let begun = scene.now();
    scene.office.benefit(1).await;
    scene.pass(HOUR);
    scene.office.benefit(2).await;
    assert_eq!(waiting().await, OutboxBacklog { pending: 4, oldest: Some(begun) });
    scene.change(first, |changes| changes.active = Some(false)).await;
    assert_eq!(waiting().await, OutboxBacklog { pending: 2, oldest: Some(begun) });
    scene.pause(second, true).await;
    assert_eq!(waiting().await.pending, 2, "for one that is paused it waits");
    scene.change(second, |changes| changes.active = Some(false)).await;
    assert_eq!(waiting().await, OutboxBacklog::default());
}

#[both_engines]
async fn what_waits_by_hand_waits_until_it_is_let_go_on(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    scene.office.benefit(1).await;
    scene.tried(code, 1).await;
    scene.pause(code, true).await;
    assert_eq!(scene.receiver(code).await.paused.map(|(_, why)| why), Some(PauseReason::ByHand));
    scene.office.benefit(2).await;
    scene.pass(DAY);
    assert!(!scene.is_due().await);
    receiver.answers(|_| Reaction::Status(200));
    scene.pause(code, false).await;
    until("both are there", || async { receiver.count() == 3 }).await;
    assert!(scene.mails().await.is_empty(), "whoever did it knows");
    engine.stop(SECOND).await;
}

#[both_engines]
async fn five_days_of_nothing_but_failures_pause_it_and_one_success_in_between_does_not(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    for day in 0..5 {
        scene.office.benefit(10 + day).await;
        // Whatever else is due by then, the day's own is tried.
        until("it is tried", || async { receiver.taken().iter().any(|one| one.record() == day as i64 + 1) })
            .await;
        until("it is written down", || async {
            let told: usize = scene.deliveries(code).await.iter().map(|told| told.attempts.len()).sum();
            told == receiver.count() && !scene.is_due().await
        })
        .await;
        assert!(scene.receiver(code).await.paused.is_none(), "day {day}");
        scene.pass(DAY);
    }
    until("it is paused", || async { scene.receiver(code).await.paused.is_some() }).await;
    assert_eq!(scene.receiver(code).await.paused.map(|(_, why)| why), Some(PauseReason::Failing));
    let mails = scene.mails().await;
    assert_eq!(mails.len(), 1, "once");
    assert_eq!(mails[0].0, scene.world.administrator.email);
    engine.stop(SECOND).await;
}

#[both_engines]
async fn a_receiver_that_fails_altogether_is_probed_by_one_message_until_the_first_success(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add_with(&receiver.url, Vec::new(), 1).await;
    // Many more than are tried before the first failures are written down.
    scene.office.benefits(300).await;
    // Two processes where the database is shared.
    let mut engines = Vec::new();
    for (number, app) in scene.world.processes().iter().enumerate() {
        engines.push(crate::triggers::scene::engine(app, &format!("place {number}"), settings()).await);
    }
    until("the breaker is open", || async {
        let health = scene.receiver(code).await.health;
        health.failures >= 20 && health.not_before.is_some()
    })
    .await;
    let quiet = || {
        until("nothing is in hand", || async { engines.iter().all(|engine| engine.in_flight_count() == 0) })
    };
    quiet().await;
    let mut count = receiver.count();
    assert!(count < 300, "{count} of 300 were tried");
    for _ in 0..5 {
        let not_before = scene.receiver(code).await.health.not_before.unwrap();
        scene.world.clock.reach(not_before.minus(Duration::from_millis(1)));
        assert!(!scene.is_due().await);
        scene.world.clock.reach(not_before);
        until("a probe went", || async { receiver.count() > count }).await;
        quiet().await;
        assert!(!scene.is_due().await, "it waits again");
        count += 1;
        assert_eq!(receiver.count(), count, "one");
    }
    receiver.answers(|_| Reaction::Status(204));
    scene.pass(31 * SECOND);
    let pending = || async {
        let all = scene.deliveries(code).await;
        all.iter().filter(|told| told.delivery.state == DeliveryState::Pending).count()
    };
    until("all that is due is sent", || async {
        pending().await == 0 || !scene.is_due().await && scene.receiver(code).await.health.failures == 0
    })
    .await;
    scene.pass(HOUR);
    until("the rest too", || async { pending().await == 0 }).await;
    for engine in engines {
        engine.stop(SECOND).await;
    }
}
