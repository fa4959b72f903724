//! Starts a run, or continues an interrupted one.

use super::error::MirrorError;
use super::lease::{acquire_lease, renew_lease};
use super::options::MirrorOptions;
use super::progress_update::ProgressUpdate;
use super::registers;
use super::runner::MirrorRunner;
use crate::client::{SleepFunction, SourceClient};
use crate::report::{MirrorRunReport, UncarriedTitleCounts};
use app::App;
use exchange::mirror_store::{self, MirrorStartOutcome};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::Instant;

/// Runs a mirror from the start, or continues an interrupted run.
#[boxed::future]
pub async fn run_mirror(
    app: &App,
    options: &MirrorOptions,
    sleep: SleepFunction,
    on_progress: &mut (dyn FnMut(ProgressUpdate) + Send + Sync),
) -> Result<MirrorRunReport, MirrorError> {
    let began = Instant::now();
    let login = (options.login.as_str(), options.password.as_str());
    let client =
        SourceClient::new(&options.from, login, options.pace, Arc::clone(&app.clock), Arc::clone(&sleep))?;
    let access = client.sign_in().await?;
    let source = registers::read_source(&client, options, &access).await?;
    let base_name = source.name.clone();
    let (tenant, is_new) = match mirror_store::find_or_create_mirror(app, &source).await? {
        MirrorStartOutcome::Base { tenant, is_new } => (tenant, is_new),
        MirrorStartOutcome::NoMirror(tenant) => return Err(MirrorError::NoMirror(tenant)),
        MirrorStartOutcome::OtherSource(one) => {
            return Err(MirrorError::OtherSource(
                one.tenant,
                one.source,
                one.login,
                source.address,
                source.login,
            ));
        }
    };
    let lease = acquire_lease(app, tenant, &sleep).await?;
    let mirror = mirror_store::start_mirror_run(app, &source, &lease).await?;
    let registers = mirror_store::load_current_registers(app, mirror.tenant).await?;
    let before = u64::try_from(mirror.requests).unwrap_or(0);
    let mut run = MirrorRunner {
        app,
        client: &client,
        registers,
        unread: Vec::new(),
        written: u64::try_from(mirror.written).unwrap_or(0),
        before,
        mirror,
        lease: &lease,
        on_progress,
        suppliers: Vec::new(),
        priced: BTreeSet::new(),
        branches: BTreeSet::new(),
        uncarried_titles: UncarriedTitleCounts::default(),
        unmatched_charging_types: Vec::new(),
    };
    let result = tokio::select! {
        result = Box::pin(run.run_phases(&access)) => result,
        error = renew_lease(app, &lease) => Err(error),
    };
    let requests = before + client.request_count();
    let (unread, written, mirror) = (run.unread, run.written, run.mirror);
    let (uncarried_titles, unmatched_charging_types) = (run.uncarried_titles, run.unmatched_charging_types);
    let completed = match result {
        Ok(()) => mirror_store::complete_mirror_run(app, &mirror, &lease).await.map_err(MirrorError::from),
        Err(failed) => Err(failed),
    };
    mirror_store::release_mirror_lease(app, &lease).await?;
    let mirror = completed?;
    let note_summary = mirror_store::summarize_notes(app, mirror.tenant).await?;
    Ok(MirrorRunReport {
        mirror,
        base_name,
        is_new,
        requests,
        written,
        took: began.elapsed(),
        noted: note_summary,
        unread,
        uncarried_titles,
        unmatched_charging_types,
    })
}
