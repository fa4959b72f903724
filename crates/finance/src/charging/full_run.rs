//! A charging run with its totals.

use crate::booking::refuse;
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargingRunState, FinanceProblem, NotChargedReason};
use domain::{ChargingRunCode, InputField, MoneyRight, Scope};
use finance_storage::charging::run_totals::{
    self, ItemTotal, count_benefits_to_look_at, count_issued_benefits,
};
use finance_storage::charging::runs::{self, StoredChargingRun};
use storage::Tx;

/// How far the present stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageProgress {
    pub done: i64,
    pub of: i64,
}

/// A run with everything that is shown before it is approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullChargingRun {
    pub run: StoredChargingRun,
    /// By charge item and nature; only what is charged.
    pub items: Vec<ItemTotal>,
    /// How many benefits are not charged for each reason. With the charged ones they are all benefits of the scope.
    pub reasons: Vec<(NotChargedReason, i64)>,
    /// The run of the month before, for the same benefits.
    pub previous: Option<StoredChargingRun>,
    /// `None` unless the server is working on it.
    pub progress: Option<StageProgress>,
}

#[boxed::future]
pub async fn read_run(app: &App, caller: &Session, code: ChargingRunCode) -> Result<FullChargingRun, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), code);
    app.db.read(input, |tx, (scope, code)| Box::pin(load_full_run(tx, scope, *code))).await
}

pub(super) async fn load_full_run(
    tx: &mut Tx,
    scope: &Scope,
    code: ChargingRunCode,
) -> Result<FullChargingRun, Error> {
    let run = find_visible_run(tx, scope, code).await?;
    let key = (scope.tenant(), code);
    let month_before = run.month.plus_months(-1);
    Ok(FullChargingRun {
        items: run_totals::sum_run_items(tx, key).await?,
        reasons: run_totals::count_reasons(tx, key).await?,
        previous: runs::find_run_of_month(&mut *tx, scope.tenant(), month_before, &run.scope).await?,
        progress: measure_progress(tx, scope, &run).await?,
        run,
    })
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
