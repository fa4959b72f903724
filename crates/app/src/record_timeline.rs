//! The history of a record: its situation changes and field changes as one list.

use crate::Error;
use crate::register_snapshot::TenantRegisters;
use domain::{BenefitCode, Entity, HistoryCode, Moment, SituationCode, TenantId, UserCode};
use std::sync::Arc;
use storage::Tx;
use storage::history::{field_changes, situation_changes};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordChange {
    pub at: Moment,
    pub user: Option<UserCode>,
    pub user_name: Option<String>,
    pub what: RecordChangeDetail,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordChangeDetail {
    Field {
        name: String,
        before: Option<String>,
        after: Option<String>,
    },
    Situation {
        code: HistoryCode,
        /// `None` for the first situation.
        from: Option<SituationCode>,
        to: SituationCode,
        reason: Option<String>,
        origin: String,
        benefit: BenefitCode,
    },
}

/// The field changes of a record, oldest first.
pub(crate) async fn list_field_changes(
    tx: &mut Tx,
    tenant: TenantId,
    subject: &'static str,
    record: i32,
) -> Result<Vec<RecordChange>, Error> {
    let rows = field_changes::list_field_changes(&mut *tx, tenant, (subject, record)).await?;
    let changes = rows.into_iter().map(|one| RecordChange {
        at: one.at,
        user: one.user,
        user_name: one.user_name,
        what: RecordChangeDetail::Field {
            name: one.change.field,
            before: one.change.before,
            after: one.change.after,
        },
    });
    Ok(changes.collect())
}

/// The situation changes of a benefit, oldest first.
pub(crate) async fn list_situation_changes(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<RecordChange>, Error> {
    let rows =
        situation_changes::list_record_history(&mut *tx, tenant, (Entity::Benefit, benefit.get())).await?;
    let changes = rows.into_iter().map(|one| RecordChange {
        at: one.at,
        user: one.user,
        user_name: one.user_name,
        what: RecordChangeDetail::Situation {
            code: one.code,
            from: one.from,
            to: one.to,
            reason: one.reason,
            origin: one.origin,
            benefit,
        },
    });
    Ok(changes.collect())
}

/// Sorts by time; changes of the same moment stay in the order they were read.
pub(crate) fn build_record_history(
    mut all: Vec<RecordChange>,
    registers: Arc<TenantRegisters>,
) -> RecordHistory {
    all.sort_by_key(|one| one.at);
    RecordHistory { happened: all, registers }
}

/// The changes of a record, and the registers that name its situations.
pub struct RecordHistory {
    pub happened: Vec<RecordChange>,
    pub registers: Arc<TenantRegisters>,
}
