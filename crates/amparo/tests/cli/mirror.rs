//! A mirror through the real binary: from a server that serves a demonstration into another database.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use testkit::{Database, both_engines};

fn command(folder: &std::path::Path, database: &str, line: &str) -> Command {
    let mut command = super::bare(folder);
    command.args(line.split(' '));
    command.args(["--database", database, "--key-file", "chave"]);
    command
}

/// A server that ends with the test.
struct Serving(Child, String);

impl Serving {
    fn start(mut command: Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.map(Result::unwrap).find(|line| line.contains("http://")).unwrap();
        let address = line.split("http://").nth(1).unwrap().split([' ', '/']).next().unwrap();
        Serving(child, format!("http://{address}"))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn with_password(mut command: Command) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "amparo-demo").unwrap();
    child.wait_with_output().unwrap()
}

#[both_engines]
async fn a_base_is_mirrored_by_command(database: Database) {
    let (there, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let source = "sqlite:origem.db";
    let loaded = command(there.path(), source, "demo load --members 30 --seed 4").output().unwrap();
    assert!(loaded.status.success(), "{loaded:?}");
    let serving = Serving::start(command(there.path(), source, "serve --listen 127.0.0.1:0 --log-level off"));
    let line = format!("mirror --from {} --user admin@demo.example --password-stdin --rate 0", serving.1);
    let target = database.address_text();
    let mirrored = with_password(command(here.path(), target, &line));
    assert!(mirrored.status.success(), "{mirrored:?}");
    let said = String::from_utf8(mirrored.stdout).unwrap();
    for part in [
        "na base 1 (Associação Demonstração), criada agora",
        "requisições em",
        "O espelho não traz",
        "vistorias",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let tenants = command(here.path(), target, "tenant list").output().unwrap();
    assert!(String::from_utf8_lossy(&tenants.stdout).contains("Associação Demonstração"), "{tenants:?}");

    let again = with_password(command(here.path(), target, &line));
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(said.contains("com o que mudou desde") && said.contains("; 0 registros gravados"), "{said}");
    let problems = command(here.path(), target, "mirror --list-problems").output().unwrap();
    assert!(problems.status.success(), "{problems:?}");

    let unset = command(here.path(), target, &line.replace(" --password-stdin", ""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        !unset.status.success() && String::from_utf8_lossy(&unset.stderr).contains("AMPARO_MIRROR_PASSWORD")
    );
    let mut wrong = command(here.path(), target, &line.replace(" --password-stdin", ""));
    let wrong = wrong.env("AMPARO_MIRROR_PASSWORD", "outra senha").output().unwrap();
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert!(!wrong.status.success() && told.contains("não aceitou o usuário e a senha"), "{told}");
}
