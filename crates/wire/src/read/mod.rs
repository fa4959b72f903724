//! Reading what a caller sent. A record is declared once ([`crate::input!`]): the name, type, need, meaning and example
//! of each field. From that come the reader, which finds every problem instead of the first alone, and the schema in
//! OpenAPI.
//!
//! # Adding a type of field
//! Implement [`JsonInput`] for the value type of `domain`, in `domain_values.rs`: how it is read from JSON, and its schema.
//! A fixed set needs no more than its table in [`crate::names`].

mod domain_values;
mod partial;
mod record;
mod request_parts;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use domain_values::describe_allowed;
pub use domain_values::{CardOrDocument, HiddenText, IsoQueryDate, LenientMember, QueryDate};
pub use record::{build_object_schema, describe_schema, make_nullable};
pub use request_parts::{
    PartialInput, combine_code_and_body, read_body, read_body_refusing, read_body_with, read_list_body,
    read_optional_body, read_path_code, read_query, read_query_partially, read_query_with,
    read_record_fields,
};
pub use values::{BoundedInt, ScalarInput, TextOrNumber};

use serde_json::{Map, Value};
use std::fmt;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// What a caller said of a field that he may leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldPatch<T> {
    /// Nothing, or an empty text: what is there stays.
    Keep,
    /// `null`: what is there goes.
    Clear,
    Set(T),
}

impl<T> FieldPatch<T> {
    /// Changes a value that is there: keeps, clears or sets it.
    pub fn apply_to<U>(&self, value: &mut Option<U>, as_kept: impl Fn(&T) -> U) {
        match self {
            FieldPatch::Keep => {}
            FieldPatch::Clear => *value = None,
            FieldPatch::Set(new) => *value = Some(as_kept(new)),
        }
    }

    /// The same of what is made of the value.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> FieldPatch<U> {
        match self {
            FieldPatch::Keep => FieldPatch::Keep,
            FieldPatch::Clear => FieldPatch::Clear,
            FieldPatch::Set(value) => FieldPatch::Set(make(value)),
        }
    }

    /// The value that is given.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            FieldPatch::Set(value) => Some(value),
            FieldPatch::Keep | FieldPatch::Clear => None,
        }
    }

    /// The value for something new, where there is nothing to keep or clear.
    pub fn into_set(self) -> Option<T> {
        match self {
            FieldPatch::Set(value) => Some(value),
            FieldPatch::Keep | FieldPatch::Clear => None,
        }
    }
}

/// Everything that is wrong with what was sent, one sentence each, led by the field's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InputProblems {
    lines: Vec<String>,
    /// How many more there were than anybody reads.
    more: usize,
}

/// Nobody reads more, and whoever sends a megabyte of mistakes gets no megabytes back.
const MOST: usize = 100;

impl InputProblems {
    pub fn add(&mut self, at: &FieldPath<'_>, sentence: impl fmt::Display) {
        self.push(match at {
            FieldPath::Root => format!("O corpo {sentence}"),
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
    pub fn merge(&mut self, others: InputProblems) {
        others.lines.into_iter().for_each(|line| self.push(line));
        self.more += others.more;
    }

    /// Adds the lines of somebody who judged the rest, but not of fields that are told of already: those counted as not
    /// given.
    pub fn merge_unreported(&mut self, lines: impl IntoIterator<Item = String>) {
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
pub enum FieldPath<'a> {
    Root,
    Field(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPath::Root => Ok(()),
            FieldPath::Field(FieldPath::Root, name) => out.write_str(name),
            FieldPath::Field(parent, name) => write!(out, "{parent}.{name}"),
            FieldPath::Item(parent, number) => write!(out, "{parent}[{number}]"),
        }
    }
}

/// A value that can be read from JSON, or from the text of a query.
pub trait JsonInput: Sized {
    /// The value, or `None` once the problem was told.
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self>;
    fn schema() -> RefOr<Schema>;

    /// One that stands where none was given, or a wrong one, while the rest is judged. Nothing is ever written with it.
    fn placeholder() -> Option<Self> {
        None
    }
}

/// A record, declared with [`crate::input!`].
pub trait InputRecord: Sized {
    fn read_fields(
        fields: &Map<String, Value>,
        at: &FieldPath<'_>,
        problems: &mut InputProblems,
    ) -> Option<Self>;
    /// Its fields as the documentation shows them.
    fn fields() -> Vec<DocumentedField>;
}

pub struct DocumentedField {
    pub name: &'static str,
    pub text: String,
    pub required: bool,
    pub schema: RefOr<Schema>,
    pub example: Value,
}

/// A field that must be given.
pub fn required<T: JsonInput>(
    fields: &Map<String, Value>,
    name: &str,
    parent: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<T> {
    let at = FieldPath::Field(parent, name);
    match fields.get(name).filter(|value| !is_blank_text(value) && !value.is_null()) {
        Some(value) => T::read(value, &at, problems),
        None => {
            problems.add(&at, "informe um valor.");
            None
        }
    }
}

/// A field that may be left out. `None` only where what was given is wrong.
pub fn optional<T: JsonInput>(
    fields: &Map<String, Value>,
    name: &str,
    parent: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<FieldPatch<T>> {
    match fields.get(name) {
        Some(Value::Null) => Some(FieldPatch::Clear),
        Some(value) if !is_blank_text(value) => {
            T::read(value, &FieldPath::Field(parent, name), problems).map(FieldPatch::Set)
        }
        _ => Some(FieldPatch::Keep),
    }
}

/// A record inside a record.
pub fn read_nested<T: InputRecord>(
    value: &Value,
    at: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<T> {
    match value {
        Value::Object(fields) => T::read_fields(fields, at, problems),
        _ => {
            problems.add(at, "deve ser um objeto JSON, entre { e }.");
            None
        }
    }
}

fn is_blank_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}
