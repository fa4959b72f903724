//! The log of requests: what each line tells, and what none does.

use super::Amparo;
use testkit::{Database, both_engines, until};

/// A server whose log is in a file, and the lines that it logged of requests.
fn read_lines(amparo: &Amparo) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(amparo.folder.path().join("registro")).unwrap();
    assert!(!text.contains('\u{1b}'), "colours in a file: {text}");
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter(|line| line["message"] == "answered").collect()
}

fn start(amparo: &Amparo, mode: &str) -> super::Serving {
    let line = format!("serve --listen 127.0.0.1:0 --log json --log-level info --http-log-requests {mode}");
    let mut command = amparo.command(&line);
    command.stderr(std::fs::File::create(amparo.folder.path().join("registro")).unwrap());
    Amparo::started(&mut command)
}

#[both_engines]
async fn a_request_is_logged_with_its_caller_and_without_what_is_personal(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    let line = "user create --email ana@exemplo.com.br --name Ana --role administrador --password-stdin";
    assert!(amparo.with_password(line, "uma senha bem longa").status.success());
    let serving = start(&amparo, "all");
    let credential = testkit::basic("ana@exemplo.com.br", "uma senha bem longa");
    let entered = serving.send("POST /ext/autenticacao", &[("Authorization", &credential)], "");
    let token =
        entered.split_once("\"authorizationToken\":\"").unwrap().1.split('"').next().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("X-Request-Id", "pedido-4711")];
    assert!(serving.send("GET /ext/associado?nome=Maria", &headers, "").starts_with("HTTP/1.1 200"));
    assert!(serving.get("/ext/associado?nome=Maria").starts_with("HTTP/1.1 401"));
    assert!(serving.get("/caminho-secreto").starts_with("HTTP/1.1 404"));
    let token_of_link = format!("1-{}", "9xk4".repeat(8));
    assert!(serving.get(&format!("/documento/{token_of_link}")).starts_with("HTTP/1.1 404"));
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200"));
    until("five lines", || async { read_lines(&amparo).len() == 5 }).await;
    let lines = read_lines(&amparo);
    let [entrance, search, refused, lost, link] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&entrance["route"], &entrance["status"]), (&"/ext/autenticacao".into(), &200.into()));
    assert_eq!((&search["route"], &search["id"]), (&"/ext/associado".into(), &"pedido-4711".into()));
    assert_eq!((&search["method"], &search["status"]), (&"GET".into(), &200.into()));
    assert_eq!((&search["tenant"], &search["user"]), (&1.into(), &1.into()));
    assert_eq!(search["address"], "127.0.0.1");
    assert!(search["ms"].as_f64().unwrap() > 0.0);
    assert_eq!((&refused["status"], refused.get("user")), (&401.into(), None));
    assert_eq!((&lost["route"], &lost["status"]), (&"none".into(), &404.into()));
    assert_eq!((&link["route"], &link["status"]), (&"/documento/{token}".into(), &404.into()));
    let text = std::fs::read_to_string(amparo.folder.path().join("registro")).unwrap();
    for secret in ["Maria", "secreto", "ana@", "senha", &token, "9xk4"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn only_errors_or_nothing_is_logged_if_so_wished(database: Database) {
    let amparo = Amparo::new(database);
    let errors = start(&amparo, "errors");
    assert!(errors.get("/docs/").starts_with("HTTP/1.1 200"));
    assert!(errors.get("/nada").starts_with("HTTP/1.1 404"));
    until("one line", || async { read_lines(&amparo).len() == 1 }).await;
    assert_eq!(errors.terminate(), 0);
    let nothing = start(&amparo, "none");
    assert!(nothing.get("/nada").starts_with("HTTP/1.1 404"));
    assert_eq!(nothing.terminate(), 0);
    assert_eq!(read_lines(&amparo), [serde_json::Value::Null; 0]);
}
