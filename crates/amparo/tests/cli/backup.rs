//! Backups through the real binary: made beside a server, restored elsewhere, damaged, interrupted, pruned, scheduled.

use super::bucket_store::open_store;
use super::files::{attached, call, founded, token};
use super::{Amparo, Serving, sentence};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Database, Engine, both_engines, until};

const PASSPHRASE: &str = "uma frase longa para as cópias";

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(list_files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Runs a command with the passphrase of the backups.
fn with_passphrase(amparo: &Amparo, line: &str, passphrase: &str) -> std::process::Output {
    amparo.command(line).env("AMPARO_BACKUP_PASSPHRASE", passphrase).output().unwrap()
}

fn get(serving: &Serving, path: &str, bearer: &str) -> (String, Vec<u8>) {
    call(&serving.address, &format!("GET {path}"), &[("Authorization", bearer)], b"")
}

fn add_member(serving: &Serving, bearer: &str, name: &str, document: &str) {
    let json = [("Authorization", bearer), ("Content-Type", "application/json")];
    let member = format!(r#"{{"nomePessoa": "{name}", "cpfCnpj": "{document}"}}"#);
    let (head, _) = call(&serving.address, "POST /ext/associado", &json, member.as_bytes());
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

fn is_known(serving: &Serving, bearer: &str, name: &str) -> bool {
    let (head, body) = get(serving, &format!("/ext/associado?nome={name}"), bearer);
    assert!(head.starts_with("HTTP/1.1 200") || head.starts_with("HTTP/1.1 404"), "{head}");
    String::from_utf8_lossy(&body).to_lowercase().contains(name)
}

#[both_engines]
async fn a_backup_made_beside_a_server_brings_everything_back_elsewhere(database: Database) {
    let engine = database.engine;
    let here = Amparo::new(database);
    founded(&here);
    let copies = here.folder.path().join("copias");
    let (to, from) = (format!("--to {}", copies.display()), format!("--from {}", copies.display()));
    let serving = here.serve();
    let bearer = token(&serving.address);
    let photo = attached(&serving.address, &bearer);
    let (_, content) = get(&serving, &format!("{photo}/conteudo"), &bearer);
    let made = with_passphrase(&here, &format!("backup create {to}"), PASSPHRASE);
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(said.contains("2 arquivos anexados (2 novos)") && !said.contains("não é cifrada"), "{said}");
    add_member(&serving, &bearer, "Bia Posterior", "11144477735");
    assert!(is_known(&serving, &bearer, "posterior"));
    assert_eq!(serving.terminate(), 0);

    // Nothing of it can be read without the passphrase.
    let key = std::fs::read(here.key()).unwrap();
    for file in list_files(&copies) {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&copies).unwrap().permissions().mode() & 0o777, 0o700);
        let bytes = std::fs::read(&file).unwrap();
        let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        assert!(!holds(&key) && !holds(b"Ana Prado") && !holds(&content[..64]), "{}", file.display());
    }
    assert!(here.complained(&format!("backup list {from}")).contains("são cifradas"));
    let wrong = with_passphrase(&here, &format!("backup verify {from}"), "uma outra frase longa");
    assert!(sentence(&wrong).contains("não é a que cifrou"));
    let good = with_passphrase(&here, &format!("backup verify {from}"), PASSPHRASE);
    let good = String::from_utf8(good.stdout).unwrap();
    assert!(good.contains("está boa") && good.contains("2 arquivos anexados"), "{good}");

    let there = Amparo::new(Database::without_schema(engine).await);
    let restored = with_passphrase(&there, &format!("backup restore {from}"), PASSPHRASE);
    assert!(restored.status.success(), "{restored:?}");
    let said = String::from_utf8(restored.stdout).unwrap();
    assert!(said.contains("Arquivos anexados gravados: 2;") && said.contains("sessões"), "{said}");
    assert_eq!(std::fs::read(there.key()).unwrap(), key);
    let doctor = there.run("doctor --listen 127.0.0.1:0");
    assert!(doctor.status.success(), "{doctor:?}");
    let serving = there.serve();
    let (refused, _) = get(&serving, "/ext/administracao/loja", &bearer);
    assert!(refused.starts_with("HTTP/1.1 401"), "a session does not come back: {refused}");
    let again = token(&serving.address);
    assert_eq!(get(&serving, &format!("{photo}/conteudo"), &again).1, content);
    assert!(is_known(&serving, &again, "prado"));
    assert!(!is_known(&serving, &again, "posterior"), "what came after the backup is not in it");
    assert_eq!(serving.terminate(), 0);

    // A database that is there is not destroyed.
    let refused = with_passphrase(&there, &format!("backup restore {from}"), PASSPHRASE);
    assert!(sentence(&refused).contains("nada foi mudado"));
}

/// The log of the old database is folded into it before it is set aside, so that the log never meets the restored file.
#[testkit::test]
async fn a_file_that_is_replaced_is_set_aside_with_its_log() {
    let amparo = Amparo::new(Database::fresh(Engine::Sqlite).await);
    founded(&amparo);
    let copies = amparo.folder.path().join("copias");
    amparo.said(&format!("backup create --to {}", copies.display()));
    let serving = amparo.serve();
    let bearer = token(&serving.address);
    add_member(&serving, &bearer, "Caio Perdido", "52998224725");
    let restore = format!("backup restore --from {} --replace", copies.display());
    assert!(amparo.complained(&restore).contains("Outro servidor Amparo"), "a served file stays");
    serving.kill();
    let file = PathBuf::from(amparo.database.address_text().strip_prefix("sqlite:").unwrap());
    let log = PathBuf::from(format!("{}-wal", file.display()));
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "killed with a log");
    let said = amparo.said(&restore);
    assert!(said.contains("posto de lado") && said.contains("amparo.db.antes-"), "{said}");
    let aside: Vec<PathBuf> = list_files(file.parent().unwrap())
        .into_iter()
        .filter(|path| path.display().to_string().contains(".antes-"))
        .collect();
    let logs = aside.iter().filter(|path| path.display().to_string().ends_with("-wal"));
    assert_eq!((aside.len(), logs.count()), (2, 0), "the database and its activity: {aside:?}");
    let serving = amparo.serve();
    assert!(!is_known(&serving, &token(&serving.address), "perdido"));
    assert_eq!(serving.terminate(), 0);
    assert!(amparo.run("doctor --listen 127.0.0.1:0").status.success());

    // What was set aside still opens, with what was answered last.
    let database = aside
        .iter()
        .find(|path| {
            path.display().to_string().contains("amparo.db.antes-")
                && !path.display().to_string().ends_with("-wal")
                && !path.display().to_string().ends_with("-shm")
        })
        .unwrap();
    let mut list = super::bare(amparo.folder.path());
    list.args(["user", "list", "--database", &format!("sqlite:{}", database.display())]);
    let listed = list.output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("ana@exemplo.com.br"), "{listed:?}");
}

