//! A SQL statement: its text, its values, and optional filters.

use crate::SqlScalar;
use domain::VisibleBranches;
use std::borrow::Cow;
use std::fmt::Write;

/// SQL in the subset that both engines share, with `$1…$n` and their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    text: Cow<'static, str>,
    values: Vec<SqlScalar>,
    /// The text is already complete: appending adds only values.
    is_complete: bool,
}

pub fn sql(text: &'static str) -> Statement {
    Statement { text: Cow::Borrowed(text), values: Vec::new(), is_complete: false }
}

/// Multi-row inserts: `build_inserts("INSERT INTO t (a, b) VALUES", 100, rows)` writes 100 rows per statement and the
/// rest in quarters of that, down to one, so that the engines cache only a few prepared statements.
pub fn build_inserts<R: IntoIterator<Item = SqlScalar>>(
    head: &'static str,
    at_once: usize,
    rows: impl IntoIterator<Item = R>,
) -> Vec<Statement> {
    build_insert_blocks(head, at_once, ValueRows::from_rows(rows))
}

/// Not generic over the row type, so that it is compiled once.
fn build_insert_blocks(head: &'static str, at_once: usize, rows: ValueRows) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut values = rows.values.into_iter();
    let (mut remaining, mut size) = (rows.count, at_once);
    while remaining > 0 {
        while size > remaining {
            size = (size / 4).max(1);
        }
        let block =
            ValueRows { values: values.by_ref().take(size * rows.width).collect(), count: size, ..rows };
        statements.push(sql(head).append_value_rows(block));
        remaining -= size;
    }
    statements
}

/// Rows of equal width, stored one after another.
struct ValueRows {
    values: Vec<SqlScalar>,
    width: usize,
    count: usize,
}

impl ValueRows {
    fn from_rows<R: IntoIterator<Item = SqlScalar>>(rows: impl IntoIterator<Item = R>) -> ValueRows {
        let (mut values, mut count) = (Vec::new(), 0);
        for row in rows {
            values.extend(row);
            count += 1;
        }
        let width = values.len().checked_div(count).unwrap_or(0);
        debug_assert_eq!(values.len(), width * count, "rows of one width");
        ValueRows { values, width, count }
    }
}

/// Lists are padded to a few lengths, so that the engines cache few prepared statements. Long lengths lie closer
/// together because the padding is looked up, too.
const LIST_LENGTHS: [usize; 10] = [1, 4, 16, 64, 128, 256, 384, 512, 768, 1024];

impl Statement {
    /// A fragment to append to another statement.
    pub(crate) fn empty() -> Statement {
        sql("")
    }

    /// A statement whose text was built earlier for the same shape: the same calls supply only the values.
    pub(crate) fn from_known_text(text: &'static str) -> Statement {
        Statement { text: Cow::Borrowed(text), values: Vec::with_capacity(8), is_complete: true }
    }

