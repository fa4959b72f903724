//! How each type of value is read, and what its schema says.

use super::{At, Problems, Read};
use crate::{names, refusal};
use domain::{BranchCode, Email, Field, Name, Rejection, Role};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

/// The text, without the blanks around it. Control characters are in no text that people type.
fn text<'v>(value: &'v Value, at: &At<'_>, problems: &mut Problems) -> Option<&'v str> {
    match value {
        Value::String(text) if text.contains('\0') => {
            problems.add(at, "há um caractere nulo no texto; digite-o de novo.");
            None
        }
        Value::String(text) => Some(text.trim()),
        _ => {
            problems.add(at, "deve ser um texto, entre aspas.");
            None
        }
    }
}

/// A value of `domain`, by its own `parse`.
fn parsed<T>(
    value: &Value,
    at: &At<'_>,
    problems: &mut Problems,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Option<T> {
    let text = text(value, at, problems)?;
    parse(text).map_err(|rejection| problems.add(at, refusal::sentence(&rejection))).ok()
}

/// More than any list of the interface holds in earnest.
const LONGEST_LIST: usize = 1000;

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

impl Read for String {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<String> {
        text(value, at, problems).map(str::to_owned)
    }

    fn schema() -> RefOr<Schema> {
        string().build().into()
    }
}

impl Read for bool {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<bool> {
        let read = value.as_bool().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
        if read.is_none() {
            problems.add(at, "deve ser true ou false.");
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Boolean).build().into()
    }
}

impl Read for i32 {
    /// Digits in quotes count as the number they are: some programs keep codes as texts.
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<i32> {
        let read = match value {
            Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        if read.is_none() {
            problems.add(at, "deve ser um número inteiro, de -2147483648 a 2147483647.");
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        let int32 = SchemaFormat::KnownFormat(KnownFormat::Int32);
        ObjectBuilder::new().schema_type(Type::Integer).format(Some(int32)).build().into()
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Vec<T>> {
        let Value::Array(items) = value else {
            problems.add(at, "deve ser uma lista, entre [ e ].");
            return None;
        };
        if items.len() > LONGEST_LIST {
            problems.add(at, format!("use no máximo {LONGEST_LIST} itens."));
            return None;
        }
        // Every item is looked at, also behind a wrong one.
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(number, item)| T::read(item, &At::Item(at, number), problems))
            .collect();
        read.into_iter().collect()
    }

    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(T::schema()).build().into()
    }
}

impl Read for BranchCode {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<BranchCode> {
        i32::read(value, at, problems).map(BranchCode::new)
    }

    fn schema() -> RefOr<Schema> {
        i32::schema()
    }
}

impl Read for Name {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Name> {
        parsed(value, at, problems, |text| Name::parse(Field::Name, text))
    }

    fn schema() -> RefOr<Schema> {
        string().min_length(Some(1)).max_length(Some(Name::LONGEST)).build().into()
    }
}

impl Read for Email {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Email> {
        parsed(value, at, problems, Email::parse)
    }

    fn schema() -> RefOr<Schema> {
        let email = SchemaFormat::KnownFormat(KnownFormat::Email);
        string().format(Some(email)).max_length(Some(254)).build().into()
    }
}

impl Read for Role {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Role> {
        let text = text(value, at, problems)?;
        let role = names::role_from(text);
        if role.is_none() {
            problems.add(at, one_of(text, Role::ALL.map(names::role)));
        }
        role
    }

    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(Role::ALL.map(names::role))).build().into()
    }
}

/// What a value that is none of a fixed set is told.
fn one_of<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    let allowed: Vec<&str> = allowed.into_iter().collect();
    format!("\"{given}\" não é um valor aceito; use {}.", listed(&allowed))
}

/// `a, b ou c`
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} ou {last}", most.join(", ")),
    }
}
