//! Benefits that came into the scope of a run after its preview: listed when the issue ends, so that charged and listed are
//! all.

use super::charge_lines::{ChargeInput, JoiningFeeState, charge_benefit};
use super::preview_batch::{count, find_range};
use super::process_run::BatchContext;
use super::run_terms::RunTerms;
use app::Error;
use domain::finance::NotChargedReason;
use finance_storage::charging::chargeable_benefits::list_unlisted_benefits;
use finance_storage::charging::charged_months::list_months_of_benefits;
use finance_storage::charging::run_benefits::{RunBenefit, insert_run_benefits};
use std::collections::BTreeSet;
use storage::Tx;

/// Benefits that are read at once.
const PAGE: i64 = 1_000;

/// Lists the benefits of the run's scope that its preview has not seen, and returns how many there are.
pub(super) async fn list_added_benefits(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<i64, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let terms = RunTerms::new(batch.context.registers, run);
    let months = (run.month, terms.last_month());
    let mut position = 0;
    let mut rows: Vec<RunBenefit> = Vec::new();
    loop {
        let page = list_unlisted_benefits(tx, (tenant, run.code), &run.scope, (position, PAGE)).await?;
        let Some(last) = page.last() else { break };
        position = last.code.get();
        let codes = page.iter().map(|one| one.code);
        let charged_months = list_months_of_benefits(tx, tenant, codes, months).await?;
        for benefit in &page {
            let input = ChargeInput {
                benefit,
                charged_months: find_range(&charged_months, |one| one.benefit, benefit.code),
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
