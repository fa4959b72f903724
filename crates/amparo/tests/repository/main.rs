//! What the tree promises: the direction of the crates, the engines' names in their place, documents that tell the
//! truth.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod dependencies;
mod names;
mod observability;
mod rooms;
mod sentences;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(root().join(&path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
}

/// Which of our crates each may lean on (ARCHITECTURE.md). Tests may lean on `testkit`.
const ARROWS: [(&str, &[&str]); 24] = [
    ("boxed", &[]),
    ("erased-routes", &[]),
    ("domain", &[]),
    ("bank-formats", &["domain"]),
    ("documents", &[]),
    ("file-content", &["domain"]),
    ("registers", &["bank-formats", "domain"]),
    ("wire", &["domain", "registers"]),
    ("storage", &["boxed", "domain", "registers"]),
    ("vault", &["boxed", "domain", "storage"]),
    ("backup", &["boxed", "domain", "storage", "vault"]),
    ("app", &["boxed", "domain", "file-content", "registers", "storage", "vault", "wire"]),
    ("exchange", &["app", "boxed", "domain", "finance", "registers", "storage", "vault", "wire"]),
    ("demo", &["app", "boxed", "domain", "finance", "finance-storage", "registers", "storage"]),
    ("delivery", &["app", "boxed", "domain", "storage", "wire"]),
    ("finance-storage", &["boxed", "domain", "storage"]),
    (
        "finance",
        &[
            "app",
            "bank-formats",
            "boxed",
            "documents",
            "domain",
            "finance-storage",
            "links",
            "storage",
            "wire",
        ],
    ),
    ("links", &["app", "boxed", "domain", "storage"]),
    ("api", &["app", "erased-routes", "domain", "exchange", "finance", "links", "registers", "wire"]),
    ("console", &["app", "erased-routes", "domain", "exchange", "finance", "links", "registers", "wire"]),
    ("mirror", &["app", "boxed", "domain", "exchange", "registers", "wire"]),
    (
        "amparo",
        &[
            "api", "app", "backup", "console", "delivery", "demo", "domain", "exchange", "finance", "mirror",
            "storage", "vault", "wire",
        ],
    ),
    (
        "testkit",
        &[
            "api",
            "app",
            "console",
            "delivery",
            "demo",
            "domain",
            "finance-storage",
            "storage",
            "testkit-macros",
            "wire",
        ],
    ),
    ("testkit-macros", &[]),
];

#[test]
fn crates_lean_only_downward() {
    let allowed: BTreeMap<_, _> = ARROWS.into_iter().collect();
    let folders = std::fs::read_dir(root().join("crates")).unwrap();
    let names: Vec<String> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), allowed.len());
    for name in &names {
        let manifest: toml_edit::DocumentMut = read(format!("crates/{name}/Cargo.toml")).parse().unwrap();
        let Some(dependencies) = manifest.get("dependencies").and_then(|item| item.as_table()) else {
            continue;
        };
        for (dependency, _) in
            dependencies.iter().filter(|(dependency, _)| names.iter().any(|n| n == dependency))
        {
            assert!(allowed[name.as_str()].contains(&dependency), "{name} must not lean on {dependency}");
        }
    }
}

#[test]
fn templates_and_stylesheets_have_short_lines() {
    let mut sources = Vec::new();
    for (folder, ending) in [("templates", "html"), ("templates", "css"), ("static", "css")] {
        files(&root().join("crates/console").join(folder), ending, &mut sources);
    }
    assert!(sources.len() > 80, "{}", sources.len());
    for path in sources {
        for (number, line) in read(&path).lines().enumerate() {
            let length = line.chars().count();
            assert!(length < 120, "{}:{}: {length} characters", path.display(), number + 1);
        }
    }
}

#[test]
fn an_engines_name_stands_in_the_engine_folder_alone() {
    let mut sources = Vec::new();
    files(&root().join("crates/storage/src"), "rs", &mut sources);
    for path in sources.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "engine")) {
        let text = std::fs::read_to_string(path).unwrap().to_lowercase();
        for name in ["sqlite", "postgres", "pragma", "pg_"] {
            assert!(!text.contains(name), "{name} in {}", path.display());
        }
    }
}