#[both_engines]
async fn whatever_is_damaged_is_noticed_before_anything_is_replaced(database: Database) {
    let engine = database.engine;
    let here = Amparo::new(database);
    founded(&here);
    let serving = here.serve();
    attached(&serving.address, &token(&serving.address));
    assert_eq!(serving.terminate(), 0);
    let copies = here.folder.path().join("copias");
    let from = format!("--from {}", copies.display());
    here.said(&format!("backup create --to {}", copies.display()));
    let there = Amparo::new(Database::without_schema(engine).await);
    let files: Vec<PathBuf> = list_files(&copies)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "gz") || path.ends_with("dados"))
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        let mut altered = whole.clone();
        let middle = altered.len() / 2;
        altered[middle] ^= 0x10;
        for damaged in [altered, whole[..whole.len() - 1].to_vec()] {
            std::fs::write(&file, damaged).unwrap();
            let told = here.complained(&format!("backup verify {from}"));
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            assert!(told.contains("danificad") && told.contains(&name), "{name}: {told}");
        }
        if !file.ends_with("dados") {
            let told = there.complained(&format!("backup restore {from}"));
            assert!(told.contains("danificado") || told.contains("pg_restore"), "{told}");
            assert!(there.database.folder().is_none_or(|folder| !folder.join("amparo.db").exists()));
        }
        std::fs::remove_file(&file).unwrap();
        assert!(here.complained(&format!("backup verify {from}")).contains("danificada"));
        std::fs::write(&file, whole).unwrap();
    }
    assert!(here.said(&format!("backup verify {from}")).contains("está boa"));
    assert!(there.said(&format!("backup restore {from}")).contains("voltou à cópia"));
}

