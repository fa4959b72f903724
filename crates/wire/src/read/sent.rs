//! The places of a request in which something is sent: its body, its query, the codes in its path.

use super::open::follows_from;
use super::{At, Problems, Read, Record, nested};
use crate::refusal;
use domain::Rejection;
use serde_json::{Map, Value};

/// What could not be read whole. The rest is there as if what is wrong had not been given, and with a value that is
/// nobody's where something must be ([`Read::nobodys`]): so that everything else can be judged too, and all problems are
/// told at once.
#[derive(Debug)]
pub struct Unread<T> {
    pub problems: Problems,
    pub rest: Option<Box<T>>,
}

impl Problems {
    /// Whether a field, or a part of it, was told of.
    pub fn tells_of(&self, field: &str) -> bool {
        let rest = |line: &String| line.strip_prefix(field).map(|rest| rest.starts_with([':', '.', '[']));
        self.lines.iter().any(|line| rest(line) == Some(true))
    }
}

impl<T> Unread<T> {
    /// All problems: those of what could not be read, and what somebody finds wrong with the rest. What only would be a
    /// conflict is left for later, and so is what may follow from what could not be read.
    pub fn and(self, rejections: &[Rejection]) -> Problems {
        let mut problems = self.problems;
        let is_open = |one: &&Rejection| follows_from(one).iter().any(|field| problems.tells_of(field));
        let of_input = rejections.iter().filter(|one| !one.is_conflict() && !is_open(one));
        let lines: Vec<String> = of_input.map(refusal::text).collect();
        problems.join_of_the_rest(lines);
        problems
    }
}

impl<T> From<Problems> for Unread<T> {
    fn from(problems: Problems) -> Unread<T> {
        Unread { problems, rest: None }
    }
}

/// Reads a body: a record, or a list of them.
pub fn body<T: Read>(bytes: &[u8]) -> Result<T, Unread<T>> {
    let bytes = without_mark(bytes);
    if bytes.is_empty() {
        return Err(missing().into());
    }
    let value = json(bytes)?;
    collected(|problems| T::read(&value, &At::Root, problems))
}

/// Reads a record of which some fields are no longer taken: each that is given, whatever it holds, is told with why.
pub fn body_without<T: Record>(bytes: &[u8], refused: &[(&str, &str)]) -> Result<T, Unread<T>> {
    let bytes = without_mark(bytes);
    if bytes.is_empty() {
        return Err(missing().into());
    }
    let value = json(bytes)?;
    collected(|problems| {
        for (name, why) in refused.iter().filter(|(name, _)| value.get(*name).is_some()) {
            problems.add(&At::Field(&At::Root, name), why);
        }
        nested(&value, &At::Root, problems)
    })
}

/// Reads a body that is an object whose fields only a description knows.
pub fn body_by<T>(
    bytes: &[u8],
    read: impl FnOnce(&Map<String, Value>, &mut Problems) -> T,
) -> Result<T, Unread<T>> {
    let value: Value = match without_mark(bytes) {
        [] => return Err(missing().into()),
        bytes => json(bytes)?,
    };
    collected(|problems| match &value {
        Value::Object(fields) => Some(read(fields, problems)),
        _ => {
            problems.add(&At::Root, "deve ser um objeto JSON, entre { e }.");
            None
        }
    })
}

/// Reads the pairs of a query whose parameters only a description knows.
pub fn query_by<T>(
    pairs: impl Iterator<Item = (String, String)>,
    read: impl FnOnce(&Map<String, Value>, &mut Problems) -> T,
) -> Result<T, Problems> {
    let fields = first_of_each(pairs);
    collected(|problems| Some(read(&fields, problems))).map_err(|unread| unread.problems)
}

/// Reads a body that is a list. Its items are told by the name that the list has wherever it stands in a record.
pub fn list_body<T: Read>(name: &str, bytes: &[u8]) -> Result<Vec<T>, Unread<Vec<T>>> {
    let value: Value = match without_mark(bytes) {
        [] => return Err(missing().into()),
        bytes => json(bytes)?,
    };
    let at = At::Field(&At::Root, name);
    collected(|problems| Vec::read(&value, if value.is_array() { &at } else { &At::Root }, problems))
}

