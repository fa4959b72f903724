//! Results that cannot be written: no message is sent again because of it, and everything arrives once they can.

use crate::triggers::scene::{SECOND, Scene, deliveries, engine, settings};
use domain::DeliveryState;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use storage::{DatabaseOptions, StatementWatch, WriteLane, sql};
use testkit::{Database, Engine, Reaction, Receiver, World, both_engines, until};
use tokio::sync::watch;

/// Counts how often it was tried to write what came of messages.
fn watch_results(count: &Arc<AtomicUsize>) -> DatabaseOptions {
    let count = Arc::clone(count);
    let watch = StatementWatch::new(move |executed| {
        if executed.text.contains("INSERT INTO deliveries") {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    DatabaseOptions { watch: Some(watch), ..testkit::options() }
}

/// Lets no result be written, or lets them be again.
async fn refuse_results(world: &World, refuse: bool) {
    let texts: &[&'static str] = match (world.database.engine, refuse) {
        (Engine::Sqlite, true) => &["CREATE TRIGGER refuse BEFORE INSERT ON deliveries
             BEGIN SELECT RAISE(ABORT, 'no results'); END"],
        (Engine::Sqlite, false) => &["DROP TRIGGER refuse"],
        (Engine::Postgres, true) => &[
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                 'BEGIN RAISE EXCEPTION ''no results''; END'",
            "CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()",
        ],
        (Engine::Postgres, false) => &["DROP TRIGGER refuse ON deliveries"],
    };
    for text in texts {
        let unit = world.db().write(WriteLane::foreground(world.here), *text, |tx, text| {
            Box::pin(async move { tx.execute(sql(text)).await.map(drop) })
        });
        let done: Result<(), storage::Error> = unit.await;
        done.unwrap();
    }
}

#[both_engines]
async fn a_result_that_cannot_be_written_sends_no_message_again(world: World) {
    let scene = Scene::of(world).await;
    let tried = Arc::new(AtomicUsize::new(0));
    let db = scene.world.database.open_with(&watch_results(&tried)).await;
    let app = testkit::app_on(db, Arc::clone(&scene.world.clock), 7);
    let receiver = Receiver::answering(204).await;
    let (code, _) = scene.add(&receiver).await;
    refuse_results(&scene.world, true).await;
    let benefits = scene.office.benefits(8).await;
    let delivering = engine(&app, "here", settings()).await;
    // Each is tried once with the others, then by itself, again and again.
    until("many results were refused", || async { tried.load(Ordering::SeqCst) >= 40 }).await;
    let sent = receiver.count();
    assert!((5..=8).contains(&sent), "each message at most once, and no more behind those: {sent}");
    let ids: std::collections::BTreeSet<i64> = receiver.taken().iter().map(testkit::Taken::history).collect();
    assert_eq!(ids.len(), sent, "none of them twice");
    refuse_results(&scene.world, false).await;
    // It heals without a restart, and what was sent is not sent again.
    until("all has arrived", || async {
        let all = deliveries(&app, &scene.world, code).await;
        all.len() == benefits.len() && all.iter().all(|one| one.delivery.state == DeliveryState::Delivered)
    })
    .await;
    assert_eq!(receiver.count(), benefits.len());
    delivering.stop(SECOND).await;
    app.db.close().await;
}

/// As behind a commit whose answer was lost.
#[both_engines]
async fn a_result_that_is_there_already_holds_up_nothing(world: World) {
    let scene = Scene::of(world).await;
    let (say, said) = watch::channel(false);
    let receiver = Receiver::start(move |_| Reaction::When(said.clone(), 204)).await;
    let (code, _) = scene.add(&receiver).await;
    let delivering = scene.engine().await;
    let benefit = scene.office.benefit(1).await;
    until("it is under way", || async { receiver.count() == 1 }).await;
    let unit =
        scene.world.db().write(WriteLane::foreground(scene.world.here), scene.world.here, |tx, tenant| {
            Box::pin(async move {
                let written = sql("INSERT INTO deliveries (tenant, receiver, history_code, ended_at)
                 SELECT tenant, receiver, history_code, created_at FROM outbox WHERE tenant = $1");
                tx.execute(written.arg(*tenant)).await?;
                tx.execute(sql("DELETE FROM outbox WHERE tenant = $1").arg(*tenant)).await.map(drop)
            })
        });
    let done: Result<(), storage::Error> = unit.await;
    done.unwrap();
    scene.office.set(benefit, 1, "SUSPENSO").await;
    say.send_replace(true);
    until("the next of its record goes", || async { receiver.count() == 2 }).await;
    until("both have arrived", || async {
        let all = scene.deliveries(code).await;
        all.len() == 2 && all.iter().all(|one| one.delivery.state == DeliveryState::Delivered)
    })
    .await;
    delivering.stop(SECOND).await;
}

mod a_database_that_turned_read_only_stops_deliveries_until_it_takes_writes {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        let scene = Scene::of(World::hostile(Engine::Postgres).await).await;
        let receiver = Receiver::answering(204).await;
        let (code, _) = scene.add(&receiver).await;
        let benefits = scene.office.benefits(6).await;
        let address = scene.world.database.address_text();
        let (server, name) = address.rsplit_once('/').unwrap();
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        // What is under way arrives, and the database refuses to write from then on.
        let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        let (say, said) = watch::channel(false);
        receiver.answers(move |_| Reaction::When(said.clone(), 204));
        let delivering = scene.engine().await;
        until("one is under way", || async { receiver.count() > 0 }).await;
        Database::statement(address, &demote).await;
        Database::statement(address, end).await;
        say.send_replace(true);
        until("the fault is known", || async { scene.app.db.write_fault().is_some() }).await;
        // Reads have a connection again, and nothing is sent beyond what was in hand.
        until("reading works", || async { scene.app.db.ping().await.is_ok() }).await;
        let promote = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
        Database::statement(&format!("{server}/postgres"), &promote).await;
        until("all has arrived", || async {
            let all = scene.deliveries(code).await;
            all.len() == benefits.len()
                && all.iter().all(|one| one.delivery.state == DeliveryState::Delivered)
        })
        .await;
        assert_eq!(receiver.count(), benefits.len(), "each message once");
        delivering.stop(SECOND).await;
    }
}