#[both_engines]
async fn old_backups_and_what_was_interrupted_go(database: Database) {
    let amparo = Amparo::new(database);
    founded(&amparo);
    let serving = amparo.serve();
    let bearer = token(&serving.address);
    attached(&serving.address, &bearer);
    let copies = amparo.folder.path().join("copias");
    let create = format!(
        "backup create --to {} --backup-keep-daily 1 --backup-keep-weekly 0 --backup-keep-monthly 0",
        copies.display()
    );
    assert!(amparo.said(&create).contains("não é cifrada"));
    let names = || -> Vec<String> {
        let listed = amparo.said(&format!("backup list --from {}", copies.display()));
        listed.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let first = names();
    assert_eq!(first.len(), 1);
    // Left by one that was killed: a backup without its manifest, and an attachment of nobody.
    let unfinished = copies.join("copias/20200101T000000Z/amparo.db.gz#1");
    let needless = copies.join("anexos/9/ab/ab0123456789abcdef0123456789abcd/dados");
    let partial = copies.join("anexos/9/ab/ab0123456789abcdef0123456789abcd/miniatura#1");
    for file in [&unfinished, &needless, &partial] {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, b"x").unwrap();
    }
    assert_eq!(names(), first, "what has no manifest is no backup");
    let said = amparo.said(&create);
    assert!(said.contains("(0 novos)") && said.contains(&format!("apagadas: {}", first[0])), "{said}");
    assert!(!unfinished.exists() && !needless.exists() && !partial.exists());
    let second = names();
    assert_eq!(second.len(), 1);
    assert_ne!(second, first);
    assert!(
        amparo.said(&format!("backup verify --from {}", copies.display())).contains("2 arquivos anexados")
    );
    assert_eq!(serving.terminate(), 0);

    // A manifest that cannot be read, or is dated in the future, takes nothing else with it.
    let (future, damaged) = (copies.join("copias/29990101T000000Z"), copies.join("copias/20210101T000000Z"));
    for folder in [&future, &damaged] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(damaged.join("manifesto.json"), b"{").unwrap();
    let newest =
        std::fs::read_to_string(copies.join("copias").join(&second[0]).join("manifesto.json")).unwrap();
    std::fs::write(future.join("manifesto.json"), newest.replace(&second[0], "29990101T000000Z")).unwrap();
    let from = format!("--from {}", copies.display());
    assert!(amparo.said(&format!("backup list {from}")).contains("20210101T000000Z  danificada"));
    assert!(amparo.said(&format!("backup verify {from}")).contains(&second[0]), "not the one of the future");
    assert!(amparo.said(&create).contains("pronta em"));
    let third = names();
    assert!(
        third.iter().any(|name| *name > second[0] && name.starts_with("20") && !name.starts_with("2999")),
        "{third:?}"
    );
    assert!(amparo.said(&format!("backup verify {from}")).contains("2 arquivos anexados"));
    for folder in [&future, &damaged] {
        std::fs::remove_dir_all(folder).unwrap();
    }

    // One at a time.
    let lock = std::fs::File::create(copies.join("em-andamento.json")).unwrap();
    lock.lock().unwrap();
    assert!(amparo.complained(&create).contains("Outra cópia está sendo feita"));
    drop(lock);
    assert!(amparo.said(&create).contains("pronta em"));

    // Without its head nothing more is added, and what is there can still be read.
    std::fs::remove_file(copies.join("amparo-backup.json")).unwrap();
    assert!(amparo.complained(&create).contains("falta o arquivo amparo-backup.json"));
    assert!(amparo.said(&format!("backup verify {from}")).contains("está boa"));
}

