//! Runs the current stage of one import under a lease.

use super::caller::ImportCaller;
use super::finish_stage::finish_stage;
use super::leased_import::{LEASE, load_leased_import};
use super::line_worker::ImportLineWorker;
use super::parse_row::ImportRowParser;
use super::price_bands::PriceBandIndex;
use super::process_lines::process_lines;
use super::progress_callback::ImportProgressCallback;
use super::undo_lines::undo_all_lines;
use app::import_row::{ImportUnitContext, RecordLineIndex};
use app::{App, Error, register_snapshot};
use domain::{AuditedAction, AuditedOperation, ImportCode, ImportState, Scope, TenantId};
use std::collections::HashMap;
use storage::WriteLane;
use storage::access::users;
use storage::exchange::imports::leases::{LeasedImport, lease_import, release_import};
use storage::exchange::imports::runs::StoredImportRun;

/// Runs an import until its stage ends, it is paused, or the lease is lost; returns its state then. `None` if there was
/// nothing to do or another process holds the lease.
#[boxed::future]
pub async fn run_import(
    app: &App,
    tenant: TenantId,
    code: ImportCode,
    on_progress: ImportProgressCallback<'_>,
) -> Result<Option<StoredImportRun>, Error> {
    let now = app.now();
    let input = (tenant, code, now);
    let lane = WriteLane::background(tenant);
    let lease = app.db.write(lane, input, |tx, (tenant, code, now)| {
        Box::pin(
            async move { Ok::<_, Error>(lease_import(tx, *tenant, *code, (*now, now.plus(LEASE))).await?) },
        )
    });
    let Some(lease) = lease.await? else { return Ok(None) };
    let result = Box::pin(run_leased_import(app, lease, on_progress)).await;
    if result.is_err() {
        // Allows an immediate retry.
        let release = app.db.write(lane, lease, |tx, lease| {
            Box::pin(async move { Ok::<_, Error>(release_import(tx, lease).await?) })
        });
        let _ = release.await;
    }
    result.map(Some)
}

async fn run_leased_import(
    app: &App,
    lease: LeasedImport,
    on_progress: ImportProgressCallback<'_>,
) -> Result<StoredImportRun, Error> {
    let import = load_leased_import(app, &lease).await?;
    let Some(ImportCaller { scope, user, .. }) = find_stage_caller(app, lease.tenant, &import).await? else {
        // The user who started the stage lost the permission. Another user may start the rest.
        let to = match lease.state {
            ImportState::Checking => ImportState::Ready,
            ImportState::Undoing => ImportState::Done,
            _ => ImportState::Paused,
        };
        finish_stage(app, &lease, to, AuditedAction::StopImport).await?;
        return load_leased_import(app, &lease).await;
    };
    let context = ImportUnitContext {
        scope,
        registers: register_snapshot::load_registers(app, lease.tenant).await?,
        user,
        operation: if lease.state == ImportState::Undoing {
            AuditedOperation::UndoImport
        } else {
            AuditedOperation::RunImport
        },
        suppresses_triggers: !import.triggers,
        branch: import.branch,
        is_dry_run: lease.state == ImportState::Checking,
        record_lines: RecordLineIndex::default(),
        now: app.now(),
    };
    if lease.state == ImportState::Undoing {
        undo_all_lines(app, &lease, import.kind, import.position, context, on_progress).await?;
    } else {
        let parser = ImportRowParser::new(&import);
        let mut worker = ImportLineWorker {
            app,
            lease,
            context,
            kind: import.kind,
            parser,
            first_lines: HashMap::new(),
            price_bands: PriceBandIndex::default(),
        };
        process_lines(&mut worker, import.position, on_progress).await?;
    }
    let import = load_leased_import(app, &lease).await?;
    on_progress(&import);
    Ok(import)
}

/// The user who started the current stage, if still permitted.
async fn find_stage_caller(
    app: &App,
    tenant: TenantId,
    import: &StoredImportRun,
) -> Result<Option<ImportCaller>, Error> {
    let Some(code) = import.acting else { return Ok(Some(ImportCaller::for_command(tenant))) };
    let found = users::find_user(&app.db, tenant, code).await?.filter(|user| user.active);
    let caller = found.map(|user| ImportCaller {
        money_rights: user.money_rights(),
        scope: Scope::for_role(tenant, user.role, user.branches),
        user: Some(code),
        role: user.role,
    });
    Ok(caller.filter(|caller| caller.authorize_import(import.kind).is_ok()))
}
