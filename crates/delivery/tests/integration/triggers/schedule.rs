//! When a trigger is tried again: three days in milliseconds.

use crate::triggers::scene::{HOUR, MINUTE, SECOND, Scene, WAITS};
use domain::{DeliveryState, Moment};
use std::time::Duration;
use testkit::{Reaction, Receiver, World, both_engines, until};

#[both_engines]
async fn ten_attempts_over_three_days_then_it_is_exhausted_and_the_next_change_goes(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(500).await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    scene.office.set(benefit, 1, "SUSPENSO").await;
    let mut odd = 0;
    for (done, wait) in WAITS.into_iter().enumerate() {
        scene.tried(code, done + 1).await;
        let first = scene.first(code).await;
        assert_eq!((first.delivery.state, first.delivery.tries), (DeliveryState::Pending, done as i32 + 1));
        let tried = first.attempts.last().unwrap();
        assert_eq!((tried.status, tried.tried_at), (Some(500), scene.now()));
        let due = first.delivery.due_at.unwrap();
        let waits = due.duration_since(tried.tried_at);
        assert!(waits >= wait * 8 / 10 && waits <= wait * 12 / 10, "{waits:?} is not {wait:?} and 20 %");
        odd += usize::from(waits != wait);
        scene.world.clock.reach(due.minus(Duration::from_millis(1)));
        assert!(!scene.is_due().await, "not a moment too early");
        scene.world.clock.reach(due);
    }
    assert!(odd > 4, "what failed together does not return together");
    receiver.answers(|taken| Reaction::Status(if taken.history() == 1 { 500 } else { 204 }));
    scene.tried(code, 11).await;
    let all = scene.deliveries(code).await;
    assert_eq!((all[0].delivery.state, all[0].delivery.tries), (DeliveryState::Exhausted, 10));
    assert_eq!((all[0].delivery.ended_at, all[0].delivery.due_at), (Some(scene.now()), None));
    assert_eq!((all[1].delivery.state, all[1].attempts.len()), (DeliveryState::Delivered, 1));
    let taken = receiver.taken();
    assert_eq!(taken.len(), 11);
    assert!(taken[..10].iter().all(|one| one.history() == 1 && one.body == taken[0].body), "the same bytes");
    assert!(taken[..10].iter().all(|one| one.header("webhook-id") == taken[0].header("webhook-id")));
    assert_eq!(taken[10].history(), 2, "the next change of the record");
    assert!(taken[9].header("webhook-timestamp") > taken[0].header("webhook-timestamp"), "each its own time");
    assert!(scene.receiver(code).await.paused.is_none());
    engine.stop(SECOND).await;
}

#[both_engines]
async fn only_200_to_204_is_success(world: World) {
    let scene = Scene::of(world).await;
    let answers =
        [200u16, 201, 202, 203, 204, 205, 206, 226, 299, 301, 302, 304, 307, 308, 400, 404, 500, 503];
    let receiver = Receiver::start(move |taken| Reaction::Status(answers[taken.record() as usize - 1])).await;
    let (code, _) = scene.add(&receiver).await;
    scene.office.benefits(answers.len()).await;
    let engine = scene.engine().await;
    scene.tried(code, answers.len()).await;
    for (told, status) in scene.deliveries(code).await.iter().zip(answers) {
        let state = if status <= 204 { DeliveryState::Delivered } else { DeliveryState::Pending };
        assert_eq!(told.delivery.state, state, "{status}");
        assert_eq!(told.attempts[0].status, Some(i32::from(status)));
    }
    assert_eq!(receiver.count(), answers.len(), "nothing is followed");
    engine.stop(SECOND).await;
}

/// What a receiver that asks for patience gets: for how long, and when the message is due.
async fn patience(world: World, status: u16, asked: &'static str) -> (Scene, Duration) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::start(move |_| {
        Reaction::With(status, format!("Retry-After: {asked}\r\n"), "agora não".to_owned())
    })
    .await;
    let (code, _) = scene.add(&receiver).await;
    let benefit = scene.office.benefit(1).await;
    let engine = scene.engine().await;
    scene.tried(code, 1).await;
    let first = scene.first(code).await;
    assert_eq!(first.attempts[0].answer.as_deref(), Some("agora não"));
    let waits = first.delivery.due_at.unwrap().duration_since(scene.now());
    // Another record does not go either, while it is left alone.
    scene.office.benefit(2).await;
    scene.office.set(benefit, 1, "SUSPENSO").await;
    let until_then = scene.receiver(code).await.health.not_before;
    if let Some(at) = until_then {
        scene.world.clock.reach(at.minus(Duration::from_millis(1)));
        assert!(!scene.is_due().await, "left alone");
        receiver.answers(|_| Reaction::Status(204));
        scene.world.clock.reach(first.delivery.due_at.unwrap().plus(SECOND));
        until("all goes on", || async { receiver.count() == 4 }).await;
    }
    engine.stop(SECOND).await;
    (scene, waits)
}

#[both_engines]
async fn a_receiver_that_asks_for_seconds_is_left_alone_so_long(world: World) {
    assert_eq!(Box::pin(patience(world, 429, "600")).await.1, 10 * MINUTE);
}

#[both_engines]
async fn a_receiver_that_asks_for_a_moment_is_left_alone_until_then(world: World) {
    let (scene, waits) = Box::pin(patience(world, 503, "Sat, 14 Nov 2026 13:42:05 GMT")).await;
    assert_eq!(waits, 10 * MINUTE);
    assert!(scene.now() >= Moment::from_millis(1_794_663_125_000).plus(10 * MINUTE));
}

#[both_engines]
async fn asking_for_too_much_or_too_little_patience_neither_stops_nor_exhausts_anything(world: World) {
    assert_eq!(Box::pin(patience(world, 503, "99999999999")).await.1, 24 * HOUR);
}

#[both_engines]
async fn asking_for_less_patience_than_the_schedule_has_costs_no_attempts(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::start(|_| Reaction::With(503, "Retry-After: 0\r\n".into(), String::new())).await;
    let (code, _) = scene.add(&receiver).await;
    scene.office.benefit(1).await;
    let engine = scene.engine().await;
    scene.tried(code, 1).await;
    let due = scene.first(code).await.delivery.due_at.unwrap();
    assert!(due.duration_since(scene.now()) >= 4 * SECOND, "the first step of the schedule");
    engine.stop(SECOND).await;
}

#[both_engines]
async fn only_429_and_503_are_asked_how_long(world: World) {
    assert!(Box::pin(patience(world, 500, "600")).await.1 <= 6 * SECOND);
}
