//! Every register, described.

mod equipment;
mod health;
mod operations;
mod sales;
mod sets;
mod structure;

use crate::describe::{FieldSpec, Kind, Register, Search, Within, Words};

/// In the order in which the documentation tells of them.
pub static REGISTERS: &[Register] = &[
    structure::BRANCH,
    structure::PLAN,
    structure::SELLER,
    structure::SUPPLIER,
    structure::DUE_DAY,
    structure::VEHICLE_TYPE,
    structure::ADDITIONAL_FIELD,
    operations::SITUATION,
    operations::CLAIM_TYPE,
    operations::INSPECTION_TYPE,
    operations::TICKET_TYPE,
    sales::FUNNEL,
    sales::STAGE,
    health::SPECIALTY,
    health::CLINIC,
    health::DOCTOR,
    equipment::TRACKER,
    equipment::INSTALLATION,
    equipment::CREDIT_CARD,
];

pub use sets::label;

/// The register of this path.
pub fn find(path: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|register| register.path == path)
}

/// What most registers are: seen by everybody, remembered, searched by words.
const fn plain(
    words: Words,
    (path, code, counter): (&'static str, &'static str, &'static str),
    table: &'static str,
    fields: &'static [FieldSpec],
) -> Register {
    Register {
        path,
        code,
        example: 70,
        table,
        key: "code",
        counter: Some(counter),
        codes: (1, i32::MAX),
        fields,
        within: Within::Base,
        unique: &[],
        search: Search::Words,
        filters: &[],
        needs_filter: false,
        remembered: true,
        about: "",
        section: "",
        columns: &[],
        words,
    }
}

/// The name, which almost every register has.
const fn name(text: &'static str, example: &'static str) -> FieldSpec {
    let name = FieldSpec::new("nome", "name", Kind::Text { longest: 200 });
    name.required().searched().told("Nome", text, example)
}

const fn email() -> FieldSpec {
    FieldSpec::new("email", "email", Kind::Email).searched().told(
        "E-mail",
        "O endereço de e-mail.",
        r#""contato@exemplo.com.br""#,
    )
}

const fn mobile() -> FieldSpec {
    FieldSpec::new("telefoneCelular", "mobile", Kind::Phone).searched().told(
        "Celular",
        "O celular, com DDD.",
        r#""(11)98765-4321""#,
    )
}

const fn landline() -> FieldSpec {
    FieldSpec::new("telefoneFixo", "landline", Kind::Phone).searched().told(
        "Telefone fixo",
        "O telefone fixo, com DDD.",
        r#""(11)3333-4444""#,
    )
}

const fn document(text: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec::new("cpfCnpj", "document", Kind::Document).searched().told("CPF ou CNPJ", text, example)
}

const fn text(
    name: &'static str,
    column: &'static str,
    longest: usize,
    label: &'static str,
    meaning: &'static str,
    example: &'static str,
) -> FieldSpec {
    FieldSpec::new(name, column, Kind::Text { longest }).told(label, meaning, example)
}

const STREET_KIND: FieldSpec =
    text("tipoLogradouro", "street_kind", 50, "Tipo", "O tipo do logradouro.", r#""Avenida""#);
const STREET: FieldSpec =
    text("logradouro", "street", 200, "Logradouro", "O logradouro, sem o tipo.", r#""Paulista""#);
const NUMBER: FieldSpec = text("numero", "street_number", 20, "Número", "O número.", r#""1578""#);
const COMPLEMENT: FieldSpec =
    text("complemento", "complement", 100, "Complemento", "O complemento.", r#""Loja 2""#);
const DISTRICT: FieldSpec = text("bairro", "district", 100, "Bairro", "O bairro.", r#""Bela Vista""#);
const CITY: FieldSpec = text("cidade", "city", 100, "Cidade", "A cidade.", r#""São Paulo""#).searched();
const STATE: FieldSpec =
    FieldSpec::new("uf", "state", Kind::Uf).told("UF", "As duas letras do estado.", r#""SP""#);
const CEP: FieldSpec = FieldSpec::new("cep", "cep", Kind::Cep).told("CEP", "O CEP.", r#""01310-100""#);

#[cfg(test)]
mod tests;
