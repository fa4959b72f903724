//! How far a caller sees: one tenant, and in it all branches or some. Every storage search takes a scope, so
//! forgetting the limit does not compile.

use crate::{BranchCode, Role, TenantId};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    tenant: TenantId,
    branches: Branches,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Branches {
    All,
    Only(BTreeSet<BranchCode>),
}

impl Scope {
    /// What a user of this role sees, who was given these branches.
    pub fn of(tenant: TenantId, role: Role, given: impl IntoIterator<Item = BranchCode>) -> Scope {
        let branches =
            if role.has_every_branch() { Branches::All } else { Branches::Only(given.into_iter().collect()) };
        Scope { tenant, branches }
    }

    /// The whole tenant, for whoever runs the server: the command line and background work.
    pub fn whole(tenant: TenantId) -> Scope {
        Scope { tenant, branches: Branches::All }
    }

    /// The same for one branch alone; `None` where it is not seen, or cannot be one: codes count from 1.
    pub fn narrowed(&self, branch: BranchCode) -> Option<Scope> {
        let branches = Branches::Only(BTreeSet::from([branch]));
        (branch.get() > 0 && self.sees(branch)).then_some(Scope { tenant: self.tenant, branches })
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    pub fn branches(&self) -> &Branches {
        &self.branches
    }

    pub fn sees(&self, branch: BranchCode) -> bool {
        match &self.branches {
            Branches::All => true,
            Branches::Only(some) => some.contains(&branch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_administrator_sees_every_branch_and_an_operator_only_his() {
        let (here, one, two) = (TenantId::new(7), BranchCode::new(1), BranchCode::new(2));
        assert!(Scope::of(here, Role::Administrator, []).sees(two));
        let operator = Scope::of(here, Role::Operator, [one]);
        assert!(operator.sees(one) && !operator.sees(two));
        assert!(!Scope::of(here, Role::Integration, []).sees(one));
    }

    #[test]
    fn a_number_that_no_branch_has_is_not_narrowed_to() {
        let all = Scope::whole(TenantId::new(7));
        assert!(all.narrowed(BranchCode::new(1)).is_some());
        assert!(all.narrowed(BranchCode::new(0)).is_none() && all.narrowed(BranchCode::new(-5)).is_none());
    }
}
