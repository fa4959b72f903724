//! The fixed types that a situation may have, and which of them close a record.

use crate::Moment;

/// The fixed type of a situation. Rules use the type, not the name the association gave the situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SituationKind {
    Active,
    Pending,
    Suspended,
    Inactive,
    Cancelled,
    Open,
    Progress,
    Done,
}

impl SituationKind {
    pub const ALL: [SituationKind; 8] = [
        SituationKind::Active,
        SituationKind::Pending,
        SituationKind::Suspended,
        SituationKind::Inactive,
        SituationKind::Cancelled,
        SituationKind::Open,
        SituationKind::Progress,
        SituationKind::Done,
    ];

    /// The number stored in the database; never changes.
    pub const fn number(self) -> i64 {
        match self {
            SituationKind::Active => 1,
            SituationKind::Pending => 2,
            SituationKind::Suspended => 3,
            SituationKind::Inactive => 4,
            SituationKind::Cancelled => 5,
            SituationKind::Open => 6,
            SituationKind::Progress => 7,
            SituationKind::Done => 8,
        }
    }

    /// Whether this type closes a record.
    pub fn is_final(self) -> bool {
        matches!(self, SituationKind::Done | SituationKind::Cancelled)
    }

    /// When a record in such a situation was closed; `None` while it is open. One that stays closed keeps its time.
    pub fn choose_closing_time(self, closed_at: Option<Moment>, now: Moment) -> Option<Moment> {
        self.is_final().then(|| closed_at.unwrap_or(now))
    }

    pub fn from_number(number: i64) -> Option<SituationKind> {
        SituationKind::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_the_kind() {
        for kind in SituationKind::ALL {
            assert_eq!(SituationKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!(SituationKind::from_number(99), None);
    }
}
