//! Entering through the real binary: tokens ended from elsewhere, a certificate of the server's own.

use super::{Amparo, Serving};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use testkit::{Database, Engine, basic, both_engines};

fn enter(serving: &Serving, password: &str) -> String {
    let credential = basic("ana@exemplo.com.br", password);
    let answer = serving.send("POST /ext/autenticacao", &[("Authorization", &credential)], "");
    let token = answer.split("\"authorizationToken\":\"").nth(1).unwrap_or_else(|| panic!("{answer}"));
    token.split('"').next().unwrap().to_owned()
}

fn is_let_in(serving: &Serving, token: &str) -> bool {
    let answer =
        serving.send("GET /ext/administracao/loja", &[("Authorization", &format!("Bearer {token}"))], "");
    assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 401"), "{answer}");
    answer.starts_with("HTTP/1.1 200")
}

#[both_engines]
async fn a_token_that_was_ended_elsewhere_is_soon_refused(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    let line =
        "user create --email ana@exemplo.com.br --name Ana --role operador --branch 1 --password-stdin";
    assert!(amparo.with_password(line, "uma senha bem longa").status.success());
    // Where several processes may serve one database, there are two.
    let several = amparo.database.engine == Engine::Postgres;
    let servers: Vec<Serving> = (0..=usize::from(several)).map(|_| amparo.serve()).collect();
    let mut password = "uma senha bem longa";
    for (line, given) in [
        ("user logout --email ana@exemplo.com.br", None),
        ("user reset --email ana@exemplo.com.br --password-stdin", Some("outra senha bem longa")),
        ("user disable --email ana@exemplo.com.br", None),
    ] {
        let token = enter(&servers[0], password);
        assert!(servers.iter().all(|server| is_let_in(server, &token)), "{line}");
        match given {
            Some(new) => {
                assert!(amparo.with_password(line, new).status.success());
                password = new;
            }
            None => drop(amparo.said(line)),
        }
        // A server looks for ended ones every second, and a token lives for hours.
        testkit::until("every server refuses it", || async {
            servers.iter().all(|server| !is_let_in(server, &token))
        })
        .await;
    }
    for server in servers {
        assert_eq!(server.terminate(), 0);
    }
}

#[both_engines]
async fn a_server_makes_a_certificate_of_its_own_and_keeps_it(database: Database) {
    let amparo = Amparo::new(database);
    let start = || {
        let line = "serve --listen 127.0.0.1:0 --log-level warn --tls-self-signed";
        let mut child = amparo.command(line).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        assert!(lines.by_ref().any(|line| line.unwrap().contains("https://127.0.0.1:")));
        child.kill().unwrap();
        child.wait().unwrap();
    };
    start();
    let folder = amparo.key().parent().unwrap().to_owned();
    let (certificate, key) = (folder.join("tls-cert.pem"), folder.join("tls-key.pem"));
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let first = std::fs::read(&certificate).unwrap();
    start();
    assert_eq!(std::fs::read(&certificate).unwrap(), first);
    let both =
        amparo.complained("serve --listen 127.0.0.1:0 --tls-self-signed --tls-cert-file x --tls-key-file y");
    assert!(both.contains("não use os dois"), "{both}");
    let half = amparo.complained("serve --listen 127.0.0.1:0 --tls-cert-file x");
    assert!(half.contains("dois arquivos"), "{half}");
    let absent = amparo.complained("serve --listen 127.0.0.1:0 --tls-cert-file x --tls-key-file y");
    assert!(absent.contains("O certificado não pôde ser usado: x"), "{absent}");
}

#[both_engines]
async fn the_description_is_the_same_by_command_and_from_the_server(database: Database) {
    let amparo = Amparo::new(database);
    let serving = amparo.serve();
    let served = serving.get("/openapi.json");
    assert_eq!(served.split_once("\r\n\r\n").unwrap().1.trim(), amparo.said("openapi").trim());
    assert_eq!(serving.terminate(), 0);
}

/// However much the log tells, it tells no password, no token, no link and nobody's address.
#[both_engines]
async fn the_log_tells_no_secret_even_at_its_loudest(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    let line = "user create --email ana@exemplo.com.br --name Ana --role administrador --password-stdin";
    assert!(amparo.with_password(line, "uma senha bem longa").status.success());
    let log = amparo.folder.path().join("log");
    let line = "serve --listen 127.0.0.1:0 --log-level trace --mail-interval 10ms";
    let mut command = amparo.command(line);
    let serving = Amparo::started(command.stderr(std::fs::File::create(&log).unwrap()));
    let token = enter(&serving, "uma senha bem longa");
    let bearer = format!("Bearer {token}");
    let json = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = r#"{"nome": "Rui Segredo", "email": "rui@segredo.example", "perfil": "administrador"}"#;
    let created = serving.send("POST /gestao/usuario?cpf=12345678909", &json, body);
    assert!(created.starts_with("HTTP/1.1 200"), "{created}");
    serving.post("/senha/esqueci", "email=rui%40segredo.example");
    let folder = match amparo.database.folder() {
        Some(folder) => folder.join("mails"),
        None => amparo.folder.path().join("mails"),
    };
    let [first, second] = [crate::mail::mail(&folder, 1).await, crate::mail::mail(&folder, 2).await];
    let texts = [first.as_str(), second.as_str()].concat();
    let password = texts.lines().find_map(|line| line.strip_prefix("Senha: ")).unwrap();
    let link = texts.lines().find_map(|line| line.rsplit_once("/senha/nova/")).unwrap().1;
    serving.get(&format!("/senha/nova/{link}"));
    assert_eq!(serving.terminate(), 0);
    let told = std::fs::read_to_string(&log).unwrap();
    assert!(told.contains("/senha/nova/{codigo}") && told.len() > 1000, "it does tell something: {told}");
    for secret in
        [password, link, &token, "uma senha bem longa", "argon2", "segredo.example", "Segredo", "12345678909"]
    {
        let line = told.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}

/// A log on a full disk is a log that is lost, and nothing else.
#[both_engines]
async fn a_log_that_cannot_be_written_stops_nobody(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    let line = "user create --email ana@exemplo.com.br --name Ana --role administrador --password-stdin";
    assert!(amparo.with_password(line, "uma senha bem longa").status.success());
    let mut command = amparo.command("serve --listen 127.0.0.1:0 --log-level trace");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let serving = Amparo::started(command.stderr(full));
    for _ in 0..3 {
        enter(&serving, "uma senha bem longa");
    }
    assert_eq!(serving.terminate(), 0);
}
