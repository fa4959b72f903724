//! Which benefits a caller may charge.

use crate::booking::refuse;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::finance::FinanceProblem;
use domain::{InputField, Rejection, Scope, VisibleBranches};
use finance_storage::charging::runs::ChargedBenefitFilter;

/// A caller who sees only some branches names one of them; what is named must exist.
pub(super) fn check_charging_scope(
    registers: &TenantRegisters,
    caller: &Scope,
    scope: &ChargedBenefitFilter,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let unknown = |field, code| Rejection::UnknownCode { field, code };
    match scope.branch {
        None if matches!(caller.branches(), VisibleBranches::Only(_)) => {
            return Err(refuse(FinanceProblem::BranchRequired));
        }
        Some(branch) if !registers.is_usable_branch(caller, branch) => {
            problems.push(unknown(InputField::Branch, branch.get()));
        }
        _ => {}
    }
    if let Some(group) =
        scope.group.filter(|group| registers.money.groups.iter().all(|one| one.code != *group))
    {
        problems.push(unknown(InputField::ProtectionGroup, group.get()));
    }
    if let Some(day) = scope.due_day.filter(|day| !(1..=31).contains(day)) {
        problems.push(unknown(InputField::DueDay, day));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
