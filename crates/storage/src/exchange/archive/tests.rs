use super::left_behind::{DELETED_WITH_TENANT, KEPT_WITHOUT_TENANT, LEFT_BEHIND};
use super::required_columns::parse_schema_tables;
use super::tables::list_archive_tables;
use crate::SqlScalar;
use domain::TenantId;
use std::collections::BTreeSet;

/// A migration that adds a table or column must add it to `tables.txt` or `LEFT_BEHIND`.
#[test]
fn every_table_and_column_travels_or_is_left_behind_for_a_reason() {
    let mut listed: BTreeSet<String> = BTreeSet::new();
    for table in list_archive_tables() {
        for column in &table.columns {
            assert!(listed.insert(format!("{}.{}", table.name, column.name)), "{} twice", column.name);
        }
    }
    listed.extend(LEFT_BEHIND.iter().map(|(what, _)| (*what).to_owned()));
    let mut unknown = listed.clone();
    let mut forgotten = Vec::new();
    for (table, columns) in parse_schema_tables(crate::schema_texts()) {
        if unknown.remove(&table) {
            continue;
        }
        for column in columns.keys().filter(|column| *column != "tenant") {
            let name = format!("{table}.{column}");
            unknown.remove(&name);
            if !listed.contains(&name) {
                forgotten.push(name);
            }
        }
    }
    assert!(forgotten.is_empty(), "neither travels nor is left behind: {forgotten:?}");
    assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
}

/// The tables of activity are the same in a file of their own as among the others.
#[test]
fn the_tables_of_activity_are_those_of_the_schema() {
    let main = parse_schema_tables(crate::schema_texts());
    let activity = parse_schema_tables(crate::migrations::list_activity_schema_texts());
    let names: Vec<&str> = activity.keys().map(String::as_str).collect();
    assert_eq!(names, ["counters", "identity", "migrations", "processes", "sightings"]);
    for (table, columns) in activity.iter().filter(|(table, _)| *table != "identity") {
        assert_eq!(Some(columns), main.get(table), "{table}");
    }
}

/// Discarding a partly imported tenant leaves nothing behind.
#[test]
fn whatever_stays_behind_and_is_of_a_tenant_goes_with_it() {
    for (table, columns) in parse_schema_tables(crate::schema_texts()) {
        let stays = LEFT_BEHIND.iter().any(|(name, _)| *name == table);
        let goes =
            DELETED_WITH_TENANT.contains(&table.as_str()) || KEPT_WITHOUT_TENANT.contains(&table.as_str());
        assert_eq!(goes, stays && columns.contains_key("tenant"), "{table}");
    }
}

#[test]
fn a_table_is_read_behind_the_last_key_and_written_in_few_texts() {
    let table = list_archive_tables().iter().find(|table| table.name == "user_branches").unwrap();
    let page = table.select_page(TenantId::new(7), Some(vec![1.into(), 2.into()]));
    assert_eq!(
        page.text(),
        "SELECT user_code, branch FROM user_branches WHERE tenant = $1 AND (user_code, branch) > ($2, $3) \
         ORDER BY user_code, branch LIMIT $4"
    );
    let rows: Vec<Vec<SqlScalar>> = (0..202).map(|user| vec![user.into(), 1.into()]).collect();
    let inserts = table.build_inserts(TenantId::new(7), &rows);
    assert_eq!(inserts.iter().map(|one| one.values().len()).collect::<Vec<_>>(), [600, 3, 3]);
    assert_eq!(
        inserts[1].text(),
        "INSERT INTO user_branches (tenant, user_code, branch) VALUES ($1, $2, $3)"
    );
    let older = table.build_inserts(TenantId::new(7), &[vec![1.into(), SqlScalar::Null]]);
    assert_eq!(older[0].text(), "INSERT INTO user_branches (tenant, user_code) VALUES ($1, $2)");
}

/// A null value stays null: a column that no row fills keeps its default.
#[test]
fn no_column_that_may_be_null_has_another_default() {
    for text in crate::schema_texts() {
        let lines = text.lines().map(|line| line.split("--").next().unwrap());
        for line in lines.filter(|line| line.contains(" DEFAULT ")) {
            assert!(line.contains("NOT NULL DEFAULT"), "{line}");
        }
    }
}
