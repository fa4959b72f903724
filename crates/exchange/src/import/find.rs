//! Finds imports.

use super::action_refusals::refuse_unknown_import;
use super::caller::ImportCaller;
use app::{App, Error};
use domain::ImportCode;
use storage::exchange::imports::runs::{StoredImportRun, find_import_run, list_import_runs};

#[boxed::future]
pub async fn load_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
) -> Result<StoredImportRun, Error> {
    find_import_run(&app.db, caller.tenant(), code, caller.owner_filter())
        .await?
        .ok_or_else(|| refuse_unknown_import(code))
}

/// A page of imports, the latest first, and their total.
#[boxed::future]
pub async fn list_imports(
    app: &App,
    caller: &ImportCaller,
    (limit, offset): (i64, i64),
) -> Result<(Vec<StoredImportRun>, i64), Error> {
    let input = (caller.tenant(), caller.owner_filter(), limit, offset);
    let read = app.db.read(input, |tx, (tenant, owner, limit, offset)| {
        Box::pin(
            async move { Ok::<_, Error>(list_import_runs(tx, *tenant, *owner, (*limit, *offset)).await?) },
        )
    });
    read.await
}
