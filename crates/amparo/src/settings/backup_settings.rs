//! Where backups go, when they are made, and how long they are kept. `config.default.toml` explains the settings.

use super::error::SettingsError;
use super::files::{BucketSettings, StoreKind};
use super::layers::EffectiveSettings;
use backup::{DailyTimes, RetentionCounts};
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

const KEPT: RangeInclusive<i64> = 0..=10_000;
/// Shorter ones are guessed too quickly by somebody who has the files.
const SHORTEST_PASSPHRASE: usize = 12;

#[derive(Clone)]
pub struct BackupSettings {
    pub place: StoreKind,
    pub folder: Option<PathBuf>,
    pub bucket: BucketSettings,
    pub passphrase: Option<String>,
    pub key_file: Option<PathBuf>,
    pub times: DailyTimes,
    pub retention: RetentionCounts,
}

impl BackupSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<BackupSettings, SettingsError> {
        let passphrase = match values.text("backup.passphrase") {
            "" => None,
            text if text.chars().count() >= SHORTEST_PASSPHRASE => Some(text.to_owned()),
            _ => {
                let allowed = format!("uma frase de pelo menos {SHORTEST_PASSPHRASE} caracteres");
                return Err(values.refuse("backup.passphrase", allowed));
            }
        };
        let key_file = values.path("backup.key_file");
        if passphrase.is_some() && key_file.is_some() {
            return Err(
                values.refuse("backup.key_file", "ou backup.passphrase, ou backup.key_file, não as duas")
            );
        }
        let times = DailyTimes::parse(values.list("backup.times"), domain::TimeZone::DEFAULT)
            .ok_or_else(|| values.refuse("backup.times", "horas e minutos, como 03:00"))?;
        Ok(BackupSettings {
            place: StoreKind::read(values, "backup.place")?,
            folder: values.path("backup.folder"),
            bucket: BucketSettings::read(values, "backup")?,
            passphrase,
            key_file,
            times,
            retention: RetentionCounts {
                daily: values.integer("backup.keep_daily", KEPT)?,
                weekly: values.integer("backup.keep_weekly", KEPT)?,
                monthly: values.integer("backup.keep_monthly", KEPT)?,
            },
        })
    }

    /// Whether the settings say where backups go.
    pub fn has_destination(&self) -> bool {
        self.place == StoreKind::Bucket || self.folder.is_some()
    }
}

/// Hides the passphrase.
impl fmt::Debug for BackupSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_passphrase = self.passphrase.is_some();
        let place = (self.place, &self.folder, &self.bucket);
        write!(out, "{:?}", (place, has_passphrase, &self.key_file, &self.times, self.retention))
    }
}