/// What other crates await is compiled again in each of them, unless it is boxed (docs/adr/0011-boxed-futures.md). Not so
/// the executor, whose few functions all others stand on, and what takes a closure.
#[test]
fn futures_that_leave_their_crate_are_boxed() {
    let mut looked_at = 0;
    for name in [
        "storage",
        "finance-storage",
        "app",
        "links",
        "finance",
        "backup",
        "demo",
        "exchange",
        "delivery",
        "mirror",
    ] {
        let mut sources = Vec::new();
        files(&root().join("crates").join(name).join("src"), "rs", &mut sources);
        for path in sources.iter().filter(|path| {
            !path.ends_with("storage/src/executor/db.rs") && !path.ends_with("storage/src/executor/unit.rs")
        }) {
            let text = std::fs::read_to_string(path).unwrap();
            for (at, start) in text.match_indices("pub async fn ") {
                let signature = text[at + start.len()..].split('{').next().unwrap();
                let is_generic =
                    signature.split('(').next().unwrap().contains('<') || signature.contains("impl ");
                let before = text[..at].trim_end().lines().next_back().unwrap_or_default().trim();
                assert!(is_generic || before == "#[boxed::future]", "{}: {signature}", path.display());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 500, "{looked_at}");
}

/// The blocks of a document in this language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = read(document);
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| Some(block.strip_prefix(language)?.strip_prefix('\n')?.to_owned())).collect()
}

/// The commands of a document's blocks: lines that begin with `amparo` or `cargo run --release --`.
fn commands(document: &str) -> Vec<String> {
    let blocks = blocks(document, "console");
    let lines = blocks.iter().flat_map(|block| block.lines()).map(|line| line.trim_start_matches("$ "));
    lines
        .map(|line| line.rsplit_once(" | ").map_or(line, |(_, last)| last))
        .filter_map(|line| line.strip_prefix("amparo ").or(line.strip_prefix("cargo run --release -- ")))
        .map(|line| line.split(" #").next().unwrap().trim().to_owned())
        .collect()
}

const UNHURRIED: [(&str, &str); 2] =
    [("AMPARO_STORAGE_POINT_TIMEOUT", "60s"), ("AMPARO_STORAGE_UNIT_TIMEOUT", "60s")];

/// The binary in this folder. A busy machine is not to end what it does.
fn amparo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amparo"));
    command.current_dir(folder).env_remove("AMPARO_DATABASE");
    command.envs(UNHURRIED);
    command
}

/// Every command that a document shows runs as it is written, in their order, in an empty folder.
#[test]
fn the_commands_in_the_readmes_run() {
    for document in ["README.md", "README.pt-BR.md"] {
        let shown = commands(document);
        assert!(shown.iter().any(|line| line.starts_with("serve")), "{document} shows how to start");
        let folder = tempfile::tempdir().unwrap();
        for line in shown {
            let mut command = amparo(folder.path());
            command.args(words(&line));
            if line.starts_with("serve") {
                starts(command.args(["--listen", "127.0.0.1:0", "--log-level", "off"]));
                continue;
            }
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"uma senha bem longa\n");
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{document}: {line}: {output:?}");
        }
    }
}

/// What the READMEs tell an integrator to paste does what it says, against the server that they tell him to start: he
/// sees the registers, and a trigger arrives.
#[test]
fn what_the_readmes_say_to_paste_works_as_pasted() {
    for document in ["README.md", "README.pt-BR.md"] {
        let folder = tempfile::tempdir().unwrap();
        let line = commands(document).into_iter().find(|line| line.starts_with("serve --demo")).unwrap();
        // One that was free a moment ago: no port is anybody's for ever.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let line = line.replace("127.0.0.1:9000", &free);
        let mut serve = amparo(folder.path());
        serve.args(words(&line)).args(["--listen", "127.0.0.1:0", "--log-level", "off"]);
        let mut server = serve.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let line = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).unwrap();
        let address = line.rsplit_once("http://").unwrap().1;
        let script = blocks(document, "sh").concat();
        let script = script.replace("127.0.0.1:8080", address).replace("127.0.0.1:9000", &free);
        let here = Path::new(env!("CARGO_BIN_EXE_amparo")).parent().unwrap();
        let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).env_remove("AMPARO_DATABASE").env("PATH", path).envs(UNHURRIED);
        let output = shell.arg("-ec").arg(&script).output().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{document}: {output:?}");
        for part in ["Receptor 1 cadastrado", "POST /beneficio", "webhook-id: msg_1_", "CANCELADO"] {
            assert!(said.contains(part), "{document}: {part}: {said}");
        }
        if document == "README.md" {
            assert!(said.contains("\"codLoja\":") && said.contains("\"ATIVO\""), "{said}");
        }
    }
}

