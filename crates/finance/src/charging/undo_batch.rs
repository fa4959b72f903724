//! A batch of undoing a run: titles that no money came for are cancelled, and their benefits and months are free again.

use super::cancel_charges::prepare_cancellations;
use super::preview_batch::count;
use super::process_run::{BatchContext, BatchProgress};
use super::return_credits::return_credits;
use app::Error;
use domain::TitleCode;
use domain::finance::{RunTitleOutcome, TitleSituation};
use finance_storage::charging::charged_months::release_months;
use finance_storage::charging::run_titles::{RunTitle, list_run_titles, update_outcome};
use finance_storage::charging::runs::ChargingTotalCounts;
use storage::Tx;

pub(super) async fn undo_batch(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<BatchProgress, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let key = (tenant, run.code);
    let all = list_run_titles(tx, key, (run.position, batch.pace.undone_titles)).await?;
    let Some(last) = all.last().map(|one| one.title) else { return Ok(BatchProgress::finished(run)) };
    let reason = run.undone_because.as_deref().unwrap_or_default();
    let is_in_force = |one: &&RunTitle| one.situation != TitleSituation::Cancelled;
    let (kept, unpaid): (Vec<RunTitle>, Vec<RunTitle>) =
        all.iter().copied().partition(|one| one.is_paid_with_money);
    let open: Vec<RunTitle> = unpaid.iter().filter(is_in_force).copied().collect();
    let codes_of = |titles: &[RunTitle]| -> Vec<TitleCode> { titles.iter().map(|one| one.title).collect() };
    let (cancelled, kept) = (codes_of(&unpaid), codes_of(&kept));
    let with_credit = open.iter().filter(|one| one.has_settlement).map(|one| one.title);
    return_credits(tx, &batch.context, &with_credit.collect::<Vec<_>>(), reason).await?;
    let mut statements = Vec::new();
    if !open.is_empty() {
        statements.extend(prepare_cancellations(tx, &batch.context, &open, reason).await?);
        statements.extend(release_months(tenant, &codes_of(&open)));
    }
    for (outcome, codes) in [(RunTitleOutcome::Cancelled, &cancelled), (RunTitleOutcome::Kept, &kept)] {
        if !codes.is_empty() {
            statements.push(update_outcome(key, outcome, codes));
        }
    }
    tx.execute_batch(statements).await?;
    let counts = ChargingTotalCounts {
        cancelled: count(cancelled.len()),
        kept: count(kept.len()),
        ..ChargingTotalCounts::default()
    };
    Ok(BatchProgress { position: last.get(), counts, is_done: count(all.len()) < batch.pace.undone_titles })
}
