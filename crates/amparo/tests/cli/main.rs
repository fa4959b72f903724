//! The command line through the real binary, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod access;
mod backup;
mod bucket_store;
mod demo;
mod doctor;
mod files;
mod guide;
mod hosts;
mod imports;
mod key;
mod life;
mod mail;
mod measures;
mod mirror;
mod request_log;
mod slow;
mod starting;
mod triggers;
mod upgrade;
mod whole;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use testkit::{Database, Engine, both_engines};

/// The binary, in a folder of its own and with nobody else's settings.
struct Amparo {
    database: Database,
    folder: tempfile::TempDir,
}

impl Amparo {
    fn new(database: Database) -> Amparo {
        Amparo { database, folder: tempfile::tempdir().unwrap() }
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("chave")
    }

    fn command(&self, line: &str) -> Command {
        let mut command = bare(self.folder.path());
        command.args(line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('_', " ")));
        command.args(["--database", self.database.address_text()]).arg("--key-file").arg(self.key());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn with_password(&self, line: &str, password: &str) -> Output {
        let mut command = self.command(line);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{password}").unwrap();
        child.wait_with_output().unwrap()
    }

    /// What a command said, and that it went well.
    fn said(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The one sentence with which a command failed.
    fn complained(&self, line: &str) -> String {
        sentence(&self.run(line))
    }

    fn serve(&self) -> Serving {
        let mut command = self.command(
            "serve --listen 127.0.0.1:0 --log-level warn --housekeeping-heartbeat 10ms \
                          --mail-interval 10ms",
        );
        Amparo::started(&mut command)
    }

    /// Starts a server and waits for its address.
    fn started(command: &mut Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains("http://")).unwrap();
        let address = line.rsplit_once("http://").unwrap().1.to_owned();
        Serving { child, lines: Box::new(lines.map_while(Result::ok)), address }
    }
}

struct Serving {
    child: Child,
    lines: Box<dyn Iterator<Item = String> + Send + Sync>,
    address: String,
}

impl Serving {
    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path}"), &[], "")
    }

    fn post(&self, path: &str, form: &str) -> String {
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        self.send(&format!("POST {path}"), &[kind], form)
    }

    /// Sends a request (`GET /path`) and reads the whole answer.
    fn send(&self, request: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        let mut head = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks politely and waits.
    fn terminate(mut self) -> i32 {
        self.ask_to_stop();
        self.child.wait().unwrap().code().unwrap()
    }

    fn ask_to_stop(&self) {
        let asked = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(asked.success());
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A test that fails leaves no server behind.
impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const UNHURRIED: [(&str, &str); 3] = [
    ("AMPARO_STORAGE_CONNECT_TIMEOUT", "60s"),
    ("AMPARO_STORAGE_POINT_TIMEOUT", "60s"),
    ("AMPARO_STORAGE_UNIT_TIMEOUT", "60s"),
];

fn bare(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amparo"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AMPARO_")) {
        command.env_remove(name);
    }
    // Nobody else is to notice that a server of a test stops.
    command.env("AMPARO_HTTP_DRAIN", "0s");
    // Nor is a busy machine to end what is under way.
    command.envs(UNHURRIED);
    command.current_dir(folder);
    command
}

/// Every failure is one line in Portuguese on standard error, nothing on standard output, and a non-zero exit.
fn sentence(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.trim_end().ends_with('.'), "{text}");
    text
}

