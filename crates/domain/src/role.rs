//! The roles of users: who is staff, and who sees every branch (`scope.rs` limits the others). The route table of `api`
//! (`routes/`) says which roles may call each operation.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Manages the association: every branch, every register.
    Administrator,
    /// Works in the assigned branches.
    Operator,
    /// A program: uses the API within its branches, and reads the history feed.
    Integration,
}

impl Role {
    /// People who work at the association; a program is not staff.
    pub const STAFF: [Role; 2] = [Role::Administrator, Role::Operator];
    pub const ADMINISTRATORS: [Role; 1] = [Role::Administrator];
    pub const ALL: [Role; 3] = [Role::Administrator, Role::Operator, Role::Integration];

    /// The number stored in the database; never changes.
    pub const fn number(self) -> i64 {
        match self {
            Role::Administrator => 1,
            Role::Operator => 2,
            Role::Integration => 3,
        }
    }

    pub fn from_number(number: i64) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.number() == number)
    }

    pub const fn has_every_branch(self) -> bool {
        matches!(self, Role::Administrator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_the_role() {
        for role in Role::ALL {
            assert_eq!(Role::from_number(role.number()), Some(role));
        }
        assert_eq!(Role::from_number(4), None);
    }
}
