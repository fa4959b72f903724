//! How long a case may stay in its situation.

use crate::register_snapshot::TenantRegisters;
use domain::{CaseHead, CaseKind, Moment};
use std::time::Duration;
use storage::cases::SituationTimeLimit;
use storage::registers::situations::StoredSituation;

/// The time limit of a situation; final ones have none.
pub(super) fn find_time_limit(situation: &StoredSituation) -> Option<Duration> {
    let hours = situation.limit_hours.filter(|_| !situation.kind.is_final())?;
    Some(Duration::from_secs(u64::try_from(hours).unwrap_or(0) * 3600))
}

/// When the time limit of the present situation ends; closed cases have none.
pub fn compute_due_moment(registers: &TenantRegisters, head: &CaseHead) -> Option<Moment> {
    find_time_limit(registers.situation(head.situation)?).map(|limit| head.situation_since.plus(limit))
}

/// The situations of cases with a time limit.
pub(super) fn list_time_limits(registers: &TenantRegisters) -> Vec<SituationTimeLimit> {
    let to_time_limit = |one: &StoredSituation| {
        let limit = i64::try_from(find_time_limit(one)?.as_millis()).ok()?;
        Some(SituationTimeLimit { kind: CaseKind::from_entity(one.entity)?, situation: one.code, limit })
    };
    registers.situations.iter().filter_map(to_time_limit).collect()
}
