//! The schema: the same on both engines, led by the tenant, brought forward with a copy, never taken backward.

use domain::{MemberCriteria, Scope, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use storage::search::members::MemberSearch;
use storage::server::counters::{self, Counter};
use storage::{DatabaseOptions, Db, OpenError, QueryWeight, SchemaPolicy, sql};
use testkit::{Database, Engine, both_engines};

/// What belongs to the server by its nature.
const WITHOUT_TENANT: [&str; 6] = ["migrations", "settings", "processes", "key_holders", "hosts", "logins"];

/// What is due, whoever's it is: asked for many times a second, and answered without asking every tenant.
const ACROSS_TENANTS: [&str; 1] = ["mails_due"];

/// Each engine has its own, and on one of them it is several tables.
const OWN: &str = "name_index";

/// Of each table: its columns with their kinds and whether they may be empty, its key, its indexes.
#[derive(Debug, PartialEq, Eq)]
struct Table {
    columns: Vec<(String, String, bool)>,
    key: Vec<String>,
    indexes: BTreeMap<String, (bool, Vec<String>)>,
    references: BTreeSet<(Vec<String>, String)>,
}

fn of_file(path: &std::path::Path) -> BTreeMap<String, Table> {
    let db = rusqlite::Connection::open(path).unwrap();
    let texts = |query: &str| -> Vec<String> {
        let mut statement = db.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let describe = |name: &String| {
        let mut info =
            db.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid").unwrap();
        let rows =
            info.query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
        let rows: Vec<(String, String, bool, i64)> = rows.map(Result::unwrap).collect();
        let mut key: Vec<(i64, String)> =
            rows.iter().filter(|r| r.3 > 0).map(|r| (r.3, r.0.clone())).collect();
        key.sort();
        let mut indexes = BTreeMap::new();
        let list = format!("SELECT name FROM pragma_index_list('{name}') WHERE origin = 'c'");
        for index in texts(&list) {
            let unique = texts(&format!(
                "SELECT name FROM pragma_index_list('{name}') WHERE name = '{index}' AND \"unique\" = 1"
            ));
            let columns = texts(&format!("SELECT name FROM pragma_index_info('{index}') ORDER BY seqno"));
            indexes.insert(index, (!unique.is_empty(), columns));
        }
        let mut references = BTreeSet::new();
        for id in texts(&format!("SELECT DISTINCT CAST(id AS TEXT) FROM pragma_foreign_key_list('{name}')")) {
            let of = |column: &str| {
                texts(&format!(
                    "SELECT \"{column}\" FROM pragma_foreign_key_list('{name}') WHERE id = {id} ORDER BY seq"
                ))
            };
            references.insert((of("from"), of("table").remove(0)));
        }
        Table {
            columns: rows.iter().map(|r| (r.0.clone(), r.1.clone(), r.2)).collect(),
            key: key.into_iter().map(|(_, name)| name).collect(),
            indexes,
            references,
        }
    };
    let names = texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    names.iter().filter(|name| !name.starts_with(OWN)).map(|name| (name.clone(), describe(name))).collect()
}

async fn of_server(address: &str) -> BTreeMap<String, Table> {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let mut tables = BTreeMap::new();
    let names =
        client.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'", &[]).await.unwrap();
    for name in names.iter().map(|row| row.get::<_, String>(0)).filter(|name| !name.starts_with(OWN)) {
        let columns = client
            .query(
                "SELECT a.attname::text, format_type(a.atttypid, NULL)::text, a.attnotnull,
                        COALESCE(co.collname, '')::text
                 FROM pg_attribute a LEFT JOIN pg_collation co ON co.oid = a.attcollation
                 WHERE a.attrelid = to_regclass($1::text) AND a.attnum > 0 AND NOT a.attisdropped
                 ORDER BY a.attnum",
                &[&name],
            )
            .await
            .unwrap();
        for column in columns.iter().filter(|row| row.get::<_, String>(1) == "text") {
            assert_eq!(column.get::<_, String>(3), "C", "{name}.{}", column.get::<_, String>(0));
        }
        let of_index = "SELECT i.relname::text, x.indisunique, x.indisprimary,
                    (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(x.indkey) WITH ORDINALITY k (attnum, n)
                     JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum)
             FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = to_regclass($1::text)";
        let indexes = client.query(of_index, &[&name]).await.unwrap();
        let of_key = "SELECT c.confrelid::regclass::text,
                    (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k (attnum, n)
                     JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum)
             FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid = to_regclass($1::text)";
        let references = client.query(of_key, &[&name]).await.unwrap();
        let kind = |text: String| match text.as_str() {
            "bigint" | "boolean" => "INTEGER".to_owned(),
            "bytea" => "BLOB".to_owned(),
            other => other.to_uppercase(),
        };
        let table = Table {
            columns: columns.iter().map(|row| (row.get(0), kind(row.get(1)), row.get(2))).collect(),
            key: indexes.iter().find(|row| row.get(2)).map(|row| row.get(3)).unwrap_or_default(),
            indexes: indexes
                .iter()
                .filter(|row| !row.get::<_, bool>(2))
                .map(|row| (row.get(0), (row.get(1), row.get(3))))
                .collect(),
            references: references.iter().map(|row| (row.get(1), row.get(0))).collect(),
        };
        tables.insert(name, table);
    }
    tables
}

#[testkit::postgres_test]
async fn the_schema_on_sqlite_and_on_postgres_is_the_same() {
    let file = Database::fresh(Engine::Sqlite).await;
    file.open().await.close().await;
    let server = Database::fresh(Engine::Postgres).await;
    let (on_file, on_server) =
        (of_file(&file.folder().unwrap().join("amparo.db")), of_server(server.address_text()).await);
    assert_eq!(on_file.keys().collect::<Vec<_>>(), on_server.keys().collect::<Vec<_>>());
    for (name, table) in &on_file {
        assert_eq!(table, &on_server[name], "{name}");
    }
}

#[testkit::test]
async fn every_key_and_index_leads_with_the_tenant() {
    let file = Database::fresh(Engine::Sqlite).await;
    file.open().await.close().await;
    for (name, table) in of_file(&file.folder().unwrap().join("amparo.db")) {
        if WITHOUT_TENANT.contains(&name.as_str()) {
            continue;
        }
        assert_eq!(table.key.first().map(String::as_str), Some("tenant"), "the key of {name}");
        for (index, (_, columns)) in table.indexes {
            if ACROSS_TENANTS.contains(&index.as_str()) {
                continue;
            }
            assert_eq!(columns.first().map(String::as_str), Some("tenant"), "the index {index} of {name}");
        }
    }
}

#[both_engines]
async fn opening_twice_migrates_once(database: Database) {
    let options = DatabaseOptions::default();
    let (db, first) =
        storage::open_database(&database.address(), &options, SchemaPolicy::Migrate).await.unwrap();
    db.close().await;
    let expected = if database.engine == Engine::Sqlite { 0 } else { storage::newest_schema() };
    assert_eq!((first.from, first.to), (expected, storage::newest_schema()));
    let (db, second) =
        storage::open_database(&database.address(), &options, SchemaPolicy::Expect).await.unwrap();
    db.close().await;
    assert_eq!((second.from, second.to), (storage::newest_schema(), storage::newest_schema()));
    assert_eq!(second.copy, None);
}

#[both_engines]
async fn a_newer_schema_is_refused(database: Database) {
    pretend(&database, "INSERT INTO migrations (version, name, checksum) VALUES (999, 'future', 'x')").await;
    for schema in [SchemaPolicy::Migrate, SchemaPolicy::Expect, SchemaPolicy::Inspect] {
        let refused =
            storage::open_database(&database.address(), &DatabaseOptions::default(), schema).await.err();
        assert!(matches!(refused, Some(OpenError::Newer { found: 999, .. })), "{refused:?}");
    }
}

#[both_engines]
async fn a_migration_that_was_changed_is_noticed(database: Database) {
    pretend(&database, "UPDATE migrations SET checksum = 'other' WHERE version = 1").await;
    let refused =
        storage::open_database(&database.address(), &DatabaseOptions::default(), SchemaPolicy::Migrate)
            .await
            .err();
    assert!(matches!(refused, Some(OpenError::Altered(1))), "{refused:?}");
}

#[both_engines]
async fn eight_processes_that_start_at_once_migrate_once(database: Database) {
    let address = database.address();
    let opened = testkit::eight_at_once(|_| {
        let address = address.clone();
        async move {
            storage::open_database(&address, &testkit::options(), SchemaPolicy::Migrate)
                .await
                .map(|(db, _)| db)
        }
    })
    .await;
    for db in opened {
        let db = db.unwrap();
        let rows = db.query(QueryWeight::Point, sql("SELECT version FROM migrations")).await.unwrap();
        assert_eq!(rows.len() as i64, storage::newest_schema());
        db.close().await;
    }
}

async fn pretend(database: &Database, text: &str) {
    database.open().await.close().await;
    match database.folder() {
        Some(folder) => {
            let connection = rusqlite::Connection::open(folder.join("amparo.db")).unwrap();
            connection.execute_batch(text).unwrap();
        }
        None => Database::statement(database.address_text(), text).await,
    }
}

/// A database as the first released schema left it, with rows in it, is brought forward with nothing lost.
#[both_engines]
async fn a_database_of_the_first_schema_is_brought_forward(database: Database) {
    let rows = "INSERT INTO tenants (tenant, name, time_zone, active, version, created_at, updated_at)
            VALUES (7, 'Velha', 'America/Sao_Paulo', TRUE, 1, 0, 0);
        INSERT INTO users (tenant, code, name, email, role, password_hash, must_change_password, active, version,
            created_at, updated_at) VALUES (7, 1, 'Ana', 'ana@x.example', 1, 'x', FALSE, TRUE, 1, 0, 0);
        INSERT INTO tokens (tenant, hash, user_code, created_at, expires_at) VALUES (7, 'abc', 1, 0, 9000000000000);
        INSERT INTO mails (tenant, code, recipient, subject, text_body, tries, due_at, created_at)
            VALUES (7, 1, 'ana@x.example', 'Oi', 'Olá', 0, 5, 0);";
    let rows = match database.engine {
        Engine::Sqlite => rows.replace("'abc'", "x'616263'"),
        Engine::Postgres => rows.to_owned(),
    };
    pretend(&database, &format!("{}{rows}", back_to(database.engine, 1))).await;
    let (db, migrated) =
        storage::open_database(&database.address(), &DatabaseOptions::default(), SchemaPolicy::Migrate)
            .await
            .unwrap();
    assert_eq!((migrated.from, migrated.to), (1, storage::newest_schema()));
    assert_eq!(migrated.copy.is_some(), database.engine == Engine::Sqlite, "a copy of what was there");
    for kept in migrated.copy.into_iter().chain(database.folder().map(|folder| folder.join("amparo.db"))) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&kept).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{} is its owner's alone", kept.display());
    }
    let tenant = TenantId::new(7);
    let holder =
        storage::access::tokens::find_token_holder(&db, tenant, b"abc", domain::Moment::from_millis(1))
            .await
            .unwrap();
    assert_eq!(holder.unwrap().user.get(), 1, "an old token is still good");
    let funnels: Result<_, storage::Error> =
        db.read(tenant, |tx, tenant| Box::pin(storage::registers::funnels::list_funnels(tx, *tenant))).await;
    let funnels = funnels.unwrap();
    let stages: Vec<_> = funnels[0].stages.iter().map(|stage| (stage.name.as_str(), stage.colour)).collect();
    let born = registers::FUNNEL;
    assert_eq!((funnels[0].name.as_str(), &stages[..]), (born.name, born.stages), "as if it were born today");
    for (counter, last) in [(Counter::Funnel, 1), (Counter::Stage, born.stages.len() as i64)] {
        assert_eq!(counters::load_last_number(&db, tenant, counter).await.unwrap(), last);
    }
    let mail = sql("SELECT confidential FROM mails WHERE tenant = 7");
    assert!(!db.query(QueryWeight::Point, mail).await.unwrap()[0].get::<bool>("confidential").unwrap());
    db.close().await;
    if let Some(folder) = database.folder() {
        let fresh = Database::fresh(Engine::Sqlite).await;
        fresh.open().await.close().await;
        let of = |folder: &std::path::Path| of_file(&folder.join("amparo.db"));
        assert_eq!(of(folder), of(fresh.folder().unwrap()), "as if it had been made today");
    }
}

