//! Whoever watches is told of every statement, by whatever way it ran.

use std::sync::{Arc, Mutex};
use storage::{
    DatabaseOptions, Error, QueryWeight, SqlScalar, StatementCost, StatementWatch, WriteLane, sql,
};
use testkit::{Database, Engine, both_engines};

type Seen = Arc<Mutex<Vec<(String, Vec<SqlScalar>, StatementCost)>>>;

fn watching() -> (DatabaseOptions, Seen) {
    let seen = Seen::default();
    let watch = StatementWatch::new({
        let seen = Arc::clone(&seen);
        move |executed| {
            let (text, values) = (executed.text.to_owned(), executed.values.to_vec());
            seen.lock().unwrap().push((text, values, executed.cost));
        }
    });
    (DatabaseOptions { watch: Some(watch), ..DatabaseOptions::default() }, seen)
}

const TENANT: domain::TenantId = domain::TenantId::new(7);

#[both_engines]
async fn whoever_watches_is_told_of_every_statement(database: Database) {
    let (options, seen) = watching();
    let db = database.open_with(&options).await;
    seen.lock().unwrap().clear();
    let insert = |name: &str| sql("INSERT INTO settings (name, value) VALUES ($1, $2)").arg(name).arg("x");
    let select = || sql("SELECT value FROM settings WHERE name >= $1").arg("xa");
    let unit = db.write(WriteLane::foreground(TENANT), (), move |tx, ()| {
        Box::pin(async move {
            tx.execute(insert("xa")).await?;
            tx.execute_batch(vec![insert("xb"), insert("xc")]).await?;
            tx.fetch_several([select(), select()]).await?;
            tx.fetch_all(select()).await.map(drop)
        })
    });
    unit.await.map_err(|error: Error| error).unwrap();
    db.read((), move |tx, ()| Box::pin(async move { tx.fetch_optional(select()).await })).await.unwrap();
    db.query(QueryWeight::Point, select()).await.unwrap();
    db.query(QueryWeight::Search, select()).await.unwrap();
    assert!(
        db.query(QueryWeight::Point, sql("SELECT CAST($1 AS BIGINT) / 0 AS it FROM gone").arg(1))
            .await
            .is_err()
    );
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let told: Vec<(&str, &[SqlScalar], usize)> = seen
        .iter()
        .map(|(text, values, cost)| (text.split(' ').next().unwrap(), &values[..], cost.rows))
        .collect();
    let value = |name: &str| [name.into(), "x".into()];
    let from = [SqlScalar::from("xa")];
    let mut expected = vec![];
    let inserted = [value("xa"), value("xb"), value("xc")];
    expected.extend(inserted.iter().map(|values| ("INSERT", &values[..], 1)));
    expected.extend([("SELECT", &from[..], 3); 6]);
    assert_eq!(told, expected);
    let has_steps = database.engine == Engine::Sqlite;
    assert!(seen.iter().all(|(_, _, cost)| (cost.steps > 0) == has_steps), "{seen:?}");
    db.close().await;
}

/// Answers to pipelined statements are read as they come, on another thread than the one that asks: many rounds, so that
/// chance mixes them.
#[both_engines]
async fn statements_of_a_batch_are_told_in_their_order(database: Database) {
    const ROUNDS: usize = 100;
    const STATEMENTS: usize = 24;
    let (options, seen) = watching();
    let db = database.open_with(&options).await;
    seen.lock().unwrap().clear();
    let value = |at: usize| format!("x{at:06}");
    let unit = db.write(WriteLane::foreground(TENANT), (), move |tx, ()| {
        Box::pin(async move {
            let change = "UPDATE settings SET value = $1 WHERE name = 'none'";
            let ask = "SELECT value FROM settings WHERE value = $1";
            for first in (0..ROUNDS).map(|round| round * 2 * STATEMENTS) {
                tx.execute_batch((first..first + STATEMENTS).map(|at| sql(change).arg(value(at))).collect())
                    .await?;
                let asked: [_; STATEMENTS] =
                    std::array::from_fn(|at| sql(ask).arg(value(first + STATEMENTS + at)));
                tx.fetch_several(asked).await?;
            }
            Ok(())
        })
    });
    unit.await.map_err(|error: Error| error).unwrap();
    let told: Vec<SqlScalar> = seen.lock().unwrap().drain(..).flat_map(|(_, values, _)| values).collect();
    let expected: Vec<SqlScalar> = (0..2 * ROUNDS * STATEMENTS).map(|at| value(at).into()).collect();
    assert_eq!(told, expected);
    db.close().await;
}

#[both_engines]
async fn what_is_foreseen_is_asked_for_once_and_never_believed_after_a_write(database: Database) {
    let (options, seen) = watching();
    let db = database.open_with(&options).await;
    seen.lock().unwrap().clear();
    let insert = |name: &str| sql("INSERT INTO settings (name, value) VALUES ($1, $2)").arg(name).arg("x");
    let select = |from: &str| sql("SELECT name FROM settings WHERE name >= $1").arg(from);
    let unit = db.write(WriteLane::foreground(TENANT), (), move |tx, ()| {
        Box::pin(async move {
            tx.execute(insert("xa")).await?;
            tx.prefetch(vec![select("xa"), select("xb")]).await?;
            let [later, all, again] = tx.fetch_several([select("xb"), select("xa"), select("xa")]).await?;
            tx.prefetch(vec![select("xa")]).await?;
            tx.execute(insert("xb")).await?;
            let after = tx.fetch_all(select("xa")).await?;
            Ok([later.len(), all.len(), again.len(), after.len()])
        })
    });
    let found = unit.await.map_err(|error: Error| error).unwrap();
    assert_eq!(found, [0, 1, 1, 2]);
    let asked = seen.lock().unwrap().iter().filter(|(text, ..)| text.starts_with("SELECT name")).count();
    let expected = match database.engine {
        // Nothing is far away: whatever is asked for is asked then.
        Engine::Sqlite => 4,
        Engine::Postgres => 5,
    };
    assert_eq!(asked, expected);
    db.close().await;
}

/// The text is the engine's own, so that it can be asked again what it does with it.
#[both_engines]
async fn a_watched_text_is_the_one_that_the_engine_ran(database: Database) {
    let (options, seen) = watching();
    let db = database.open_with(&options).await;
    let words = sql("SELECT n.NAME_KEY AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))");
    db.query(QueryWeight::Search, words.arg("7xmaria*")).await.unwrap();
    let ran = seen.lock().unwrap().last().unwrap().0.clone();
    assert!(!ran.contains("NAME_KEY") && !ran.contains("MATCHES_NAME"), "{ran}");
    db.close().await;
}
