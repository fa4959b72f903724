//! A statement: its text, its values, and filters that are appended only where there is something to filter by.

use crate::Value;
use domain::Branches;
use std::borrow::Cow;
use std::fmt::Write;

/// SQL in the common subset of both engines, with `$1…$n` and the values for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    text: Cow<'static, str>,
    values: Vec<Value>,
    /// The text is there already: what is appended brings its values alone.
    known: bool,
}

/// Begins a statement.
pub fn sql(text: &'static str) -> Statement {
    Statement { text: Cow::Borrowed(text), values: Vec::new(), known: false }
}

/// The statements that write many rows: `inserts("INSERT INTO t (a, b) VALUES", 100, rows)` writes a hundred with each, and
/// what is left over in quarters of that, down to one, so that the engines keep a handful of prepared statements and no more.
pub(crate) fn inserts<R: IntoIterator<Item = Value>>(
    head: &'static str,
    at_once: usize,
    rows: impl IntoIterator<Item = R>,
) -> Vec<Statement> {
    inserts_of(head, at_once, Rows::of(rows))
}

/// What is the same for all types of rows, so that it is compiled once.
fn inserts_of(head: &'static str, at_once: usize, rows: Rows) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut values = rows.values.into_iter();
    let (mut left, mut size) = (rows.count, at_once);
    while left > 0 {
        while size > left {
            size = (size / 4).max(1);
        }
        let block = Rows { values: values.by_ref().take(size * rows.width).collect(), count: size, ..rows };
        statements.push(sql(head).value_rows(block));
        left -= size;
    }
    statements
}

/// Rows of values, all of one width, behind each other.
struct Rows {
    values: Vec<Value>,
    width: usize,
    count: usize,
}

impl Rows {
    fn of<R: IntoIterator<Item = Value>>(rows: impl IntoIterator<Item = R>) -> Rows {
        let (mut values, mut count) = (Vec::new(), 0);
        for row in rows {
            values.extend(row);
            count += 1;
        }
        let width = values.len().checked_div(count).unwrap_or(0);
        debug_assert_eq!(values.len(), width * count, "rows of one width");
        Rows { values, width, count }
    }
}

/// Lists come in a few lengths only, so that the engines keep few prepared statements; the long ones closer together, for what
/// fills them up is looked at, too.
const LIST_LENGTHS: [usize; 10] = [1, 4, 16, 64, 128, 256, 384, 512, 768, 1024];

impl Statement {
    /// Nothing yet: for what is appended to some other statement.
    pub(crate) fn empty() -> Statement {
        sql("")
    }

    /// One whose text was made before, for the same shape: it is given the same values in the same way, and no text is
    /// put together again.
    pub(crate) fn known(text: &'static str) -> Statement {
        Statement { text: Cow::Borrowed(text), values: Vec::with_capacity(8), known: true }
    }

