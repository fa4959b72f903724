//! Reads requests for registers: each field by its type, with the readers of the other records.

use super::percent::PercentageInput;
use crate::read::{
    BoundedInt, FieldPatch, FieldPath, InputProblems, JsonInput, PartialInput, describe_allowed, optional,
    parse_record_body, read_fields_with, read_query_with,
};
use crate::refusal;
use domain::{
    BenefitCode, Cep, Colour, Date, Document, Email, Money, NoteText, PersonCode, Phone, Rejection, Uf,
    parse_line,
};
use registers::{FieldContent, FieldSpec, FieldType, Register};
use serde_json::{Map, Value as Json};

/// A record as sent. Required fields are checked by the caller, which knows whether the record is new.
#[derive(Clone, Debug)]
pub struct RecordInput {
    pub code: FieldPatch<i32>,
    pub version: FieldPatch<i32>,
    pub active: FieldPatch<bool>,
    /// In the order of the description.
    pub fields: Vec<FieldPatch<FieldContent>>,
}

/// The query of a list.
#[derive(Clone, Debug)]
pub struct RecordListQuery {
    pub filter: Option<String>,
    pub active: Option<bool>,
    /// Counted from 1.
    pub page: i32,
    /// Filters: the index of a field and its required value.
    pub fields: Vec<(usize, FieldContent)>,
}

type JsonFields = Map<String, Json>;

/// Reads the body of a creation or a change.
pub fn read_record_body(register: &Register, bytes: &[u8]) -> Result<RecordInput, PartialInput<RecordInput>> {
    read_record_input(register, &parse_record_body(bytes)?)
}

/// Reads the record of a creation or a change.
pub fn read_record_input(
    register: &Register,
    fields: &JsonFields,
) -> Result<RecordInput, PartialInput<RecordInput>> {
    read_fields_with(fields, |fields, problems| {
        refuse_card_numbers(register, fields, problems);
        let read_own_field = |field: &FieldSpec, problems: &mut InputProblems| match field.is_input() {
            true => read_field(field, fields, problems).unwrap_or(FieldPatch::Keep),
            false => FieldPatch::Keep,
        };
        let (least, most) = register.codes;
        let code = optional::<UncheckedCode>(fields, register.code, &FieldPath::Root, problems)
            .unwrap_or(FieldPatch::Keep);
        if let FieldPatch::Set(UncheckedCode(code)) = &code
            && !(least..=most).contains(code)
        {
            let at = FieldPath::Field(&FieldPath::Root, register.code);
            problems.add(&at, format!("deve ser um número inteiro, de {least} a {most}."));
        }
        let version = optional::<BoundedInt<0, { i32::MAX }>>(fields, "versao", &FieldPath::Root, problems);
        RecordInput {
            code: code.map(|UncheckedCode(code)| code),
            version: version.unwrap_or(FieldPatch::Keep).map(BoundedInt::get),
            active: optional(fields, "ativo", &FieldPath::Root, problems).unwrap_or(FieldPatch::Keep),
            fields: register.fields.iter().map(|field| read_own_field(field, problems)).collect(),
        }
    })
}

pub fn read_list_query(
    register: &Register,
    pairs: impl Iterator<Item = (String, String)>,
) -> Result<RecordListQuery, InputProblems> {
    read_query_with(pairs, |query, problems| {
        let filter = optional::<String>(query, "filtro", &FieldPath::Root, problems);
        let page = optional::<BoundedInt<1, { i32::MAX }>>(query, "pagina", &FieldPath::Root, problems);
        let active = optional::<bool>(query, "ativo", &FieldPath::Root, problems);
        let mut fields = Vec::new();
        for name in register.filters {
            let Some((at, field)) = register.find_field(name) else { continue };
            if let Some(FieldPatch::Set(value)) = read_field(field, query, problems) {
                fields.push((at, value));
            }
        }
        RecordListQuery {
            filter: filter.and_then(FieldPatch::into_set),
            active: active.and_then(FieldPatch::into_set),
            page: page.and_then(FieldPatch::into_set).map_or(1, BoundedInt::get),
            fields,
        }
    })
}

/// A code whose range is checked by its register.
struct UncheckedCode(i32);

impl JsonInput for UncheckedCode {
    fn read(value: &Json, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<UncheckedCode> {
        i32::read(value, at, problems).map(UncheckedCode)
    }

    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        i32::schema()
    }
}

