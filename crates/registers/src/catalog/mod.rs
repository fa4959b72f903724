//! The list of all registers, and the parts that most descriptions share.

mod equipment;
mod finance;
mod health;
mod operations;
mod sales;
mod sets;
mod structure;

use crate::describe::{DisplayTexts, FieldSpec, FieldType, RecordVisibility, Register, SearchMethod};

/// In the order of the documentation.
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
    finance::CHARGING_RULE,
    finance::PLAN_PRICE,
    finance::DISCOUNT,
    finance::TITLE_TYPE,
    finance::CHARGE_ITEM,
    finance::LATE_CHARGE_RULE,
    finance::PAYMENT_FORM,
    finance::SETTLEMENT_TYPE,
    finance::MONEY_ACCOUNT,
    finance::BANK_HOLIDAY,
    // Last: only an association with more than one group needs it.
    finance::PROTECTION_GROUP,
];

pub use sets::find_choice_label;

pub fn find_register(path: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|register| register.path == path)
}

/// The common case: visible to all users, cached, searched by words.
const fn build_plain_register(
    words: DisplayTexts,
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
        within: RecordVisibility::Base,
        unique: &[],
        search: SearchMethod::Words,
        filters: &[],
        needs_filter: false,
        remembered: true,
        about: "",
        section: "",
        columns: &[],
        words,
    }
}

/// The name field that almost every register has.
const fn build_name_field(text: &'static str, example: &'static str) -> FieldSpec {
    let name = FieldSpec::new("nome", "name", FieldType::Text { longest: 200 });
    name.make_required().make_searchable().with_texts("Nome", text, example)
}

const fn build_email_field() -> FieldSpec {
    FieldSpec::new("email", "email", FieldType::Email).make_searchable().with_texts(
        "E-mail",
        "O endereço de e-mail.",
        r#""contato@exemplo.com.br""#,
    )
}

const fn build_mobile_field() -> FieldSpec {
    FieldSpec::new("telefoneCelular", "mobile", FieldType::Phone).make_searchable().with_texts(
        "Celular",
        "O celular, com DDD.",
        r#""(11)98765-4321""#,
    )
}

const fn build_landline_field() -> FieldSpec {
    FieldSpec::new("telefoneFixo", "landline", FieldType::Phone).make_searchable().with_texts(
        "Telefone fixo",
        "O telefone fixo, com DDD.",
        r#""(11)3333-4444""#,
    )
}

const fn build_document_field(text: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec::new("cpfCnpj", "document", FieldType::Document).make_searchable().with_texts(
        "CPF ou CNPJ",
        text,
        example,
    )
}

const fn build_text_field(
    name: &'static str,
    column: &'static str,
    longest: usize,
    label: &'static str,
    meaning: &'static str,
    example: &'static str,
) -> FieldSpec {
    FieldSpec::new(name, column, FieldType::Text { longest }).with_texts(label, meaning, example)
}

const STREET_KIND: FieldSpec =
    build_text_field("tipoLogradouro", "street_kind", 50, "Tipo", "O tipo do logradouro.", r#""Avenida""#);
const STREET: FieldSpec =
    build_text_field("logradouro", "street", 200, "Logradouro", "O logradouro, sem o tipo.", r#""Paulista""#);
const NUMBER: FieldSpec = build_text_field("numero", "street_number", 20, "Número", "O número.", r#""1578""#);
const COMPLEMENT: FieldSpec =
    build_text_field("complemento", "complement", 100, "Complemento", "O complemento.", r#""Loja 2""#);
const DISTRICT: FieldSpec =
    build_text_field("bairro", "district", 100, "Bairro", "O bairro.", r#""Bela Vista""#);
const CITY: FieldSpec =
    build_text_field("cidade", "city", 100, "Cidade", "A cidade.", r#""São Paulo""#).make_searchable();
const STATE: FieldSpec =
    FieldSpec::new("uf", "state", FieldType::Uf).with_texts("UF", "As duas letras do estado.", r#""SP""#);
const CEP: FieldSpec =
    FieldSpec::new("cep", "cep", FieldType::Cep).with_texts("CEP", "O CEP.", r#""01310-100""#);

#[cfg(test)]
mod tests;