    /// The value of the next `$n`.
    pub fn arg(mut self, value: impl Into<Value>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// Appends more text, with its own `?` for each of `values`: `.then("LIMIT ?", [10])`.
    pub fn then<V: Into<Value>>(mut self, text: &str, values: impl IntoIterator<Item = V>) -> Statement {
        let first = self.values.len();
        self.values.extend(values.into_iter().map(Into::into));
        self.appended(text, first)
    }

    /// Appends the text to values that are there already, from the first of them on.
    fn appended(mut self, text: &str, first: usize) -> Statement {
        if self.known {
            return self;
        }
        let out = self.text.to_mut();
        out.push(' ');
        let mut next = first;
        for piece in text.split_inclusive('?') {
            match piece.strip_suffix('?') {
                Some(before) => {
                    next += 1;
                    let _ = write!(out, "{before}${next}");
                }
                None => out.push_str(piece),
            }
        }
        debug_assert_eq!(next, self.values.len(), "as many ? as values in {text:?}");
        self
    }

    /// Appends text that needs no value: `.ending("ORDER BY code")`.
    pub fn ending(mut self, text: &str) -> Statement {
        if self.known {
            return self;
        }
        let out = self.text.to_mut();
        out.push(' ');
        out.push_str(text);
        self
    }

    /// Appends a filter where there is a value for it: `.when("AND plate = ?", plate)`.
    pub fn when<V: Into<Value>>(self, text: &str, value: Option<V>) -> Statement {
        match value {
            Some(value) => self.then(text, [value]),
            None => self,
        }
    }

    /// Appends `AND column IN (…)`; an empty list finds nothing.
    pub fn within<V: Into<Value>>(self, column: &str, list: impl IntoIterator<Item = V>) -> Statement {
        self.within_values(column, list.into_iter().map(Into::into).collect())
    }

    fn within_values(self, column: &str, mut list: Vec<Value>) -> Statement {
        let Some(last) = list.last().cloned() else {
            return self.ending("AND 1 = 0");
        };
        let length = LIST_LENGTHS.into_iter().find(|n| *n >= list.len()).unwrap_or(list.len());
        list.resize(length, last);
        let marks = vec!["?"; length].join(", ");
        self.then(&format!("AND {column} IN ({marks})"), list)
    }

    /// Appends the limit to a caller's branches, where he has one.
    pub fn scoped(self, column: &str, branches: &Branches) -> Statement {
        match branches {
            Branches::All => self,
            Branches::Only(some) => self.within(column, some.iter().copied()),
        }
    }

    /// Appends rows of values: `($1, $2), ($3, $4)`.
    pub(crate) fn rows<R: IntoIterator<Item = Value>>(self, rows: impl IntoIterator<Item = R>) -> Statement {
        self.value_rows(Rows::of(rows))
    }

    fn value_rows(mut self, rows: Rows) -> Statement {
        let out = self.text.to_mut();
        for (number, value) in rows.values.into_iter().enumerate() {
            out.push_str(match number % rows.width {
                0 if number == 0 => " (",
                0 => "), (",
                _ => ", ",
            });
            self.values.push(value);
            let _ = write!(out, "${}", self.values.len());
        }
        out.push(')');
        self
    }

    /// Whether it is plain that the statement writes nothing; one that may write counts as one that does.
    pub(crate) fn only_reads(&self) -> bool {
        self.text.trim_start().starts_with("SELECT")
    }

    /// Where the text lies, if it is one of the program's own: that tells it from every other, faster than reading it.
    pub(crate) fn fixed(&self) -> Option<(usize, usize)> {
        match &self.text {
            Cow::Borrowed(text) => Some((text.as_ptr() as usize, text.len())),
            Cow::Owned(_) => None,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BranchCode;

    #[test]
    fn an_absent_filter_leaves_no_trace() {
        let all = sql("SELECT code FROM plans WHERE tenant = $1").arg(7).when("AND name = ?", None::<&str>);
        assert_eq!(all.text(), "SELECT code FROM plans WHERE tenant = $1");
        let one = sql("SELECT code FROM plans WHERE tenant = $1")
            .arg(7)
            .when("AND name = ?", Some("Ouro"))
            .then("ORDER BY code LIMIT ? OFFSET ?", [10, 20]);
        assert_eq!(
            one.text(),
            "SELECT code FROM plans WHERE tenant = $1 AND name = $2 ORDER BY code LIMIT $3 OFFSET $4"
        );
        assert_eq!(one.values(), [7.into(), "Ouro".into(), 10.into(), 20.into()]);
    }

    #[test]
    fn lists_are_padded_to_few_lengths() {
        let list = |n: i64| sql("SELECT 1 WHERE TRUE").within("code", 1..=n);
        assert_eq!(list(1).text(), "SELECT 1 WHERE TRUE AND code IN ($1)");
        assert_eq!(list(2).text(), list(4).text());
        assert_eq!(list(2).values(), [1.into(), 2.into(), 2.into(), 2.into()]);
        assert_eq!(list(17).values().len(), 64);
        assert_eq!(list(0).text(), "SELECT 1 WHERE TRUE AND 1 = 0");
    }

    #[test]
    fn many_rows_travel_together_and_the_rest_in_a_few_lengths() {
        let rows = |n: i64| (1..=n).map(|number| [number.into(), "x".into()]);
        let made = inserts("INSERT INTO t (a, b) VALUES", 2, rows(3));
        assert_eq!(made[0].text(), "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)");
        assert_eq!(made[0].values(), [1.into(), "x".into(), 2.into(), "x".into()]);
        assert_eq!(made[1], sql("INSERT INTO t (a, b) VALUES ($1, $2)").arg(3).arg("x"));
        assert_eq!((made.len(), inserts("INSERT INTO t (a, b) VALUES", 2, rows(4)).len()), (2, 2));
        assert!(inserts("INSERT INTO t (a, b) VALUES", 2, rows(0)).is_empty());
        let lengths = inserts("INSERT INTO t (a, b) VALUES", 32, rows(75))
            .iter()
            .map(|one| one.values().len() / 2)
            .collect::<Vec<_>>();
        assert_eq!(lengths, [32, 32, 8, 2, 1], "in a few lengths only");
    }

    #[test]
    fn a_scope_of_some_branches_is_a_list_and_of_all_is_nothing() {
        let base = || sql("SELECT 1 WHERE TRUE");
        assert_eq!(base().scoped("branch", &Branches::All), base());
        let only = Branches::Only([BranchCode::new(3)].into());
        assert_eq!(base().scoped("branch", &only).text(), "SELECT 1 WHERE TRUE AND branch IN ($1)");
        let none = Branches::Only([].into());
        assert_eq!(base().scoped("branch", &none).text(), "SELECT 1 WHERE TRUE AND 1 = 0");
    }
}
