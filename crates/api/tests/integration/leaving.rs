//! Leaving: an association with everything that it has is exported, brought into an empty server, also one on the other
//! engine, and answers there as it did here; then both go on alike.

use app::{App, Vault};
use demo::{ADMINISTRATOR, DemoLoadOptions};
use domain::TenantId;
use exchange::archive::{self, ArchiveError, RestoreOptions, RestoreOutcome};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use storage::exchange::archive::LEFT_BEHIND;
use testkit::{Database, Engine, SERVER_KEY, Server, StillClock, app_on, dump};

const MEMBERS: u32 = 120;
const PASSWORD: &str = "amparo-demo";
const BASE: TenantId = TenantId::new(1);

struct Place {
    app: App,
    clock: Arc<StillClock>,
    // Last, so that it goes when nobody uses it any more.
    _database: Database,
}

async fn place(engine: Engine, seed: u64) -> Place {
    let database = Database::fresh(engine).await;
    let clock = Arc::new(StillClock::default());
    let app = app_on(database.open().await, Arc::clone(&clock), seed);
    Place { app, clock, _database: database }
}

fn vault() -> Vault {
    Vault::new(&SERVER_KEY).unwrap()
}

/// An association that does not exist, and some changes that somebody is to be told of.
async fn association(engine: Engine) -> Place {
    let place = place(engine, 1).await;
    // Its money comes below.
    let demo = DemoLoadOptions { members: MEMBERS, seed: 1, password: PASSWORD.to_owned(), months: Some(0) };
    demo::load_demo(&place.app, &demo, &mut |_| {}).await.unwrap();
    let server = Server::start(place.app.clone()).await;
    let token = token(&server, ADMINISTRATOR).await;
    let receiver = r#"{"endereco": "https://erp.example/gatilhos", "entidades": ["todos"]}"#;
    let made = server.write("/gestao/receptor", &token, receiver).await;
    assert_eq!(made.status, 200, "{made:?}");
    for (register, record) in [
        ("feriado", r#"{"nome": "Aniversário da cidade", "data": "25/01/2027"}"#),
        ("desconto", r#"{"nome": "Cortesia", "percentual": 10}"#),
        ("tabelaPreco", r#"{"codPlano": 1, "validoDesde": "01/01/2027", "valor": 129.9}"#),
    ] {
        let made = server.write(&format!("/gestao/{register}"), &token, record).await;
        assert_eq!(made.status, 200, "{made:?}");
    }
    for number in 1..=3 {
        let body = format!(
            r#"{{"nomePessoa": "Fulana de Tal {number}", "cpfCnpj": "{}", "codLoja": 2}}"#,
            cpf(number)
        );
        let saved = server.write("/ext/associado", &token, &body).await;
        assert_eq!(saved.status, 200, "{saved:?}");
        let body =
            format!(r#"{{"cpfCnpj": "{}", "codPlano": 1, "placa": "QQQ{number}A1{number}"}}"#, cpf(number));
        let saved = server.write("/ext/beneficio/veicular", &token, &body).await;
        assert_eq!(saved.status, 200, "{saved:?}");
    }
    for (of, name, bytes) in [
        ("evento/1", "batida.jpg", testkit::pictures::phone_photo(60, 40)),
        ("associado/1", "contrato.pdf", testkit::pictures::pdf()),
    ] {
        let bearer = format!("Bearer {token}");
        let path = format!("/gestao/{of}/arquivos?nome={name}");
        let attached = server.send("POST", &path, &[("Authorization", &bearer)], &bytes).await;
        assert_eq!(attached.head.status, 200, "{attached:?}");
    }
    server.stop().await;
    let debtor = testkit::Debtor { branch: 2, person: 1, benefit: 1 };
    testkit::insert_money_rows(&place.app.db, BASE, debtor, 12).await;
    place
}

/// One that the demonstration gives nobody.
fn cpf(number: u32) -> String {
    let digits = format!("{:09}", 999_000_000 + number);
    let check = |text: &str| {
        let length = text.len() as u32;
        let sum: u32 =
            text.chars().zip(0..).map(|(digit, at)| digit.to_digit(10).unwrap() * (length + 1 - at)).sum();
        match 11 - sum % 11 {
            10 | 11 => 0,
            rest => rest,
        }
    };
    let ten = format!("{digits}{}", check(&digits));
    format!("{ten}{}", check(&ten))
}

async fn token(server: &Server, email: &str) -> String {
    let entered = server.enter(email, PASSWORD).await;
    assert_eq!(entered.status, 200, "{entered:?}");
    entered.json()["authorizationToken"].as_str().unwrap().to_owned()
}

/// What the rows of the association are, but those that stay behind, and those that bringing adds.
async fn rows(place: &Place) -> Vec<String> {
    let left: Vec<String> = LEFT_BEHIND.iter().map(|(table, _)| format!("{table}: ")).collect();
    let lines = dump(&place.app.db).await;
    let travels = |line: &&str| {
        !left.iter().any(|table| line.starts_with(table.as_str()))
            && !line.starts_with("counters: 0 |")
            // Sealed anew, and counted on by what bringing adds.
            && !line.starts_with("secrets: ")
            && !line.starts_with("counters: 1 | \"audit\"")
            && !line.starts_with("counters: 1 | \"access\"")
            && !line.contains("\"amparo bring\"")
    };
    lines.lines().filter(travels).map(str::to_owned).collect()
}

/// What is asked for by each name of a query, where a single one is enough to be answered.
const SAMPLES: &[(&str, &[&str])] = &[
    ("nome", &["maria", "silva jo"]),
    ("situacaoBeneficio", &["ATIVO"]),
    ("codPessoa", &["1", "7"]),
    ("codBeneficio", &["3"]),
    ("codLoja", &["2"]),
    ("codPlano", &["1"]),
    ("pagina", &["0", "1", "2"]),
    ("codReceptor", &["1"]),
    ("sequencial", &["3"]),
    ("entidade", &["Benef%C3%ADcio", "Evento"]),
    ("protocolo", &["1"]),
    ("codNegocio", &["1"]),
    ("codLead", &["1"]),
    ("situacao", &["Aberto", "Em andamento"]),
    ("tipo", &["Cr%C3%A9dito"]),
    ("desde", &["0"]),
    ("consultor", &["a"]),
    ("codGrupo", &["1&conta=A_RECEBER&codReferencia=3"]),
];

/// Whether an operation reads what travels: imports can be undone only where they were made, and stay there.
fn reads(operation: &api::ApiOperation) -> bool {
    operation.method == "GET" && !operation.path.starts_with("/gestao/importacao")
}

/// Every answer to every operation that reads.
async fn walk(place: &Place) -> Vec<(String, u16, String)> {
    let server = Server::start(place.app.clone()).await;
    let mut answers = Vec::new();
    for email in [ADMINISTRATOR, "operador@demo.example"] {
        let bearer = format!("Bearer {}", token(&server, email).await);
        for operation in api::list_operations().iter().filter(|one| reads(one)) {
            for path in paths(operation.path) {
                let mut queries = vec![String::new()];
                for field in &operation.query {
                    let samples = SAMPLES.iter().find(|(name, _)| *name == field.name);
                    let samples = samples.map_or(&[][..], |(_, samples)| samples);
                    let encoded = |value: &&str| format!("?{}={}", field.name, value.replace(' ', "%20"));
                    queries.extend(samples.iter().map(encoded));
                }
                for query in queries {
                    let asked = format!("{path}{query}");
                    let bearer = [("Authorization", bearer.as_str())];
                    let reply = server.send("GET", &asked, &bearer, &[]).await;
                    let body = String::from_utf8_lossy(&reply.bytes).into_owned();
                    answers.push((format!("{email} {} {asked}", operation.path), reply.head.status, body));
                }
            }
        }
    }
    server.stop().await;
    answers
}

/// A path with codes in the place of their names.
fn paths(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (_, after) = rest.split_once('}').unwrap();
    [1, 2, 3, 5, 10].into_iter().flat_map(|code| paths(&format!("{before}{code}{after}"))).collect()
}

async fn export(place: &Place, to: &Path) {
    let exported = archive::export_archive(&place.app, vault(), BASE, to, "test", |_| {}).await.unwrap();
    assert!(exported.manifest.row_count() > 1_000);
}

/// All that an archive holds, so that both are alike.
const EVERYTHING: RestoreOptions = RestoreOptions { paused: false, with_hosts: true, with_mails: true };

async fn bring(place: &Place, from: &Path) -> Result<RestoreOutcome, ArchiveError> {
    archive::restore_archive(&place.app, vault(), from, EVERYTHING, |_, _| {}).await
}

async fn leave(from: Engine, to: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("associacao.zip");
    let here = association(from).await;
    export(&here, &file).await;
    let there = place(to, 2).await;
    there.clock.reach(here.app.now());
    let brought = bring(&there, &file).await.unwrap();
    assert!(brought.is_default && brought.before == 0);
    assert_eq!(rows(&there).await, rows(&here).await, "every row of every table");
    assert!(matches!(bring(&there, &file).await, Err(ArchiveError::TenantExists(BASE))));

    let (was, is) = (walk(&here).await, walk(&there).await);
    let mut answered = BTreeSet::new();
    for (was, is) in was.iter().zip(&is) {
        // Who entered is audited, and so is that an association was brought.
        if !was.0.contains("auditoria") {
            assert_eq!(was, is);
        }
        if is.1 == 200 {
            answered.insert(is.0.split(' ').nth(1).unwrap().to_owned());
        }
    }
    let all: BTreeSet<String> =
        api::list_operations().iter().filter(|one| reads(one)).map(|one| one.path.to_owned()).collect();
    let never: Vec<&String> = all.difference(&answered).collect();
    assert!(never.is_empty(), "never answered with anything: {never:?}");

    // Both go on alike: the same codes, nobody's twice.
    let mut after = Vec::new();
    for place in [&here, &there] {
        let server = Server::start(place.app.clone()).await;
        let token = token(&server, ADMINISTRATOR).await;
        let mut answers = Vec::new();
        for (path, body) in [
            (
                "/ext/associado",
                format!(r#"{{"nomePessoa": "Nova", "cpfCnpj": "{}", "codLoja": 1}}"#, cpf(77)),
            ),
            (
                "/ext/beneficio/veicular",
                format!(r#"{{"cpfCnpj": "{}", "codPlano": 1, "placa": "QQQ7A77"}}"#, cpf(77)),
            ),
            ("/ext/crm/lead", r#"{"nome": "Lead Novo", "telefone": "31988887777", "codLoja": 1}"#.to_owned()),
        ] {
            let reply = server.write(path, &token, &body).await;
            assert_eq!(reply.status, 200, "{path}: {reply:?}");
            answers.push(reply.body);
        }
        let found = server.read("/ext/associado?nome=nova", &token).await;
        assert_eq!(found.status, 200);
        answers.push(found.body);
        after.push(answers);
        server.stop().await;
    }
    assert_eq!(after[0], after[1]);
}

#[testkit::test]
async fn an_association_leaves_and_answers_the_same() {
    leave(Engine::Sqlite, Engine::Sqlite).await;
}

#[testkit::postgres_test]
async fn an_association_leaves_from_sqlite_to_postgres() {
    leave(Engine::Sqlite, Engine::Postgres).await;
}

#[testkit::postgres_test]
async fn an_association_leaves_from_postgres_to_sqlite() {
    leave(Engine::Postgres, Engine::Sqlite).await;
}

/// Whoever is cut off begins the same command again, wherever he was.
async fn go_on(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("associacao.zip");
    let here = association(engine).await;
    export(&here, &file).await;
    let there = place(engine, 2).await;
    there.clock.reach(here.app.now());
    let mut reached = 0;
    for stop in [1, 40, 400, 1_500, 3_000] {
        let (cut, mut cut_off) = tokio::sync::mpsc::unbounded_channel();
        let bringing = archive::restore_archive(&there.app, vault(), &file, EVERYTHING, move |step, rows| {
            if step == archive::RestoreStep::Writing && rows >= stop {
                let _ = cut.send(rows);
            }
        });
        tokio::select! {
            ended = bringing => { let _ = ended; }
            rows = cut_off.recv() => reached = rows.unwrap(),
        }
    }
    assert!(reached > 0);
    let other = folder.path().join("outra.zip");
    export(&here, &other).await;
    // What was cut off last may still be on its way: then it is told as such.
    let ended = loop {
        match bring(&there, &other).await {
            Err(ArchiveError::OtherRestoreUnfinished(BASE)) => {}
            Err(ArchiveError::TenantExists(BASE)) => break None,
            other => panic!("{other:?}"),
        }
        match bring(&there, &file).await {
            Err(ArchiveError::ConcurrentRestore) => {}
            ended => break Some(ended.unwrap()),
        }
    };
    assert!(ended.is_none_or(|ended| ended.before > 0), "it went on where it was");
    let was: Vec<String> =
        rows(&here).await.into_iter().filter(|line| !line.contains("\"amparo export\"")).collect();
    let is: Vec<String> =
        rows(&there).await.into_iter().filter(|line| !line.contains("\"amparo export\"")).collect();
    assert_eq!(is, was);
}

#[testkit::test]
async fn bringing_goes_on_where_it_was_cut_off() {
    go_on(Engine::Sqlite).await;
}

#[testkit::postgres_test]
async fn bringing_goes_on_where_it_was_cut_off_on_postgres() {
    go_on(Engine::Postgres).await;
}

/// Nothing is written of an archive that is not what it says.
#[testkit::test]
async fn a_damaged_archive_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("associacao.zip");
    let here = association(Engine::Sqlite).await;
    export(&here, &file).await;
    let whole = std::fs::read(&file).unwrap();
    let there = place(Engine::Sqlite, 2).await;
    let before = dump(&there.app.db).await;
    for at in [whole.len() / 3, whole.len() / 2] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&file, &bytes).unwrap();
        assert!(bring(&there, &file).await.is_err());
    }
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(bring(&there, &file).await, Err(ArchiveError::UnknownFormat(_))));
    assert_eq!(dump(&there.app.db).await, before);
}
