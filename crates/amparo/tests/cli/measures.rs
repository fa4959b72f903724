//! What a process measures of itself. Only one that is alone in its process can be told what it counted.

use super::{Amparo, Engine, Serving};
use testkit::{Database, basic, both_engines, until};

const TOKEN: &str = "um-token-longo";

/// A server that shows its measures to whoever has the token.
fn measuring(amparo: &Amparo) -> Serving {
    let line = "serve --listen 127.0.0.1:0 --log-level off --housekeeping-heartbeat 10ms";
    Amparo::started(amparo.command(line).env("AMPARO_HTTP_METRICS_TOKEN", TOKEN))
}

/// A measure without labels.
fn measured(serving: &Serving, name: &str) -> u64 {
    let answer = serving.send("GET /metrics", &[("Authorization", &format!("Bearer {TOKEN}"))], "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(0, |value| value.trim().parse().unwrap())
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

mod whether_the_database_takes_writes_is_measured {
    use super::*;

    #[testkit::postgres_test]
    async fn postgres() {
        const WRITABLE: &str = "amparo_database_writable";
        let amparo = Amparo::new(Database::fresh(Engine::Postgres).await);
        let serving = measuring(&amparo);
        until("a write succeeded", || async { measured(&serving, WRITABLE) == 1 }).await;
        let address = amparo.database.address_text();
        let (server, name) = address.rsplit_once('/').unwrap();
        let demote = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        Database::statement(address, &demote).await;
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        Database::statement(address, others).await;
        until("a write failed", || async { measured(&serving, WRITABLE) == 0 }).await;
        let promote = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
        Database::statement(&format!("{server}/postgres"), &promote).await;
        until("a write succeeded again", || async { measured(&serving, WRITABLE) == 1 }).await;
        assert_eq!(serving.terminate(), 0);
    }
}
