//! What is stored comes back as it was.

use crate::gate::scratch;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use storage::{Lane, Row, Value, Weight, sql};
use testkit::{Database, both_engines};

fn lane() -> Lane {
    Lane::of(domain::TenantId::new(7))
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<bool>().prop_map(Value::Bool),
        "[^\\x00]{0,20}".prop_map(Value::Text),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::Bytes),
        Just(Value::Null),
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
            Value::Int(_) | Value::Null => "whole",
            Value::Bool(_) => "flag",
            Value::Text(_) => "word",
            Value::Bytes(_) => "bytes",
        };
        let unit = db.write(lane(), (number, column, value.clone()), |tx, (number, column, value)| {
            let insert = sql("INSERT INTO").then(
                &format!("kinds (number, {column}) VALUES (?, ?)"),
                [Value::Int(*number), value.clone()],
            );
            Box::pin(tx.execute(insert))
        });
        unit.await.unwrap();
        let select = sql("SELECT whole, flag, word, bytes FROM kinds WHERE number = $1").arg(number);
        let rows: Vec<Row> = db.query(Weight::Point, select).await.unwrap();
        let same = match &value {
            Value::Bool(flag) => rows[0].get::<bool>("flag").unwrap() == *flag,
            Value::Int(whole) => rows[0].get::<i64>("whole").unwrap() == *whole,
            Value::Text(word) => rows[0].get::<String>("word").unwrap() == *word,
            Value::Bytes(bytes) => rows[0].get::<Vec<u8>>("bytes").unwrap() == *bytes,
            Value::Null => rows[0].get::<Option<i64>>("whole").unwrap().is_none(),
        };
        assert!(same, "{value:?}");
    }
}
