//! `amparo key rotate`: a new key for the old one, beside servers. `amparo key replace`: a server whose key is lost goes on,
//! without what only that key opened.

use super::files::{founded, token};
use super::{Amparo, bare, sentence};
use std::process::Output;
use testkit::{Database, Engine, both_engines, dump, until};

const REPLACE: &str = "key replace --give-up-secrets";
const SERVE: &str = "serve --listen 127.0.0.1:0 --log-level off";

/// An association with an administrator and a receiver that expects a header.
fn begin(database: Database) -> Amparo {
    let amparo = Amparo::new(database);
    founded(&amparo);
    amparo.said("receiver add --url https://erp.example/gatilhos --entity todos --header X-Chave:abc");
    amparo
}

fn secret(said: &str) -> String {
    said.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap().to_owned()
}

/// Every row of the database.
async fn stored(amparo: &Amparo) -> String {
    let db = amparo.database.open().await;
    let rows = dump(&db).await;
    db.close().await;
    rows
}

fn text(output: Output) -> String {
    String::from_utf8(output.stdout).unwrap()
}

#[both_engines]
async fn a_lost_key_is_replaced_and_the_server_goes_on(database: Database) {
    let amparo = begin(database);
    let lost = std::fs::read_to_string(amparo.key()).unwrap();
    std::fs::remove_file(amparo.key()).unwrap();
    for line in [SERVE, "receiver list"] {
        let refused = amparo.complained(line);
        assert!(refused.contains("amparo key replace"), "{line}: {refused}");
    }
    let ill = text(amparo.run("doctor --listen 127.0.0.1:0"));
    assert!(ill.lines().any(|line| line.starts_with("erro   chave")), "{ill}");

    let before = stored(&amparo).await;
    let refused = amparo.complained("key replace");
    assert!(refused.contains("--give-up-secrets") && refused.contains("cópias de segurança"), "{refused}");
    assert!(!amparo.key().exists());
    assert_eq!(stored(&amparo).await, before, "nothing has changed");

    let said = amparo.said(REPLACE);
    assert!(said.contains("Receptores pausados") && said.contains("(1): 1 da base 1."), "{said}");
    assert!(!said.contains("segundo fator") && !said.contains("Cartões"), "there were none: {said}");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(amparo.key()).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    assert_ne!(std::fs::read_to_string(amparo.key()).unwrap(), lost);

    let serving = amparo.serve();
    token(&serving.address);
    let listed = amparo.said("receiver list");
    assert!(listed.contains("pausado") && listed.contains("https://erp.example/gatilhos"), "{listed}");
    let rotated = [0, 1].map(|_| secret(&amparo.said("receiver rotate --code 1")));
    assert_ne!(rotated[0], rotated[1]);
    assert!(amparo.said("receiver resume --code 1").contains("volta a receber"));
    let listed = amparo.said("receiver list");
    assert!(listed.contains("ativo") && !listed.contains("pausado"), "{listed}");
    assert_eq!(serving.terminate(), 0);
    let checked = amparo.said("doctor --listen 127.0.0.1:0");
    assert!(checked.lines().any(|line| line.starts_with("ok     chave")), "{checked}");
    assert!(!checked.lines().any(|line| line.starts_with("erro")), "{checked}");
}

#[both_engines]
async fn a_key_that_is_there_or_in_use_is_not_replaced(database: Database) {
    let amparo = begin(database);
    let key = std::fs::read_to_string(amparo.key()).unwrap();
    let before = stored(&amparo).await;
    let refused = amparo.complained(REPLACE);
    assert!(refused.contains("não há o que trocar"), "{refused}");

    // Of another server, or no key at all.
    for (other, why) in [("0".repeat(64), "não é a"), ("nada".to_owned(), "64 dígitos")] {
        std::fs::write(amparo.key(), &other).unwrap();
        let refused = amparo.complained(REPLACE);
        assert!(refused.contains(why), "{refused}");
        assert_eq!(std::fs::read_to_string(amparo.key()).unwrap(), other);
    }
    assert_eq!(stored(&amparo).await, before, "nothing has changed");

    std::fs::write(amparo.key(), &key).unwrap();
    let serving = amparo.serve();
    std::fs::remove_file(amparo.key()).unwrap();
    let refused = sentence(&amparo.run(REPLACE));
    assert!(refused.contains("outro processo atende este banco"), "{refused}");
    assert!(!amparo.key().exists());
    std::fs::write(amparo.key(), &key).unwrap();
    assert!(amparo.said("receiver list").contains("ativo"));
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn a_key_is_rotated_while_servers_run(database: Database) {
    let engine = database.engine;
    let amparo = begin(database);
    let old = std::fs::read_to_string(amparo.key()).unwrap();
    let serving = amparo.serve();
    // A second server, on a machine with a key file of its own.
    let elsewhere = amparo.folder.path().join("outra-maquina").join("chave");
    let second = (engine == Engine::Postgres).then(|| {
        std::fs::create_dir(elsewhere.parent().unwrap()).unwrap();
        std::fs::copy(amparo.key(), &elsewhere).unwrap();
        let mut command = bare(amparo.folder.path());
        command.args(SERVE.split(' ')).args(["--housekeeping-heartbeat", "10ms"]);
        command.args(["--database", amparo.database.address_text()]).arg("--key-file").arg(&elsewhere);
        Amparo::started(&mut command)
    });
    let said = amparo.said("key rotate");
    assert!(said.contains("é nova") && said.contains("(cifrados de novo: 1)"), "{said}");
    let new = std::fs::read_to_string(amparo.key()).unwrap();
    assert!(new != old && new.lines().count() == 1);
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(amparo.key()).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);

    // Servers and commands go on with the new key alone.
    token(&serving.address);
    let rotated = secret(&amparo.said("receiver rotate --code 1"));
    assert_ne!(rotated, secret(&amparo.said("receiver rotate --code 1")));
    if let Some(second) = second {
        until("the other machine has only the new key", || async {
            std::fs::read_to_string(&elsewhere).unwrap() == new
        })
        .await;
        token(&second.address);
        assert_eq!(second.terminate(), 0);
    }
    assert_eq!(serving.terminate(), 0);
    let checked = amparo.said("doctor --listen 127.0.0.1:0");
    assert!(checked.lines().any(|line| line.starts_with("ok     chave")), "{checked}");

    std::fs::write(amparo.key(), &old).unwrap();
    let refused = amparo.complained("receiver list");
    assert!(refused.contains("não é a deste banco"), "{refused}");
    std::fs::write(amparo.key(), &new).unwrap();
    assert!(amparo.said("receiver list").contains("ativo"));
    assert!(amparo.said("key rotate").contains("(cifrados de novo: 1)"), "with no server, too");
    assert!(amparo.said("receiver list").contains("ativo"));
}

#[both_engines]
async fn a_key_that_is_absent_or_of_another_database_is_not_rotated(database: Database) {
    let amparo = begin(database);
    let before = stored(&amparo).await;
    let key = std::fs::read_to_string(amparo.key()).unwrap();
    std::fs::write(amparo.key(), "0".repeat(64)).unwrap();
    assert!(amparo.complained("key rotate").contains("não é a deste banco"));
    std::fs::remove_file(amparo.key()).unwrap();
    assert!(amparo.complained("key rotate").contains("não está em"));
    assert!(!amparo.key().exists());
    assert_eq!(stored(&amparo).await, before, "nothing has changed");
    std::fs::write(amparo.key(), key).unwrap();
    assert!(amparo.said("receiver list").contains("ativo"));
}
