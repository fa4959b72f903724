//! What the server remembers about itself.

use crate::{Error, Source, Tx, sql};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The tenant of requests that name none.
    DefaultTenant,
    /// A digest of the server's key, so that a wrong key is noticed at start.
    KeyFingerprint,
    /// How far a demonstration has been loaded.
    Demo,
    /// A digest of the code by which an empty server is set up in a browser.
    SetupCode,
    /// How far an association has been brought from a file.
    Bringing,
    /// Which life of the database this is, and what tells it from a copy.
    Life,
    /// Written and removed again, to see whether writing works.
    WriteProbe,
}

impl Setting {
    fn name(self) -> &'static str {
        match self {
            Setting::DefaultTenant => "default_tenant",
            Setting::KeyFingerprint => "key_fingerprint",
            Setting::Demo => "demo",
            Setting::SetupCode => "setup_code",
            Setting::Bringing => "bringing",
            Setting::Life => "life",
            Setting::WriteProbe => "write_probe",
        }
    }
}

#[boxed::future]
pub async fn get(from: impl Into<Source<'_>>, setting: Setting) -> Result<Option<String>, Error> {
    let row = from.one(sql("SELECT value FROM settings WHERE name = $1").arg(setting.name())).await?;
    row.map(|row| row.get("value")).transpose()
}

#[boxed::future]
pub async fn set(tx: &mut Tx, setting: Setting, value: &str) -> Result<(), Error> {
    let statement = sql("INSERT INTO settings (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .arg(setting.name())
    .arg(value);
    tx.execute(statement).await.map(drop)
}

#[boxed::future]
pub async fn forget(tx: &mut Tx, setting: Setting) -> Result<(), Error> {
    tx.execute(sql("DELETE FROM settings WHERE name = $1").arg(setting.name())).await.map(drop)
}
