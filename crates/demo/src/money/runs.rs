//! The charging run of each month, so that no other run charges the month again.

use super::months::CalendarMonth;
use super::scene::LoadedRegisterScene;
use crate::dice::SeededDice;
use app::Error;
use domain::finance::{ChargingRunState, LaunchKind, TitleSituation};
use domain::{ChargingRunCode, TenantId};
use finance_storage::charging::charged_months::{
    ChargedMonthOrigin, StoredChargedMonth, insert_charged_months,
};
use finance_storage::charging::issued_titles::NewTitle;
use finance_storage::charging::run_titles::insert_run_titles;
use finance_storage::charging::runs::{
    ChargedBenefitFilter, ChargingTotalCounts, StoredChargingRun, insert_run, list_runs_of_month,
    update_run_state,
};
use finance_storage::large_batches::add_run_counts;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};

/// The streams of titles have higher numbers.
const STREAM: u64 = 1 << 59;

/// The issued run of a month, which its first titles bring about.
pub(super) async fn require_run(
    tx: &mut Tx,
    scene: &LoadedRegisterScene<'_>,
    month: CalendarMonth,
) -> Result<ChargingRunCode, Error> {
    let (tenant, scope) = (scene.tenant, ChargedBenefitFilter::default());
    if let Some(run) = list_runs_of_month(&mut *tx, tenant, month.to_charged(), &scope).await?.first() {
        return Ok(run.code);
    }
    let code = ChargingRunCode::new(counters::reserve_number(tx, tenant, Counter::ChargingRun).await?);
    let mut dice = SeededDice::new(scene.seed, STREAM | month.number());
    let (day, at) = scene.pick_moment(&mut dice, month.find_issue_day());
    let run = StoredChargingRun {
        code,
        month: month.to_charged(),
        scope,
        instalments: 1,
        state: ChargingRunState::Issued,
        prepared_on: day,
        issued_on: Some(day),
        charging_rule: None,
        position: 0,
        counts: ChargingTotalCounts::default(),
        user: scene.administrator,
        approved_by: scene.administrator,
        approved_at: Some(at),
        undone_by: None,
        undone_because: None,
        created_at: at,
        updated_at: at,
    };
    tx.execute_batch(vec![insert_run(tenant, &run), update_run_state(tenant, &run)]).await?;
    Ok(code)
}

/// Counts monthly titles as titles of the run. A cancelled one leaves its month free.
pub(super) fn claim_months(
    tenant: TenantId,
    run: ChargingRunCode,
    month: CalendarMonth,
    titles: &[NewTitle],
) -> Vec<Statement> {
    let charged: Vec<_> = titles.iter().filter(|one| one.title.launch_kind == LaunchKind::Credit).collect();
    let amount = charged.iter().map(|one| one.title.amount).sum();
    let benefits = charged.iter().map(|one| one.benefits.len() as i64).sum();
    let counts = ChargingTotalCounts {
        benefits,
        charged: benefits,
        charged_amount: amount,
        titles: charged.len() as i64,
        titles_amount: amount,
        ..ChargingTotalCounts::default()
    };
    let in_force = charged.iter().filter(|one| one.title.situation != TitleSituation::Cancelled);
    let months: Vec<_> = in_force
        .flat_map(|one| {
            one.benefits.iter().map(|benefit| StoredChargedMonth {
                benefit: *benefit,
                month: month.to_charged(),
                title: one.code,
                origin: ChargedMonthOrigin::Run(run),
                is_booklet: false,
            })
        })
        .collect();
    let codes: Vec<_> = charged.iter().map(|one| one.code).collect();
    let mut statements = insert_run_titles(tenant, run, &codes);
    statements.extend(insert_charged_months(tenant, &months));
    statements.push(add_run_counts(tenant, run, &counts));
    statements
}
