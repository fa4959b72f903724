//! The state of an import.

use super::runs::encode_text_list;
use crate::{Error, Tx, sql};
use domain::{BranchCode, ImportCode, ImportState, Moment, TenantId, UserCode};

/// What else changes with a state.
#[derive(Clone, Debug, Default)]
pub struct ImportStateChange {
    /// The stage starts over: resets the position and counts.
    pub restart: bool,
    /// Where it starts, if not before the first line.
    pub position: Option<i32>,
    pub triggers: Option<bool>,
    pub total: Option<i64>,
    pub mapping: Option<Vec<String>>,
    /// The branch of new records; the inner `None` clears it.
    pub branch: Option<Option<BranchCode>>,
    /// The user who requests the stage; the inner `None` is a command.
    pub acting: Option<Option<UserCode>>,
    pub started: bool,
    pub finished: bool,
}

/// Sets the state of an import; a process working on it loses its lease.
#[boxed::future]
pub async fn update_import_state(
    tx: &mut Tx,
    tenant: TenantId,
    code: ImportCode,
    (state, now): (ImportState, Moment),
    change: &ImportStateChange,
) -> Result<(), Error> {
    let counts =
        "position = 0, created = 0, changed = 0, same = 0, refused = 0, removed = 0, restored = 0, kept = 0,";
    let statement = sql("UPDATE imports SET")
        .append_text(if change.restart { counts } else { "" })
        .append("state = ?,", [state])
        .append_if_some("position = ?,", change.position)
        .append_if_some("triggers = ?,", change.triggers)
        .append_if_some("total = ?,", change.total)
        .append_if_some("mapping = ?,", change.mapping.as_deref().map(encode_text_list))
        .append_if_some("branch = ?,", change.branch)
        .append_if_some("acting_user = ?,", change.acting)
        .append_if_some("started_at = ?,", change.started.then_some(now))
        .append_if_some("finished_at = ?,", change.finished.then_some(now))
        .append("fence = fence + 1, leased_until = 0, updated_at = ?", [now])
        .append("WHERE tenant = ?", [tenant])
        .append("AND code = ?", [code]);
    tx.execute(statement).await.map(drop)
}
