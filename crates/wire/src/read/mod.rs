//! The reader of requests. A record is declared once ([`crate::input!`]): name, type, requirement, meaning and example
//! of each field. From that follow the reader, which reports every problem and not just the first, and the `OpenAPI`
//! schema.
//!
//! # Adding a type of field
//! Implement [`JsonInput`] for the value type of `domain`, in `domain_values.rs`: how it is read from JSON, and its
//! schema. A fixed set only needs its table in `set_names.rs`.

mod domain_values;
mod partial;
mod program_values;
mod record;
mod request_parts;
#[cfg(test)]
mod tests;
mod values;

pub use domain_values::{
    CardOrDocument, HiddenText, IsoQueryDate, LenientDate, LenientMember, MonthText, QueryDate,
};
pub(crate) use domain_values::{describe_allowed, trim_extra_zeros};
pub use program_values::{ProgramAmount, ProgramDate, ProgramLine, ProgramNote};
pub use record::{build_object_schema, describe_schema, make_nullable};
pub use request_parts::{
    PartialInput, combine_code_and_body, parse_record_body, read_body, read_body_refusing, read_fields_with,
    read_list_body, read_optional_body, read_path_code, read_query, read_query_partially, read_query_with,
    read_record, read_record_fields,
};
pub use values::{BoundedInt, ScalarInput, TextOrNumber};

use crate::refusal::RequestProblem;
use serde_json::{Map, Value};
use std::fmt;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// An optional field as the caller sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldPatch<T> {
    /// Absent or an empty text: the stored value stays.
    Keep,
    /// `null`: the stored value is cleared.
    Clear,
    Set(T),
}

impl<T> FieldPatch<T> {
    /// Applies the patch to a stored value.
    pub fn apply_to<U>(&self, value: &mut Option<U>, as_kept: impl Fn(&T) -> U) {
        match self {
            FieldPatch::Keep => {}
            FieldPatch::Clear => *value = None,
            FieldPatch::Set(new) => *value = Some(as_kept(new)),
        }
    }

    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> FieldPatch<U> {
        match self {
            FieldPatch::Keep => FieldPatch::Keep,
            FieldPatch::Clear => FieldPatch::Clear,
            FieldPatch::Set(value) => FieldPatch::Set(make(value)),
        }
    }

    /// The new value, if one was sent.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            FieldPatch::Set(value) => Some(value),
            FieldPatch::Keep | FieldPatch::Clear => None,
        }
    }

    /// The value for a new record, which has nothing to keep or clear.
    pub fn into_set(self) -> Option<T> {
        match self {
            FieldPatch::Set(value) => Some(value),
            FieldPatch::Keep | FieldPatch::Clear => None,
        }
    }
}

/// Every problem of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InputProblems {
    problems: Vec<RequestProblem>,
    /// How many problems were left out.
    more: usize,
}

/// Limits the answer: a megabyte of mistakes must not cause megabytes of output.
const MOST_PROBLEMS: usize = 100;

impl InputProblems {
    pub fn add(&mut self, at: &FieldPath<'_>, sentence: impl fmt::Display) {
        self.push(match at {
            FieldPath::Root => RequestProblem::general(format!("O corpo {sentence}")),
            _ => RequestProblem::of(at.to_string(), sentence.to_string()),
        });
    }

    fn push(&mut self, problem: RequestProblem) {
        if self.problems.len() == MOST_PROBLEMS {
            self.more += 1;
        } else {
            self.problems.push(problem);
        }
    }

    /// Adds the problems of another part of the request.
    pub fn merge(&mut self, others: InputProblems) {
        others.problems.into_iter().for_each(|problem| self.push(problem));
        self.more += others.more;
    }

    /// Adds problems found by validating the rest, except those of fields already reported, which were treated as
    /// absent.
    pub fn merge_unreported(&mut self, problems: impl IntoIterator<Item = RequestProblem>) {
        let reported: Vec<_> = self.problems.iter().map(|problem| problem.field.clone()).collect();
        let is_new = |problem: &RequestProblem| problem.field.is_none() || !reported.contains(&problem.field);
        problems.into_iter().filter(is_new).for_each(|problem| self.push(problem));
    }

    pub fn into_problems(mut self) -> Vec<RequestProblem> {
        if self.more > 0 {
            self.problems.push(RequestProblem::general(format!("… e mais {} problemas.", self.more)));
        }
        self.problems
    }

    /// Each problem in one text, which starts with the field name.
    pub fn into_lines(self) -> Vec<String> {
        self.into_problems().iter().map(ToString::to_string).collect()
    }
}

/// The position in the record: `telefones[1].numero`.
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

/// A value that can be read from JSON, or from a query text.
pub trait JsonInput: Sized {
    /// Returns the value, or `None` after adding the problem.
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self>;
    fn schema() -> RefOr<Schema>;

    /// Whether the value says that there is none, as `null` does.
    fn means_none(_value: &Value) -> bool {
        false
    }

    /// A stand-in for a missing or invalid value while the rest is validated. It is never written.
    fn placeholder() -> Option<Self> {
        None
    }
}

/// A record declared with [`crate::input!`].
pub trait InputRecord: Sized {
    fn read_fields(
        fields: &Map<String, Value>,
        at: &FieldPath<'_>,
        problems: &mut InputProblems,
    ) -> Option<Self>;
    /// The fields as the documentation shows them.
    fn fields() -> Vec<DocumentedField>;
}

pub struct DocumentedField {
    pub name: &'static str,
    pub text: String,
    pub required: bool,
    pub schema: RefOr<Schema>,
    pub example: Value,
}

/// Reads a required field.
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

/// Reads an optional field. `None` only if the value is invalid.
pub fn optional<T: JsonInput>(
    fields: &Map<String, Value>,
    name: &str,
    parent: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<FieldPatch<T>> {
    match fields.get(name) {
        Some(value) if value.is_null() => Some(FieldPatch::Clear),
        Some(value) if !is_blank_text(value) && !T::means_none(value) => {
            T::read(value, &FieldPath::Field(parent, name), problems).map(FieldPatch::Set)
        }
        _ => Some(FieldPatch::Keep),
    }
}

/// Reads a record inside a record.
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
