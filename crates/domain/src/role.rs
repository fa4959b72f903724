//! What a user may do.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Runs the association: every branch, every register.
    Administrator,
    /// Works in the branches he was given.
    Operator,
    /// A program: the interface within its branches, and the feed of the history.
    Integration,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Administrator, Role::Operator, Role::Integration];

    /// The number by which the database knows it; never changed.
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
