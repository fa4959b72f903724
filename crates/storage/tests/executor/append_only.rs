//! What was booked is never changed: the database itself refuses it, whoever asks.

use domain::TenantId;
use storage::exchange::archive::{delete_some_rows, list_archive_tables};
use storage::{Db, Error, QueryWeight, WriteLane, sql};
use testkit::{Database, Engine, both_engines};

const HERE: TenantId = TenantId::new(7);
/// More than are deleted at once.
const ENTRIES: i64 = 1_203;

/// A tenant with a member, a benefit and rows in every table of money.
async fn scene(database: &Database) -> Db {
    let db = database.open().await;
    let rows = [
        "tenants (tenant, name, time_zone, active, version, created_at, updated_at)
            VALUES (7, 'Aqui', 'America/Sao_Paulo', TRUE, 1, 0, 0)",
        "branches (tenant, code, name, active, version, created_at, updated_at)
            VALUES (7, 2, 'Centro', TRUE, 1, 0, 0)",
        "situations (tenant, entity, code, name, folded_name, kind, colour, is_default, position, active, version,
            created_at, updated_at) VALUES (7, 1, 1, 'ATIVO', 'ativo', 1, '#123456', TRUE, 1, TRUE, 1, 0, 0)",
        "people (tenant, code, branch, is_member, nature, name, version, created_at, updated_at)
            VALUES (7, 1, 2, TRUE, 1, 'Ana', 1, 0, 0)",
        "plans (tenant, code, name, benefit_kind, price, active, version, created_at, updated_at)
            VALUES (7, 1, 'Ouro', 0, 9990, TRUE, 1, 0, 0)",
        "benefits (tenant, code, person, branch, kind, situation, sequence, joined_on, plans, slot, version, created_at,
            updated_at) VALUES (7, 1, 1, 2, 1, 1, 1, '2026-01-01', '', 1, 1, 0, 0)",
    ];
    let unit = db.write(WriteLane::foreground(HERE), rows, |tx, rows| {
        Box::pin(tx.execute_batch(rows.map(|row| sql("INSERT INTO").append_text(row)).to_vec()))
    });
    let done: Result<(), Error> = unit.await;
    done.unwrap();
    let debtor = testkit::Debtor { branch: 2, person: 1, benefit: 1 };
    testkit::insert_money_rows(&db, HERE, debtor, ENTRIES).await;
    db
}

async fn run(db: &Db, text: String) -> Result<u64, Error> {
    let unit = db
        .write(WriteLane::foreground(HERE), text, |tx, text| Box::pin(tx.execute(sql("").append_text(text))));
    unit.await
}

async fn count(db: &Db, table: &str) -> i64 {
    let counted = sql("SELECT COUNT(*) AS n FROM").append_text(table);
    db.query(QueryWeight::Search, counted).await.unwrap()[0].get("n").unwrap()
}

async fn refuse_all(db: &Db, engine: Engine, verbs: &[&str]) {
    for table in testkit::APPEND_ONLY {
        let before = testkit::dump_table(db, table).await;
        assert!(!before.is_empty(), "{table}");
        for verb in verbs {
            let text = match *verb {
                "UPDATE" => format!("UPDATE {table} SET tenant = tenant WHERE tenant = 7"),
                "DELETE" => format!("DELETE FROM {table} WHERE tenant = 7"),
                "TRUNCATE" if engine == Engine::Postgres => format!("TRUNCATE {table} CASCADE"),
                _ => continue,
            };
            let refused = run(db, text).await.map_err(|error| error.to_string());
            let named = format!("rows of {table} are never changed or deleted");
            // What a truncation takes along may be refused first.
            let is_named = |text: &String| {
                text.contains(&named)
                    || (*verb == "TRUNCATE" && text.contains("are never changed or deleted"))
            };
            assert!(refused.as_ref().is_err_and(is_named), "{verb} {table}: {refused:?}");
        }
        assert_eq!(testkit::dump_table(db, table).await, before, "{table}");
    }
}

#[both_engines]
async fn booked_rows_are_neither_changed_nor_deleted(database: Database) {
    let db = scene(&database).await;
    refuse_all(&db, database.engine, &["UPDATE", "DELETE", "TRUNCATE"]).await;
    // Neither is enough on its own: a tenant that is switched off keeps its books while another one is restored.
    run(&db, "UPDATE tenants SET active = FALSE WHERE tenant = 7".to_owned()).await.unwrap();
    refuse_all(&db, database.engine, &["UPDATE", "DELETE", "TRUNCATE"]).await;
    run(&db, "UPDATE tenants SET active = TRUE WHERE tenant = 7".to_owned()).await.unwrap();
    run(&db, "INSERT INTO settings (name, value) VALUES ('bringing', 'base=8')".to_owned()).await.unwrap();
    refuse_all(&db, database.engine, &["UPDATE", "DELETE", "TRUNCATE"]).await;
    db.close().await;
}

/// The tenant of an unfinished restore is deleted with its books; they are not changed even then.
#[both_engines]
async fn a_restore_that_is_given_up_takes_its_books_along(database: Database) {
    let db = scene(&database).await;
    run(&db, "UPDATE tenants SET active = FALSE WHERE tenant = 7".to_owned()).await.unwrap();
    run(&db, "INSERT INTO settings (name, value) VALUES ('bringing', 'base=7')".to_owned()).await.unwrap();
    refuse_all(&db, database.engine, &["UPDATE", "TRUNCATE"]).await;
    for table in list_archive_tables().iter().rev() {
        loop {
            let unit = db
                .write(WriteLane::background(HERE), (), |tx, ()| Box::pin(delete_some_rows(tx, HERE, table)));
            let deleted: Result<u64, Error> = unit.await;
            if deleted.unwrap() == 0 {
                break;
            }
        }
        assert_eq!(count(&db, table.name).await, 0, "{}", table.name);
    }
    db.close().await;
}

/// The list of the tests is that of the migrations.
#[test]
fn every_table_that_forbids_changes_is_tested() {
    let forbidden: Vec<&str> = storage::schema_texts()
        .flat_map(|text| text.lines().filter_map(|line| line.strip_prefix("FORBID CHANGES ON ")))
        .map(|name| name.trim_end_matches(';'))
        .collect();
    assert_eq!(forbidden, testkit::APPEND_ONLY);
}
