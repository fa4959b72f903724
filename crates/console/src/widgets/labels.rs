//! Labels of the fixed sets; their API names are in `wire::set_names`.

use domain::{BenefitKind, CivilState, Fuel, Kinship, VehicleCategory};

pub const fn label_benefit_kind(kind: BenefitKind) -> &'static str {
    match kind {
        BenefitKind::Vehicle => "Veicular",
        BenefitKind::Health => "Saúde",
        BenefitKind::Miscellaneous => "Diversos",
        BenefitKind::Consortium => "Consórcio",
        BenefitKind::Assistance => "Assistência 24h",
    }
}

pub const fn label_civil_state(state: CivilState) -> &'static str {
    match state {
        CivilState::Single => "Solteiro(a)",
        CivilState::Married => "Casado(a)",
        CivilState::Widowed => "Viúvo(a)",
        CivilState::Separated => "Separado(a)",
        CivilState::Divorced => "Divorciado(a)",
        CivilState::StableUnion => "União estável",
        CivilState::Other => "Outro",
    }
}

pub const fn label_kinship(kinship: Kinship) -> &'static str {
    match kinship {
        Kinship::Spouse => "Cônjuge",
        Kinship::Father => "Pai ou mãe",
        Kinship::Child => "Filho(a)",
        Kinship::Sibling => "Irmão ou irmã",
        Kinship::Grandparent => "Avô ou avó",
        Kinship::Uncle => "Tio(a)",
        Kinship::Nephew => "Sobrinho(a)",
        Kinship::Cousin => "Primo(a)",
        Kinship::Grandchild => "Neto(a)",
        Kinship::ParentInLaw => "Sogro(a)",
        Kinship::Other => "Outro",
        Kinship::Dog => "Cachorro",
        Kinship::Cat => "Gato",
        Kinship::OtherPet => "Outro animal",
        Kinship::SiblingInLaw => "Cunhado(a)",
        Kinship::ChildInLaw => "Genro ou nora",
        Kinship::Stepchild => "Enteado(a)",
        Kinship::Stepfather => "Padrasto ou madrasta",
    }
}

pub const fn label_fuel(fuel: Fuel) -> &'static str {
    match fuel {
        Fuel::Petrol => "Gasolina",
        Fuel::Ethanol => "Etanol",
        Fuel::Flex => "Flex",
        Fuel::Diesel => "Diesel",
        Fuel::NaturalGas => "GNV",
        Fuel::Electric => "Elétrico",
        Fuel::Other => "Outro",
    }
}

pub const fn label_vehicle_category(category: VehicleCategory) -> &'static str {
    match category {
        VehicleCategory::Bicycle => "Bicicleta",
        VehicleCategory::Truck => "Caminhão",
        VehicleCategory::Light => "Leve",
        VehicleCategory::Motorcycle => "Motocicleta",
        VehicleCategory::Pickup => "Picape",
        VehicleCategory::Utility => "Utilitário",
        VehicleCategory::Bus => "Ônibus",
        VehicleCategory::Other => "Outro",
    }
}

/// Choices from a fixed set: API name and label.
pub fn list_named_choices<T: Copy>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    word: impl Fn(T) -> &'static str,
) -> Vec<(String, String)> {
    all.iter().map(|one| (name(*one).to_owned(), word(*one).to_owned())).collect()
}
