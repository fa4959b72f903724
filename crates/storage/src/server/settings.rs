//! Settings of the server that are stored in the database.

use crate::{Error, ReadSource, Tx, sql};
use domain::TenantId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSetting {
    /// The tenant of requests that name none.
    DefaultTenant,
    /// A digest of the server's key, to detect a wrong key at startup.
    KeyFingerprint,
    /// While a new key takes the place of the server's key: the new one, encrypted with the old one if servers ask for it.
    NextKey,
    /// A digest of the key it takes the place of, as long as servers may still encrypt with that.
    RetiringKey,
    /// A digest of the key that was replaced last: key files that still hold it drop it.
    RetiredKey,
    /// How far the demo data has been loaded.
    Demo,
    /// A digest of the code for setting up an empty server in a browser.
    SetupCode,
    /// The progress of restoring a tenant from an archive.
    ArchiveRestore,
    /// Identifies this incarnation of the database, to detect a restored copy.
    Life,
    /// Written and deleted again to check that writes work.
    WriteProbe,
}

impl ServerSetting {
    fn name(self) -> &'static str {
        match self {
            ServerSetting::DefaultTenant => "default_tenant",
            ServerSetting::KeyFingerprint => "key_fingerprint",
            ServerSetting::NextKey => "next_key",
            ServerSetting::RetiringKey => "retiring_key",
            ServerSetting::RetiredKey => "retired_key",
            ServerSetting::Demo => "demo",
            ServerSetting::SetupCode => "setup_code",
            ServerSetting::ArchiveRestore => "bringing",
            ServerSetting::Life => "life",
            ServerSetting::WriteProbe => "write_probe",
        }
    }
}

#[boxed::future]
pub async fn find_setting(
    source: impl Into<ReadSource<'_>>,
    setting: ServerSetting,
) -> Result<Option<String>, Error> {
    let row =
        source.fetch_optional(sql("SELECT value FROM settings WHERE name = $1").arg(setting.name())).await?;
    row.map(|row| row.get("value")).transpose()
}

/// The tenant of requests that name none, if any.
#[boxed::future]
pub async fn find_default_tenant(source: impl Into<ReadSource<'_>>) -> Result<Option<TenantId>, Error> {
    let stored = find_setting(source, ServerSetting::DefaultTenant).await?;
    stored
        .map(|text| text.parse().map(TenantId::new))
        .transpose()
        .map_err(|_| Error::Broken("the default tenant is not a number".to_owned()))
}

#[boxed::future]
pub async fn upsert_setting(tx: &mut Tx, setting: ServerSetting, value: &str) -> Result<(), Error> {
    let statement = sql("INSERT INTO settings (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .arg(setting.name())
    .arg(value);
    tx.execute(statement).await.map(drop)
}

#[boxed::future]
pub async fn delete_setting(tx: &mut Tx, setting: ServerSetting) -> Result<(), Error> {
    tx.execute(sql("DELETE FROM settings WHERE name = $1").arg(setting.name())).await.map(drop)
}
