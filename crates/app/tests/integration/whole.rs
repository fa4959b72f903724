//! What an archive may do to the server that it is brought into, and what becomes of half of one.

use app::attachments::{self, FileOwnerRecord, FileStore, UploadBuffer};
use app::idempotency::IdempotentWrite;
use app::tenants::NewTenantInput;
use app::upkeep::housekeeping::{RetentionPolicy, run_if_due};
use app::{App, Vault, triggers};
use domain::{Clock, FileOwner};
use exchange::archive::{self, ArchiveError, RestoreOptions, RestoreOutcome};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use storage::server::mails;
use storage::server::settings::{self, ServerSetting};
use storage::triggers::queues;
use storage::{QueryWeight, WriteLane, sql};
use testkit::{Database, SERVER_KEY, Server, World, app_on, both_engines, pictures};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const DAY: Duration = Duration::from_hours(24);
const RETENTION: RetentionPolicy = RetentionPolicy {
    interval: DAY,
    tokens: DAY,
    idempotency_keys: DAY,
    mail_bodies: DAY,
    attempts: DAY,
    login_failures: DAY,
    removed_files: Duration::from_hours(720),
};

fn vault() -> Vault {
    Vault::new(&SERVER_KEY).unwrap()
}

/// An association with a receiver and a mail that wait, and a file that was removed; exported.
struct Scene {
    world: World,
    file: PathBuf,
    removed: attachments::AttachedFile,
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
    let session = app::session::load_session(&app, &token).await.unwrap();
    let record = i32::try_from(saved.json()["codPessoa"].as_i64().unwrap()).unwrap();
    let owner = FileOwnerRecord { of: FileOwner::Member, record };
    let mut incoming = UploadBuffer::new(&app.files);
    incoming.push(&pictures::phone_photo(60, 40)).await.unwrap();
    let attached = attachments::attach_file(
        &app,
        &session,
        owner,
        ("foto.jpg", incoming),
        IdempotentWrite::without_key(),
    )
    .await;
    let code = attached.unwrap().into_fresh().unwrap().file.code;
    let removed = attachments::remove_file(&app, &session, code, None, IdempotentWrite::without_key()).await;
    let removed = removed.unwrap().into_fresh().unwrap().file;
    let benefit = i32::try_from(made.json()["codBeneficio"].as_i64().unwrap()).unwrap();
    let debtor = testkit::Debtor { branch: 2, person: record, benefit };
    testkit::insert_money_rows(&app.db, world.here, debtor, 700).await;
    let input = (world.here, world.clock.now());
    let unit = app.db.write(WriteLane::foreground(world.here), input, |tx, (tenant, now)| {
        let (recipient, subject, text) = ("ana@example.com", "Olá", "Olá");
        let mail = mails::NewMailRow { recipient, subject, text, html: None, confidential: false };
        Box::pin(async move { mails::enqueue_mail(tx, *tenant, &mail, *now).await })
    });
    unit.await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("associacao.zip");
    let exported = archive::export_archive(&app, vault(), world.here, &file, "test", |_| {}).await.unwrap();
    assert_eq!((exported.manifest.attachment_count(), exported.missing), (2, Vec::new()));
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
        let (mut lines, mut renamed) = (Vec::new(), BTreeMap::new());
        for line in content(&self.file, path).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut row: Value = serde_json::from_slice(line).unwrap();
            let before = row["path"].as_str().map(str::to_owned);
            edit(&mut row);
            // The list of what was attached names other files of the archive.
            if let (Some(before), Some(after)) = (before, row["path"].as_str()) {
                renamed.insert(before, after.to_owned());
            }
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
            let now = renamed.get(&name).unwrap_or(&name);
            zip.start_file(now.as_str(), SimpleFileOptions::default()).unwrap();
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

async fn bring(app: &App, from: &Path, paused: bool) -> Result<RestoreOutcome, ArchiveError> {
    bring_with(app, from, RestoreOptions { paused, with_hosts: true, with_mails: true }).await
}

async fn bring_with(app: &App, from: &Path, options: RestoreOptions) -> Result<RestoreOutcome, ArchiveError> {
    Box::pin(archive::restore_archive(app, vault(), from, options, |_, _| {})).await
}

/// How many rows there are of each table, but for those that every database has.
async fn rows(app: &App) -> BTreeMap<String, i64> {
    let mut all = BTreeMap::new();
    let left = storage::exchange::archive::LEFT_BEHIND
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !name.contains('.'));
    for table in storage::exchange::archive::list_archive_tables().iter().map(|table| table.name).chain(left)
    {
        let counted = app
            .db
            .query(QueryWeight::Search, sql("SELECT COUNT(*) AS n FROM").append_text(table))
            .await
            .unwrap();
        all.insert(table.to_owned(), counted[0].get("n").unwrap());
    }
    all
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
            matches!(&brought, Err(ArchiveError::Damaged { path, .. }) if path == "dados/files.jsonl"),
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
    let rows = app.db.query(QueryWeight::Search, sql("SELECT concurrency FROM receivers")).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<i64>("concurrency").unwrap()).collect::<Vec<_>>(), [8]);
}

