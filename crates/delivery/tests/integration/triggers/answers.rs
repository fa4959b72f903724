//! What a receiver is sent, and receivers that answer badly.

use crate::triggers::scene::{SECOND, Scene, settings};
use delivery::triggers::{dispatch_settings::DispatchSettings, sign};
use domain::DeliveryState;
use std::time::Duration;
use storage::{QueryWeight, sql};
use testkit::{Reaction, Receiver, World, both_engines, until};

#[both_engines]
async fn a_trigger_is_the_bytes_of_the_history_at_the_path_of_its_entity_signed(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let headers = vec![("X-Api-Key".to_owned(), "chave do receptor".to_owned())];
    let (code, secret) = scene.add_with(&format!("{}/gatilhos/", receiver.url), headers, 8).await;
    scene.office.benefit(1).await;
    // The name of its situation changes before it is delivered: what it says is what was so.
    scene.world.rename_situation(scene.world.here, "ATIVO", "EM DIA").await;
    let engine = scene.engine().await;
    until("it is there", || async { receiver.count() == 1 }).await;
    let taken = &receiver.taken()[0];
    assert_eq!(taken.path, "/gatilhos/beneficio");
    assert_eq!(taken.header("content-type"), "application/json");
    assert_eq!(taken.header("x-api-key"), "chave do receptor");
    let kept = sql("SELECT body FROM history WHERE tenant = $1 AND code = 1").arg(scene.world.here);
    let kept = scene.world.db().query(QueryWeight::Search, kept).await.unwrap();
    assert_eq!(taken.body, kept[0].get::<String>("body").unwrap());
    assert_eq!(taken.json()["objeto"]["nomeSituacao"], "ATIVO");
    let (id, signature) = (taken.header("webhook-id"), taken.header("webhook-signature"));
    let at: i64 = taken.header("webhook-timestamp").parse().unwrap();
    assert!(id.starts_with(&format!("msg_{}_1_", scene.world.here)), "{id}");
    let told = scene.first(code).await.delivery;
    assert_eq!(
        id,
        app::triggers::build_message_id(scene.world.here, &app::triggers::build_delivery_mark(&told))
    );
    assert_eq!(at, scene.now().millis() / 1000);
    assert!(sign::is_signature_valid(signature, id, at, &taken.body, &secret), "{signature}");
    until("it is written down", || async {
        scene.first(code).await.delivery.state == DeliveryState::Delivered
    })
    .await;
    engine.stop(SECOND).await;
}

#[both_engines]
async fn changes_of_one_record_arrive_in_order_and_never_two_at_once(world: World) {
    let scene = Scene::of(world).await;
    let mut turn = 0;
    // Every third fails once, so that later ones would have the chance to pass it.
    let receiver = Receiver::start(move |_| {
        turn += 1;
        Reaction::Late(Duration::from_millis(2), if turn % 3 == 0 { 500 } else { 200 })
    })
    .await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let codes = scene.office.benefits(3).await;
    for turn in 0..8 {
        for (number, benefit) in codes.iter().enumerate() {
            let situation = if turn % 2 == 0 { "SUSPENSO" } else { "ATIVO" };
            scene.office.set(*benefit, number + 1, situation).await;
        }
    }
    until("all are there", || async {
        // Not while anything is in hand, or a slow machine would let its lease end.
        if engine.in_flight_count() == 0 {
            scene.pass(10 * SECOND);
        }
        scene.deliveries(code).await.iter().all(|told| told.delivery.state == DeliveryState::Delivered)
    })
    .await;
    assert_eq!(receiver.overlaps(), 0);
    for benefit in codes {
        let arrived: Vec<i64> = receiver
            .taken()
            .iter()
            .filter(|one| one.record() == i64::from(benefit.get()) && one.status == Some(200))
            .map(testkit::Taken::history)
            .collect();
        assert_eq!(arrived.len(), 9);
        assert!(arrived.is_sorted(), "{arrived:?}");
    }
    engine.stop(SECOND).await;
}

#[both_engines]
async fn a_receiver_that_never_answers_is_cut_off_and_holds_up_nobody_else(world: World) {
    let scene = Scene::of(world).await;
    let (silent, good) = (Receiver::start(|_| Reaction::Silence).await, Receiver::answering(204).await);
    let (mute, _) = scene.add(&silent).await;
    let (quick, _) = scene.add(&good).await;
    // However little may be in hand, each has a place of its own.
    let engine = scene.engine_with(DispatchSettings { most: 1, timeout: 5 * SECOND, ..settings() }).await;
    scene.office.benefits(4).await;
    until("the good one has all", || async { good.count() == 4 }).await;
    until("the other is cut off", || async { !scene.first(mute).await.attempts.is_empty() }).await;
    let attempt = &scene.first(mute).await.attempts[0];
    assert_eq!(attempt.status, None);
    assert!(attempt.failure.as_deref().unwrap().contains("5000 ms"), "{attempt:?}");
    assert!(attempt.millis >= 4990, "{attempt:?}");
    assert!(scene.deliveries(quick).await.iter().all(|told| told.attempts.len() <= 1));
    engine.stop(SECOND).await;
}

#[both_engines]
async fn the_first_letters_of_every_answer_are_kept(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::start(|taken| {
        let (status, text) = if taken.record() == 1 { (200, "recebido") } else { (400, "não") };
        Reaction::With(status, String::new(), text.to_owned())
    })
    .await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    scene.office.benefits(2).await;
    scene.tried(code, 2).await;
    let all = scene.deliveries(code).await;
    let seen: Vec<_> = all
        .iter()
        .map(|told| (told.attempts.len(), told.attempts[0].status, told.attempts[0].answer.as_deref()))
        .collect();
    assert_eq!(seen, [(1, Some(200), Some("recebido")), (1, Some(400), Some("não"))]);
    engine.stop(SECOND).await;
}

#[both_engines]
async fn endless_huge_and_withheld_answers_are_cut_and_their_status_counts(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::start(|taken| match taken.record() {
        1 => Reaction::Endless(200),
        2 => Reaction::Endless(500),
        3 => Reaction::With(400, String::new(), "não\u{7}\n".repeat(100_000)),
        4 => Reaction::Withheld(200),
        5 => Reaction::HangUp,
        6 => Reaction::With(200, "X: y\r\n".repeat(5000), String::new()),
        _ => {
            Reaction::With(302, format!("Location: http://127.0.0.1:1/{}\r\n", "x".repeat(9)), String::new())
        }
    })
    .await;
    let (code, _) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    scene.office.benefits(7).await;
    scene.tried(code, 7).await;
    let all = scene.deliveries(code).await;
    let seen: Vec<_> = all.iter().map(|told| (told.delivery.state, told.attempts[0].status)).collect();
    use DeliveryState::{Delivered, Pending};
    assert_eq!(seen[0], (Delivered, Some(200)), "endless, but taken");
    assert_eq!(seen[1], (Pending, Some(500)));
    assert_eq!(seen[2], (Pending, Some(400)));
    assert_eq!(seen[3], (Delivered, Some(200)), "its status was there");
    assert_eq!(seen[4], (Pending, None));
    assert_eq!(seen[5], (Pending, None), "a head without end");
    assert_eq!(seen[6], (Pending, Some(302)), "not followed");
    assert!(all[2].attempts[0].answer.as_ref().unwrap().len() <= 500);
    assert!(!all[2].attempts[0].answer.as_ref().unwrap().contains('\u{7}'));
    assert!(receiver.poured() < 16 * 1024 * 1024, "{} bytes were let in", receiver.poured());
    engine.stop(SECOND).await;
}
