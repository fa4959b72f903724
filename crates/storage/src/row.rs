//! A row, read by column name.

use crate::{Error, FromValue, Value};
use std::cell::Cell;
use std::sync::Arc;

/// The column names of a result, shared by its rows.
pub(crate) type Columns = Arc<[Box<str>]>;

#[derive(Clone, Debug)]
pub struct Row {
    columns: Columns,
    values: Vec<Value>,
    /// Where the next look-up starts: columns are mostly read in their order.
    next: Cell<usize>,
}

impl Row {
    pub(crate) fn new(columns: Columns, values: Vec<Value>) -> Row {
        Row { columns, values, next: Cell::new(0) }
    }

    /// The value of the column, as `T`. A column that is not there or holds something else is a defect of the
    /// program, and is told as one.
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T, Error> {
        let value = self.value(column)?;
        T::from_value(value).ok_or_else(|| {
            Error::Broken(format!("column {column} cannot be read as {}", std::any::type_name::<T>()))
        })
    }

    fn value(&self, column: &str) -> Result<&Value, Error> {
        let length = self.columns.len();
        let start = self.next.get();
        for step in 0..length {
            let at = (start + step) % length;
            if &*self.columns[at] == column {
                self.next.set(at + 1);
                return Ok(&self.values[at]);
            }
        }
        Err(Error::Broken(format!("no column {column} among {}", self.columns.join(", "))))
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|name| &**name)
    }

    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        self.columns == other.columns && self.values == other.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let columns: Columns = ["code", "name", "active"].map(Box::from).into();
        Row::new(columns, vec![Value::Int(5), Value::Null, Value::Bool(true)])
    }

    #[test]
    fn columns_are_read_by_name_in_any_order() {
        let row = row();
        assert!(row.get::<bool>("active").unwrap());
        assert_eq!(row.get::<i64>("code").unwrap(), 5);
        assert_eq!(row.get::<Option<String>>("name").unwrap(), None);
        assert_eq!(row.get::<i32>("code").unwrap(), 5);
    }

    #[test]
    fn a_wrong_name_or_type_is_told() {
        let row = row();
        assert!(row.get::<i64>("nome").is_err());
        assert!(row.get::<String>("name").is_err());
        assert!(row.get::<String>("code").is_err());
    }
}
