//! The demonstration through the real binary: loaded by command, served, and kept from strangers while its password is
//! the one that everybody knows.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};
use testkit::{Database, both_engines};

const OTHERS_REACH: &str = "serve --listen 0.0.0.0:0 --log-level off";

struct Amparo {
    database: Database,
    folder: tempfile::TempDir,
}

impl Amparo {
    fn new(database: Database) -> Amparo {
        Amparo { database, folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = super::bare(self.folder.path());
        command.args(line.split(' '));
        command.args(["--database", self.database.address_text(), "--key-file", "chave"]);
        command
    }

    fn said(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(output.stderr.is_empty(), "no bar where nobody looks: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The one sentence with which a command failed.
fn sentence(output: &Output) -> String {
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.trim_end().ends_with('.'), "{text}");
    text
}

/// What a server said, up to the line that a part names; then it is killed.
fn served(command: Command, until: &str) -> Vec<String> {
    served_while(command, until, |_| {})
}

/// The same, with something done while it serves.
fn served_while(mut command: Command, until: &str, act: impl FnOnce(&[String])) -> Vec<String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        said.push(line.unwrap());
        if said.last().unwrap().contains(until) {
            break;
        }
    }
    let acted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(&said)));
    child.kill().unwrap();
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    child.wait().unwrap();
    assert!(said.last().is_some_and(|line| line.contains(until)), "{said:?} {complaint}");
    acted.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    said
}

/// What a server answers, with its head.
fn answer(address: &str, request: &str, authorization: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n");
    write!(stream, "{head}Authorization: {authorization}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer
}

/// What stands between two parts of a text.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

#[both_engines]
async fn a_demo_is_loaded_once_and_its_password_stays_at_home(database: Database) {
    let amparo = Amparo::new(database);
    let loaded = amparo.said("demo load --members 120 --seed 9");
    assert_eq!(
        loaded,
        "Demonstração carregada na base 1, com 120 associados.\nEntre com admin@demo.example e a senha amparo-demo.\n"
    );
    let again = sentence(&amparo.command("demo load --members 120 --seed 9").output().unwrap());
    assert!(again.contains("já tem dados"), "{again}");
    assert!(amparo.said("user list").contains("operador@demo.example"));
    assert!(amparo.said("tenant list").contains("Associação Demonstração"));

    // The variable is for the moment of creation: it does not change what is there.
    let mut open = amparo.command(OTHERS_REACH);
    let refused = sentence(&open.env("AMPARO_DEMO_PASSWORD", "outra senha longa").output().unwrap());
    let reset = "amparo user reset --email admin@demo.example --password-stdin";
    assert!(refused.contains(reset) && refused.contains("operador@demo.example"), "{refused}");
    for user in ["admin", "operador", "integracao"] {
        let line = format!("user reset --email {user}@demo.example --password-stdin");
        let mut child = amparo.command(&line).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "uma senha só minha").unwrap();
        assert!(child.wait().unwrap().success());
    }
    served(amparo.command(OTHERS_REACH), "http://");
}

#[both_engines]
async fn serving_a_demo_fills_an_empty_database_and_leaves_a_full_one(database: Database) {
    let amparo = Amparo::new(database);
    let home = "serve --demo --listen 127.0.0.1:0 --log-level off";
    let first = served(amparo.command(home), "admin@demo.example");
    let [.., address, login] = &first[..] else { panic!("{first:?}") };
    assert!(address.contains("http://127.0.0.1:"), "{first:?}");
    assert_eq!(
        login,
        "Demonstração com 1000 associados. Entre com admin@demo.example e a senha amparo-demo."
    );
    let second = served(amparo.command(home), "ficou como estava");
    assert!(second.last().unwrap().ends_with("Entre com admin@demo.example e a senha amparo-demo."));
}

#[both_engines]
async fn the_first_page_of_a_served_demo_shows_every_kind_of_benefit(database: Database) {
    let amparo = Amparo::new(database);
    let home = "serve --demo --listen 127.0.0.1:0 --log-level off";
    served_while(amparo.command(home), "admin@demo.example", |said| {
        let line = said.iter().find(|line| line.contains("http://")).unwrap();
        let address = line.split_once("http://").unwrap().1.trim_end_matches(['/', '.']);
        let login = testkit::basic("admin@demo.example", "amparo-demo");
        let entered = answer(address, "POST /ext/autenticacao", &login);
        let token = format!("Bearer {}", between(&entered, "\"authorizationToken\":\"", "\""));
        let page = answer(address, "GET /ext/beneficio/lista", &token);
        let items: Vec<&str> = page.split("{\"codBeneficio\":").skip(1).collect();
        assert_eq!(items.len(), 100, "{page}");
        for kind in ["VEICULAR", "SAUDE", "DIVERSOS", "CONSORCIO", "A24H"] {
            let holds = |item: &&&str| {
                item.contains(&format!("\"tipoBeneficio\":\"{kind}\""))
                    && item.contains("\"tipoSituacao\":\"ATIVO\"")
                    && item.matches("\"codPlano\":").count() == 1
            };
            assert!(items.iter().any(|item| holds(&item)), "{kind}: {page}");
        }
    });
}

#[both_engines]
async fn serving_a_demo_to_others_needs_a_password_of_its_own(database: Database) {
    let amparo = Amparo::new(database);
    let line = "serve --demo --listen 0.0.0.0:0 --log-level off";
    for password in [None, Some("amparo-demo"), Some("")] {
        let mut command = amparo.command(line);
        command.envs(password.map(|text| ("AMPARO_DEMO_PASSWORD", text)));
        let refused = sentence(&command.output().unwrap());
        assert!(refused.contains("AMPARO_DEMO_PASSWORD"), "{refused}");
    }
    assert!(amparo.said("tenant list").contains("Nenhuma base"), "nothing was written");
    let mut chosen = amparo.command(line);
    chosen.env("AMPARO_DEMO_PASSWORD", "uma senha só minha");
    let said = served(chosen, "admin@demo.example");
    assert!(!said.concat().contains("uma senha só minha"), "{said:?}");
    // The known password was never anybody's here.
    served(amparo.command(OTHERS_REACH), "http://");
}

#[both_engines]
async fn a_demo_with_odd_numbers_is_refused_before_anything_is_opened(database: Database) {
    let amparo = Amparo::new(database);
    for line in ["demo load --members -1", "demo load --members 2000000000", "demo load --seed x"] {
        let output = amparo.command(line).output().unwrap();
        assert!(sentence(&output).contains("--"), "{line}: {output:?}");
    }
    let mut short = amparo.command("demo load --members 1");
    let refused = sentence(&short.env("AMPARO_DEMO_PASSWORD", "curta").output().unwrap());
    assert!(refused.contains("pelo menos 10 caracteres"), "{refused}");
    assert!(amparo.said("tenant list").contains("Nenhuma base"));
}
