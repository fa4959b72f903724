//! The default claim, inspection and ticket types of a new association, which it may rename and extend. Migration 8
//! adds the same to existing associations.

use domain::Priority;

pub const CLAIM_TYPES: &[&str] =
    &["Colisão", "Roubo ou furto", "Vidros e faróis", "Danos da natureza", "Assistência e guincho"];

pub struct InitialInspectionType {
    pub name: &'static str,
    /// The inspector's checklist, one item per line.
    pub checklist: &'static str,
}

pub const INSPECTION_TYPES: &[InitialInspectionType] = &[
    InitialInspectionType {
        name: "Vistoria de adesão",
        checklist: "Placa e chassi\nLataria e pintura\nVidros e faróis\nPneus e estepe\nQuilometragem\nDocumento do veículo",
    },
    InitialInspectionType {
        name: "Vistoria de evento",
        checklist: "Placa e chassi\nDanos visíveis\nFotos dos quatro lados\nBoletim de ocorrência",
    },
    InitialInspectionType { name: "Documentação", checklist: "Identidade\nComprovante de endereço\nCNH" },
];

pub const TICKET_TYPES: &[(&str, Priority)] = &[
    ("Dúvida", Priority::Low),
    ("Boleto e pagamento", Priority::Medium),
    ("Alteração de cadastro", Priority::Medium),
    ("Reclamação", Priority::High),
    ("Cancelamento", Priority::High),
];
