//! The import that this process has leased.

use super::action_refusals::refuse_unknown_import;
use app::{App, Error};
use std::time::Duration;
use storage::exchange::imports::leases::LeasedImport;
use storage::exchange::imports::runs::{StoredImportRun, find_import_run};

/// Lease duration: after this time without renewal another process may take over.
pub(super) const LEASE: Duration = Duration::from_secs(30);

pub(super) async fn load_leased_import(app: &App, lease: &LeasedImport) -> Result<StoredImportRun, Error> {
    find_import_run(&app.db, lease.tenant, lease.code, None)
        .await?
        .ok_or_else(|| refuse_unknown_import(lease.code))
}
