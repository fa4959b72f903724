//! What the fixed sets are called outside.

use domain::{Role, SituationKind, VehicleCategory};

pub fn role(role: Role) -> &'static str {
    match role {
        Role::Administrator => "administrador",
        Role::Operator => "operador",
        Role::Integration => "integracao",
    }
}

pub fn role_from(text: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|one| role(*one) == text)
}

/// `tipo` of a situation.
pub fn situation_kind(kind: SituationKind) -> &'static str {
    match kind {
        SituationKind::Active => "ATIVO",
        SituationKind::Pending => "PENDENTE",
        SituationKind::Suspended => "SUSPENSO",
        SituationKind::Inactive => "INATIVO",
        SituationKind::Cancelled => "CANCELADO",
        SituationKind::Open => "ABERTO",
        SituationKind::Progress => "ANDAMENTO",
        SituationKind::Done => "CONCLUIDO",
    }
}

/// `categoria` as the list of vehicle types gives it.
pub fn vehicle_category(category: VehicleCategory) -> &'static str {
    match category {
        VehicleCategory::Bicycle => "Bicicleta",
        VehicleCategory::Truck => "Caminhao",
        VehicleCategory::Light => "Leve",
        VehicleCategory::Motorcycle => "Motocicleta",
        VehicleCategory::Pickup => "Pickup",
        VehicleCategory::Utility => "Utilitario",
        VehicleCategory::Bus => "Onibus",
        VehicleCategory::Other => "Outro",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_found_by_its_name() {
        for one in Role::ALL {
            assert_eq!(role_from(role(one)), Some(one));
        }
        assert_eq!(role_from("gerente"), None);
    }
}
