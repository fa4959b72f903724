//! What a process measures of itself. Only one that is alone in its process can be told what it counted.

use super::{Amparo, Engine, Serving};
use metric_list::{ALL_METRICS, MetricDescription, MetricKind};
use std::collections::BTreeMap;
use testkit::{Database, basic, both_engines, until};

#[path = "../../src/measurement/metric_list.rs"]
#[allow(dead_code, reason = "the binary uses the rest")]
mod metric_list;

const TOKEN: &str = "um-token-longo";

/// A server that shows its measures to whoever has the token.
fn measuring(amparo: &Amparo) -> Serving {
    let line = "serve --listen 127.0.0.1:0 --log-level off --housekeeping-heartbeat 10ms";
    Amparo::started(amparo.command(line).env("AMPARO_HTTP_METRICS_TOKEN", TOKEN))
}

fn all_measured(serving: &Serving) -> String {
    let answer = serving.send("GET /metrics", &[("Authorization", &format!("Bearer {TOKEN}"))], "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// A measure without labels.
fn measured(serving: &Serving, name: &str) -> u64 {
    let answer = all_measured(serving);
    let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(0, |value| value.trim().parse().unwrap())
}

/// The series of `/metrics`: name and labels of each sample, without the value and without the label of buckets.
fn list_series(text: &str) -> Vec<(String, Vec<String>)> {
    let samples = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let parsed = samples.map(|line| {
        let series = line.rsplit_once(' ').unwrap().0;
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let labels = labels.trim_end_matches('}').split("\",").map(|label| label.trim_end_matches('"'));
        let labels = labels.filter(|label| !label.is_empty() && !label.starts_with("le=")).map(str::to_owned);
        (name.to_owned(), labels.collect())
    });
    parsed.collect()
}

/// What a comment of `/metrics` (`HELP`, `TYPE`) tells of each name.
fn list_comments<'t>(text: &'t str, kind: &str) -> BTreeMap<&'t str, &'t str> {
    let start = format!("# {kind} ");
    text.lines().filter_map(|line| line.strip_prefix(&start)?.split_once(' ')).collect()
}

fn find_family(name: &str) -> Option<&'static MetricDescription> {
    ALL_METRICS.iter().find(|metric| match metric.kind {
        MetricKind::Histogram => {
            ["_bucket", "_sum", "_count"].iter().any(|ending| name.strip_suffix(ending) == Some(metric.name))
        }
        _ => name == metric.name,
    })
}

