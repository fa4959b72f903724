//! What the documentation says of the records of a register, made from its description.

use crate::read::{FieldInfo, Read, described, object, or_null};
use domain::{Cep, Colour, Date, Document, Email, Money, Note, Phone, Uf};
use registers::{FieldSpec, Kind, Need, Register};
use serde_json::{Value as Json, json};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

/// A schema and what it is called.
pub struct Named {
    pub name: String,
    pub schema: RefOr<Schema>,
}

/// What is answered: every field, always.
pub fn record(register: &Register) -> Named {
    let mut fields = vec![code_field(register, true)];
    let shown = register.fields.iter().filter(|field| field.is_shown());
    fields.extend(shown.map(|field| {
        let schema = match is_never_null(field) {
            true => schema(field.kind),
            false => or_null(schema(field.kind)),
        };
        FieldInfo { schema, ..info(field, true) }
    }));
    fields.push(active_field(true));
    fields.push(version_field());
    for (name, text) in [
        ("dataCadastro", "Quando foi cadastrado."),
        ("dataAtualizacao", "Quando foi alterado pela última vez."),
    ] {
        let schema = <String as Read>::schema();
        let example = json!("2026-11-14T10:32:05-03:00");
        fields.push(FieldInfo { name, text: text.to_owned(), required: true, schema, example });
    }
    let text = format!("Um registro do cadastro de {}.", register.words.many);
    Named { name: format!("Cadastro{}TO", register.title()), schema: object(&text, fields) }
}

/// A page of them.
pub fn page_record(register: &Register) -> Named {
    let items = ArrayBuilder::new()
        .items(Ref::from_schema_name(record(register).name))
        .description(Some("Os registros da página, até 100."));
    let number = <i32 as Read>::schema;
    let parts: [(&str, RefOr<Schema>); 4] = [
        ("itens", items.build().into()),
        ("paginaAtual", described(number(), "O número desta página, a partir de 1.", json!(1))),
        (
            "proximaPagina",
            described(<bool as Read>::schema(), "Se há mais uma página depois desta.", json!(false)),
        ),
        ("quantidade", described(number(), "Quantos registros há em todas as páginas.", json!(7))),
    ];
    let text = format!("Uma página do cadastro de {}.", register.words.many);
    let page =
        parts.into_iter().fold(ObjectBuilder::new().description(Some(text)), |page, (name, schema)| {
            page.required(name).property(name, schema)
        });
    Named { name: format!("ListaCadastro{}TO", register.title()), schema: page.build().into() }
}

/// What is sent to add one.
pub fn input_record(register: &Register) -> Named {
    let mut fields = vec![code_field(register, register.counter.is_none())];
    fields.extend(taken(register).map(|field| info(field, field.need == Need::Required)));
    fields.push(active_field(false));
    let text = format!("Um registro novo do cadastro de {}.", register.words.many);
    Named { name: format!("Cadastro{}InputTO", register.title()), schema: object(&text, fields) }
}

/// What is sent to change one.
pub fn change_record(register: &Register) -> Named {
    let mut fields = vec![version_field()];
    fields.extend(taken(register).map(|field| info(field, false)));
    fields.push(active_field(false));
    let text = format!(
        "A alteração de um registro do cadastro de {}: o campo que não vem fica como está.",
        register.words.many
    );
    Named { name: format!("Alteracao{}InputTO", register.title()), schema: object(&text, fields) }
}

