//! The guides for integrators and for those who manage do what they say: its commands run as pasted, one after the other in one shell, and what they
//! print is what the guide shows.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use testkit::{Database, both_engines};

const GUIDE: &str = include_str!("../../../../docs/integracao.md");
const MANAGEMENT: &str = include_str!("../../../../docs/gestao.md");
const ADDRESS: &str = "http://127.0.0.1:8080";
/// Between the output of one block and the next.
const MARK: &str = "----8<----";

/// The blocks of a document, each with its language.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let inside = text.split("```").skip(1).step_by(2);
    inside.map(|block| block.split_once('\n').unwrap()).collect()
}

/// The commands in their order, each with what the guide shows of its output.
fn steps(guide: &'static str) -> Vec<(&'static str, Option<(&'static str, &'static str)>)> {
    let blocks = blocks(guide);
    let commands = blocks.iter().enumerate().filter(|(_, (language, _))| *language == "bash");
    commands
        .map(|(number, (_, commands))| {
            let shown = blocks.get(number + 1).filter(|(language, _)| ["json", "text"].contains(language));
            (*commands, shown.copied())
        })
        .collect()
}

/// Whether a text is as shown, where `…` stands for anything.
fn is_as_shown(said: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = said.strip_prefix(parts.next().unwrap()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// JSON is shown with blanks and breaks that the server does not send; what prints text prints lines.
fn tidied(language: &str, text: &str) -> String {
    match language {
        "json" => text.split_whitespace().collect(),
        _ => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"),
    }
}

#[both_engines]
async fn the_guide_runs_as_pasted_and_prints_what_it_shows(database: Database) {
    runs_as_pasted(&database, GUIDE);
}

#[both_engines]
async fn the_guide_of_management_runs_as_pasted_and_prints_what_it_shows(database: Database) {
    runs_as_pasted(&database, MANAGEMENT);
}

fn runs_as_pasted(database: &Database, guide: &'static str) {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = super::bare(folder.path());
    serve.args("serve --demo --listen 127.0.0.1:0 --log-level off".split(' '));
    serve.args(["--database", database.address_text(), "--key-file", "chave"]);
    let mut server = serve.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).unwrap();
    let address = line.rsplit_once(' ').unwrap().1;

    let steps = steps(guide);
    // The day of the base, which is not always the machine's.
    let script: String =
        steps.iter().map(|(commands, _)| format!("{commands}echo; echo '{MARK}'\n")).collect();
    let script = script.replace(ADDRESS, address);
    let mut bash = Command::new("bash");
    bash.args(["-eu", "-o", "pipefail", "-c", &script]).env("TZ", "America/Sao_Paulo");
    let output = bash.current_dir(folder.path()).output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();

    let said = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}\n{said}");
    let said: Vec<&str> = said.split(MARK).collect();
    assert_eq!(said.len(), steps.len() + 1, "{said:?}");
    for ((commands, shown), said) in steps.iter().zip(said) {
        let Some((language, shown)) = shown else { continue };
        let (said, shown) = (tidied(language, said), tidied(language, shown));
        assert!(is_as_shown(&said, &shown), "{commands}\nsays\n{said}\nand not\n{shown}");
    }
}

#[test]
fn the_guide_shows_what_its_commands_print() {
    let (integration, management) = (steps(GUIDE), steps(MANAGEMENT));
    assert!(integration.len() >= 10 && integration[0].0.contains(ADDRESS), "{integration:?}");
    assert!(management.len() >= 5 && management[0].0.contains(ADDRESS), "{management:?}");
    for (commands, shown) in integration.into_iter().chain(management) {
        assert!(shown.is_some(), "{commands}");
        for tool in ["jq ", "python", "awk "] {
            assert!(!commands.contains(tool), "{commands}");
        }
    }
}

#[test]
fn what_is_shown_may_leave_things_out() {
    assert!(is_as_shown("abc", "abc") && is_as_shown("abc", "a…c") && is_as_shown("abc", "…"));
    assert!(is_as_shown("ac", "a…c") && is_as_shown("a1b2c", "a…b…c"));
    assert!(!is_as_shown("abc", "ab") && !is_as_shown("abc", "a…b") && !is_as_shown("abc", "b…c"));
}
