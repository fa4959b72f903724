//! The types of settings. The default value of a setting determines its type.

use toml_edit::{Array, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    Integer,
    Boolean,
    List,
}

impl ValueKind {
    pub fn from_value(value: &Value) -> Option<ValueKind> {
        match value {
            Value::String(_) => Some(ValueKind::Text),
            Value::Integer(_) => Some(ValueKind::Integer),
            Value::Boolean(_) => Some(ValueKind::Boolean),
            Value::Array(_) => Some(ValueKind::List),
            Value::Float(_) | Value::Datetime(_) | Value::InlineTable(_) => None,
        }
    }

    /// What the TOML file may contain.
    pub fn allowed_in_file(self) -> &'static str {
        match self {
            ValueKind::Text => "um texto entre aspas",
            ValueKind::Integer => "um número inteiro, sem aspas",
            ValueKind::Boolean => "true ou false, sem aspas",
            ValueKind::List => "uma lista de textos, como [\"um\", \"dois\"]",
        }
    }

    /// What a variable or flag may contain.
    pub fn allowed_as_text(self) -> &'static str {
        match self {
            ValueKind::Text => "um texto",
            ValueKind::Integer => "um número inteiro",
            ValueKind::Boolean => "true ou false",
            ValueKind::List => "textos separados por vírgula",
        }
    }

    /// The placeholder in the help of a flag.
    pub fn placeholder(self) -> &'static str {
        match self {
            ValueKind::Text => "TEXTO",
            ValueKind::Integer => "NÚMERO",
            ValueKind::Boolean => "true|false",
            ValueKind::List => "LISTA",
        }
    }

    /// The value of a file without comments and formatting, so that all layers compare and print alike.
    pub fn normalize(self, value: &Value) -> Option<Value> {
        match self {
            ValueKind::Text => value.as_str().map(Value::from),
            ValueKind::Integer => value.as_integer().map(Value::from),
            ValueKind::Boolean => value.as_bool().map(Value::from),
            ValueKind::List => {
                let texts: Option<Array> = value.as_array()?.iter().map(Value::as_str).collect();
                texts.map(Value::from)
            }
        }
    }

    /// Parses the value of a variable or a flag.
    pub fn parse(self, text: &str) -> Option<Value> {
        match self {
            ValueKind::Text => Some(Value::from(text)),
            ValueKind::Integer => text.trim().parse::<i64>().ok().map(Value::from),
            ValueKind::Boolean => text.trim().parse::<bool>().ok().map(Value::from),
            ValueKind::List => {
                let texts: Array = text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
                Some(Value::from(texts))
            }
        }
    }
}

/// The value as a variable or flag would spell it: a text without quotes, a list with commas.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().clone(),
        Value::Array(list) => list.iter().map(format_value).collect::<Vec<_>>().join(", "),
        other => other.to_string().trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn a_value_of_the_file_is_taken_only_with_its_own_type() {
        assert_eq!(ValueKind::Text.normalize(&parsed("'a'")).unwrap().to_string(), "\"a\"");
        assert_eq!(ValueKind::Integer.normalize(&parsed("0x10")).unwrap().to_string(), "16");
        assert_eq!(
            ValueKind::List.normalize(&parsed("['a', # b\n'c',]")).unwrap().to_string(),
            "[\"a\", \"c\"]"
        );
        assert!(ValueKind::Text.normalize(&parsed("8080")).is_none());
        assert!(ValueKind::Integer.normalize(&parsed("1.5")).is_none());
        assert!(ValueKind::Boolean.normalize(&parsed("'true'")).is_none());
        assert!(ValueKind::List.normalize(&parsed("['a', 1]")).is_none());
    }

    #[test]
    fn a_text_becomes_the_type_of_its_setting() {
        assert_eq!(ValueKind::Text.parse(" a ").unwrap().as_str(), Some(" a "));
        assert_eq!(ValueKind::Integer.parse(" 8 ").unwrap().as_integer(), Some(8));
        assert_eq!(ValueKind::Boolean.parse("false").unwrap().as_bool(), Some(false));
        assert_eq!(ValueKind::List.parse("a, b,").unwrap().to_string(), "[\"a\", \"b\"]");
        assert!(ValueKind::Integer.parse("oito").is_none());
        assert!(ValueKind::Boolean.parse("talvez").is_none());
    }
}
