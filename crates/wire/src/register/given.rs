//! Reads what callers send of a register: each field by its kind, with the readers of every other record.

use crate::read::{At, Between, Given, Problems, Read, Unread, body_by, one_of, optional, query_by};
use crate::refusal;
use domain::{
    BenefitCode, Cep, Colour, Date, Document, Email, Money, Note, PersonCode, Phone, Rejection, Uf, line,
};
use registers::{FieldSpec, Kind, Register, Value};
use serde_json::{Map, Value as Json};

/// What was sent of a record. What must be there is judged by whoever knows whether the record is new.
#[derive(Clone, Debug)]
pub struct Sent {
    pub code: Given<i32>,
    pub version: Given<i32>,
    pub active: Given<bool>,
    /// In the order of the description.
    pub fields: Vec<Given<Value>>,
}

/// What is asked of a list.
#[derive(Clone, Debug)]
pub struct Asked {
    pub filter: Option<String>,
    pub active: Option<bool>,
    /// From 1.
    pub page: i32,
    /// The values that fields must have, by their places.
    pub fields: Vec<(usize, Value)>,
}

type Fields = Map<String, Json>;

/// Reads the body of a creation or a change.
pub fn sent(register: &Register, bytes: &[u8]) -> Result<Sent, Unread<Sent>> {
    body_by(bytes, |fields, problems| {
        refuse_card_numbers(register, fields, problems);
        let own = |field: &FieldSpec, problems: &mut Problems| match field.is_taken() {
            true => given(field, fields, problems).unwrap_or(Given::Keep),
            false => Given::Keep,
        };
        let (least, most) = register.codes;
        let code = optional::<Code>(fields, register.code, &At::Root, problems).unwrap_or(Given::Keep);
        if let Given::Set(Code(code)) = &code
            && !(least..=most).contains(code)
        {
            let at = At::Field(&At::Root, register.code);
            problems.add(&at, format!("deve ser um número inteiro, de {least} a {most}."));
        }
        let version = optional::<Between<0, { i32::MAX }>>(fields, "versao", &At::Root, problems);
        Sent {
            code: code.map(|Code(code)| code),
            version: version.unwrap_or(Given::Keep).map(Between::get),
            active: optional(fields, "ativo", &At::Root, problems).unwrap_or(Given::Keep),
            fields: register.fields.iter().map(|field| own(field, problems)).collect(),
        }
    })
}

/// Reads the query of a list.
pub fn asked(register: &Register, pairs: impl Iterator<Item = (String, String)>) -> Result<Asked, Problems> {
    query_by(pairs, |query, problems| {
        let filter = optional::<String>(query, "filtro", &At::Root, problems);
        let page = optional::<Between<1, { i32::MAX }>>(query, "pagina", &At::Root, problems);
        let active = optional::<bool>(query, "ativo", &At::Root, problems);
        let mut fields = Vec::new();
        for name in register.filters {
            let Some((at, field)) = register.field(name) else { continue };
            if let Some(Given::Set(value)) = given(field, query, problems) {
                fields.push((at, value));
            }
        }
        Asked {
            filter: filter.and_then(Given::set),
            active: active.and_then(Given::set),
            page: page.and_then(Given::set).map_or(1, Between::get),
            fields,
        }
    })
}

/// A code that its owner says what it may be.
struct Code(i32);

impl Read for Code {
    fn read(value: &Json, at: &At<'_>, problems: &mut Problems) -> Option<Code> {
        i32::read(value, at, problems).map(Code)
    }

    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        i32::schema()
    }
}

