//! Where triggers may not go: what the address of a receiver leads to is judged where it is connected to.

use crate::triggers::scene::{MINUTE, SECOND, Scene, settings, vault};
use app::idempotency::IdempotentWrite;
use app::triggers;
use delivery::triggers::{
    address_guard::AddressGuard, dispatch_settings::DispatchSettings, post::HttpPoster,
};
use std::sync::Arc;
use testkit::{Reaction, Receiver, World, both_engines, until};

fn guarded(allowed: &[&str]) -> DispatchSettings {
    DispatchSettings { guard: AddressGuard::new(allowed.iter().map(|host| (*host).to_owned())), ..settings() }
}

#[both_engines]
async fn a_name_that_leads_inside_is_not_followed_there_whatever_it_is_called(world: World) {
    let scene = Scene::of(world).await;
    let inside = Receiver::answering(204).await;
    let port = inside.port().to_owned();
    let mut codes = Vec::new();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
    ] {
        codes.push((host, scene.add_with(&format!("http://{host}:{port}"), Vec::new(), 8).await.0));
    }
    let engine = scene.engine_with(guarded(&["intranet.example", "127.0.0.2"])).await;
    scene.office.benefit(1).await;
    for (host, code) in codes {
        scene.tried(code, 1).await;
        let attempt = scene.first(code).await.attempts.remove(0);
        assert!(attempt.failure.as_deref().unwrap().contains("rede interna"), "{host}: {attempt:?}");
    }
    assert_eq!(inside.count(), 0);
    engine.stop(SECOND).await;
}

#[both_engines]
async fn an_exception_is_for_the_exact_host_and_a_redirect_leads_nowhere(world: World) {
    let scene = Scene::of(world).await;
    let inside = Receiver::answering(204).await;
    let target = inside.url.clone();
    let outside = Receiver::start(move |_| {
        Reaction::With(307, format!("Location: {target}/beneficio\r\n"), String::new())
    })
    .await;
    // The name is the exception: what else leads to the same address is none.
    let named = format!("http://localhost:{}", outside.port());
    let (allowed, _) = scene.add_with(&named, Vec::new(), 8).await;
    let (refused, _) = scene.add(&outside).await;
    let engine = scene.engine_with(guarded(&["localhost"])).await;
    scene.office.benefit(1).await;
    scene.tried(allowed, 1).await;
    scene.tried(refused, 1).await;
    assert_eq!(scene.first(allowed).await.attempts[0].status, Some(307));
    assert_eq!(scene.first(refused).await.attempts[0].status, None);
    assert_eq!((outside.count(), inside.count()), (1, 0));
    engine.stop(SECOND).await;
}

#[both_engines]
async fn trying_a_receiver_out_is_guarded_too_and_sends_a_sample(world: World) {
    let mut scene = Scene::of(world).await;
    let receiver = Receiver::answering(202).await;
    let (code, _) = scene.add(&receiver).await;
    for (allowed, is_taken) in [("127.0.0.2", false), ("127.0.0.1", true)] {
        let poster = HttpPoster::new(guarded(&[allowed]).guard, MINUTE).unwrap();
        scene.app.message_sender = Arc::new(poster);
        let tried = triggers::send_test_message(
            &scene.app,
            &vault(),
            scene.by(),
            (code, None),
            IdempotentWrite::without_key(),
        )
        .await;
        let tried = tried.unwrap().into_fresh().unwrap();
        assert_eq!(tried.is_ok_and(|answer| answer.is_accepted()), is_taken, "{allowed}");
    }
    until("one came", || async { receiver.count() == 1 }).await;
    let taken = &receiver.taken()[0];
    assert!(taken.header("webhook-id").starts_with("msg_") && !taken.header("webhook-signature").is_empty());
    assert!(scene.deliveries(code).await.is_empty(), "no delivery comes of it");
}
