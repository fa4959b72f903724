//! An association ten times as large makes no statement more work. Everything that the interface offers is done to two
//! demonstrations, and the work of each statement compared; what may grow is listed here, with its reason.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and this one prints a table"
)]

mod cases;
mod files;
mod imports;
mod managed;
mod registers;
mod sales;
mod sample;
mod script;
mod searches;
mod slips;
mod triggers;

use demo::DemoLoadOptions;
use domain::TenantId;
use sample::Sample;
use script::Script;
use std::sync::Arc;
use storage::{DatabaseOptions, Db, WriteLane, sql};
use testkit::{Database, Engine, Load, Recorder, StillClock, Work, app_on, both_engines};

const SMALL: u32 = 2_000;
const LARGE: u32 = 20_000;
/// More than this is growth.
const GROWTH: f64 = 1.5;
/// Rows that anybody is given at once.
const PAGE: usize = 101;
/// The same where a page is put together of those of many branches and entities, and where everything is read in steps.
const PAGES: usize = 64 * PAGE;

/// What may grow, and why.
struct Exception {
    /// `None` is either.
    engine: Option<Engine>,
    /// Parts of the step's name and of the statement's text.
    step: &'static str,
    text: &'static str,
    /// Told by whoever asks why it stands here.
    #[allow(dead_code)]
    why: &'static str,
}

const fn may_grow(step: &'static str, text: &'static str, why: &'static str) -> Exception {
    Exception { engine: None, step, text, why }
}

const MAY_GROW: &[Exception] = &[
    may_grow(
        "members by",
        "SELECT COUNT(*) AS rows FROM ",
        "what no tally knows is counted row by row, once for a walk through its pages",
    ),
    may_grow(
        "/ last page /",
        " LIMIT ? OFFSET ?",
        "a jump to the last page steps over what lies before; whoever walks there is led from page to page",
    ),
    may_grow(
        "claims by",
        "SELECT COUNT(*) AS rows FROM ",
        "how many there are in all is counted row by row, and days are counted up to 5,000",
    ),
    may_grow(
        "slips by",
        "SELECT COUNT(*) AS titles FROM titles",
        "how many open titles have a slip is counted row by row: the answer begins with their number",
    ),
    may_grow(
        "slips by",
        "FROM title_benefits tb JOIN benefits b",
        "a page fills up: a title may be of several benefits, so that those of a hundred titles are more than a page",
    ),
    may_grow("cases by", "SELECT COUNT(*) AS rows FROM ", "how many there are in all is counted row by row"),
    may_grow(
        "cases by prioridade",
        "SELECT code FROM",
        "there are four priorities, and most pages are full at once; one that nothing has is looked for among all",
    ),
    Exception {
        engine: Some(Engine::Sqlite),
        step: "what is late",
        text: "SELECT COUNT(*) AS rows FROM ",
        why: "so is what is past its time",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "the panel's work",
        text: "FROM claims WHERE tenant = ? AND situation IN (…) GROUP BY kind, branch",
        why: "what is open is counted in an index of its own, once a minute for everybody",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "the panel's work",
        text: "FROM deals WHERE tenant = ? AND situation = 1 GROUP BY stage, branch",
        why: "so are open deals",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "the panel's work",
        text: "SELECT COUNT(*) AS rows FROM ",
        why: "and what is past its time, each time",
    },
    Exception {
        engine: Some(Engine::Postgres),
        step: "the one search",
        text: "FROM phones WHERE tenant = ? AND number IN",
        why: "one look-up for each area code, where a small table is rather read as a whole",
    },
    may_grow(
        "register rastreador / ",
        "SELECT COUNT(*) AS count FROM trackers ",
        "how many trackers there are in all is counted row by row, in their index",
    ),
    may_grow(
        "dependents by a common name",
        "dependents ",
        "the interface knows no pages of dependents: all of a name are answered, and read a thousand at a time",
    ),
    Exception {
        engine: Some(Engine::Sqlite),
        step: "leads by all",
        text: "FROM leads l WHERE l.tenant = ? AND l.branch = ?",
        why: "the interface gives every lead at once: their names are read a thousand at a time",
    },
    may_grow(
        "many deals: ",
        "FROM deals d CROSS JOIN leads l",
        "the interface gives every open deal at once: their names are read a thousand at a time",
    ),
    may_grow(
        "a common name",
        "FROM leads l WHERE l.tenant = ? AND l.code IN (…)",
        "and their names a thousand at a time",
    ),
    Exception {
        engine: Some(Engine::Sqlite),
        step: "managed ",
        text: "SELECT COUNT(*) AS count FROM ",
        why: "how many deals and leads there are in all is counted row by row",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "the board",
        text: "SELECT COUNT(*) AS count",
        why: "what stands in a stage is counted and summed up row by row",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "a board of ",
        text: "AS number, COUNT(*) AS count FROM (SELECT ",
        why: "what stands in a column is counted row by row in an index, up to ten thousand",
    },
    Exception {
        engine: Some(Engine::Sqlite),
        step: "",
        text: "FROM listing_tally WHERE tenant = ? AND ordering = ? AND branch IN (…) AND situation IN (…) AND block >= ?",
        why: "the fine blocks of one coarse block: 32 at most, which 32,000 rows have",
    },
    Exception {
        engine: Some(Engine::Postgres),
        step: "members by nome+",
        text: "FROM name_index n ",
        why: "its index of names knows no order, so all of a name are read and ordered before the first is looked at",
    },
];

