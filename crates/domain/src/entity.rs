//! The entities whose changes of situation are told, and which kinds of situation each may have.

use crate::SituationKind;

/// An entity whose situation changes fire triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    Benefit,
    Claim,
    Inspection,
    Ticket,
    Appointment,
    /// Its situations are derived and fixed; a part payment fires, too.
    Title,
}

impl Entity {
    pub const ALL: [Entity; 6] = [
        Entity::Benefit,
        Entity::Claim,
        Entity::Inspection,
        Entity::Ticket,
        Entity::Appointment,
        Entity::Title,
    ];
    /// Those whose situations an association registers. A receiver of `todos` gets these five and no other, so that one
    /// that was written for them never sees an entity that it does not know.
    pub const SITUATED: [Entity; 5] =
        [Entity::Benefit, Entity::Claim, Entity::Inspection, Entity::Ticket, Entity::Appointment];

    /// The number stored in the database; never changes.
    pub const fn number(self) -> i64 {
        match self {
            Entity::Benefit => 1,
            Entity::Claim => 2,
            Entity::Inspection => 3,
            Entity::Ticket => 4,
            Entity::Appointment => 5,
            Entity::Title => 6,
        }
    }

    pub fn from_number(number: i64) -> Option<Entity> {
        Entity::ALL.into_iter().find(|entity| entity.number() == number)
    }

    /// The situation types of this entity; none if its situations are fixed.
    pub fn situation_kinds(self) -> &'static [SituationKind] {
        use SituationKind::{Active, Cancelled, Done, Inactive, Open, Pending, Progress, Suspended};
        match self {
            Entity::Benefit => &[Active, Pending, Suspended, Inactive, Cancelled],
            Entity::Title => &[],
            Entity::Claim | Entity::Inspection | Entity::Ticket | Entity::Appointment => {
                &[Open, Progress, Done, Cancelled]
            }
        }
    }

    /// Whether situations of this type are charged unless the association decides otherwise.
    pub fn is_charged_while(self, kind: SituationKind) -> bool {
        self == Entity::Benefit && matches!(kind, SituationKind::Active | SituationKind::Suspended)
    }
}

/// The entities that staff work on from opening to closing; they share one life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaseKind {
    Claim,
    Inspection,
    Ticket,
    Appointment,
}

impl CaseKind {
    pub const ALL: [CaseKind; 4] =
        [CaseKind::Claim, CaseKind::Inspection, CaseKind::Ticket, CaseKind::Appointment];

    pub const fn entity(self) -> Entity {
        match self {
            CaseKind::Claim => Entity::Claim,
            CaseKind::Inspection => Entity::Inspection,
            CaseKind::Ticket => Entity::Ticket,
            CaseKind::Appointment => Entity::Appointment,
        }
    }

    /// Benefits and titles are no cases.
    pub fn from_entity(entity: Entity) -> Option<CaseKind> {
        CaseKind::ALL.into_iter().find(|kind| kind.entity() == entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_what_they_name() {
        for entity in Entity::ALL {
            assert_eq!(Entity::from_number(entity.number()), Some(entity));
        }
        assert_eq!(Entity::from_number(0), None);
    }
}