/// An archive from before there was money: the association is as a migrated one, which is as one that is born today.
#[both_engines]
async fn an_archive_without_registers_of_money_gets_those_of_every_association(world: World) {
    let born = NewTenantInput {
        name: "Nascida".to_owned(),
        branch: "Matriz".to_owned(),
        time_zone: "America/Sao_Paulo".to_owned(),
        hosts: Vec::new(),
        make_default: false,
    };
    let born = app::tenants::create_tenant(world.app(), &born).await.unwrap().tenant;
    let folder = tempfile::tempdir().unwrap();
    let (file, older) = (folder.path().join("nova.zip"), folder.path().join("velha.zip"));
    archive::export_archive(world.app(), vault(), born, &file, "test", |_| {}).await.unwrap();
    write_older_archive(&file, &older);
    let database = Database::fresh(world.database.engine).await;
    let app = app_on(database.open().await, Arc::clone(&world.clock), 7);
    world.clock.pass(DAY);
    bring(&app, &older, false).await.unwrap();
    for table in MONEY_REGISTERS.into_iter().chain(["counters", "situations"]) {
        let of_tenant = async |app: &App| -> Vec<String> {
            let rows = testkit::dump_table(&app.db, table).await;
            let start = format!("{table}: {born} | ");
            let moves = |line: &&str| line.contains("\"audit\"") || line.contains("\"access\"");
            rows.lines().filter(|line| line.starts_with(&start) && !moves(line)).map(str::to_owned).collect()
        };
        let rows = of_tenant(&app).await;
        assert_eq!(rows, of_tenant(world.app()).await, "{table}");
        assert_eq!(rows.is_empty(), EMPTY_REGISTERS.contains(&table), "{table}");
    }
    // What has groups keeps its own, and gets no others.
    let scene = scene(world).await;
    let (app, _database) = scene.elsewhere().await;
    bring(&app, &scene.file, false).await.unwrap();
    let start = format!("protection_groups: {} | ", scene.world.here);
    let groups = testkit::dump_table(scene.world.db(), "protection_groups").await;
    let groups: String =
        groups.lines().filter(|line| line.starts_with(&start)).map(|line| format!("{line}\n")).collect();
    assert_eq!(testkit::dump_table(&app.db, "protection_groups").await, groups);
}

const MONEY_REGISTERS: [&str; 12] = [
    "protection_groups",
    "charge_items",
    "late_charge_rules",
    "title_types",
    "payment_forms",
    "money_accounts",
    "settlement_types",
    "bank_holidays",
    "plan_prices",
    "discounts",
    "charging_rules",
    "benefit_discounts",
];

/// Those that an association is born without.
const EMPTY_REGISTERS: [&str; 4] = ["bank_holidays", "plan_prices", "discounts", "benefit_discounts"];

/// What was added to older tables since.
const NEWER_COLUMNS: [&str; 7] = [
    "money_rights",
    "protection_group",
    "charge_item",
    "joining_fee",
    "is_price_agreed",
    "is_charged",
    "old_search_answer",
];

