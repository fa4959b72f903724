//! The settings: from flags, environment and one TOML file, over the defaults of `config.default.toml`.
//!
//! # Adding a setting
//! 1. Write it in `config.default.toml`, with its comment and its default: its flag, variable and help follow.
//! 2. Add a field in `sections.rs` (or [`ServerSettings`]), and read and validate it there.

mod backup_settings;
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

pub use backup_settings::BackupSettings;
pub use duration::parse_duration;
pub use error::SettingsError;
pub use files::{AttachmentSettings, BucketSettings, StoreKind};
pub use flags::add_settings_arguments;
pub use sections::{
    AccessSettings, HousekeepingSettings, HttpSettings, LogFormat, MailSettings, StorageSettings,
    TlsSettings, TriggerSettings,
};

use layers::EffectiveSettings;
use std::fmt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "AMPARO_";
const CONFIG_VARIABLE: &str = "AMPARO_CONFIG";
/// Not a setting of the server; read by the demo commands.
pub const DEMO_PASSWORD_VARIABLE: &str = "AMPARO_DEMO_PASSWORD";
/// The password for the server that `amparo mirror` reads.
pub const MIRROR_PASSWORD_VARIABLE: &str = "AMPARO_MIRROR_PASSWORD";
const TEST_PREFIX: &str = "AMPARO_TEST_";

pub struct ServerSettings {
    pub listen: String,
    /// May contain a password: display [`ServerSettings::render_toml`] or `storage::DatabaseAddress` instead.
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
    pub files: AttachmentSettings,
    pub backup: BackupSettings,
    pub housekeeping: HousekeepingSettings,
    effective: EffectiveSettings,
}

impl ServerSettings {
    /// Loads the settings for a command built with [`add_settings_arguments`].
    pub fn load(
        matches: &clap::ArgMatches,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<ServerSettings, SettingsError> {
        ServerSettings::load_in(Path::new(""), matches, env)
    }

    fn load_in(
        folder: &Path,
        matches: &clap::ArgMatches,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<ServerSettings, SettingsError> {
        // Many tools set an empty variable for "not given".
        let env = |name: &str| env(name).filter(|text| !text.is_empty());
        let file = file::find_config_file(folder, matches, env)?;
        ServerSettings::from_effective(EffectiveSettings::merge(
            list::list_definitions(),
            file.as_ref(),
            env,
            matches,
        )?)
    }

    fn from_effective(effective: EffectiveSettings) -> Result<ServerSettings, SettingsError> {
        Ok(ServerSettings {
            listen: effective.required_text("listen")?,
            database: sections::read_database_address(&effective)?,
            key_file: effective.path("key_file"),
            public_url: sections::read_public_url(&effective)?,
            log: LogFormat::read(&effective)?,
            log_level: sections::read_log_level(&effective)?,
            http: HttpSettings::read(&effective)?,
            tls: TlsSettings::read(&effective)?,
            access: AccessSettings::read(&effective)?,
            storage: StorageSettings::read(&effective)?,
            mail: MailSettings::read(&effective)?,
            triggers: TriggerSettings::read(&effective)?,
            files: AttachmentSettings::read(&effective)?,
            backup: BackupSettings::read(&effective)?,
            housekeeping: HousekeepingSettings::read(&effective)?,
            effective,
        })
    }

    /// All effective values with their origins, as TOML with the secrets hidden.
    pub fn render_toml(&self) -> String {
        self.effective.render_toml()
    }

    /// Secrets given on the command line, where the process list shows them to every user of the machine: the flag, and
    /// the variable to use instead.
    pub fn list_exposed_secrets(&self) -> Vec<(&'static str, &'static str)> {
        let from_flags =
            self.effective.entries().filter(|entry| matches!(entry.origin, layers::ValueOrigin::Flag(_)));
        let secret = from_flags.filter(|entry| secrets::has_secret(entry.setting, &entry.value));
        secret.map(|entry| (entry.setting.flag.as_str(), entry.setting.variable.as_str())).collect()
    }

    /// Variables that look like settings but are unknown: probably misspelt, and worth a warning.
    pub fn list_unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
        names.filter(|name| is_unknown_variable(name)).collect()
    }
}

fn is_unknown_variable(name: &str) -> bool {
    name.starts_with(PREFIX)
        && !name.starts_with(TEST_PREFIX)
        && ![CONFIG_VARIABLE, DEMO_PASSWORD_VARIABLE, MIRROR_PASSWORD_VARIABLE].contains(&name)
        && list::list_definitions().iter().all(|setting| setting.variable != name)
}

/// Hides the secrets, so that it may be logged.
impl fmt::Debug for ServerSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.render_toml())
    }
}
