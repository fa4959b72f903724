//! How much work each statement is, counted by the engine itself: steps of its virtual machine, or blocks that it touches.
//! Figures and not times, so that they are the same on every machine.

use crate::{Database, Engine};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use storage::{SqlScalar, StatementWatch};
use tokio_postgres::SimpleQueryMessage;

/// Writes down every statement that runs while a step is under way.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    step: Option<Arc<str>>,
    ran: Vec<Ran>,
}

struct Ran {
    step: Arc<str>,
    text: String,
    values: Vec<SqlScalar>,
    steps: i32,
    rows: usize,
}

/// What one run of a statement was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// Steps or blocks.
    pub work: i64,
    /// Rows that it gave or touched.
    pub rows: usize,
}

/// The run with the most work of each statement, by step and by the statement's `kind`.
pub type Work = BTreeMap<(String, String), Load>;

impl Recorder {
    pub fn watch(&self) -> StatementWatch {
        let recorder = self.clone();
        StatementWatch::new(move |executed| {
            let mut recorded = recorder.0.lock().unwrap();
            let Some(step) = recorded.step.clone() else { return };
            let (text, values) = (executed.text.to_owned(), executed.values.to_vec());
            recorded.ran.push(Ran {
                step,
                text,
                values,
                steps: executed.cost.steps,
                rows: executed.cost.rows,
            });
        })
    }

    /// Whatever runs from now on belongs to this step.
    pub fn begin(&self, step: &str) {
        self.0.lock().unwrap().step = Some(step.into());
    }

    /// Whatever runs from now on is nobody's.
    pub fn pause(&self) {
        self.0.lock().unwrap().step = None;
    }

    /// The work of everything that was recorded. A server is asked again, statement by statement, on a database as it was
    /// before the first of them.
    pub async fn work(self, before: &Database) -> Work {
        let ran = std::mem::take(&mut self.0.lock().unwrap().ran);
        let counted = match before.engine {
            Engine::Sqlite => ran.iter().map(|one| one.steps.into()).collect(),
            Engine::Postgres => blocks(before.address_text(), &ran).await,
        };
        let mut work = Work::new();
        for (one, counted) in ran.iter().zip(counted) {
            let most = work.entry((one.step.to_string(), kind(&one.text))).or_default();
            *most = Load { work: counted, rows: one.rows }.max(*most);
        }
        work
    }
}

/// The text on one line, without the numbers of its marks, and with lists of any length alike.
pub fn kind(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['$', '?']) {
            out.push_str(&rest[..at]);
            out.push('?');
            rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
        out.push_str(rest);
        out.push(' ');
    }
    while let Some(at) = out.find("?, ?") {
        let end = out[at..].find(|c| !"?, ".contains(c)).map_or(out.len(), |length| at + length);
        out.replace_range(at..end, "…");
    }
    out.trim_end().to_owned()
}

/// Asks the server how many blocks each statement touches, by the plan that serves any values. All of them run in one
/// transaction, so that each meets what those before it wrote; nothing stays.
async fn blocks(address: &str, ran: &[Ran]) -> Vec<i64> {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let begin = "SET plan_cache_mode = force_generic_plan; SET jit = off; BEGIN";
    client.batch_execute(begin).await.unwrap();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut counted = Vec::with_capacity(ran.len());
    for one in ran {
        let next = names.len();
        let is_new = !names.contains_key(one.text.as_str());
        let name = *names.entry(&one.text).or_insert(next);
        if is_new {
            let prepare = format!("PREPARE s{name} AS {}", one.text);
            client.batch_execute(&prepare).await.unwrap_or_else(|error| panic!("{error:?}: {prepare}"));
        }
        let explain = format!(
            "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE s{name}{}",
            literals(&one.values)
        );
        let told = client.simple_query(&explain).await;
        let told = told.unwrap_or_else(|error| panic!("{error:?}: {} {explain}", one.text));
        counted.push(touched(&told));
    }
    client.batch_execute("ROLLBACK").await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
    counted
}

fn touched(told: &[SimpleQueryMessage]) -> i64 {
    let rows = told.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let plan: serde_json::Value = serde_json::from_str(&rows.collect::<String>()).unwrap();
    let plan = &plan[0]["Plan"];
    let blocks = |name: &str| plan[name].as_i64().unwrap();
    blocks("Shared Hit Blocks") + blocks("Shared Read Blocks")
}

/// `(1, 'Ana', NULL)`
fn literals(values: &[SqlScalar]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let literal = |value: &SqlScalar| match value {
        SqlScalar::Null => "NULL".to_owned(),
        SqlScalar::Int(number) => number.to_string(),
        SqlScalar::Bool(flag) => flag.to_string(),
        SqlScalar::Text(text) => format!("'{}'", text.replace('\'', "''")),
        SqlScalar::Bytes(bytes) => {
            let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            format!("'\\x{hex}'")
        }
    };
    format!("({})", values.iter().map(literal).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_differ_by_the_length_of_a_list_are_of_one_kind() {
        let one = "SELECT a\n    FROM t WHERE b = $1 AND c IN ($2, $3) AND d = $14";
        assert_eq!(kind(one), "SELECT a FROM t WHERE b = ? AND c IN (…) AND d = ?");
        assert_eq!(kind("INSERT INTO t VALUES (?1, ?2, ?3), (?4, ?5, ?6)"), "INSERT INTO t VALUES (…), (…)");
        assert_eq!(kind("SELECT a WHERE c IN (?1)"), "SELECT a WHERE c IN (?)");
    }

    #[test]
    fn values_become_literals() {
        let values =
            [1.into(), "d'Ávila".into(), true.into(), SqlScalar::Null, SqlScalar::Bytes(vec![1, 255])];
        assert_eq!(literals(&values), "(1, 'd''Ávila', true, NULL, '\\x01ff')");
        assert_eq!(literals(&[]), "");
    }
}
