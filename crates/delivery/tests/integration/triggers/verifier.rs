//! The signature is that of the Standard Webhooks, by the word of a library that others wrote.

use crate::triggers::scene::{SECOND, Scene};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Receiver, World, both_engines, until};

const CHECK: &str = r#"
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
class At(Webhook):
    # The library compares with the clock of the machine; this test has another.
    def _Webhook__verify_timestamp(self, header):
        import datetime
        return datetime.datetime.fromtimestamp(float(header), tz=datetime.timezone.utc)
for secret in given["secrets"]:
    assert At(secret).verify(given["body"], given["headers"])["codHistorico"] == 1
for other in [given["body"] + " ", given["body"].replace("1", "2")]:
    try:
        At(given["secrets"][0]).verify(other, given["headers"])
    except WebhookVerificationError:
        continue
    raise SystemExit("a changed body was accepted")
print("verified")
"#;

/// A Python with the library, made once for all tests.
fn python() -> PathBuf {
    let requirements =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/triggers/requirements.txt");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/standardwebhooks");
    let python = folder.join("bin/python");
    let has = |python: &Path| {
        let found = Command::new(python).args(["-c", "import standardwebhooks"]).output();
        found.is_ok_and(|done| done.status.success())
    };
    // Of two tests at once one makes it, and the other waits for it.
    let _ = std::fs::create_dir_all(folder.parent().unwrap());
    let lock = std::fs::File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !has(&python) {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&requirements));
        assert!(has(&python), "the library is installed and cannot be used");
    }
    python
}

fn run(command: &mut Command) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[both_engines]
async fn a_library_for_standard_webhooks_accepts_what_is_sent(world: World) {
    let scene = Scene::of(world).await;
    let receiver = Receiver::answering(204).await;
    let (code, first) = scene.add(&receiver).await;
    let vault = crate::triggers::scene::vault();
    let once = app::idempotency::IdempotentWrite::without_key();
    let second =
        app::triggers::receivers::rotate_secret(&scene.app, &vault, scene.by(), (code, None), once).await;
    let second = second.unwrap().into_fresh().unwrap();
    let engine = scene.engine().await;
    scene.office.benefit(1).await;
    until("it is there", || async { receiver.count() == 1 }).await;
    engine.stop(SECOND).await;
    let taken = receiver.taken().remove(0);
    let headers: serde_json::Map<_, _> =
        taken.headers.iter().map(|(name, value)| (name.to_lowercase(), value.as_str().into())).collect();
    let given = serde_json::json!({
        "body": taken.body, "headers": headers, "secrets": [first.expose(), second.expose()],
    });
    let told = tokio::task::spawn_blocking(move || {
        let file = tempfile::NamedTempFile::new().unwrap();
        serde_json::to_writer(&file, &given).unwrap();
        let input = std::fs::File::open(file.path()).unwrap();
        let done = Command::new(python()).args(["-c", CHECK]).stdin(input).output().unwrap();
        (
            done.status.success(),
            String::from_utf8_lossy(&done.stdout).into_owned(),
            String::from_utf8_lossy(&done.stderr).into_owned(),
        )
    });
    let (is_well, out, problems) = told.await.unwrap();
    assert!(is_well && out.contains("verified"), "{out} {problems}");
}
