//! Register data of the demo association: plans, vehicle types, due days, suppliers, and additional fields of benefits.

use domain::BenefitKind::{self, Assistance, Consortium, Health, Miscellaneous, Vehicle};
use domain::Colour;
use domain::FieldKind::{self, Boolean, Date, List, Number, Text};
use domain::VehicleCategory::{self, Bicycle, Bus, Light, Motorcycle, Other, Pickup, Truck, Utility};

pub const NAME: &str = "Associação Demonstração";
pub const CNPJ: &str = "11222333000181";

/// Name, benefit kind, price in cents.
pub const PLANS: &[(&str, BenefitKind, i64)] = &[
    ("Proteção Veicular Essencial", Vehicle, 8_990),
    ("Proteção Veicular Completa", Vehicle, 15_990),
    ("Proteção Motocicleta", Vehicle, 5_990),
    ("Proteção Caminhão", Vehicle, 34_990),
    ("Saúde Individual", Health, 12_900),
    ("Saúde Família", Health, 29_900),
    ("Odontológico", Health, 3_490),
    ("Clube de Descontos", Miscellaneous, 1_990),
    ("Auxílio Funeral", Miscellaneous, 2_490),
    ("Consórcio Automóvel 60 meses", Consortium, 98_000),
    ("Consórcio Imóvel 180 meses", Consortium, 145_000),
    ("Assistência 24h Básica", Assistance, 1_490),
    ("Assistência 24h Nacional", Assistance, 2_990),
];

pub const VEHICLE_TYPES: &[(&str, VehicleCategory)] = &[
    ("Automóvel de passeio", Light),
    ("Utilitário esportivo (SUV)", Light),
    ("Táxi e aplicativo", Light),
    ("Motocicleta até 160 cc", Motorcycle),
    ("Motocicleta acima de 160 cc", Motorcycle),
    ("Picape leve", Pickup),
    ("Picape média e grande", Pickup),
    ("Van e furgão", Utility),
    ("Caminhão leve", Truck),
    ("Caminhão pesado e cavalo mecânico", Truck),
    ("Micro-ônibus e ônibus", Bus),
    ("Bicicleta elétrica", Bicycle),
    ("Reboque e carretinha", Other),
];

/// A second funnel besides the default one, and its stages.
pub const SECOND_FUNNEL: (&str, &[(&str, Colour)]) = (
    "Empresas e frotas",
    &[
        ("Visita", Colour::from_rgb(0x1A_73E8)),
        ("Levantamento da frota", Colour::from_rgb(0x84_30CE)),
        ("Proposta", Colour::from_rgb(0xF9_AB00)),
        ("Contrato", Colour::from_rgb(0x18_8038)),
    ],
);

pub const DUE_DAYS: [i32; 6] = [5, 10, 15, 20, 25, 30];

pub struct SampleAdditionalField {
    pub benefit: BenefitKind,
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
    pub longest: Option<i32>,
    pub options: &'static [&'static str],
}

const fn define_field(benefit: BenefitKind, kind: FieldKind, name: &'static str) -> SampleAdditionalField {
    SampleAdditionalField { benefit, name, kind, required: false, longest: None, options: &[] }
}

const fn make_required(field: SampleAdditionalField) -> SampleAdditionalField {
    SampleAdditionalField { required: true, ..field }
}

const fn define_text_field(benefit: BenefitKind, name: &'static str, longest: i32) -> SampleAdditionalField {
    SampleAdditionalField { longest: Some(longest), ..define_field(benefit, Text, name) }
}

const fn define_list_field(
    benefit: BenefitKind,
    name: &'static str,
    options: &'static [&'static str],
) -> SampleAdditionalField {
    SampleAdditionalField { options, ..define_field(benefit, List, name) }
}

