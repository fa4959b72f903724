//! What triggers are signed with, and where it is kept.

use crate::triggers::scene::{DAY, HOUR, SECOND, Scene, vault};
use app::idempotency::IdempotentWrite;
use app::triggers::receivers::{self, OLD_SECRET_SIGNS_FOR};
use delivery::triggers::sign;
use domain::{ReceiverCode, SigningSecret};
use storage::{QueryWeight, WriteLane, sql};
use testkit::{Receiver, Taken, World, both_engines, dump, until};

fn is_signed_with(taken: &Taken, secret: &SigningSecret) -> bool {
    let at = taken.header("webhook-timestamp").parse().unwrap();
    sign::is_signature_valid(
        taken.header("webhook-signature"),
        taken.header("webhook-id"),
        at,
        &taken.body,
        secret,
    )
}

async fn rotate(scene: &Scene, code: ReceiverCode) -> SigningSecret {
    let done = receivers::rotate_secret(
        &scene.app,
        &vault(),
        scene.by(),
        (code, None),
        IdempotentWrite::without_key(),
    )
    .await;
    done.unwrap().into_fresh().unwrap()
}

#[both_engines]
async fn a_new_secret_signs_beside_the_old_one_for_a_day_also_when_it_is_changed_twice(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, first) = scene.add(&receiver).await;
    let engine = scene.engine().await;
    let mut number = 0;
    let mut next = async || {
        number += 1;
        scene.office.benefit(number).await;
        until("it is there", || async { receiver.count() == number }).await;
        receiver.taken()[number - 1].clone()
    };
    let taken = next().await;
    assert!(is_signed_with(&taken, &first));
    assert_eq!(taken.header("webhook-signature").split(' ').count(), 1);
    let second = rotate(&scene, code).await;
    scene.pass(HOUR);
    let taken = next().await;
    assert!(is_signed_with(&taken, &first) && is_signed_with(&taken, &second));
    assert_eq!(taken.header("webhook-signature").split(' ').count(), 2);
    // Because its answer was lost: whoever still has the first one must not be cut off for it.
    let third = rotate(&scene, code).await;
    let taken = next().await;
    assert!([&first, &second, &third].iter().all(|one| is_signed_with(&taken, one)));
    scene.pass(OLD_SECRET_SIGNS_FOR.checked_sub(HOUR).unwrap());
    let taken = next().await;
    assert!(!is_signed_with(&taken, &first), "its day is over");
    assert!(is_signed_with(&taken, &second) && is_signed_with(&taken, &third));
    scene.pass(DAY);
    let taken = next().await;
    assert!(!is_signed_with(&taken, &second) && is_signed_with(&taken, &third));
    engine.stop(SECOND).await;
}

#[both_engines]
async fn no_table_holds_a_secret_or_the_value_of_a_header_in_the_clear(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let headers = vec![("X-Api-Key".to_owned(), "chave-muito-secreta".to_owned())];
    let (code, first) = scene.add_with(&receiver.url, headers, 8).await;
    let second = rotate(&scene, code).await;
    let engine = scene.engine().await;
    scene.office.benefit(1).await;
    until("it is there", || async { receiver.count() == 1 }).await;
    assert_eq!(receiver.taken()[0].header("x-api-key"), "chave-muito-secreta");
    engine.stop(SECOND).await;
    let all = dump(scene.world.db()).await;
    assert!(all.contains(&receiver.url) && all.contains("secrets: "), "something is there to be looked at");
    // Bytes are dumped as numbers.
    let as_bytes = |text: &str| format!("{:02x?}", text.as_bytes()).trim_matches(['[', ']']).to_owned();
    for secret in [first.expose(), second.expose(), "chave-muito-secreta"] {
        let plain = secret.trim_start_matches("whsec_");
        assert!(!all.contains(plain) && !all.contains(&as_bytes(plain)), "{plain}");
    }
}

#[both_engines]
async fn a_secret_that_was_moved_to_another_receiver_does_not_open_and_stops_nobody_else(world: World) {
    let scene = Scene::of(world).await;
    let (here, there) = (Receiver::answering(204).await, Receiver::answering(204).await);
    scene.add(&here).await;
    let (moved, _) = scene.add(&there).await;
    let unit = scene.world.db().write(WriteLane::foreground(scene.world.here), scene.world.here, |tx, tenant| {
        Box::pin(async move {
            let swap = sql("UPDATE secrets SET sealed = (SELECT s.sealed FROM secrets s WHERE s.tenant = $1
                 AND s.kind = 'receiver' AND s.code = 1) WHERE tenant = $1 AND kind = 'receiver' AND code = 2");
            tx.execute(swap.arg(*tenant)).await
        })
    });
    let swapped: Result<u64, storage::Error> = unit.await;
    assert_eq!(swapped.unwrap(), 1);
    assert!(receivers::load_delivery_target(&scene.app, &vault(), scene.world.here, moved).await.is_err());
    let engine = scene.engine().await;
    scene.office.benefit(1).await;
    until("the other goes", || async { here.count() == 1 }).await;
    engine.stop(SECOND).await;
    assert_eq!(there.count(), 0);
    let pending = sql("SELECT COUNT(*) AS count FROM outbox WHERE receiver = 2");
    let rows = scene.world.db().query(QueryWeight::Search, pending).await.unwrap();
    assert_eq!(rows[0].get::<i64>("count").unwrap(), 1, "and nothing is lost");
}

/// Whoever may change an address must not read by that what was kept for the server before.
#[both_engines]
async fn a_receiver_that_moves_to_another_server_takes_neither_headers_nor_secret_with_it(world: World) {
    let scene = Scene::of(world).await;
    let (old, new) = (Receiver::answering(204).await, Receiver::answering(204).await);
    let headers = vec![("X-Api-Key".to_owned(), "chave-do-erp".to_owned())];
    let (code, secret) = scene.add_with(&old.url, headers, 8).await;
    let change = async |address: String, headers: Option<Vec<(String, String)>>| {
        let version = scene.receiver(code).await.version;
        let address = Some(domain::ReceiverAddress::parse(&address).unwrap());
        let changes = receivers::ReceiverChangeRequest {
            version,
            address,
            entities: None,
            headers,
            concurrency: None,
            active: None,
        };
        let vault = vault();
        let done = receivers::change_receiver(
            &scene.app,
            &vault,
            scene.by(),
            (code, changes),
            IdempotentWrite::without_key(),
        );
        done.await.unwrap().into_fresh().unwrap()
    };
    let same = change(format!("{}/outro/caminho", old.url), None).await;
    assert!(same.secret.is_none() && same.receiver.headers == ["X-Api-Key"], "the same server");
    let moved = change(new.url.clone(), None).await;
    let fresh = moved.secret.expect("a new secret");
    assert!(moved.receiver.headers.is_empty());
    let engine = scene.engine().await;
    scene.office.benefit(1).await;
    until("it is there", || async { new.count() == 1 }).await;
    let taken = &new.taken()[0];
    assert!(!taken.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("x-api-key")), "{taken:?}");
    assert!(is_signed_with(taken, &fresh) && !is_signed_with(taken, &secret));
    let back = change(old.url.clone(), Some(vec![("X-Outra".to_owned(), "nova".to_owned())])).await;
    assert_eq!(back.receiver.headers, ["X-Outra"], "what is sent anew is kept");
    assert!(back.secret.is_some());
    engine.stop(SECOND).await;
}
