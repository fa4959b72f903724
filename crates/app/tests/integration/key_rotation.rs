//! A new key takes the place of the old one while servers run: every secret is encrypted again, none is lost, and the old
//! key opens nothing any more.

use crate::lost_key::{add_card_token, add_receiver, create_receiver, write_own_key};
use crate::second_factor::switched_on;
use app::triggers::receivers;
use app::{App, Vault};
use domain::{ReceiverCode, SecretOwnerKind, TenantId};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use storage::server::secrets::{self, StoredSecret};
use testkit::{World, both_engines, dump_table};
use vault::{KeyError, KeyRotation, ProcessIdentity, RotationWait, SecretLocation, ServerKey};

/// A server and the key file of its machine.
struct RunningServer {
    name: &'static str,
    path: PathBuf,
    vault: Vault,
}

async fn start(app: &App, name: &'static str, path: PathBuf) -> Result<RunningServer, KeyError> {
    let process = ProcessIdentity { name, version: "0" };
    let vault = vault::check_server_key(app.key_context(), &path, process).await?;
    Ok(RunningServer { name, path, vault })
}

impl RunningServer {
    async fn beat(&self, app: &App) -> Result<(), KeyError> {
        vault::take_new_key(app.key_context(), &self.vault, &self.path, self.name).await
    }
}

async fn rotate(app: &App, path: &Path, limit: Duration) -> Result<KeyRotation, KeyError> {
    let wait = RotationWait { limit, on_wait: &|_| {} };
    vault::rotate_server_key(app.key_context(), path, wait).await
}

/// The key of all servers, in a folder that stands for a machine.
fn write_key_of_machine(folder: &Path, machine: &str) -> PathBuf {
    let path = folder.join(machine).join("amparo.key");
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    write_own_key(&path);
    path
}

const PATIENCE: Duration = Duration::from_mins(5);

/// Both associations have a receiver, a second factor and a card.
async fn fill(world: &World, vault: &Vault) -> Vec<(TenantId, ReceiverCode)> {
    let mut added = Vec::new();
    for (tenant, owner) in [(world.here, &world.operator), (world.there, &world.stranger)] {
        added.push((tenant, add_receiver(world, vault, tenant).await));
        switched_on(world, owner).await;
        add_card_token(world, vault, tenant, 1).await;
    }
    added
}

/// How many of the stored secrets a vault opens, and how many there are.
async fn count_opened(world: &World, vault: &Vault) -> (usize, usize) {
    let (mut opened, mut all) = (0, 0);
    for tenant in secrets::list_tenants_with_secrets(world.db()).await.unwrap() {
        let stored = secrets::list_secrets_after(world.db(), tenant, None, 10_000).await.unwrap();
        for StoredSecret { kind, code, sealed } in stored {
            let place = SecretLocation { tenant, kind: SecretOwnerKind::from_name(&kind).unwrap(), code };
            opened += usize::from(vault.open(place, &sealed).is_ok());
            all += 1;
        }
    }
    (opened, all)
}

fn only_key(path: &Path) -> ServerKey {
    let keys = ServerKey::read_file(path).unwrap();
    assert_eq!(keys.len(), 1);
    keys.into_iter().next().unwrap()
}

