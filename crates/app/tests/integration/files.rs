//! What becomes of files while nobody looks: removed for good when it is time, whole after a crash, and carried elsewhere.

use app::App;
use app::attachments::{
    self, AttachedFile, ContentPart, FileOwnerRecord, FileStore, StorageLimits, UploadBuffer,
};
use app::idempotency::IdempotentWrite;
use app::session::Session;
use app::upkeep::housekeeping::{RetentionPolicy, run_if_due};
use domain::{Clock, FileOwner};
use futures_util::StreamExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use storage::{QueryWeight, WriteLane, sql};
use testkit::{World, both_engines, pictures};

const DAY: Duration = Duration::from_hours(24);
const RETENTION: RetentionPolicy = RetentionPolicy {
    interval: Duration::from_hours(1),
    tokens: DAY,
    idempotency_keys: DAY,
    mail_bodies: DAY,
    attempts: DAY,
    login_failures: DAY,
    removed_files: Duration::from_hours(720),
};

/// The administrator's session, a member, and a folder that all processes share.
struct Scene {
    world: World,
    apps: Vec<App>,
    session: Arc<Session>,
    owner: FileOwnerRecord,
    folder: tempfile::TempDir,
}

async fn scene(world: World) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let mut apps = world.processes().to_vec();
    for app in &mut apps {
        app.files = FileStore::open_folder(&folder.path().join("arquivos"), StorageLimits::DEFAULT).unwrap();
    }
    let session = entered(&world, &apps[0]).await;
    let input =
        wire::read::read_body(br#"{"nomePessoa": "Ana Prado", "cpfCnpj": "52998224725", "codLoja": 2}"#)
            .unwrap();
    let saved = app::members::save_person(&apps[0], &session, input, IdempotentWrite::without_key())
        .await
        .unwrap()
        .into_fresh()
        .unwrap();
    let owner = FileOwnerRecord { of: FileOwner::Member, record: saved.code.get() };
    Scene { world, apps, session, owner, folder }
}

async fn entered(world: &World, app: &App) -> Arc<Session> {
    let server = testkit::Server::start(app.clone()).await;
    let token = server.token(&world.administrator.email).await;
    server.stop().await;
    app::session::load_session(app, &token).await.unwrap()
}

impl Scene {
    async fn attach(&self, bytes: &[u8]) -> AttachedFile {
        let app = &self.apps[0];
        let mut incoming = UploadBuffer::new(&app.files);
        for piece in bytes.chunks(100_000) {
            incoming.push(piece).await.unwrap();
        }
        let done = attachments::attach_file(
            app,
            &self.session,
            self.owner,
            ("foto.jpg", incoming),
            IdempotentWrite::without_key(),
        )
        .await;
        done.unwrap().into_fresh().unwrap().file
    }

    /// What lies in the folder, by its path in it.
    fn kept(&self) -> Vec<String> {
        let root = self.folder.path().join("arquivos");
        let mut found = Vec::new();
        walk(&root, &root, &mut found);
        found.sort();
        found
    }

    async fn sweep(&self) {
        self.world.clock.pass(Duration::from_secs(3601));
        for app in &self.apps {
            run_if_due(app, &RETENTION).await.unwrap();
        }
    }

    /// No row vouches for this key any more.
    async fn loosen(&self, key: &str) {
        let tenant = self.world.here;
        let loosened = storage::attachments::insert_orphan_mark(tenant, key, self.world.clock.now());
        let db = self.world.db();
        let unit = db.write(WriteLane::foreground(tenant), loosened, |tx, one| {
            Box::pin(tx.execute_batch(vec![one.clone()]))
        });
        unit.await.unwrap();
    }

    async fn total(&self) -> (i64, i64) {
        storage::attachments::load_file_totals(&self.apps[0].db, self.world.here).await.unwrap()
    }
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => walk(root, &path, found),
            false => found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()),
        }
    }
}

async fn loose(scene: &Scene) -> usize {
    let statement = sql("SELECT storage_key FROM loose_files WHERE tenant = $1").arg(scene.world.here);
    scene.world.db().query(QueryWeight::Search, statement).await.unwrap().len()
}

