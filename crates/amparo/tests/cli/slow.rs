//! What the log tells of slow statements.

use super::{Amparo, BufRead, BufReader, Command};
use std::process::Stdio;
use testkit::{Database, both_engines};

/// What a server with a demonstration logs until it serves.
fn logged(mut command: Command) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Read all along: a log that nobody reads fills its pipe, and the server waits for ever.
    let mut stderr = child.stderr.take().unwrap();
    let log = std::thread::spawn(move || std::io::read_to_string(&mut stderr).unwrap());
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.contains("http://")), "it serves");
    child.kill().unwrap();
    child.wait().unwrap();
    log.join().unwrap()
}

/// Loading a demonstration takes long enough for one of its statements, whatever the machine.
#[both_engines]
async fn a_slow_statement_is_logged_without_its_values(database: Database) {
    let amparo = Amparo::new(database);
    let serve = "serve --demo --listen 127.0.0.1:0 --log-level warn --log json --storage-slow-statement";
    let log = logged(amparo.command(&format!("{serve} 1ms")));
    let slow: Vec<&str> = log.lines().filter(|line| line.contains("slow statement")).collect();
    assert!(slow.iter().any(|line| line.contains("INSERT INTO ") && line.contains("\"rows\":")), "{log}");
    let db = amparo.database.open().await;
    let people = "SELECT name, document, street FROM people WHERE tenant = 1 ORDER BY code";
    for person in db.query(storage::QueryWeight::Search, storage::sql(people)).await.unwrap() {
        for column in ["name", "document", "street"] {
            let value: Option<String> = person.get(column).unwrap();
            assert!(value.is_none_or(|value| !log.contains(&value)), "{column}");
        }
    }
    db.close().await;
    let never = amparo.command(&format!("{serve} 0s"));
    assert!(!logged(never).contains("slow statement"));
}
