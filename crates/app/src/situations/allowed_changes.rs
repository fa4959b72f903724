//! Which situation changes an association allows: its situation register lists the successors of each.

use crate::register_snapshot::TenantRegisters;
use domain::{Rejection, SituationCode};

impl TenantRegisters {
    /// Whether a record may change between the situations; a situation without successors allows any.
    pub fn may_change_situation(&self, from: SituationCode, to: SituationCode) -> bool {
        self.situation(from).is_none_or(|one| one.next.is_empty() || one.next.contains(&to))
    }
}

/// Refuses a situation change that the tenant's situation register does not allow.
pub(crate) fn refuse_situation_change(
    registers: &TenantRegisters,
    from: SituationCode,
    to: SituationCode,
) -> Option<Rejection> {
    let name = |code: &SituationCode| registers.situation(*code).map(|one| one.name.to_uppercase());
    let next = registers.situation(from).map_or(&[][..], |one| &one.next);
    (!registers.may_change_situation(from, to)).then(|| Rejection::MayNotMove {
        from: name(&from).unwrap_or_default(),
        to: name(&to).unwrap_or_default(),
        allowed: next.iter().filter_map(name).collect(),
    })
}
