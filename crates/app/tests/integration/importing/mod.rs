//! Imports on both engines: sheets as associations keep them, with their mistakes; run once, twice, in the middle of a crash,
//! and taken back.

mod between;
mod fairness;
mod kinds;
mod members;
mod money;
mod money_registers;
mod prices;

use app::idempotency::IdempotentWrite;
use domain::{Cpf, ImportKind, ImportState, MoneyRights};
use exchange::import::{self, ImportCaller, StoredImportRun};
use storage::{QueryWeight, sql};
use testkit::{Caller, World};

pub fn by(caller: &Caller) -> ImportCaller {
    ImportCaller {
        scope: caller.scope(),
        user: Some(caller.code),
        role: caller.role,
        money_rights: MoneyRights::for_new_user(caller.role),
    }
}

/// The CPF of a number.
pub fn cpf(number: u32) -> String {
    let mut digits = [0; 9];
    for (at, digit) in format!("{number:09}").bytes().enumerate() {
        digits[at] = digit - b'0';
    }
    Cpf::with_check_digits(digits).unwrap().as_str().to_owned()
}

pub async fn receive(
    world: &World,
    by: &ImportCaller,
    kind: ImportKind,
    text: &str,
) -> Result<StoredImportRun, app::Error> {
    let mut spool = import::create_upload_spool(64 * 1024 * 1024)?;
    spool.write(text.as_bytes())?;
    import::receive_upload(world.app(), by, kind, "arquivo.csv", spool, IdempotentWrite::without_key())
        .await?
        .into_fresh()
}

/// Receives a file and imports it to its end.
pub async fn import_file(world: &World, by: &ImportCaller, kind: ImportKind, text: &str) -> StoredImportRun {
    let import = receive(world, by, kind, text).await.unwrap();
    import::start_import(world.app(), by, import.code, false, IdempotentWrite::without_key()).await.unwrap();
    run(world, by, &import).await
}

/// Whatever is to be done with it now, done.
pub async fn run(world: &World, by: &ImportCaller, import: &StoredImportRun) -> StoredImportRun {
    import::run_import(world.app(), by.scope.tenant(), import.code, &mut |_| {}).await.unwrap();
    import::load_import(world.app(), by, import.code).await.unwrap()
}

/// Starts an import whose process is lost after its first batch, and lets the lease end.
pub async fn lose_process_of(world: &World, me: &ImportCaller, received: &StoredImportRun) {
    import::start_import(world.app(), me, received.code, false, IdempotentWrite::without_key())
        .await
        .unwrap();
    let (app, here, code) = (world.app().clone(), world.here, received.code);
    let (begun, wait) = tokio::sync::oneshot::channel();
    let dying = tokio::spawn(async move {
        let mut begun = Some(begun);
        let mut report = |_: &StoredImportRun| {
            if let Some(begun) = begun.take() {
                let _ = begun.send(());
            }
        };
        import::run_import(&app, here, code, &mut report).await
    });
    wait.await.unwrap();
    dying.abort();
    let _ = dying.await;
    world.clock.pass(std::time::Duration::from_mins(10));
}

pub async fn undo(world: &World, by: &ImportCaller, import: &StoredImportRun) -> StoredImportRun {
    import::undo_import(world.app(), by, import.code, IdempotentWrite::without_key()).await.unwrap();
    let undone = run(world, by, import).await;
    assert_eq!(undone.state, ImportState::Undone);
    undone
}

/// What is wrong, by line, column and sentence.
pub async fn problems(
    world: &World,
    by: &ImportCaller,
    import: &StoredImportRun,
) -> Vec<(i32, String, String)> {
    let found = import::list_import_problems(world.app(), by, import.code, (0, 100_000)).await.unwrap();
    found.into_iter().map(|one| (one.line, one.header.unwrap_or_default(), one.text)).collect()
}

/// The file of lines that failed.
pub async fn error_text(world: &World, by: &ImportCaller, import: &StoredImportRun) -> String {
    let mut file = import::open_error_file(world.app(), by, import).await.unwrap();
    let mut all = Vec::new();
    while let Some(piece) = file.next().await.unwrap() {
        all.extend(piece);
    }
    String::from_utf8(all).unwrap()
}

/// Created, changed, the same, refused.
pub fn counts(import: &StoredImportRun) -> [i64; 4] {
    [import.counts.created, import.counts.changed, import.counts.same, import.counts.refused]
}

pub async fn count(world: &World, text: &'static str) -> i64 {
    world.db().query(QueryWeight::Search, sql(text)).await.unwrap()[0].get("n").unwrap()
}

/// Everything that the association has, but for what only says how often and when it was changed.
pub async fn digest(world: &World) -> String {
    let kept = [
        "people",
        "phones",
        "benefits",
        "items",
        "listing",
        "listing_tally",
        "monthly_tally",
        "dependents",
        "leads",
        "plans",
        "sellers",
        "deals",
        "outbox",
    ];
    let dump = testkit::dump(world.db()).await;
    let is_kept = |line: &&str| {
        let table = line.split(':').next().unwrap();
        // A count of nothing is none.
        kept.contains(&table) && !(table.ends_with("_tally") && line.ends_with(" | 0"))
    };
    let mut lines: Vec<&str> = dump.lines().filter(is_kept).collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// The same without versions: a record that went back has been changed twice.
pub async fn without_versions(world: &World) -> String {
    let mut all = String::new();
    for text in [
        "SELECT code, branch, is_member, document, name, email, sex, born_on, mobile, landline, city, state, cep, street,
             consultant, created_at FROM people ORDER BY tenant, code",
        "SELECT person, position, kind, number FROM phones ORDER BY tenant, person, position",
        "SELECT code, person, branch, situation, sequence, card, due_day, plans, plate, chassis, model, note, slot
             FROM benefits ORDER BY tenant, code",
        "SELECT benefit, code, plan, price, active FROM items ORDER BY tenant, benefit, code",
        "SELECT slot, branch, person, benefit, situation, document, plate_key FROM listing ORDER BY tenant, slot",
        "SELECT code, benefit, name, cpf, born_on, active FROM dependents ORDER BY tenant, code",
        "SELECT code, name, email, mobile, city FROM leads ORDER BY tenant, code",
        "SELECT code, name, price, active FROM plans ORDER BY tenant, code",
        "SELECT code, name, document, branch, active FROM sellers ORDER BY tenant, code",
        "SELECT ordering, branch, situation, block, rows FROM listing_tally WHERE rows <> 0
             ORDER BY tenant, ordering, branch, situation, block",
        "SELECT turn, month, branch, rows FROM monthly_tally WHERE rows <> 0 ORDER BY tenant, turn, month, branch",
    ] {
        let names: Vec<&'static str> = text["SELECT ".len()..text.find(" FROM").unwrap()]
            .split(',')
            .map(str::trim)
            .collect();
        for row in world.db().query(QueryWeight::Search, sql(text)).await.unwrap() {
            for name in &names {
                all.push_str(&format!("{:?} ", row.get::<Any>(name.split_whitespace().next().unwrap()).unwrap().0));
            }
            all.push('\n');
        }
    }
    all
}

/// Any value, as it came.
struct Any(String);

impl storage::FromColumn for Any {
    fn from_value(value: storage::SqlScalarRef<'_>) -> Option<Any> {
        // One engine keeps booleans as numbers.
        Some(Any(format!("{value:?}")))
    }
}
