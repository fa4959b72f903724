//! When a case closes, and since when it has its situation.

use crate::Error;
use crate::actor_context::ActorContext;
use domain::Case;

/// Sets the start of the situation and the closing time.
pub(super) fn mark_case_times(
    context: &ActorContext<'_>,
    case: &mut Case,
    is_situation_change: bool,
) -> Result<(), Error> {
    let closes = context.registers.require_situation(case.head().situation)?.kind.is_final();
    let head = case.head_mut();
    head.updated_at = context.now;
    if is_situation_change {
        head.situation_since = context.now;
    }
    // A case that stays closed keeps its closing time.
    head.closed_at = if closes { head.closed_at.or(Some(context.now)) } else { None };
    Ok(())
}
