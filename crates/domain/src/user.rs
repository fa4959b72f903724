//! A user of an association: an administrator, an operator or a program.

use crate::{BranchCode, Moment, MoneyRights, Role, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub code: UserCode,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub active: bool,
    pub branches: Vec<BranchCode>,
    /// The rights that count are those of [`User::money_rights`].
    pub stored_money_rights: MoneyRights,
    /// The member search answers this user with a bare array, as it did in 2023.
    pub gets_old_search_answer: bool,
    /// Number of changes to the user, not counting the password.
    pub version: i64,
    pub updated_at: Moment,
}

impl User {
    pub fn money_rights(&self) -> MoneyRights {
        MoneyRights::for_role(self.role, self.stored_money_rights)
    }

    pub fn has_branch(&self, branch: BranchCode) -> bool {
        self.role.has_every_branch() || self.branches.contains(&branch)
    }
}
