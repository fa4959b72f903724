//! The administrator's TOML file: finding it and reading its values.

use super::error::SettingsError;
use super::layers::ValueOrigin;
use super::list::SettingDefinition;
use super::{CONFIG_VARIABLE, flags, kind, nearest};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, TableLike, Value};

/// Used if no file is named.
pub const USUAL: &str = "amparo.toml";

pub struct ConfigFile {
    path: PathBuf,
    document: Document<String>,
}

/// The named file, which must exist, or the default one, which may be missing.
pub fn find_config_file(
    folder: &Path,
    matches: &clap::ArgMatches,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Option<ConfigFile>, SettingsError> {
    let by_flag = matches.get_one::<PathBuf>(flags::CONFIG).cloned();
    let by_flag = by_flag.map(|path| (path, ValueOrigin::Flag(flags::CONFIG.to_owned())));
    let by_variable =
        || Some((env(CONFIG_VARIABLE)?.into(), ValueOrigin::Variable(CONFIG_VARIABLE.to_owned())));
    match by_flag.or_else(by_variable) {
        Some((path, origin)) => {
            let path = folder.join(path);
            let missing = SettingsError::FileMissing { path: path.display().to_string(), origin };
            ConfigFile::open(path)?.map_or(Err(missing), |file| Ok(Some(file)))
        }
        None => ConfigFile::open(folder.join(USUAL)),
    }
}

impl ConfigFile {
    fn open(path: PathBuf) -> Result<Option<ConfigFile>, SettingsError> {
        match std::fs::read_to_string(&path) {
            Ok(text) => ConfigFile::parse(path, text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SettingsError::FileUnreadable { path: path.display().to_string(), error }),
        }
    }

    fn parse(path: PathBuf, text: String) -> Result<ConfigFile, SettingsError> {
        match Document::parse(text.clone()) {
            Ok(document) => Ok(ConfigFile { path, document }),
            // The error's own Display quotes the line, which may hold a password.
            Err(error) => Err(SettingsError::FileMalformed {
                path: path.display().to_string(),
                line: find_line_number(&text, error.span().map_or(0, |span| span.start)),
                detail: error.message().replace(char::is_control, " "),
            }),
        }
    }

    pub fn origin(&self) -> ValueOrigin {
        ValueOrigin::from_file(&self.path)
    }

    /// The values of the file, after checking that every key is known and of the right type.
    pub fn read_values(
        &self,
        settings: &'static [SettingDefinition],
    ) -> Result<Vec<(&'static SettingDefinition, Value)>, SettingsError> {
        let mut values = Vec::new();
        for (name, item) in self.document.iter() {
            if settings.iter().any(|setting| setting.section.as_deref() == Some(name)) {
                let Some(section) = item.as_table_like() else {
                    return Err(SettingsError::NoSection { section: name.to_owned(), origin: self.origin() });
                };
                for (inner, item) in section.iter() {
                    values.push(self.read_value(settings, &format!("{name}.{inner}"), item)?);
                }
            } else {
                values.push(self.read_value(settings, name, item)?);
            }
        }
        Ok(values)
    }

    fn read_value(
        &self,
        settings: &'static [SettingDefinition],
        key: &str,
        item: &Item,
    ) -> Result<(&'static SettingDefinition, Value), SettingsError> {
        let Some(setting) = settings.iter().find(|setting| setting.key == key) else {
            return Err(self.report_unknown_key(settings, key, item));
        };
        match item.as_value().and_then(|value| setting.kind.normalize(value)) {
            Some(value) => Ok((setting, value)),
            None => Err(SettingsError::from_bad_value(
                setting,
                self.origin(),
                &item.as_value().map_or("[seção]".to_owned(), kind::format_value),
                setting.kind.allowed_in_file(),
            )),
        }
    }

    /// Names the first key inside an unknown section: its path says more than the section alone.
    fn report_unknown_key(
        &self,
        settings: &'static [SettingDefinition],
        key: &str,
        item: &Item,
    ) -> SettingsError {
        let inner = item.as_table_like().and_then(find_first_key);
        let key = inner.map_or_else(|| key.to_owned(), |inner| format!("{key}.{inner}"));
        let known = settings.iter().map(|setting| setting.key.as_str());
        let suggestion = nearest::find_nearest_name(&key, known).map(str::to_owned);
        SettingsError::UnknownKey { key, origin: self.origin(), suggestion }
    }
}

fn find_first_key(table: &dyn TableLike) -> Option<String> {
    table.iter().next().map(|(name, _)| name.to_owned())
}

fn find_line_number(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
