//! The progress of an archive restore that is running or was interrupted. The restore itself is in the crate
//! `exchange`; the server only skips such a tenant.

use crate::{App, Error};
use domain::TenantId;
use storage::Tx;
use storage::server::settings::{self, ServerSetting};

/// The progress, as stored in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreProgress {
    pub tenant: TenantId,
    pub archive: String,
    /// The table or index being written.
    pub step: String,
    /// Rows of it already written; for an index, the last position.
    pub done: i64,
}

impl RestoreProgress {
    pub fn to_text(&self) -> String {
        format!("base={} archive={} step={} done={}", self.tenant, self.archive, self.step, self.done)
    }

    pub fn parse(text: &str) -> Option<RestoreProgress> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        Some(RestoreProgress {
            tenant: TenantId::new(next()?.parse().ok()?),
            archive: next()?.to_owned(),
            step: next()?.to_owned(),
            done: next()?.parse().ok()?,
        })
    }

    #[boxed::future]
    pub async fn load(tx: &mut Tx) -> Result<Option<RestoreProgress>, storage::Error> {
        let Some(text) = settings::find_setting(&mut *tx, ServerSetting::ArchiveRestore).await? else {
            return Ok(None);
        };
        let broken = || storage::Error::Broken(format!("{text:?} is kept as the progress of bringing"));
        Ok(Some(RestoreProgress::parse(&text).ok_or_else(broken)?))
    }
}

/// The tenant of a running or interrupted restore, which must be skipped.
#[boxed::future]
pub async fn find_unfinished_restore(app: &App) -> Result<Option<TenantId>, Error> {
    let text = settings::find_setting(&app.db, ServerSetting::ArchiveRestore).await?;
    Ok(text.as_deref().and_then(RestoreProgress::parse).map(|progress| progress.tenant))
}