#[both_engines]
async fn servers_take_the_new_key_while_they_write_secrets(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|machine| write_key_of_machine(folder.path(), machine));
    let app = world.app();
    let added = fill(&world, app.vault().unwrap()).await;
    let old = only_key(&paths[0]);
    let one = start(app, "one", paths[0].clone()).await.unwrap();
    let two = start(app, "two", paths[1].clone()).await.unwrap();

    let written = AtomicUsize::new(0);
    let work = async {
        for code in 2.. {
            add_card_token(&world, &one.vault, world.here, code).await;
            written.fetch_add(1, Ordering::Relaxed);
            one.beat(app).await.unwrap();
            add_card_token(&world, &two.vault, world.there, code).await;
            written.fetch_add(1, Ordering::Relaxed);
            two.beat(app).await.unwrap();
        }
    };
    let rotation = tokio::select! {
        rotation = rotate(app, &paths[0], PATIENCE) => rotation.unwrap(),
        () = work => unreachable!(),
    };
    assert!(rotation.sealed_again >= 6, "{rotation:?}");
    assert_eq!(rotation.unreadable, 0);
    for server in [&one, &two] {
        server.beat(app).await.unwrap();
    }
    let new = only_key(&paths[0]);
    assert!(new != old && only_key(&paths[1]) == new);
    let (opened, all) = count_opened(&world, &new.open_vault().unwrap()).await;
    assert_eq!(opened, all);
    // The last may have been stored without an answer.
    let written = written.into_inner();
    assert!((written + 6..=written + 7).contains(&all), "{written} {all}");
    assert_eq!(count_opened(&world, &old.open_vault().unwrap()).await.0, 0);
    for (tenant, code) in added {
        receivers::load_delivery_target(app, &two.vault, tenant, code).await.unwrap();
    }
    let settings = dump_table(world.db(), "settings").await;
    assert!(!settings.contains("next_key") && !settings.contains("retiring_key"), "{settings}");
    assert!(!dump_table(world.db(), "key_holders").await.contains("one"));

    // The old key is a stranger's now.
    write_own_key(&paths[1]);
    assert!(matches!(start(app, "three", paths[1].clone()).await, Err(KeyError::OtherKey(_))));
    // And a process that still has it in memory writes nothing that nobody could open.
    let before = dump_table(world.db(), "secrets").await;
    let late = create_receiver(&world, &old.open_vault().unwrap(), world.here).await;
    assert!(late.is_err_and(|error| error.is_transient()));
    assert_eq!(dump_table(world.db(), "secrets").await, before);
}

#[both_engines]
async fn an_interrupted_rotation_goes_on_and_both_keys_open_until_then(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|machine| write_key_of_machine(folder.path(), machine));
    let app = world.app();
    let added = fill(&world, app.vault().unwrap()).await;
    let one = start(app, "one", paths[0].clone()).await.unwrap();
    vault::announce_key(app.key_context(), &paths[0]).await.unwrap();
    assert_eq!(ServerKey::read_file(&paths[0]).unwrap().len(), 2);

    // A server that does not follow holds it up, and loses nothing.
    let held = rotate(app, &paths[0], Duration::ZERO).await;
    assert!(matches!(&held, Err(KeyError::NotTaken(names)) if names[..] == ["one".to_owned()]), "{held:?}");
    // One that starts with the old key alone is told the new one.
    let two = start(app, "two", paths[1].clone()).await.unwrap();
    assert_eq!(ServerKey::read_file(&paths[1]).unwrap().len(), 2);
    for vault in [&one.vault, &two.vault] {
        assert_eq!(count_opened(&world, vault).await, (6, 6));
    }
    let again = add_receiver(&world, &one.vault, world.here).await;
    one.beat(app).await.unwrap();
    assert_eq!(one.vault.fingerprint(), two.vault.fingerprint());

    let rotation = rotate(app, &paths[0], PATIENCE).await.unwrap();
    assert_eq!(rotation, KeyRotation { sealed_again: 7, unreadable: 0 });
    for (tenant, code) in added.into_iter().chain([(world.here, again)]) {
        receivers::load_delivery_target(app, &one.vault, tenant, code).await.unwrap();
    }
    one.beat(app).await.unwrap();
    two.beat(app).await.unwrap();
    assert!(only_key(&paths[0]) == only_key(&paths[1]));
}