/// Reads a record from a body that may be absent. Nothing, blanks and `[]`, which is how some programs write an object
/// that is empty, are a record of which no field is given.
pub fn body_or_nothing<T: Record>(bytes: &[u8]) -> Result<T, Unread<T>> {
    let bytes = without_mark(bytes);
    let sent = if bytes.trim_ascii().is_empty() { None } else { Some(json(bytes)?) };
    let given = sent.filter(|value| value.as_array().is_none_or(|items| !items.is_empty()));
    let value = given.unwrap_or_else(|| Value::Object(Map::new()));
    collected(|problems| nested(&value, &At::Root, problems))
}

/// Reads a record from the pairs of a query. What comes twice counts as it came first.
pub fn query<T: Record>(pairs: impl Iterator<Item = (String, String)>) -> Result<T, Problems> {
    query_or_rest(pairs).map_err(|unread| unread.problems)
}

/// The same for whoever judges the rest.
pub fn query_or_rest<T: Record>(pairs: impl Iterator<Item = (String, String)>) -> Result<T, Unread<T>> {
    let fields = first_of_each(pairs);
    collected(|problems| T::read_fields(&fields, &At::Root, problems))
}

/// Reads a record whose fields were put together by whoever understood what came.
pub fn fields<T: Record>(fields: &Map<String, Value>) -> Result<T, Unread<T>> {
    collected(|problems| T::read_fields(fields, &At::Root, problems))
}

fn first_of_each(pairs: impl Iterator<Item = (String, String)>) -> Map<String, Value> {
    let mut fields = Map::new();
    // One that is empty is not given.
    for (name, text) in pairs.filter(|(_, text)| !text.trim().is_empty()) {
        fields.entry(name).or_insert(Value::String(text));
    }
    fields
}

/// Reads a code from a path. A program writes it there, so nothing around its digits is forgiven but their sign.
pub fn code<T: Read>(name: &str, text: &str) -> Result<T, Problems> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = if is_number { Value::String(text.to_owned()) } else { Value::Null };
    collected(|problems| T::read(&value, &At::Field(&At::Root, name), problems))
        .map_err(|unread| unread.problems)
}

/// A code from the path and what came in the body, or the problems of both.
pub fn both<A, B>(code: Result<A, Problems>, body: Result<B, Unread<B>>) -> Result<(A, B), Unread<(A, B)>> {
    match (code, body) {
        (Ok(code), Ok(body)) => Ok((code, body)),
        (Ok(code), Err(Unread { problems, rest })) => {
            Err(Unread { problems, rest: rest.map(|rest| Box::new((code, *rest))) })
        }
        (Err(problems), Ok(_)) => Err(problems.into()),
        (Err(mut problems), Err(others)) => {
            problems.join(others.problems);
            Err(problems.into())
        }
    }
}

fn missing() -> Problems {
    let mut problems = Problems::default();
    problems.push("Falta o corpo do pedido: envie-o em JSON.".to_owned());
    problems
}

/// A byte-order mark says nothing in UTF-8, and some programs send one.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn json(bytes: &[u8]) -> Result<Value, Problems> {
    serde_json::from_slice(bytes).map_err(|error| {
        let mut problems = Problems::default();
        let (line, column) = (error.line(), error.column());
        problems.add(&At::Root, format!("não é JSON válido (linha {line}, coluna {column})."));
        problems
    })
}

/// The value, unless a problem was told on the way to it.
fn collected<T>(read: impl FnOnce(&mut Problems) -> Option<T>) -> Result<T, Unread<T>> {
    let mut problems = Problems::default();
    let value = read(&mut problems);
    match value {
        Some(value) if problems.lines.is_empty() => Ok(value),
        rest => Err(Unread { problems, rest: rest.map(Box::new) }),
    }
}
