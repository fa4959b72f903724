//! A batch of the preview: what each of some benefits is charged, or why it is not.

use super::charge_lines::{ChargeInput, ChargedBenefit, JoiningFeeState, charge_benefit};
use super::process_run::{BatchContext, BatchProgress};
use super::run_terms::RunTerms;
use app::Error;
use domain::finance::{ChargeItemKind, ChargedMonth};
use domain::{BenefitCode, PendingChargeCode, PersonCode};
use finance_storage::charging::chargeable_benefits::{ChargeableBenefit, list_chargeable_benefits};
use finance_storage::charging::charged_months::{StoredChargedMonth, list_months_of_range};
use finance_storage::charging::granted_discounts::{StoredGrant, list_grants_of_range};
use finance_storage::charging::joining_fees::list_titles_with_items;
use finance_storage::charging::run_benefits::{self, RunBenefit, RunLine, list_taken_charges};
use finance_storage::charging::runs::ChargingTotalCounts;
use finance_storage::pending_charges::{StoredPendingCharge, list_waiting_charges};
use std::collections::BTreeSet;
use storage::Tx;

/// Months before that of the run in which a charge shows that a benefit was charged before.
const MONTHS_BEFORE: i32 = 3;

pub(super) async fn preview_batch(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<BatchProgress, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let page = (run.position, batch.pace.previewed_benefits);
    let benefits = list_chargeable_benefits(tx, tenant, &run.scope, page).await?;
    let Some(last) = benefits.last().map(|one| one.code) else { return Ok(BatchProgress::finished(run)) };
    let terms = RunTerms::new(batch.context.registers, run);
    let sources = LineSources::load(tx, batch, &terms, &benefits).await?;
    let mut taken = sources.taken.clone();
    let (mut rows, mut lines): (Vec<RunBenefit>, Vec<RunLine>) = (Vec::new(), Vec::new());
    for benefit in &benefits {
        let input = sources.select(benefit, &taken);
        let Some(ChargedBenefit { row, lines: more }) = charge_benefit(&terms, &input) else { continue };
        taken.extend(more.iter().filter_map(|line| line.pending_charge));
        rows.push(row);
        lines.extend(more);
    }
    let charged = rows.iter().filter(|row| row.reason.is_none());
    let counts = ChargingTotalCounts {
        benefits: count(rows.len()),
        charged: count(charged.clone().count()),
        charged_amount: charged.map(|row| row.amount).sum(),
        ..ChargingTotalCounts::default()
    };
    let mut statements = run_benefits::insert_run_benefits(tenant, run.code, &rows);
    statements.extend(run_benefits::insert_run_lines(tenant, run.code, &lines));
    tx.execute_batch(statements).await?;
    let is_done = count(benefits.len()) < batch.pace.previewed_benefits;
    Ok(BatchProgress { position: last.get(), counts, is_done })
}

pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What the lines of a range of benefits come from, besides the registers; each ordered by benefit.
struct LineSources {
    charged_months: Vec<StoredChargedMonth>,
    grants: Vec<StoredGrant>,
    pending_charges: Vec<StoredPendingCharge>,
    /// By benefits before this range.
    taken: BTreeSet<PendingChargeCode>,
    /// Benefits that were charged their joining fee.
    joining_fees: BTreeSet<BenefitCode>,
}

impl LineSources {
    async fn load(
        tx: &mut Tx,
        batch: &BatchContext<'_>,
        terms: &RunTerms<'_>,
        benefits: &[ChargeableBenefit],
    ) -> Result<LineSources, Error> {
        let (tenant, run) = (batch.context.tenant, batch.run);
        let last = benefits.last().map_or(run.position, |one| one.code.get());
        let range = (run.position, BenefitCode::new(last));
        let months = (run.month.plus_months(-MONTHS_BEFORE), run.month.plus_months(run.instalments - 1));
        let people: BTreeSet<PersonCode> = benefits.iter().map(|one| one.person).collect();
        let mut pending_charges = list_waiting_charges(&mut *tx, tenant, people).await?;
        pending_charges.sort_by_key(|charge| (charge.person, charge.code));
        // Only charges without a benefit could have been taken elsewhere.
        let free = pending_charges.iter().filter(|charge| charge.benefit.is_none());
        let people: BTreeSet<PersonCode> = free.map(|charge| charge.person).collect();
        let joined = benefits.iter().filter(|one| may_owe_joining_fee(terms, one)).map(|one| one.code);
        let joined: BTreeSet<BenefitCode> = joined.collect();
        let joining_fees = match joined.is_empty() {
            true => Vec::new(),
            false => {
                let items = terms.list_items_of_kind(ChargeItemKind::Joining);
                list_titles_with_items(tx, tenant, joined, items).await?
            }
        };
        Ok(LineSources {
            charged_months: list_months_of_range(tx, tenant, range, months).await?,
            grants: list_grants_of_range(tx, tenant, range).await?,
            taken: list_taken_charges(tx, (tenant, run.code), people).await?.into_iter().collect(),
            pending_charges,
            joining_fees: joining_fees.into_iter().map(|(benefit, _)| benefit).collect(),
        })
    }

    fn select<'s>(
        &'s self,
        benefit: &'s ChargeableBenefit,
        taken: &'s BTreeSet<PendingChargeCode>,
    ) -> ChargeInput<'s> {
        ChargeInput {
            benefit,
            charged_months: find_range(&self.charged_months, |one| one.benefit, benefit.code),
            grants: find_range(&self.grants, |one| one.benefit, benefit.code),
            pending_charges: find_range(&self.pending_charges, |one| one.person, benefit.person),
            taken,
            joining_fee: match self.joining_fees.contains(&benefit.code) {
                true => JoiningFeeState::Charged,
                false => JoiningFeeState::NotCharged,
            },
        }
    }
}

/// Whether it joined so lately that its first charges may still come.
fn may_owe_joining_fee(terms: &RunTerms<'_>, benefit: &ChargeableBenefit) -> bool {
    // Who joined after the cut-off day is first charged two months later.
    let earliest = terms.run.month.plus_months(-MONTHS_BEFORE - 1);
    benefit.joined_on.is_some_and(|day| ChargedMonth::of_day(day) >= earliest)
}

/// The rows of one key among rows that are ordered by it.
pub(super) fn find_range<T, K: Ord>(rows: &[T], key: impl Fn(&T) -> K, wanted: K) -> &[T] {
    let start = rows.partition_point(|row| key(row) < wanted);
    let end = rows.partition_point(|row| key(row) <= wanted);
    &rows[start..end]
}