/// The archive as it was written before schema 25: without the files of money, their counters and their columns.
fn write_older_archive(from: &Path, to: &Path) {
    let mut old = ZipArchive::new(File::open(from).unwrap()).unwrap();
    let names: Vec<String> = old.file_names().map(|name| name.unwrap().into_owned()).collect();
    let others = ["titles", "imported_titles", "opening_balances"];
    let tables = MONEY_REGISTERS.into_iter().chain(testkit::APPEND_ONLY).chain(others);
    let gone: Vec<String> = tables.map(|table| format!("dados/{table}.jsonl")).collect();
    let counted: Vec<String> =
        MONEY_REGISTERS.iter().map(|table| table.strip_suffix('s').unwrap().to_owned()).collect();
    let mut manifest: Value = serde_json::from_slice(&content(from, "manifesto.json")).unwrap();
    let mut zip = ZipWriter::new(File::create(to).unwrap());
    manifest["schema"] = json!(24);
    let files = manifest["files"].as_array_mut().unwrap();
    files.retain(|file| !gone.iter().any(|path| file["path"] == path.as_str()));
    for name in names.iter().filter(|name| !gone.contains(name) && *name != "manifesto.json") {
        let mut bytes = Vec::new();
        old.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        let shorter = ["counters", "users", "plans", "items", "situations"];
        if shorter.iter().any(|table| *name == format!("dados/{table}.jsonl")) {
            let (mut lines, mut rows) = (Vec::new(), 0);
            for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let mut row: Value = serde_json::from_slice(line).unwrap();
                let row_map = row.as_object_mut().unwrap();
                for column in NEWER_COLUMNS {
                    row_map.remove(column);
                }
                if !row["kind"].as_str().is_some_and(|kind| counted.iter().any(|one| one == kind)) {
                    lines.extend(serde_json::to_vec(&row).unwrap());
                    lines.push(b'\n');
                    rows += 1;
                }
            }
            let file = files.iter_mut().find(|file| file["path"] == name.as_str()).unwrap();
            let digest: String = Sha256::digest(&lines).iter().map(|byte| format!("{byte:02x}")).collect();
            (file["bytes"], file["sha256"], file["rows"]) = (json!(lines.len()), json!(digest), json!(rows));
            bytes = lines;
        }
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.start_file("manifesto.json", SimpleFileOptions::default()).unwrap();
    zip.write_all(&serde_json::to_vec(&manifest).unwrap()).unwrap();
    zip.finish().unwrap();
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
            app.db.query(QueryWeight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
        };
        assert_eq!(count("SELECT COUNT(*) AS n FROM outbox WHERE tries = 4").await, pending, "{state}");
        let ended = "SELECT COUNT(*) AS n FROM deliveries WHERE tries = 4 AND ended_at = 1794663125000";
        assert_eq!(count(ended).await, 1 - pending, "{state}");
        let receiver = domain::ReceiverCode::new(1);
        let page =
            triggers::list_deliveries(&app, scene.world.here, receiver, None, domain::HistoryCode::new(0))
                .await;
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
    assert!(matches!(bring(&app, &scene.file, false).await, Err(ArchiveError::App(app::Error::Files(_)))));
    scene.world.clock.pass(31 * DAY);
    let now = scene.world.clock.now();
    assert!(mails::list_due_mails(&app.db, now, 100).await.unwrap().is_empty());
    assert!(queues::list_due_receivers(&app.db, now).await.unwrap().is_empty());
    run_if_due(&app, &RETENTION).await.unwrap().unwrap();
    let file = storage::attachments::find_file(&app.db, scene.world.here, scene.removed.code).await.unwrap();
    assert!(file.is_some(), "its bytes are still on their way");

    app.files = files;
    let (other, _other) = scene.elsewhere().await;
    assert!(bring(&app, &scene.file, true).await.unwrap().before > 0);
    bring(&other, &scene.file, false).await.unwrap();
    for (app, sends) in [(&app, false), (&other, true)] {
        assert_eq!(!mails::list_due_mails(&app.db, now, 100).await.unwrap().is_empty(), sends);
        assert_eq!(!queues::list_due_receivers(&app.db, now).await.unwrap().is_empty(), sends);
    }
    scene.world.clock.pass(2 * DAY);
    run_if_due(&app, &RETENTION).await.unwrap().unwrap();
    let file = storage::attachments::find_file(&app.db, scene.world.here, scene.removed.code).await.unwrap();
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
    let set = own.write(WriteLane::foreground(here), progress, |tx, text| {
        Box::pin(async move { settings::upsert_setting(tx, ServerSetting::ArchiveRestore, text).await })
    });
    set.await.unwrap();
    let brought = bring(scene.world.app(), &scene.file, false).await;
    assert!(
        matches!(&brought, Err(ArchiveError::LoginsTaken(taken)) if taken.contains(&email)),
        "{brought:?}"
    );
}

