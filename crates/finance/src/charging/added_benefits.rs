//! Benefits that were added after the preview: listed when the issue ends, so that charged and listed are all.

use super::charge_lines::{ChargeInput, JoiningFeeState, charge_benefit};
use super::preview_batch::count;
use super::process_run::BatchContext;
use super::run_terms::RunTerms;
use app::Error;
use domain::finance::NotChargedReason;
use finance_storage::charging::chargeable_benefits::list_chargeable_benefits;
use finance_storage::charging::run_benefits::{RunBenefit, find_last_benefit, insert_run_benefits};
use std::collections::BTreeSet;
use storage::Tx;

/// Benefits that are read at once.
const PAGE: i64 = 1_000;

/// Lists the benefits of the run's scope that are newer than its preview, and returns how many there are.
pub(super) async fn list_added_benefits(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<i64, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let terms = RunTerms::new(batch.context.registers, run);
    let mut position = find_last_benefit(tx, (tenant, run.code)).await?;
    let mut rows: Vec<RunBenefit> = Vec::new();
    loop {
        let page = list_chargeable_benefits(tx, tenant, &run.scope, (position, PAGE)).await?;
        let Some(last) = page.last() else { break };
        position = last.code.get();
        for benefit in &page {
            let input = ChargeInput {
                benefit,
                charged_months: &[],
                grants: &[],
                pending_charges: &[],
                taken: &BTreeSet::new(),
                joining_fee: JoiningFeeState::NotCharged,
            };
            let charged = charge_benefit(&terms, &input).map(|one| one.row);
            rows.extend(charged.map(|row| RunBenefit {
                due_on: None,
                reason: row.reason.or(Some(NotChargedReason::AddedSincePreview)),
                amount: 0,
                ..row
            }));
        }
    }
    tx.execute_batch(insert_run_benefits(tenant, run.code, &rows)).await?;
    Ok(count(rows.len()))
}
