//! The layers of settings: default, file, environment, flag. Each effective value knows its origin. An empty variable
//! counts as not given (`mod.rs`).

use super::error::SettingsError;
use super::file::ConfigFile;
use super::list::SettingDefinition;
use super::{duration, flags, secrets};
use std::fmt;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml_edit::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    Default,
    File(String),
    Variable(String),
    Flag(String),
}

impl ValueOrigin {
    /// On one line, because it is printed in a TOML comment.
    pub fn from_file(path: &Path) -> ValueOrigin {
        ValueOrigin::File(path.display().to_string().replace(char::is_control, "?"))
    }
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Default => write!(out, "padrão"),
            ValueOrigin::File(path) => write!(out, "arquivo {path}"),
            ValueOrigin::Variable(name) => write!(out, "variável {name}"),
            ValueOrigin::Flag(name) => write!(out, "opção --{name}"),
        }
    }
}

pub struct EffectiveEntry {
    pub setting: &'static SettingDefinition,
    pub value: Value,
    pub origin: ValueOrigin,
}

/// One entry for every setting, in the order of `config.default.toml`.
pub struct EffectiveSettings(Vec<EffectiveEntry>);

impl EffectiveSettings {
    pub fn merge(
        settings: &'static [SettingDefinition],
        file: Option<&ConfigFile>,
        env: impl Fn(&str) -> Option<String>,
        matches: &clap::ArgMatches,
    ) -> Result<EffectiveSettings, SettingsError> {
        let values = file.map(|file| file.read_values(settings)).transpose()?.unwrap_or_default();
        let entry = |setting: &'static SettingDefinition| {
            if let Some(text) = flags::find_given_text(matches, setting) {
                return parse_entry(setting, &text, ValueOrigin::Flag(setting.flag.clone()));
            }
            if let Some(text) = env(&setting.variable) {
                return parse_entry(setting, &text, ValueOrigin::Variable(setting.variable.clone()));
            }
            let of_file = values.iter().find(|(known, _)| known.key == setting.key);
            let (value, origin) = match (of_file, file) {
                (Some((_, value)), Some(file)) => (value.clone(), file.origin()),
                _ => (setting.default.clone(), ValueOrigin::Default),
            };
            Ok(EffectiveEntry { setting, value, origin })
        };
        settings
            .iter()
            .map(entry)
            .collect::<Result<Vec<EffectiveEntry>, SettingsError>>()
            .map(EffectiveSettings)
    }

    pub fn render_toml(&self) -> String {
        let mut out = String::new();
        let mut section = None;
        for EffectiveEntry { setting, value, origin } in &self.0 {
            if setting.section.as_deref() != section {
                section = setting.section.as_deref();
                let _ = writeln!(out, "\n[{}]", section.unwrap_or_default());
            }
            let _ = writeln!(out, "{} = {} # {origin}", setting.name, secrets::redact_value(setting, value));
        }
        out
    }

    pub fn entries(&self) -> impl Iterator<Item = &EffectiveEntry> {
        self.0.iter()
    }

    pub fn entry(&self, key: &str) -> &EffectiveEntry {
        self.0.iter().find(|entry| entry.setting.key == key).expect("config.default.toml has every key")
    }

    pub fn text(&self, key: &str) -> &str {
        self.entry(key).value.as_str().expect("config.default.toml says that it is a text")
    }

    pub fn required_text(&self, key: &str) -> Result<String, SettingsError> {
        match self.text(key) {
            "" => Err(self.refuse(key, "um texto que não seja vazio")),
            text => Ok(text.to_owned()),
        }
    }

    pub fn boolean(&self, key: &str) -> bool {
        self.entry(key).value.as_bool().expect("config.default.toml says that it is true or false")
    }

    pub fn list(&self, key: &str) -> Vec<&str> {
        let list = self.entry(key).value.as_array().expect("config.default.toml says that it is a list");
        list.iter().filter_map(Value::as_str).collect()
    }

    /// An empty text means no file.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(PathBuf::from)
    }

    pub fn duration(&self, key: &str) -> Result<Duration, SettingsError> {
        duration::parse_duration(self.text(key)).ok_or_else(|| self.refuse(key, duration::ALLOWED))
    }

    /// `0s` means never.
    pub fn optional_duration(&self, key: &str) -> Result<Option<Duration>, SettingsError> {
        match self.text(key) {
            "0s" => Ok(None),
            text => match duration::parse_duration(text) {
                Some(duration) => Ok(Some(duration)),
                None => Err(self.refuse(key, format!("0s para desligar, ou {}", duration::ALLOWED))),
            },
        }
    }

    pub fn integer<T: TryFrom<i64>>(
        &self,
        key: &str,
        range: RangeInclusive<i64>,
    ) -> Result<T, SettingsError> {
        let number = self.entry(key).value.as_integer().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            self.refuse(key, format!("um número inteiro de {} a {}", range.start(), range.end()))
        })
    }

    pub fn refuse(&self, key: &str, allowed: impl Into<String>) -> SettingsError {
        SettingsError::from_refused_entry(self.entry(key), allowed.into())
    }
}

fn parse_entry(
    setting: &'static SettingDefinition,
    text: &str,
    origin: ValueOrigin,
) -> Result<EffectiveEntry, SettingsError> {
    match setting.kind.parse(text) {
        Some(value) => Ok(EffectiveEntry { setting, value, origin }),
        None => Err(SettingsError::from_bad_value(setting, origin, text, setting.kind.allowed_as_text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::list;

    #[test]
    fn booleans_lists_and_secrets_go_through_the_layers() {
        let settings: &'static [SettingDefinition] = list::parse_definitions(
            "open = false\nhosts = []\n[mail]\n# (secreto)\npassword = \"\"\n# (secreto)\ntoken = \"\"\nfast = true\n",
        )
        .leak();
        let command = flags::add_flags(settings, clap::Command::new("amparo"));
        let matches = command.try_get_matches_from(["amparo", "--open", "--mail-fast=false"]).unwrap();
        let env = |name: &str| match name {
            "AMPARO_HOSTS" => Some("a,b".to_owned()),
            "AMPARO_MAIL_PASSWORD" => Some("segredo".to_owned()),
            _ => None,
        };
        let effective = EffectiveSettings::merge(settings, None, env, &matches).unwrap();
        assert_eq!(
            effective.render_toml(),
            "open = true # opção --open\nhosts = [\"a\", \"b\"] # variável AMPARO_HOSTS\n\n\
             [mail]\npassword = \"***\" # variável AMPARO_MAIL_PASSWORD\ntoken = \"\" # padrão\n\
             fast = false # opção --mail-fast\n"
        );
    }

    #[test]
    fn an_origin_stays_on_one_line() {
        assert_eq!(ValueOrigin::from_file(Path::new("a\nb.toml")).to_string(), "arquivo a?b.toml");
    }
}