/// People who were there before there was an index of names, or a vocabulary, are found by theirs.
#[both_engines]
async fn names_that_were_there_are_found_after_a_migration(database: Database) {
    let rows = "INSERT INTO tenants (tenant, name, time_zone, active, version, created_at, updated_at)
            VALUES (7, 'Velha', 'America/Sao_Paulo', TRUE, 1, 0, 0), (8, 'Outra', 'America/Sao_Paulo', TRUE, 1, 0, 0);
        INSERT INTO branches (tenant, code, name, active, version, created_at, updated_at)
            VALUES (7, 2, 'Centro', TRUE, 1, 0, 0), (8, 2, 'Centro', TRUE, 1, 0, 0);
        INSERT INTO people (tenant, code, branch, is_member, nature, name, version, created_at, updated_at)
            VALUES (7, 1, 2, TRUE, 1, 'Zé D''Ávila', 1, 0, 0), (7, 2, 2, TRUE, 1, 'Ana Ávila', 1, 0, 0),
            (8, 1, 2, TRUE, 1, 'Rui Ávila', 1, 0, 0);
        INSERT INTO listing (tenant, slot, branch, person, document, registered_on, updated_on)
            VALUES (7, 1, 2, 1, '1', '2026-01-01', '2026-01-01'), (7, 2, 2, 2, '2', '2026-01-01', '2026-01-01'),
            (8, 1, 2, 1, '1', '2026-01-01', '2026-01-01');";
    pretend(&database, &format!("{}{rows}", back_to(database.engine, 4))).await;
    let db = database.open().await;
    for (tenant, typed, slots) in
        [(7, "avi", &[1, 2][..]), (7, "z avila", &[1]), (7, "rui", &[]), (8, "rui", &[1]), (8, "ze", &[])]
    {
        let criteria = MemberCriteria { words: domain::split_name_words(typed), ..MemberCriteria::default() };
        let asked = (Scope::for_tenant(TenantId::new(tenant)), criteria);
        let read = db.read(asked, |tx, (scope, criteria)| {
            Box::pin(async move {
                let search = MemberSearch::prepare(tx, scope, criteria).await?.unwrap();
                search.list_slots(tx, 0, 0).await
            })
        });
        let found: Result<Vec<i32>, storage::Error> = read.await;
        assert_eq!(found.unwrap(), slots, "{typed} in {tenant}");
    }
    db.close().await;
}