#[both_engines]
async fn every_metric_is_in_the_list_described_and_there_from_the_start(database: Database) {
    let amparo = Amparo::new(database);
    let serving = measuring(&amparo);
    let text = all_measured(&serving);
    let (helps, kinds, series) =
        (list_comments(&text, "HELP"), list_comments(&text, "TYPE"), list_series(&text));
    for metric in ALL_METRICS {
        assert_eq!(helps.get(metric.name), Some(&metric.help), "{}", metric.name);
        let kind = format!("{:?}", metric.kind).to_lowercase();
        assert_eq!(kinds.get(metric.name), Some(&kind.as_str()), "{}", metric.name);
        let name = match metric.kind {
            MetricKind::Histogram => format!("{}_count", metric.name),
            _ => metric.name.to_owned(),
        };
        for wanted in metric.list_series() {
            let mut wanted: Vec<String> =
                wanted.iter().map(|(label, value)| format!("{label}=\"{value}")).collect();
            wanted.sort();
            let is_there = series.iter().any(|(known, labels)| {
                let mut labels = labels.clone();
                labels.sort();
                *known == name && labels == wanted
            });
            assert!(is_there, "{name} {wanted:?} is not there from the start: {text}");
        }
    }
    // What happens later has no other names.
    serving.get("/ext/nada");
    serving.send("POST /ext/autenticacao", &[("Authorization", &basic("ana@exemplo.com.br", "errada"))], "");
    until("the process was sampled", || async { measured(&serving, "process_threads") > 0 }).await;
    until("it is ready", || async { measured(&serving, "amparo_ready") == 1 }).await;
    for (name, _) in list_series(&all_measured(&serving)) {
        assert!(find_family(&name).is_some(), "{name} is not in the list");
    }
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn what_is_sampled_has_values(database: Database) {
    let amparo = Amparo::new(database);
    let serving = measuring(&amparo);
    let is_file = amparo.database.engine == Engine::Sqlite;
    for (name, is_expected) in [
        ("process_resident_memory_bytes", true),
        ("process_start_time_seconds", true),
        ("process_open_fds", true),
        ("process_max_fds", true),
        ("amparo_http_connections", true),
        ("amparo_http_connections_limit", true),
        ("amparo_database_commits_total", true),
        ("amparo_housekeeping_last_success_timestamp_seconds", true),
        ("amparo_database_size_bytes{database=\"main\"}", true),
        ("amparo_database_size_bytes{database=\"activity\"}", is_file),
        ("amparo_database_log_bytes{database=\"main\"}", is_file),
        ("amparo_disk_free_bytes{place=\"database\"}", is_file),
        ("amparo_disk_size_bytes{place=\"attachments\"}", true),
        ("amparo_database_connections_limit{work=\"write\"}", !is_file),
        ("amparo_database_connections_limit{work=\"search\"}", !is_file),
        ("amparo_certificate_expiry_timestamp_seconds", false),
    ] {
        let read = || {
            let text = all_measured(&serving);
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.map(|value| value.trim().parse::<f64>().unwrap())
        };
        if is_expected {
            until(name, || async { read().is_some_and(|value| value > 0.0) }).await;
        } else {
            assert_eq!(read(), Some(0.0), "{name}");
        }
    }
    assert_eq!(serving.terminate(), 0);
}

#[both_engines]
async fn known_and_unknown_users_get_the_same_text_after_one_argon2_each(database: Database) {
    const CHECKS: &str = "amparo_password_checks_total";
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Associação");
    for name in ["ana", "rui"] {
        let line = format!(
            "user create --email {name}@exemplo.com.br --name {name} --role operador --branch 1 --password-stdin"
        );
        assert!(amparo.with_password(&line, "uma senha bem longa").status.success());
    }
    amparo.said("user disable --email rui@exemplo.com.br");
    let serving = measuring(&amparo);
    let mut texts = Vec::new();
    for (login, password) in [
        ("ana@exemplo.com.br", "senha errada"),
        ("ninguem@exemplo.com.br", "senha errada"),
        ("isto não é um e-mail", "senha errada"),
        ("rui@exemplo.com.br", "uma senha bem longa"),
        ("", ""),
        ("a\0@b", "senha errada"),
    ] {
        let before = measured(&serving, CHECKS);
        let credential = basic(login, password);
        let refused = serving.send("POST /ext/autenticacao", &[("Authorization", &credential)], "");
        assert!(refused.starts_with("HTTP/1.1 401"), "{login}: {refused}");
        texts.push(refused.split_once("\r\n\r\n").unwrap().1.to_owned());
        assert_eq!(measured(&serving, CHECKS), before + 1, "{login}");
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
    assert_eq!(serving.terminate(), 0);
}

/// What the alert `AmparoReceptorFalhando` looks at.
#[both_engines]
async fn a_receiver_that_refuses_is_counted(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("demo load --members 20 --seed 1");
    // It accepts every connection and hangs up.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let line = format!(
        "serve --listen 127.0.0.1:0 --log-level off --housekeeping-heartbeat 10ms --triggers-allowed-hosts {closed}"
    );
    let serving = Amparo::started(amparo.command(&line).env("AMPARO_HTTP_METRICS_TOKEN", TOKEN));
    amparo.said(&format!(
        "receiver add --url http://{closed} --entity todos --triggers-allowed-hosts {closed}"
    ));
    let entered = serving.send(
        "POST /ext/autenticacao",
        &[("Authorization", &basic("admin@demo.example", "amparo-demo"))],
        "",
    );
    let token =
        entered.split_once("\"authorizationToken\":\"").unwrap().1.split('"').next().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let cancelled = serving.send("PUT /ext/beneficio/1/cancelar", &[("Authorization", &bearer)], "");
    assert!(cancelled.starts_with("HTTP/1.1 200"), "{cancelled}");
    let is_counted = || async { measured(&serving, "amparo_trigger_receivers_failing") == 1 };
    until("the receiver counts as failing", is_counted).await;
    assert_eq!(serving.terminate(), 0);
}

mod whether_the_database_takes_writes_is_measured {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        const WRITABLE: &str = "amparo_database_writable";
        let amparo = Amparo::new(Database::fresh(Engine::Postgres).await);
        let log = amparo.folder.path().join("registro");
        let line = "serve --listen 127.0.0.1:0 --log-level info --housekeeping-heartbeat 10ms";
        let mut command = amparo.command(line);
        command.env("AMPARO_HTTP_METRICS_TOKEN", TOKEN).stderr(std::fs::File::create(&log).unwrap());
        let serving = Amparo::started(&mut command);
        until("a write succeeded", || async { measured(&serving, WRITABLE) == 1 }).await;
        let address = amparo.database.address_text();
        let (server, name) = address.rsplit_once('/').unwrap();
        let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        Database::statement(address, &demote).await;
        // Each is gone before the next: an old connection may still write.
        let others = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        Database::statement(address, others).await;
        until("a write failed", || async { measured(&serving, WRITABLE) == 0 }).await;
        let count = |words: &str| std::fs::read_to_string(&log).unwrap().matches(words).count();
        until("the cause was logged", || async { count("Fault(ReadOnly)") > 0 }).await;
        until("it is not ready", || async { measured(&serving, "amparo_ready") == 0 }).await;
        for _ in 0..20 {
            assert!(serving.get("/readyz").starts_with("HTTP/1.1 503"));
        }
        let promote = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
        Database::statement(&format!("{server}/postgres"), &promote).await;
        until("a write succeeded again", || async { measured(&serving, WRITABLE) == 1 }).await;
        until("its end was logged", || async { count("database trouble is over") == 1 }).await;
        // The connections were ended, and then writes refused: two kinds of trouble, each logged once.
        let text = std::fs::read_to_string(&log).unwrap();
        assert_eq!(count("database trouble began"), 1, "{text}");
        assert!(text.contains("Fault(ReadOnly)") && text.contains("25006"), "{text}");
        let loud = text.lines().filter(|line| line.contains("WARN") || line.contains("ERROR")).count();
        assert!(loud < 8, "{text}");
        assert!(!text.contains('\u{1b}'), "colours in a file: {text}");
        assert_eq!(serving.terminate(), 0);
    }
}