/// Below this nobody notices, and each row of a page may cost so much: a page that fills up is no growth.
fn allowed(engine: Engine) -> (i64, i64) {
    match engine {
        Engine::Sqlite => (500, 200),
        // A row that is written again and no longer fits its page is entered anew in every index of its table; one that is
        // written often in one unit has its earlier states before it. The search rows have thirteen indexes: with ten times
        // the rows each may be a level higher (31 blocks become 44), and now and then a page of one of them is split.
        Engine::Postgres => (60, 40),
    }
}

async fn measured(database: &Database, members: u32) -> Work {
    // Neither is a busy machine what is measured here.
    let minute = std::time::Duration::from_mins(1);
    let patient =
        DatabaseOptions { unit_timeout: minute, point_timeout: minute, ..DatabaseOptions::default() };
    let app = app_on(database.open_with(&patient).await, Arc::new(StillClock::default()), 1);
    let wanted = DemoLoadOptions { members, seed: 7, password: demo::PASSWORD.to_owned(), months: Some(1) };
    demo::load_demo(&app, &wanted, &mut |_| {}).await.unwrap();
    add_words(&app.db).await;
    files::add_files(&app.db).await;
    let sample = Sample::of(&app.db).await;
    app.db.close().await;
    if database.engine == Engine::Postgres {
        Database::statement(database.address_text(), "VACUUM ANALYZE").await;
    }
    let before = database.copy().await;
    let recorder = Recorder::default();
    let options = DatabaseOptions { watch: Some(recorder.watch()), ..patient };
    let app = app_on(database.open_with(&options).await, Arc::new(StillClock::default()), 2);
    Script { app: &app, recorder: &recorder, sample }.run().await;
    app.db.close().await;
    recorder.work(&before).await
}

/// The demonstration has few words. Of a real one hundreds begin alike, and then rows are read rather than asked for them.
async fn add_words(db: &Db) {
    let write = db.write(WriteLane::foreground(TenantId::new(1)), (), |tx, ()| {
        Box::pin(async move {
            let words = (0..100).map(|number| format!("(1, 'zz{number}')")).collect::<Vec<_>>().join(", ");
            tx.execute(sql("INSERT INTO name_words (tenant, word) VALUES").append_text(&words)).await
        })
    });
    let written: Result<u64, storage::Error> = write.await;
    written.unwrap();
}

/// What a statement took in the small association: in the same step, else in any.
fn before(small: &Work, step: &str, text: &str) -> Option<Load> {
    let same = small.get(&(step.to_owned(), text.to_owned())).copied();
    same.or_else(|| small.iter().filter(|((_, other), _)| other == text).map(|(_, load)| *load).max())
}

#[both_engines]
async fn the_work_of_no_statement_grows_with_the_association(database: Database) {
    let engine = database.engine;
    let other = Database::fresh(engine).await;
    let (small, large) = tokio::join!(measured(&database, SMALL), measured(&other, LARGE));
    let (floor, of_row) = allowed(engine);
    let exceptions: Vec<&Exception> =
        MAY_GROW.iter().filter(|one| one.engine.is_none_or(|its| its == engine)).collect();
    let mut needed = vec![0; exceptions.len()];
    let mut grown = Vec::new();
    for ((step, text), load) in &large {
        let before = before(&small, step, text);
        let most = if step.starts_with("feed of") || step.contains("step by step") { PAGES } else { PAGE };
        // Whoever counts many times in one unit steps over what he counted before.
        let of_row = if text.starts_with("INSERT INTO listing_tally") { 2 * of_row } else { of_row };
        let is_a_fuller_page = load.rows <= most && load.work <= of_row * load.rows as i64;
        if load.work <= floor
            || is_a_fuller_page
            || before.is_some_and(|before| load.work as f64 <= GROWTH * before.work as f64)
        {
            continue;
        }
        let excepted = exceptions.iter().position(|one| step.contains(one.step) && text.contains(one.text));
        match excepted {
            Some(at) => needed[at] += 1,
            None => grown.push(format!(
                "{} -> {} ({} rows) | {step} | {text}",
                before.map_or("new".to_owned(), |before| before.work.to_string()),
                load.work,
                load.rows
            )),
        }
    }
    println!("| {engine:?} | {} statements in {} steps |", large.len(), steps(&large));
    for (one, needed) in exceptions.iter().zip(&needed) {
        println!("| {needed} times | {} | {} | {} |", one.step, one.text, one.why);
        assert!(*needed > 0, "nothing grows any more: {} | {}", one.step, one.text);
    }
    assert!(grown.is_empty(), "{} statements grow:\n{}", grown.len(), grown.join("\n"));
}

fn steps(work: &Work) -> usize {
    work.keys().map(|(step, _)| step).collect::<std::collections::BTreeSet<_>>().len()
}
