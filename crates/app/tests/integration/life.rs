//! What becomes of those who were signed in when an older copy of the database is put back.

use app::life::{self, Found, Reason, Watch};
use std::path::Path;
use std::time::Duration;
use storage::settings::{self, Setting};
use storage::versions::Versions;
use storage::{Lane, Weight, sql};
use testkit::{Engine, Server, World, both_engines, until};

async fn set(world: &World, text: String) {
    let unit = world.db().write(Lane::of(domain::TenantId::SERVER), text, |tx, text| {
        Box::pin(async move { settings::set(tx, Setting::Life, text).await })
    });
    unit.await.unwrap();
}

async fn kept(world: &World) -> String {
    settings::get(world.db(), Setting::Life).await.unwrap().unwrap()
}

/// How a database is watched: by what it says of itself, or by a file beside it.
fn watch(world: &World, folder: &Path) -> Watch {
    let has_file = world.database.engine == Engine::Sqlite;
    Watch { mark: has_file.then(|| folder.join("amparo.db.mark")) }
}

#[both_engines]
async fn a_copy_that_is_put_back_is_noticed_once(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let (app, watch) = (world.app(), watch(&world, folder.path()));
    assert_eq!(life::check(app, &watch).await.unwrap(), Found::First);
    let copy = kept(&world).await;
    for _ in 0..3 {
        assert_eq!(life::keep(app, &watch).await.unwrap(), Found::Same);
    }
    assert_eq!(life::check(app, &watch).await.unwrap(), Found::Same, "a restart is none");

    // The older copy: of a file, what it was; of a server, what another one said.
    let reason = match &watch.mark {
        Some(_) => {
            set(&world, copy).await;
            Reason::BehindMark
        }
        None => {
            let (start, _) = copy.split_once("identity=").unwrap();
            set(&world, format!("{start}identity=1/00000001/2")).await;
            Reason::OtherDatabase
        }
    };
    let found = match &watch.mark {
        Some(_) => life::check(app, &watch).await.unwrap(),
        // Noticed while it is served, too.
        None => life::keep(app, &watch).await.unwrap(),
    };
    assert_eq!(found, Found::PutBack(reason));
    for app in world.processes() {
        assert_eq!(life::keep(app, &watch).await.unwrap(), Found::Same, "by one process, once");
    }
    assert_eq!(life::check(app, &watch).await.unwrap(), Found::Same);
}

#[both_engines]
async fn a_mark_is_readable_by_its_owner_alone_and_its_loss_is_a_copy(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let watch = watch(&world, folder.path());
    let Some(path) = &watch.mark else { return };
    life::check(world.app(), &watch).await.unwrap();
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    for wrong in [None, Some("rubbish"), Some("ffff 1")] {
        match wrong {
            None => std::fs::remove_file(path).unwrap(),
            Some(text) => std::fs::write(path, text).unwrap(),
        }
        let found = life::check(world.app(), &watch).await.unwrap();
        assert_eq!(found, Found::PutBack(Reason::NoMark), "{wrong:?}");
        assert_eq!(life::check(world.app(), &watch).await.unwrap(), Found::Same);
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
    let later = Versions { access: 40, registers: 40 };
    for app in world.processes() {
        app.memory.raise(world.here, later);
        app::memory::renew(app).await.unwrap();
    }
    for server in &servers {
        for token in &tokens {
            assert_eq!(server.read("/ext/administracao/loja", token).await.status, 200);
        }
    }
    let links = async || -> i64 {
        let asked = sql("SELECT COUNT(*) AS n FROM password_resets");
        world.db().query(Weight::Search, asked).await.unwrap()[0].get("n").unwrap()
    };
    let email = domain::Email::parse(&world.administrator.email).unwrap();
    app::resets::request(world.app(), email, None).unwrap();
    until("a link is on its way", || async { links().await == 1 }).await;
    life::begin_life(world.app(), &watch).await.unwrap();
    for (app, server) in world.processes().iter().zip(&servers) {
        for token in &tokens {
            until("each process has ended it", || async {
                app::memory::renew(app).await.unwrap();
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
    assert_eq!(life::check(world.app(), &watch).await.unwrap(), Found::Same, "it was told already");
    for server in servers {
        server.stop().await;
    }
}
