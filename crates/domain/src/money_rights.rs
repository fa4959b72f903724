//! What a user may do with money, beyond what the role allows. An administrator has every right.

use crate::Role;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoneyRight {
    /// Sees amounts and titles.
    SeeMoney,
    /// Settles titles and reverses settlements.
    SettleTitles,
    /// Approves a charging run.
    ApproveRuns,
    /// Closes and reopens periods.
    ClosePeriods,
}

impl MoneyRight {
    pub const ALL: [MoneyRight; 4] =
        [MoneyRight::SeeMoney, MoneyRight::SettleTitles, MoneyRight::ApproveRuns, MoneyRight::ClosePeriods];

    /// The bit stored in the database; never changes.
    const fn bit(self) -> i64 {
        match self {
            MoneyRight::SeeMoney => 1,
            MoneyRight::SettleTitles => 2,
            MoneyRight::ApproveRuns => 4,
            MoneyRight::ClosePeriods => 8,
        }
    }
}

/// A set of [`MoneyRight`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoneyRights(i64);

impl MoneyRights {
    pub const NONE: MoneyRights = MoneyRights(0);
    pub const ALL: MoneyRights = MoneyRights(15);
    pub const SEE_AND_SETTLE: MoneyRights =
        MoneyRights(MoneyRight::SeeMoney.bit() | MoneyRight::SettleTitles.bit());

    /// The rights of a new user for whom none are chosen: programs work at once, operators get theirs from an
    /// administrator.
    pub const fn for_new_user(role: Role) -> MoneyRights {
        match role {
            Role::Operator => MoneyRights::NONE,
            Role::Administrator | Role::Integration => MoneyRights::SEE_AND_SETTLE,
        }
    }

    /// The rights that count: an administrator has all, whatever is stored.
    pub fn for_role(role: Role, stored: MoneyRights) -> MoneyRights {
        if role == Role::Administrator { MoneyRights::ALL } else { stored }
    }

    /// The number stored in the database.
    pub const fn number(self) -> i64 {
        self.0
    }

    pub fn from_number(number: i64) -> Option<MoneyRights> {
        (0..=MoneyRights::ALL.0).contains(&number).then_some(MoneyRights(number))
    }

    pub const fn contains(self, right: MoneyRight) -> bool {
        self.0 & right.bit() != 0
    }

    /// The rights of the set, in the order of [`MoneyRight::ALL`].
    pub fn iter(self) -> impl Iterator<Item = MoneyRight> {
        MoneyRight::ALL.into_iter().filter(move |right| self.contains(*right))
    }
}

impl FromIterator<MoneyRight> for MoneyRights {
    fn from_iter<I: IntoIterator<Item = MoneyRight>>(rights: I) -> MoneyRights {
        MoneyRights(rights.into_iter().fold(0, |bits, right| bits | right.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_the_set() {
        for number in 0..16 {
            let rights = MoneyRights::from_number(number).unwrap();
            assert_eq!(rights.number(), number);
            assert_eq!(rights.iter().collect::<MoneyRights>(), rights);
        }
        assert_eq!((MoneyRights::from_number(-1), MoneyRights::from_number(16)), (None, None));
        assert_eq!(MoneyRight::ALL.into_iter().collect::<MoneyRights>(), MoneyRights::ALL);
    }

    #[test]
    fn the_default_sees_and_settles() {
        assert_eq!(MoneyRights::SEE_AND_SETTLE.number(), 3);
        let rights: Vec<MoneyRight> = MoneyRights::SEE_AND_SETTLE.iter().collect();
        assert_eq!(rights, [MoneyRight::SeeMoney, MoneyRight::SettleTitles]);
        assert!(!MoneyRights::SEE_AND_SETTLE.contains(MoneyRight::ApproveRuns));
        assert!(!MoneyRights::SEE_AND_SETTLE.contains(MoneyRight::ClosePeriods));
    }

    #[test]
    fn only_an_administrator_has_more_than_what_is_stored() {
        for role in Role::ALL {
            let has_all = MoneyRights::for_role(role, MoneyRights::NONE) == MoneyRights::ALL;
            assert_eq!(has_all, role == Role::Administrator);
        }
        let stored = MoneyRights::SEE_AND_SETTLE;
        assert_eq!(MoneyRights::for_role(Role::Operator, stored), stored);
        assert_eq!(MoneyRights::for_role(Role::Integration, stored), stored);
    }
}
