//! Works off the present stage of one run under a lease.

use super::added_benefits::list_added_benefits;
use super::issue_batch::issue_batch;
use super::preview_batch::preview_batch;
use super::undo_batch::undo_batch;
use crate::imported_months::{
    CLAIMED_TITLES_PER_UNIT, CLAIMS_PER_UNIT, UnclaimedTitleSearch, claim_some_months,
};
use crate::slips::RandomLinkSeed;
use app::register_snapshot::{TenantRegisters, confirm_registers, load_registers, reload_registers};
use app::{ActorContext, App, Error};
use domain::finance::ChargingRunState;
use domain::{AuditedOperation, ChangeOrigin, ChargingRunCode, Moment, Scope, TenantId, TitleCode};
use finance_storage::charging::charged_months::ChargedMonthOrigin;
use finance_storage::charging::run_leases::{
    LeasedRun, advance_run, extend_lease, finish_stage, lease_run, release_run,
};
use finance_storage::charging::runs::{ChargingTotalCounts, StoredChargingRun, find_run};
use std::sync::Arc;
use std::time::Duration;
use storage::{Tx, WriteLane};

/// Lease duration: after this time without renewal another process may take over.
const LEASE: Duration = Duration::from_secs(30);

/// How much is done at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSizeLimits {
    /// Benefits that a batch of a preview looks at.
    pub previewed_benefits: i64,
    /// Benefits that a batch issues, about: a person's are never split.
    pub issued_benefits: i64,
    /// Titles that a batch of undoing looks at.
    pub undone_titles: i64,
    /// Batches after which a run is left to its lease. It is as if the process had ended there.
    pub most_batches: Option<usize>,
}

impl Default for BatchSizeLimits {
    fn default() -> BatchSizeLimits {
        BatchSizeLimits {
            previewed_benefits: 1_000,
            issued_benefits: 500,
            undone_titles: 250,
            most_batches: None,
        }
    }
}

/// What a batch works with.
pub(super) struct BatchContext<'b> {
    pub context: ActorContext<'b>,
    pub run: &'b StoredChargingRun,
    pub pace: BatchSizeLimits,
    pub seed: &'b RandomLinkSeed,
}

/// What a batch came to.
pub(super) struct BatchProgress {
    /// The last benefit, person or title that the stage is done with.
    pub position: i32,
    /// What it adds to the counts of the run.
    pub counts: ChargingTotalCounts,
    /// Nothing is left of the stage.
    pub is_done: bool,
}

impl BatchProgress {
    pub(super) fn finished(run: &StoredChargingRun) -> BatchProgress {
        BatchProgress { position: run.position, counts: ChargingTotalCounts::default(), is_done: true }
    }
}

/// Works off a run until its stage ends or the lease is lost; `false` if there was nothing to do or another process holds
/// the lease.
pub(super) async fn process_run(
    app: &App,
    tenant: TenantId,
    code: ChargingRunCode,
    pace: BatchSizeLimits,
) -> Result<bool, Error> {
    let (now, lane) = (app.now(), WriteLane::background(tenant));
    let input = (tenant, code, (now, now.plus(LEASE)));
    let lease = app.db.write(lane, input, |tx, (tenant, code, times)| {
        Box::pin(async move { Ok::<_, Error>(lease_run(tx, *tenant, *code, *times).await?) })
    });
    let Some(lease) = lease.await? else { return Ok(false) };
    let result = process_leased_run(app, lease, pace).await;
    if result.is_err() {
        // Allows an immediate retry.
        let release = app.db.write(lane, lease, |tx, lease| {
            Box::pin(async move { Ok::<_, Error>(release_run(tx, lease).await?) })
        });
        let _ = release.await;
    }
    result.map(|()| true)
}

async fn process_leased_run(app: &App, lease: LeasedRun, pace: BatchSizeLimits) -> Result<(), Error> {
    let mut registers = load_registers(app, lease.tenant).await?;
    let Some(mut unclaimed) = list_titles_to_claim(app, &lease, &registers).await? else { return Ok(()) };
    let mut batches = 0;
    while pace.most_batches.is_none_or(|most| batches < most) {
        batches += 1;
        let claiming = unclaimed.list_next();
        let (registers_now, seed) = (Arc::clone(&registers), RandomLinkSeed::draw(&*app.random_source));
        let batch = RunBatch { lease, registers: registers_now, pace, claiming, seed, now: app.now() };
        let lane = WriteLane::background(lease.tenant);
        match app.db.write(lane, batch, |tx, batch| Box::pin(write_batch(tx, batch))).await {
            Ok(BatchOutcome::Claimed(titles)) => unclaimed.remove_first(titles),
            Ok(BatchOutcome::Continues) => {}
            Ok(BatchOutcome::Ended) => {
                app.delivery_wakeup.notify_one();
                return Ok(());
            }
            Err(Error::StaleRegisters) => {
                registers = reload_registers(app, lease.tenant).await?;
                let Some(listed) = list_titles_to_claim(app, &lease, &registers).await? else {
                    return Ok(());
                };
                unclaimed = listed;
            }
            Err(error) => return Err(error),
        }
        app.delivery_wakeup.notify_one();
    }
    Ok(())
}

/// The titles whose months are claimed before the stage goes on, so that it charges none of them again.
#[derive(Default)]
struct TitlesToClaim {
    imported: Vec<TitleCode>,
    by_hand: Vec<TitleCode>,
}

