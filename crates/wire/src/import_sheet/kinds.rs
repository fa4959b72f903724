//! The names of the import kinds.

use domain::ImportKind;

/// The name of an import kind in paths and commands.
pub fn name_import_kind(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Members => "associados",
        ImportKind::Vehicles => "veiculos",
        ImportKind::Dependents => "dependentes",
        ImportKind::Leads => "leads",
        ImportKind::Plans => "planos",
        ImportKind::Sellers => "vendedores",
        ImportKind::Titles => "titulos",
        ImportKind::OpeningBalances => "saldos",
    }
}

pub fn parse_import_kind(text: &str) -> Option<ImportKind> {
    ImportKind::ALL.iter().copied().find(|kind| name_import_kind(*kind) == text)
}
