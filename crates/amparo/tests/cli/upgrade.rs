//! The database of every version in the changelog, brought to the schema of this program by the real binary.
//!
//! `tests/releases/record` makes a recording when a version is released; it is never changed afterwards.

use super::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// `admin@demo.example:amparo-demo`.
const LOGIN: &str = "Basic YWRtaW5AZGVtby5leGFtcGxlOmFtcGFyby1kZW1v";

fn releases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases")
}

/// The versions in the changelog: `## [0.1.0] - 2026-11-18`.
fn list_versions() -> BTreeSet<String> {
    let changelog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md");
    let text = std::fs::read_to_string(changelog).unwrap();
    let headings = text.lines().filter_map(|line| line.strip_prefix("## [")?.split(']').next());
    headings.filter(|version| *version != "Unreleased").map(str::to_owned).collect()
}

#[test]
fn every_version_in_the_changelog_has_a_recorded_database() {
    let entries = std::fs::read_dir(releases()).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let recorded: BTreeSet<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert_eq!(
        recorded,
        list_versions(),
        "record a release with crates/amparo/tests/releases/record (CONTRIBUTING.md)"
    );
    for version in recorded {
        for file in ["amparo.db.gz", "amparo.sql.gz", "answers.jsonl"] {
            let size = std::fs::metadata(releases().join(&version).join(file)).unwrap().len();
            assert!((1..200_000).contains(&size), "{version}/{file} has {size} bytes");
        }
    }
}

fn unpack(file: &Path) -> Vec<u8> {
    let output = Command::new("gzip").arg("-dc").arg(file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

async fn recorded_database(engine: Engine, recording: &Path) -> Database {
    let database = Database::without_schema(engine).await;
    match engine {
        Engine::Sqlite => {
            let file = database.address_text().strip_prefix("sqlite:").unwrap();
            std::fs::write(file, unpack(&recording.join("amparo.db.gz"))).unwrap();
        }
        Engine::Postgres => {
            let text = String::from_utf8(unpack(&recording.join("amparo.sql.gz"))).unwrap();
            Database::statement(database.address_text(), &text).await;
        }
    }
    database
}

/// Whether everything that was answered then is answered now. A later version may have more fields.
fn is_still_answered(then: &Value, now: &Value) -> bool {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            then.iter().all(|(name, value)| now.get(name).is_some_and(|now| is_still_answered(value, now)))
        }
        (Value::Array(then), Value::Array(now)) => {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| is_still_answered(then, now))
        }
        _ => then == now,
    }
}

#[both_engines]
async fn the_database_of_every_version_becomes_one_of_this_version(unused: Database) {
    for version in list_versions() {
        let recording = releases().join(&version);
        let amparo = Amparo::new(recorded_database(unused.engine, &recording).await);
        amparo.said("migrate");
        let doctor = amparo.said("doctor");
        assert!(doctor.contains(", a deste programa."), "{version}: {doctor}");
        let serving = amparo.serve();
        let entered = serving.send("POST /ext/autenticacao", &[("Authorization", LOGIN)], "");
        let token = entered.split("\"authorizationToken\":\"").nth(1).expect(&entered);
        let bearer = format!("Bearer {}", token.split('"').next().unwrap());
        for line in std::fs::read_to_string(recording.join("answers.jsonl")).unwrap().lines() {
            let recorded: Value = serde_json::from_str(line).unwrap();
            let path = recorded["path"].as_str().unwrap();
            let answer = serving.send(&format!("GET {path}"), &[("Authorization", &bearer)], "");
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 200"), "{version}: {path}: {answer}");
            let now = serde_json::from_str(body).unwrap();
            assert!(
                is_still_answered(&recorded["answer"], &now),
                "{version}: {path}: {now} instead of {line}"
            );
        }
        assert_eq!(serving.terminate(), 0);
    }
}
