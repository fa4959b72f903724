//! The charging run of the month after the last charged one: the server makes its preview, and whoever tries the
//! demonstration may approve it.

use super::months::list_charged_months;
use super::scene::DemoTransactionPart;
use app::Error;
use domain::finance::{ChargedMonth, ChargingRunState};
use domain::{ChargingRunCode, Moment, Scope};
use finance_storage::charging::runs::{
    ChargedBenefitFilter, ChargingTotalCounts, StoredChargingRun, insert_run, list_runs,
};
use storage::Tx;
use storage::server::counters::{self, Counter};

/// Begins the run, unless there is one for its month.
pub(super) async fn begin_next_run(
    tx: &mut Tx,
    part: &DemoTransactionPart,
    now: Moment,
) -> Result<(), Error> {
    let (tenant, money) = (part.progress.tenant, part.progress.money);
    let months = list_charged_months(money.today, money.months);
    let Some(last) = months.last() else { return Ok(()) };
    let month: ChargedMonth = last.plus(1).to_charged();
    if !list_runs(&mut *tx, &Scope::for_tenant(tenant), Some(month), (0, 1)).await?.is_empty() {
        return Ok(());
    }
    let code = ChargingRunCode::new(counters::reserve_number(tx, tenant, Counter::ChargingRun).await?);
    let run = StoredChargingRun {
        code,
        month,
        scope: ChargedBenefitFilter::default(),
        instalments: 1,
        state: ChargingRunState::Preparing,
        prepared_on: money.today,
        issued_on: None,
        charging_rule: None,
        position: 0,
        counts: ChargingTotalCounts::default(),
        user: part.administrator,
        approved_by: None,
        approved_at: None,
        undone_by: None,
        undone_because: None,
        created_at: now,
        updated_at: now,
    };
    Ok(tx.execute_batch(vec![insert_run(tenant, &run)]).await?)
}
