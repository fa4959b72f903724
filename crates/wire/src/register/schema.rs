//! The `OpenAPI` schemas of register records, built from their description.

use super::percent::PercentageInput;
use crate::read::{DocumentedField, JsonInput, build_object_schema, describe_schema, make_nullable};
use domain::{Cep, Colour, Date, Document, Email, Money, NoteText, Phone, Uf};
use registers::{FieldRequirement, FieldSpec, FieldType, Register};
use serde_json::{Value as Json, json};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

pub struct NamedSchema {
    pub name: String,
    pub schema: RefOr<Schema>,
}

/// The answer: every field, always present.
pub fn describe_record(register: &Register) -> NamedSchema {
    let mut fields = vec![describe_code_field(register, true)];
    let visible = register.fields.iter().filter(|field| field.is_visible());
    fields.extend(visible.map(|field| {
        let schema = match is_never_null(field) {
            true => build_field_schema(field.kind),
            false => make_nullable(build_field_schema(field.kind)),
        };
        DocumentedField { schema, ..describe_field(field, true) }
    }));
    fields.push(describe_active_field(true));
    fields.push(describe_version_field());
    for (name, text) in [
        ("dataCadastro", "Quando foi cadastrado."),
        ("dataAtualizacao", "Quando foi alterado pela última vez."),
    ] {
        let schema = <String as JsonInput>::schema();
        let example = json!("2026-11-14T10:32:05-03:00");
        fields.push(DocumentedField { name, text: text.to_owned(), required: true, schema, example });
    }
    let text = format!("Um registro do cadastro de {}.", register.words.many);
    NamedSchema {
        name: format!("Cadastro{}TO", register.title()),
        schema: build_object_schema(&text, fields),
    }
}

/// A page of a list.
pub fn describe_page(register: &Register) -> NamedSchema {
    let items = ArrayBuilder::new()
        .items(Ref::from_schema_name(describe_record(register).name))
        .description(Some("Os registros da página, até 100."));
    let number = <i32 as JsonInput>::schema;
    let parts: [(&str, RefOr<Schema>); 4] = [
        ("itens", items.build().into()),
        ("paginaAtual", describe_schema(number(), "O número desta página, a partir de 1.", json!(1))),
        (
            "proximaPagina",
            describe_schema(
                <bool as JsonInput>::schema(),
                "Se há mais uma página depois desta.",
                json!(false),
            ),
        ),
        ("quantidade", describe_schema(number(), "Quantos registros há em todas as páginas.", json!(7))),
    ];
    let text = format!("Uma página do cadastro de {}.", register.words.many);
    let page =
        parts.into_iter().fold(ObjectBuilder::new().description(Some(text)), |page, (name, schema)| {
            page.required(name).property(name, schema)
        });
    NamedSchema { name: format!("ListaCadastro{}TO", register.title()), schema: page.build().into() }
}

/// The request to create a record.
pub fn describe_input(register: &Register) -> NamedSchema {
    let mut fields = vec![describe_code_field(register, register.counter.is_none())];
    fields.extend(
        list_input_fields(register)
            .map(|field| describe_field(field, field.need == FieldRequirement::Required)),
    );
    fields.push(describe_active_field(false));
    let text = format!("Um registro novo do cadastro de {}.", register.words.many);
    NamedSchema {
        name: format!("Cadastro{}InputTO", register.title()),
        schema: build_object_schema(&text, fields),
    }
}

/// The request to change a record.
pub fn describe_change(register: &Register) -> NamedSchema {
    let mut fields = vec![describe_version_field()];
    fields.extend(list_input_fields(register).map(|field| describe_field(field, false)));
    fields.push(describe_active_field(false));
    let text = format!(
        "A alteração de um registro do cadastro de {}: o campo que não vem fica como está.",
        register.words.many
    );
    NamedSchema {
        name: format!("Alteracao{}InputTO", register.title()),
        schema: build_object_schema(&text, fields),
    }
}