/// One field by its kind. `None` where what was given is wrong, which is told.
fn given(field: &FieldSpec, fields: &Fields, problems: &mut Problems) -> Option<Given<Value>> {
    let name = field.name;
    match field.kind {
        Kind::Text { longest } | Kind::Secret { longest } => {
            read(fields, name, problems, |text| line(text, longest).map(Value::Text))
        }
        Kind::Serial { longest } => read(fields, name, problems, |text| serial(text, longest)),
        Kind::Month => read(fields, name, problems, month),
        Kind::Digits(count) => digits(fields, name, count, problems),
        Kind::Choice(names) => choice(fields, name, names, problems),
        Kind::Note => by::<Note>(fields, name, problems, |note| Value::Text(note.into_string())),
        Kind::Integer { least, most } => integer(fields, name, (least, most), problems),
        Kind::Reference(_) => by::<i32>(fields, name, problems, |code| Value::Number(code.into())),
        Kind::Benefit => by::<BenefitCode>(fields, name, problems, |code| Value::Number(code.get().into())),
        Kind::Person => by::<PersonCode>(fields, name, problems, |code| Value::Number(code.get().into())),
        Kind::References { .. } => {
            by::<Vec<i32>>(fields, name, problems, |codes| Value::Codes(each_once(codes)))
        }
        Kind::Lines { longest } | Kind::Items { longest, .. } => lines(fields, name, longest, problems),
        Kind::Money => by::<Money>(fields, name, problems, |money| Value::Number(money.cents())),
        Kind::Flag => by::<bool>(fields, name, problems, Value::Flag),
        Kind::Colour => by::<Colour>(fields, name, problems, |colour| Value::Text(colour.to_string())),
        Kind::Document => {
            by::<Document>(fields, name, problems, |document| Value::Text(document.as_str().to_owned()))
        }
        Kind::Email => by::<Email>(fields, name, problems, |email| Value::Text(email.as_str().to_owned())),
        Kind::Phone => by::<Phone>(fields, name, problems, |phone| Value::Text(phone.as_str().to_owned())),
        Kind::Uf => by::<Uf>(fields, name, problems, |uf| Value::Text(uf.as_str().to_owned())),
        Kind::Cep => by::<Cep>(fields, name, problems, |cep| Value::Text(cep.as_str().to_owned())),
        Kind::Date => by::<Date>(fields, name, problems, |date| Value::Text(date.to_iso())),
        Kind::ReadableOn(_) => Some(Given::Keep),
    }
}

/// A field whose type the interface knows.
fn by<T: Read>(
    fields: &Fields,
    name: &str,
    problems: &mut Problems,
    make: impl FnOnce(T) -> Value,
) -> Option<Given<Value>> {
    optional::<T>(fields, name, &At::Root, problems).map(|given| given.map(make))
}

/// A text that `parse` makes a value of, or says why not.
fn read(
    fields: &Fields,
    name: &str,
    problems: &mut Problems,
    parse: impl FnOnce(&str) -> Result<Value, Rejection>,
) -> Option<Given<Value>> {
    match optional::<String>(fields, name, &At::Root, problems)? {
        Given::Keep => Some(Given::Keep),
        Given::Clear => Some(Given::Clear),
        Given::Set(text) => {
            let told = |rejection: Rejection| {
                problems.add(&At::Field(&At::Root, name), refusal::sentence(&rejection));
            };
            parse(&text).map_err(told).ok().map(Given::Set)
        }
    }
}

fn serial(text: &str, longest: usize) -> Result<Value, Rejection> {
    let bare: String = line(text, longest)?.split_whitespace().collect();
    Ok(Value::Text(bare.to_uppercase()))
}

/// `11/2026` or `2026-11`, kept as the latter.
fn month(text: &str) -> Result<Value, Rejection> {
    let first = match text.split_once('/') {
        Some((month, year)) => format!("{year}-{month}-01"),
        None => format!("{text}-01"),
    };
    let day = Date::from_iso(&first).ok_or_else(|| Rejection::BadMonth(text.to_owned()))?;
    Ok(Value::Text(day.to_iso()[..7].to_owned()))
}

fn digits(fields: &Fields, name: &str, count: usize, problems: &mut Problems) -> Option<Given<Value>> {
    let given = optional::<String>(fields, name, &At::Root, problems)?;
    let is_right = |text: &str| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    match given {
        // What was sent is not said back: it may be more than was meant to be told.
        Given::Set(text) if !is_right(&text) => {
            problems
                .add(&At::Field(&At::Root, name), format!("use exatamente {count} dígitos, entre aspas."));
            None
        }
        other => Some(other.map(Value::Text)),
    }
}

