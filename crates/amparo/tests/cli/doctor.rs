//! `amparo doctor`: every check, with what it is there to find.

use super::starting::limited;
use super::{Amparo, files};
use domain::{Moment, TenantId};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use storage::server::settings::{self, ServerSetting};
use storage::server::{mails, processes};
use storage::{QueryWeight, WriteLane, sql};
use testkit::{Database, Engine, RecordingMailServer, both_engines, until};

const DOCTOR: &str = "doctor --listen 127.0.0.1:0";

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The lines of a check, and how `doctor` ended.
fn checked(amparo: &Amparo, line: &str, what: &str) -> (Vec<String>, bool) {
    // What the command asks, a server of this runtime may answer.
    let output = tokio::task::block_in_place(|| amparo.run(&format!("{DOCTOR} {line}")));
    let said = text(&output);
    let lines: Vec<String> =
        said.lines().filter(|line| line[7..].starts_with(what)).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{what}: {said} {output:?}");
    (lines, output.status.success())
}

#[track_caller]
fn assert_check(amparo: &Amparo, line: &str, what: &str, (verdict, part): (&str, &str)) {
    let (lines, is_healthy) = checked(amparo, line, what);
    let is_there = lines.iter().any(|line| line.starts_with(verdict) && line.contains(part));
    assert!(is_there, "{verdict} … {part}: {lines:#?}");
    assert!(verdict != "erro" || !is_healthy, "an error is told by the exit code: {lines:#?}");
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[both_engines]
async fn doctor_tells_what_is_there_and_what_to_do(database: Database) {
    let amparo = Amparo::new(database);
    let first = amparo.run(DOCTOR);
    if amparo.database.engine == Engine::Sqlite {
        assert!(!first.status.success(), "there is no file yet");
        assert!(text(&first).contains("amparo migrate"));
        assert!(!amparo.database.folder().unwrap().join("amparo.db").exists(), "looking creates nothing");
    }
    assert!(amparo.said("migrate").contains("Banco de dados") || amparo.database.engine == Engine::Postgres);
    assert!(amparo.said("migrate").contains("já está na versão"));
    let empty = amparo.said(DOCTOR);
    assert!(empty.contains("nenhuma ainda") && empty.contains("ainda não existe"), "{empty}");
    assert!(empty.contains("aviso  e-mail") && empty.contains(".eml em "), "{empty}");
    assert!(empty.contains("ok     gravação") && empty.contains("ok     leitura"), "{empty}");
    let has_way = empty.contains("ok     conexão          por um soquete desta máquina");
    assert_eq!(has_way, amparo.database.engine == Engine::Postgres, "{empty}");
    let serving = amparo.serve();
    let alive = amparo.said(DOCTOR);
    assert!(alive.contains("no ar: 0.1.0 desde") && alive.contains("é a deste banco"), "{alive}");
    assert!(alive.contains("ok     gravação"), "also beside a server: {alive}");
    assert_eq!(serving.terminate(), 0);
    assert!(amparo.said(DOCTOR).contains("nenhum no ar agora"));
    std::fs::write(amparo.key(), "0".repeat(64)).unwrap();
    assert_check(&amparo, "", "chave", ("erro", "não é a deste banco"));
    assert!(amparo.complained("serve --listen 127.0.0.1:0 --log-level off").contains("não é a deste banco"));
}

#[both_engines]
async fn doctor_speaks_json_to_programs(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("migrate");
    let told: serde_json::Value = serde_json::from_str(&amparo.said(&format!("{DOCTOR} --json"))).unwrap();
    let is_writing = |one: &serde_json::Value| one["conferencia"] == "gravação" && one["resultado"] == "ok";
    assert!(told.as_array().unwrap().iter().any(is_writing), "{told}");
}

#[both_engines]
async fn doctor_notices_that_writing_fails(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("migrate");
    match amparo.database.engine {
        Engine::Sqlite => {
            // A limit on the size of files is met as a full disk is: the system refuses to let the log grow.
            let limit = "trap \"\" XFSZ; ulimit -f 80";
            let output = limited(&amparo, limit, DOCTOR).output().unwrap();
            assert!(!output.status.success() && text(&output).contains("erro   gravação"), "{output:?}");
        }
        Engine::Postgres => {
            let address = amparo.database.address_text();
            let name = address.rsplit('/').next().unwrap();
            let read_only = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
            Database::statement(address, &read_only).await;
            assert_check(&amparo, "", "gravação", ("erro", "só aceita leituras"));
        }
    }
}

#[both_engines]
async fn doctor_notices_what_cannot_be_read(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("demo load --members 100 --seed 1");
    assert_check(&amparo, "", "leitura", ("ok", "por inteiro"));
    // The pages of a database server are its own to check.
    let Some(folder) = amparo.database.folder() else { return };
    let db = amparo.database.open().await;
    let rows =
        db.query(QueryWeight::Search, sql("SELECT rootpage FROM sqlite_master WHERE name = 'history'")).await;
    let page: i64 = rows.unwrap()[0].get("rootpage").unwrap();
    db.close().await;
    let mut file = std::fs::File::options().write(true).open(folder.join("amparo.db")).unwrap();
    file.seek(SeekFrom::Start((page as u64 - 1) * 4096)).unwrap();
    file.write_all(&[0xFF; 4096]).unwrap();
    assert_check(&amparo, "", "leitura", ("erro", "danificado"));
}

#[both_engines]
async fn doctor_names_weak_durability(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("migrate");
    if amparo.database.engine == Engine::Sqlite {
        return assert_check(&amparo, "", "durabilidade", ("ok", "queda de energia"));
    }
    let address = amparo.database.address_text();
    let name = address.rsplit('/').next().unwrap();
    Database::statement(address, &format!("ALTER DATABASE {name} SET synchronous_commit = off")).await;
    assert_check(&amparo, "", "durabilidade", ("aviso", "synchronous_commit"));
}

#[both_engines]
async fn doctor_enters_the_mail_server_and_sends_nothing(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("migrate");
    let server = RecordingMailServer::start().await;
    assert_check(
        &amparo,
        &format!("--mail-smtp {}", server.url),
        "e-mail",
        ("ok", "pelo servidor 127.0.0.1"),
    );
    assert!(server.mails().is_empty());
    let unreachable = "--mail-smtp smtp://ana:abracadabra@127.0.0.1:1";
    assert_check(&amparo, unreachable, "e-mail", ("erro", "nenhum servidor atende"));
    assert!(!text(&amparo.run(&format!("{DOCTOR} {unreachable}"))).contains("abracadabra"));
    assert_check(&amparo, unreachable, "configuração", ("aviso", "AMPARO_MAIL_SMTP"));
}

#[both_engines]
async fn doctor_looks_at_the_certificate(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("migrate");
    let folder = amparo.folder.path();
    let flags = "--tls-cert-file cert.pem --tls-key-file key.pem";
    std::fs::write(folder.join("cert.pem"), "isto não é um certificado").unwrap();
    std::fs::write(folder.join("key.pem"), "nem isto uma chave").unwrap();
    assert_check(&amparo, flags, "certificado", ("erro", "key.pem"));
    let certify = |year: i32| {
        let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let pair = rcgen::KeyPair::generate().unwrap();
        std::fs::write(folder.join("cert.pem"), params.self_signed(&pair).unwrap().pem()).unwrap();
        std::fs::write(folder.join("key.pem"), pair.serialize_pem()).unwrap();
    };
    certify(2999);
    assert_check(&amparo, flags, "certificado", ("ok", "2999-01-01"));
    std::fs::write(folder.join("key.pem"), rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
    assert_check(&amparo, flags, "certificado", ("erro", "cert.pem"));
    certify(2021);
    assert_check(&amparo, flags, "certificado", ("erro", "venceu em 2021-01-01"));
    let open = amparo.run("doctor --listen 0.0.0.0:0");
    assert!(text(&open).contains("aviso  certificado") && open.status.success(), "{open:?}");
}

#[both_engines]
async fn doctor_misses_attachments_that_are_gone(database: Database) {
    let amparo = Amparo::new(database);
    files::founded(&amparo);
    let serving = amparo.serve();
    files::attached(&serving.address, &files::token(&serving.address));
    assert_eq!(serving.terminate(), 0);
    assert_check(&amparo, "", "anexos", ("ok", "1 conferidos, todos lá"));
    let folder = match amparo.database.folder() {
        Some(folder) => folder.join("arquivos/1"),
        None => amparo.folder.path().join("arquivos/1"),
    };
    std::fs::remove_dir_all(folder).unwrap();
    assert_check(&amparo, "", "anexos", ("erro", "1 faltam (base 1 arquivo 1)"));
}

#[both_engines]
async fn doctor_names_receivers_that_get_nothing(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    amparo.said("receiver add --url https://erp.exemplo.com.br/gatilhos --entity todos");
    assert_check(&amparo, "", "receptores", ("ok", "nenhum pausado"));
    amparo.said("receiver pause --code 1");
    assert_check(&amparo, "", "receptores", ("aviso", "o receptor 1 da base 1 está pausado"));
    assert!(amparo.run(DOCTOR).status.success(), "a warning is no failure");
}

#[both_engines]
async fn doctor_notices_mail_that_does_not_leave_and_half_of_an_association(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    let db = amparo.database.open().await;
    let server = WriteLane::foreground(TenantId::SERVER);
    let written = db.write(server, (), |tx, ()| {
        Box::pin(async move {
            settings::upsert_setting(
                tx,
                ServerSetting::ArchiveRestore,
                "base=7 archive=x step=people done=0",
            )
            .await?;
            let mail = mails::NewMailRow {
                recipient: "a@b.example",
                subject: "x",
                text: "x",
                html: None,
                confidential: false,
            };
            mails::enqueue_mail(tx, TenantId::new(1), &mail, Moment::from_millis(0)).await?;
            // Somebody whose clock is far ahead.
            processes::record_heartbeat(tx, "adiantado", "9.9", Moment::from_millis(32_503_680_000_000)).await
        })
    });
    let written: Result<(), storage::Error> = written.await;
    written.unwrap();
    db.close().await;
    assert_check(&amparo, "", "fila de e-mail", ("aviso", "1 mensagens esperam"));
    assert_check(&amparo, "", "base trazida", ("aviso", "a base 7"));
    assert_check(&amparo, "", "base trazida", ("aviso", "amparo bring --discard"));
    assert_check(&amparo, "", "relógio", ("aviso", "adiantado"));
}

#[both_engines]
async fn doctor_tells_what_others_may_read(database: Database) {
    let amparo = Amparo::new(database);
    let serving = amparo.serve();
    assert_eq!(serving.terminate(), 0);
    assert_check(&amparo, "", "permissões", ("ok", "só são lidos pelo dono"));
    chmod(&amparo.key(), 0o644);
    assert_check(&amparo, "", "permissões", ("aviso", "chmod 600"));
    chmod(&amparo.key(), 0o600);
    let Some(folder) = amparo.database.folder() else { return };
    chmod(folder, 0o700);
    chmod(&folder.join("amparo.db"), 0o644);
    assert_check(&amparo, "", "permissões", ("ok", "só são lidos"));
    chmod(folder, 0o755);
    let readable = format!("{} pode ser lido por outros", folder.join("amparo.db").display());
    assert_check(&amparo, "", "permissões", ("aviso", &readable));
}

#[both_engines]
async fn doctor_misses_the_access_log(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Minha");
    assert_eq!(amparo.serve().terminate(), 0);
    assert_check(&amparo, "", "acessos", ("ok", "fica gravado"));
    let Some(folder) = amparo.database.folder() else { return };
    let file = folder.join("amparo.db.activity");
    chmod(folder, 0o755);
    chmod(&file, 0o644);
    let readable = format!("{} pode ser lido por outros", file.display());
    assert_check(&amparo, "", "permissões", ("aviso", &readable));
    std::fs::remove_file(&file).unwrap();
    assert_check(&amparo, "", "acessos", ("erro", "o arquivo não existe"));
    assert!(!file.exists(), "looking creates nothing");
    let other = Database::fresh(Engine::Sqlite).await;
    other.open().await.close().await;
    std::fs::copy(other.folder().unwrap().join("amparo.db.activity"), &file).unwrap();
    assert_check(&amparo, "", "acessos", ("erro", "o arquivo é de outro banco de dados"));
    let refused = amparo.complained("export --to base.amparo --log-level off");
    assert!(refused.contains("o arquivo é de outro banco de dados"), "{refused}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(amparo.serve().terminate(), 0);
    assert_check(&amparo, "", "acessos", ("ok", "fica gravado"));
}

#[both_engines]
async fn doctor_lists_no_server_that_was_killed(database: Database) {
    let amparo = Amparo::new(database);
    for _ in 0..2 {
        amparo.serve().kill();
    }
    until("nobody is listed", || async {
        let (lines, _) = checked(&amparo, "--housekeeping-heartbeat 10ms", "servidores");
        lines[0].contains("nenhum no ar agora")
    })
    .await;
    if amparo.database.engine == Engine::Sqlite {
        assert_check(&amparo, "", "servidores", ("ok", "nenhum no ar agora"));
        let serving = amparo.serve();
        let (lines, _) = checked(&amparo, "", "servidores");
        assert_eq!(lines[0].matches("desde").count(), 1, "{lines:?}");
        assert_eq!(serving.terminate(), 0);
    }
}