/// The query parameters of a list.
pub fn list_query_fields(register: &'static Register) -> Vec<DocumentedField> {
    let searched: Vec<&str> =
        register.fields.iter().filter(|field| field.searched).map(|field| field.name).collect();
    let search_text = match register.search {
        registers::SearchMethod::Beginnings(names) => format!("O começo de {}.", names.join(" ou de ")),
        registers::SearchMethod::Words if searched.is_empty() => "O código.".to_owned(),
        registers::SearchMethod::Words => {
            format!("O código, ou começos de palavras de {}.", searched.join(", "))
        }
    };
    let first = register.fields.first().map_or("12", |field| field.example);
    let mut all = vec![
        DocumentedField {
            name: "filtro",
            text: search_text,
            required: false,
            schema: <String as JsonInput>::schema(),
            example: parse_example(first).as_str().map_or(json!("12"), |text| json!(text)),
        },
        DocumentedField {
            name: "ativo",
            text: "Só o que está em uso (true) ou só o que não está (false); tudo onde não vem.".to_owned(),
            required: false,
            schema: <bool as JsonInput>::schema(),
            example: json!(true),
        },
        DocumentedField {
            name: "pagina",
            text: "O número da página, a partir de 1.".to_owned(),
            required: false,
            schema: <crate::read::BoundedInt<1, { i32::MAX }> as JsonInput>::schema(),
            example: json!(1),
        },
    ];
    let needed = match register.needs_filter {
        true => format!(" Ao menos um destes deve vir: {}.", register.filters.join(", ")),
        false => String::new(),
    };
    let filters = register.filters.iter().filter_map(|name| register.find_field(name));
    all.extend(filters.map(|(_, field)| {
        let description = describe_field(field, false);
        let text = format!("Só os deste valor. {}{needed}", description.text);
        // Nobody looks for what may be left out.
        let example = if description.example.is_null() { json!(1) } else { description.example };
        DocumentedField { text, example, ..description }
    }));
    all
}

fn list_input_fields(register: &Register) -> impl Iterator<Item = &'static FieldSpec> {
    register.fields.iter().filter(|field| field.is_input())
}

/// Lists are empty instead of `null`.
fn is_never_null(field: &FieldSpec) -> bool {
    field.need != FieldRequirement::Optional
        || matches!(
            field.kind,
            FieldType::References { .. }
                | FieldType::Items { .. }
                | FieldType::Lines { .. }
                | FieldType::ReadableOn(_)
        )
}

fn describe_field(field: &'static FieldSpec, required: bool) -> DocumentedField {
    DocumentedField {
        name: field.name,
        text: field.text.to_owned(),
        required,
        schema: build_field_schema(field.kind),
        example: parse_example(field.example),
    }
}

fn parse_example(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or(Json::Null)
}

fn describe_code_field(register: &Register, required: bool) -> DocumentedField {
    let (least, most) = register.codes;
    let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(Some(most));
    DocumentedField {
        name: register.code,
        text: match register.counter {
            Some(_) => "O código do registro; o próximo, onde não vem.".to_owned(),
            None => "O dia do mês, que é o código do registro.".to_owned(),
        },
        required,
        schema: schema.build().into(),
        example: json!(register.example),
    }
}

fn describe_active_field(required: bool) -> DocumentedField {
    DocumentedField {
        name: "ativo",
        text: "Se está em uso.".to_owned(),
        required,
        schema: <bool as JsonInput>::schema(),
        example: json!(true),
    }
}

fn describe_version_field() -> DocumentedField {
    DocumentedField {
        name: "versao",
        text: "A versão do registro, que muda com cada alteração.".to_owned(),
        required: true,
        schema: <crate::read::BoundedInt<0, { i32::MAX }> as JsonInput>::schema(),
        example: json!(1),
    }
}

fn build_field_schema(kind: FieldType) -> RefOr<Schema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let integer = || ObjectBuilder::new().schema_type(Type::Integer);
    match kind {
        FieldType::Text { longest } | FieldType::Serial { longest } | FieldType::Secret { longest } => {
            text().max_length(Some(longest)).build().into()
        }
        FieldType::Digits(count) => text().pattern(Some(format!(r"^\d{{{count}}}$"))).build().into(),
        FieldType::Month => text().pattern(Some(r"^(\d{2}/\d{4}|\d{4}-\d{2})$")).build().into(),
        FieldType::Choice(names) => {
            text().enum_values(Some(names.iter().map(|(_, name)| *name))).build().into()
        }
        FieldType::Integer { least, most } => {
            integer().minimum(Some(least)).maximum(Some(most)).build().into()
        }
        FieldType::Reference(_) | FieldType::Benefit | FieldType::Person => <i32 as JsonInput>::schema(),
        FieldType::References { .. } => <Vec<i32> as JsonInput>::schema(),
        FieldType::Lines { longest } | FieldType::Items { longest, .. } => {
            ArrayBuilder::new().items(text().max_length(Some(longest)).build()).build().into()
        }
        FieldType::Note => <NoteText as JsonInput>::schema(),
        FieldType::Money => <Money as JsonInput>::schema(),
        FieldType::Percent => <PercentageInput as JsonInput>::schema(),
        FieldType::Flag => <bool as JsonInput>::schema(),
        FieldType::Colour | FieldType::ReadableOn(_) => <Colour as JsonInput>::schema(),
        FieldType::Document => <Document as JsonInput>::schema(),
        FieldType::Email => <Email as JsonInput>::schema(),
        FieldType::Phone => <Phone as JsonInput>::schema(),
        FieldType::Uf => <Uf as JsonInput>::schema(),
        FieldType::Cep => <Cep as JsonInput>::schema(),
        FieldType::Date => <Date as JsonInput>::schema(),
    }
}