#[both_engines]
async fn an_association_is_set_up_by_two_commands(database: Database) {
    let amparo = Amparo::new(database);
    let mut serving = amparo.serve();
    let told: Vec<String> = serving.lines.by_ref().take(6).collect();
    assert!(told[4].contains("amparo tenant create") && told[5].contains("amparo user create"), "{told:?}");
    let link =
        told[2].find("/console/comecar/").map(|at| told[2][at..].to_owned()).expect("a link to begin with");
    assert!(serving.get(&link).starts_with("HTTP/1.1 200"));

    assert_eq!(
        amparo.said("tenant create --name Minha_Associação"),
        "Base 1 criada, a base padrão deste servidor, com a loja 1.\n"
    );
    let line =
        "user create --email Ana@Exemplo.com.br --name Ana_Souza --role administrador --password-stdin";
    let created = amparo.with_password(line, "uma senha bem longa");
    assert_eq!(
        String::from_utf8(created.stdout).unwrap(),
        "Usuário 1 criado na base 1, com o perfil administrador.\n"
    );
    assert!(serving.get(&link).starts_with("HTTP/1.1 303"), "the link is used up");
    let listed = amparo.said("user list");
    assert!(listed.contains("ana@exemplo.com.br") && listed.contains("todas as lojas"), "{listed}");
    assert_eq!(amparo.said("tenant list"), "     1  Minha Associação  (padrão)\n");
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(serving.terminate(), 0);
    let again = amparo.serve();
    assert!(again.get("/readyz").starts_with("HTTP/1.1 200"));
    again.kill();
    let after_kill = amparo.serve();
    assert!(after_kill.get("/readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(after_kill.terminate(), 0);
}

#[both_engines]
async fn users_are_limited_disabled_and_reset(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Um");
    amparo.said("tenant create --name Dois --branch Sede --host dois.exemplo.com.br");
    let admin = "user create --email a@um.example --name A --role administrador --password-stdin";
    assert!(amparo.with_password(admin, "uma senha bem longa").status.success());
    let operator =
        "user create --tenant 2 --email o@dois.example --name O --role operador --branch 1 --password-stdin";
    assert!(amparo.with_password(operator, "uma senha bem longa").status.success());
    assert!(amparo.said("user list --tenant 2").contains("lojas 1"));
    assert!(!amparo.said("user list").contains("o@dois.example"));

    assert!(amparo.complained("user disable --email a@um.example").contains("último administrador"));
    assert!(amparo.complained("user disable --email o@dois.example").contains("não há um usuário"));
    assert!(amparo.said("user disable --email o@dois.example --tenant 2").contains("desativado"));
    assert!(amparo.said("user list --tenant 2").contains("desativado"));
    let reset = amparo.with_password("user reset --email a@um.example --password-stdin", "outra senha longa");
    assert!(reset.status.success(), "{reset:?}");
    let short = amparo.with_password("user reset --email a@um.example --password-stdin", "curta");
    assert!(sentence(&short).contains("pelo menos 10 caracteres"));
    assert!(sentence(&amparo.with_password(admin, "uma senha bem longa")).contains("não está disponível"));
    assert!(
        amparo.said("user logout --email a@um.example").contains("sessões de a@um.example foram encerradas")
    );
    assert!(amparo.complained("user logout --email o@dois.example").contains("não há um usuário"));
    assert!(
        amparo.said("user remove-second-factor --email a@um.example").contains("não tem um segundo fator")
    );
    let foreign = amparo.complained("user remove-second-factor --email o@dois.example");
    assert!(foreign.contains("não há um usuário"), "{foreign}");
    assert!(amparo.complained("user reset --email o@dois.example --tenant 2").contains("está desativado"));
    let bad = "user create --email nada --name _ --role operador --password-stdin";
    let all = String::from_utf8(amparo.with_password(bad, "curta").stderr).unwrap();
    for problem in ["nome: ", "email: ", "senha: ", "lojas: "] {
        assert!(all.contains(problem), "all problems come at once: {all}");
    }
    assert!(amparo.complained("user list --tenant 9").contains("não há uma base 9"));
}

#[both_engines]
async fn a_second_server_shares_a_server_database_and_is_refused_on_a_file(database: Database) {
    let amparo = Amparo::new(database);
    let first = amparo.serve();
    match amparo.database.engine {
        Engine::Sqlite => {
            let refused = amparo.complained("serve --listen 127.0.0.1:0 --log-level off");
            assert!(refused.contains("Outro servidor Amparo"), "{refused}");
            assert!(amparo.complained("migrate").contains("Outro servidor Amparo"));
        }
        Engine::Postgres => {
            let second = amparo.serve();
            assert!(second.get("/readyz").starts_with("HTTP/1.1 200"));
            // Without the key of the first, and nothing encrypted yet: still turned away.
            let mut other = bare(amparo.folder.path());
            other.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "off", "--key-file", "outra"]);
            other.env("AMPARO_DATABASE", amparo.database.address_text());
            assert!(sentence(&other.output().unwrap()).contains("outro processo"));
            assert_eq!(second.terminate(), 0);
        }
    }
    assert_eq!(first.terminate(), 0);
}

#[test]
fn the_defaults_are_a_file_beside_its_key_in_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = bare(folder.path());
    let mut child = serve.args(["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("http://")));
    child.kill().unwrap();
    child.wait().unwrap();
    let data = folder.path().join("amparo-data");
    assert!(data.join("amparo.db").exists() && data.join("amparo.key").exists());
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&data).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn bad_input_gives_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let complain = |arguments: &[&str]| sentence(&bare(folder.path()).args(arguments).output().unwrap());
    for (arguments, part) in [
        (&["serve", "--database", "mysql://x"][..], "database"),
        (&["serve", "--database", "sqlite:"], "endereço do banco"),
        (&["serve", "--database", "postgres://u@127.0.0.1:1/x"], "chave do servidor: --key-file"),
        (&["migrate", "--database", "postgres://u@127.0.0.1:1/x"], "Não foi possível abrir"),
        (&["serve", "--listen", "lugar-nenhum"], "--listen"),
        (&["serve", "--http-max-connections", "muitas"], "max_connections"),
        (&["serve", "--mail-smtp", "mail.example:segredo"], "mail.smtp"),
        (&["serve", "--mail-from", "ninguém"], "mail.from"),
        (&["serve", "--public-url", "amparo"], "public_url"),
        (&["config", "--config", "nao-existe.toml"], "nao-existe.toml"),
        (&["serve", "--log-level", "a=b=c"], "log_level"),
        (&["serve", "--log-level", "wran"], "use error, warn, info, debug, trace ou off"),
        (&["serve", "--log-level", "verbose"], "use error, warn, info, debug, trace ou off"),
        (&["serve", "--log-level", "info,storage=wran"], "use error, warn, info, debug, trace ou off"),
        (&["voar"], "não existe"),
        (&["user", "create"], "Falta informar"),
        (&["migrate", "--database", "sqlite:/proc/nada/amparo.db"], "Não foi possível abrir"),
    ] {
        let told = complain(arguments);
        assert!(told.contains(part) && !told.contains("segredo"), "{arguments:?}: {told}");
    }
}

#[test]
fn config_prints_what_is_in_force_and_hides_secrets() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("amparo.toml"), "[storage]\nreaders = 7\n").unwrap();
    let mut config = bare(folder.path());
    config.args(["config", "--listen", "127.0.0.1:9999"]);
    config.env("AMPARO_DATABASE", "postgres://ana:segredo@servidor/amparo");
    let output = config.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("segredo"), "{text}");
    for part in ["127.0.0.1:9999", "--listen", "AMPARO_DATABASE", "readers = 7", "amparo.toml", "padrão"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn help_is_in_portuguese() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in
        [&["--help"][..], &["serve", "--help"], &["user", "--help"], &["user", "create", "--help"]]
    {
        let output = bare(folder.path()).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("Uso: amparo"), "{text}");
        for english in ["Usage", "Options", "Commands", "Print help", "default:", "possible values"] {
            assert!(!text.contains(english), "{english} in {arguments:?}: {text}");
        }
    }
}
