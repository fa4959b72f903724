//! The situations that every association is born with. It renames, recolours and adds to them as it likes; the types
//! are fixed, and each type has exactly one default, which is what a bare `ativo: true` or a cancellation picks.

use domain::Colour;
use domain::Entity::{self, Appointment, Benefit, Claim, Inspection, Ticket};
use domain::SituationKind::{self, Active, Cancelled, Done, Inactive, Open, Pending, Progress, Suspended};

pub struct BornSituation {
    pub entity: Entity,
    pub name: &'static str,
    pub kind: SituationKind,
    pub colour: Colour,
    /// What its type picks where only the type is said.
    pub is_default: bool,
}

const GREEN: Colour = Colour::rgb(0x18_8038);
const AMBER: Colour = Colour::rgb(0xF9_AB00);
const ORANGE: Colour = Colour::rgb(0xE3_7400);
const BLUE: Colour = Colour::rgb(0x1A_73E8);
const VIOLET: Colour = Colour::rgb(0x84_30CE);
const GREY: Colour = Colour::rgb(0x5F_6368);
const RED: Colour = Colour::rgb(0xC5_221F);

const fn default(entity: Entity, name: &'static str, kind: SituationKind, colour: Colour) -> BornSituation {
    BornSituation { entity, name, kind, colour, is_default: true }
}

const fn further(entity: Entity, name: &'static str, kind: SituationKind, colour: Colour) -> BornSituation {
    BornSituation { entity, name, kind, colour, is_default: false }
}

/// In the order in which people see them.
pub const SITUATIONS: &[BornSituation] = &[
    default(Benefit, "ATIVO", Active, GREEN),
    default(Benefit, "PENDENTE", Pending, AMBER),
    further(Benefit, "INADIMPLENTE", Suspended, ORANGE),
    default(Benefit, "SUSPENSO", Suspended, VIOLET),
    default(Benefit, "INATIVO", Inactive, GREY),
    default(Benefit, "CANCELADO", Cancelled, RED),
    default(Claim, "ABERTO", Open, BLUE),
    default(Claim, "EM ANÁLISE", Progress, AMBER),
    further(Claim, "EM REPARO", Progress, ORANGE),
    further(Claim, "AGUARDANDO DOCUMENTOS", Progress, VIOLET),
    default(Claim, "CONCLUÍDO", Done, GREEN),
    default(Claim, "CANCELADO", Cancelled, RED),
    default(Inspection, "SOLICITADA", Open, BLUE),
    default(Inspection, "EM ANDAMENTO", Progress, AMBER),
    default(Inspection, "APROVADA", Done, GREEN),
    further(Inspection, "REPROVADA", Done, ORANGE),
    default(Inspection, "CANCELADA", Cancelled, RED),
    default(Ticket, "ABERTO", Open, BLUE),
    default(Ticket, "EM ATENDIMENTO", Progress, AMBER),
    further(Ticket, "AGUARDANDO ASSOCIADO", Progress, VIOLET),
    default(Ticket, "RESOLVIDO", Done, GREEN),
    default(Ticket, "CANCELADO", Cancelled, RED),
    default(Appointment, "AGENDADA", Open, BLUE),
    default(Appointment, "CONFIRMADA", Progress, AMBER),
    default(Appointment, "REALIZADA", Done, GREEN),
    further(Appointment, "NÃO COMPARECEU", Done, GREY),
    default(Appointment, "CANCELADA", Cancelled, RED),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::fold;
    use std::collections::BTreeSet;

    #[test]
    fn each_entity_has_one_default_for_each_of_its_types_and_no_other_type() {
        for entity in Entity::ALL {
            let own: Vec<_> = SITUATIONS.iter().filter(|born| born.entity == entity).collect();
            for kind in entity.kinds() {
                assert_eq!(
                    own.iter().filter(|b| b.kind == *kind && b.is_default).count(),
                    1,
                    "{entity:?} {kind:?}"
                );
            }
            assert!(own.iter().all(|born| entity.kinds().contains(&born.kind)), "{entity:?}");
        }
    }

    #[test]
    fn no_entity_has_two_situations_of_one_name() {
        let names: BTreeSet<_> = SITUATIONS.iter().map(|born| (born.entity, fold(born.name))).collect();
        assert_eq!(names.len(), SITUATIONS.len());
    }
}
