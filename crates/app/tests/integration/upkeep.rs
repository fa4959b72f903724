//! Housekeeping runs once per database and survives restarts; the server's key is one for all processes.

use app::App;
use app::upkeep::housekeeping::{RetentionPolicy, run_if_due};
use app::upkeep::presence;
use domain::{Clock, Moment};
use std::time::Duration;
use storage::{QueryWeight, Statement, WriteLane, sql};
use testkit::{World, both_engines, eight_at_once};
use vault::{KeyError, ProcessIdentity};

const DAY: Duration = Duration::from_hours(24);
const RETENTION: RetentionPolicy = RetentionPolicy {
    interval: Duration::from_hours(1),
    tokens: DAY,
    idempotency_keys: DAY,
    mail_bodies: Duration::from_hours(720),
    attempts: Duration::from_hours(2160),
    login_failures: DAY,
    removed_files: DAY,
};

async fn write(world: &World, statements: Vec<Statement>) {
    let unit = world.db().write(WriteLane::foreground(world.here), statements, |tx, statements| {
        Box::pin(tx.execute_batch(statements.clone()))
    });
    unit.await.unwrap();
}

async fn count(world: &World, text: &'static str) -> i64 {
    world.db().query(QueryWeight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
}

/// One row of each kind that is `age` old, in both tenants.
fn aged(world: &World, number: i64, age: Duration) -> Vec<Statement> {
    let at: Moment = world.clock.now().minus(age);
    let mut all = Vec::new();
    for tenant in [world.here, world.there] {
        let of = |text| sql(text).arg(tenant).arg(number).arg(at);
        all.push(
            sql("INSERT INTO tokens (tenant, hash, user_code, created_at, expires_at) VALUES ($1, $2, 1, 0, $3)")
                .arg(tenant)
                .arg(&number.to_be_bytes()[..])
                .arg(at),
        );
        all.push(
            sql("INSERT INTO password_resets (tenant, hash, user_code, created_at, expires_at)
                 VALUES ($1, $2, 1, 0, $3)")
            .arg(tenant)
            .arg(&number.to_be_bytes()[..])
            .arg(at),
        );
        all.push(
            sql("INSERT INTO entrances (tenant, hash, user_code, generation, expires_at) VALUES ($1, $2, 1, 0, $3)")
                .arg(tenant)
                .arg(&number.to_be_bytes()[..])
                .arg(at),
        );
        all.push(
            of("INSERT INTO idempotency_keys (tenant, user_code, operation, key, body_hash, status, content_type,
                 answer, created_at) VALUES ($1, $2, 'POST /x', 'k', $4, 200, 'text/plain', $4, $3)")
            .arg(&b"bytes"[..]),
        );
        all.push(of("INSERT INTO mails (tenant, code, recipient, subject, text_body, html_body, tries, created_at, sent_at)
             VALUES ($1, $2, 'a', 'b', 'corpo', 'corpo', 1, $3, $3)"));
        all.push(of("INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, millis)
             VALUES ($1, 1, $2, 1, $3, 5)"));
    }
    all
}

#[both_engines]
async fn what_is_old_goes_and_what_is_young_stays(world: World) {
    write(&world, aged(&world, 1, DAY / 2)).await;
    write(&world, aged(&world, 2, DAY * 2)).await;
    write(&world, aged(&world, 3, DAY * 31)).await;
    write(&world, aged(&world, 4, DAY * 91)).await;
    let swept = run_if_due(world.app(), &RETENTION).await.unwrap();
    assert_eq!(swept, Some(2 * (3 + 3 + 3 + 3 + 2 + 1)));
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM tokens").await, 2);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM password_resets").await, 2);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM entrances").await, 2);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM idempotency_keys").await, 2);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM mails").await, 8, "that it was sent stays known");
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM mails WHERE text_body IS NOT NULL").await, 4);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM attempts").await, 6);
}

#[both_engines]
async fn more_rows_than_one_unit_takes_are_swept_in_several(world: World) {
    for part in 0..6 {
        let rows = (part * 200..part * 200 + 200).map(|number: i64| {
            sql("INSERT INTO tokens (tenant, hash, user_code, created_at, expires_at) VALUES ($1, $2, 1, 0, 0)")
                .arg(world.here)
                .arg(&number.to_be_bytes()[..])
        });
        write(&world, rows.collect()).await;
    }
    assert_eq!(run_if_due(world.app(), &RETENTION).await.unwrap(), Some(1200));
}

#[both_engines]
async fn housekeeping_runs_once_when_it_is_due_however_many_ask(world: World) {
    let run = || {
        eight_at_once(|_| {
            let app = world.app().clone();
            async move { run_if_due(&app, &RETENTION).await.unwrap().is_some() }
        })
    };
    assert_eq!(run().await.iter().filter(|ran| **ran).count(), 1);
    world.clock.pass(Duration::from_secs(3599));
    assert_eq!(run().await.iter().filter(|ran| **ran).count(), 0);
    world.clock.pass(Duration::from_secs(1));
    assert_eq!(run().await.iter().filter(|ran| **ran).count(), 1);
}

