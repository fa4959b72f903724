//! The types a setting may have. The default value of a setting says which is its own.

use toml_edit::{Array, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Integer,
    Boolean,
    List,
}

impl Kind {
    pub fn of(value: &Value) -> Option<Kind> {
        match value {
            Value::String(_) => Some(Kind::Text),
            Value::Integer(_) => Some(Kind::Integer),
            Value::Boolean(_) => Some(Kind::Boolean),
            Value::Array(_) => Some(Kind::List),
            Value::Float(_) | Value::Datetime(_) | Value::InlineTable(_) => None,
        }
    }

    /// What is allowed in the TOML file.
    pub fn allowed_in_file(self) -> &'static str {
        match self {
            Kind::Text => "um texto entre aspas",
            Kind::Integer => "um número inteiro, sem aspas",
            Kind::Boolean => "true ou false, sem aspas",
            Kind::List => "uma lista de textos, como [\"um\", \"dois\"]",
        }
    }

    /// What is allowed in a variable or a flag.
    pub fn allowed_as_text(self) -> &'static str {
        match self {
            Kind::Text => "um texto",
            Kind::Integer => "um número inteiro",
            Kind::Boolean => "true ou false",
            Kind::List => "textos separados por vírgula",
        }
    }

    /// The word for a value in the help of a flag.
    pub fn placeholder(self) -> &'static str {
        match self {
            Kind::Text => "TEXTO",
            Kind::Integer => "NÚMERO",
            Kind::Boolean => "true|false",
            Kind::List => "LISTA",
        }
    }

    /// The value of a file without its comments and spelling, so that all layers compare and print alike.
    pub fn take(self, value: &Value) -> Option<Value> {
        match self {
            Kind::Text => value.as_str().map(Value::from),
            Kind::Integer => value.as_integer().map(Value::from),
            Kind::Boolean => value.as_bool().map(Value::from),
            Kind::List => {
                let texts: Option<Array> = value.as_array()?.iter().map(Value::as_str).collect();
                texts.map(Value::from)
            }
        }
    }

    /// The value of a variable or a flag.
    pub fn parse(self, text: &str) -> Option<Value> {
        match self {
            Kind::Text => Some(Value::from(text)),
            Kind::Integer => text.trim().parse::<i64>().ok().map(Value::from),
            Kind::Boolean => text.trim().parse::<bool>().ok().map(Value::from),
            Kind::List => {
                let texts: Array = text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
                Some(Value::from(texts))
            }
        }
    }
}

/// The value as a variable or a flag would spell it: a text without its quotes, a list with commas.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
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
        assert_eq!(Kind::Text.take(&parsed("'a'")).unwrap().to_string(), "\"a\"");
        assert_eq!(Kind::Integer.take(&parsed("0x10")).unwrap().to_string(), "16");
        assert_eq!(Kind::List.take(&parsed("['a', # b\n'c',]")).unwrap().to_string(), "[\"a\", \"c\"]");
        assert!(Kind::Text.take(&parsed("8080")).is_none());
        assert!(Kind::Integer.take(&parsed("1.5")).is_none());
        assert!(Kind::Boolean.take(&parsed("'true'")).is_none());
        assert!(Kind::List.take(&parsed("['a', 1]")).is_none());
    }

    #[test]
    fn a_text_becomes_the_type_of_its_setting() {
        assert_eq!(Kind::Text.parse(" a ").unwrap().as_str(), Some(" a "));
        assert_eq!(Kind::Integer.parse(" 8 ").unwrap().as_integer(), Some(8));
        assert_eq!(Kind::Boolean.parse("false").unwrap().as_bool(), Some(false));
        assert_eq!(Kind::List.parse("a, b,").unwrap().to_string(), "[\"a\", \"b\"]");
        assert!(Kind::Integer.parse("oito").is_none());
        assert!(Kind::Boolean.parse("talvez").is_none());
    }
}
