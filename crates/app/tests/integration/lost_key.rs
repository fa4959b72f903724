//! A server whose key is lost goes on with a new one: what only the lost key opened is given up, and nothing else.

use crate::second_factor::{enter, switched_on};
use app::access::second_factor::{self, SecondFactorState};
use app::access::sessions::SignInOutcome;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::lost_key::{LostKeyError, LostSecrets, replace_lost_key};
use app::triggers::receivers::{self, RequestedReceiver, TenantActor};
use app::{App, Error, Vault};
use domain::{Entity, ReceiverCode, SecretOwnerKind, TenantId};
use std::path::Path;
use storage::server::secrets;
use storage::{WriteLane, sql};
use testkit::{World, both_engines, dump, dump_table};
use vault::{KeyError, ProcessIdentity, SecretLocation};

/// A process that starts with the key at this path.
async fn start(app: &App, path: &Path) -> Result<Vault, KeyError> {
    let process = ProcessIdentity { name: "server", version: "0" };
    let vault = vault::check_server_key(app.key_context(), path, process).await?;
    storage::server::processes::unregister_process(&app.db, "server").await?;
    Ok(vault)
}

pub async fn create_receiver(world: &World, vault: &Vault, tenant: TenantId) -> Result<ReceiverCode, Error> {
    let request = RequestedReceiver {
        address: domain::ReceiverAddress::parse("https://erp.example").unwrap(),
        entities: vec![Entity::Benefit],
        headers: vec![("X-Chave".to_owned(), "abc".to_owned())],
        concurrency: 8,
    };
    let by = TenantActor { tenant, user: None };
    let once = IdempotentWrite::without_key();
    let created = receivers::create_receiver(world.app(), vault, by, request, once).await;
    Ok(created.and_then(WriteOutcome::into_fresh)?.code)
}

pub async fn add_receiver(world: &World, vault: &Vault, tenant: TenantId) -> ReceiverCode {
    create_receiver(world, vault, tenant).await.unwrap()
}

/// The token of a card, as far as the secrets know of it.
pub async fn add_card_token(world: &World, vault: &Vault, tenant: TenantId, code: i32) {
    let place = SecretLocation { tenant, kind: SecretOwnerKind::CreditCard, code };
    let sealed = vault.seal(&*world.app().random_source, place, b"tok_1").unwrap();
    let input = (tenant, code, sealed);
    let unit = world.db().write(WriteLane::foreground(tenant), input, |tx, (tenant, code, sealed)| {
        Box::pin(secrets::upsert_secret(tx, *tenant, SecretOwnerKind::CreditCard, *code, sealed))
    });
    unit.await.unwrap();
}

/// What has nothing to do with the key.
async fn read_other_tables(world: &World) -> Vec<String> {
    let mut all = Vec::new();
    for table in ["tenants", "users", "branches", "situations", "sellers"] {
        all.push(dump_table(world.db(), table).await);
    }
    all
}

/// The key that the app of a test encrypts with.
pub fn write_own_key(path: &Path) {
    std::fs::write(path, "07".repeat(32)).unwrap();
}

/// Both associations have a receiver, a second factor and a card, sealed with a key that is gone.
async fn lose_key(world: &World, path: &Path) -> Vec<(TenantId, ReceiverCode)> {
    write_own_key(path);
    let vault = start(world.app(), path).await.unwrap();
    let mut added = Vec::new();
    for (tenant, owner) in [(world.here, &world.operator), (world.there, &world.stranger)] {
        added.push((tenant, add_receiver(world, &vault, tenant).await));
        switched_on(world, owner).await;
        add_card_token(world, &vault, tenant, 1).await;
    }
    std::fs::remove_file(path).unwrap();
    assert!(matches!(start(world.app(), path).await, Err(KeyError::KeyLost(_))));
    added
}

#[both_engines]
async fn what_the_lost_key_opened_is_given_up_and_nothing_else(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("amparo.key");
    let added = lose_key(&world, &path).await;
    let before = read_other_tables(&world).await;
    let lost = replace_lost_key(world.app(), &path).await.unwrap();
    assert_eq!(lost, LostSecrets { receivers: added, second_factors: 2, credit_cards: 2 });
    assert_eq!(read_other_tables(&world).await, before);

    let app = world.app();
    let vault = start(app, &path).await.unwrap();
    for (tenant, owner) in [(world.here, &world.operator), (world.there, &world.stranger)] {
        let state = second_factor::read_factor_state(app, tenant, owner.code).await.unwrap();
        assert_eq!(state, SecondFactorState::Off);
        assert!(matches!(enter(app, owner).await, SignInOutcome::Grant(_)), "the password is enough");
        let all = receivers::list_receivers(app, &vault, tenant).await.unwrap();
        assert_eq!((all.len(), all[0].headers.len()), (1, 0));
        assert!(all[0].receiver.active && all[0].receiver.paused.is_some(), "{:?}", all[0].receiver);
    }
    assert!(world.last_mail_to(&world.operator.email).await.contains("acaba de ser desligado"));
    let named =
        sql("SELECT tenant FROM audit WHERE operation = $1 ORDER BY tenant").arg("amparo key replace");
    let audited = world.db().query(storage::QueryWeight::Search, named).await.unwrap();
    assert_eq!(audited.len(), 2 * 3, "of each association a factor, a new secret and a pause");
}

#[both_engines]
async fn an_interrupted_replacement_is_repeated(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("amparo.key");
    let added = lose_key(&world, &path).await;
    // Everything is given up, and then the file cannot be written.
    let nowhere = folder.path().join("none").join("amparo.key");
    assert!(matches!(
        replace_lost_key(world.app(), &nowhere).await,
        Err(LostKeyError::Key(KeyError::File(_)))
    ));
    assert!(matches!(start(world.app(), &path).await, Err(KeyError::KeyLost(_))));
    for _ in 0..2 {
        let again = replace_lost_key(world.app(), &path).await.unwrap();
        let rest = LostSecrets { receivers: added.clone(), ..LostSecrets::default() };
        assert_eq!(again, rest, "what is gone already is not counted again");
        let vault = start(world.app(), &path).await.unwrap();
        for (tenant, code) in &added {
            receivers::load_delivery_target(world.app(), &vault, *tenant, *code).await.unwrap();
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[both_engines]
async fn a_key_that_is_there_or_in_use_is_not_replaced(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("amparo.key");
    let vault = start(world.app(), &path).await.unwrap();
    add_receiver(&world, &vault, world.here).await;
    let before = dump(world.db()).await;
    let key = std::fs::read(&path).unwrap();
    assert!(matches!(
        replace_lost_key(world.app(), &path).await,
        Err(LostKeyError::Key(KeyError::NotLost(_)))
    ));
    std::fs::write(&path, "0".repeat(64)).unwrap();
    assert!(matches!(
        replace_lost_key(world.app(), &path).await,
        Err(LostKeyError::Key(KeyError::OtherKey(_)))
    ));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "0".repeat(64));
    std::fs::remove_file(&path).unwrap();
    app::upkeep::presence::record_heartbeat(world.app(), "another", "0").await.unwrap();
    assert!(matches!(replace_lost_key(world.app(), &path).await, Err(LostKeyError::Key(KeyError::InUse(_)))));
    assert!(!path.exists());
    assert_eq!(dump(world.db()).await, before);
    std::fs::write(&path, key).unwrap();
    start(world.app(), &path).await.unwrap();
}