/// Whoever may read the folder of the backups, reads nothing in it.
#[testkit::test]
async fn a_folder_that_was_open_already_shows_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let amparo = Amparo::new(Database::fresh(Engine::Sqlite).await);
    founded(&amparo);
    let copies = amparo.folder.path().join("copias");
    std::fs::create_dir(&copies).unwrap();
    std::fs::set_permissions(&copies, std::fs::Permissions::from_mode(0o755)).unwrap();
    amparo.said(&format!("backup create --to {}", copies.display()));
    for name in ["copias", "anexos"] {
        let mode = std::fs::metadata(copies.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{name}");
    }
    std::fs::set_permissions(copies.join("copias"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = amparo.said(&format!("doctor --listen 127.0.0.1:0 --backup-folder {}", copies.display()));
    assert!(said.contains("aviso  cópias") && said.contains("chmod -R go="), "{said}");
}

/// The key of the database belongs to it.
#[both_engines]
async fn a_backup_without_its_key_is_refused(database: Database) {
    let amparo = Amparo::new(database);
    founded(&amparo);
    let create = format!("backup create --to {}", amparo.folder.path().join("copias").display());
    assert!(amparo.said(&create).contains("ainda não tem nenhuma"));
    amparo.said("receiver add --url http://erp.example/gatilhos --entity todos");
    let key = std::fs::read(amparo.key()).unwrap();
    std::fs::remove_file(amparo.key()).unwrap();
    assert!(amparo.complained(&create).contains("A chave do servidor não está"));
    std::fs::write(amparo.key(), "0".repeat(64)).unwrap();
    assert!(amparo.complained(&create).contains("não é a deste banco"));
    std::fs::write(amparo.key(), key).unwrap();
    assert!(amparo.said(&create).contains("pronta em"));
}

/// One file that cannot be read does not keep all others from being copied.
#[testkit::test]
async fn an_attachment_that_is_gone_is_told_and_the_rest_is_copied() {
    let amparo = Amparo::new(Database::fresh(Engine::Sqlite).await);
    founded(&amparo);
    let serving = amparo.serve();
    attached(&serving.address, &token(&serving.address));
    assert_eq!(serving.terminate(), 0);
    let folder = amparo.database.folder().unwrap().join("arquivos");
    let content = list_files(&folder).into_iter().find(|path| path.ends_with("dados")).unwrap();
    std::fs::write(&content, b"outra coisa").unwrap();
    let create = format!("backup create --to {}", amparo.folder.path().join("copias").display());
    let said = amparo.said(&create);
    assert!(said.contains("1 arquivos anexados (1 novos)") && said.contains("não foram copiados"), "{said}");
    std::fs::remove_file(&content).unwrap();
    std::fs::create_dir(&content).unwrap();
    assert!(amparo.said(&create).contains("não foram copiados"));
}

#[both_engines]
async fn a_server_makes_backups_by_itself(database: Database) {
    let amparo = Amparo::new(database);
    founded(&amparo);
    let copies = amparo.folder.path().join("copias");
    let place = format!("--backup-folder {}", copies.display());
    let line = format!(
        "serve --listen 127.0.0.1:0 --log-level warn --housekeeping-heartbeat 10ms --backup-times 03:00 {place}"
    );
    let doctor = format!("doctor --listen 127.0.0.1:0 {place}");
    let serving = Amparo::started(&mut amparo.command(&line));
    let done = "amparo_backups_total{result=\"done\"} 1";
    until("the first backup", || async { metrics(&serving).contains(done) }).await;
    assert!(metrics(&serving).contains("amparo_backups_total{result=\"failed\"} 0"));
    assert!(!metrics(&serving).contains("amparo_backup_last_success_timestamp_seconds 0"));
    assert!(metrics(&serving).contains("amparo_backup_scheduled 1"));
    assert!(amparo.said(&doctor).contains("ok     cópias"), "{}", amparo.said(&doctor));
    assert_eq!(serving.terminate(), 0);
    let listed = amparo.said(&format!("backup list {place}"));
    assert_eq!(listed.lines().count(), 1, "{listed}");

    // The next one is due at three, whatever restarts.
    let serving = Amparo::started(&mut amparo.command(&line));
    until("the age of the newest backup", || async {
        !metrics(&serving).contains("amparo_backup_last_success_timestamp_seconds 0")
    })
    .await;
    assert!(metrics(&serving).contains("amparo_backups_total{result=\"done\"} 0"));
    assert_eq!(serving.terminate(), 0);
    let told = amparo.complained("serve --listen 127.0.0.1:0 --backup-times 03:00");
    assert!(told.contains("onde ficam as cópias"), "{told}");
    let told = amparo.complained(&format!("serve --listen 127.0.0.1:0 --backup-times 3h {place}"));
    assert!(told.contains("como 03:00"), "{told}");
}

fn metrics(serving: &Serving) -> String {
    let mut stream = std::net::TcpStream::connect(&serving.address).unwrap();
    std::io::Write::write_all(
        &mut stream,
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    answer
}

#[both_engines]
async fn backups_are_kept_in_a_bucket(database: Database) {
    let engine = database.engine;
    let (store, endpoint) = open_store().await;
    let here = Amparo::new(database);
    founded(&here);
    let serving = here.serve();
    attached(&serving.address, &token(&serving.address));
    assert_eq!(serving.terminate(), 0);
    let run = async |amparo: &Amparo, line: &str| {
        let mut command = amparo.command(line);
        on_bucket(&mut command, &endpoint);
        // The store is asked beside this runtime.
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let made = run(&here, "backup create").await;
    assert!(made.status.success(), "{made:?}");
    assert!(String::from_utf8_lossy(&made.stdout).contains("s3:copias"), "{made:?}");
    let keys = store.keys();
    assert!(keys.iter().all(|key| key.starts_with("/copias/amparo/")), "{keys:?}");
    assert!(!keys.iter().any(|key| key.contains("em-andamento")), "the lock is released: {keys:?}");
    let verified = run(&here, "backup verify").await;
    assert!(verified.status.success(), "{verified:?}");
    let there = Amparo::new(Database::without_schema(engine).await);
    let restored = run(&there, "backup restore").await;
    assert!(restored.status.success(), "{restored:?}");
    let doctor = run(&there, "doctor --listen 127.0.0.1:0").await;
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("ok     cópias"), "{doctor:?}");

    // A lock that was left behind long ago holds nothing.
    let lock = r#"{"processo":"x","momento":0}"#.into();
    store.objects.lock().unwrap().insert("/copias/amparo/em-andamento.json".to_owned(), lock);
    let made = run(&here, "backup create").await;
    assert!(made.status.success(), "{made:?}");
}

fn on_bucket(command: &mut Command, endpoint: &str) {
    command.args(["--backup-place", "s3", "--backup-s3-endpoint", endpoint, "--backup-s3-bucket", "copias"]);
    command.args(["--backup-s3-prefix", "amparo/"]);
    command
        .env("AMPARO_BACKUP_S3_ACCESS_KEY", "chave-de-teste")
        .env("AMPARO_BACKUP_S3_SECRET_KEY", "segredo");
}

#[both_engines]
async fn what_cannot_be_backed_up_or_restored_is_told_in_one_sentence(database: Database) {
    let engine = database.engine;
    let amparo = Amparo::new(database);
    assert!(amparo.complained("backup create").contains("Falta dizer onde"), "no place");
    let copies = amparo.folder.path().join("copias");
    let from = format!("--from {}", copies.display());
    assert!(amparo.complained(&format!("backup list {from}")).contains("não existe"));
    std::fs::create_dir(&copies).unwrap();
    assert!(amparo.complained(&format!("backup restore {from}")).contains("Não há nenhuma cópia"));
    founded(&amparo);
    assert_eq!(amparo.serve().terminate(), 0);
    amparo.said(&format!("backup create --to {}", copies.display()));
    for name in ["20200101T000000Z", "../..", "x"] {
        assert!(
            amparo.complained(&format!("backup restore {from} --name {name}")).contains("Não há uma cópia")
        );
    }
    let encrypted = with_passphrase(&amparo, &format!("backup create --to {}", copies.display()), PASSPHRASE);
    assert!(sentence(&encrypted).contains("não são cifradas"));
    let short = with_passphrase(&amparo, &format!("backup list {from}"), "curta");
    assert!(sentence(&short).contains("pelo menos 12"));
    let other = match engine {
        Engine::Sqlite => Engine::Postgres,
        Engine::Postgres => Engine::Sqlite,
    };
    if other == Engine::Sqlite || testkit::has_server() {
        let elsewhere = Amparo::new(Database::without_schema(other).await);
        assert!(elsewhere.complained(&format!("backup restore {from}")).contains("do outro banco"));
    }
    // Another key in the place of the key.
    let there = Amparo::new(Database::without_schema(engine).await);
    std::fs::write(there.key(), "outra").unwrap();
    assert!(there.complained(&format!("backup restore {from}")).contains("tem outra chave"));
    assert_eq!(std::fs::read(there.key()).unwrap(), b"outra");
}
