//! Where attachments are stored, and their limits. `config.default.toml` explains the settings.

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
    pub place: AttachmentStoreKind,
    /// `None`: `arquivos` in the folder of the database or of the key.
    pub folder: Option<PathBuf>,
    /// The bucket settings, even if attachments are stored elsewhere.
    pub bucket: BucketSettings,
    pub limits: StorageLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentStoreKind {
    Folder,
    Bucket,
}

/// An S3-compatible bucket.
#[derive(Clone)]
pub struct BucketSettings {
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
    pub fn find_missing_key(&self) -> Option<&'static str> {
        let needed = [
            ("files.s3_bucket", &self.name),
            ("files.s3_region", &self.region),
            ("files.s3_access_key", &self.access_key),
            ("files.s3_secret_key", &self.secret_key),
        ];
        needed.into_iter().find(|(_, value)| value.is_empty()).map(|(key, _)| key)
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
        let place = match values.text("files.place") {
            "pasta" => AttachmentStoreKind::Folder,
            "s3" => AttachmentStoreKind::Bucket,
            _ => return Err(values.refuse("files.place", "pasta ou s3")),
        };
        let limits = StorageLimits {
            largest_mib: values.integer("files.largest_mib", LARGEST)?,
            most_per_record: values.integer("files.most_per_record", PER_RECORD)?,
            quota_gib: values.integer("files.base_gib", GIB)?,
        };
        Ok(AttachmentSettings {
            place,
            folder: values.path("files.folder"),
            bucket: read_bucket(values)?,
            limits,
        })
    }
}

fn read_bucket(values: &EffectiveSettings) -> Result<BucketSettings, SettingsError> {
    let endpoint = match values.text("files.s3_endpoint").trim_end_matches('/') {
        "" => None,
        text if is_endpoint(text) => Some(text.to_owned()),
        _ => {
            return Err(
                values.refuse("files.s3_endpoint", "algo como https://s3.exemplo.com.br, sem caminho")
            );
        }
    };
    let text = |key: &str| values.text(key).trim().to_owned();
    Ok(BucketSettings {
        endpoint,
        name: text("files.s3_bucket"),
        region: text("files.s3_region"),
        access_key: text("files.s3_access_key"),
        secret_key: text("files.s3_secret_key"),
        prefix: values.text("files.s3_prefix").trim_matches('/').to_owned(),
    })
}

fn is_endpoint(text: &str) -> bool {
    let host = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "/?#@\"'<>\\".contains(c))
    })
}