/// A column as it was first defined, so that it can be added to rows that are there.
fn defined(engine: Engine, table: &str, column: &str) -> String {
    let added = format!("ALTER TABLE {table} ADD COLUMN {column} ");
    let created = format!("CREATE TABLE {table} (");
    let text = storage::schema_texts().find_map(|text| {
        if let Some((_, rest)) = text.split_once(&added) {
            return rest.split(';').next();
        }
        let body = text.split_once(&created)?.1.split("\n)").next()?;
        let mut lines = body.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(&format!("{column} ")))
    });
    let text = text.unwrap().trim_end_matches(',');
    let text = if engine == Engine::Sqlite { text.replace("BIGINT", "INTEGER") } else { text.to_owned() };
    let default = if text.contains("NOT NULL") && !text.contains("DEFAULT") { " DEFAULT 0" } else { "" };
    format!("{column} {text}{default}")
}

/// What was delivered, given up or pending before deliveries had a table of their own is so afterwards.
#[both_engines]
async fn deliveries_keep_their_state_when_they_move(database: Database) {
    let rows = "INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at, state, tries, ended_at) VALUES
            (7, 1, 1, 1, 5, 10, 2, 1, 20), (7, 1, 2, 1, 5, 11, 3, 10, 21), (7, 1, 3, 1, 5, 12, 1, 2, NULL),
            (7, 1, 4, 1, 5, 13, 1, 0, NULL);
        INSERT INTO queues (tenant, receiver, entity, record, head, tries, due_at, lease, holder)
            VALUES (7, 1, 1, 5, 3, 2, 99, 4, 'x'), (7, 1, 1, 6, 2, 0, 99, NULL, NULL);
        INSERT INTO attempts (tenant, receiver, history_code, number, tried_at, status, millis)
            VALUES (7, 1, 1, 1, 19, 204, 1);";
    pretend(&database, &format!("{}{rows}", back_to(database.engine, 17))).await;
    let db = database.open().await;
    let ended = "SELECT * FROM deliveries ORDER BY history_code";
    let ended = numbers(&db, ended, ["history_code", "state", "tries", "ended_at"]).await;
    assert_eq!(ended, [[1, 2, 1, 20], [2, 3, 10, 21]]);
    let pending = "SELECT * FROM outbox ORDER BY history_code";
    assert_eq!(numbers(&db, pending, ["history_code", "record", "tries"]).await, [[3, 5, 2], [4, 5, 0]]);
    let waits = numbers(&db, "SELECT * FROM queues", ["record", "head", "due_at"]).await;
    assert_eq!(waits, [[5, 3, 99]], "and none that leads to what is over");
    let (receiver, first) = (domain::ReceiverCode::new(1), domain::HistoryCode::new(1));
    let tried =
        storage::triggers::attempts::list_attempts(&db, TenantId::new(7), receiver, [first]).await.unwrap();
    assert_eq!(tried.len(), 1, "the attempt that arrived is told once");
    db.close().await;
}