/// Reads one field by its type. `None` if the value is invalid, after reporting it.
fn read_field(
    field: &FieldSpec,
    fields: &JsonFields,
    problems: &mut InputProblems,
) -> Option<FieldPatch<FieldContent>> {
    let name = field.name;
    match field.kind {
        FieldType::Text { longest } | FieldType::Secret { longest } => {
            read_text_field(fields, name, problems, |text| parse_line(text, longest).map(FieldContent::Text))
        }
        FieldType::Serial { longest } => {
            read_text_field(fields, name, problems, |text| parse_serial(text, longest))
        }
        FieldType::Month => read_text_field(fields, name, problems, parse_month),
        FieldType::Digits(count) => read_digits(fields, name, count, problems),
        FieldType::Choice(names) => read_choice(fields, name, names, problems),
        FieldType::Note => read_typed_field::<NoteText>(fields, name, problems, |note| {
            FieldContent::Text(note.into_string())
        }),
        FieldType::Integer { least, most } => read_integer(fields, name, (least, most), problems),
        FieldType::Reference(_) => {
            read_typed_field::<i32>(fields, name, problems, |code| FieldContent::Number(code.into()))
        }
        FieldType::Benefit => read_typed_field::<BenefitCode>(fields, name, problems, |code| {
            FieldContent::Number(code.get().into())
        }),
        FieldType::Person => read_typed_field::<PersonCode>(fields, name, problems, |code| {
            FieldContent::Number(code.get().into())
        }),
        FieldType::References { .. } => read_typed_field::<Vec<i32>>(fields, name, problems, |codes| {
            FieldContent::Codes(remove_duplicates(codes))
        }),
        FieldType::Lines { longest } | FieldType::Items { longest, .. } => {
            read_lines(fields, name, longest, problems)
        }
        FieldType::Money => read_typed_field::<Money>(fields, name, problems, FieldContent::Money),
        FieldType::Percent => read_typed_field::<PercentageInput>(fields, name, problems, |percent| {
            FieldContent::Number(percent.hundredths())
        }),
        FieldType::Flag => read_typed_field::<bool>(fields, name, problems, FieldContent::Flag),
        FieldType::Colour => read_typed_field::<Colour>(fields, name, problems, |colour| {
            FieldContent::Text(colour.to_string())
        }),
        FieldType::Document => read_typed_field::<Document>(fields, name, problems, |document| {
            FieldContent::Text(document.as_str().to_owned())
        }),
        FieldType::Email => read_typed_field::<Email>(fields, name, problems, |email| {
            FieldContent::Text(email.as_str().to_owned())
        }),
        FieldType::Phone => read_typed_field::<Phone>(fields, name, problems, |phone| {
            FieldContent::Text(phone.as_str().to_owned())
        }),
        FieldType::Uf => {
            read_typed_field::<Uf>(fields, name, problems, |uf| FieldContent::Text(uf.as_str().to_owned()))
        }
        FieldType::Cep => {
            read_typed_field::<Cep>(fields, name, problems, |cep| FieldContent::Text(cep.as_str().to_owned()))
        }
        FieldType::Date => read_typed_field::<Date>(fields, name, problems, FieldContent::Date),
        FieldType::ReadableOn(_) => Some(FieldPatch::Keep),
    }
}

/// Reads a field of a type that the wire format defines.
fn read_typed_field<T: JsonInput>(
    fields: &JsonFields,
    name: &str,
    problems: &mut InputProblems,
    make: impl FnOnce(T) -> FieldContent,
) -> Option<FieldPatch<FieldContent>> {
    optional::<T>(fields, name, &FieldPath::Root, problems).map(|patch| patch.map(make))
}

/// Reads a text field with the `parse` of its type.
fn read_text_field(
    fields: &JsonFields,
    name: &str,
    problems: &mut InputProblems,
    parse: impl FnOnce(&str) -> Result<FieldContent, Rejection>,
) -> Option<FieldPatch<FieldContent>> {
    match optional::<String>(fields, name, &FieldPath::Root, problems)? {
        FieldPatch::Keep => Some(FieldPatch::Keep),
        FieldPatch::Clear => Some(FieldPatch::Clear),
        FieldPatch::Set(text) => {
            let report = |rejection: Rejection| {
                problems.add(&FieldPath::Field(&FieldPath::Root, name), refusal::render_sentence(&rejection));
            };
            parse(&text).map_err(report).ok().map(FieldPatch::Set)
        }
    }
}

fn parse_serial(text: &str, longest: usize) -> Result<FieldContent, Rejection> {
    let bare: String = parse_line(text, longest)?.split_whitespace().collect();
    Ok(FieldContent::Text(bare.to_uppercase()))
}

/// `11/2026` or `2026-11`, stored as the latter.
fn parse_month(text: &str) -> Result<FieldContent, Rejection> {
    let first = match text.split_once('/') {
        Some((month, year)) => format!("{year}-{month}-01"),
        None => format!("{text}-01"),
    };
    let day = Date::from_iso(&first).ok_or_else(|| Rejection::BadMonth(text.to_owned()))?;
    Ok(FieldContent::Text(day.to_iso_month()))
}

fn read_digits(
    fields: &JsonFields,
    name: &str,
    count: usize,
    problems: &mut InputProblems,
) -> Option<FieldPatch<FieldContent>> {
    let patch = optional::<String>(fields, name, &FieldPath::Root, problems)?;
    let is_right = |text: &str| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    match patch {
        // The refusal does not repeat the value, which may contain more than the caller intended to send.
        FieldPatch::Set(text) if !is_right(&text) => {
            problems.add(
                &FieldPath::Field(&FieldPath::Root, name),
                format!("use exatamente {count} dígitos, entre aspas."),
            );
            None
        }
        other => Some(other.map(FieldContent::Text)),
    }
}

