//! Files through the real binary: kept in a folder through a kill, and in a bucket of a small store on this machine.

use super::bucket_store::open_store;
use super::{Amparo, sentence};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use testkit::{Database, basic, both_engines, pictures};

/// An answer: its head, and its bytes.
pub fn call(address: &str, line: &str, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    )
    .unwrap();
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n").unwrap();
    }
    write!(stream, "\r\n").unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let bytes = answer.split_off(end);
    (String::from_utf8(answer).unwrap(), bytes)
}

/// A token of the only administrator.
pub fn token(address: &str) -> String {
    let login = basic("ana@exemplo.com.br", "uma senha bem longa");
    let (head, body) = call(address, "POST /ext/autenticacao", &[("Authorization", &login)], b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
    format!("Bearer {}", answer["authorizationToken"].as_str().unwrap())
}

pub fn founded(amparo: &Amparo) {
    amparo.said("tenant create --name Associação_Boa");
    let line = "user create --email ana@exemplo.com.br --name Ana --role administrador --password-stdin";
    assert!(amparo.with_password(line, "uma senha bem longa").status.success());
}

/// A member, a photo of hers, and where that photo is.
pub fn attached(address: &str, token: &str) -> String {
    let member = br#"{"nomePessoa": "Ana Prado", "cpfCnpj": "52998224725"}"#;
    let json = [("Authorization", token), ("Content-Type", "application/json")];
    let (head, body) = call(address, "POST /ext/associado", &json, member);
    assert!(head.starts_with("HTTP/1.1 200"), "{head} {}", String::from_utf8_lossy(&body));
    let sent = call(
        address,
        "POST /gestao/associado/1/arquivos?nome=frente.jpg",
        &[("Authorization", token)],
        &pictures::phone_photo(640, 480),
    );
    assert!(sent.0.starts_with("HTTP/1.1 200"), "{sent:?}");
    let file: serde_json::Value = serde_json::from_slice(&sent.1).unwrap();
    format!("/gestao/arquivo/{}", file["codArquivo"])
}

#[both_engines]
async fn a_file_in_the_folder_survives_a_kill(database: Database) {
    let amparo = Amparo::new(database);
    founded(&amparo);
    let mut serving = amparo.serve();
    let bearer = token(&serving.address);
    let at = attached(&serving.address, &bearer);
    let before = call(&serving.address, &format!("GET {at}/conteudo"), &[("Authorization", &bearer)], b"");
    serving.child.kill().unwrap();
    serving.child.wait().unwrap();
    let serving = amparo.serve();
    let after = call(&serving.address, &format!("GET {at}/conteudo"), &[("Authorization", &bearer)], b"");
    assert!(after.0.starts_with("HTTP/1.1 200"), "{after:?}");
    assert_eq!(before.1, after.1);
    let said = amparo.said("doctor");
    assert!(said.lines().any(|line| line.starts_with("ok") && line.contains("anexos  ")), "{said}");
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn files_are_kept_in_a_bucket(database: Database) {
    let (store, endpoint) = open_store().await;
    let amparo = Amparo::new(database);
    founded(&amparo);
    let on_bucket = |command: &mut Command| {
        command.args([
            "--files-place",
            "s3",
            "--files-s3-endpoint",
            &endpoint,
            "--files-s3-bucket",
            "associacao",
        ]);
        command.args(["--files-s3-prefix", "amparo/"]);
        command
            .env("AMPARO_FILES_S3_ACCESS_KEY", "chave-de-teste")
            .env("AMPARO_FILES_S3_SECRET_KEY", "segredo");
    };
    let mut command = amparo.command("serve --listen 127.0.0.1:0 --log-level warn");
    on_bucket(&mut command);
    // The server runs beside this runtime, whose store it asks.
    let serving = tokio::task::spawn_blocking(move || Amparo::started(&mut command)).await.unwrap();
    let address = serving.address.clone();
    let (content, small, removed) = tokio::task::spawn_blocking(move || {
        let bearer = token(&address);
        let at = attached(&address, &bearer);
        let get = |what: &str| call(&address, &format!("GET {at}{what}"), &[("Authorization", &bearer)], b"");
        let put = call(&address, &format!("PUT {at}/remover"), &[("Authorization", &bearer)], b"");
        (get("/conteudo"), get("/miniatura"), put)
    })
    .await
    .unwrap();
    assert!(content.0.starts_with("HTTP/1.1 200") && content.1.starts_with(b"\xff\xd8"), "{content:?}");
    assert!(
        small.0.starts_with("HTTP/1.1 200") && removed.0.starts_with("HTTP/1.1 200"),
        "{small:?} {removed:?}"
    );
    let keys = store.keys();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with("/associacao/amparo/1/")), "{keys:?}");
    assert_eq!(store.objects.lock().unwrap()[&keys[0]], content.1);
    assert_eq!(serving.terminate(), 0);

    let mut command = amparo.command("doctor");
    on_bucket(&mut command);
    let said = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.lines().any(|line| line.starts_with("ok") && line.contains("em s3://associacao/amparo;")),
        "{said}"
    );
    assert!(store.asked.lock().unwrap().contains(&"DELETE".to_owned()), "what was tried is gone");
    assert_eq!(store.keys().len(), 2);
}

#[both_engines]
async fn a_place_that_cannot_be_used_is_told_at_once(database: Database) {
    let amparo = Amparo::new(database);
    let told = amparo.complained("serve --listen 127.0.0.1:0 --files-place s3");
    assert!(told.contains("files.s3_bucket"), "{told}");
    let told = amparo.complained("serve --listen 127.0.0.1:0 --files-place disco");
    assert!(told.contains("pasta ou s3"), "{told}");
    std::fs::write(amparo.folder.path().join("nada"), b"").unwrap();
    let told = amparo.complained("serve --listen 127.0.0.1:0 --files-folder nada/arquivos");
    assert!(told.contains("arquivos anexados") && told.contains("[files]"), "{told}");
    let mut command =
        amparo.command("serve --listen 127.0.0.1:0 --log-level off --files-place s3 --files-s3-bucket b");
    command.args(["--files-s3-endpoint", "http://127.0.0.1:1"]);
    command.env("AMPARO_FILES_S3_ACCESS_KEY", "a").env("AMPARO_FILES_S3_SECRET_KEY", "b");
    let told = sentence(&command.output().unwrap());
    assert!(told.contains("nenhum servidor atende") && !told.contains("Credential"), "{told}");
}