async fn numbers<const N: usize>(db: &Db, text: &'static str, columns: [&'static str; N]) -> Vec<[i64; N]> {
    let rows = db.query(QueryWeight::Search, sql(text)).await.unwrap();
    rows.iter().map(|row| columns.map(|name| row.get(name).unwrap())).collect()
}

/// Undoes every migration behind this one: what they created goes, and so does the word that they ran.
fn back_to(engine: Engine, version: usize) -> String {
    let mut undo = Vec::new();
    for text in storage::schema_texts().skip(version) {
        let mut of_this = Vec::new();
        // Comments go first: one may have a semicolon in it.
        let code: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with("--")).collect();
        for statement in code.join("\n").split(';') {
            let words: Vec<&str> = statement.split_whitespace().collect();
            match words[..] {
                ["CREATE", "TABLE", name, ..] => of_this.push(format!("DROP TABLE {name};")),
                ["CREATE", "NAME_INDEX", name, ..] => {
                    // A server has a function beside it.
                    let function =
                        if engine == Engine::Postgres { "DROP FUNCTION IF EXISTS name_query;" } else { "" };
                    of_this.push(format!("DROP TABLE {name}; {function}"));
                }
                ["CREATE", "INDEX", name, ..] | ["CREATE", "UNIQUE", "INDEX", name, ..] => {
                    of_this.push(format!("DROP INDEX {name};"));
                }
                ["ALTER", "TABLE", name, "ADD", "COLUMN", column, ..] => {
                    of_this.push(format!("ALTER TABLE {name} DROP COLUMN {column};"));
                }
                ["DROP", "INDEX", name, ..] => {
                    let created = format!("CREATE INDEX {name} ");
                    let made = storage::schema_texts().find_map(|text| text.split_once(&created)).unwrap().1;
                    of_this.push(format!("{created}{};", made.split(';').next().unwrap()));
                }
                ["ALTER", "TABLE", name, "DROP", "COLUMN", column, ..] => {
                    of_this.push(format!("ALTER TABLE {name} ADD COLUMN {};", defined(engine, name, column)));
                }
                // Guards go with their table.
                ["FORBID", "CHANGES", ..] => {}
                // What was filled in goes with what was created, and what was removed was moved there.
                ["UPDATE" | "INSERT" | "DELETE", ..] | [] => {}
                ref other => panic!("no way back from {other:?}"),
            }
        }
        undo.push(of_this);
    }
    let backward = undo.into_iter().flatten().rev().collect::<String>();
    format!("{backward} DELETE FROM migrations WHERE version > {version};")
}
