//! A result row, read by column name.

use crate::{Error, FromColumn, SqlScalarRef};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The columns of a result, shared by its rows and by all results of the same statement.
pub(crate) type SharedColumns = Arc<[ResultColumn]>;

pub(crate) struct ResultColumn {
    name: Box<str>,
    /// Address of the `&'static str` that last looked this column up. Comparing the address is enough for static
    /// names and avoids comparing the text.
    last_name_address: AtomicUsize,
}

impl From<&str> for ResultColumn {
    fn from(name: &str) -> ResultColumn {
        ResultColumn { name: name.into(), last_name_address: AtomicUsize::new(0) }
    }
}

impl ResultColumn {
    fn has_name(&self, name: &'static str) -> bool {
        let place = name.as_ptr().addr();
        if self.name.len() == name.len() && self.last_name_address.load(Ordering::Relaxed) == place {
            return true;
        }
        let same = *self.name == *name;
        if same {
            self.last_name_address.store(place, Ordering::Relaxed);
        }
        same
    }
}

#[derive(Clone)]
pub struct Row {
    page: Arc<ResultBuffer>,
    at: usize,
    /// Where the next lookup starts: columns are mostly read in order.
    next: Cell<usize>,
}

impl Row {
    /// The value of the column as `T`. A missing column or a wrong type is a bug and is reported as an error.
    pub fn get<T: FromColumn>(&self, column: &'static str) -> Result<T, Error> {
        let value = self.value(column)?;
        T::from_value(value).ok_or_else(|| {
            Error::Broken(format!("column {column} cannot be read as {}", std::any::type_name::<T>()))
        })
    }

    /// The text of the column without a copy, for what is parsed at once.
    pub(crate) fn get_text(&self, column: &'static str) -> Result<Option<&str>, Error> {
        match self.value(column)? {
            SqlScalarRef::Text(text) => Ok(Some(text)),
            SqlScalarRef::Null => Ok(None),
            _ => Err(Error::Broken(format!("column {column} is no text"))),
        }
    }

    fn value(&self, column: &'static str) -> Result<SqlScalarRef<'_>, Error> {
        let columns = &self.page.columns;
        let start = self.next.get();
        let is_it = |at: &usize| columns[*at].has_name(column);
        match (start..columns.len()).find(is_it).or_else(|| (0..start).find(is_it)) {
            Some(at) => {
                self.next.set(at + 1);
                Ok(self.page.value(self.at, at))
            }
            None => Err(Error::Broken(format!("no column {column} among {self:?}"))),
        }
    }
}

/// Column names only: values may be personal data, and debug output ends up in logs.
impl fmt::Debug for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.page.columns.iter().map(|column| &column.name)).finish()
    }
}

/// All rows of a result, copied out of the engine, with all texts in one buffer.
pub(crate) struct ResultBuffer {
    columns: SharedColumns,
    text: String,
    bytes: Vec<u8>,
    cells: Vec<ResultCell>,
}

/// A copied value: inline, or its position in the buffers.
#[derive(Clone, Copy)]
enum ResultCell {
    Null,
    Int(i64),
    Bool(bool),
    Text(u32, u32),
    Bytes(u32, u32),
}

impl ResultBuffer {
    /// `size` is the size of the last result of the same statement: cells and bytes of text.
    pub fn new(columns: SharedColumns, size: (usize, usize)) -> ResultBuffer {
        let cells = Vec::with_capacity(size.0.max(columns.len()));
        ResultBuffer { columns, text: String::with_capacity(size.1), bytes: Vec::new(), cells }
    }

    pub fn size(&self) -> (usize, usize) {
        (self.cells.len(), self.text.len())
    }

    pub fn push(&mut self, value: SqlScalarRef<'_>) -> Result<(), Error> {
        let place = match value {
            SqlScalarRef::Null => ResultCell::Null,
            SqlScalarRef::Int(number) => ResultCell::Int(number),
            SqlScalarRef::Bool(flag) => ResultCell::Bool(flag),
            SqlScalarRef::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                ResultCell::Text(convert_offset(start)?, convert_offset(self.text.len())?)
            }
            SqlScalarRef::Bytes(bytes) => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                ResultCell::Bytes(convert_offset(start)?, convert_offset(self.bytes.len())?)
            }
        };
        self.cells.push(place);
        Ok(())
    }

    pub fn into_rows(self) -> Vec<Row> {
        let count = self.cells.len().checked_div(self.columns.len()).unwrap_or(0);
        let page = Arc::new(self);
        (0..count).map(|at| Row { page: Arc::clone(&page), at, next: Cell::new(0) }).collect()
    }

    fn value(&self, row: usize, column: usize) -> SqlScalarRef<'_> {
        match self.cells[row * self.columns.len() + column] {
            ResultCell::Null => SqlScalarRef::Null,
            ResultCell::Int(number) => SqlScalarRef::Int(number),
            ResultCell::Bool(flag) => SqlScalarRef::Bool(flag),
            ResultCell::Text(start, end) => SqlScalarRef::Text(&self.text[start as usize..end as usize]),
            ResultCell::Bytes(start, end) => SqlScalarRef::Bytes(&self.bytes[start as usize..end as usize]),
        }
    }
}

fn convert_offset(at: usize) -> Result<u32, Error> {
    u32::try_from(at).map_err(|_| Error::Broken("a result of more than 4 GiB".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlScalar;
    use domain::{Date, Money};

    fn row() -> Row {
        let columns: SharedColumns = ["code", "name", "active"].map(ResultColumn::from).into();
        let mut page = ResultBuffer::new(columns, (0, 0));
        for value in [SqlScalarRef::Int(5), SqlScalarRef::Null, SqlScalarRef::Bool(true)] {
            page.push(value).unwrap();
        }
        page.into_rows().remove(0)
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
        assert!(row.get_text("code").is_err() && row.get_text("nome").is_err());
        assert_eq!(row.get_text("name").unwrap(), None);
    }

    #[test]
    fn a_date_is_read_from_its_text_and_money_from_its_cents() {
        let columns: SharedColumns = ["day", "price", "bad_day", "bad_price"].map(ResultColumn::from).into();
        let mut page = ResultBuffer::new(columns, (0, 0));
        page.push(SqlScalarRef::Text("2026-11-14")).unwrap();
        page.push(SqlScalarRef::Int(15_055)).unwrap();
        page.push(SqlScalarRef::Text("2026-02-30")).unwrap();
        page.push(SqlScalarRef::Int(-1)).unwrap();
        let row = page.into_rows().remove(0);
        let (day, price) = (row.get::<Date>("day").unwrap(), row.get::<Money>("price").unwrap());
        assert_eq!((SqlScalar::from(day), SqlScalar::from(price)), ("2026-11-14".into(), 15_055.into()));
        assert!(row.get::<Option<Date>>("bad_day").is_err() && row.get::<Money>("bad_price").is_err());
    }
}