fn starts(command: &mut Command) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("http://")));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The words of a line, those in double quotes kept together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

const OPERATORS_DOCUMENTS: [&str; 5] =
    ["README.md", "README.pt-BR.md", "docs/operations.md", "docs/runbooks.md", "docs/runbooks.pt-BR.md"];

/// Every `AMPARO_…` variable that a document names exists.
#[test]
fn documents_name_only_settings_that_exist() {
    let help = |verbs: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amparo"));
        String::from_utf8(command.args(verbs).arg("--help").output().unwrap().stdout).unwrap()
    };
    let known =
        help(&["user", "create"]) + &help(&["tenant", "create"]) + &help(&["serve"]) + &help(&["mirror"]);
    let others = ["config.default.toml", "deploy/debian/amparo.env", "deploy/debian/amparo.service"];
    for document in OPERATORS_DOCUMENTS.into_iter().chain(others) {
        let text = read(document);
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-') {
            let named = word.starts_with("AMPARO_") && word.len() > 7;
            if named && !word.starts_with("AMPARO_TEST_") {
                assert!(known.contains(word), "{word} in {document}");
            }
        }
    }
}

/// Every command that a document shows in code, with `amparo` or `amparo-admin`, exists and has the flags that are shown.
#[test]
fn documents_name_only_commands_that_exist() {
    let mut helps: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    let texts = OPERATORS_DOCUMENTS.map(read);
    for (document, text) in OPERATORS_DOCUMENTS.into_iter().zip(&texts) {
        // Between backticks: one around words of a sentence, three around lines.
        let code = text.split('`').skip(1).step_by(2).flat_map(str::lines);
        let shown = code.filter_map(|line| {
            let line = line.rsplit_once(" | ").map_or(line, |(_, last)| last).trim_start();
            let line = line.strip_prefix("sudo ").unwrap_or(line);
            line.strip_prefix("amparo-admin ").or(line.strip_prefix("amparo "))
        });
        let mut count = 0;
        for line in shown {
            let is_verb = |word: &&str| {
                word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
            };
            let verbs: Vec<&str> = line.split_whitespace().take_while(is_verb).collect();
            let help = helps.entry(verbs).or_insert_with_key(|verbs| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_amparo"));
                let output = command.args(verbs).arg("--help").output().unwrap();
                assert!(output.status.success(), "{line} in {document}: {output:?}");
                String::from_utf8(output.stdout).unwrap()
            });
            for word in line.split_whitespace().filter(|word| word.starts_with("--")) {
                let flag = word.split('=').next().unwrap();
                assert!(help.contains(flag), "{flag} of {line} in {document}");
            }
            count += 1;
        }
        assert!(count > 5, "{count} commands in {document}");
    }
}

/// Alerts and other documents link to these headings.
#[test]
fn the_runbooks_have_the_same_sections_and_commands_in_both_languages() {
    let headings = |document: &str| -> Vec<String> {
        read(document).lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect()
    };
    let portuguese = headings("docs/runbooks.pt-BR.md");
    assert_eq!(
        portuguese,
        [
            "Disco cheio",
            "Banco só para leitura",
            "Troca de servidor do PostgreSQL",
            "Receptor falhando",
            "Certificado",
            "Relógio",
            "Voltar a uma cópia",
            "Chave perdida",
            "Desfazer uma atualização",
            "Cópias atrasadas",
            "E-mails parados",
            "Servidor lento ou com erros",
            "Tamanho da máquina",
        ]
    );
    assert_eq!(portuguese.len(), headings("docs/runbooks.md").len());
    let commands = blocks("docs/runbooks.pt-BR.md", "sh").join("\n").replace("$ENDERECO", "$ADDRESS");
    assert_eq!(commands, blocks("docs/runbooks.md", "sh").join("\n"));
}

#[test]
fn every_document_that_is_linked_is_there() {
    for document in [
        "README.md",
        "README.pt-BR.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/operations.md",
        "docs/runbooks.md",
        "docs/runbooks.pt-BR.md",
        "docs/integracao.md",
        "docs/gestao.md",
        "docs/security.md",
    ] {
        let folder = Path::new(document).parent().unwrap();
        for part in read(document).split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                assert!(root().join(folder).join(target).exists(), "{target} in {document}");
            }
        }
    }
}