fn read_choice(
    fields: &JsonFields,
    name: &str,
    names: &[(i64, &'static str)],
    problems: &mut InputProblems,
) -> Option<FieldPatch<FieldContent>> {
    match optional::<String>(fields, name, &FieldPath::Root, problems)? {
        FieldPatch::Keep => Some(FieldPatch::Keep),
        FieldPatch::Clear => Some(FieldPatch::Clear),
        FieldPatch::Set(text) => {
            let found = names.iter().find(|(_, known)| *known == text);
            if found.is_none() {
                let allowed = names.iter().map(|(_, known)| *known);
                problems.add(&FieldPath::Field(&FieldPath::Root, name), describe_allowed(&text, allowed));
            }
            found.map(|(number, _)| FieldPatch::Set(FieldContent::Number(*number)))
        }
    }
}

fn read_integer(
    fields: &JsonFields,
    name: &str,
    (least, most): (i32, i32),
    problems: &mut InputProblems,
) -> Option<FieldPatch<FieldContent>> {
    let patch = optional::<i32>(fields, name, &FieldPath::Root, problems)?;
    if let FieldPatch::Set(number) = patch
        && !(least..=most).contains(&number)
    {
        let problem = format!("deve ser um número inteiro, de {least} a {most}.");
        problems.add(&FieldPath::Field(&FieldPath::Root, name), problem);
        return None;
    }
    Some(patch.map(|number| FieldContent::Number(number.into())))
}

fn read_lines(
    fields: &JsonFields,
    name: &str,
    longest: usize,
    problems: &mut InputProblems,
) -> Option<FieldPatch<FieldContent>> {
    let texts = match optional::<Vec<String>>(fields, name, &FieldPath::Root, problems)? {
        FieldPatch::Keep => return Some(FieldPatch::Keep),
        FieldPatch::Clear => return Some(FieldPatch::Clear),
        FieldPatch::Set(texts) => texts,
    };
    let at = FieldPath::Field(&FieldPath::Root, name);
    let mut read = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        match parse_line(text, longest) {
            Ok(line) => read.push(line),
            Err(rejection) => {
                problems.add(&FieldPath::Item(&at, number), refusal::render_sentence(&rejection));
            }
        }
    }
    (read.len() == texts.len()).then_some(FieldPatch::Set(FieldContent::Lines(read)))
}

fn remove_duplicates(codes: Vec<i32>) -> Vec<i32> {
    let mut once = Vec::new();
    for code in codes {
        if !once.contains(&code) {
            once.push(code);
        }
    }
    once
}

/// Refuses full card numbers in any field of a register with a secret field: they must not be stored.
fn refuse_card_numbers(register: &Register, fields: &JsonFields, problems: &mut InputProblems) {
    if !register.fields.iter().any(|field| matches!(field.kind, FieldType::Secret { .. })) {
        return;
    }
    for (name, value) in fields {
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            _ => continue,
        };
        if has_card_number(&text) {
            let known = register.find_field(name).map_or("tokenGateway", |(_, field)| field.name);
            problems.add(
                &FieldPath::Field(&FieldPath::Root, known),
                "parece trazer o número inteiro de um cartão, que nunca deve ser enviado; use o token do gateway e os quatro \
                 últimos dígitos.",
            );
        }
    }
}

/// Whether the text contains a number of thirteen to nineteen digits with a valid check digit, ignoring separators. A
/// text that is only such digits counts regardless of the check digit.
pub(super) fn has_card_number(text: &str) -> bool {
    let text = &*domain::replace_with_ascii_digits(text);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if (13..=19).contains(&digits) && text.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        return true;
    }
    text.split(|c: char| !c.is_ascii_digit() && !is_separator(c)).any(|run| {
        let groups: Vec<&str> = run.split(is_separator).filter(|group| !group.is_empty()).collect();
        let tails = (0..groups.len()).map(|first| &groups[first..]);
        tails
            .flat_map(|rest| (1..=rest.len()).map(move |count| rest[..count].concat()))
            .any(|number| (13..=19).contains(&number.len()) && has_valid_check_digit(number.as_bytes()))
    })
}

/// Separators inside a number: spaces, dashes, dots and invisible characters.
fn is_separator(sign: char) -> bool {
    let is_dash = matches!(sign, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}');
    let is_dot = matches!(sign, '.' | '\u{b7}' | '\u{2024}' | '\u{ff0e}');
    let is_unseen = matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    sign.is_whitespace() || is_dash || is_dot || is_unseen
}

/// Luhn.
fn has_valid_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 1 { 2 } else { 1 })
        .map(|digit| digit / 10 + digit % 10)
        .sum();
    sum.is_multiple_of(10)
}
