//! What is stored comes back as it was.

use crate::gate::scratch;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use storage::{QueryWeight, Row, SqlScalar, WriteLane, sql};
use testkit::{Database, both_engines};

fn lane() -> WriteLane {
    WriteLane::foreground(domain::TenantId::new(7))
}

fn any_value() -> impl Strategy<Value = SqlScalar> {
    prop_oneof![
        any::<i64>().prop_map(SqlScalar::Int),
        any::<bool>().prop_map(SqlScalar::Bool),
        "[^\\x00]{0,20}".prop_map(SqlScalar::Text),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(SqlScalar::Bytes),
        Just(SqlScalar::Null),
    ]
}

/// What goes in comes out, whatever its kind.
#[both_engines]
async fn values_survive_the_database(database: Database) {
    let db = scratch(&database).await;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for number in 0..60i64 {
        let value = any_value().new_tree(&mut runner).unwrap().current();
        let column = match &value {
            SqlScalar::Int(_) | SqlScalar::Null => "whole",
            SqlScalar::Bool(_) => "flag",
            SqlScalar::Text(_) => "word",
            SqlScalar::Bytes(_) => "bytes",
        };
        let unit = db.write(lane(), (number, column, value.clone()), |tx, (number, column, value)| {
            let insert = sql("INSERT INTO").append(
                &format!("kinds (number, {column}) VALUES (?, ?)"),
                [SqlScalar::Int(*number), value.clone()],
            );
            Box::pin(tx.execute(insert))
        });
        unit.await.unwrap();
        let select = sql("SELECT whole, flag, word, bytes FROM kinds WHERE number = $1").arg(number);
        let rows: Vec<Row> = db.query(QueryWeight::Point, select).await.unwrap();
        let same = match &value {
            SqlScalar::Bool(flag) => rows[0].get::<bool>("flag").unwrap() == *flag,
            SqlScalar::Int(whole) => rows[0].get::<i64>("whole").unwrap() == *whole,
            SqlScalar::Text(word) => rows[0].get::<String>("word").unwrap() == *word,
            SqlScalar::Bytes(bytes) => rows[0].get::<Vec<u8>>("bytes").unwrap() == *bytes,
            SqlScalar::Null => rows[0].get::<Option<i64>>("whole").unwrap().is_none(),
        };
        assert!(same, "{value:?}");
    }
}
