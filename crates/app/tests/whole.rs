//! What an archive may do to the server that it is brought into, and what becomes of half of one.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use app::files::{self, Incoming, Owner, Place};
use app::housekeeping::{Retention, run_if_due};
use app::once::Once;
use app::whole::{self, Brought, WholeError};
use app::{App, Vault, triggers};
use domain::{Clock, FileOwner};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use storage::settings::{self, Setting};
use storage::{Lane, Weight, mails, queues, sql};
use testkit::{Database, SERVER_KEY, Server, World, app_on, both_engines, pictures};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const DAY: Duration = Duration::from_secs(24 * 3600);
const RETENTION: Retention = Retention {
    interval: DAY,
    tokens: DAY,
    idempotency_keys: DAY,
    mail_bodies: DAY,
    attempts: DAY,
    login_failures: DAY,
    removed_files: Duration::from_secs(30 * 24 * 3600),
};

fn vault() -> Vault {
    Vault::new(&SERVER_KEY).unwrap()
}

/// An association with a receiver and a mail that wait, and a file that was removed; exported.
struct Scene {
    world: World,
    file: PathBuf,
    removed: files::File,
    folder: tempfile::TempDir,
}

async fn scene(world: World) -> Scene {
    let app = world.app().clone();
    let server = Server::start(app.clone()).await;
    let token = server.token(&world.administrator.email).await;
    let receiver = r#"{"endereco": "https://erp.example/gatilhos", "entidades": ["todos"]}"#;
    assert_eq!(server.write("/gestao/receptor", &token, receiver).await.status, 200);
    let member = r#"{"nomePessoa": "Ana Prado", "cpfCnpj": "52998224725", "codLoja": 2}"#;
    let saved = server.write("/ext/associado", &token, member).await;
    assert_eq!(saved.status, 200);
    let benefit = r#"{"cpfCnpj": "52998224725", "codPlano": 1, "placa": "QQQ1A11"}"#;
    let made = server.write("/ext/beneficio/veicular", &token, benefit).await;
    assert_eq!(made.status, 200, "{made:?}");
    server.stop().await;
    let session = app::access::enter(&app, &token).await.unwrap();
    let record = i32::try_from(saved.json()["codPessoa"].as_i64().unwrap()).unwrap();
    let owner = Owner { of: FileOwner::Member, record };
    let mut incoming = Incoming::new(&app.files);
    incoming.push(&pictures::phone_photo(60, 40)).await.unwrap();
    let attached = files::attach(&app, &session, owner, ("foto.jpg", incoming), Once::each_time()).await;
    let code = attached.unwrap().now().unwrap().file.code;
    let removed = files::remove(&app, &session, code, None, Once::each_time()).await;
    let removed = removed.unwrap().now().unwrap().file;
    let input = (world.here, world.clock.now());
    let unit = app.db.write(Lane::of(world.here), input, |tx, (tenant, now)| {
        let (recipient, subject, text) = ("ana@example.com", "Olá", "Olá");
        let mail = mails::NewMail { recipient, subject, text, html: None, confidential: false };
        Box::pin(async move { mails::enqueue(tx, *tenant, &mail, *now).await })
    });
    unit.await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("associacao.zip");
    let exported = whole::export(&app, vault(), world.here, &file, "test", |_| {}).await.unwrap();
    assert_eq!((exported.manifest.attached(), exported.missing), (2, Vec::new()));
    Scene { world, file, removed, folder }
}

impl Scene {
    /// Another server, which is empty.
    async fn elsewhere(&self) -> (App, Database) {
        let database = Database::fresh(self.world.database.engine).await;
        (app_on(database.open().await, Arc::clone(&self.world.clock), 7), database)
    }

