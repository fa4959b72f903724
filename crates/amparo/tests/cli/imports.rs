//! `amparo import` through the real binary: tried, imported, taken back, and killed in the middle.

use super::{Amparo, Child, Serving, Stdio};
use storage::{Db, QueryWeight, WriteLane, sql};
use testkit::{Database, Engine, both_engines, until};

fn cpf(number: u32) -> String {
    let mut digits = [0; 9];
    for (at, digit) in format!("{number:09}").bytes().enumerate() {
        digits[at] = digit - b'0';
    }
    domain::Cpf::with_check_digits(digits).unwrap().as_str().to_owned()
}

fn write(amparo: &Amparo, name: &str, text: &str) {
    std::fs::write(amparo.folder.path().join(name), text).unwrap();
}

#[both_engines]
async fn a_file_is_tried_imported_and_taken_back_by_command(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Minha");
    write(&amparo, "base.csv", &format!("Documento nº;Nome\n{};Ana\n{};Bia\n123;Zé\n", cpf(1), cpf(2)));
    let refused = amparo.complained("import nada.csv --kind associados");
    assert!(refused.contains("nada.csv"), "{refused}");
    assert!(amparo.complained("import").contains("--kind associados"));
    let map = ["--map", "Documento nº=cpfCnpj"];
    let run = |line: &str| amparo.command(line).args(map).output().unwrap();
    let tried = run("import base.csv --kind associados --dry-run --errors erros.csv");
    let said = String::from_utf8(tried.stdout).unwrap();
    assert_eq!(tried.status.code(), Some(2), "{said}");
    assert!(said.contains("2 seriam criados") && said.contains("linha 4, Documento nº:"), "{said}");
    let errors = std::fs::read_to_string(amparo.folder.path().join("erros.csv")).unwrap();
    assert!(errors.contains("123;Zé;") && !errors.contains("Ana"), "{errors}");
    let done = run("import base.csv --kind associados");
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("2 criados, 0 alterados, 0 sem mudança, 1 recusados"), "{said}");
    let code = said.split("--undo ").nth(1).unwrap().trim().to_owned();
    let again = amparo.run("import base.csv --kind associados");
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(said.contains("0 criados, 0 alterados, 2 sem mudança"), "columns are remembered: {said}");
    let undone = amparo.said(&format!("import --undo {code}"));
    assert!(undone.contains("2 removidos, 0 restaurados, 0 mantidos"), "{undone}");
    amparo.complained("import base.csv --kind associados --branch 99");
    let refused = amparo.complained("import --resume 4");
    assert!(refused.contains("pausada"), "it was received and never begun: {refused}");
}

fn begin(amparo: &Amparo, line: &str) -> Child {
    amparo.command(line).stdout(Stdio::null()).spawn().unwrap()
}

/// Far beyond any test: 2100.
const NEVER: i64 = 4_102_444_800_000;

async fn set_lease_end(db: &Db, end: i64) {
    let lane = WriteLane::foreground(domain::TenantId::new(1));
    let set = db.write(lane, end, |tx, end| {
        Box::pin(async move { tx.execute(sql("UPDATE imports SET leased_until = $1").arg(*end)).await })
    });
    assert_eq!(set.await.unwrap(), 1);
}

async fn read_lease_end(db: &Db) -> i64 {
    let statement = sql("SELECT leased_until FROM imports");
    db.query(QueryWeight::Search, statement).await.unwrap()[0].get("leased_until").unwrap()
}

/// Starts a server on the import of a process that was killed. On a file the server knows that nothing is at work on it,
/// unless a command is; on a server database it would wait for the lease, which no test does.
async fn take_over(amparo: &Amparo, db: &Db) -> Serving {
    if amparo.database.engine == Engine::Postgres {
        set_lease_end(db, 0).await;
        return amparo.serve();
    }
    set_lease_end(db, NEVER).await;
    let command = storage::lock_for_import(&amparo.database.address()).unwrap();
    amparo.serve().kill();
    assert_eq!(read_lease_end(db).await, NEVER, "it may be the command's");
    drop(command);
    amparo.serve()
}

#[both_engines]
async fn an_import_that_is_killed_in_the_middle_goes_on_and_does_nothing_twice(database: Database) {
    let amparo = Amparo::new(database);
    amparo.said("tenant create --name Minha");
    let lines: String = (1..=6000).map(|number| format!("{};Pessoa {number}\n", cpf(number))).collect();
    write(&amparo, "base.csv", &format!("CPF;Nome\n{lines}"));
    let db = amparo.database.open().await;
    let people = || async {
        let statement = sql("SELECT COUNT(*) AS n FROM people");
        db.query(QueryWeight::Search, statement).await.unwrap()[0].get::<i64>("n").unwrap()
    };
    let mut first = begin(&amparo, "import base.csv --kind associados");
    until("some are there", || async { people().await > 0 }).await;
    first.kill().unwrap();
    first.wait().unwrap();
    let there = people().await;
    assert!((1..6000).contains(&there), "in the middle: {there}");
    let server = take_over(&amparo, &db).await;
    until("the server goes on with it", || async { people().await == 6000 }).await;
    let said = amparo.said("import --resume 1");
    assert!(said.contains("6000 criados, 0 alterados, 0 sem mudança, 0 recusados"), "{said}");
    assert_eq!(people().await, 6000);
    let undone = amparo.said("import --undo 1");
    assert!(undone.contains("6000 removidos"), "{undone}");
    drop(server);
}
