//! The columns of each kind of import file, with the names that associations use for them.

mod money_registers;
mod people;
mod sales;
mod titles;
mod vehicles;

use super::fields::{ImportField, ImportFieldKind};
use domain::ImportKind;

pub fn list_import_fields(kind: ImportKind) -> &'static [ImportField] {
    match kind {
        ImportKind::Members => people::MEMBERS,
        ImportKind::Vehicles => vehicles::VEHICLES,
        ImportKind::Dependents => people::DEPENDENTS,
        ImportKind::Leads => people::LEADS,
        ImportKind::Plans => sales::PLANS,
        ImportKind::Sellers => sales::SELLERS,
        ImportKind::Titles => titles::TITLES,
        ImportKind::OpeningBalances => titles::OPENING_BALANCES,
        _ => money_registers::list_register_fields(kind),
    }
}

const fn build_optional_field(
    name: &'static str,
    label: &'static str,
    cell: ImportFieldKind,
    synonyms: &'static [&'static str],
) -> ImportField {
    ImportField { name, label, cell, required: false, synonyms }
}

const fn build_required_field(
    name: &'static str,
    label: &'static str,
    cell: ImportFieldKind,
    synonyms: &'static [&'static str],
) -> ImportField {
    ImportField { required: true, ..build_optional_field(name, label, cell, synonyms) }
}

const BRANCH: ImportField = build_optional_field(
    "codLoja",
    "Loja",
    ImportFieldKind::Branch,
    &["Código da loja", "Unidade", "Filial", "Regional", "Nome da loja"],
);
const CONSULTANT: ImportField = build_optional_field(
    "codConsultor",
    "Consultor",
    ImportFieldKind::Consultant,
    &["Código do consultor", "Vendedor", "Consultora", "Nome do consultor", "Nome do vendedor"],
);
const REPRESENTATIVE: ImportField = build_optional_field(
    "codRepresentante",
    "Representante",
    ImportFieldKind::Representative,
    &["Código do representante", "Nome do representante"],
);
const EMAIL: ImportField = build_optional_field(
    "email",
    "E-mail",
    ImportFieldKind::Text,
    &["Mail", "Correio eletrônico", "Endereço de e-mail"],
);
const SEX: ImportField = build_optional_field("sexo", "Sexo", ImportFieldKind::Sex, &["Gênero"]);
const BIRTH: ImportField = build_optional_field(
    "dataNascimento",
    "Data de nascimento",
    ImportFieldKind::Date,
    &["Data de nasc.", "Data nascimento", "Dt nascimento", "Dt. nasc.", "Data nasc", "Nascimento", "Nasc."],
);
