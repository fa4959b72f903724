//! Which situation changes are allowed: those that the association's situation register lists as successors, some only
//! with a reason. A cancelled benefit does not change otherwise: `/ext` and imports are refused (`benefits/save.rs`),
//! and only `benefits/change_situation.rs`, for `/gestao` and the console, leads out of it.

use crate::Error;
use crate::register_snapshot::TenantRegisters;
use domain::{Benefit, BenefitCode, Rejection, SituationCode, SituationKind};
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

/// Cancelling a record or reopening a closed one needs a reason.
pub(crate) fn refuse_missing_reason(
    from: Option<SituationKind>,
    to: SituationKind,
    reason: Option<&str>,
) -> Result<(), Error> {
    let reopens = from.is_some_and(SituationKind::is_final) && !to.is_final();
    let needed = reopens || to == SituationKind::Cancelled;
    if needed && reason.is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Rejection::ReasonNeeded { reopens }.into());
    }
    Ok(())
}

/// A cancelled benefit cannot be changed.
pub(crate) fn refuse_cancelled_benefit(
    registers: &TenantRegisters,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<(), Error> {
    match registers.situation_kind(benefit.situation) {
        Some(SituationKind::Cancelled) => Err(Rejection::CancelledBenefit(code).into()),
        _ => Ok(()),
    }
}
