//! A batch of undoing a run: unpaid titles are cancelled, and their benefits and months are free again.

use super::cancel_charges::prepare_cancellations;
use super::preview_batch::count;
use super::process_run::{BatchContext, BatchProgress};
use app::Error;
use domain::TitleCode;
use domain::finance::{RunTitleOutcome, TitleSituation};
use finance_storage::charging::run_titles::{RunTitle, list_run_titles, update_outcome};
use finance_storage::charging::runs::ChargingTotalCounts;
use storage::Tx;

pub(super) async fn undo_batch(tx: &mut Tx, batch: &BatchContext<'_>) -> Result<BatchProgress, Error> {
    let (tenant, run) = (batch.context.tenant, batch.run);
    let key = (tenant, run.code);
    let all = list_run_titles(tx, key, (run.position, batch.pace.undone_titles)).await?;
    let Some(last) = all.last().map(|one| one.title) else { return Ok(BatchProgress::finished(run)) };
    let is_open = |one: &&RunTitle| one.situation == TitleSituation::Open && !one.has_settlement;
    let open: Vec<RunTitle> = all.iter().filter(is_open).copied().collect();
    let codes_of = |is_kept: bool| -> Vec<TitleCode> {
        all.iter().filter(|one| one.has_settlement == is_kept).map(|one| one.title).collect()
    };
    let (cancelled, kept) = (codes_of(false), codes_of(true));
    let mut statements = Vec::new();
    if !open.is_empty() {
        let reason = run.undone_because.as_deref().unwrap_or_default();
        statements.extend(prepare_cancellations(tx, &batch.context, &open, reason).await?);
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