#[both_engines]
async fn a_server_that_cannot_write_its_key_file_is_waited_for(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let [path, elsewhere] = ["one", "two"].map(|machine| write_key_of_machine(folder.path(), machine));
    let app = world.app();
    fill(&world, app.vault().unwrap()).await;
    let two = start(app, "two", elsewhere.clone()).await.unwrap();
    // As a secret of a container is mounted: the file cannot be replaced.
    std::fs::remove_dir_all(elsewhere.parent().unwrap()).unwrap();
    vault::announce_key(app.key_context(), &path).await.unwrap();
    assert!(matches!(two.beat(app).await, Err(KeyError::File(_))));
    assert!(matches!(rotate(app, &path, Duration::ZERO).await, Err(KeyError::NotTaken(_))));
    assert_eq!(count_opened(&world, &two.vault).await, (6, 6), "it goes on serving");

    std::fs::create_dir(elsewhere.parent().unwrap()).unwrap();
    std::fs::copy(&path, &elsewhere).unwrap();
    two.beat(app).await.unwrap();
    assert_eq!(rotate(app, &path, PATIENCE).await.unwrap().sealed_again, 6);
    two.beat(app).await.unwrap();
    assert!(only_key(&path) == only_key(&elsewhere));
}

#[both_engines]
async fn of_two_rotations_at_once_neither_loses_the_key_of_the_other(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.key");
    write_own_key(&path);
    let app = world.app();
    // A command before the first server names the key of the database.
    let process = ProcessIdentity { name: "command", version: "0" };
    let vault = vault::open_vault_for_command(app.key_context(), &path, process).await.unwrap();
    fill(&world, &vault).await;
    let both = tokio::join!(rotate(app, &path, PATIENCE), rotate(app, &path, PATIENCE));
    for rotation in [both.0, both.1] {
        let done = KeyRotation { sealed_again: 6, unreadable: 0 };
        assert!(matches!(rotation, Ok(rotation) if rotation == done), "one after the other");
    }
    let key = only_key(&path);
    assert_eq!(count_opened(&world, &key.open_vault().unwrap()).await, (6, 6));
    start(app, "one", path).await.unwrap();
    // No server ran: the keys never passed through the database.
    assert!(!dump_table(world.db(), "settings").await.contains("next_key"));
}

#[both_engines]
async fn a_file_that_cannot_be_read_keeps_no_key_out_of_the_memory(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let [path, elsewhere] = ["one", "two"].map(|machine| write_key_of_machine(folder.path(), machine));
    let app = world.app();
    fill(&world, app.vault().unwrap()).await;
    let two = start(app, "two", elsewhere.clone()).await.unwrap();
    std::fs::write(&elsewhere, "half a k").unwrap();
    let announced = vault::announce_key(app.key_context(), &path).await.unwrap();
    assert!(matches!(two.beat(app).await, Err(KeyError::File(_))));
    assert_eq!(two.vault.fingerprint(), announced.fingerprint());
    assert!(matches!(rotate(app, &path, Duration::ZERO).await, Err(KeyError::NotTaken(_))));
    std::fs::copy(&path, &elsewhere).unwrap();
    two.beat(app).await.unwrap();
    assert_eq!(rotate(app, &path, PATIENCE).await.unwrap().sealed_again, 6);
}

#[both_engines]
async fn keys_of_another_database_stay_in_the_file_and_old_ones_go(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = write_key_of_machine(folder.path(), "one");
    let app = world.app();
    let one = start(app, "one", path.clone()).await.unwrap();
    let foreign = "ab".repeat(32);
    let own = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{own}\n{foreign}\n")).unwrap();
    one.beat(app).await.unwrap();
    assert_eq!(ServerKey::read_file(&path).unwrap().len(), 2);
    let rotation = rotate(app, &path, PATIENCE);
    let beats = async {
        loop {
            one.beat(app).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        rotated = rotation => assert_eq!(rotated.unwrap().unreadable, 0),
        () = beats => unreachable!(),
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&foreign) && !text.contains(own.trim()) && text.lines().count() == 2);
    // A server that was stopped at the end drops the old key when it starts, and nothing else.
    std::fs::write(&path, format!("{text}{own}\n")).unwrap();
    start(app, "one", path.clone()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    // A file with nothing of this database is left alone.
    std::fs::write(&path, &foreign).unwrap();
    one.beat(app).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
}
