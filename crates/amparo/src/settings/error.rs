//! Why settings are refused: one sentence for the administrator, with the key, the origin and the remedy.

use super::layers::{EffectiveEntry, ValueOrigin};
use super::list::SettingDefinition;
use super::{kind, secrets};

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("O arquivo de configuração {path}, indicado pela {origin}, não existe.")]
    FileMissing { path: String, origin: ValueOrigin },
    #[error("Não foi possível ler o arquivo de configuração {path}: {error}.")]
    FileUnreadable { path: String, error: std::io::Error },
    #[error("O arquivo de configuração {path} não é um TOML válido na linha {line} ({detail}).")]
    FileMalformed { path: String, line: usize, detail: String },
    #[error("O {origin} tem a chave desconhecida {key}; {}.", suggest_known_key(.suggestion.as_deref()))]
    UnknownKey { key: String, origin: ValueOrigin, suggestion: Option<String> },
    #[error("O valor \"{value}\" não serve para {key} ({origin}): use {allowed}.")]
    Value { key: String, origin: ValueOrigin, value: String, allowed: String },
    #[error("No {origin}, {section} precisa ser uma seção: escreva [{section}] e, abaixo, as suas chaves.")]
    NoSection { section: String, origin: ValueOrigin },
}

fn suggest_known_key(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(
        || "a ajuda (`amparo --help`) mostra todas as que existem".to_owned(),
        |key| format!("talvez você quisesse escrever {key}"),
    )
}

impl SettingsError {
    /// Secrets in the given value are hidden.
    pub fn from_bad_value(
        setting: &SettingDefinition,
        origin: ValueOrigin,
        value: &str,
        allowed: &str,
    ) -> SettingsError {
        SettingsError::Value {
            key: setting.key.clone(),
            value: secrets::redact_text(setting, value),
            origin,
            allowed: allowed.to_owned(),
        }
    }

    /// A value of the right type that is not allowed.
    pub fn from_refused_entry(entry: &EffectiveEntry, allowed: String) -> SettingsError {
        SettingsError::from_bad_value(
            entry.setting,
            entry.origin.clone(),
            &kind::format_value(&entry.value),
            &allowed,
        )
    }
}
