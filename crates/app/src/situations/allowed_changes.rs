//! Which situation changes an association allows: its situation register lists the successors of each.

use crate::register_snapshot::TenantRegisters;
use domain::{Rejection, SituationCode};
use storage::registers::situations::StoredSituation;

impl TenantRegisters {
    /// Whether a record may change between the situations; a situation without successors allows any.
    pub fn may_change_situation(&self, from: SituationCode, to: SituationCode) -> bool {
        self.situation(from).is_none_or(|one| one.next.is_empty() || one.next.contains(&to))
    }

    /// The active situations that may follow another.
    pub fn next_situations<'r>(
        &'r self,
        from: &'r StoredSituation,
    ) -> impl Iterator<Item = &'r StoredSituation> {
        let of_entity = self.active_situations(from.entity);
        of_entity.filter(|one| one.code != from.code && self.may_change_situation(from.code, one.code))
    }
}

/// Refuses a situation change that the tenant's situation register does not allow.
pub(crate) fn refuse_situation_change(
    registers: &TenantRegisters,
    from: SituationCode,
    to: SituationCode,
) -> Option<Rejection> {
    let present = registers.situation(from).filter(|_| !registers.may_change_situation(from, to))?;
    Some(Rejection::SituationChangeNotAllowed {
        from: present.name.to_uppercase(),
        to: registers.situation(to).map(|one| one.name.to_uppercase()).unwrap_or_default(),
        allowed: registers.next_situations(present).map(|one| one.name.to_uppercase()).collect(),
    })
}