#[both_engines]
async fn a_job_whose_process_died_is_taken_over_and_the_dead_one_cannot_finish_it(world: World) {
    use storage::server::jobs;
    let take = || {
        let now = world.clock.now();
        world.db().write(WriteLane::foreground(world.here), now, |tx, now| {
            Box::pin(jobs::lease_job(tx, "prova", *now, Duration::from_mins(1)))
        })
    };
    let dead = take().await.unwrap().expect("nobody has it");
    assert_eq!(take().await.unwrap(), None);
    world.clock.pass(Duration::from_mins(1));
    let heir = take().await.unwrap().expect("its lease has ended");
    for (lease, counts) in [(dead, false), (heir, true)] {
        let input = (lease, world.clock.now());
        let finish = world.db().write(WriteLane::foreground(world.here), input, |tx, (lease, now)| {
            Box::pin(jobs::finish_job(tx, lease, *now, now.plus(DAY)))
        });
        assert_eq!(finish.await.unwrap(), counts);
    }
}

/// A process for each path.
async fn check(app: &App, path: &std::path::Path) -> Result<app::Vault, KeyError> {
    let name = path.display().to_string();
    vault::check_server_key(app.key_context(), path, ProcessIdentity { name: &name, version: "0" }).await
}

#[both_engines]
async fn the_key_is_made_once_and_is_the_same_for_all(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let (key, other) = (folder.path().join("amparo.key"), folder.path().join("other.key"));
    check(world.app(), &key).await.unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&key).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    check(world.app(), &key).await.unwrap();
    std::fs::write(&other, "0".repeat(64)).unwrap();
    assert!(matches!(check(world.app(), &other).await, Err(KeyError::OtherKey(_))));
    std::fs::write(&other, "nonsense").unwrap();
    assert!(matches!(
        check(world.app(), &other).await,
        Err(KeyError::File(vault::KeyFileError::Malformed(_)))
    ));
}

#[both_engines]
async fn of_eight_processes_that_start_at_once_with_keys_of_their_own_one_starts(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let checked = eight_at_once(|number| {
        let (app, path) = (world.app().clone(), folder.path().join(format!("{number}.key")));
        async move { (path.clone(), check(&app, &path).await) }
    })
    .await;
    let started: Vec<_> = checked.iter().filter(|(_, result)| result.is_ok()).collect();
    assert_eq!(started.len(), 1);
    for (path, result) in &checked {
        assert_eq!(path.exists(), result.is_ok(), "no key that is not used: {result:?}");
    }
}

#[both_engines]
async fn a_lost_key_is_replaced_only_while_nothing_depends_on_it(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("amparo.key");
    check(world.app(), &key).await.unwrap();
    std::fs::remove_file(&key).unwrap();
    presence::record_heartbeat(world.app(), "another", "0.1.0").await.unwrap();
    assert!(matches!(check(world.app(), &key).await, Err(KeyError::InUse(_))));
    storage::server::processes::unregister_process(world.db(), "another").await.unwrap();
    check(world.app(), &key).await.unwrap();
    let secret =
        sql("INSERT INTO secrets (tenant, kind, code, sealed) VALUES ($1, 'prova', 1, $2)").arg(world.here);
    write(&world, vec![secret.arg(&b"sealed"[..])]).await;
    std::fs::remove_file(&key).unwrap();
    assert!(matches!(check(world.app(), &key).await, Err(KeyError::KeyLost(_))));
    assert!(!key.exists());
}

#[both_engines]
async fn a_process_that_falls_silent_is_gone(world: World) {
    let app = world.app();
    presence::record_heartbeat(app, "one", "0.1.0").await.unwrap();
    world.clock.pass(Duration::from_secs(20));
    presence::record_heartbeat(app, "two", "0.1.0").await.unwrap();
    world.clock.pass(Duration::from_secs(20));
    let alive = storage::server::processes::list_live_processes(
        &app.db,
        app.now().minus(storage::server::processes::GONE_AFTER),
    )
    .await
    .unwrap();
    assert_eq!(alive.iter().map(|one| one.process.as_str()).collect::<Vec<_>>(), ["two"]);
}

/// Versions before kept what a gateway knows a card by in the clear.
#[both_engines]
async fn tokens_of_cards_that_stand_in_the_clear_are_sealed(world: World) {
    let mut rows = Vec::new();
    for tenant in [world.here, world.there] {
        rows.push(sql("INSERT INTO people (tenant, code, branch, is_member, nature, name, version, created_at, updated_at)
             VALUES ($1, 901, 1, $2, 1, 'Ana', 1, 0, 0)").arg(tenant).arg(true));
        for code in 1..=250i64 {
            let text =
                "INSERT INTO credit_cards (tenant, person, code, brand, last_digits, holder, valid_until,
                 gateway_token, is_main, active, version, created_at, updated_at)
                 VALUES ($1, 901, $2, 'Visa', '4242', 'ANA', '2029-02', 'tok_em_claro', $3, $3, 1, 0, 0)";
            rows.push(sql(text).arg(tenant).arg(code).arg(true));
        }
    }
    write(&world, rows).await;
    let vault = world.app().vault.as_ref().unwrap();
    assert_eq!(app::members::credit_cards::seal_all_clear_tokens(world.app(), vault).await.unwrap(), 500);
    assert_eq!(count(&world, "SELECT COUNT(*) AS n FROM secrets WHERE kind = 'credit_card'").await, 500);
    assert!(!testkit::dump(world.db()).await.contains("tok_em_claro"));
    assert_eq!(
        app::members::credit_cards::seal_all_clear_tokens(world.app(), vault).await.unwrap(),
        0,
        "once"
    );
}