#[both_engines]
async fn what_was_removed_stays_for_its_time_and_then_goes(world: World) {
    let scene = scene(world).await;
    let file = scene.attach(&pictures::phone_photo(2000, 1500)).await;
    let other = scene.attach(&pictures::pdf()).await;
    assert_eq!(scene.kept().len(), 3, "{:?}", scene.kept());
    assert_eq!(scene.total().await, (2, file.size + other.size));
    let remove = async || {
        let removed = attachments::remove_file(
            &scene.apps[0],
            &scene.session,
            file.code,
            None,
            IdempotentWrite::without_key(),
        )
        .await;
        removed.unwrap();
    };
    remove().await;
    scene.world.clock.pass(29 * DAY);
    scene.sweep().await;
    let restored = attachments::restore_file(
        &scene.apps[0],
        &scene.session,
        file.code,
        None,
        IdempotentWrite::without_key(),
    )
    .await;
    assert!(restored.unwrap().into_fresh().unwrap().file.removed.is_none());
    let (_, stream) =
        attachments::open_file_content(&scene.apps[0], &scene.session, file.code, ContentPart::Data)
            .await
            .unwrap();
    let read: Vec<u8> = stream.unwrap().bytes.map(|piece| piece.unwrap().to_vec()).concat().await;
    assert_eq!(i64::try_from(read.len()).unwrap(), file.size);
    remove().await;
    scene.world.clock.pass(31 * DAY);
    scene.sweep().await;
    assert_eq!(scene.kept(), [format!("{}/dados", other.storage_key)]);
    assert_eq!((scene.total().await, loose(&scene).await), ((1, other.size), 0));
    let gone = attachments::restore_file(
        &scene.apps[0],
        &scene.session,
        file.code,
        None,
        IdempotentWrite::without_key(),
    )
    .await;
    assert!(matches!(gone, Err(app::Error::NotFound { .. })), "{gone:?}");
    // Its code is nobody else's.
    assert!(scene.attach(&pictures::docx()).await.code > other.code);
}

/// Killed between the bytes and the row, and while the bytes were written: neither is ever seen, and both are removed.
#[both_engines]
async fn bytes_that_no_file_was_made_of_are_removed_after_a_day(world: World) {
    let scene = scene(world).await;
    let kept = scene.attach(&pictures::pdf()).await;
    let root = scene.folder.path().join("arquivos");
    let tenant = scene.world.here;
    let key = |byte: &str| format!("{tenant}/{byte}/{}", byte.repeat(16));
    let (whole, half) = (key("aa"), key("bb"));
    for key in [&whole, &half] {
        std::fs::create_dir_all(root.join(key)).unwrap();
        scene.loosen(key).await;
    }
    std::fs::write(root.join(&whole).join("dados"), b"whole").unwrap();
    std::fs::write(root.join(&half).join("dados#1"), b"ha").unwrap();
    scene.world.clock.pass((23 * Duration::from_hours(1)).checked_sub(Duration::from_secs(3700)).unwrap());
    scene.sweep().await;
    assert_eq!(scene.kept().len(), 3, "one may still be on its way");
    scene.world.clock.pass(Duration::from_hours(2));
    scene.sweep().await;
    assert_eq!(scene.kept(), [format!("{}/dados", kept.storage_key)]);
    assert_eq!(loose(&scene).await, 0);
    assert_eq!(
        attachments::list_owner_files(&scene.apps[0], &scene.session, scene.owner).await.unwrap().files.len(),
        1
    );
}

/// Whatever a row says, only what is under a key is removed; and what cannot be keeps nothing else from going.
#[both_engines]
async fn what_is_no_key_leads_to_nothing_and_holds_nobody_up(world: World) {
    let scene = scene(world).await;
    let kept = scene.attach(&pictures::pdf()).await;
    let tenant = scene.world.here;
    let beside = scene.folder.path().join("outra");
    std::fs::create_dir(&beside).unwrap();
    let mut strange = vec![String::new(), tenant.to_string(), "../outra".to_owned()];
    strange.push(beside.to_str().unwrap().to_owned());
    strange.push(kept.storage_key.rsplit_once('/').unwrap().0.to_owned());
    strange.extend((0..50).map(|number| format!("{tenant}/zz/{number}")));
    for key in &strange {
        scene.loosen(key).await;
    }
    scene.world.clock.pass(Duration::from_secs(1));
    let gone = format!("{tenant}/aa/{}", "aa".repeat(16));
    let folder = scene.folder.path().join("arquivos").join(&gone);
    std::fs::create_dir_all(&folder).unwrap();
    scene.loosen(&gone).await;
    scene.world.clock.pass(25 * Duration::from_hours(1));
    scene.sweep().await;
    scene.sweep().await;
    assert!(!folder.exists() && beside.exists());
    assert_eq!(scene.kept(), [format!("{}/dados", kept.storage_key)]);
    assert_eq!(loose(&scene).await, strange.len());
}

/// What took so long that its bytes were swept is no file, and says so.
#[both_engines]
async fn a_file_is_written_down_only_while_its_bytes_are_there(world: World) {
    let scene = scene(world).await;
    let file = scene.attach(&pictures::pdf()).await;
    assert_eq!(loose(&scene).await, 0, "what is written down is no longer loose");
    let (_, stream) =
        attachments::open_file_content(&scene.apps[0], &scene.session, file.code, ContentPart::Data)
            .await
            .unwrap();
    let read: Vec<u8> = stream.unwrap().bytes.map(|piece| piece.unwrap().to_vec()).concat().await;
    assert_eq!(read, pictures::pdf());
    use std::os::unix::fs::PermissionsExt;
    let root = std::fs::metadata(scene.folder.path().join("arquivos")).unwrap();
    assert_eq!(root.permissions().mode() & 0o077, 0, "nobody else looks in");
}
