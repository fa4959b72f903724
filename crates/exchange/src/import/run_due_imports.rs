//! Runs the due imports of all tenants, several at a time.

use super::run_import::run_import;
use app::{App, Error};
use domain::{ImportCode, TenantId};
use std::collections::HashMap;
use std::time::Duration;
use storage::exchange::imports::leases;
use tokio::task::{Id, JoinSet};

/// Imports processed concurrently, and how many of them may belong to one tenant.
const MOST_RUNNING_IMPORTS: usize = 16;

const MOST_RUNNING_PER_TENANT: usize = 3;

/// How often new due imports are looked for meanwhile.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Runs due imports, several at a time, until none is left; returns whether there was any. A failed one is logged and
/// retried later, without delaying the others.
#[boxed::future]
pub async fn run_due_imports(app: &App) -> Result<bool, Error> {
    let (mut any, mut working) = (false, JoinSet::new());
    let (mut busy, mut failed): (HashMap<Id, ImportRunKey>, Vec<ImportRunKey>) = (HashMap::new(), Vec::new());
    loop {
        for one in list_due_imports(app, &busy, &failed).await? {
            let task = working.spawn(run_and_log_import(app.clone(), one));
            busy.insert(task.id(), one);
        }
        tokio::select! {
            ended = working.join_next_with_id() => {
                let Some(ended) = ended else { return Ok(any) };
                let (id, succeeded) = ended.unwrap_or_else(|panic| (panic.id(), false));
                any |= succeeded;
                // An immediate retry would fail again.
                failed.extend(busy.remove(&id).filter(|_| !succeeded));
            }
            () = app.import_wakeup.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => failed.clear(),
        }
    }
}

type ImportRunKey = (TenantId, ImportCode);

/// Due imports not in progress here, up to the total limit and the limit per tenant.
async fn list_due_imports(
    app: &App,
    busy: &HashMap<Id, ImportRunKey>,
    failed: &[ImportRunKey],
) -> Result<Vec<ImportRunKey>, Error> {
    let mut found = Vec::new();
    for tenant in storage::server::tenants::list_tenants(&app.db).await?.into_iter().filter(|one| one.active)
    {
        let tenant_count = busy.values().filter(|(other, _)| *other == tenant.id).count();
        let waiting = leases::list_due_imports(&app.db, tenant.id, app.now()).await?.into_iter();
        let waiting = waiting.map(|code| (tenant.id, code));
        let waiting = waiting.filter(|one| !failed.contains(one) && busy.values().all(|other| other != one));
        found.extend(waiting.take(MOST_RUNNING_PER_TENANT.saturating_sub(tenant_count)));
    }
    found.truncate(MOST_RUNNING_IMPORTS.saturating_sub(busy.len()));
    Ok(found)
}

/// Runs one import; returns whether there was work to do and it did not fail.
async fn run_and_log_import(app: App, (tenant, code): ImportRunKey) -> bool {
    match run_import(&app, tenant, code, &mut |_| {}).await {
        Ok(finished) => finished.is_some(),
        Err(error) => {
            storage::warn_unless_outage!(error, %tenant, import = %code, "import failed; it will be retried");
            false
        }
    }
}
