//! The first situation of each benefit, with the trigger body that a receiver would have got.

use super::members::SampleMemberBatch;
use app::situations::{RecordSituationChange, render_benefit_trigger_body};
use app::{ActorContext, Error};
use domain::{Benefit, BenefitCode, Entity, HistoryCode};
use storage::history::situation_changes::NewHistoryRow;

/// The origin of demo situations in the history.
pub(crate) const ORIGIN: &str = "demonstração";

/// The first situation, with the trigger body that a receiver would have got.
pub(super) fn build_situation_change(
    part: &SampleMemberBatch,
    history: i32,
    (code, benefit): (BenefitCode, &Benefit),
) -> Result<(NewHistoryRow, String), Error> {
    let context = ActorContext {
        tenant: part.progress.tenant,
        registers: &part.registers,
        user: None,
        operation: domain::AuditedOperation::LoadDemo,
        origin: ORIGIN,
        suppresses_triggers: false,
        now: benefit.created_at,
    };
    let change = RecordSituationChange {
        entity: Entity::Benefit,
        record: code.get(),
        branch: benefit.branch,
        from: None,
        to: benefit.situation,
        reason: None,
    };
    let body = render_benefit_trigger_body(&context, HistoryCode::new(history), code, benefit)?;
    Ok((change.into_history_row(&context), body))
}