    /// The archive with other lines in one of its files, and everything that is told of them as it should be.
    fn edited(&self, path: &str, edit: impl Fn(&mut Value)) -> PathBuf {
        let mut manifest: Value = serde_json::from_slice(&content(&self.file, "manifesto.json")).unwrap();
        let mut lines = Vec::new();
        for line in content(&self.file, path).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut row: Value = serde_json::from_slice(line).unwrap();
            edit(&mut row);
            lines.extend(serde_json::to_vec(&row).unwrap());
            lines.push(b'\n');
        }
        for told in manifest["files"].as_array_mut().unwrap() {
            if told["path"] == path {
                let digest = Sha256::digest(&lines);
                let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                (told["bytes"], told["sha256"]) = (json!(lines.len()), json!(sha256));
            }
        }
        let to = self.folder.path().join("outra.zip");
        let mut zip = ZipWriter::new(File::create(&to).unwrap());
        let mut old = ZipArchive::new(File::open(&self.file).unwrap()).unwrap();
        let names: Vec<String> = old.file_names().map(|name| name.unwrap().into_owned()).collect();
        for name in names {
            zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
            let mut bytes = Vec::new();
            old.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
            let bytes = match name.as_str() {
                "manifesto.json" => serde_json::to_vec(&manifest).unwrap(),
                name if name == path => lines.clone(),
                _ => bytes,
            };
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap();
        to
    }
}

fn content(archive: &Path, path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zip = ZipArchive::new(File::open(archive).unwrap()).unwrap();
    zip.by_name(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

async fn bring(app: &App, from: &Path, paused: bool) -> Result<Brought, WholeError> {
    Box::pin(whole::bring(app, vault(), from, paused, |_, _| {})).await
}

#[both_engines]
async fn no_archive_names_a_place_that_is_not_of_its_files(world: World) {
    let scene = scene(world).await;
    let here = scene.world.here;
    for key in
        ["", "1", "/var/lib/amparo", &format!("{here}/../2"), &format!("{here}/aa/{}", "bb".repeat(16))]
    {
        let edited = scene.edited("dados/files.jsonl", |row| row["storage_key"] = json!(key));
        let (app, _database) = scene.elsewhere().await;
        let brought = bring(&app, &edited, false).await;
        assert!(
            matches!(&brought, Err(WholeError::Damaged { path, .. }) if path == "dados/files.jsonl"),
            "{brought:?}"
        );
    }
}

/// A column that came later is not in an older archive: it is as it would be after the migration.
#[both_engines]
async fn what_an_older_archive_does_not_have_gets_its_default(world: World) {
    let scene = scene(world).await;
    let older = scene.edited("dados/receivers.jsonl", |row| {
        row.as_object_mut().unwrap().remove("concurrency").unwrap();
    });
    let (app, _database) = scene.elsewhere().await;
    bring(&app, &older, false).await.unwrap();
    let rows = app.db.query(Weight::Search, sql("SELECT concurrency FROM receivers")).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<i64>("concurrency").unwrap()).collect::<Vec<_>>(), [8]);
}

/// Deliveries that came to their end were once in the outbox, with their state.
#[both_engines]
async fn what_was_delivered_in_an_older_archive_is_so_here(world: World) {
    let scene = scene(world).await;
    for (state, pending) in [(1, 1), (2, 0), (3, 0)] {
        let older = scene.edited("dados/outbox.jsonl", |row| {
            row["state"] = json!(state);
            row["tries"] = json!(4);
            if state != 1 {
                row["ended_at"] = json!("2026-11-14T13:32:05Z");
            }
        });
        let (app, _database) = scene.elsewhere().await;
        bring(&app, &older, false).await.unwrap();
        let count = async |text: &'static str| -> i64 {
            app.db.query(Weight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
        };
        assert_eq!(count("SELECT COUNT(*) AS n FROM outbox WHERE tries = 4").await, pending, "{state}");
        let ended = "SELECT COUNT(*) AS n FROM deliveries WHERE tries = 4 AND ended_at = 1794663125000";
        assert_eq!(count(ended).await, 1 - pending, "{state}");
        let receiver = domain::ReceiverCode::new(1);
        let page = triggers::page(&app, scene.world.here, receiver, None, domain::HistoryCode::new(0)).await;
        let states: Vec<i64> = page.unwrap().iter().map(|told| told.delivery.state.number()).collect();
        assert_eq!(states, [state]);
    }
}