/// For each benefit kind one field of each type.
pub const FIELDS: &[SampleAdditionalField] = &[
    define_text_field(Vehicle, "Apelido do veículo", 40),
    define_field(Vehicle, Number, "Quilometragem na adesão"),
    define_field(Vehicle, Date, "Data da última vistoria"),
    define_field(Vehicle, Boolean, "Possui rastreador"),
    make_required(define_list_field(
        Vehicle,
        "Uso do veículo",
        &["Particular", "Trabalho", "Aplicativo", "Frete"],
    )),
    define_text_field(Health, "Médico de confiança", 80),
    define_field(Health, Number, "Peso em quilogramas"),
    define_field(Health, Date, "Fim da carência"),
    define_field(Health, Boolean, "Usa medicamento contínuo"),
    define_list_field(Health, "Tipo sanguíneo", &["A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-"]),
    define_text_field(Miscellaneous, "Indicado por", 80),
    define_field(Miscellaneous, Number, "Quantidade de cartões"),
    define_field(Miscellaneous, Date, "Data do kit de boas-vindas"),
    define_field(Miscellaneous, Boolean, "Aceita ofertas de parceiros"),
    define_list_field(Miscellaneous, "Como conheceu", &["Indicação", "Internet", "Evento", "Loja"]),
    make_required(define_text_field(Consortium, "Grupo e cota", 20)),
    define_field(Consortium, Number, "Valor do lance"),
    define_field(Consortium, Date, "Próxima assembleia"),
    define_field(Consortium, Boolean, "Foi contemplado"),
    define_list_field(Consortium, "Forma de contemplação", &["Sorteio", "Lance livre", "Lance fixo"]),
    define_text_field(Assistance, "Ponto de referência", 120),
    define_field(Assistance, Number, "Acionamentos por ano"),
    define_field(Assistance, Date, "Último acionamento"),
    define_field(Assistance, Boolean, "Inclui carro reserva"),
    define_list_field(Assistance, "Abrangência", &["Municipal", "Estadual", "Nacional", "Mercosul"]),
];

pub struct SampleSupplier {
    pub name: &'static str,
    pub trade_name: &'static str,
    pub kind: &'static str,
    /// The index of the demo branch where it works.
    pub branch: usize,
    pub mailbox: &'static str,
}

const fn define_supplier(
    name: &'static str,
    trade_name: &'static str,
    kind: &'static str,
    branch: usize,
    mailbox: &'static str,
) -> SampleSupplier {
    SampleSupplier { name, trade_name, kind, branch, mailbox }
}

/// The kind of tracker suppliers.
pub const TRACKERS: &str = "Rastreador";

pub const SUPPLIERS: &[SampleSupplier] = &[
    define_supplier("Oficina Mecânica Boa Rota Ltda", "Boa Rota", "Oficina", 0, "boa-rota"),
    define_supplier("Guincho e Resgate Estrada Livre ME", "Estrada Livre", "Guincho", 0, "estrada-livre"),
    define_supplier("Vidros e Para-brisas Horizonte Ltda", "Horizonte Vidros", "Vidraçaria", 1, "horizonte"),
    define_supplier("Clínica Vida Plena S.A.", "Vida Plena", "Clínica", 1, "vida-plena"),
    define_supplier("Rastreamento Sul Sinal Ltda", "Sul Sinal", TRACKERS, 2, "sul-sinal"),
    define_supplier("Chaveiro Central EIRELI", "Chaveiro Central", "Chaveiro", 3, "chaveiro"),
    define_supplier("Funerária Paz Serena Ltda", "Paz Serena", "Funerária", 3, "paz-serena"),
    define_supplier("Autopeças Cerrado Comércio Ltda", "Cerrado Autopeças", "Peças", 4, "cerrado"),
    define_supplier("Via Segura Rastreamento e Bloqueio Ltda", "Via Segura", TRACKERS, 0, "via-segura"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{DisplayName, InputField, fold_text};
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_of_benefit_has_plans_and_a_field_of_every_kind() {
        for benefit in BenefitKind::ALL {
            assert!(PLANS.iter().any(|(_, kind, _)| kind == benefit), "{benefit:?}");
            let fields: Vec<_> = FIELDS.iter().filter(|field| field.benefit == *benefit).collect();
            for kind in FieldKind::ALL {
                assert!(fields.iter().any(|field| field.kind == *kind), "{benefit:?} {kind:?}");
            }
            let names: BTreeSet<_> = fields.iter().map(|field| fold_text(field.name)).collect();
            assert_eq!(names.len(), fields.len());
        }
        for field in FIELDS {
            assert_eq!(field.kind == List, !field.options.is_empty(), "{}", field.name);
            assert_eq!(field.kind == Text, field.longest.is_some(), "{}", field.name);
        }
        assert!(VehicleCategory::ALL.iter().all(|one| VEHICLE_TYPES.iter().any(|(_, kind)| kind == one)));
    }

    #[test]
    fn every_name_can_be_kept() {
        let plans = PLANS.iter().map(|(name, ..)| *name);
        let types = VEHICLE_TYPES.iter().map(|(name, _)| *name);
        let others =
            FIELDS.iter().map(|field| field.name).chain(SUPPLIERS.iter().map(|supplier| supplier.name));
        for name in plans.chain(types).chain(others).chain([NAME]) {
            assert!(DisplayName::parse(InputField::Name, name).is_ok(), "{name}");
        }
    }
}