/// What cannot be carried is named, also where the small picture of it is still there.
#[both_engines]
async fn a_file_that_was_lost_is_told_by_its_code(world: World) {
    let scene = scene(world).await;
    let mut app = scene.world.app().clone();
    let root = scene.folder.path().join("arquivos");
    app.files = FileStore::open_folder(&root, app.files.limits).unwrap();
    let folder = root.join(&scene.removed.storage_key);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("miniatura"), b"small").unwrap();
    let to = scene.folder.path().join("perdida.zip");
    let exported =
        archive::export_archive(&app, vault(), scene.world.here, &to, "test", |_| {}).await.unwrap();
    assert_eq!(exported.missing, [i64::from(scene.removed.code.get())]);
    assert_eq!(exported.manifest.attachment_count(), 1);

    let again = archive::export_archive(&app, vault(), scene.world.here, &to, "test", |_| {}).await;
    assert!(matches!(again, Err(ArchiveError::FileExists(_))));
    app.files = FileStore::default();
    let never = scene.folder.path().join("nunca.zip");
    assert!(archive::export_archive(&app, vault(), scene.world.here, &never, "test", |_| {}).await.is_err());
    let left: Vec<_> =
        std::fs::read_dir(scene.folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.iter().filter(|name| name.to_str().unwrap().contains("zip")).count(), 2, "{left:?}");
}

/// Gives the file itself another name; the small picture of it keeps its own.
fn rename(row: &mut Value, to: &str) {
    if row["path"].as_str().unwrap().ends_with("/dados") {
        row["path"] = json!(to);
    }
}

/// A row that cannot be written, a name that is nobody's to take, a part that leads elsewhere: whatever is wrong, nothing of it
/// is written, and the next archive is welcome.
#[both_engines]
async fn an_archive_is_judged_whole_before_its_first_row_is_written(world: World) {
    let scene = scene(world).await;
    let (app, _database) = scene.elsewhere().await;
    let before = rows(&app).await;
    let refused = async |path: &str, what: &str, edit: &(dyn Fn(&mut Value) + Sync)| {
        let edited = scene.edited(path, edit);
        let brought = bring(&app, &edited, false).await;
        let Err(error @ (ArchiveError::BadRow { .. } | ArchiveError::Damaged { .. })) = brought else {
            panic!("{path}: {brought:?}")
        };
        assert!(error.to_string().contains(what), "{path}: {error}");
        assert_eq!(rows(&app).await, before, "{path}: {error}");
        assert_eq!(
            app::upkeep::unfinished_restore::find_unfinished_restore(&app).await.unwrap(),
            None,
            "{path}"
        );
    };
    let hash = |text: &'static str| move |row: &mut Value| row["password_hash"] = json!(text);
    let costly =
        "$argon2id$v=19$m=1048576,t=3,p=1$BwcHBwcHBwcHBwcHBwcHBw$u6dnrLvmXl4B0TmHFyPzZ3tDcUXgRvMJm0FAvX1nyVM";
    for text in [costly, "nao e um hash", ""] {
        refused("dados/users.jsonl", "a senha do usuário 1 (", &hash(text)).await;
    }
    refused("dados/users.jsonl", "email is missing", &|row| row["email"] = json!(null)).await;
    refused("dados/users.jsonl", "role", &|row| row["role"] = json!("rei")).await;
    refused("dados/users.jsonl", "no cor", &|row| row["cor"] = json!(1)).await;
    refused("dados/people.jsonl", "U+0000", &|row| row["name"] = json!("a\u{0}b")).await;
    refused("dados/branches.jsonl", "key", &|row| row["code"] = json!(1)).await;
    refused("dados/tenants.jsonl", "time_zone", &|row| row["time_zone"] = json!("Brasil/Sampa")).await;
    refused("arquivos.jsonl", "no row names", &|row| rename(row, "arquivos/../../outside/dados")).await;
    let other = format!("arquivos/{}/aa/aa{}/dados", scene.world.here, "b".repeat(30));
    refused("arquivos.jsonl", "no row names", &|row| rename(row, &other)).await;
    bring(&app, &scene.file, false).await.unwrap();
}

