//! Readers for the parts of a request: its body, its query, the codes in its path.

use super::partial::list_causing_fields;
use super::{FieldPath, InputProblems, InputRecord, JsonInput, read_nested};
use crate::refusal;
use domain::Rejection;
use serde_json::{Map, Value};

/// A request that could be read only in part. The rest has invalid values left out, or replaced by a placeholder where
/// one is required ([`JsonInput::placeholder`]), so that it can be validated too and all problems are reported at once.
#[derive(Debug)]
pub struct PartialInput<T> {
    pub problems: InputProblems,
    pub rest: Option<Box<T>>,
}

impl InputProblems {
    /// Whether a problem was reported for the field or a part of it.
    pub fn has_problem_in(&self, field: &str) -> bool {
        let is_inside = |path: &str| {
            path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.problems.iter().any(|problem| problem.field.as_deref().is_some_and(is_inside))
    }
}

impl<T> PartialInput<T> {
    /// All problems: those of the unreadable part, and the rejections of the rest. Conflicts are left out, and so are
    /// rejections that may only follow from the unreadable part.
    pub fn collect_problems(self, rejections: &[Rejection]) -> InputProblems {
        let mut problems = self.problems;
        let is_open =
            |one: &&Rejection| list_causing_fields(one).iter().any(|field| problems.has_problem_in(field));
        let of_input = rejections.iter().filter(|one| !one.is_conflict() && !is_open(one));
        let of_input = refusal::describe_rejections(of_input);
        problems.merge_unreported(of_input);
        problems
    }
}

impl<T> From<InputProblems> for PartialInput<T> {
    fn from(problems: InputProblems) -> PartialInput<T> {
        PartialInput { problems, rest: None }
    }
}

/// Reads a body: a record, or a list of records.
pub fn read_body<T: JsonInput>(bytes: &[u8]) -> Result<T, PartialInput<T>> {
    read_record(&parse_body(bytes)?)
}

/// Reads a record that the caller has assembled, such as the fields of a form.
pub fn read_record<T: JsonInput>(record: &Value) -> Result<T, PartialInput<T>> {
    run_reader(|problems| T::read(record, &FieldPath::Root, problems))
}

/// Reads a record with retired fields: each one that is sent, whatever its value, is refused with its reason.
pub fn read_body_refusing<T: InputRecord>(
    bytes: &[u8],
    refused: &[(&str, &str)],
) -> Result<T, PartialInput<T>> {
    let value = parse_body(bytes)?;
    run_reader(|problems| {
        for (name, why) in refused.iter().filter(|(name, _)| value.get(*name).is_some()) {
            problems.add(&FieldPath::Field(&FieldPath::Root, name), why);
        }
        read_nested(&value, &FieldPath::Root, problems)
    })
}

/// Reads a record whose fields are defined by a register description.
pub fn read_fields_with<T>(
    fields: &Map<String, Value>,
    read: impl FnOnce(&Map<String, Value>, &mut InputProblems) -> T,
) -> Result<T, PartialInput<T>> {
    run_reader(|problems| Some(read(fields, problems)))
}

/// Reads a query whose parameters are defined by a register description.
pub fn read_query_with<T>(
    pairs: impl Iterator<Item = (String, String)>,
    read: impl FnOnce(&Map<String, Value>, &mut InputProblems) -> T,
) -> Result<T, InputProblems> {
    read_fields_with(&collect_first_values(pairs), read).map_err(|unread| unread.problems)
}

/// Reads a body that is a list. Its items are reported under the name the list has inside records.
pub fn read_list_body<T: JsonInput>(name: &str, bytes: &[u8]) -> Result<Vec<T>, PartialInput<Vec<T>>> {
    let value = parse_body(bytes)?;
    let at = FieldPath::Field(&FieldPath::Root, name);
    run_reader(|problems| Vec::read(&value, if value.is_array() { &at } else { &FieldPath::Root }, problems))
}

/// Reads a record from a body that may be absent. An empty body, whitespace and `[]`, which some programs send for an
/// empty object, count as a record without fields.
pub fn read_optional_body<T: InputRecord>(bytes: &[u8]) -> Result<T, PartialInput<T>> {
    let bytes = strip_byte_order_mark(bytes);
    let parsed = if bytes.trim_ascii().is_empty() { None } else { Some(parse_json(bytes)?) };
    let record = parsed.filter(|value| value.as_array().is_none_or(|items| !items.is_empty()));
    let value = record.unwrap_or_else(|| Value::Object(Map::new()));
    run_reader(|problems| read_nested(&value, &FieldPath::Root, problems))
}

/// Reads a record from the pairs of a query. Of a repeated parameter the first counts.
pub fn read_query<T: InputRecord>(pairs: impl Iterator<Item = (String, String)>) -> Result<T, InputProblems> {
    read_query_partially(pairs).map_err(|unread| unread.problems)
}

/// Like [`read_query`], for callers that validate the rest.
pub fn read_query_partially<T: InputRecord>(
    pairs: impl Iterator<Item = (String, String)>,
) -> Result<T, PartialInput<T>> {
    let fields = collect_first_values(pairs);
    run_reader(|problems| T::read_fields(&fields, &FieldPath::Root, problems))
}

/// Reads a record from fields that the caller has assembled.
pub fn read_record_fields<T: InputRecord>(fields: &Map<String, Value>) -> Result<T, PartialInput<T>> {
    run_reader(|problems| T::read_fields(fields, &FieldPath::Root, problems))
}

fn collect_first_values(pairs: impl Iterator<Item = (String, String)>) -> Map<String, Value> {
    let mut fields = Map::new();
    // An empty parameter counts as absent.
    for (name, text) in pairs.filter(|(_, text)| !text.trim().is_empty()) {
        fields.entry(name).or_insert(Value::String(text));
    }
    fields
}

/// Reads a code from a path. Programs write paths, so only digits and a sign are accepted.
pub fn read_path_code<T: JsonInput>(name: &str, text: &str) -> Result<T, InputProblems> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = if is_number { Value::String(text.to_owned()) } else { Value::Null };
    run_reader(|problems| T::read(&value, &FieldPath::Field(&FieldPath::Root, name), problems))
        .map_err(|unread| unread.problems)
}

