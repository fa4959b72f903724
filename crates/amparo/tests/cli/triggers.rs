//! Triggers by command: who receives them, what was sent, a receiver to develop with, and a process that only delivers.

use super::{Amparo, BufRead, BufReader, Child, Command, Serving, Stdio};
use serde_json::Value;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use testkit::{Database, Engine, basic, both_engines, until};

const FAST: [(&str, &str); 3] = [
    ("AMPARO_TRIGGERS_ALLOWED_HOSTS", "127.0.0.1"),
    ("AMPARO_TRIGGERS_INTERVAL", "20ms"),
    ("AMPARO_TRIGGERS_RETRIES", "20ms,20ms"),
];

/// `amparo listen`, and what it has said so far.
struct Listening {
    child: Child,
    address: String,
    said: Arc<Mutex<String>>,
}

impl Listening {
    fn begin(mut command: Command) -> Listening {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let first = lines.next().unwrap();
        let address = first.split("http://").nth(1).unwrap().split(';').next().unwrap().to_owned();
        let said = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&said);
        std::thread::spawn(move || lines.for_each(|line| *shared.lock().unwrap() += &format!("{line}\n")));
        Listening { child, address, said }
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Waits until it has said this so many times.
    async fn says(&self, what: &str, times: usize) {
        until(what, || async { self.said().matches(what).count() >= times }).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An association with some members, a server, and somebody who may change things there.
struct Base {
    amparo: Amparo,
    server: Serving,
    token: String,
}

impl Base {
    fn begin(database: Database, serve: &str) -> Base {
        let amparo = Amparo::new(database);
        amparo.said("demo load --members 20 --seed 1");
        let line = format!("serve --listen 127.0.0.1:0 --log-level error {serve}");
        let server = Amparo::started(amparo.command(&line).envs(FAST));
        let credential = basic("admin@demo.example", "amparo-demo");
        let entered = server.send("POST /ext/autenticacao", &[("Authorization", &credential)], "");
        let token = json(&entered)["authorizationToken"].as_str().unwrap().to_owned();
        Base { amparo, server, token: format!("Bearer {token}") }
    }

    fn listen(&self, line: &str, secret: Option<&str>) -> Listening {
        let mut command = self.amparo.command(&format!("listen {line}"));
        command.args(secret.into_iter().flat_map(|secret| ["--secret", secret]));
        Listening::begin(command)
    }

    /// Benefits that are in force.
    fn benefits(&self) -> Vec<i64> {
        let list = self.server.send("GET /ext/beneficio/lista", &[("Authorization", &self.token)], "");
        let list = json(&list);
        let in_force = list["itens"].as_array().unwrap().iter().filter(|one| one["situacao"] == "ATIVO");
        in_force.map(|one| one["codBeneficio"].as_i64().unwrap()).collect()
    }

    fn cancel(&self, code: i64) {
        let request = format!("PUT /ext/beneficio/{code}/cancelar");
        let answer = self.server.send(&request, &[("Authorization", &self.token)], "");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    async fn listed(&self, line: &str, what: &str) {
        until(what, || async { self.amparo.said(line).contains(what) }).await;
    }
}

fn json(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
}

fn secret(said: &str) -> &str {
    said.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap()
}

#[both_engines]
async fn receivers_are_managed_by_command_beside_a_running_server(database: Database) {
    let base = Base::begin(database, "");
    let amparo = &base.amparo;
    assert!(amparo.said("receiver list").contains("Nenhum receptor ainda"));
    let listening = base.listen("--listen 127.0.0.1:0", None);
    let url = format!("http://{}", listening.address);
    let added = amparo
        .said(&format!("receiver add --url {url} --entity beneficio --entity helpDesk --header X-Chave:abc"));
    assert!(added.starts_with("Receptor 1 cadastrado na base 1.") && secret(&added).len() > 40, "{added}");
    let listed = amparo.said("receiver list");
    assert!(
        listed.contains("ativo") && listed.contains(&url) && listed.contains("[beneficio, helpDesk]"),
        "{listed}"
    );
    assert!(!listed.contains("abc") && !listed.contains(secret(&added)), "{listed}");

    // Addresses inside are refused, unless they are named.
    let refused = amparo.complained("receiver test --code 1");
    assert!(refused.contains("rede interna"), "{refused}");
    let tested = amparo.said("receiver test --code 1 --triggers-allowed-hosts 127.0.0.1");
    assert!(tested.contains("aceitou o gatilho de exemplo (204)"), "{tested}");
    listening.says("POST /beneficio", 1).await;

    let codes = base.benefits();
    base.cancel(codes[0]);
    listening.says("POST /beneficio", 2).await;
    let said = listening.said();
    assert!(said.contains("webhook-id: msg_1_") && said.contains("assinatura: não conferida"), "{said}");
    assert!(said.contains(&format!("    \"id\": {}", codes[0])) && said.contains("CANCELADO"), "{said}");
    base.listed("receiver list", "última entrega há").await;

    assert!(amparo.said("receiver pause --code 1").contains("está pausado"));
    assert!(amparo.said("receiver list").contains("pausado"));
    base.cancel(codes[1]);
    base.listed("trigger list --receiver 1", "pendente").await;
    assert!(amparo.said("receiver resume --code 1").contains("volta a receber"));
    listening.says("POST /beneficio", 3).await;
    let rotated = amparo.said("receiver rotate --code 1");
    assert!(rotated.contains("Por 24 horas o antigo também assina") && secret(&rotated) != secret(&added));
    for (line, why) in [
        ("receiver test --code 9", "9"),
        ("receiver pause --code 9", "9"),
        ("receiver rotate --code 9", "9"),
        ("receiver add --url ftp://x --entity todos", "http://"),
        ("receiver add --url http://x.example --entity todos --concurrency 65", "64"),
        ("receiver add --url http://x.example --entity todos --header sem-valor", "sem-valor"),
        ("receiver add --url http://x.example --entity carro", "carro"),
    ] {
        let complaint = amparo.complained(line);
        assert!(complaint.contains(why), "{line}: {complaint}");
    }
    assert!(amparo.complained("receiver list --tenant 9").contains("não há uma base 9"));
}

#[both_engines]
async fn triggers_are_listed_and_sent_again_and_the_listener_checks_their_signature(database: Database) {
    let base = Base::begin(database, "");
    let amparo = &base.amparo;
    let first = base.listen("--listen 127.0.0.1:0 --status 503", None);
    let place = first.address.clone();
    let added = amparo.said(&format!("receiver add --url http://{place} --entity todos"));
    let code = base.benefits()[0];
    base.cancel(code);
    base.listed("trigger list --receiver 1", "esgotada").await;
    let listed = amparo.said("trigger list --receiver 1");
    assert_eq!(listed.matches(" 503 ").count(), 3, "{listed}");
    assert!(listed.contains(&format!("beneficio  {code:>7}  3 tentativas")), "{listed}");
    assert_eq!(amparo.said("trigger list --receiver 1 --state entregue"), "Nenhuma entrega.\n");
    drop(first);

    // Refuses twice, takes its time, and then takes it.
    let second =
        base.listen(&format!("--listen {place} --fail 2 --delay 30ms --count 3"), Some(secret(&added)));
    let history = listed.split_whitespace().next().unwrap().to_owned();
    let again = amparo.said(&format!("trigger replay --receiver 1 --from {history}"));
    assert_eq!(again, "Uma entrega volta à fila.\n");
    base.listed("trigger list --receiver 1 --state entregue", &history).await;
    second.says("assinatura: válida", 3).await;
    let said = second.said();
    assert_eq!(
        (said.matches("resposta: 500").count(), said.matches("resposta: 204").count()),
        (2, 1),
        "{said}"
    );
    let mut second = second;
    assert!(second.child.wait().unwrap().success(), "it ends after three");
    let listed = amparo.said("trigger list --receiver 1");
    let slow = listed
        .lines()
        .rev()
        .find_map(|line| line.split("204  ").nth(1)?.split(' ').next()?.parse::<u32>().ok());
    assert!(slow.is_some_and(|millis| millis >= 30), "{listed}");
    drop(second);

    let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let wary = base.listen(&format!("--listen {place}"), Some(other));
    amparo.said(&format!("trigger replay --receiver 1 --from {history} --to {history}"));
    wary.says("assinatura: INVÁLIDA: o gatilho foi recusado", 3).await;
    base.listed("trigger list --receiver 1", " 401 ").await;
    base.listed("trigger list --receiver 1", "esgotada").await;
    drop(wary);

    // By the day: all that never arrived, under a new secret.
    let rotated = amparo.said("receiver rotate --code 1");
    let last = base.listen(&format!("--listen {place}"), Some(secret(&rotated)));
    assert_eq!(amparo.said("trigger replay --receiver 1 --since 2026-01-01"), "Uma entrega volta à fila.\n");
    last.says("assinatura: válida", 1).await;
    base.listed("trigger list --receiver 1", "entregue").await;
    assert!(amparo.said("trigger replay --receiver 1 --since 2026-01-01T10:30").contains("Não havia nada"));
    for (line, why) in [
        ("trigger replay --receiver 1", "--from"),
        ("trigger replay --receiver 1 --from 1 --since 2026-01-01", "--from"),
        ("trigger replay --receiver 1 --since ontem", "ontem"),
        ("trigger replay --receiver 9 --from 1", "9"),
        ("trigger replay --receiver 1 --from 2 --to 1", "codHistoricoFinal"),
        ("receiver pause --code 99", "codReceptor: o código 99 não existe"),
        ("listen --secret abc", "whsec_"),
        ("trigger list --receiver 9", "9"),
        ("listen --listen 127.0.0.1:0 --delay logo", "logo"),
        ("listen --listen 300.0.0.1:0", "300.0.0.1"),
    ] {
        let complaint = amparo.complained(line);
        assert!(complaint.contains(why), "{line}: {complaint}");
    }
}

#[both_engines]
async fn a_worker_delivers_beside_servers_that_do_not(database: Database) {
    if database.engine == Engine::Sqlite {
        let complaint = Amparo::new(database).complained("worker");
        assert!(complaint.contains("SQLite") && complaint.contains("amparo serve"), "{complaint}");
        return;
    }
    let base = Base::begin(database, "--no-delivery");
    let listening = base.listen("--listen 127.0.0.1:0", None);
    base.amparo.said(&format!("receiver add --url http://{} --entity todos", listening.address));
    let codes = base.benefits();
    base.cancel(codes[0]);
    base.listed("trigger list --receiver 1", "pendente").await;
    let line = "worker --log-level error --triggers-worker-listen 127.0.0.1:0";
    let mut worker = base.amparo.command(line).envs(FAST).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("entregando gatilhos"));
    let place = lines.next().unwrap().unwrap();
    let place = place.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    listening.says("POST /beneficio", 1).await;
    base.listed("trigger list --receiver 1", "entregue").await;
    // What a server changes from now on is found by the one that delivers.
    base.cancel(codes[1]);
    listening.says("POST /beneficio", 2).await;
    let shown = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&place).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(shown("/readyz").contains("pronto"));
    let measured = shown("/metrics");
    assert!(measured.contains("amparo_trigger_attempts_total{outcome=\"delivered\"} 2"), "{measured}");
    assert!(measured.contains("amparo_trigger_first_attempt_seconds"), "{measured}");
    assert!(shown("/ext/administracao/loja").starts_with("HTTP/1.1 404"));
    let asked = Command::new("kill").arg(worker.id().to_string()).status().unwrap();
    assert!(asked.success());
    assert_eq!(worker.wait().unwrap().code(), Some(0));
    base.cancel(codes[2]);
    base.listed("trigger list --receiver 1 --state pendente", "beneficio").await;
    assert_eq!(listening.said().matches("POST /").count(), 2);
}
