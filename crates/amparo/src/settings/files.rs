//! Where attachments are stored, and their limits; a folder or a bucket, as backups need one, too.
//! `config.default.toml` explains the settings.

use super::error::SettingsError;
use super::layers::EffectiveSettings;
use app::attachments::StorageLimits;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

const LARGEST: RangeInclusive<i64> = 1..=200;
const PER_RECORD: RangeInclusive<i64> = 1..=1000;
const GIB: RangeInclusive<i64> = 0..=1_048_576;

#[derive(Clone, Debug)]
pub struct AttachmentSettings {
    pub place: StoreKind,
    /// `None`: `arquivos` in the folder of the database or of the key.
    pub folder: Option<PathBuf>,
    /// The bucket settings, even if attachments are stored elsewhere.
    pub bucket: BucketSettings,
    pub limits: StorageLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Folder,
    Bucket,
}

impl StoreKind {
    pub(super) fn read(values: &EffectiveSettings, key: &str) -> Result<StoreKind, SettingsError> {
        match values.text(key) {
            "pasta" => Ok(StoreKind::Folder),
            "s3" => Ok(StoreKind::Bucket),
            _ => Err(values.refuse(key, "pasta ou s3")),
        }
    }
}

/// An S3-compatible bucket.
#[derive(Clone)]
pub struct BucketSettings {
    /// The section of the settings.
    section: &'static str,
    /// `None`: Amazon S3 in the region.
    pub endpoint: Option<String>,
    pub name: String,
    pub region: String,
    pub access_key: String,
    pub secret_key: String,
    /// Without leading and trailing slashes; may be empty.
    pub prefix: String,
}

impl BucketSettings {
    /// The first setting that is missing to use the bucket.
    pub fn find_missing_key(&self) -> Option<String> {
        let needed = [
            ("s3_bucket", &self.name),
            ("s3_region", &self.region),
            ("s3_access_key", &self.access_key),
            ("s3_secret_key", &self.secret_key),
        ];
        let missing = needed.into_iter().find(|(_, value)| value.is_empty());
        missing.map(|(key, _)| format!("{}.{key}", self.section))
    }

    pub(super) fn read(
        values: &EffectiveSettings,
        section: &'static str,
    ) -> Result<BucketSettings, SettingsError> {
        let key = |name: &str| format!("{section}.{name}");
        let text = |name: &str| values.text(&key(name)).trim().to_owned();
        let endpoint = match values.text(&key("s3_endpoint")).trim_end_matches('/') {
            "" => None,
            text if is_endpoint(text) => Some(text.to_owned()),
            _ => {
                let allowed = "algo como https://s3.exemplo.com.br, sem caminho";
                return Err(values.refuse(&key("s3_endpoint"), allowed));
            }
        };
        Ok(BucketSettings {
            section,
            endpoint,
            name: text("s3_bucket"),
            region: text("s3_region"),
            access_key: text("s3_access_key"),
            secret_key: text("s3_secret_key"),
            prefix: values.text(&key("s3_prefix")).trim_matches('/').to_owned(),
        })
    }

    /// The host of the endpoint, without its port.
    pub fn host(&self) -> Option<String> {
        let (_, place) = self.endpoint.as_deref()?.split_once("://")?;
        let host = match place.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
            _ => place,
        };
        Some(host.to_owned())
    }
}

/// Hides the access keys.
impl fmt::Debug for BucketSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_keys = (!self.access_key.is_empty(), !self.secret_key.is_empty());
        write!(out, "{:?}", (&self.endpoint, &self.name, &self.region, has_keys, &self.prefix))
    }
}

impl AttachmentSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<AttachmentSettings, SettingsError> {
        let place = StoreKind::read(values, "files.place")?;
        let limits = StorageLimits {
            largest_mib: values.integer("files.largest_mib", LARGEST)?,
            most_per_record: values.integer("files.most_per_record", PER_RECORD)?,
            quota_gib: values.integer("files.base_gib", GIB)?,
        };
        Ok(AttachmentSettings {
            place,
            folder: values.path("files.folder"),
            bucket: BucketSettings::read(values, "files")?,
            limits,
        })
    }
}

fn is_endpoint(text: &str) -> bool {
    let host = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "/?#@\"'<>\\".contains(c))
    })
}