impl TitlesToClaim {
    /// Those of the next batch. Imported ones come first.
    fn list_next(&self) -> (Vec<TitleCode>, ChargedMonthOrigin) {
        let (titles, origin) = match self.imported.is_empty() {
            true => (&self.by_hand, ChargedMonthOrigin::Hand),
            false => (&self.imported, ChargedMonthOrigin::Import),
        };
        (titles.iter().copied().take(CLAIMED_TITLES_PER_UNIT).collect(), origin)
    }

    /// Removes the first of those that come next.
    fn remove_first(&mut self, count: usize) {
        let titles = match self.imported.is_empty() {
            true => &mut self.by_hand,
            false => &mut self.imported,
        };
        let count = count.min(titles.len());
        titles.drain(..count);
    }
}

/// The titles to claim for a stage; `None` if the lease was lost.
async fn list_titles_to_claim(
    app: &App,
    lease: &LeasedRun,
    registers: &TenantRegisters,
) -> Result<Option<TitlesToClaim>, Error> {
    let mut unclaimed = TitlesToClaim::default();
    if lease.state == ChargingRunState::Undoing {
        return Ok(Some(unclaimed));
    }
    let mut search = UnclaimedTitleSearch::new(app, registers);
    while let Some(found) = search.list_next(app, lease.tenant).await? {
        unclaimed.imported.extend(found);
        if search.has_more() && !renew_lease(app, *lease).await? {
            return Ok(None);
        }
    }
    if let Some(run) = find_run(&app.db, &Scope::for_tenant(lease.tenant), lease.code).await? {
        let months = (run.month, run.month.plus_months(run.instalments - 1));
        unclaimed.by_hand = search.list_by_hand(app, lease.tenant, months).await?;
    }
    Ok(Some(unclaimed))
}

/// Extends the lease outside a batch; `false` if it was lost.
async fn renew_lease(app: &App, lease: LeasedRun) -> Result<bool, Error> {
    let input = (lease, app.now().plus(LEASE));
    let renewed = app.db.write(WriteLane::background(lease.tenant), input, |tx, (lease, until)| {
        Box::pin(async move { Ok::<_, Error>(extend_lease(tx, lease, *until).await?) })
    });
    renewed.await
}

struct RunBatch {
    lease: LeasedRun,
    registers: Arc<TenantRegisters>,
    pace: BatchSizeLimits,
    /// Titles whose months this batch claims, instead of charging anything.
    claiming: (Vec<TitleCode>, ChargedMonthOrigin),
    /// For the links of the slips.
    seed: RandomLinkSeed,
    now: Moment,
}

enum BatchOutcome {
    /// So many of the titles to claim are done.
    Claimed(usize),
    Continues,
    /// The stage is over, or the lease was lost.
    Ended,
}

async fn write_batch(tx: &mut Tx, batch: &RunBatch) -> Result<BatchOutcome, Error> {
    let RunBatch { lease, registers, pace, claiming: (claiming, origin), seed, now } = batch;
    if !extend_lease(tx, lease, now.plus(LEASE)).await? {
        return Ok(BatchOutcome::Ended);
    }
    confirm_registers(tx, lease.tenant, registers).await?;
    let run = find_run(&mut *tx, &Scope::for_tenant(lease.tenant), lease.code).await?;
    let run = run.ok_or_else(|| Error::Defect(format!("charging run {} is gone", lease.code)))?;
    let context = ActorContext {
        tenant: lease.tenant,
        registers,
        user: run.undone_by.or(run.approved_by).or(run.user),
        operation: find_operation(lease.state),
        origin: wire::set_names::change_origin(ChangeOrigin::Request),
        suppresses_triggers: false,
        now: *now,
    };
    if !claiming.is_empty() {
        let claimed = claim_some_months(tx, &context, (&claiming[..], *origin), CLAIMS_PER_UNIT).await?;
        return Ok(BatchOutcome::Claimed(claimed.titles));
    }
    let batch = BatchContext { context, run: &run, pace: *pace, seed };
    let mut progress = match lease.state {
        ChargingRunState::Preparing => preview_batch(tx, &batch).await?,
        ChargingRunState::Issuing => issue_batch(tx, &batch).await?,
        ChargingRunState::Undoing => undo_batch(tx, &batch).await?,
        state => return Err(Error::Defect(format!("no work on a run that is {state:?}"))),
    };
    if progress.is_done && lease.state == ChargingRunState::Issuing {
        progress.counts.benefits += list_added_benefits(tx, &batch).await?;
    }
    advance_run(tx, lease, progress.position, &progress.counts).await?;
    if !progress.is_done {
        return Ok(BatchOutcome::Continues);
    }
    finish_stage(tx, lease, find_next_state(lease.state), *now).await?;
    Ok(BatchOutcome::Ended)
}

fn find_operation(state: ChargingRunState) -> AuditedOperation {
    match state {
        ChargingRunState::Undoing => AuditedOperation::UndoChargingRun,
        _ => AuditedOperation::ApproveChargingRun,
    }
}

fn find_next_state(state: ChargingRunState) -> ChargingRunState {
    match state {
        ChargingRunState::Preparing => ChargingRunState::Prepared,
        ChargingRunState::Issuing => ChargingRunState::Issued,
        _ => ChargingRunState::Undone,
    }
}
