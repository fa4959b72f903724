//! What every situation change has: the rule that allows it, and its history row with the trigger body of this moment
//! and one outbox row per receiver. `benefits/persist.rs` and `cases/persist.rs` write them with the record itself.

mod allowed_changes;
mod notified_receivers;
mod trigger_body;

pub(crate) use allowed_changes::{refuse_cancelled_benefit, refuse_missing_reason, refuse_situation_change};
pub use trigger_body::{render_benefit_trigger_body, render_case_trigger_body};

use crate::actor_context::ActorContext;
use domain::{BranchCode, Entity, HistoryCode, SituationCode};
pub use notified_receivers::list_notified_receivers;
use storage::Statement;
use storage::history::situation_changes::{self, NewHistoryRow};

/// A record's new situation.
pub struct RecordSituationChange {
    pub entity: Entity,
    pub record: i32,
    pub branch: BranchCode,
    /// `None` for a new record.
    pub from: Option<SituationCode>,
    pub to: SituationCode,
    pub reason: Option<String>,
}

impl RecordSituationChange {
    pub fn into_history_row(self, context: &ActorContext<'_>) -> NewHistoryRow {
        let RecordSituationChange { entity, record, branch, from, to, reason } = self;
        NewHistoryRow {
            tenant: context.tenant,
            entity,
            record,
            branch,
            from,
            to,
            user: context.user,
            reason,
            origin: context.origin,
            at: context.now,
        }
    }
}

/// Statements for the history row with its trigger body, and for the outbox rows.
pub(crate) fn insert_situation_change(
    context: &ActorContext<'_>,
    history: HistoryCode,
    change: RecordSituationChange,
    body: String,
) -> Vec<Statement> {
    let receivers = list_notified_receivers(context, change.entity);
    situation_changes::insert_history_entry(&change.into_history_row(context), history, &receivers, body)
}