/// Its doors are closed to what happens by itself, too; and what the last of the commands says counts.
#[both_engines]
async fn nothing_leaves_half_an_association_and_nothing_of_it_is_swept(world: World) {
    let scene = scene(world).await;
    let (mut app, _database) = scene.elsewhere().await;
    let files = std::mem::take(&mut app.files);
    assert!(matches!(bring(&app, &scene.file, false).await, Err(WholeError::App(app::Error::Files(_)))));
    scene.world.clock.pass(31 * DAY);
    let now = scene.world.clock.now();
    assert!(mails::due(&app.db, now, 100).await.unwrap().is_empty());
    assert!(queues::due(&app.db, now).await.unwrap().is_empty());
    run_if_due(&app, &RETENTION).await.unwrap().unwrap();
    let file = storage::files::find(&app.db, scene.world.here, scene.removed.code).await.unwrap();
    assert!(file.is_some(), "its bytes are still on their way");

    app.files = files;
    let (other, _other) = scene.elsewhere().await;
    assert!(bring(&app, &scene.file, true).await.unwrap().before > 0);
    bring(&other, &scene.file, false).await.unwrap();
    for (app, sends) in [(&app, false), (&other, true)] {
        assert_eq!(!mails::due(&app.db, now, 100).await.unwrap().is_empty(), sends);
        assert_eq!(!queues::due(&app.db, now).await.unwrap().is_empty(), sends);
    }
    scene.world.clock.pass(2 * DAY);
    run_if_due(&app, &RETENTION).await.unwrap().unwrap();
    let file = storage::files::find(&app.db, scene.world.here, scene.removed.code).await.unwrap();
    assert!(file.is_none(), "it is swept like any other");
}

/// They were free when it began, and are somebody's when it comes to them.
#[both_engines]
async fn a_login_that_was_taken_meanwhile_is_told_by_its_name(world: World) {
    let scene = scene(world).await;
    let (here, email) = (scene.world.here, scene.world.administrator.email.clone());
    let own = scene.world.db();
    let manifest = Sha256::digest(content(&scene.file, "manifesto.json"));
    let digest: String = manifest[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let progress = format!("base={here} archive={digest} step=logins done=0");
    let set = own.write(Lane::of(here), progress, |tx, text| {
        Box::pin(async move { settings::set(tx, Setting::Bringing, text).await })
    });
    set.await.unwrap();
    let brought = bring(scene.world.app(), &scene.file, false).await;
    assert!(matches!(&brought, Err(WholeError::LoginsTaken(taken)) if taken.contains(&email)), "{brought:?}");
}

/// What cannot be carried is named, also where the small picture of it is still there.
#[both_engines]
async fn a_file_that_was_lost_is_told_by_its_code(world: World) {
    let scene = scene(world).await;
    let mut app = scene.world.app().clone();
    let root = scene.folder.path().join("arquivos");
    app.files = Place::folder(&root, app.files.limits).unwrap();
    let folder = root.join(&scene.removed.storage_key);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("miniatura"), b"small").unwrap();
    let to = scene.folder.path().join("perdida.zip");
    let exported = whole::export(&app, vault(), scene.world.here, &to, "test", |_| {}).await.unwrap();
    assert_eq!(exported.missing, [i64::from(scene.removed.code.get())]);
    assert_eq!(exported.manifest.attached(), 1);

    let again = whole::export(&app, vault(), scene.world.here, &to, "test", |_| {}).await;
    assert!(matches!(again, Err(WholeError::Exists(_))));
    app.files = Place::default();
    let never = scene.folder.path().join("nunca.zip");
    assert!(whole::export(&app, vault(), scene.world.here, &never, "test", |_| {}).await.is_err());
    let left: Vec<_> =
        std::fs::read_dir(scene.folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.iter().filter(|name| name.to_str().unwrap().contains("zip")).count(), 2, "{left:?}");
}
