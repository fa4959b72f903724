//! A charging run with its totals.

use crate::booking::refuse;
use app::audit::access_log::record_access;
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargedMonth, ChargingRunState, FinanceProblem, NotChargedReason};
use domain::{AuditedOperation, ChargingRunCode, InputField, MoneyRight, Scope, TenantId};
use finance_storage::charging::left_charges::{self, LeftCharge, LeftChargeTotal, sum_left_charges};
use finance_storage::charging::run_totals::{
    self, ItemTotal, RepeatedBenefitTotals, count_benefits_to_look_at, count_issued_benefits,
    sum_repeated_benefits, sum_replaced_titles,
};
use finance_storage::charging::runs::{self, ChargingTotalCounts, StoredChargingRun};
use storage::Tx;

/// How far the present stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageProgress {
    pub done: i64,
    pub of: i64,
}

/// What the runs of a month came to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousCharging {
    /// The last of them.
    pub run: ChargingRunCode,
    pub month: ChargedMonth,
    pub counts: ChargingTotalCounts,
}

/// A run with everything that is shown before it is approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullChargingRun {
    pub run: StoredChargingRun,
    /// By charge item and nature; only what is charged.
    pub items: Vec<ItemTotal>,
    /// How many benefits are not charged for each reason. With the charged ones they are all benefits of the scope.
    pub reasons: Vec<(NotChargedReason, i64)>,
    /// The charging of the month before, of the same benefits.
    pub previous: Option<PreviousCharging>,
    /// One-off charges of the same branches and groups that wait, and that the run does not take; none before that is known.
    pub left_charges: LeftChargeTotal,
    /// `None` unless the server is working on it.
    pub progress: Option<StageProgress>,
}

#[boxed::future]
pub async fn read_run(app: &App, caller: &Session, code: ChargingRunCode) -> Result<FullChargingRun, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), code);
    app.db.read(input, |tx, (scope, code)| Box::pin(load_full_run(tx, scope, *code))).await
}

/// The first of the one-off charges that a run does not take.
#[boxed::future]
pub async fn list_left_charges(
    app: &App,
    caller: &Session,
    code: ChargingRunCode,
    limit: i64,
) -> Result<Vec<LeftCharge>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), code, limit);
    let listed: Vec<LeftCharge> = app
        .db
        .read(input, |tx, (scope, code, limit)| {
            Box::pin(async move {
                let run = find_visible_run(tx, scope, *code).await?;
                match is_charge_list_known(&run) {
                    true => Ok(left_charges::list_left_charges(tx, scope.tenant(), &run, *limit).await?),
                    false => Ok::<_, Error>(Vec::new()),
                }
            })
        })
        .await?;
    record_access(app, caller, AuditedOperation::ListPendingCharges, listed.iter().map(|one| one.person))?;
    Ok(listed)
}

pub(super) async fn load_full_run(
    tx: &mut Tx,
    scope: &Scope,
    code: ChargingRunCode,
) -> Result<FullChargingRun, Error> {
    let run = find_visible_run(tx, scope, code).await?;
    let key = (scope.tenant(), code);
    let month_before = run.month.plus_months(-1);
    let runs_before = runs::list_runs_of_month(&mut *tx, scope.tenant(), month_before, &run.scope).await?;
    Ok(FullChargingRun {
        items: run_totals::sum_run_items(tx, key).await?,
        reasons: run_totals::count_reasons(tx, key).await?,
        previous: sum_runs(tx, scope.tenant(), &runs_before).await?,
        left_charges: match is_charge_list_known(&run) {
            true => sum_left_charges(tx, scope.tenant(), &run).await?,
            false => LeftChargeTotal::default(),
        },
        progress: measure_progress(tx, scope, &run).await?,
        run,
    })
}

/// Whether it is known, and still in question, which one-off charges a run takes.
fn is_charge_list_known(run: &StoredChargingRun) -> bool {
    matches!(run.state, ChargingRunState::Prepared | ChargingRunState::Issuing | ChargingRunState::Issued)
}

/// What the runs of a month came to. Each benefit counts once, whichever of them list it, with what the last one charges it,
/// and without the cancelled titles that charged it before.
async fn sum_runs(
    tx: &mut Tx,
    tenant: TenantId,
    runs: &[StoredChargingRun],
) -> Result<Option<PreviousCharging>, Error> {
    let Some(last) = runs.last() else { return Ok(None) };
    let repeated = match runs {
        [_] => RepeatedBenefitTotals::default(),
        _ => sum_repeated_benefits(tx, tenant, runs.iter().map(|run| run.code)).await?,
    };
    let mut counts = ChargingTotalCounts::default();
    for run in runs {
        counts.benefits += run.counts.benefits;
        counts.charged += run.counts.charged;
        counts.charged_amount += run.counts.charged_amount;
        counts.titles += run.counts.titles;
        counts.titles_amount += run.counts.titles_amount;
    }
    counts.benefits -= repeated.benefits;
    counts.charged -= repeated.charged;
    counts.charged_amount -= repeated.charged_amount;
    if repeated.charged > 0 {
        let codes: Vec<ChargingRunCode> = runs.iter().map(|run| run.code).collect();
        let replaced = sum_replaced_titles(tx, tenant, &codes).await?;
        counts.titles -= replaced.titles;
        counts.titles_amount -= replaced.amount;
    }
    Ok(Some(PreviousCharging { run: last.code, month: last.month, counts }))
}

async fn measure_progress(
    tx: &mut Tx,
    scope: &Scope,
    run: &StoredChargingRun,
) -> Result<Option<StageProgress>, Error> {
    let (tenant, counts) = (scope.tenant(), &run.counts);
    Ok(match run.state {
        ChargingRunState::Preparing => {
            let rest = count_benefits_to_look_at(tx, tenant, &run.scope, run.position).await?;
            Some(StageProgress { done: counts.benefits, of: counts.benefits + rest })
        }
        ChargingRunState::Issuing => {
            let done = count_issued_benefits(tx, (tenant, run.code), run.position).await?;
            Some(StageProgress { done, of: counts.charged })
        }
        ChargingRunState::Undoing => {
            let done = counts.cancelled + counts.kept;
            // Revisions add titles to those that were issued at first.
            Some(StageProgress { done, of: counts.titles.max(done) })
        }
        _ => None,
    })
}

/// The run, if the caller may see it.
pub(super) async fn find_visible_run(
    tx: &mut Tx,
    scope: &Scope,
    code: ChargingRunCode,
) -> Result<StoredChargingRun, Error> {
    let unknown = || Error::NotFound { field: InputField::ChargingRun, code: code.get() };
    runs::find_run(&mut *tx, scope, code).await?.ok_or_else(unknown)
}

/// The run, if it is in the state that an action needs.
pub(super) async fn find_run_in_state(
    tx: &mut Tx,
    scope: &Scope,
    code: ChargingRunCode,
    state: ChargingRunState,
) -> Result<StoredChargingRun, Error> {
    let run = find_visible_run(tx, scope, code).await?;
    match run.state == state {
        true => Ok(run),
        false => Err(refuse(FinanceProblem::ChargingRunState(run.state))),
    }
}
