//! Reading what a caller sent. A record is declared once ([`crate::input!`]): the name, type, need, meaning and example
//! of each field. From that come the reader, which finds every problem instead of the first alone, and the schema in
//! OpenAPI.
//!
//! # Adding a type of field
//! Implement [`Read`] for the value type of `domain`, in `domain_values.rs`: how it is read from JSON, and its schema.
//! A fixed set needs no more than its table in [`crate::names`].

mod domain_values;
mod open;
mod record;
mod sent;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use domain_values::one_of;
pub use domain_values::{CardOrDocument, Hidden, IsoQueryDate, Loosely, QueryDate};
pub use record::{described, object, or_null};
pub use sent::{
    Unread, body, body_by, body_or_nothing, body_without, both, code, fields, list_body, query, query_by,
    query_or_rest,
};
pub use values::{Between, Scalar, TextOrNumber};

use serde_json::{Map, Value};
use std::fmt;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// What a caller said of a field that he may leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given<T> {
    /// Nothing, or an empty text: what is there stays.
    Keep,
    /// `null`: what is there goes.
    Clear,
    Set(T),
}

impl<T> Given<T> {
    /// Changes a value that is there: keeps, clears or sets it.
    pub fn change<U>(&self, value: &mut Option<U>, as_kept: impl Fn(&T) -> U) {
        match self {
            Given::Keep => {}
            Given::Clear => *value = None,
            Given::Set(new) => *value = Some(as_kept(new)),
        }
    }

    /// The same of what is made of the value.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Given<U> {
        match self {
            Given::Keep => Given::Keep,
            Given::Clear => Given::Clear,
            Given::Set(value) => Given::Set(make(value)),
        }
    }

    /// The value that is given.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            Given::Set(value) => Some(value),
            Given::Keep | Given::Clear => None,
        }
    }

    /// The value for something new, where there is nothing to keep or clear.
    pub fn set(self) -> Option<T> {
        match self {
            Given::Set(value) => Some(value),
            Given::Keep | Given::Clear => None,
        }
    }
}

/// Everything that is wrong with what was sent, one sentence each, led by the field's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problems {
    lines: Vec<String>,
    /// How many more there were than anybody reads.
    more: usize,
}

/// Nobody reads more, and whoever sends a megabyte of mistakes gets no megabytes back.
const MOST: usize = 100;

impl Problems {
    pub fn add(&mut self, at: &At<'_>, sentence: impl fmt::Display) {
        self.push(match at {
            At::Root => format!("O corpo {sentence}"),
            _ => format!("{at}: {sentence}"),
        });
    }

    fn push(&mut self, line: String) {
        if self.lines.len() == MOST {
            self.more += 1;
        } else {
            self.lines.push(line);
        }
    }

    /// Adds those that were found elsewhere.
    pub fn join(&mut self, others: Problems) {
        others.lines.into_iter().for_each(|line| self.push(line));
        self.more += others.more;
    }

    /// Adds the lines of somebody who judged the rest, but not of fields that are told of already: those counted as not
    /// given.
    pub fn join_of_the_rest(&mut self, lines: impl IntoIterator<Item = String>) {
        let field = |line: &str| line.split_once(':').map(|(field, _)| field.to_owned());
        let told: Vec<_> = self.lines.iter().map(|line| field(line)).collect();
        lines.into_iter().filter(|line| !told.contains(&field(line))).for_each(|line| self.push(line));
    }

    pub fn into_lines(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("… e mais {} problemas.", self.more));
        }
        self.lines
    }
}

/// Where in the record the reader is: `telefones[1].numero`.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    Root,
    Field(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl fmt::Display for At<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Root => Ok(()),
            At::Field(At::Root, name) => out.write_str(name),
            At::Field(parent, name) => write!(out, "{parent}.{name}"),
            At::Item(parent, number) => write!(out, "{parent}[{number}]"),
        }
    }
}

/// A value that can be read from JSON, or from the text of a query.
pub trait Read: Sized {
    /// The value, or `None` once the problem was told.
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self>;
    fn schema() -> RefOr<Schema>;

    /// One that stands where none was given, or a wrong one, while the rest is judged. Nothing is ever written with it.
    fn nobodys() -> Option<Self> {
        None
    }
}

/// A record, declared with [`crate::input!`].
pub trait Record: Sized {
    fn read_fields(fields: &Map<String, Value>, at: &At<'_>, problems: &mut Problems) -> Option<Self>;
    /// Its fields as the documentation shows them.
    fn fields() -> Vec<FieldInfo>;
}

pub struct FieldInfo {
    pub name: &'static str,
    pub text: String,
    pub required: bool,
    pub schema: RefOr<Schema>,
    pub example: Value,
}

/// A field that must be given.
pub fn required<T: Read>(
    fields: &Map<String, Value>,
    name: &str,
    parent: &At<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let at = At::Field(parent, name);
    match fields.get(name).filter(|value| !is_empty(value) && !value.is_null()) {
        Some(value) => T::read(value, &at, problems),
        None => {
            problems.add(&at, "informe um valor.");
            None
        }
    }
}

/// A field that may be left out. `None` only where what was given is wrong.
pub fn optional<T: Read>(
    fields: &Map<String, Value>,
    name: &str,
    parent: &At<'_>,
    problems: &mut Problems,
) -> Option<Given<T>> {
    match fields.get(name) {
        Some(Value::Null) => Some(Given::Clear),
        Some(value) if !is_empty(value) => T::read(value, &At::Field(parent, name), problems).map(Given::Set),
        _ => Some(Given::Keep),
    }
}

/// A record inside a record.
pub fn nested<T: Record>(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<T> {
    match value {
        Value::Object(fields) => T::read_fields(fields, at, problems),
        _ => {
            problems.add(at, "deve ser um objeto JSON, entre { e }.");
            None
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}
