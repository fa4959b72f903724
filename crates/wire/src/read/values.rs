//! Readers and schemas of plain values: texts, numbers, lists.

use super::{FieldPath, InputProblems, JsonInput};
use domain::BoundedText;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};

/// The trimmed text. Control characters are refused.
pub(super) fn read_text<'v>(
    value: &'v Value,
    at: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<&'v str> {
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

/// Longer than any real list of the API.
const LONGEST_LIST: usize = 1000;

pub(super) fn build_string_schema() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

impl JsonInput for String {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<String> {
        read_text(value, at, problems).map(str::to_owned)
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().build().into()
    }
}

impl JsonInput for bool {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<bool> {
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

impl JsonInput for i32 {
    /// Quoted digits count as a number: some programs store codes as texts.
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<i32> {
        let read = parse_whole_number(value);
        if read.is_none() {
            problems.add(at, "deve ser um número inteiro, de -2147483648 a 2147483647.");
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        build_int32_schema().build().into()
    }
}

fn parse_whole_number(value: &Value) -> Option<i32> {
    match value {
        Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn build_int32_schema() -> ObjectBuilder {
    let int32 = SchemaFormat::KnownFormat(KnownFormat::Int32);
    ObjectBuilder::new().schema_type(Type::Integer).format(Some(int32))
}

impl<T: JsonInput> JsonInput for Vec<T> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Vec<T>> {
        let Value::Array(items) = value else {
            problems.add(at, "deve ser uma lista, entre [ e ].");
            return None;
        };
        if items.len() > LONGEST_LIST {
            problems.add(at, format!("use no máximo {LONGEST_LIST} itens."));
            return None;
        }
        // Every item is read, even after an invalid one.
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(number, item)| T::read(item, &FieldPath::Item(at, number), problems))
            .collect();
        read.into_iter().collect()
    }

    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(T::schema()).build().into()
    }
}

/// An integer within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedInt<const LEAST: i32, const MOST: i32>(i32);

impl<const LEAST: i32, const MOST: i32> BoundedInt<LEAST, MOST> {
    pub fn get(self) -> i32 {
        self.0
    }
}

impl<const LEAST: i32, const MOST: i32> JsonInput for BoundedInt<LEAST, MOST> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self> {
        let read = parse_whole_number(value).filter(|number| (LEAST..=MOST).contains(number)).map(BoundedInt);
        if read.is_none() {
            problems.add(at, format!("deve ser um número inteiro, de {LEAST} a {MOST}."));
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        build_int32_schema().minimum(Some(LEAST)).maximum(Some(MOST)).build().into()
    }
}

/// A text that some programs store as a number: `"0042"` or `42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOrNumber<const LONGEST: usize>(BoundedText<LONGEST>);

impl<const LONGEST: usize> TextOrNumber<LONGEST> {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl<const LONGEST: usize> JsonInput for TextOrNumber<LONGEST> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self> {
        let read = match value {
            // The number's original text, to the last digit.
            Value::Number(number) => BoundedText::read(&Value::String(number.to_string()), at, problems),
            Value::String(_) => BoundedText::read(value, at, problems),
            _ => {
                problems.add(at, "deve ser um texto, entre aspas, ou um número.");
                None
            }
        };
        read.map(TextOrNumber)
    }

    fn schema() -> RefOr<Schema> {
        let types = SchemaType::from_iter([Type::String, Type::Number]);
        ObjectBuilder::new().schema_type(types).max_length(Some(LONGEST)).build().into()
    }
}

/// The value of an additional field; its register decides which variant is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScalarInput {
    Text(String),
    /// The number's original text, to the last digit.
    Number(String),
    Boolean(bool),
}

impl JsonInput for ScalarInput {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<ScalarInput> {
        match value {
            Value::Number(number) => Some(ScalarInput::Number(number.to_string())),
            Value::Bool(flag) => Some(ScalarInput::Boolean(*flag)),
            Value::String(_) => read_text(value, at, problems).map(|text| ScalarInput::Text(text.to_owned())),
            _ => {
                problems.add(at, "deve ser um texto, um número, true ou false.");
                None
            }
        }
    }

    fn schema() -> RefOr<Schema> {
        let types = SchemaType::from_iter([Type::String, Type::Number, Type::Boolean]);
        ObjectBuilder::new().schema_type(types).build().into()
    }
}
