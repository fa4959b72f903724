//! The default situations of a new association, which it may rename, recolour and extend. The types are fixed, and each
//! type has exactly one default, used for a bare `ativo: true` or a cancellation.

use domain::Colour;
use domain::Entity::{self, Appointment, Benefit, Claim, Inspection, Ticket};
use domain::SituationKind::{self, Active, Cancelled, Done, Inactive, Open, Pending, Progress, Suspended};

pub struct InitialSituation {
    pub entity: Entity,
    pub name: &'static str,
    pub kind: SituationKind,
    pub colour: Colour,
    /// Used where a request names only the type.
    pub is_default: bool,
}

const GREEN: Colour = Colour::from_rgb(0x18_8038);
const AMBER: Colour = Colour::from_rgb(0xF9_AB00);
const ORANGE: Colour = Colour::from_rgb(0xE3_7400);
const BLUE: Colour = Colour::from_rgb(0x1A_73E8);
const VIOLET: Colour = Colour::from_rgb(0x84_30CE);
const GREY: Colour = Colour::from_rgb(0x5F_6368);
const RED: Colour = Colour::from_rgb(0xC5_221F);

const fn build_default_situation(
    entity: Entity,
    name: &'static str,
    kind: SituationKind,
    colour: Colour,
) -> InitialSituation {
    InitialSituation { entity, name, kind, colour, is_default: true }
}

const fn build_further_situation(
    entity: Entity,
    name: &'static str,
    kind: SituationKind,
    colour: Colour,
) -> InitialSituation {
    InitialSituation { entity, name, kind, colour, is_default: false }
}

/// In display order.
pub const SITUATIONS: &[InitialSituation] = &[
    build_default_situation(Benefit, "ATIVO", Active, GREEN),
    build_default_situation(Benefit, "PENDENTE", Pending, AMBER),
    build_further_situation(Benefit, "INADIMPLENTE", Suspended, ORANGE),
    build_default_situation(Benefit, "SUSPENSO", Suspended, VIOLET),
    build_default_situation(Benefit, "INATIVO", Inactive, GREY),
    build_default_situation(Benefit, "CANCELADO", Cancelled, RED),
    build_default_situation(Claim, "ABERTO", Open, BLUE),
    build_default_situation(Claim, "EM ANÁLISE", Progress, AMBER),
    build_further_situation(Claim, "EM REPARO", Progress, ORANGE),
    build_further_situation(Claim, "AGUARDANDO DOCUMENTOS", Progress, VIOLET),
    build_default_situation(Claim, "CONCLUÍDO", Done, GREEN),
    build_default_situation(Claim, "CANCELADO", Cancelled, RED),
    build_default_situation(Inspection, "SOLICITADA", Open, BLUE),
    build_default_situation(Inspection, "EM ANDAMENTO", Progress, AMBER),
    build_default_situation(Inspection, "APROVADA", Done, GREEN),
    build_further_situation(Inspection, "REPROVADA", Done, ORANGE),
    build_default_situation(Inspection, "CANCELADA", Cancelled, RED),
    build_default_situation(Ticket, "ABERTO", Open, BLUE),
    build_default_situation(Ticket, "EM ATENDIMENTO", Progress, AMBER),
    build_further_situation(Ticket, "AGUARDANDO ASSOCIADO", Progress, VIOLET),
    build_default_situation(Ticket, "RESOLVIDO", Done, GREEN),
    build_default_situation(Ticket, "CANCELADO", Cancelled, RED),
    build_default_situation(Appointment, "AGENDADA", Open, BLUE),
    build_default_situation(Appointment, "CONFIRMADA", Progress, AMBER),
    build_default_situation(Appointment, "REALIZADA", Done, GREEN),
    build_further_situation(Appointment, "NÃO COMPARECEU", Done, GREY),
    build_default_situation(Appointment, "CANCELADA", Cancelled, RED),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::fold_text;
    use std::collections::BTreeSet;

    #[test]
    fn each_entity_has_one_default_for_each_of_its_types_and_no_other_type() {
        for entity in Entity::SITUATED {
            let situations: Vec<_> = SITUATIONS.iter().filter(|born| born.entity == entity).collect();
            for kind in entity.situation_kinds() {
                assert_eq!(
                    situations.iter().filter(|b| b.kind == *kind && b.is_default).count(),
                    1,
                    "{entity:?} {kind:?}"
                );
            }
            assert!(
                situations.iter().all(|born| entity.situation_kinds().contains(&born.kind)),
                "{entity:?}"
            );
        }
    }

    #[test]
    fn no_entity_has_two_situations_of_one_name() {
        let names: BTreeSet<_> = SITUATIONS.iter().map(|born| (born.entity, fold_text(born.name))).collect();
        assert_eq!(names.len(), SITUATIONS.len());
    }
}
