//! What becomes of those who were signed in when an older copy of the database is put back.

use app::upkeep::database_life::{self, DatabaseLifeVerdict, DatabaseLifeWatch, RestoreReason};
use std::path::Path;
use std::time::Duration;
use storage::server::settings::{self, ServerSetting};
use storage::server::versions::CacheVersions;
use storage::{QueryWeight, WriteLane, sql};
use testkit::{Engine, Server, World, both_engines, until};

async fn set(world: &World, text: String) {
    let unit = world.db().write(WriteLane::foreground(domain::TenantId::SERVER), text, |tx, text| {
        Box::pin(async move { settings::upsert_setting(tx, ServerSetting::Life, text).await })
    });
    unit.await.unwrap();
}

async fn kept(world: &World) -> String {
    settings::find_setting(world.db(), ServerSetting::Life).await.unwrap().unwrap()
}

/// How a database is watched: by what it says of itself, or by a file beside it.
fn watch(world: &World, folder: &Path) -> DatabaseLifeWatch {
    let has_file = world.database.engine == Engine::Sqlite;
    DatabaseLifeWatch::new(has_file.then(|| folder.join("amparo.db.mark")))
}

#[both_engines]
async fn a_copy_that_is_put_back_is_noticed_once(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let (app, watch) = (world.app(), watch(&world, folder.path()));
    assert_eq!(
        database_life::check_database_life(app, &watch).await.unwrap(),
        DatabaseLifeVerdict::FirstCheck
    );
    let copy = kept(&world).await;
    for _ in 0..3 {
        assert_eq!(
            database_life::continue_database_life(app, &watch).await.unwrap(),
            DatabaseLifeVerdict::SameDatabase
        );
    }
    assert_eq!(
        database_life::check_database_life(app, &watch).await.unwrap(),
        DatabaseLifeVerdict::SameDatabase,
        "a restart is none"
    );

    // The older copy: of a file, what it was; of a server, what another one said.
    let reason = match &watch.mark {
        Some(_) => {
            set(&world, copy).await;
            RestoreReason::BehindMark
        }
        None => {
            let (start, _) = copy.split_once("identity=").unwrap();
            set(&world, format!("{start}identity=1/00000001/2")).await;
            RestoreReason::OtherDatabase
        }
    };
    let found = match &watch.mark {
        Some(_) => database_life::check_database_life(app, &watch).await.unwrap(),
        // Noticed while it is served, too.
        None => database_life::continue_database_life(app, &watch).await.unwrap(),
    };
    assert_eq!(found, DatabaseLifeVerdict::RestoredCopy(reason));
    for app in world.processes() {
        assert_eq!(
            database_life::continue_database_life(app, &watch).await.unwrap(),
            DatabaseLifeVerdict::SameDatabase,
            "by one process, once"
        );
    }
    assert_eq!(
        database_life::check_database_life(app, &watch).await.unwrap(),
        DatabaseLifeVerdict::SameDatabase
    );
}

#[both_engines]
async fn a_mark_is_readable_by_its_owner_alone_and_its_loss_is_a_copy(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let watch = watch(&world, folder.path());
    let Some(path) = &watch.mark else { return };
    database_life::check_database_life(world.app(), &watch).await.unwrap();
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    for wrong in [None, Some("rubbish"), Some("ffff 1")] {
        match wrong {
            None => std::fs::remove_file(path).unwrap(),
            Some(text) => std::fs::write(path, text).unwrap(),
        }
        let found = database_life::check_database_life(world.app(), &watch).await.unwrap();
        assert_eq!(found, DatabaseLifeVerdict::RestoredCopy(RestoreReason::NoMark), "{wrong:?}");
        assert_eq!(
            database_life::check_database_life(world.app(), &watch).await.unwrap(),
            DatabaseLifeVerdict::SameDatabase
        );
    }
}

#[both_engines]
async fn a_new_life_begins_without_the_sessions_of_before(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let watch = watch(&world, folder.path());
    let mut servers = Vec::new();
    for app in world.processes() {
        servers.push(Server::start(app.clone()).await);
    }
    let first = &servers[0];
    let mut tokens = Vec::new();
    for email in [world.administrator.email.as_str(), "admin@ali.example"] {
        tokens.push(first.token(email).await);
    }
    // A process that saw more of a later state than there is now.
    let later = CacheVersions { access: 40, registers: 40 };
    for app in world.processes() {
        app.versions.raise(world.here, later);
        app::cache::refresh_versions(app).await.unwrap();
    }
    for server in &servers {
        for token in &tokens {
            assert_eq!(server.read("/ext/administracao/loja", token).await.status, 200);
        }
    }
    let links = async || -> i64 {
        let asked = sql("SELECT COUNT(*) AS n FROM password_resets");
        world.db().query(QueryWeight::Search, asked).await.unwrap()[0].get("n").unwrap()
    };
    let email = domain::Email::parse(&world.administrator.email).unwrap();
    app::access::password_reset::request_reset_link(world.app(), email, None).unwrap();
    until("a link is on its way", || async { links().await == 1 }).await;
    database_life::begin_new_life(world.app(), &watch).await.unwrap();
    for (app, server) in world.processes().iter().zip(&servers) {
        for token in &tokens {
            until("each process has ended it", || async {
                app::cache::refresh_versions(app).await.unwrap();
                server.read("/ext/administracao/loja", token).await.status == 401
            })
            .await;
        }
    }
    assert_eq!(links().await, 0, "no link sets a password");
    world.clock.pass(Duration::from_secs(1));
    for email in [world.administrator.email.as_str(), "admin@ali.example"] {
        let token = first.token(email).await;
        let audit = first.read("/gestao/auditoria", &token).await.body;
        assert!(audit.contains("todas as sessões foram encerradas"), "{audit}");
    }
    assert_eq!(
        database_life::check_database_life(world.app(), &watch).await.unwrap(),
        DatabaseLifeVerdict::SameDatabase,
        "it was told already"
    );
    for server in servers {
        server.stop().await;
    }
}