fn choice(
    fields: &Fields,
    name: &str,
    names: &[(i64, &'static str)],
    problems: &mut Problems,
) -> Option<Given<Value>> {
    match optional::<String>(fields, name, &At::Root, problems)? {
        Given::Keep => Some(Given::Keep),
        Given::Clear => Some(Given::Clear),
        Given::Set(text) => {
            let found = names.iter().find(|(_, known)| *known == text);
            if found.is_none() {
                let allowed = names.iter().map(|(_, known)| *known);
                problems.add(&At::Field(&At::Root, name), one_of(&text, allowed));
            }
            found.map(|(number, _)| Given::Set(Value::Number(*number)))
        }
    }
}

fn integer(
    fields: &Fields,
    name: &str,
    (least, most): (i32, i32),
    problems: &mut Problems,
) -> Option<Given<Value>> {
    let given = optional::<i32>(fields, name, &At::Root, problems)?;
    if let Given::Set(number) = given
        && !(least..=most).contains(&number)
    {
        let told = format!("deve ser um número inteiro, de {least} a {most}.");
        problems.add(&At::Field(&At::Root, name), told);
        return None;
    }
    Some(given.map(|number| Value::Number(number.into())))
}

fn lines(fields: &Fields, name: &str, longest: usize, problems: &mut Problems) -> Option<Given<Value>> {
    let texts = match optional::<Vec<String>>(fields, name, &At::Root, problems)? {
        Given::Keep => return Some(Given::Keep),
        Given::Clear => return Some(Given::Clear),
        Given::Set(texts) => texts,
    };
    let at = At::Field(&At::Root, name);
    let mut read = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        match line(text, longest) {
            Ok(line) => read.push(line),
            Err(rejection) => problems.add(&At::Item(&at, number), refusal::sentence(&rejection)),
        }
    }
    (read.len() == texts.len()).then_some(Given::Set(Value::Lines(read)))
}

fn each_once(codes: Vec<i32>) -> Vec<i32> {
    let mut once = Vec::new();
    for code in codes {
        if !once.contains(&code) {
            once.push(code);
        }
    }
    once
}

/// Whoever sends a whole card number, in whatever field, is told not to: it must not be kept, and nobody wants it here.
fn refuse_card_numbers(register: &Register, fields: &Fields, problems: &mut Problems) {
    if !register.fields.iter().any(|field| matches!(field.kind, Kind::Secret { .. })) {
        return;
    }
    for (name, value) in fields {
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            _ => continue,
        };
        if has_card_number(&text) {
            let known = register.field(name).map_or("tokenGateway", |(_, field)| field.name);
            problems.add(
                &At::Field(&At::Root, known),
                "parece trazer o número inteiro de um cartão, que nunca deve ser enviado; use o token do gateway e os quatro \
                 últimos dígitos.",
            );
        }
    }
}

/// Thirteen to nineteen digits in a row, but for what people write between them, that end in their check digit. A text of
/// nothing else is one in any case.
pub(super) fn has_card_number(text: &str) -> bool {
    let text = &*domain::with_ascii_digits(text);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if (13..=19).contains(&digits) && text.chars().all(|c| c.is_ascii_digit() || is_between(c)) {
        return true;
    }
    text.split(|c: char| !c.is_ascii_digit() && !is_between(c)).any(|run| {
        let groups: Vec<&str> = run.split(is_between).filter(|group| !group.is_empty()).collect();
        let from = (0..groups.len()).map(|first| &groups[first..]);
        from.flat_map(|rest| (1..=rest.len()).map(move |count| rest[..count].concat()))
            .any(|number| (13..=19).contains(&number.len()) && ends_in_check_digit(number.as_bytes()))
    })
}

/// What stands between digits of one number: blanks, dashes, dots, and what nobody sees.
fn is_between(sign: char) -> bool {
    let is_dash = matches!(sign, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}');
    let is_dot = matches!(sign, '.' | '\u{b7}' | '\u{2024}' | '\u{ff0e}');
    let is_unseen = matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    sign.is_whitespace() || is_dash || is_dot || is_unseen
}

/// By Luhn.
fn ends_in_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 1 { 2 } else { 1 })
        .map(|digit| digit / 10 + digit % 10)
        .sum();
    sum.is_multiple_of(10)
}
