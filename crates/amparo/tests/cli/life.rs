//! An older copy of the database file is put back, and nobody said so.

use super::{Amparo, Serving};
use serde_json::Value;
use std::path::{Path, PathBuf};
use testkit::{Database, Engine, basic};

fn json(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
}

/// Somebody who signed in.
struct Caller<'s> {
    serving: &'s Serving,
    token: String,
}

impl Caller<'_> {
    fn enter(serving: &Serving) -> Caller<'_> {
        let credential = basic("admin@demo.example", "amparo-demo");
        let entered = serving.send("POST /ext/autenticacao", &[("Authorization", &credential)], "");
        let token = json(&entered)["authorizationToken"].as_str().unwrap().to_owned();
        Caller { serving, token }
    }

    fn send(&self, request: &str) -> String {
        self.serving.send(request, &[("Authorization", &format!("Bearer {}", self.token))], "")
    }

    /// Cancels a benefit that is in force; gives the name and the code of the trigger that follows, and where the history ends.
    fn cancel_one(&self) -> (String, i64, String) {
        let list = json(&self.send("GET /ext/beneficio/lista"));
        let in_force =
            list["itens"].as_array().unwrap().iter().find(|one| one["situacao"] == "ATIVO").unwrap();
        let cancelled = self.send(&format!("PUT /ext/beneficio/{}/cancelar", in_force["codBeneficio"]));
        assert!(cancelled.starts_with("HTTP/1.1 200"), "{cancelled}");
        let deliveries = json(&self.send("GET /gestao/entrega?codReceptor=1"));
        let last = deliveries["itens"].as_array().unwrap().last().unwrap();
        let code = last["codHistorico"].as_i64().unwrap();
        let feed = json(&self.send(&format!("GET /gestao/historico?apos={}", code - 1)));
        let next = feed["proximo"].as_str().unwrap().to_owned();
        (last["webhookId"].as_str().unwrap().to_owned(), code, next)
    }
}

fn is_let_in(serving: &Serving, token: &str) -> bool {
    let caller = Caller { serving, token: token.to_owned() };
    let answer = caller.send("GET /ext/administracao/loja");
    assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 401"), "{answer}");
    answer.starts_with("HTTP/1.1 200")
}

/// A file beside the database.
fn beside(database: &Path, end: &str) -> PathBuf {
    PathBuf::from(format!("{}{end}", database.display()))
}

#[testkit::test]
async fn an_older_copy_that_is_put_back_ends_sessions_and_names_triggers_anew() {
    let amparo = Amparo::new(Database::fresh(Engine::Sqlite).await);
    let database = PathBuf::from(amparo.database.address_text().strip_prefix("sqlite:").unwrap());
    amparo.said("demo load --members 20 --seed 1");
    amparo.said("receiver add --url http://erp.example/gatilhos --entity todos");

    let serving = amparo.serve();
    let before = Caller::enter(&serving).token;
    assert!(is_let_in(&serving, &before));
    assert_eq!(serving.terminate(), 0);
    assert!(!beside(&database, "-wal").exists(), "the copy is all of it");
    let copy = beside(&database, ".copia");
    std::fs::copy(&database, &copy).unwrap();

    let serving = amparo.serve();
    assert!(is_let_in(&serving, &before), "a restart ends nothing");
    let later = Caller::enter(&serving);
    let (lost, code, cursor) = later.cancel_one();
    let after = later.token;
    assert_eq!(serving.terminate(), 0);

    std::fs::rename(&copy, &database).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(&database, end));
    }
    let mut serving = amparo.serve();
    assert!(serving.lines.by_ref().take(2).any(|line| line.contains("voltou a um estado anterior")));
    for token in [&before, &after] {
        assert!(!is_let_in(&serving, token));
    }
    let caller = Caller::enter(&serving);
    let (new, again, _) = caller.cancel_one();
    assert_eq!(again, code, "the code is given again");
    assert_ne!(new, lost, "and its trigger is another");
    let refused = caller.send(&format!("GET /gestao/historico?apos={cursor}"));
    assert!(refused.starts_with("HTTP/1.1 409") && refused.contains("estado anterior"), "{refused}");
    let token = caller.token;
    assert_eq!(serving.terminate(), 0);

    // Killed, and begun again: that is no copy.
    amparo.serve().kill();
    let serving = amparo.serve();
    assert!(is_let_in(&serving, &token));
    assert_eq!(serving.terminate(), 0);
}
