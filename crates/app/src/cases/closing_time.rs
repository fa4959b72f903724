//! When a case closes, and since when it has its situation. `domain::SituationKind::is_final` says which kinds close.

use crate::Error;
use crate::actor_context::ActorContext;
use domain::Case;

/// Sets the start of the situation and the closing time.
pub(super) fn mark_case_times(
    context: &ActorContext<'_>,
    case: &mut Case,
    is_situation_change: bool,
) -> Result<(), Error> {
    let kind = context.registers.require_situation(case.head().situation)?.kind;
    let head = case.head_mut();
    head.updated_at = context.now;
    if is_situation_change {
        head.situation_since = context.now;
    }
    head.closed_at = kind.choose_closing_time(head.closed_at, context.now);
    Ok(())
}
