//! Redaction of secret values and of passwords inside addresses. In doubt, more is hidden.

use super::list::SettingDefinition;
use toml_edit::{Array, Value};

const HIDDEN: &str = "***";
const PASSWORD_PARAMETER: &str = "password=";

/// The value as it may be printed.
pub fn redact_value(setting: &SettingDefinition, value: &Value) -> Value {
    let empty = value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Array::is_empty);
    if setting.secret && !empty {
        return Value::from(HIDDEN);
    }
    match value {
        Value::String(text) => Value::from(hide_password(text.value())),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(hide_password).collect(),
        other => other.clone(),
    }
}

/// Whether a part of the value is hidden when printed.
pub fn has_secret(setting: &SettingDefinition, value: &Value) -> bool {
    redact_value(setting, value).to_string().trim() != value.to_string().trim()
}

/// The text as it may appear in an error, on one line.
pub fn redact_text(setting: &SettingDefinition, text: &str) -> String {
    if setting.secret {
        return HIDDEN.to_owned();
    }
    hide_password(text).replace(char::is_control, " ")
}

/// Hides the password of an address (`postgres://user:password@host`) and of every `password=` in it.
fn hide_password(text: &str) -> String {
    hide_parameter(&hide_user_password(text))
}

/// The engine ends the password at the first `@`. An unencoded password may contain more of them, so everything up to
/// the last one before the parameters is hidden.
fn hide_user_password(text: &str) -> String {
    // A mistyped address without `://` may still contain a password. A file path has none.
    if text.starts_with("sqlite:") {
        return text.to_owned();
    }
    let parts = || {
        let start = text.find("://").map_or(0, |at| at + 3);
        let first = start + text[start..].find('@')?;
        let end = text[first..].find('?').map_or(text.len(), |at| first + at);
        let last = first + text[first..end].rfind('@')?;
        let colon = start + text[start..last].find(':')?;
        Some((&text[..=colon], &text[last..]))
    };
    parts().map_or_else(|| text.to_owned(), |(before, after)| format!("{before}{HIDDEN}{after}"))
}

fn hide_parameter(text: &str) -> String {
    let hide = |part: &str| match part.to_ascii_lowercase().find(PASSWORD_PARAMETER) {
        Some(at) => format!("{}{HIDDEN}", &part[..at + PASSWORD_PARAMETER.len()]),
        None => part.to_owned(),
    };
    text.split('&').map(hide).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::list;

    #[test]
    fn the_password_of_an_address_is_hidden() {
        for (text, hidden) in [
            ("postgres://ana:senha@host/base", "postgres://ana:***@host/base"),
            ("postgresql://ana:se:nha@host:5432/base?a=b", "postgresql://ana:***@host:5432/base?a=b"),
            ("postgres://ana:s@e/n@host/base", "postgres://ana:***@host/base"),
            ("postgres://ana:se?nha@host/base?x=y@z", "postgres://ana:***@host/base?x=y@z"),
            ("postgres://ana@host/base?password=senha&x=y", "postgres://ana@host/base?password=***&x=y"),
            ("postgres:///base?host=h&Password=senha", "postgres:///base?host=h&Password=***"),
            ("postgres://a:um@host/b?password=dois", "postgres://a:***@host/b?password=***"),
            ("host=h password=senha user=ana", "host=h password=***"),
            ("postgres//ana:senha@host/base", "postgres//ana:***@host/base"),
            ("ana:senha@host", "ana:***@host"),
            ("postgres:/ana:senha@host/base", "postgres:***@host/base"),
        ] {
            assert_eq!(hide_password(text), hidden);
        }
    }

    #[test]
    fn an_address_without_password_stays() {
        for text in [
            "sqlite:amparo-data/amparo.db",
            "sqlite:a@b.db",
            "postgres://host:5432/base",
            "postgres://ana@host/base",
            "a@b:c",
        ] {
            assert_eq!(hide_password(text), text);
        }
    }

    #[test]
    fn a_marked_value_is_hidden_unless_empty() {
        let settings =
            list::parse_definitions("# (secreto)\nword = \"\"\n# (secreto)\nnumber = 1\nopen = \"\"\n");
        assert_eq!(redact_value(&settings[0], &Value::from("senha")).as_str(), Some("***"));
        assert_eq!(redact_value(&settings[0], &Value::from("")).as_str(), Some(""));
        assert_eq!(redact_value(&settings[1], &Value::from(7)).as_str(), Some("***"));
        assert_eq!(redact_value(&settings[2], &Value::from("aberto")).as_str(), Some("aberto"));
        assert!(
            has_secret(&settings[0], &Value::from("senha")) && !has_secret(&settings[0], &Value::from(""))
        );
        assert!(has_secret(&settings[2], &Value::from("postgres://ana:senha@host/base")));
        assert!(!has_secret(&settings[2], &Value::from("postgres://ana@host/base")));
        assert_eq!(redact_text(&settings[0], "senha"), "***");
        assert_eq!(redact_text(&settings[2], "a\nb"), "a b");
    }
}