/// The code in the path and the body, or the problems of both.
pub fn combine_code_and_body<A, B>(
    code: Result<A, InputProblems>,
    body: Result<B, PartialInput<B>>,
) -> Result<(A, B), PartialInput<(A, B)>> {
    match (code, body) {
        (Ok(code), Ok(body)) => Ok((code, body)),
        (Ok(code), Err(PartialInput { problems, rest })) => {
            Err(PartialInput { problems, rest: rest.map(|rest| Box::new((code, *rest))) })
        }
        (Err(problems), Ok(_)) => Err(problems.into()),
        (Err(mut problems), Err(others)) => {
            problems.merge(others.problems);
            Err(problems.into())
        }
    }
}

/// Parses a body that must be a record.
pub fn parse_record_body(bytes: &[u8]) -> Result<Map<String, Value>, InputProblems> {
    match parse_body(bytes)? {
        Value::Object(fields) => Ok(fields),
        _ => {
            let mut problems = InputProblems::default();
            problems.add(&FieldPath::Root, "deve ser um objeto JSON, entre { e }.");
            Err(problems)
        }
    }
}

/// Parses a body that must be there.
fn parse_body(bytes: &[u8]) -> Result<Value, InputProblems> {
    match strip_byte_order_mark(bytes) {
        [] => Err(report_missing_body()),
        bytes => parse_json(bytes),
    }
}

fn report_missing_body() -> InputProblems {
    let mut problems = InputProblems::default();
    problems.push(refusal::RequestProblem::general("Falta o corpo do pedido: envie-o em JSON."));
    problems
}

/// A byte-order mark is meaningless in UTF-8, but some programs send one.
fn strip_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn parse_json(bytes: &[u8]) -> Result<Value, InputProblems> {
    serde_json::from_slice(bytes).map_err(|error| {
        let mut problems = InputProblems::default();
        let (line, column) = (error.line(), error.column());
        problems.add(&FieldPath::Root, format!("não é JSON válido (linha {line}, coluna {column})."));
        problems
    })
}

/// Returns the value, unless a problem was reported on the way.
fn run_reader<T>(read: impl FnOnce(&mut InputProblems) -> Option<T>) -> Result<T, PartialInput<T>> {
    let mut problems = InputProblems::default();
    let value = read(&mut problems);
    match value {
        Some(value) if problems.problems.is_empty() => Ok(value),
        rest => Err(PartialInput { problems, rest: rest.map(Box::new) }),
    }
}