    /// Binds the next `$n`.
    pub fn arg(mut self, value: impl Into<SqlScalar>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// Appends text with one `?` for each of `values`: `.append("LIMIT ?", [10])`.
    pub fn append<V: Into<SqlScalar>>(
        mut self,
        text: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Statement {
        let first = self.values.len();
        self.values.extend(values.into_iter().map(Into::into));
        self.append_numbered(text, first)
    }

    /// Appends text for values that are already bound, starting at number `first`.
    fn append_numbered(mut self, text: &str, first: usize) -> Statement {
        if self.is_complete {
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

    /// Appends text without values: `.append_text("ORDER BY code")`.
    pub fn append_text(mut self, text: &str) -> Statement {
        if self.is_complete {
            return self;
        }
        let out = self.text.to_mut();
        out.push(' ');
        out.push_str(text);
        self
    }

    /// Appends a filter if there is a value for it: `.append_if_some("AND plate = ?", plate)`.
    pub fn append_if_some<V: Into<SqlScalar>>(self, text: &str, value: Option<V>) -> Statement {
        match value {
            Some(value) => self.append(text, [value]),
            None => self,
        }
    }

    /// Appends `AND column IN (…)`; an empty list matches nothing.
    pub fn filter_in<V: Into<SqlScalar>>(self, column: &str, list: impl IntoIterator<Item = V>) -> Statement {
        self.filter_in_values(column, list.into_iter().map(Into::into).collect())
    }

    fn filter_in_values(self, column: &str, mut list: Vec<SqlScalar>) -> Statement {
        let Some(last) = list.last().cloned() else {
            return self.append_text("AND 1 = 0");
        };
        let length = LIST_LENGTHS.into_iter().find(|n| *n >= list.len()).unwrap_or(list.len());
        list.resize(length, last);
        let marks = vec!["?"; length].join(", ");
        self.append(&format!("AND {column} IN ({marks})"), list)
    }

    /// Restricts the statement to the caller's branches, if the caller is limited to some.
    pub fn filter_branches(self, column: &str, branches: &VisibleBranches) -> Statement {
        match branches {
            VisibleBranches::All => self,
            VisibleBranches::Only(allowed) => self.filter_in(column, allowed.iter().copied()),
        }
    }

    /// Appends rows of values: `($1, $2), ($3, $4)`.
    pub(crate) fn append_rows<R: IntoIterator<Item = SqlScalar>>(
        self,
        rows: impl IntoIterator<Item = R>,
    ) -> Statement {
        self.append_value_rows(ValueRows::from_rows(rows))
    }

    fn append_value_rows(mut self, rows: ValueRows) -> Statement {
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

    /// Whether the statement certainly writes nothing.
    pub(crate) fn is_read_only(&self) -> bool {
        self.text.trim_start().starts_with("SELECT")
    }

    /// Address and length of a static text: identifies it without comparing the text.
    pub(crate) fn static_text_address(&self) -> Option<(usize, usize)> {
        match &self.text {
            Cow::Borrowed(text) => Some((text.as_ptr() as usize, text.len())),
            Cow::Owned(_) => None,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn values(&self) -> &[SqlScalar] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BranchCode;

    #[test]
    fn an_absent_filter_leaves_no_trace() {
        let all = sql("SELECT code FROM plans WHERE tenant = $1")
            .arg(7)
            .append_if_some("AND name = ?", None::<&str>);
        assert_eq!(all.text(), "SELECT code FROM plans WHERE tenant = $1");
        let one = sql("SELECT code FROM plans WHERE tenant = $1")
            .arg(7)
            .append_if_some("AND name = ?", Some("Ouro"))
            .append("ORDER BY code LIMIT ? OFFSET ?", [10, 20]);
        assert_eq!(
            one.text(),
            "SELECT code FROM plans WHERE tenant = $1 AND name = $2 ORDER BY code LIMIT $3 OFFSET $4"
        );
        assert_eq!(one.values(), [7.into(), "Ouro".into(), 10.into(), 20.into()]);
    }

    #[test]
    fn lists_are_padded_to_few_lengths() {
        let list = |n: i64| sql("SELECT 1 WHERE TRUE").filter_in("code", 1..=n);
        assert_eq!(list(1).text(), "SELECT 1 WHERE TRUE AND code IN ($1)");
        assert_eq!(list(2).text(), list(4).text());
        assert_eq!(list(2).values(), [1.into(), 2.into(), 2.into(), 2.into()]);
        assert_eq!(list(17).values().len(), 64);
        assert_eq!(list(0).text(), "SELECT 1 WHERE TRUE AND 1 = 0");
    }

    #[test]
    fn many_rows_travel_together_and_the_rest_in_a_few_lengths() {
        let rows = |n: i64| (1..=n).map(|number| [number.into(), "x".into()]);
        let inserts = build_inserts("INSERT INTO t (a, b) VALUES", 2, rows(3));
        assert_eq!(inserts[0].text(), "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)");
        assert_eq!(inserts[0].values(), [1.into(), "x".into(), 2.into(), "x".into()]);
        assert_eq!(inserts[1], sql("INSERT INTO t (a, b) VALUES ($1, $2)").arg(3).arg("x"));
        assert_eq!((inserts.len(), build_inserts("INSERT INTO t (a, b) VALUES", 2, rows(4)).len()), (2, 2));
        assert!(build_inserts("INSERT INTO t (a, b) VALUES", 2, rows(0)).is_empty());
        let lengths = build_inserts("INSERT INTO t (a, b) VALUES", 32, rows(75))
            .iter()
            .map(|one| one.values().len() / 2)
            .collect::<Vec<_>>();
        assert_eq!(lengths, [32, 32, 8, 2, 1], "in a few lengths only");
    }

    #[test]
    fn a_scope_of_some_branches_is_a_list_and_of_all_is_nothing() {
        let base = || sql("SELECT 1 WHERE TRUE");
        assert_eq!(base().filter_branches("branch", &VisibleBranches::All), base());
        let only = VisibleBranches::Only([BranchCode::new(3)].into());
        assert_eq!(base().filter_branches("branch", &only).text(), "SELECT 1 WHERE TRUE AND branch IN ($1)");
        let none = VisibleBranches::Only([].into());
        assert_eq!(base().filter_branches("branch", &none).text(), "SELECT 1 WHERE TRUE AND 1 = 0");
    }
}