/// What may be asked of a list.
pub fn query_fields(register: &'static Register) -> Vec<FieldInfo> {
    let searched: Vec<&str> =
        register.fields.iter().filter(|field| field.searched).map(|field| field.name).collect();
    let by = match register.search {
        registers::Search::Beginnings(names) => format!("O começo de {}.", names.join(" ou de ")),
        registers::Search::Words if searched.is_empty() => "O código.".to_owned(),
        registers::Search::Words => {
            format!("O código, ou começos de palavras de {}.", searched.join(", "))
        }
    };
    let first = register.fields.first().map_or("12", |field| field.example);
    let mut all = vec![
        FieldInfo {
            name: "filtro",
            text: by,
            required: false,
            schema: <String as Read>::schema(),
            example: example(first).as_str().map_or(json!("12"), |text| json!(text)),
        },
        FieldInfo {
            name: "ativo",
            text: "Só o que está em uso (true) ou só o que não está (false); tudo onde não vem.".to_owned(),
            required: false,
            schema: <bool as Read>::schema(),
            example: json!(true),
        },
        FieldInfo {
            name: "pagina",
            text: "O número da página, a partir de 1.".to_owned(),
            required: false,
            schema: <crate::read::Between<1, { i32::MAX }> as Read>::schema(),
            example: json!(1),
        },
    ];
    let needed = match register.needs_filter {
        true => format!(" Ao menos um destes deve vir: {}.", register.filters.join(", ")),
        false => String::new(),
    };
    let filters = register.filters.iter().filter_map(|name| register.field(name));
    all.extend(filters.map(|(_, field)| {
        let own = info(field, false);
        FieldInfo { text: format!("Só os deste valor. {}{needed}", own.text), ..own }
    }));
    all
}

fn taken(register: &Register) -> impl Iterator<Item = &'static FieldSpec> {
    register.fields.iter().filter(|field| field.is_taken())
}

/// A list is empty rather than nothing.
fn is_never_null(field: &FieldSpec) -> bool {
    field.need != Need::Optional
        || matches!(
            field.kind,
            Kind::References { .. } | Kind::Items { .. } | Kind::Lines { .. } | Kind::ReadableOn(_)
        )
}

fn info(field: &'static FieldSpec, required: bool) -> FieldInfo {
    FieldInfo {
        name: field.name,
        text: field.text.to_owned(),
        required,
        schema: schema(field.kind),
        example: example(field.example),
    }
}

fn example(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or(Json::Null)
}

fn code_field(register: &Register, required: bool) -> FieldInfo {
    let (least, most) = register.codes;
    let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(Some(most));
    FieldInfo {
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

fn active_field(required: bool) -> FieldInfo {
    FieldInfo {
        name: "ativo",
        text: "Se está em uso.".to_owned(),
        required,
        schema: <bool as Read>::schema(),
        example: json!(true),
    }
}

fn version_field() -> FieldInfo {
    FieldInfo {
        name: "versao",
        text: "A versão do registro, que muda com cada alteração.".to_owned(),
        required: true,
        schema: <crate::read::Between<0, { i32::MAX }> as Read>::schema(),
        example: json!(1),
    }
}

fn schema(kind: Kind) -> RefOr<Schema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let whole = || ObjectBuilder::new().schema_type(Type::Integer);
    match kind {
        Kind::Text { longest } | Kind::Serial { longest } | Kind::Secret { longest } => {
            text().max_length(Some(longest)).build().into()
        }
        Kind::Digits(count) => text().pattern(Some(format!(r"^\d{{{count}}}$"))).build().into(),
        Kind::Month => text().pattern(Some(r"^(\d{2}/\d{4}|\d{4}-\d{2})$")).build().into(),
        Kind::Choice(names) => text().enum_values(Some(names.iter().map(|(_, name)| *name))).build().into(),
        Kind::Integer { least, most } => whole().minimum(Some(least)).maximum(Some(most)).build().into(),
        Kind::Reference(_) | Kind::Benefit | Kind::Person => <i32 as Read>::schema(),
        Kind::References { .. } => <Vec<i32> as Read>::schema(),
        Kind::Lines { longest } | Kind::Items { longest, .. } => {
            ArrayBuilder::new().items(text().max_length(Some(longest)).build()).build().into()
        }
        Kind::Note => <Note as Read>::schema(),
        Kind::Money => <Money as Read>::schema(),
        Kind::Flag => <bool as Read>::schema(),
        Kind::Colour | Kind::ReadableOn(_) => <Colour as Read>::schema(),
        Kind::Document => <Document as Read>::schema(),
        Kind::Email => <Email as Read>::schema(),
        Kind::Phone => <Phone as Read>::schema(),
        Kind::Uf => <Uf as Read>::schema(),
        Kind::Cep => <Cep as Read>::schema(),
        Kind::Date => <Date as Read>::schema(),
    }
}