/// What leads to an association, and what leaves it, is not taken from a file unless somebody says so.
#[both_engines]
async fn hosts_and_mails_come_only_where_they_are_asked_for(world: World) {
    let here = world.here;
    app::tenants::hosts::add_host(world.app(), here, "aqui.example").await.unwrap();
    let scene = scene(world).await;
    let now = scene.world.clock.now();
    for (with_hosts, with_mails) in [(false, false), (true, false), (false, true)] {
        let (app, _database) = scene.elsewhere().await;
        let options = RestoreOptions { paused: false, with_hosts, with_mails };
        let brought = bring_with(&app, &scene.file, options).await.unwrap();
        assert_eq!(!mails::list_due_mails(&app.db, now, 100).await.unwrap().is_empty(), with_mails);
        assert_eq!(brought.held_mails, u64::from(!with_mails), "it is here, and stays");
        let hosts = app::tenants::hosts::list_hosts(&app, here).await.unwrap();
        assert_eq!(hosts, if with_hosts { vec!["aqui.example".to_owned()] } else { Vec::new() });
    }
    for host in ["127.0.0.1", "localhost", "2130706433", "amparo.example", "a b", "Aqui.example"] {
        let edited = scene.edited("dados/hosts.jsonl", |row| row["host"] = json!(host));
        let (mut app, _database) = scene.elsewhere().await;
        app.public_url = "https://amparo.example".into();
        let asked = RestoreOptions { with_hosts: true, ..RestoreOptions::default() };
        let brought = bring_with(&app, &edited, asked).await;
        assert!(
            matches!(&brought, Err(ArchiveError::BadRow { path, .. }) if path == "dados/hosts.jsonl"),
            "{host}: {brought:?}"
        );
        bring_with(&app, &edited, RestoreOptions::default()).await.unwrap();
    }
}

#[both_engines]
async fn half_an_association_is_discarded_and_leaves_nothing(world: World) {
    let scene = scene(world).await;
    let (mut app, _database) = scene.elsewhere().await;
    assert!(matches!(
        archive::discard_unfinished_restore(&app, |_| {}).await,
        Err(ArchiveError::NoUnfinishedRestore)
    ));
    let root = scene.folder.path().join("arquivos");
    let limits = app.files.limits;
    app.files = FileStore::open_folder(&root, limits).unwrap();
    let before = rows(&app).await;

    // All its rows and files are there; its names cannot be told apart from those of a row that is not there.
    let (cut, mut cut_off) = tokio::sync::mpsc::unbounded_channel();
    let file = scene.file.clone();
    let bringing = Box::pin(archive::restore_archive(
        &app,
        vault(),
        &file,
        RestoreOptions::default(),
        move |step, _| {
            if step == archive::RestoreStep::Indexing {
                let _ = cut.send(());
            }
        },
    ));
    tokio::select! {
        biased;
        _ = cut_off.recv() => {}
        ended = bringing => { panic!("{ended:?}") }
    }
    assert_eq!(
        app::upkeep::unfinished_restore::find_unfinished_restore(&app).await.unwrap(),
        Some(scene.world.here)
    );
    assert!(rows(&app).await["people"] > 0);
    assert!(root.join(&scene.removed.storage_key).join("dados").exists());

    let discarded = archive::discard_unfinished_restore(&app, |_| {}).await.unwrap();
    assert!(discarded.tenant == scene.world.here && discarded.rows > 100, "{discarded:?}");
    let mut after = rows(&app).await;
    // How new things are is told for ever, and that a number was taken.
    for table in ["versions", "counters"] {
        after.insert(table.to_owned(), before[table]);
    }
    assert_eq!(after, before);
    assert!(!root.join(&scene.removed.storage_key).exists());
    assert_eq!(app::upkeep::unfinished_restore::find_unfinished_restore(&app).await.unwrap(), None);
    assert!(matches!(
        archive::discard_unfinished_restore(&app, |_| {}).await,
        Err(ArchiveError::NoUnfinishedRestore)
    ));

    bring(&app, &scene.file, false).await.unwrap();
    let server = Server::start(app.clone()).await;
    let token = server.token(&scene.world.administrator.email).await;
    let found = server.read("/ext/associado?nome=prado", &token).await;
    assert_eq!(found.json()["quantidade"], 1, "{found:?}");
    server.stop().await;
}
