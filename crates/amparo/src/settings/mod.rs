//! The settings: each by flag, by environment and by one TOML file, over the defaults of `config.default.toml`.
//!
//! # Adding a setting
//! 1. Write it in `config.default.toml`, with its comment and its default: its flag, variable and help follow.
//! 2. Give it a field in `sections.rs` (or [`Settings`]) and read it there, with what is allowed.

mod duration;
mod error;
mod file;
mod files;
mod flags;
mod kind;
mod layers;
mod list;
mod nearest;
mod secrets;
mod sections;
#[cfg(test)]
mod tests;

pub use duration::parse as parse_duration;
pub use error::SettingsError;
pub use files::{Bucket, FilePlace, FileSettings};
pub use flags::arguments;
pub use sections::{
    AccessSettings, HousekeepingSettings, HttpSettings, LogFormat, MailSettings, StorageSettings,
    TlsSettings, TriggerSettings,
};

use layers::Effective;
use std::fmt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "AMPARO_";
const CONFIG_VARIABLE: &str = "AMPARO_CONFIG";
/// Read elsewhere, and not settings of the server.
pub const DEMO_PASSWORD_VARIABLE: &str = "AMPARO_DEMO_PASSWORD";
/// The password of the server that `amparo mirror` reads.
pub const MIRROR_PASSWORD_VARIABLE: &str = "AMPARO_MIRROR_PASSWORD";
const TEST_PREFIX: &str = "AMPARO_TEST_";

pub struct Settings {
    pub listen: String,
    /// May carry a password: show [`Settings::print`] or `storage::Address` instead.
    pub database: String,
    /// `None`: `amparo.key` in the folder of the database.
    pub key_file: Option<PathBuf>,
    /// `None`: `http://` and the address of `listen`.
    pub public_url: Option<String>,
    pub log: LogFormat,
    pub log_level: String,
    pub http: HttpSettings,
    pub tls: TlsSettings,
    pub access: AccessSettings,
    pub storage: StorageSettings,
    pub mail: MailSettings,
    pub triggers: TriggerSettings,
    pub files: FileSettings,
    pub housekeeping: HousekeepingSettings,
    effective: Effective,
}

impl Settings {
    /// The settings of a command that went through [`arguments`].
    pub fn load(
        matches: &clap::ArgMatches,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, SettingsError> {
        Settings::load_in(Path::new(""), matches, env)
    }

    fn load_in(
        folder: &Path,
        matches: &clap::ArgMatches,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, SettingsError> {
        // An empty variable is how many tools write "not given".
        let env = |name: &str| env(name).filter(|text| !text.is_empty());
        let file = file::find(folder, matches, env)?;
        Settings::from_effective(Effective::merge(list::all(), file.as_ref(), env, matches)?)
    }

    fn from_effective(effective: Effective) -> Result<Settings, SettingsError> {
        Ok(Settings {
            listen: effective.filled("listen")?,
            database: sections::database(&effective)?,
            key_file: effective.path("key_file"),
            public_url: sections::public_url(&effective)?,
            log: LogFormat::read(&effective)?,
            log_level: sections::log_level(&effective)?,
            http: HttpSettings::read(&effective)?,
            tls: TlsSettings::read(&effective)?,
            access: AccessSettings::read(&effective)?,
            storage: StorageSettings::read(&effective)?,
            mail: MailSettings::read(&effective)?,
            triggers: TriggerSettings::read(&effective)?,
            files: FileSettings::read(&effective)?,
            housekeeping: HousekeepingSettings::read(&effective)?,
            effective,
        })
    }

    /// All values in force and where each came from, as TOML with the secrets hidden.
    pub fn print(&self) -> String {
        self.effective.print()
    }

    /// The settings whose secrets were given on the command line, where the process list shows them to every user of the
    /// machine: the flag, and the variable to use instead.
    pub fn secrets_on_command_line(&self) -> Vec<(&'static str, &'static str)> {
        let shown = self.effective.entries().filter(|entry| matches!(entry.origin, layers::Origin::Flag(_)));
        let secret = shown.filter(|entry| secrets::holds_secret(entry.setting, &entry.value));
        secret.map(|entry| (entry.setting.flag.as_str(), entry.setting.variable.as_str())).collect()
    }

    /// The variables that look like settings and are none: probably misspelt, and worth a warning.
    pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
        names.filter(|name| is_unknown_variable(name)).collect()
    }
}

fn is_unknown_variable(name: &str) -> bool {
    name.starts_with(PREFIX)
        && !name.starts_with(TEST_PREFIX)
        && ![CONFIG_VARIABLE, DEMO_PASSWORD_VARIABLE, MIRROR_PASSWORD_VARIABLE].contains(&name)
        && list::all().iter().all(|setting| setting.variable != name)
}

/// Without the secrets, so that it may stand in a log or a message.
impl fmt::Debug for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.print())
    }
}
