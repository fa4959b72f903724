//! What a caller can see: one tenant, and all or some of its branches. Every storage query takes a scope, so forgetting
//! the limit does not compile. A person is also seen through a benefit (`storage/src/members/person_visibility.rs`).

use crate::{BranchCode, Role, TenantId};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    tenant: TenantId,
    branches: VisibleBranches,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VisibleBranches {
    All,
    Only(BTreeSet<BranchCode>),
}

impl Scope {
    /// The scope of a user with this role and these assigned branches.
    pub fn for_role(tenant: TenantId, role: Role, assigned: impl IntoIterator<Item = BranchCode>) -> Scope {
        let branches = if role.has_every_branch() {
            VisibleBranches::All
        } else {
            VisibleBranches::Only(assigned.into_iter().collect())
        };
        Scope { tenant, branches }
    }

    /// All branches of the tenant, for the command line and background jobs.
    pub fn for_tenant(tenant: TenantId) -> Scope {
        Scope { tenant, branches: VisibleBranches::All }
    }

    /// Limits the scope to one branch; `None` if the branch is not visible or the code is below 1.
    pub fn narrow_to(&self, branch: BranchCode) -> Option<Scope> {
        let branches = VisibleBranches::Only(BTreeSet::from([branch]));
        (branch.get() > 0 && self.can_see(branch)).then_some(Scope { tenant: self.tenant, branches })
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    pub fn branches(&self) -> &VisibleBranches {
        &self.branches
    }

    pub fn can_see(&self, branch: BranchCode) -> bool {
        match &self.branches {
            VisibleBranches::All => true,
            VisibleBranches::Only(visible) => visible.contains(&branch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_administrator_sees_every_branch_and_an_operator_only_his() {
        let (here, one, two) = (TenantId::new(7), BranchCode::new(1), BranchCode::new(2));
        assert!(Scope::for_role(here, Role::Administrator, []).can_see(two));
        let operator = Scope::for_role(here, Role::Operator, [one]);
        assert!(operator.can_see(one) && !operator.can_see(two));
        assert!(!Scope::for_role(here, Role::Integration, []).can_see(one));
    }

    #[test]
    fn a_number_that_no_branch_has_is_not_narrowed_to() {
        let all = Scope::for_tenant(TenantId::new(7));
        assert!(all.narrow_to(BranchCode::new(1)).is_some());
        assert!(all.narrow_to(BranchCode::new(0)).is_none() && all.narrow_to(BranchCode::new(-5)).is_none());
    }
}
